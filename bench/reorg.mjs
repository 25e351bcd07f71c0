// SPDX-License-Identifier: MIT
// A deep reorg, at and below the mark: from the moment at which the node is on another branch to the last `rolled_back` in the outbox,
// and to the last event of the new branch confirmed. Webhooks come meanwhile: the reorg is one transaction, and they wait for it.

import { at, bench, median, now, program, since, sleep } from './lib/bench.mjs';

const secret = `whsec_${Buffer.from('a benchmark signs with this word').toString('base64')}`;

const config = (node, handler, poll) => `
chains:
  - {name: bench, id: 1, rpc: ["${node.url()}"], confirmations: 1, start_block: 0, poll_interval: ${poll}ms, reconcile: {interval: 1s}, reorg: {interval: 1s}}
sources:
  - {name: bench, provider: alchemy, secret: bench-secret, chain: bench}
subscriptions:
  - {name: transfers, chains: [bench], preset: erc20-transfer}
handlers:
  - {name: app, url: "http://127.0.0.1:${handler.said}/", secret: ${secret}, allow_private: true, start: all, send: [confirmed, rolled_back],
     order_by: "arg:to", concurrency: 64}
`;

async function until(what, check, limit = 600) {
  const begun = now();
  for (;;) {
    const found = await check();
    if (found) return since(begun);
    if (since(begun) > limit) throw new Error(`not after ${limit} s: ${what}`);
    await sleep(5);
  }
}

await bench('reorg', { depth: 64, events: 50_000, rounds: 3, poll: 250, rate: 500 }, async (run, options) => {
  const each = Math.ceil(options.events / options.depth);
  const took = [];
  for (let round = 0; round < options.rounds; round++) {
    const handler = await run.start(program('handler'), []);
    const node = await run.node({ blocks: options.depth + 1, logs: each, keys: 1_000, 'logs-a-tx': 3 });
    const daemon = await run.daemon(config(node, handler, options.poll), { name: `reorg${round}` });
    const head = options.depth + 1;
    await daemon.marked('bench', head - 1);
    const counts = async () => (await fetch(`http://127.0.0.1:${handler.said}/counts`)).json();
    await until('every event was delivered', async () => (await counts()).taken >= each * (head - 1));
    const load = run.load_on(daemon.ingest, { rate: options.rate, seconds: 8, connections: 16 });
    await sleep(1000);
    const watch = daemon.watch(), begun = now();
    await node.call('bench_reorg', [options.depth]);
    await until('the reorg is in the store', async () => (await daemon.get('/v1/reorgs')).items.length > 0);
    const undone = since(begun), reorg = (await daemon.get('/v1/reorgs')).items[0];
    await daemon.marked('bench', head);
    const again = since(begun);
    await until('everything was delivered', async () => (await counts()).taken >= each * (head - 1) + reorg.rolled_back + each * options.depth);
    took.push({ undone, again, delivered: since(begun), rolled_back: reorg.rolled_back, depth: reorg.depth, ...(await load), ...watch.end() });
    await daemon.stop();
    await run.end(node.child);
    await run.end(handler.child);
  }
  const of = (name) => median(took.map((t) => t[name]));
  run.row(`depth ${of('depth')}, ${of('rolled_back')} confirmed events`, {
    to_the_last_outbox_row_s: of('undone'), new_branch_confirmed_s: of('again'), all_delivered_s: of('delivered'),
    longest_stall_of_webhooks_ms: of('longest_stall_ms'), webhook_p50_ms: of('p50_ms'), rss_most_mib: of('rss_most_mib'), wal_most_mib: of('wal_most_mib'),
  });
  run.rows.at(-1).rounds = took;
  // At or below the mark a branch counts only when it still stands a poll later (contract §6): that wait is in the time.
  const limit = 1 + (2 * options.poll) / 1000;
  run.check('to the last outbox row, s', of('undone'), `≤ ${limit}: 1 s and two polls`, of('undone') <= limit);
  run.check('the slowest round, s', at(1, took.map((t) => t.undone)), 'reported', true);
});
