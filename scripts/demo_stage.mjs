// SPDX-License-Identifier: MIT
// What the story is played on: a node, the sample handler, the line to it, the daemon; and what is
// printed.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Anvil } from '../tests/e2e/lib/anvil.mjs';
import { start } from '../tests/e2e/lib/children.mjs';
import { Daemon } from '../tests/e2e/lib/daemon.mjs';
import { keys } from '../tests/e2e/lib/hooks.mjs';
import { freePort } from '../tests/e2e/lib/http.mjs';
import { Wire } from './demo_wire.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = path.join(root, 'build', 'demo');
const secret = `whsec_${Buffer.from('the secret of the sample handler').toString('base64')}`;
export const people = { ann: 1, bob: 2, eve: 3, shop: 9 }; // accounts of the node

export const colour = process.stdout.isTTY
  ? (code, text) => `\x1b[${code}m${text}\x1b[0m`
  : (code, text) => text;
export const title = (text) => console.log(`\n${colour(1, text)}`);

export let steps = 0;
/** Does and checks one step of the story; a text that `check` gives is printed beside it. */
export async function step(text, check) {
  let detail;
  try {
    detail = await check();
  } catch (error) {
    error.message = `${text}: ${error.message}`;
    throw error;
  }
  steps++;
  const beside = typeof detail === 'string' ? colour(2, `  ${detail}`) : '';
  console.log(`  ${colour(32, '✓')} ${text}${beside}`);
}
export function must(truth, text) {
  if (!truth) throw new Error(text);
}

/** An id, short enough for a line. */
export const short = (id) =>
  id.replace(/0x([0-9a-f]{6})[0-9a-f]+/, '0x$1…').replace(/_([0-9a-f]{4})[0-9a-f]{12}_/, '_$1…_');

export class Stage {
  /** The node with a token on it. */
  async startNode() {
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(folder, { recursive: true });
    this.anvil = await Anvil.start();
    this.token = await this.anvil.deploy('A');
  }

  async startHandler() {
    const port = await freePort();
    const handler = start(
      process.execPath,
      [path.join(root, 'examples', 'handler-node', 'handler.mjs')],
      {
        env: {
          ...process.env,
          TIDEMARK_SECRET: secret,
          PORT: String(port),
          JOURNAL: path.join(folder, 'journal.jsonl'),
        },
        stdio: ['ignore', 'pipe', fs.openSync(path.join(folder, 'handler.log'), 'a')],
      },
    );
    await new Promise((resolve, reject) => {
      readline.createInterface({ input: handler.stdout }).once('line', resolve);
      handler.once('exit', (code) =>
        reject(new Error(`the sample handler ended with ${code}: build/demo/handler.log`)),
      );
    });
    handler.stdout.resume();
    this.handler = handler;
    this.handlerUrl = `http://127.0.0.1:${port}/`;
    this.wire = await new Wire(this.handlerUrl).start();
  }

  async startDaemon() {
    this.daemon = new Daemon(folder, await this.config());
    this.daemon.logFile = path.join(folder, 'daemon.log');
    await this.daemon.start();
  }

  async config() {
    return {
      instance: 'demo',
      store: { path: 'tidemark.db', min_free: '16MiB' },
      ingest: { listen: `127.0.0.1:${await freePort()}` },
      admin: { listen: `127.0.0.1:${await freePort()}` },
      confirmation_policy: { demo: 3 },
      chains: [
        {
          name: 'local',
          id: 31337,
          rpc: [this.anvil.url],
          confirmations: 'demo',
          start_block: 0,
          poll_interval: '500ms',
          reconcile: { interval: '2s' },
          reorg: { interval: '1s', max_depth: 64 },
        },
      ],
      sources: [
        {
          name: 'alchemy',
          provider: 'alchemy',
          secret: keys.alchemy,
          chain: 'local',
          networks: { ETH_MAINNET: 'local' },
        },
      ],
      subscriptions: [
        {
          name: 'token-transfers',
          chains: ['local'],
          address: [this.token],
          preset: 'erc20-transfer',
        },
      ],
      handlers: [
        {
          name: 'ledger',
          url: this.wire.url,
          secret,
          allow_private: true,
          timeout: '5s',
          retry: { initial: '200ms', max: '1s' },
        },
      ],
    };
  }

  /** Balances by the receipts of the canonical chain. */
  async chainLedger() {
    const sums = {};
    for (const { from, to, value } of await this.anvil.transfers({ contracts: [this.token] })) {
      sums[from] = (sums[from] ?? 0n) - BigInt(value);
      sums[to] = (sums[to] ?? 0n) + BigInt(value);
    }
    return Object.fromEntries(
      Object.entries(sums)
        .filter(([, sum]) => sum !== 0n)
        .sort()
        .map(([account, sum]) => [account, sum.toString()]),
    );
  }

  /** Mines a payment; the transfer in it. */
  async pay(from, to, value) {
    const receipt = await this.anvil.emit({
      contract: this.token,
      from: people[from],
      receiver: people[to],
      value,
    });
    return (await this.anvil.transfersIn(receipt))[0];
  }

  /** Ends all of it; how the daemon ended. */
  async close() {
    const end = await this.daemon?.stop();
    await this.wire?.stop();
    this.handler?.kill();
    this.anvil?.stop();
    return end;
  }
}
