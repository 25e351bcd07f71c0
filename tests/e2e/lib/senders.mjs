// SPDX-License-Identifier: MIT
// Every provider as it sends: a source, a payload about one transfer, and its signature.
import { createHash, createHmac, generateKeyPairSync, sign as signWith } from 'node:crypto';
import { sign } from './hooks.mjs';

const circleKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const secret = 'a-secret-of-nobody';
const hmac = (algorithm, encoding, ...parts) => {
  const mac = createHmac(algorithm, secret);
  for (const part of parts) mac.update(part);
  return mac.digest(encoding);
};
const seconds = () => String(Math.floor(Date.now() / 1000));
const hex = (n) => `0x${n.toString(16)}`;
const named = (network) => ({ networks: { [network]: 'local' } });

/** As eth_getLogs gives it. */
const logOf = (t) => ({ ...t.log, removed: false });
const snake = (t) => ({
  block_number: t.block,
  block_hash: t.blockHash,
  transaction_hash: t.tx,
  log_index: t.logIndex,
});

/** name → { source: what the config says besides the secret, body(t), headers(body, node) } */
export const senders = {
  alchemy: {
    source: named('ETH_MAINNET'),
    body: (t) => ({
      event: {
        network: 'ETH_MAINNET',
        activity: [{ blockNum: hex(t.block), hash: t.tx, value: 1e26, log: logOf(t) }],
      },
    }),
    headers: (body) => ({ 'x-alchemy-signature': hmac('sha256', 'hex', body) }),
  },
  quicknode: {
    source: named('ethereum-mainnet'),
    body: (t) => ({
      data: [[[logOf(t)]]],
      metadata: { network: 'ethereum-mainnet', reorgs: null, blocks_reorged: null },
    }),
    gzip: true,
    headers: (body) => {
      const [nonce, at] = ['33fb71e5ab0d33f36fe8bdfc8bf816fd', seconds()];
      return {
        'x-qn-nonce': nonce,
        'x-qn-timestamp': at,
        'x-qn-signature': hmac('sha256', 'hex', nonce, at, body),
      };
    },
  },
  quickalerts: {
    source: { chain: 'local' },
    body: (t) => [{ transactionHash: t.tx, blockNumber: hex(t.block), logs: [logOf(t)] }],
    headers: (body) => {
      const content = createHash('sha256').update(body).digest('hex');
      const at = '2026-01-01 00:00:00.5 +0000 UTC';
      return {
        'x-qn-nonce': 'n',
        'x-qn-content-hash': content,
        'x-qn-timestamp': at,
        'x-qn-signature': hmac('sha256', 'base64', 'n', content, at),
      };
    },
  },
  moralis: {
    source: {},
    body: (t) => ({
      confirmed: false,
      chainId: hex(31337),
      block: { number: String(t.block), hash: t.blockHash },
      logs: [{ logIndex: String(t.logIndex), transactionHash: t.tx }],
      txs: [],
      erc20Transfers: [{ tokenName: 'Fäke 偽', logIndex: String(t.logIndex) }],
    }),
    headers: async (body, node) => ({
      'x-signature': await node.rpc(
        'web3_sha3',
        `0x${Buffer.from(body + secret).toString('hex')}`,
      ),
    }),
  },
  tenderly: {
    source: {},
    body: (t) => ({
      event_type: 'ALERT',
      transaction: { network: '31337', block_number: t.block, hash: t.tx, logs: [{ data: '' }] },
    }),
    headers: (body) => {
      const now = new Date().toISOString();
      const date = `${now.slice(0, 10)} ${now.slice(11, 23)}157 +0000 UTC m=+35.19`;
      return { date, 'x-tenderly-signature': hmac('sha256', 'hex', body, date) };
    },
  },
  goldsky: {
    source: { chain: 'local' },
    body: (t) => ({
      op: 'INSERT',
      data: { old: null, new: { id: `${t.tx}-${t.logIndex}`, block_number: String(t.block) } },
    }),
    headers: () => ({ 'goldsky-webhook-secret': secret }),
  },
  cdp: {
    source: named('base-mainnet'),
    body: (t) => ({ network: 'base-mainnet', ...snake(t), block_hash: undefined }),
    headers: (body) => {
      const at = seconds();
      const mac = hmac('sha256', 'hex', `${at}.content-type.application/json.`, body);
      return { 'x-hook0-signature': `t=${at},v0=00,h=content-type,v1=${mac}` };
    },
  },
  'thirdweb-insight': {
    source: {},
    body: (t) => ({
      timestamp: Number(seconds()),
      data: [{ data: { chain_id: '31337', ...snake(t) }, status: 'new', type: 'event' }],
    }),
    headers: (body) => ({ 'x-webhook-signature': hmac('sha256', 'hex', body) }),
  },
  'thirdweb-engine': {
    source: {},
    body: (t) => ({
      type: 'event-log',
      data: { chainId: 31337, blockNumber: t.block, transactionHash: t.tx, logIndex: t.logIndex },
    }),
    headers: (body) => {
      const at = seconds();
      return {
        'x-engine-timestamp': at,
        'x-engine-signature': hmac('sha256', 'hex', at, '.', body),
        authorization: `Bearer ${secret}`,
      };
    },
  },
  tatum: {
    source: named('ethereum-mainnet'),
    body: (t) => ({ chain: 'ethereum-mainnet', txId: t.tx, blockNumber: t.block, amount: '-0.1' }),
    headers: (body) => ({ 'x-payload-hash': hmac('sha512', 'base64', body) }),
  },
  nodit: {
    source: named('ETHEREUM/MAINNET'),
    body: (t) => ({
      sequenceNumber: '9007199254740993',
      protocol: 'ETHEREUM',
      network: 'MAINNET',
      event: { messages: [{ ...snake(t), removed: false }] },
    }),
    headers: (body) => ({ 'x-signature': hmac('sha256', 'hex', body) }),
  },
  ozmonitor: {
    source: named('my_devnet'),
    body: (t) => ({
      EVM: {
        network_slug: 'my_devnet',
        transaction: { hash: t.tx, blockHash: t.blockHash, blockNumber: hex(t.block) },
        logs: [{ logIndex: null, transactionHash: null, removed: null }],
      },
    }),
    headers: (body) => {
      const at = String(Date.now());
      return { 'x-timestamp': at, 'x-signature': hmac('sha256', 'hex', body, at) };
    },
  },
  rindexer: {
    source: {},
    body: (t) => ({
      event_name: 'Transfer',
      network: 'anvil',
      event_data: [
        {
          transaction_information: { chain_id: 31337, ...snake(t), log_index: hex(t.logIndex) },
        },
      ],
    }),
    headers: () => ({ 'x-rindexer-shared-secret': secret }),
  },
  circle: {
    source: {
      ...named('MATIC-AMOY'),
      secret: circleKeys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    },
    body: (t) => ({
      notification: { blockchain: 'MATIC-AMOY', txHash: t.tx, blockHeight: t.block },
    }),
    headers: (body) => ({
      'x-circle-key-id': 'k',
      'x-circle-signature': signWith('sha256', Buffer.from(body), circleKeys.privateKey).toString(
        'base64',
      ),
    }),
  },
  sim: {
    source: { secret: undefined },
    body: (t) => ({ balance_changes: [{ transaction_hash: t.tx }] }),
    headers: () => ({ 'dune-webhook-chain-id': '31337' }),
  },
  'standard-webhooks': {
    source: { chain: 'local', secret: `whsec_${Buffer.from(secret).toString('base64')}` },
    body: (t) => logOf(t),
    headers: (body) => sign.standard(body, `whsec_${Buffer.from(secret).toString('base64')}`),
  },
  raw: {
    source: {
      chain: 'local',
      signature: { header: 'X-Sig', mac: 'hmac-sha512', encoding: 'base64' },
    },
    body: (t) => [t.tx],
    headers: (body) => ({ 'x-sig': hmac('sha512', 'base64', body) }),
  },
};

export const senderSecret = secret;
/** The sources of a config, one a provider, named like it. */
export const sources = () =>
  Object.entries(senders).map(([name, { source }]) =>
    Object.fromEntries(
      Object.entries({ name, provider: name, secret, ...source }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
  );
