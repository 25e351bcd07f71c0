// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::config;
using namespace tidemark::config::testing;

TEST_CASE("bad: policies and chains") {
  check_all(
      "",
      {
          {"policy names", "confirmation_policy:\n  safe: 12\n  finalized: 3\n  12: 12\n  a b: 1\n",
           "t.yaml:2:3: 'safe' cannot name a policy: a name is a word, and none of safe, finalized "
           "and a number\n"
           "t.yaml:3:3: 'finalized' cannot name a policy: a name is a word, and none of safe, "
           "finalized and a number\n"
           "t.yaml:4:3: '12' cannot name a policy: a name is a word, and none of safe, finalized "
           "and a number\n"
           "t.yaml:5:3: 'a b' cannot name a policy: a name is a word, and none of safe, finalized "
           "and a number\n"},
          {"policy values",
           "confirmation_policy:\n  a: soon\n  b: {}\n  c: {blocks: -1}\n  d: {tag: "
           "latest}\n  e: [1]\n  f:\n",
           "t.yaml:2:6: confirmation_policy.a: expected a number of blocks, safe, finalized, or "
           "{blocks: 12, tag: safe}\n"
           "t.yaml:3:6: confirmation_policy.b: needs blocks, tag or both\n"
           "t.yaml:4:15: confirmation_policy.c.blocks: expected a whole number, such as 12 or "
           "1_000\n"
           "t.yaml:5:12: confirmation_policy.d.tag: 'latest' is none of safe, finalized, did you "
           "mean 'safe'?\n"
           "t.yaml:6:6: confirmation_policy.e: expected a text or number, found a list\n"
           "t.yaml:7:3: confirmation_policy.f: expected a text or number, found nothing\n"},
          {"a policy that is not there",
           "confirmation_policy: {mainnet: 12}\nchains:\n  - {name: a, id: 1, rpc: "
           "[\"http://a.example\"], confirmations: minnet}\n",
           "t.yaml:3:64: chains[0].confirmations: there is no policy 'minnet', did you mean "
           "'mainnet'?\n"},
          {"nothing that is needed", "chains:\n  - {}\n",
           "t.yaml:2:5: chains[0]: 'name' is missing\n"
           "t.yaml:2:5: chains[0]: 'id' is missing\n"
           "t.yaml:2:5: chains[0]: 'rpc' is missing\n"
           "t.yaml:2:5: chains[0]: 'confirmations' is missing\n"},
          {"chain names and ids",
           "chains:\n"
           "  - {name: a, id: 1, rpc: [\"http://a.example\"], confirmations: 1}\n"
           "  - {name: a, id: 2, rpc: [\"http://a.example\"], confirmations: 1}\n"
           "  - {name: c, id: 0x1, rpc: [\"http://a.example\"], confirmations: 1}\n"
           "  - {name: d, id: 0, rpc: [], confirmations: 1}\n",
           "t.yaml:3:12: chains[1].name: the chain 'a' is there already, in line 2\n"
           "t.yaml:4:19: chains[2].id: chain 'a' has the id 1 already\n"
           "t.yaml:5:19: chains[3].id: out of range: 1 to 9223372036854775807\n"
           "t.yaml:5:27: chains[3].rpc: a chain needs at least one endpoint\n"},
          {"endpoints",
           "chains:\n"
           "  - name: a\n"
           "    id: 1\n"
           "    confirmations: 1\n"
           "    rpc:\n"
           "      - ftp://a.example/KEY\n"
           "      - https://user:KEY@a.example/\n"
           "      - https://a.example:99999/KEY\n"
           "      - https://a_example KEY\n"
           "      - https:///KEY\n"
           "      - wss://a.example/KEY\n"
           "      - {name: x, url: \"https://a.example\", timeout: 0s, max_range: 0}\n"
           "      - {name: x, url: \"https://b.example\", requests_per_second: -1, "
           "headers: {\"a b\": c, Host: d}}\n"
           "      - {headers: [a]}\n",
           "t.yaml:6:9: chains[0].rpc[0]: expected a URL that begins with https:// or http://\n"
           "t.yaml:7:9: chains[0].rpc[1]: a URL must not hold a user name or password; use "
           "headers\n"
           "t.yaml:8:9: chains[0].rpc[2]: the URL's port must be 1 to 65535\n"
           "t.yaml:9:9: chains[0].rpc[3]: a URL has no spaces, line breaks or letters beyond "
           "ASCII\n"
           "t.yaml:10:9: chains[0].rpc[4]: the URL's host is wrong\n"
           "t.yaml:12:54: chains[0].rpc[6].timeout: out of range: 10ms to 10m\n"
           "t.yaml:12:69: chains[0].rpc[6].max_range: out of range: 1 to 1000000\n"
           "t.yaml:13:9: chains[0].rpc[7]: the endpoint 'x' is there already, in line 12\n"
           "t.yaml:13:66: chains[0].rpc[7].requests_per_second: expected a number, such as 25 or "
           "0.5\n"
           "t.yaml:13:80: chains[0].rpc[7].headers.a b: is no name of a header\n"
           "t.yaml:13:90: chains[0].rpc[7].headers.Host: is set by Tidemark itself\n"
           "t.yaml:14:9: chains[0].rpc[8]: 'url' is missing\n"
           "t.yaml:14:19: chains[0].rpc[8].headers: expected a map, found a list\n"},
          {"WebSocket endpoints alone",
           "chains:\n"
           "  - {name: a, id: 1, confirmations: 1, rpc: [wss://a.example/KEY]}\n"
           "  - name: b\n"
           "    id: 2\n"
           "    confirmations: 1\n"
           "    rpc:\n"
           "      - ws://a.example/KEY\n"
           "      - {url: \"wss://b.example/KEY\"}\n",
           "t.yaml:2:45: chains[0].rpc: add an https:// or http:// endpoint: ws:// and wss:// only "
           "tell of new heads, all else is read over HTTP\n"
           "t.yaml:7:7: chains[1].rpc: add an https:// or http:// endpoint: ws:// and wss:// only "
           "tell of new heads, all else is read over HTTP\n"},
          {"what a WebSocket endpoint has no use for",
           "chains:\n"
           "  - name: a\n"
           "    id: 1\n"
           "    confirmations: 1\n"
           "    rpc:\n"
           "      - http://a.example\n"
           "      - {url: \"ws://a.example/\", max_range: 5, requests_per_second: 1, "
           "headers: {Sec-WebSocket-Key: x}}\n",
           "t.yaml:7:45: chains[0].rpc[1].max_range: is of http(s) endpoints alone: a WebSocket "
           "endpoint only tells of new heads\n"
           "t.yaml:7:69: chains[0].rpc[1].requests_per_second: is of http(s) endpoints alone: a "
           "WebSocket endpoint only tells of new heads\n"
           "t.yaml:7:82: chains[0].rpc[1].headers.Sec-WebSocket-Key: is set by Tidemark itself\n"},
          {"a quorum that WebSocket endpoints cannot fill",
           "chains:\n"
           "  - name: a\n"
           "    id: 1\n"
           "    confirmations: 1\n"
           "    quorum: 2\n"
           "    rpc: [\"http://a.example\", \"ws://a.example\", \"wss://b.example\"]\n",
           "t.yaml:5:13: chains[0].quorum: expected at most 1, the number of http(s) endpoints "
           "under rpc\n"},
          {"the numbers of a chain",
           "chains:\n"
           "  - name: a\n"
           "    id: 1\n"
           "    rpc: [\"http://a.example\"]\n"
           "    confirmations: 1\n"
           "    start_block: now\n"
           "    follow: maybe\n"
           "    poll_interval: 0ms\n"
           "    integrity: full\n"
           "    reconcile: {interval: 1, max_range: 0, overlap: 1e9}\n"
           "    reorg: {max_depth: 0}\n",
           "t.yaml:6:18: chains[0].start_block: expected latest or the number of a block\n"
           "t.yaml:7:13: chains[0].follow: 'maybe' is none of true, false, did you mean 'false'?\n"
           "t.yaml:8:20: chains[0].poll_interval: out of range: 1ms to 1h\n"
           "t.yaml:9:16: chains[0].integrity: 'full' is none of none, bloom, receipts, did you "
           "mean 'none'?\n"
           "t.yaml:10:27: chains[0].reconcile.interval: expected a duration, such as 250ms, 4s, "
           "1m, 12h or 7d\n"
           "t.yaml:10:41: chains[0].reconcile.max_range: out of range: 1 to 1000000\n"
           "t.yaml:10:53: chains[0].reconcile.overlap: out of range: 0 to 100000\n"
           "t.yaml:11:24: chains[0].reorg.max_depth: out of range: 1 to 100000\n"},
      });
}

TEST_CASE("bad: sources") {
  check_all(
      one_chain,
      {
          {"a provider that is not there", "sources: [{name: a, provider: alchemi, secret: s}]\n",
           "t.yaml:6:31: sources[0].provider: there is no provider 'alchemi', did you mean "
           "'alchemy'?\n"},
          {"raw without a signature", "sources: [{name: a, provider: raw, secret: s}]\n",
           "t.yaml:6:11: sources[0]: the provider raw needs a signature\n"},
          {"no secret", "sources: [{name: a, provider: alchemy}]\n",
           "t.yaml:6:11: sources[0]: 'secret' is missing\n"},
          {"two kinds of secret",
           "sources: [{name: a, provider: alchemy, secret: s, secrets: [t]}]\n",
           "t.yaml:6:60: sources[0].secrets: give secret or secrets, not both\n"},
          {"empty secrets",
           "sources: [{name: a, provider: alchemy, secrets: []}, {name: b, provider: alchemy, "
           "secret: \"\"}]\n",
           "t.yaml:6:49: sources[0].secrets: is empty\n"
           "t.yaml:6:91: sources[1].secret: the secret is empty\n"},
          {"a secret of another form", "sources: [{name: a, provider: alchemy, secret: [s]}]\n",
           "t.yaml:6:48: sources[0].secret: expected a secret: a text, {file: PATH} or "
           "{credential: NAME}\n"},
          {"a secret with both",
           "sources: [{name: a, provider: alchemy, secret: {file: a, credential: b}}]\n",
           "t.yaml:6:48: sources[0].secret: expected one of file and credential\n"},
          {"no base64 for standard-webhooks",
           "sources: [{name: a, provider: standard-webhooks, secret: whsec_!}]\n",
           "t.yaml:6:58: sources[0].secret: the secret must be base64, with or without whsec_ in "
           "front\n"},
          {"a chain that is not there",
           "sources: [{name: a, provider: alchemy, secret: s, chain: etherium, networks: {X: "
           "base}}]\n",
           "t.yaml:6:58: sources[0].chain: there is no chain 'etherium', did you mean 'ethereum'?\n"
           "t.yaml:6:82: sources[0].networks.X: there is no chain 'base', did you mean "
           "'ethereum'?\n"},
          {"the same name",
           "sources:\n  - {name: a, provider: alchemy, secret: s}\n  - {name: a, provider: "
           "alchemy, secret: s}\n",
           "t.yaml:8:12: sources[1].name: the source 'a' is there already, in line 7\n"},
          {"a signature",
           "sources:\n"
           "  - name: a\n"
           "    provider: raw\n"
           "    secret: s\n"
           "    signature: {header: \"X Y\", mac: hmac-sha1, encoding: base32, signed: [{header: "
           "T}], preffix: p}\n",
           "t.yaml:10:25: sources[0].signature.header: expected the name of a header\n"
           "t.yaml:10:37: sources[0].signature.mac: expected hmac-sha256, hmac-sha512 or none\n"
           "t.yaml:10:58: sources[0].signature.encoding: expected hex or base64\n"
           "t.yaml:10:74: sources[0].signature.signed: must have body in it\n"
           "t.yaml:10:89: unknown key 'preffix' in sources[0].signature, did you mean 'prefix'?\n"},
          {"a signature without anything",
           "sources: [{name: a, provider: raw, secret: s, signature: {}}]\n",
           "t.yaml:6:58: sources[0].signature: 'header' is missing\n"
           "t.yaml:6:58: sources[0].signature: 'mac' is missing\n"},
          {"a signature of parts that are none",
           "sources: [{name: a, provider: raw, secret: s, signature: {header: X, mac: hmac-sha256, "
           "signed: [body, head, {}]}}]\n",
           "t.yaml:6:103: sources[0].signature.signed[1]: expected body, {header: NAME} or {text: "
           "\".\"}\n"
           "t.yaml:6:109: sources[0].signature.signed[2]: expected one of header and text\n"},
          {"what mac: none has no use for",
           "sources: [{name: a, provider: raw, secret: s, signature: {header: X, mac: none, "
           "encoding: hex, signed: [body]}}]\n",
           "t.yaml:6:91: sources[0].signature.encoding: has no meaning with mac: none\n"
           "t.yaml:6:104: sources[0].signature.signed: has no meaning with mac: none\n"},
          {"tolerance", "sources: [{name: a, provider: alchemy, secret: s, tolerance: 0s}]\n",
           "t.yaml:6:62: sources[0].tolerance: out of range: 1s to 365d\n"},
      });
}
