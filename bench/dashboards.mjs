// SPDX-License-Identifier: MIT
// Whether open dashboards slow the daemon down: durable webhooks a second without and with ten of them, in turns, so that what else
// the machine does weighs on both alike. A dashboard here asks what the page asks, as often (web/src/live.ts, tide.tsx, metrics.ts).

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const build = process.env.BUILD_DIR ?? join(dirname(fileURLToPath(import.meta.url)), '..', 'build', 'release');
const options = { dashboards: 10, rounds: 5, seconds: 4, connections: 64 };
for (let i = 2; i + 1 < process.argv.length; i += 2) options[process.argv[i].replace(/^--/, '')] = Number(process.argv[i + 1]);

const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'tidemark-bench-'));
const config = join(folder, 'tidemark.yaml');
writeFileSync(config, `
store: {path: ${join(folder, 'bench.db')}, durability: full, min_free: 1MiB}
ingest: {listen: "127.0.0.1:0"}
admin: {listen: "127.0.0.1:0"}
chains:
  - {name: ethereum, id: 1, rpc: ["http://127.0.0.1:9"], confirmations: 12}   # nobody answers there: hints are stored and wait
sources:
  - {name: bench, provider: alchemy, secret: bench-secret, chain: ethereum}
subscriptions:
  - {name: transfers, chains: [ethereum], preset: erc20-transfer}
`);

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

// Not in this process's own time: the dashboards ask meanwhile.
function load(port, first) {
  const args = ['--port', port, '--connections', options.connections, '--seconds', options.seconds, '--first', first].map(String);
  return new Promise((resolve, reject) => {
    let text = '';
    const child = spawn(join(build, 'bench', 'bench_load'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.on('data', (data) => (text += data));
    child.on('exit', (code) => (code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`bench_load ended with ${code}`))));
  });
}

const daemon = spawn(join(build, 'tidemark'), ['run', '--config', config], { stdio: ['ignore', 'ignore', 'pipe'] });
try {
  const [, ingest, admin] = await new Promise((resolve, reject) => {
    let said = '';
    daemon.stderr.on('data', (data) => {
      said += data;
      const found = /"ingest":"127\.0\.0\.1:(\d+)","admin":"127\.0\.0\.1:(\d+)"/.exec(said);
      if (found) resolve(found);
    });
    daemon.on('exit', (code) => reject(new Error(`the daemon ended with ${code}: ${said}`)));
  });
  const without = [];
  const beside = [];
  const answered = { count: 0 };
  let first = (await load(ingest, 0)).next; // warm
  for (let i = 0; i < options.rounds; i++) {
    const alone = await load(ingest, first);
    const close = Array.from({ length: options.dashboards }, () => open(`http://127.0.0.1:${admin}`, answered));
    const watched = await load(ingest, alone.next);
    close.forEach((end) => end());
    first = watched.next;
    without.push(alone);
    beside.push(watched);
  }
  const median = (all, name) => all.map((r) => r[name]).sort((a, b) => a - b)[Math.floor(all.length / 2)];
  const pad = (s, n) => String(s).padStart(n);
  console.log(`${''.padEnd(24)}${pad('per second', 12)}${pad('p50 ms', 9)}${pad('p99 ms', 9)}`);
  for (const [name, all] of [['no dashboard', without], [`${options.dashboards} dashboards`, beside]])
    console.log(`${name.padEnd(24)}${pad(median(all, 'per_second'), 12)}${pad(median(all, 'p50_ms'), 9)}${pad(median(all, 'p99_ms'), 9)}`);
  const ratio = median(beside, 'per_second') / median(without, 'per_second');
  console.log(`\nwith ${options.dashboards} dashboards ${(ratio * 100).toFixed(1)} % of what it takes without; they got ${answered.count} answers (medians of ${options.rounds} rounds)`);
} finally {
  daemon.removeAllListeners('exit');
  daemon.kill('SIGTERM');
  await new Promise((done) => (daemon.exitCode === null ? daemon.once('exit', done) : done()));
  rmSync(folder, { recursive: true, force: true });
}
