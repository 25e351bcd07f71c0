// SPDX-License-Identifier: MIT
// Durable webhooks a second: the daemon with SQLite on disk and durability full, on a store that already holds a million, beside a
// bare Beast server that does the same HTTP, in the same run and by the same load.

import { spawn, execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const build = process.env.BUILD_DIR ?? join(dirname(fileURLToPath(import.meta.url)), '..', 'build', 'release');
const options = { prefill: 1_000_000, seconds: 60, ceiling: 10, connections: 64 };
for (let i = 2; i + 1 < process.argv.length; i += 2) options[process.argv[i].replace(/^--/, '')] = Number(process.argv[i + 1]);

const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'tidemark-bench-'));
const children = [];

function start(command, args, ready) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (data) => {
      said += data;
      const found = ready(said);
      if (found) resolve({ child, port: found });
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', (code) => reject(new Error(`${command} ended with ${code}: ${said}`)));
  });
}

function load(port, extra) {
  const args = ['--port', port, '--connections', options.connections, ...extra].map(String);
  const text = execFileSync(join(build, 'bench', 'bench_load'), args, { encoding: 'utf8' });
  return JSON.parse(text);
}

const memory = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
const peak = (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

async function main() {
  const config = join(folder, 'tidemark.yaml');
  const store = join(folder, 'bench.db');
  writeFileSync(config, `
store: {path: ${store}, durability: full}
ingest: {listen: "127.0.0.1:0"}
admin: {listen: "127.0.0.1:0"}
chains:
  - {name: ethereum, id: 1, rpc: ["http://127.0.0.1:9"], confirmations: 12}   # nobody answers there: hints are stored and wait
sources:
  - {name: bench, provider: alchemy, secret: bench-secret, chain: ethereum}
subscriptions:
  - {name: transfers, chains: [ethereum], preset: erc20-transfer}
`);
  const ceiling = await start(join(build, 'bench', 'bench_ceiling'), ['--port', '0'], (s) => /(\d{4,5})/.exec(s)?.[1]);
  const daemon = await start(join(build, 'tidemark'), ['--config', config, 'run'], (s) => /"ingest":"127\.0\.0\.1:(\d+)"/.exec(s)?.[1]);

  const rows = [];
  const before = load(ceiling.port, ['--seconds', options.ceiling]);
  rows.push(['ceiling, before', before]);
  let first = 0;
  if (options.prefill > 0) {
    const filled = load(daemon.port, ['--seconds', 600, '--requests', options.prefill]);
    first = filled.next;
    rows.push([`filling the store with ${options.prefill}`, filled]);
  }
  const half = load(daemon.port, ['--seconds', options.seconds / 2, '--first', first]);
  const between = load(ceiling.port, ['--seconds', options.ceiling]);
  const rest = load(daemon.port, ['--seconds', options.seconds / 2, '--first', half.next]);
  const after = load(ceiling.port, ['--seconds', options.ceiling]);
  rows.push(['tidemark, first half', half], ['ceiling, between', between], ['tidemark, second half', rest], ['ceiling, after', after]);

  const mean = (...xs) => xs.reduce((a, b) => a + b, 0) / xs.length;
  const ratio = mean(half.per_second, rest.per_second) / mean(before.per_second, between.per_second, after.per_second);
  const stored = options.prefill + half.requests + rest.requests;
  const bytes = statSync(store).size;
  const result = {
    ratio, p99_ms: Math.min(half.p99_ms, rest.p99_ms), rss_mib: memory(daemon.child.pid), peak_mib: peak(daemon.child.pid), stored,
    bytes_a_row: bytes / stored, wal_mib: statSync(`${store}-wal`).size / 1048576, rows: Object.fromEntries(rows),
  };
  const pad = (s, n) => String(s).padStart(n);
  console.log(`${''.padEnd(32)}${pad('per second', 12)}${pad('p50 ms', 9)}${pad('p99 ms', 9)}${pad('p99.9', 9)}${pad('max', 9)}`);
  for (const [name, r] of rows) console.log(`${name.padEnd(32)}${pad(r.per_second, 12)}${pad(r.p50_ms, 9)}${pad(r.p99_ms, 9)}${pad(r.p999_ms, 9)}${pad(r.max_ms, 9)}`);
  console.log(`\n${(ratio * 100).toFixed(1)} % of the ceiling · ${stored} webhooks stored · RSS ${result.rss_mib.toFixed(0)} MiB, at its highest ${result.peak_mib.toFixed(0)} MiB · ` +
    `${result.bytes_a_row.toFixed(0)} bytes a webhook on disk · WAL ${result.wal_mib.toFixed(0)} MiB`);
  console.log(JSON.stringify(result));
}

try {
  await main();
} finally {
  for (const c of children) {
    c.removeAllListeners('exit');
    c.kill('SIGTERM');
    await new Promise((r) => (c.exitCode === null ? c.once('exit', r) : r()));
  }
  rmSync(folder, { recursive: true, force: true });
}
