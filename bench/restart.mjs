// SPDX-License-Identifier: MIT
// How soon a daemon with a large store is ready again: after a clean stop, and after kill -9 with messages due.

import { at, bench, now, program, since, sleep } from './lib/bench.mjs';

const secret = `whsec_${Buffer.from('a benchmark signs with this word').toString('base64')}`;
const logs = 50; // a block

const config = (node, handler, from) => `
chains:
  - {name: bench, id: 1, rpc: ["${node.url()}"], confirmations: 1, start_block: 0}
subscriptions:
  - {name: transfers, chains: [bench], preset: erc20-transfer}
handlers:
  - {name: app, url: "http://127.0.0.1:${handler.said}/", secret: ${secret}, allow_private: true, start: {bench: ${from}}, send: [confirmed, rolled_back],
     order_by: "arg:to", concurrency: 8}
`;

await bench('restart', { events: 500_000, due: 50_000, keys: 100_000, rounds: 5 }, async (run, options) => {
  const blocks = Math.ceil(options.events / logs), from = blocks - Math.ceil(options.due / logs) + 1;
  const handler = await run.start(program('handler'), []);
  const node = await run.node({ blocks: blocks + 1, logs, keys: options.keys, contracts: 100 });
  const daemon = await run.daemon(config(node, handler, from));
  await daemon.post('/v1/handlers/app/pause');
  run.say(`${options.events} events after ${(await daemon.marked('bench', blocks)).toFixed(0)} s of backfill`);
  const due = (await daemon.handler('app')).due;
  const counts = async () => (await fetch(`http://127.0.0.1:${handler.said}/counts`)).json();

  const clean = [], killed = [], first = [];
  for (let i = 0; i < options.rounds; i++) {
    await daemon.stop();
    clean.push(await daemon.start());
  }
  for (let i = 0; i < options.rounds; i++) {
    await daemon.post('/v1/handlers/app/resume');
    await daemon.stop('SIGKILL');
    const before = (await counts()).taken, begun = now();
    killed.push(await daemon.start());
    while ((await counts()).taken === before) {
      if (since(begun) > 60) throw new Error('no message came in the minute after the start');
      await sleep(2);
    }
    first.push(since(begun));
    await daemon.post('/v1/handlers/app/pause');
  }
  const show = (name, times) => run.row(name, { median_s: at(0.5, times), slowest_s: at(1, times) });
  show('ready after a clean stop', clean);
  show('ready after kill -9', killed);
  show('first message after kill -9', first);
  run.row('store and process', { events: options.events, due, store_mib: daemon.bytes().store / 1048576, rss_mib: daemon.memory().rss });
  run.check('messages were due', due, `≥ ${options.due * 0.9}`, due >= options.due * 0.9);
  run.check('ready, the slowest, s', at(1, [...clean, ...killed]), '≤ 1', at(1, [...clean, ...killed]) <= 1);
});
