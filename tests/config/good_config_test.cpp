// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include "evm/hex.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::config;
using namespace tidemark::config::testing;
using namespace std::chrono_literals;

namespace {

const std::string full = R"(
instance: prod-1
store:
  path: data/tidemark.db
  durability: normal
  min_free: 512MiB
ingest:
  listen: "[::1]:0"
  max_body: 1_000_000
  max_connections: 2e3
  max_in_flight: 8MiB
  timeouts: {header: 1s, body: 2500ms, idle: 1m}
admin:
  listen: 0.0.0.0:9000
  token: ${TOKEN}
  tokens:
    - {name: grafana, role: read, token: r-1}
    - {name: ops, role: operate, token: o-1}
  hosts: [Tidemark.Example.com, "tide:9000"]
log: {level: debug, format: text, levels: {rpc: trace, admin: error}}
confirmation_policy:
  mainnet: 12
  settled: finalized
  both: {blocks: 3, tag: safe}
chains:
  - name: ethereum
    id: 1
    rpc:
      - ${ETH_RPC_URL}
      - {name: backup, url: "https://backup.example/KEY", headers: {Authorization: Bearer x}, max_range: 1_000, requests_per_second: 2.5, timeout: 3s}
      - https://rpc.example/other
      - http://[::1]:8545
    confirmations: mainnet
    start_block: 19_000_000
    follow: false
    poll_interval: 250ms
    integrity: none
    reconcile: {interval: 10s, max_range: 500, overlap: 64}
    reorg: {interval: 5s, max_depth: 128}
  - {name: base, id: 8453, rpc: ["http://127.0.0.1:9545"], confirmations: {blocks: 1, tag: safe}, instant: true, start_block: latest}
sources:
  - {name: alchemy-main, provider: alchemy, secrets: [new, old], chain: base, networks: {ETH_MAINNET: ethereum}, tolerance: 5m}
  - name: relay
    provider: raw
    secret: r
    signature: {header: X-Sig, mac: hmac-sha512, prefix: "sha512=", encoding: base64, signed: [{header: X-Time}, {text: "."}, body]}
  - {name: plain, provider: raw, secret: p, signature: {header: Authorization, mac: none, prefix: "Bearer "}}
subscriptions:
  - name: usdc
    chains: [ethereum, base]
    address: {ethereum: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", base: ["0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "0x0000000000000000000000000000000000000001"]}
    event: event Transfer(address indexed from, address indexed to, uint256 value)
    where: {to: ["0x0000000000000000000000000000000000000002"], value: 1_000e6}
    confirmations: settled
  - {name: all, chains: [base], preset: erc20-transfer, confirmations: 30}
handlers:
  - name: app
    url: https://fn.example.com/on-event?k=1
    secrets: [whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=, whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDI=]
    headers: {X-Team: payments}
    subscriptions: [all, usdc]
    send: [pending]
    order_by: arg:to
    concurrency: 4
    max_message: 64KiB
    content_type: application/json
    timeout: 5s
    retry: {initial: 100ms, max: 1m}
  - {name: local, url: "http://127.0.0.1:3000/", allow_private: true, secret: whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=, order_by: none}
)";

tidemark::config::config full_config() {
  variables = {{"TOKEN", "t-1"}, {"ETH_RPC_URL", "https://rpc.example/v2/KEY"}};
  const auto l = parse(full, "/etc/tidemark/t.yaml", look_up);
  INFO(problems_of(l));
  REQUIRE(l.value);
  return *l.value;
}

} // namespace

TEST_CASE("good: the server's sections") {
  const auto c = full_config();
  CHECK(c.instance == "prod-1");
  CHECK(c.store.path == "/etc/tidemark/data/tidemark.db");
  CHECK_FALSE(c.store.full);
  CHECK(c.store.min_free == 512ULL << 20);
  CHECK(c.ingest.listen.host == "::1");
  CHECK(c.ingest.listen.port == 0);
  CHECK(c.ingest.max_body == 1'000'000);
  CHECK(c.ingest.max_connections == 2'000);
  CHECK(c.ingest.max_in_flight == 8ULL << 20);
  CHECK(c.ingest.header == 1s);
  CHECK(c.ingest.body == 2'500ms);
  CHECK(c.ingest.idle == 1min);
  CHECK(c.admin.listen.host == "0.0.0.0");
  CHECK(c.admin.listen.port == 9000);
  REQUIRE(c.admin.tokens.size() == 3);
  CHECK(c.admin.tokens[0].name == "token");
  CHECK(c.admin.tokens[0].token == "t-1");
  CHECK(c.admin.tokens[0].operate);
  CHECK(c.admin.tokens[1].name == "grafana");
  CHECK_FALSE(c.admin.tokens[1].operate);
  CHECK(c.admin.tokens[2].operate);
  CHECK(c.admin.hosts == std::vector<std::string>{"tidemark.example.com", "tide:9000"});
  CHECK(c.log.level == "debug");
  CHECK(c.log.levels == std::map<std::string, std::string>{{"admin", "error"}, {"rpc", "trace"}});
  CHECK_FALSE(c.log.json);
}

TEST_CASE("good: WebSocket endpoints stand apart, and are named with the others") {
  variables.clear();
  const auto l = parsed("chains:\n"
                        "  - name: a\n"
                        "    id: 1\n"
                        "    confirmations: 1\n"
                        "    quorum: 2\n"
                        "    rpc:\n"
                        "      - wss://a.example/KEY\n"
                        "      - https://a.example/KEY\n"
                        "      - {name: bell, url: \"ws://b.example\", timeout: 3s, "
                        "headers: {Authorization: Bearer x}}\n"
                        "      - ws://[::1]:8546\n"
                        "      - http://b.example\n");
  CHECK(problems_of(l) == "");
  REQUIRE(l.value);
  const auto& c = l.value->chains[0];
  REQUIRE(c.rpc.size() == 2);
  REQUIRE(c.heads.size() == 3);
  CHECK(c.rpc[0].name == "a.example:443#2");
  CHECK(c.rpc[1].name == "b.example:80");
  CHECK(c.heads[0].name == "a.example:443");
  CHECK(c.heads[0].url == "wss://a.example/KEY");
  CHECK(c.heads[1].name == "bell");
  CHECK(c.heads[1].timeout == 3s);
  CHECK(c.heads[1].headers ==
        std::vector<std::pair<std::string, std::string>>{{"Authorization", "Bearer x"}});
  CHECK(c.heads[2].name == "[::1]:8546");
}

TEST_CASE("good: chains") {
  const auto c = full_config();
  REQUIRE(c.chains.size() == 2);
  const auto& e = c.chains[0];
  CHECK(e.name == "ethereum");
  CHECK(e.id == 1);
  REQUIRE(e.rpc.size() == 4);
  CHECK(e.rpc[0].name == "rpc.example:443");
  CHECK(e.rpc[0].url == "https://rpc.example/v2/KEY");
  CHECK(e.rpc[0].requests_per_second == 0);
  CHECK(e.rpc[0].timeout == 10s);
  CHECK(e.rpc[1].name == "backup");
  CHECK(e.rpc[1].headers ==
        std::vector<std::pair<std::string, std::string>>{{"Authorization", "Bearer x"}});
  CHECK(e.rpc[1].max_range == 1'000);
  CHECK(e.rpc[1].requests_per_second == 2.5);
  CHECK(e.rpc[1].timeout == 3s);
  CHECK(e.rpc[2].name == "rpc.example:443#2");
  CHECK(e.rpc[3].name == "[::1]:8545");
  CHECK(e.confirmations == tide::policy{"mainnet", 12, tide::tag::none});
  CHECK(e.start_block == 19'000'000);
  CHECK_FALSE(e.follow);
  CHECK(e.poll_interval == 250ms);
  CHECK(e.integrity == integrity::none);
  CHECK(e.reconcile_interval == 10s);
  CHECK(e.reconcile_max_range == 500);
  CHECK(e.reconcile_overlap == 64);
  CHECK(e.reorg_interval == 5s);
  CHECK(e.max_depth == 128);
  const auto& b = c.chains[1];
  CHECK(b.confirmations == tide::policy{std::nullopt, 1, tide::tag::safe});
  CHECK(b.instant);
  CHECK_FALSE(b.start_block);
  CHECK(c.policies.at("both") == tide::policy{"both", 3, tide::tag::safe});
}

TEST_CASE("good: sources") {
  const auto c = full_config();
  REQUIRE(c.sources.size() == 3);
  const auto& a = c.sources[0];
  CHECK(a.provider == "alchemy");
  CHECK(a.secrets == std::vector<std::string>{"new", "old"});
  CHECK(a.chain_id == 8453);
  CHECK(a.networks == std::map<std::string, std::uint64_t>{{"ETH_MAINNET", 1}});
  CHECK(a.tolerance == 5min);
  CHECK_FALSE(a.signature);
  const auto& relay = c.sources[1].signature;
  REQUIRE(relay);
  using kind = providers::signed_part::kind;
  CHECK(relay->header == "X-Sig");
  CHECK(relay->by == providers::mac::hmac_sha512);
  CHECK(relay->prefix == "sha512=");
  CHECK(relay->as == providers::encoding::base64);
  CHECK(relay->parts == std::vector<providers::signed_part>{
                            {kind::header, "X-Time"}, {kind::text, "."}, {kind::body, ""}});
  CHECK_FALSE(c.sources[1].chain_id);
  REQUIRE(c.sources[2].signature);
  CHECK(c.sources[2].signature->by == providers::mac::none);
  CHECK(c.sources[2].signature->prefix == "Bearer ");
}

TEST_CASE("good: subscriptions") {
  const auto c = full_config();
  REQUIRE(c.subscriptions.size() == 2);
  const auto& usdc = c.subscriptions[0];
  CHECK(usdc.event.signature() == "Transfer(address,address,uint256)");
  CHECK(usdc.chains.at(1) == std::vector<evm::address20>{*evm::parse_address(
                                 "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48")});
  CHECK(usdc.chains.at(8453).size() == 2);
  REQUIRE(usdc.where.size() == 2);
  CHECK(usdc.where[0].input == 1);
  CHECK(usdc.where[0].one_of ==
        std::set<evm::hash32>{*evm::parse_hash(
            "0x0000000000000000000000000000000000000000000000000000000000000002")});
  CHECK(usdc.where[1].input == 2);
  CHECK(usdc.where[1].one_of ==
        std::set<evm::hash32>{*evm::parse_hash(
            "0x000000000000000000000000000000000000000000000000000000003b9aca00")});
  CHECK(usdc.policies ==
        std::vector<tide::policy>{{"settled", std::nullopt, tide::tag::finalized}});
  const auto& all = c.subscriptions[1];
  CHECK(all.chains == std::map<std::uint64_t, std::vector<evm::address20>>{{8453, {}}});
  CHECK(all.event.inputs[2].name == "value");
  CHECK(all.policies == std::vector<tide::policy>{{std::nullopt, 30, tide::tag::none}});
}

TEST_CASE("good: factories") {
  variables.clear();
  const auto l =
      parsed(one_chain + "subscriptions:\n"
                         "  - name: swaps\n"
                         "    chains: [ethereum]\n"
                         "    event: Swap(uint256 amount)\n"
                         "    address:\n"
                         "      factory: 0x0000000000000000000000000000000000000001\n"
                         "      event: PoolCreated(address indexed token, address pool)\n"
                         "      parameter: pool\n"
                         "      from: 12_369_621\n");
  REQUIRE(problems_of(l) == "");
  const auto& f = l.value->subscriptions[0].factory;
  REQUIRE(f);
  CHECK(f->addresses.size() == 1);
  CHECK(f->event.signature() == "PoolCreated(address,address)");
  CHECK(f->input == 1);
  CHECK(f->from == 12'369'621u);
}

TEST_CASE("good: transactions") {
  variables.clear();
  const auto l = parsed(one_chain + "subscriptions:\n"
                                    "  - {name: all, chains: [ethereum], transaction: {}}\n"
                                    "  - name: some\n"
                                    "    chains: [ethereum]\n"
                                    "    transaction:\n"
                                    "      to: 0x0000000000000000000000000000000000000001\n"
                                    "      from: [0x0000000000000000000000000000000000000002]\n"
                                    "      min_value: 0.05ether\n"
                                    "      status: any\n");
  REQUIRE(problems_of(l) == "");
  const auto& all = l.value->subscriptions[0].transaction;
  REQUIRE(all);
  CHECK(all->to.empty());
  CHECK(all->from.empty());
  CHECK(all->min_value == 0);
  CHECK(all->status == tide::outcome_wanted::success);
  const auto& some = l.value->subscriptions[1].transaction;
  REQUIRE(some);
  CHECK(some->to.size() == 1);
  CHECK(some->from.size() == 1);
  CHECK(some->min_value == evm::integer(50'000'000'000'000'000));
  CHECK(some->status == tide::outcome_wanted::any);
}

TEST_CASE("good: handlers") {
  const auto c = full_config();
  REQUIRE(c.handlers.size() == 2);
  const auto& app = c.handlers[0];
  CHECK(app.name() == "app");
  CHECK(app.url == "https://fn.example.com/on-event?k=1");
  CHECK(app.secrets.size() == 2);
  CHECK(app.headers == std::vector<std::pair<std::string, std::string>>{{"X-Team", "payments"}});
  CHECK(app.recipient.subscriptions ==
        std::vector<std::string>{"usdc", "all"}); // the section's order
  CHECK(app.recipient.pending);
  CHECK_FALSE(app.recipient.confirmed);
  CHECK(app.recipient.order == tide::order_by::argument);
  CHECK(app.recipient.argument == "to");
  CHECK(app.concurrency == 4);
  CHECK(app.max_message == 64 * 1024);
  CHECK(app.content_type == "application/json");
  CHECK(app.timeout == 5s);
  CHECK(app.retry.initial == 100ms);
  CHECK(app.retry.max == 1min);
  CHECK_FALSE(app.allow_private);
  const auto& local = c.handlers[1];
  CHECK(local.recipient.subscriptions == std::vector<std::string>{"usdc", "all"});
  CHECK(local.recipient.confirmed);
  CHECK_FALSE(local.recipient.pending);
  CHECK(local.recipient.order == tide::order_by::none);
  CHECK(local.allow_private);
}

TEST_CASE("good: what is left out has the contract's defaults") {
  variables.clear();
  const auto l = parsed(one_chain);
  REQUIRE(l.value);
  const auto& c = *l.value;
  CHECK(c.instance == "main");
  CHECK(c.store.path == "/var/lib/tidemark/tidemark.db");
  CHECK(c.store.full);
  CHECK(c.store.min_free == 1ULL << 30);
  CHECK(c.store.keep_webhooks == 30 * 24h);
  CHECK(c.store.keep_deliveries == 30 * 24h);
  CHECK(c.store.keep_events == 0s);
  CHECK(c.ingest.listen.port == 8480);
  CHECK(c.ingest.max_body == 4ULL << 20);
  CHECK(c.ingest.max_connections == 1'024);
  CHECK(c.ingest.max_in_flight == 64ULL << 20);
  CHECK(c.ingest.header == 5s);
  CHECK(c.ingest.body == 10s);
  CHECK(c.ingest.idle == 60s);
  CHECK(c.admin.listen.host == "127.0.0.1");
  CHECK(c.admin.listen.port == 8481);
  CHECK(c.admin.tokens.empty());
  CHECK(c.log.level == "info");
  CHECK(c.log.json);
  const auto& chain = c.chains.at(0);
  CHECK(chain.quorum == 1);
  CHECK(chain.follow);
  CHECK(chain.poll_interval == 4s);
  CHECK(chain.integrity == integrity::bloom);
  CHECK(chain.backfill_integrity == integrity::bloom);
  CHECK_FALSE(chain.instant);
  CHECK(chain.reconcile_interval == 60s);
  CHECK(chain.reconcile_max_range == 2'000);
  CHECK(chain.reconcile_overlap == 256);
  CHECK(chain.reorg_interval == 15s);
  CHECK(chain.max_depth == 256);
  CHECK(c.sources.empty());
  CHECK(c.handlers.empty());
}

TEST_CASE("good: sections without a value are as if left out") {
  variables.clear();
  const auto l = parsed(
      one_chain + "store:\ningest:\nadmin:\nlog:\nsources:\nsubscriptions:\nhandlers:\nlists:\n");
  CHECK(problems_of(l) == "");
}

TEST_CASE("the store's default path is under STATE_DIRECTORY") {
  variables = {{"STATE_DIRECTORY", "/var/lib/a:/var/lib/b"}};
  CHECK(parsed(one_chain).value.value().store.path == "/var/lib/a/tidemark.db");
}
