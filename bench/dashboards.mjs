// SPDX-License-Identifier: MIT
// Whether open dashboards slow the daemon down: durable webhooks a second without and with ten of them, in turns, so that what else
// the machine does weighs on both alike. A dashboard here asks what the page asks, as often (web/src/live.ts, tide.tsx, metrics.ts).

import { bench, median } from './lib/bench.mjs';

const config = `
chains:
  - {name: ethereum, id: 1, rpc: ["http://127.0.0.1:9"], confirmations: 12}   # nobody answers there: hints are stored and wait
sources:
  - {name: bench, provider: alchemy, secret: bench-secret, chain: ethereum}
subscriptions:
  - {name: transfers, chains: [ethereum], preset: erc20-transfer}
`;

/** Opens one; the function that closes it. */
function open(base, answered) {
  const stop = new AbortController();
  const ask = async (path) => {
    try {
      await (await fetch(base + path, { signal: stop.signal })).arrayBuffer();
      answered.count += 1;
    } catch {
      /* closed */
    }
  };
  const every = (ms, path) => {
    void ask(path);
    return setInterval(() => ask(path), ms);
  };
  const timers = [
    every(500, '/v1/status'),
    every(1000, '/v1/chains/ethereum/blocks?from_block=0&to_block=60'),
    every(5000, '/metrics'),
    every(15_000, '/v1/events?chain=ethereum&from_block=0&limit=500'),
  ];
  void ask('/v1/feed/stream');
  return () => {
    timers.forEach(clearInterval);
    stop.abort();
  };
}

await bench('dashboards', { dashboards: 10, rounds: 5, seconds: 4, connections: 64 }, async (run, options) => {
  const daemon = await run.daemon(config);
  const load = (first) => run.load_on(daemon.ingest, { connections: options.connections, seconds: options.seconds, first });
  const without = [], beside = [], answered = { count: 0 };
  let first = (await load(0)).next; // warm
  for (let i = 0; i < options.rounds; i++) {
    const alone = await load(first);
    const close = Array.from({ length: options.dashboards }, () => open(`http://127.0.0.1:${daemon.admin}`, answered));
    const watched = await load(alone.next);
    close.forEach((end) => end());
    first = watched.next;
    without.push(alone);
    beside.push(watched);
  }
  const of = (all, name) => median(all.map((r) => r[name]));
  for (const [name, all] of [['no dashboard', without], [`${options.dashboards} dashboards`, beside]])
    run.row(name, { per_second: of(all, 'per_second'), p50_ms: of(all, 'p50_ms'), p99_ms: of(all, 'p99_ms') });
  run.say(`the dashboards got ${answered.count} answers`);
  const ratio = of(beside, 'per_second') / of(without, 'per_second');
  run.check(`with ${options.dashboards} dashboards, of without`, ratio, '≥ 0.95', ratio >= 0.95);
});
