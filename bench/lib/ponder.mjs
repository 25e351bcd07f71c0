// SPDX-License-Identifier: MIT
// Ponder, an indexer, as a team would set it up: the same transfers of the same node, into a PostgreSQL of its own. Its packages come from
// npm when it is first asked for, into build/bench-peers/ponder.

import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { now, root, since, sleep } from './bench.mjs';
import { install_postgres, npm, postgres } from './peers.mjs';

const version = '0.16.10';
const folder = join(root, 'build', 'bench-peers', 'ponder');

const files = {
  'ponder.config.ts': `
import { createConfig } from 'ponder';
import { parseAbi } from 'viem';
const { BENCH_CHAIN, BENCH_RPC, BENCH_WS, BENCH_POLL, BENCH_START } = process.env;
export default createConfig({
  database: { kind: 'postgres', poolConfig: { max: 30 } },
  chains: { bench: { id: Number(BENCH_CHAIN), rpc: BENCH_RPC, ws: BENCH_WS || undefined, pollingInterval: Number(BENCH_POLL), maxRequestsPerSecond: 10_000 } },
  contracts: {
    Token: {
      abi: parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']), chain: 'bench', startBlock: Number(BENCH_START),
    },
  },
});
`,
  'ponder.schema.ts': `
import { onchainTable } from 'ponder';
export const transfer = onchainTable('transfer', (t) => ({
  id: t.text().primaryKey(), from: t.hex().notNull(), to: t.hex().notNull(), value: t.bigint().notNull(), block: t.bigint().notNull(),
}));
`,
  // BENCH_TELL: who is to hear of each event, by a POST like a handler's message.
  'src/index.ts': `
import { ponder } from 'ponder:registry';
import { transfer } from 'ponder:schema';
const { BENCH_CHAIN, BENCH_TELL } = process.env;
ponder.on('Token:Transfer', async ({ event, context }) => {
  await context.db.insert(transfer).values({ id: event.id, from: event.args.from, to: event.args.to, value: event.args.value, block: event.block.number });
  if (BENCH_TELL)
    await fetch(BENCH_TELL, { method: 'POST', body: JSON.stringify({ subject: BENCH_CHAIN + ':' + event.transaction.hash + ':' + event.log.logIndex }) });
});
`,
  'src/api/index.ts': `
import { Hono } from 'hono';
export default new Hono();
`,
};

function install(run) {
  install_postgres(run);
  npm(run, folder, `ponder@${version}`, 'viem@2', 'hono@4', 'typescript@5');
  mkdirSync(join(folder, 'src', 'api'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** It says "0" where it is to choose itself. */
const free_port = () =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

/** Ponder on its own database, from `start` on. It runs when this returns; `ready()` waits until what was there is indexed. */
export async function ponder(run, { chain, rpc, ws = '', poll = 1_000, start = 0, tell = '' }) {
  install(run);
  const { child: database, socket } = await postgres(run, `ponder${run.children.length}`);
  const env = {
    ...process.env, DATABASE_URL: `postgresql://bench@${encodeURIComponent(socket)}/postgres`, PONDER_TELEMETRY_DISABLED: '1',
    BENCH_CHAIN: String(chain), BENCH_RPC: rpc, BENCH_WS: ws, BENCH_POLL: String(poll), BENCH_START: String(start), BENCH_TELL: tell,
  };
  const port = await free_port();
  const args = [join(folder, 'node_modules', 'ponder', 'dist', 'esm', 'bin', 'ponder.js'), 'start', '--schema', 'bench', '--hostname', '127.0.0.1', '--port', port,
    '--log-format', 'json'];
  const { child } = await run.start(process.execPath, args, (text) => text.includes('"msg":"Created HTTP server"'), { cwd: folder, env });
  const ask = async (path) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return answer.ok ? answer.text() : null;
  };
  const sum = (text, name) => [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].reduce((all, [, value]) => all + Number(value), 0);
  return {
    /** Events that it indexed, and the seconds from when it began with that, behind its own start, to when it says that it is ready. */
    async ready({ limit = 900 } = {}) {
      for (const begun = now(); ; await sleep(20)) {
        if ((await ask('/ready')) !== null) {
          const text = await ask('/metrics');
          return { events: sum(text, 'ponder_indexing_completed_events'), seconds: since(begun) };
        }
        if (since(begun) > limit) throw new Error(`Ponder is not ready after ${limit} s`);
      }
    },
    async stop() {
      await run.end(child);
      await run.end(database);
    },
  };
}
