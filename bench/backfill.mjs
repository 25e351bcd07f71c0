// SPDX-License-Identifier: MIT
// How long a chain's past takes: 100,000 events in 2,000 blocks of a local anvil, from an empty store to the last one confirmed, beside a
// single eth_getLogs of the whole range by curl on the same node in the same run.

import { spawn, execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Anvil, TRANSFER, hex } from '../tests/e2e/lib/anvil.mjs';

const build = process.env.BUILD_DIR ?? join(dirname(fileURLToPath(import.meta.url)), '..', 'build', 'release');
const options = { blocks: 2_000, logs: 50, rounds: 3 };
for (let i = 2; i + 1 < process.argv.length; i += 2) options[process.argv[i].replace(/^--/, '')] = Number(process.argv[i + 1]);

const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'tidemark-bench-'));
const median = (xs) => [...xs].sort((a, b) => a - b)[Math.floor(xs.length / 2)];
const seconds = (since) => Number(process.hrtime.bigint() - since) / 1e9;
const peak = (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

async function fill(anvil) {
  const contract = await anvil.deploy('A');
  for (let n = 0; n < options.blocks; n++) {
    await anvil.send({ contract, count: options.logs, value: n * options.logs + 1 });
    await anvil.rpc('evm_mine');
  }
  return contract;
}

/** One eth_getLogs of everything, by curl, its bytes thrown away. */
function curl(anvil, head) {
  const body = JSON.stringify({
    jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [{ fromBlock: '0x0', toBlock: hex(head), topics: [[TRANSFER]] }],
  });
  const since = process.hrtime.bigint();
  execFileSync('curl', ['-s', '-o', '/dev/null', '-H', 'content-type: application/json', '--data', body, anvil.url]);
  return seconds(since);
}

async function backfill(anvil, head, integrity, round) {
  const store = join(folder, `${integrity}-${round}.db`), config = join(folder, 'tidemark.yaml');
  writeFileSync(config, `
store: {path: ${store}}
ingest: {listen: "127.0.0.1:0"}
admin: {listen: "127.0.0.1:0"}
chains:
  - {name: bench, id: ${anvil.chainId}, rpc: ["${anvil.url}"], confirmations: 1, start_block: 0, integrity: ${integrity}, backfill_integrity: ${integrity}}
subscriptions:
  - {name: transfers, chains: [bench], preset: erc20-transfer}
`);
  const since = process.hrtime.bigint();
  const daemon = spawn(join(build, 'tidemark'), ['--config', config, 'run'], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    const port = await new Promise((resolve, reject) => {
      let said = '';
      daemon.stderr.on('data', (data) => {
        const found = /"admin":"127\.0\.0\.1:(\d+)"/.exec((said += data));
        if (found) resolve(found[1]);
      });
      daemon.on('exit', (code) => reject(new Error(`tidemark ended with ${code}: ${said}`)));
    });
    const get = async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).json();
    for (;;) {
      const chain = await get('/v1/chains/bench');
      if (chain.mark?.number >= head - 1) break;
      if (seconds(since) > 300) throw new Error(`the mark is at ${chain.mark?.number} after 300 s: ${chain.reason}`);
      await new Promise((r) => setTimeout(r, 20));
    }
    const took = seconds(since);
    let confirmed = 0;
    for (let after = ''; after !== null; ) {
      const page = await get(`/v1/events?status=confirmed&limit=1000${after && `&after=${after}`}`);
      confirmed += page.items.length;
      after = page.next;
    }
    const expected = options.logs * (options.blocks - 1); // the head's own block is not confirmed yet
    if (confirmed < expected) throw new Error(`${confirmed} events are confirmed, not ${expected}`);
    return { seconds: took, peak_mib: peak(daemon.pid), confirmed, bytes: statSync(store).size + statSync(`${store}-wal`).size };
  } finally {
    daemon.removeAllListeners('exit');
    daemon.kill('SIGTERM');
    await new Promise((r) => (daemon.exitCode === null ? daemon.once('exit', r) : r()));
  }
}

let anvil;
try {
  anvil = await Anvil.start({ args: ['--gas-limit', '3000000000'] });
  await fill(anvil);
  const head = await anvil.head();
  const rows = { curl: [], bloom: [], receipts: [] };
  for (let round = 0; round < options.rounds; round++) {
    rows.curl.push({ seconds: curl(anvil, head) });
    for (const integrity of ['bloom', 'receipts']) rows[integrity].push(await backfill(anvil, head, integrity, round));
  }
  const base = median(rows.curl.map((r) => r.seconds));
  const result = { logs: options.blocks * options.logs, blocks: options.blocks, curl_s: base };
  console.log(`${options.blocks * options.logs} logs in ${options.blocks} blocks, median of ${options.rounds}\n`);
  console.log(`one eth_getLogs by curl          ${base.toFixed(2)} s`);
  for (const integrity of ['bloom', 'receipts']) {
    const took = median(rows[integrity].map((r) => r.seconds)), memory = Math.max(...rows[integrity].map((r) => r.peak_mib));
    const bytes = rows[integrity][0].bytes / rows[integrity][0].confirmed;
    result[integrity] = { seconds: took, ratio: took / base, peak_mib: memory, bytes_an_event: bytes, all: rows[integrity].map((r) => r.seconds) };
    console.log(`to the last confirmed, ${integrity.padEnd(9)} ${took.toFixed(2)} s = ${(took / base).toFixed(2)} × curl · at most ${memory.toFixed(0)} MiB · ${bytes.toFixed(0)} bytes an event on disk`);
  }
  console.log(JSON.stringify(result));
} finally {
  anvil?.stop();
  rmSync(folder, { recursive: true, force: true });
}
