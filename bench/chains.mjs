// SPDX-License-Identifier: MIT
// What a chain costs: processor and memory of a daemon that follows 1, 10, 100 and 500 of them, first with nothing new on any, then
// with a block a second on each.

import { bench, sleep } from './lib/bench.mjs';

const config = (node, count, poll) => `
chains:
${Array.from({ length: count }, (_, i) => `  - {name: chain${i + 1}, id: ${i + 1}, rpc: ["${node.url(i + 1)}"], confirmations: 2, start_block: 0, poll_interval: ${poll}ms}`).join('\n')}
subscriptions:
  - {name: transfers, chains: [${Array.from({ length: count }, (_, i) => `chain${i + 1}`).join(', ')}], preset: erc20-transfer}
`;

await bench('chains', { counts: '1,10,100,500', seconds: 20, poll: 4000, blocks: 20, logs: 2 }, async (run, options) => {
  const seen = [];
  for (const count of options.counts.split(',').map(Number)) {
    const node = await run.node({ chains: count, blocks: options.blocks, logs: options.logs, keys: 100 });
    const daemon = await run.daemon(config(node, count, options.poll), { name: `chains${count}` });
    const behind = async () => (await daemon.get('/v1/status')).chains.filter((c) => c.lag_blocks !== 0 || c.state !== 'following').length;
    const begun = Date.now();
    while ((await behind()) > 0) {
      if (Date.now() - begun > 120_000) throw new Error(`of ${count} chains ${await behind()} are behind after two minutes`);
      await sleep(100);
    }
    const ready = (Date.now() - begun) / 1000;
    await sleep(options.poll);
    const idle = daemon.watch();
    await sleep(options.seconds * 1000);
    const still = idle.end();
    await node.call('bench_every', [1000]);
    await sleep(options.poll);
    const busy = daemon.watch();
    await sleep(options.seconds * 1000);
    const moving = busy.end();
    const status = await daemon.get('/v1/status');
    const lag = Math.max(...status.chains.map((c) => c.lag_blocks));
    seen.push({ count, idle: still.cpu_percent, busy: moving.cpu_percent, rss: moving.rss_most_mib });
    run.row(`${count} chain${count > 1 ? 's' : ''}`, {
      all_at_the_head_s: ready, idle_cpu_percent: still.cpu_percent, idle_rss_mib: still.rss_last_mib,
      busy_cpu_percent: moving.cpu_percent, busy_cpu_ms_a_block: (moving.cpu_percent * 10) / count, busy_rss_mib: moving.rss_most_mib, furthest_behind: lag,
    });
    await daemon.stop();
    await run.end(node.child);
  }
  const hundred = seen.find((s) => s.count === 100);
  if (hundred) run.check('idle at 100 chains, % of a core', hundred.idle, '≤ 1', hundred.idle <= 1);
  const one = seen[0], most = seen.at(-1);
  if (most === one) return;
  const memory = (most.rss - one.rss) / (most.count - one.count);
  run.check('memory a chain, MiB', memory, '≤ 1', memory <= 1);
  if (hundred && most.count > 100) {
    const linear = most.busy / most.count / (hundred.busy / 100);
    run.check(`processor a chain at ${most.count}, of that at 100`, linear, '≤ 1.25: linear', linear <= 1.25);
  }
});
