// SPDX-License-Identifier: MIT
// Webhooks of a raw relay, for tests of the way in: each body is a new one, about a log that is
// nowhere.
import { sign } from './hooks.mjs';

export const log = {
  address: `0x${'11'.repeat(20)}`,
  topics: [`0x${'22'.repeat(32)}`],
  data: '0x',
  blockNumber: '0x7fffff',
  transactionHash: `0x${'33'.repeat(32)}`,
  transactionIndex: '0x0',
  blockHash: `0x${'44'.repeat(32)}`,
  logIndex: '0x0',
  removed: false,
};
let nonce = 0;
export const nextNonce = () => ++nonce;
export const fresh = () =>
  JSON.stringify([{ ...log, data: `0x${nextNonce().toString(16).padStart(64, '0')}` }]);
export const portOf = (daemon) => Number(daemon.ingest.split(':').at(-1));
export const stored = (daemon) => daemon.all('/v1/webhooks');
export const head = (body, extra = '', first = 'POST /hooks/relay HTTP/1.1') => {
  const signature = sign.raw(body)['x-hub-signature-256'];
  return `${first}\r\nHost: localhost\r\nX-Hub-Signature-256: ${signature}\r\nContent-Type: application/json\r\n${extra}\r\n`;
};
