// SPDX-License-Identifier: MIT
// A config with nothing wrong, and what can be wrong with it.

export const good = `instance: main
store:
  path: tidemark.db
  durability: normal
ingest:
  listen: 127.0.0.1:0
  max_body: 1MiB
  timeouts: {header: 5s, body: 10s, idle: 1m}
admin:
  listen: 127.0.0.1:0
  token: \${TIDEMARK_TOKEN:-}
confirmation_policy:
  ethereum_mainnet: 12
  settled: finalized
  both: {blocks: 12, tag: safe}
chains:
  - name: ethereum
    id: 1
    rpc:
      - https://eth.example.com/v2/secret-key
      - {name: backup, url: "https://backup.example.com", headers: {Authorization: Bearer secret-key}, max_range: 1_000, timeout: 10s}
    confirmations: ethereum_mainnet
    start_block: 19_000_000
    poll_interval: 4s
    reorg: {interval: 15s, max_depth: 256}
  - name: base
    id: 8453
    rpc: [https://base.example.com]
    confirmations: 30
sources:
  - name: alchemy-main
    provider: alchemy
    secret: a-signing-key
    chain: ethereum
subscriptions:
  - name: usdc
    chains: [ethereum]
    address: ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"]
    event: Transfer(address indexed from, address indexed to, uint256 value)
    confirmations: settled
handlers:
  - name: app
    url: https://fn.example.com/on-event
    secret: whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=
    subscriptions: [usdc]
    order_by: arg:to
`;

/**
 * [what, the good text's piece, what stands there instead (« marks where the error is), what is
 * said]
 */
export const table = [
  ['an unknown key', 'instance: main', '«instanse: main', /instance/],
  [
    'an unknown key, deeper, with the nearest valid one',
    '    poll_interval: 4s',
    '    «poll_intervall: 4s',
    /poll_interval\b/,
  ],
  [
    'an unknown key in a flow map',
    '{interval: 15s, max_depth: 256}',
    '{interval: 15s, «max_dept: 256}',
    /max_depth/,
  ],
  ['a text for a number', '    id: 1\n', '    id: «one\n', /number|integer/i],
  ['a list for a text', '    provider: alchemy', '    provider: «[alchemy]', /text|string|scalar/i],
  ['a text for a map', 'reorg: {interval: 15s, max_depth: 256}', 'reorg: «deep', /map/i],
  ['an id of 0', '    id: 1\n', '    id: «0\n', /./],
  ['a number below zero', 'max_depth: 256', 'max_depth: «-1', /./],
  [
    'a port beyond all ports',
    'listen: 127.0.0.1:0\n  max_body',
    'listen: «127.0.0.1:70000\n  max_body',
    /port|65535/i,
  ],
  ['a duration in no unit', 'poll_interval: 4s', 'poll_interval: «4 parsecs', /ms|duration/i],
  ['a duration without a unit', 'poll_interval: 4s', 'poll_interval: «4', /ms|duration|unit/i],
  ['a size that is none', 'max_body: 1MiB', 'max_body: «big', /MiB|size/i],
  ['a word that is none of the choices', 'durability: normal', 'durability: «sometimes', /full/],
  ['two chains of one name', '  - name: base', '  - name: «ethereum', /ethereum/],
  ['two chains of one id', '    id: 8453', '    id: «1', /\b1\b/],
  [
    'two endpoints of one name',
    '      - https://eth.example.com/v2/secret-key',
    '      - {name: backup, url: "https://eth.example.com/v2/secret-key"}',
    /backup/,
    { line: 21 },
  ],
  ['a subscription on no chain', 'chains: [ethereum]', 'chains: [«etherium]', /ethereum/],
  ['a source of no chain', '    chain: ethereum', '    chain: «etherium', /ethereum/],
  ['a handler of no subscription', 'subscriptions: [usdc]', 'subscriptions: [«usdt]', /usdc/],
  ['a policy that is not there', 'confirmations: settled', 'confirmations: «setled', /settled/],
  ['a policy called safe', '  settled: finalized\n', '  «safe: 3\n', /safe/],
  ['no such provider', 'provider: alchemy', 'provider: «alchemist', /alchemy/],
  [
    'a wrong checksum',
    '"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"',
    '«"0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"',
    /checksum/i,
  ],
  ['an address cut short', '"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"', '«"0xA0b8"', /address/i],
  [
    'an event signature that does not end',
    'event: Transfer(address indexed from, address indexed to, uint256 value)',
    'event: «"Transfer(address indexed from"',
    /./,
  ],
  ['a type that is none', 'uint256 value)', 'uint257 value)', /uint257/, { line: 39 }],
  ['order_by nothing known', 'order_by: arg:to', 'order_by: «arrival', /chain|contract/],
  [
    'a variable that is not set',
    'secret: a-signing-key',
    'secret: «${TIDEMARK_NOT_SET_ANYWHERE}',
    /TIDEMARK_NOT_SET_ANYWHERE/,
  ],
  [
    'a secret file that is not there',
    'secret: a-signing-key',
    'secret: «{file: no-such-file}',
    /no-such-file/,
  ],
  [
    "a handler's secret that is none",
    'secret: whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
    'secret: «whsec_!!!',
    /whsec_|base64|Standard Webhooks/,
  ],
  [
    'http where only https may be',
    'url: https://fn.example.com/on-event',
    'url: «http://fn.example.com/on-event',
    /allow_private|https/,
  ],
  ['a URL that is none', 'url: https://fn.example.com/on-event', 'url: «"fn.example.com"', /http/i],
  [
    'an admin address for everybody without a token',
    'admin:\n  listen: 127.0.0.1:0',
    'admin:\n  listen: «0.0.0.0:8481',
    /token/i,
  ],
  [
    'a key twice',
    'instance: main\n',
    'instance: main\n«instance: other\n',
    /instance|twice|duplicate/i,
  ],
  [
    'a signature without a mac for raw',
    'provider: alchemy',
    'provider: raw',
    /signature/,
    { line: 31 },
  ],
  [
    'confirmations left out',
    '    confirmations: ethereum_mainnet\n',
    '',
    /confirmations/,
    { line: 17 },
  ],
  ['an rpc list that is empty', 'rpc: [https://base.example.com]', 'rpc: «[]', /rpc|endpoint/i],
  [
    'a quorum of more endpoints than there are',
    '    id: 8453',
    '    id: 8453\n    quorum: «2',
    /quorum|endpoint/i,
  ],
  [
    'a tab for indentation',
    '  path: tidemark.db',
    '«\tpath: tidemark.db',
    /./,
    { anyColumn: true },
  ],
  [
    'a bracket that does not close',
    'chains: [ethereum]',
    'chains: [ethereum',
    /./,
    { anyLine: true },
  ],
];
