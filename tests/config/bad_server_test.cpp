// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::config;
using namespace tidemark::config::testing;

TEST_CASE("bad: the file as YAML") {
  check_all("",
            {
                {"not YAML", "instance: [",
                 "t.yaml:1:1: this is not YAML: end of sequence flow not found\n"},
                {"tab", "instance: main\n\tstore: x\n",
                 "t.yaml:2:1: this is not YAML: illegal tab when looking for indentation\n"},
                {"a list", "- a\n", "t.yaml:1:1: expected a map, found a list\n"},
                {"a text", "abc\n", "t.yaml:1:1: expected a map, found a text\n"},
                {"a comma that begins nothing", "a: 1\n---\n,:\n",
                 "t.yaml:3:1: a second YAML document begins here; there must be one\n"},
                {"two documents", "instance: a\n---\ninstance: b\n",
                 "t.yaml:3:1: a second YAML document begins here; there must be one\n"},
                {"a key twice", "instance: a\nlog: {}\ninstance: b\n",
                 "t.yaml:3:1: 'instance' is given twice, first in line 1\n"},
                {"a list as key", "? [a, b]\n: c\n", "t.yaml:1:3: a key must be a plain word\n"},
                {"an unknown alias", "instance: *a\n",
                 "t.yaml:1:11: this is not YAML: the referenced anchor is not defined\n"},
            });
}

TEST_CASE("bad: keys") {
  check_all(
      one_chain,
      {
          {"unknown at the top", "chainz: []\n",
           "t.yaml:6:1: unknown key 'chainz', did you mean 'chains'?\n"},
          {"unknown inside", "ingest:\n  lissten: 127.0.0.1:1\n",
           "t.yaml:7:3: unknown key 'lissten' in ingest, did you mean 'listen'?\n"},
          {"unknown in a list", "sources:\n  - nam: x\n    provider: alchemy\n    secret: s\n",
           "t.yaml:7:5: sources[0]: 'name' is missing\n"
           "t.yaml:7:5: unknown key 'nam' in sources[0], did you mean 'name'?\n"},
          {"missing in a chain", "subscriptions: []\nhandlers:\n  - {}\n",
           "t.yaml:8:5: handlers[0]: 'name' is missing\n"
           "t.yaml:8:5: handlers[0]: 'url' is missing\n"
           "t.yaml:8:5: handlers[0]: 'secret' is missing\n"},
          {"missing without a value", "sources:\n  - name:\n    provider: alchemy\n    secret: a\n",
           "t.yaml:7:5: sources[0]: 'name' is missing\n"},
      });
}

TEST_CASE("bad: values of the server's sections") {
  check_all(
      one_chain,
      {
          {"a map for a text", "instance: {a: b}\n",
           "t.yaml:6:11: instance: expected a text or number, found a map\n"},
          {"a text for a map", "store: here\n",
           "t.yaml:6:8: store: expected a map, found a text\n"},
          {"a name with a space", "instance: a b\n",
           "t.yaml:6:11: instance: a name has 1 to 64 letters, digits, '-', '_' or '.', and begins "
           "with a letter or digit\n"},
          {"durability", "store: {durability: ful}\n",
           "t.yaml:6:21: store.durability: 'ful' is none of full, normal, did you mean 'full'?\n"},
          {"a size without its unit", "ingest: {max_body: 4MB}\n",
           "t.yaml:6:20: ingest.max_body: expected a size, such as 65536, 512KiB, 4MiB or 1GiB\n"},
          {"a size out of range", "ingest: {max_body: 0, max_in_flight: 1TiB}\n",
           "t.yaml:6:20: ingest.max_body: out of range: 1 to 256MiB\n"
           "t.yaml:6:38: ingest.max_in_flight: out of range: 1 to 16GiB\n"},
          {"a duration without its unit", "ingest: {timeouts: {header: 5}}\n",
           "t.yaml:6:29: ingest.timeouts.header: expected a duration, such as 250ms, 4s, 1m, 12h "
           "or 7d\n"},
          {"a duration out of range", "ingest: {timeouts: {body: 1h, idle: 7d}}\n",
           "t.yaml:6:27: ingest.timeouts.body: out of range: 10ms to 10m\n"
           "t.yaml:6:37: ingest.timeouts.idle: out of range: 10ms to 1h\n"},
          {"a count", "ingest: {max_connections: many}\n",
           "t.yaml:6:27: ingest.max_connections: expected a whole number, such as 12 or 1_000\n"},
          {"a count out of range", "ingest: {max_connections: 0}\n",
           "t.yaml:6:27: ingest.max_connections: out of range: 1 to 1000000\n"},
          {"an address without a port", "ingest: {listen: 127.0.0.1}\n",
           "t.yaml:6:18: ingest.listen: expected an IP address and a port, such as 127.0.0.1:8480 "
           "or [::1]:8480\n"},
          {"an address by name", "ingest: {listen: \"localhost:80\"}\n",
           "t.yaml:6:18: ingest.listen: expected an IP address and a port, such as 127.0.0.1:8480 "
           "or [::1]:8480\n"},
          {"a port out of range", "ingest: {listen: \"127.0.0.1:65536\"}\n",
           "t.yaml:6:18: ingest.listen: expected an IP address and a port, such as 127.0.0.1:8480 "
           "or [::1]:8480\n"},
          {"the same address twice", "ingest: {listen: 127.0.0.1:8481}\n",
           "t.yaml:6:9: ingest: ingest and admin listen on the same address\n"},
          {"no token, not loopback", "admin: {listen: 0.0.0.0:8481}\n",
           "t.yaml:6:17: admin.listen: without a token only a loopback address, such as 127.0.0.1, "
           "may be listened on\n"},
          {"an empty token, not loopback", "admin: {token: \"\", listen: \"[::]:8481\"}\n",
           "t.yaml:6:28: admin.listen: without a token only a loopback address, such as 127.0.0.1, "
           "may be listened on\n"},
          {"a token with a space", "admin: {token: my secret words}\n",
           "t.yaml:6:16: admin.token: a token has at most 1024 visible ASCII characters and no "
           "spaces\n"},
          {"a role", "admin: {tokens: [{name: a, role: admin, token: t}]}\n",
           "t.yaml:6:34: admin.tokens[0].role: 'admin' is none of read, operate, did you mean "
           "'read'?\n"},
          {"two tokens of one name",
           "admin:\n  tokens:\n    - {name: a, role: read, token: t}\n    - {name: a, role: read, "
           "token: u}\n",
           "t.yaml:9:7: admin.tokens[1]: the token 'a' is there already, in line 8\n"},
          {"two tokens of one secret",
           "admin:\n  tokens:\n    - {name: a, role: read, token: t}\n    - {name: b, role: "
           "operate, token: t}\n",
           "t.yaml:9:7: admin.tokens[1]: the token of `b` is that of `a` too: each needs its own, "
           "or "
           "the audit and its role are the other's\n"},
          {"a host", "admin: {hosts: [\"a/b\"]}\n",
           "t.yaml:6:17: admin.hosts[0]: expected a host name, with a port or without: "
           "tidemark.example.com\n"},
          {"a log level", "log: {level: warning, format: jsn}\n",
           "t.yaml:6:14: log.level: 'warning' is none of trace, debug, info, warn, error, did you "
           "mean 'warn'?\n"
           "t.yaml:6:31: log.format: 'jsn' is none of json, text, did you mean 'json'?\n"},
          {"a bool",
           "handlers:\n  - {name: a, url: \"https://a.example\", secret: " + std::string(secret) +
               ", allow_private: yes}\n",
           "t.yaml:7:116: handlers[0].allow_private: 'yes' is none of true, false, did you mean "
           "'true'?\n"},
      });
}

TEST_CASE("bad: everything at once, in the file's order") {
  check_all(
      "",
      {{"three sections",
        "instance: \"\"\n"
        "handlers:\n"
        "  - {name: h, url: nowhere, secret: x}\n"
        "log: {format: xml}\n"
        "ingest: {max_body: lots}\n",
        "t.yaml:1:11: instance: a name has 1 to 64 letters, digits, '-', '_' or '.', and begins "
        "with a letter or digit\n"
        "t.yaml:3:20: handlers[0].url: expected a URL that begins with https:// or http://\n"
        "t.yaml:3:37: handlers[0].secret: expected a Standard Webhooks secret: whsec_ and base64, "
        "as made by: echo whsec_$(openssl rand -base64 32)\n"
        "t.yaml:4:15: log.format: 'xml' is none of json, text, did you mean 'json'?\n"
        "t.yaml:5:20: ingest.max_body: expected a size, such as 65536, 512KiB, 4MiB or 1GiB\n"}});
}
