// SPDX-License-Identifier: MIT
// How long a chain's past takes, from an empty store to the last event confirmed. Up to 200,000 logs on a local anvil, beside a single
// eth_getLogs of the whole range by curl on the same node; more on the replaying node, where the rate at the end stands beside that of
// the first 100,000. --peers: also beside Ponder, from when it begins to index to when it says that it is ready.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Anvil, TRANSFER, hex } from '../tests/e2e/lib/anvil.mjs';
import { bench, median, now, since, sleep } from './lib/bench.mjs';
import { ponder } from './lib/ponder.mjs';

const config = (id, url, integrity) => `
chains:
  - {name: bench, id: ${id}, rpc: ["${url}"], confirmations: 1, start_block: 0, integrity: ${integrity}, backfill_integrity: ${integrity}}
subscriptions:
  - {name: transfers, chains: [bench], preset: erc20-transfer}
`;

/** One eth_getLogs of everything, by curl, its bytes thrown away; seconds. */
function curl(url, to) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [{ fromBlock: '0x0', toBlock: hex(to), topics: [[TRANSFER]] }] });
  const begun = now();
  execFileSync('curl', ['-s', '-o', '/dev/null', '-H', 'content-type: application/json', '--data', body, url]);
  return since(begun);
}

async function confirmed(daemon) {
  let count = 0;
  for (let after = ''; after !== null; ) {
    const page = await daemon.get(`/v1/events?status=confirmed&limit=1000${after && `&after=${after}`}`);
    count += page.items.length;
    after = page.next;
  }
  return count;
}

async function on_anvil(run, options) {
  const anvil = await Anvil.start({ args: ['--gas-limit', '3000000000'] });
  try {
    const contract = await anvil.deploy('A'), each = Math.round(options.logs / options.blocks);
    for (let n = 0; n < options.blocks; n++) {
      await anvil.send({ contract, count: each, value: n * each + 1 });
      await anvil.rpc('evm_mine');
    }
    const head = await anvil.head();
    const took = { curl: [], bloom: [], receipts: [] };
    for (let round = 0; round < options.rounds; round++) {
      took.curl.push({ seconds: curl(anvil.url, head) });
      for (const integrity of ['bloom', 'receipts']) {
        const begun = now();
        const daemon = await run.daemon(config(anvil.chainId, anvil.url, integrity), { name: `${integrity}${round}` });
        await daemon.marked('bench', head - 1);
        // Before they are counted: pages of a thousand events are no part of it.
        const seconds = since(begun), { peak } = daemon.memory(), events = await confirmed(daemon), bytes = daemon.bytes();
        const expected = each * (options.blocks - 1); // the head's own block is not confirmed yet
        if (events < expected) throw new Error(`${events} events are confirmed, not ${expected}`);
        took[integrity].push({ seconds, peak_mib: peak, bytes_a_log: (bytes.store + bytes.wal) / events });
        await daemon.stop();
      }
    }
    const base = median(took.curl.map((r) => r.seconds));
    run.row('one eth_getLogs by curl', { seconds: base, logs_a_second: options.logs / base, of_curl: 1 });
    for (const integrity of ['bloom', 'receipts']) {
      const seconds = median(took[integrity].map((r) => r.seconds)), peak = Math.max(...took[integrity].map((r) => r.peak_mib));
      run.row(`to the last confirmed, ${integrity}`, {
        seconds, logs_a_second: options.logs / seconds, of_curl: seconds / base, peak_mib: peak, bytes_a_log: took[integrity][0].bytes_a_log,
      });
      if (integrity === 'receipts') continue; // what nobody has set a bar for is reported
      run.check('times the curl', seconds / base, '≤ 3', seconds / base <= 3);
      run.check('memory, MiB', peak, '≤ 120', peak <= 120);
    }
    if (!options.peers) return;
    const peer = await ponder(run, { chain: anvil.chainId, rpc: anvil.url });
    const { events, seconds } = await peer.ready();
    await peer.stop();
    const own = options.logs / median(took.bloom.map((r) => r.seconds));
    run.row('Ponder, to the last finalized', { seconds, logs_a_second: events / seconds }); // which it takes to be 30 blocks deep
    run.check('logs a second, of Ponder', own / (events / seconds), '≥ 20', own / (events / seconds) >= 20);
  } finally {
    anvil.stop();
  }
}

async function on_replay(run, options) {
  const each = options['a-block'], blocks = Math.ceil(options.logs / each), first = Math.min(100_000, options.logs);
  const node = await run.node({ blocks: blocks + 1, logs: each, keys: options.keys, contracts: options.contracts });
  const base = curl(node.url(), first / each);
  run.row(`one eth_getLogs of ${first} by curl`, { seconds: base, logs_a_second: first / base });
  const daemon = await run.daemon(config(1, node.url(), 'bloom'));
  const seen = [];
  const watch = daemon.watch();
  for (const begun = now(); ; await sleep(100)) {
    const chain = await daemon.get('/v1/chains/bench');
    seen.push({ at: since(begun), logs: (chain.mark?.number ?? 0) * each, rss: daemon.memory().rss, store: daemon.bytes().store });
    if ((chain.mark?.number ?? 0) >= blocks) break;
    if (seen.at(-1).at > options.limit) throw new Error(`the mark is at ${chain.mark?.number} after ${options.limit} s: ${chain.state}, ${chain.reason}`);
  }
  const between = (from, to) => {
    const a = seen.findLast((s) => s.logs <= from) ?? seen[0], b = seen.find((s) => s.logs >= to);
    return { seconds: b.at - a.at, logs_a_second: (b.logs - a.logs) / (b.at - a.at), rss_mib: b.rss };
  };
  run.row(`the first ${first}`, between(0, first));
  run.row('the last tenth', between(options.logs * 0.9, options.logs));
  run.row(`all ${options.logs}`, between(0, options.logs));
  const bytes = daemon.bytes(), rate = between(options.logs * 0.9, options.logs).logs_a_second / between(0, first).logs_a_second;
  run.row('store and process', { bytes_a_log: bytes.store / options.logs, ...watch.end() });
  run.check(`logs a second at ${options.logs}, of those of the first ${first}`, rate, '≥ 0.8', rate >= 0.8);
  const grown = seen.at(-1).rss - seen.find((s) => s.logs >= first).rss;
  run.check('memory after the first part, MiB more', grown, '≤ 48', grown <= 48);
  const peak = daemon.memory().peak;
  run.check('memory, MiB', peak, '≤ 120', peak <= 120);
}

await bench('backfill', { logs: 100_000, blocks: 2_000, rounds: 3, node: '', 'a-block': 50, keys: 100_000, contracts: 100, limit: 7200, peers: false }, (run, options) =>
  (options.node || (options.logs > 200_000 ? 'replay' : 'anvil')) === 'anvil' ? on_anvil(run, options) : on_replay(run, options));
