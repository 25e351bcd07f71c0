// SPDX-License-Identifier: MIT
// Webhooks as providers send them: the payloads of Alchemy's address activity, of a Standard
// Webhooks sender and of a raw relay, each with its signature.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { request } from './http.mjs';

export const keys = {
  alchemy: 'whsec_alchemy_key_used_as_text',
  standard: `whsec_${Buffer.from('a standard webhooks secret: 32 b').toString('base64')}`,
  raw: 'relay-secret',
};

let counter = 0;

/** Alchemy's ADDRESS_ACTIVITY: one entry a transfer. */
export function alchemyBody(transfers, { network = 'ETH_MAINNET' } = {}) {
  return JSON.stringify({
    webhookId: 'wh_tidemark',
    id: `whevt_${process.pid}_${++counter}`,
    createdAt: new Date().toISOString(),
    type: 'ADDRESS_ACTIVITY',
    event: {
      network,
      activity: transfers.map((t) => ({
        blockNum: `0x${t.block.toString(16)}`,
        hash: t.tx,
        fromAddress: t.from,
        toAddress: t.to,
        value: Number(t.value),
        erc721TokenId: null,
        erc1155Metadata: null,
        asset: 'TKN',
        category: 'token',
        rawContract: { rawValue: t.data, address: t.address, decimals: 0 },
        typeTraceAddress: null,
        log: { ...t.log, removed: false },
      })),
    },
  });
}

/** Signs as the provider does; headers for these very bytes. */
export const sign = {
  alchemy: (body, key = keys.alchemy) => ({
    'x-alchemy-signature': createHmac('sha256', key).update(body).digest('hex'),
  }),
  standard: (body, key = keys.standard, { id = `msg_${++counter}`, at = new Date() } = {}) => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': new Webhook(key).sign(id, at, body.toString()),
  }),
  raw: (body, key = keys.raw) => ({
    'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
  }),
};

/** POSTs to /hooks/{source}. */
export function post(ingest, source, body, headers = {}) {
  return request(`http://${ingest}/hooks/${source}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

/** A signed webhook of Alchemy's about these transfers. */
export function alchemy(daemon, transfers, options) {
  const body = alchemyBody(transfers, options);
  return post(daemon.ingest, 'alchemy', body, sign.alchemy(body));
}
