// SPDX-License-Identifier: MIT
#include "config/config.hpp"

namespace tidemark::config {

const char* starter_yaml() {
  return R"yaml(# Tidemark's config. This says what is wrong with it, with line and column:
#   tidemark check --config tidemark.yaml
# ${NAME} comes from the environment, ${NAME:-default} has a default. Times: 250ms 4s 1m 12h 7d.
# Sizes: 512KiB 4MiB. A secret is a text, {credential: NAME} of systemd, or {file: PATH}, which
# others must not be able to read.

instance: main                 # part of every message's source

store:
  path: tidemark.db            # beside this file; left out: /var/lib/tidemark/tidemark.db
  durability: full             # an acknowledged webhook survives a power cut; normal: a crash

ingest:                        # where webhooks come in: POST /hooks/<source>
  listen: 127.0.0.1:8480
  max_body: 4MiB

admin:                         # the API, the metrics, and what the other verbs talk to
  listen: 127.0.0.1:8481
  token: ${TIDEMARK_TOKEN:-}   # empty: none is asked for, allowed on a loopback address only

log: {level: info, format: json}     # format: text is for people

confirmation_policy:           # your names for how sure is sure: blocks, a tag, or both
  ethereum_mainnet: 12
  settled: finalized

chains:
  - name: ethereum
    id: 1                      # must be what the endpoint's eth_chainId says
    rpc:                       # the first is preferred, the others take over
      - ${ETH_RPC_URL:-http://127.0.0.1:8545}
#     - {name: backup, url: "https://rpc.example.com", requests_per_second: 25}
    confirmations: ethereum_mainnet  # or in place: 12, finalized, {blocks: 12, tag: safe}
    start_block: latest        # or a number; it cannot be changed later
    poll_interval: 4s

sources:                       # who may post webhooks; without any, the chain alone is followed
  - name: alchemy
    provider: alchemy
    secret: ${ALCHEMY_SIGNING_KEY:-replace-me}
    chain: ethereum            # for payloads that name none

subscriptions:                 # what is an event
  - name: usdc-transfers
    chains: [ethereum]
    address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"    # or a list; left out: any contract
    event: Transfer(address indexed from, address indexed to, uint256 value)
#   where: {to: ["0x0000000000000000000000000000000000000001"]}    # only transfers to these
#   confirmations: settled     # adds to the chain's, never loosens it

handlers:                      # who is told
  - name: app
    url: http://127.0.0.1:3000/on-event    # https://… once it is elsewhere
    allow_private: true        # url may be http and on this machine; not for a public handler
    # Replace it; a new one: echo whsec_$(openssl rand -base64 32)
    secret: ${TIDEMARK_HANDLER_SECRET:-whsec_cmVwbGFjZS1tZS1yZXBsYWNlLW1lLXJlcGxhY2UtbWU=}
    subscriptions: [usdc-transfers]
    send: [confirmed, rolled_back]   # pending too, if you want to know early
    order_by: arg:to           # chain, contract, subscription, arg:NAME, none: one at a time in a key
)yaml";
}

} // namespace tidemark::config
