// SPDX-License-Identifier: MIT
// How long a page of /v1/events takes, by every filter and by pairs that a person would use, while webhooks come in: the first page,
// and pages further down.

import { Agent, request } from 'node:http';
import { at, bench, now, program, since, sleep } from './lib/bench.mjs';

const secret = `whsec_${Buffer.from('a benchmark signs with this word').toString('base64')}`;
const logs = 50; // a block

const config = (node, handler, rare, from, quiet) => `
chains:
  - {name: bench, id: 1, rpc: ["${node.url()}"], confirmations: 1, start_block: 0, poll_interval: 1s}
  - {name: quiet, id: 2, rpc: ["${node.url(2)}"], confirmations: 1, start_block: ${quiet}}   # some events, found before the other's
sources:
  - {name: bench, provider: alchemy, secret: bench-secret, chain: bench}
subscriptions:
  - {name: transfers, chains: [bench, quiet], preset: erc20-transfer}
  - {name: rare, chains: [bench], preset: erc20-transfer, address: "${rare}"}
handlers:
  - {name: app, url: "http://127.0.0.1:${handler.said}/", secret: ${secret}, allow_private: true, start: {bench: ${from}, quiet: 0}, order_by: "arg:to", concurrency: 64}
  - {name: waiting, url: "http://127.0.0.1:${handler.said}/", secret: ${secret}, allow_private: true, start: {bench: ${from}, quiet: 0}, order_by: "arg:to"}
`;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
/** Milliseconds, and the answer. */
function get(port, path) {
  const begun = now();
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, agent }, (answer) => {
      let text = '';
      answer.on('data', (data) => (text += data));
      answer.on('end', () => {
        const ms = since(begun) * 1000;
        answer.statusCode === 200 ? resolve({ ms, page: JSON.parse(text) }) : reject(new Error(`${path}: ${answer.statusCode} ${text.slice(0, 300)}`));
      });
    }).on('error', reject).end();
  });
}

await bench('query', { events: 500_000, requests: 100, rate: 1000, limit: 100 }, async (run, options) => {
  const blocks = Math.ceil(options.events / logs), from = blocks - Math.ceil(blocks / 10) + 1;
  const handler = await run.start(program('handler'), []);
  const node = await run.node({ chains: 2, blocks: blocks + 1, logs, keys: 10_000, contracts: 1_000 });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [{ fromBlock: '0x64', toBlock: '0x64' }] });
  const [sample] = (await (await fetch(node.url(), { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json()).result;

  const daemon = await run.daemon(config(node, handler, sample.address, from, blocks - 1));
  await daemon.post('/v1/handlers/waiting/pause');
  run.say(`${options.events} events after ${(await daemon.marked('bench', blocks)).toFixed(0)} s of backfill`);
  await node.call('bench_reorg', [5]);
  while ((await daemon.get('/v1/reorgs')).items.length === 0) await sleep(50);
  for (let due = 1; due > 0; await sleep(100)) due = (await daemon.handler('app')).due;

  const middle = Math.floor(blocks / 2);
  const filters = {
    'no filter': '', chain: 'chain=bench', 'a quiet chain': 'chain=quiet', 'status=confirmed': 'status=confirmed', 'status=pending': 'status=pending', 'status=rolled_back': 'status=rolled_back',
    'subscription, all': 'subscription=transfers', 'subscription, 1 of 1,000': 'subscription=rare', address: `address=${sample.address}`,
    tx: `tx=${sample.transactionHash}`, 'one block': `chain=bench&from_block=${middle}&to_block=${middle}`,
    'from a block': `chain=bench&from_block=${middle}`, 'to a block': `chain=bench&to_block=${middle}`,
    'first_seen=reconcile': 'first_seen=reconcile', 'first_seen=head': 'first_seen=head', 'first_seen=webhook:bench, none': 'first_seen=webhook:bench',
    'delivered': 'handler=app&delivery=delivered', 'queued': 'handler=waiting&delivery=queued', 'parked, none': 'handler=app&delivery=parked',
    'address and status': `address=${sample.address}&status=confirmed`, 'subscription and blocks': `subscription=transfers&chain=bench&from_block=${middle}`,
    'address and rolled_back': `address=${sample.address}&status=rolled_back`, 'delivered and address': `handler=app&delivery=delivered&address=${sample.address}`,
  };
  const seconds = 3600, load = options.rate > 0 ? run.load_on(daemon.ingest, { rate: options.rate, seconds, connections: 16 }).catch(() => {}) : null;
  await sleep(1000);
  for (const [name, filter] of Object.entries(filters)) {
    const first = [], further = [];
    let items = 0, next = null;
    for (let i = 0; i < options.requests; i++) {
      const head = await get(daemon.admin, `/v1/events?limit=${options.limit}&${filter}`);
      first.push(head.ms);
      items = head.page.items.length;
      next ??= head.page.next;
      if (next === null) continue;
      const page = await get(daemon.admin, `/v1/events?limit=${options.limit}&${filter}&after=${encodeURIComponent(next)}`);
      further.push(page.ms);
      next = page.page.next;
    }
    const all = [...first, ...further];
    run.row(name, { items, first_p50_ms: at(0.5, first), first_p99_ms: at(0.99, first), further_p50_ms: at(0.5, further), further_p99_ms: at(0.99, further) });
    run.check(`p99 of ${name}, ms`, at(0.99, all), '≤ 20', at(0.99, all) <= 20);
  }
  run.children.filter((c) => c.spawnfile.endsWith('bench_load')).forEach((c) => c.kill('SIGTERM'));
  await load;
});
