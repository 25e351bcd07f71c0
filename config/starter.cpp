// SPDX-License-Identifier: MIT
#include "config/config.hpp"

namespace tidemark::config {

const char* starter_yaml() {
  return R"yaml(# Tidemark's config. `tidemark check --config tidemark.yaml` says what is wrong with it, with line and column.
# ${NAME} comes from the environment, ${NAME:-default} has a default. Times: 250ms 4s 1m 12h 7d. Sizes: 512KiB 4MiB.
# A secret is a text, {file: PATH}, which others must not be able to read, or {credential: NAME} of systemd.

instance: main                 # part of every message's source

store:
  path: tidemark.db            # SQLite, beside this file; left out: $STATE_DIRECTORY/tidemark.db or /var/lib/tidemark/tidemark.db
  durability: full             # an acknowledged webhook survives a power cut; normal: a crash of the process

ingest:                        # where webhooks come in: POST /hooks/<source>
  listen: 127.0.0.1:8480
  max_body: 4MiB

admin:                         # the API, the metrics, and what the other verbs talk to
  listen: 127.0.0.1:8481
  token: ${TIDEMARK_TOKEN:-}   # empty: none is asked for, which only a loopback address may do

log: {level: info, format: json}             # format: text is for people

confirmation_policy:           # your names for how sure is sure: blocks, a tag (safe, finalized), or both
  ethereum_mainnet: 12
  settled: finalized

chains:
  - name: ethereum
    id: 1                      # must be what the endpoint's eth_chainId says
    rpc:                       # the first is preferred, the others take over
      - ${ETH_RPC_URL:-http://127.0.0.1:8545}
#     - {name: backup, url: "https://rpc.example.com", requests_per_second: 25}
    confirmations: ethereum_mainnet          # or in place: 12, finalized, {blocks: 12, tag: safe}
    start_block: latest        # or a number; it cannot be changed later
    poll_interval: 4s

sources:                       # who may post webhooks; without any, Tidemark follows the chain alone
  - name: alchemy
    provider: alchemy
    secret: ${ALCHEMY_SIGNING_KEY:-replace-me}
    chain: ethereum            # for payloads that name none

subscriptions:                 # what is an event
  - name: usdc-transfers
    chains: [ethereum]
    address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"     # one, a list, or none for any contract
    event: Transfer(address indexed from, address indexed to, uint256 value)
#   where: {to: ["0x0000000000000000000000000000000000000001"]}   # only these; without it, every transfer
#   confirmations: settled                   # adds to the chain's, never loosens it

handlers:                      # who is told
  - name: app
    url: http://127.0.0.1:3000/on-event      # https://… once it is elsewhere
    allow_private: true        # so that the url may be http and on this machine; leave it out for a public handler
    secret: ${TIDEMARK_HANDLER_SECRET:-whsec_cmVwbGFjZS1tZS1yZXBsYWNlLW1lLXJlcGxhY2UtbWU=}   # yours: echo whsec_$(openssl rand -base64 32)
    subscriptions: [usdc-transfers]
    send: [confirmed, rolled_back]           # pending too, if you want to know early
    order_by: arg:to           # chain, contract, subscription, arg:NAME or none: within one key, one message at a time
)yaml";
}

} // namespace tidemark::config
