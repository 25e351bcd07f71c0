// SPDX-License-Identifier: MIT
// Durable webhooks a second: the daemon with SQLite on disk and durability full, on a store that already holds some, beside a bare
// Beast server that does the same HTTP, in the same run and by the same load. --peers: also beside two servers as a team would write
// them, which verify the same signature and store the same body durably before they answer.

import { mib, bench, program, sleep } from './lib/bench.mjs';
import { peers } from './lib/peers.mjs';

const providers = { alchemy: 'alchemy', moralis: 'moralis', quicknode: 'quicknode' };

const config = (provider, node) => `
chains:
  - {name: ethereum, id: 1, rpc: ["http://127.0.0.1:9"], confirmations: 12}   # nobody answers there: hints are stored and wait
${node ? `  - {name: past, id: 2, rpc: ["${node.url(2)}"], confirmations: 1, start_block: 0}` : ''}
sources:
  - {name: bench, provider: ${provider}, secret: bench-secret, chain: ethereum}
subscriptions:
  - {name: transfers, chains: [ethereum${node ? ', past' : ''}], preset: erc20-transfer}
`;

const shown = (r) => ({
  per_second: r.per_second, p50_ms: r.p50_ms, p99_ms: r.p99_ms, p999_ms: r.p999_ms, max_ms: r.max_ms, longest_stall_ms: r.longest_stall_ms,
  first_tenth: r.first_tenth, last_tenth: r.last_tenth, refused: r.refused,
});

await bench('ingest', {
  prefill: 1_000_000, seconds: 60, ceiling: 10, connections: 64, body: 'alchemy', size: 1 << 20, duplicates: 0, rate: 0, backfill: false, peers: false,
}, async (run, options) => {
  const provider = providers[options.body];
  if (!provider) throw new Error(`--body ${options.body}: there are ${Object.keys(providers).join(', ')}`);
  const ceiling = await run.start(program('ceiling'), []);
  const node = options.backfill ? await run.node({ chains: 2, blocks: 400_000, logs: 50, keys: 100_000 }) : null;
  const daemon = await run.daemon(config(provider, node), { max_body: '8MiB' });
  const load = { connections: options.connections, body: options.body, size: options.size };
  const bare = (seconds = options.ceiling) => run.load_on(ceiling.said, { ...load, seconds });

  const before = await bare();
  run.row('bare server, before', shown(before));
  let first = 0;
  if (options.prefill > 0) {
    const filled = await run.load_on(daemon.ingest, { ...load, seconds: 3600, requests: options.prefill });
    first = filled.next;
    run.row(`filling the store with ${options.prefill}`, shown(filled));
  }
  const watch = daemon.watch(), begun = daemon.bytes().store, started_at = first;
  const measured = { ...load, seconds: options.seconds / 2, ...(options.rate ? { rate: options.rate } : {}) };
  const half = await run.load_on(daemon.ingest, { ...measured, first });
  const between = await bare();
  const rest = await run.load_on(daemon.ingest, { ...measured, first: half.next });
  run.row('tidemark, first half', shown(half));
  run.row('bare server, between', shown(between));
  run.row('tidemark, second half', shown(rest));
  let next = rest.next;
  if (options.duplicates > 0) {
    const doubled = await run.load_on(daemon.ingest, { ...measured, first: next, duplicates: options.duplicates });
    next = doubled.next;
    run.row(`tidemark, ${options.duplicates} % came before`, shown(doubled));
    const gain = doubled.per_second / ((half.per_second + rest.per_second) / 2);
    run.check(`with ${options.duplicates} % duplicates, of without`, gain, '≥ 1.2 at 50 %', gain >= 1.2);
  }
  const seen = watch.end();
  const after = await bare();
  run.row('bare server, after', shown(after));

  const mean = (...xs) => xs.reduce((a, b) => a + b, 0) / xs.length;
  const rate = mean(half.per_second, rest.per_second);
  const p99 = Math.max(half.p99_ms, rest.p99_ms), limit = options.backfill ? 25 : 12;
  if (options.rate) {
    run.check(`p99 from the moment each was due, at ${options.rate} a second, ms`, p99, `≤ ${limit}`, p99 <= limit);
  } else {
    const ratio = rate / mean(before.per_second, between.per_second, after.per_second);
    const small = options.body === 'alchemy'; // what the others must reach nobody has said
    run.check('of the bare server', ratio, small ? '≥ 0.45' : 'reported', !small || ratio >= 0.45);
    run.check('p99, ms', p99, small ? `≤ ${limit}` : 'reported', !small || p99 <= limit);
  }
  run.check('refused', half.refused + rest.refused, 'none', half.refused + rest.refused === 0);
  if (node) {
    const chain = await daemon.get('/v1/chains/past');
    run.check('blocks that the backfill passed meanwhile', chain.mark?.number ?? 0, 'more than none', (chain.mark?.number ?? 0) > 0);
  }
  const stored = next - started_at;
  run.row('store and process', {
    bytes_a_webhook: node ? null : (daemon.bytes().store - begun) / stored, // with a backfill its events are in there too
    wal_mib: mib(daemon.bytes().wal), ...seen, peak_mib: daemon.memory().peak,
  });
  await daemon.stop();

  if (options.peers) {
    for (const peer of peers) {
      await peer.install(run);
      const { port, stop } = await peer.start(run);
      if (options.prefill > 0) await run.load_on(port, { ...load, path: '/', seconds: options.ceiling, requests: Math.ceil(options.prefill / 20) });
      const said = await run.load_on(port, { ...load, path: '/', seconds: options.ceiling, first: 1e9 });
      await stop();
      run.row(peer.name, shown(said));
      run.check(`of ${peer.name}`, rate / said.per_second, `≥ ${peer.target}`, rate / said.per_second >= peer.target);
      await sleep(500);
    }
  }
});
