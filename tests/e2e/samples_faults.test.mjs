// SPDX-License-Identifier: MIT
// Each sample under the daemon, through the worst: messages twice at once, answers that are lost,
// work that takes longer than the time-out, kill -9 of both sides at random moments, reorgs. After
// each, the ledger is the chain's. SEED=n repeats a run's choices.
import assert from 'node:assert/strict';
import http from 'node:http';
import { listen } from './lib/http.mjs';
import { Sample, samples } from './lib/samples.mjs';
import { sleep, until } from './lib/wait.mjs';
import { together } from './lib/world.mjs';

const TIMEOUT = 400; // ms, the handler's

/** Numbers of [0, 1), the same for a seed (mulberry32). */
function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Between the daemon and the sample. `done` counts what went wrong on the way, by kind. */
class Front {
  constructor(roll) {
    this.roll = roll;
    this.done = { lost: 0, late: 0, slow: 0, twice: 0 };
    this.calm = false;
    this.server = http.createServer((req, res) => {
      const chunks = [];
      req.on('data', (chunk) => chunks.push(chunk));
      req.on('end', () => this.#pass(req, res, Buffer.concat(chunks)));
    });
  }

  async start() {
    this.url = `http://127.0.0.1:${await listen(this.server, 0)}/`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => {
      this.server.close(resolve);
    });
  }

  async #pass(req, res, body) {
    const { host: _, connection: __, ...headers } = req.headers;
    const post = async () => (await fetch(this.to, { method: 'POST', body, headers })).status;
    const drawn = this.roll();
    const kinds = Object.keys(this.done);
    const kind = this.calm ? undefined : kinds[Math.floor(drawn * kinds.length * 2)]; // half go well
    if (kind) this.done[kind] += 1;
    try {
      // The work begins when the daemon has given up, beside that of the next attempt.
      if (kind === 'slow') await sleep(TIMEOUT + 150);
      const [status] = await Promise.all(kind === 'twice' ? [post(), post()] : [post()]);
      if (kind === 'late') await sleep(TIMEOUT + 150);
      if (kind === 'lost') req.socket.destroy();
      else if (!res.destroyed) res.writeHead(status).end();
    } catch {
      if (!res.destroyed) res.writeHead(502).end();
    }
  }
}

/** Account → balance as the chain has it: what is deep enough, from its receipts. */
async function chainBalances(world) {
  const sums = new Map();
  const add = (account, amount) => sums.set(account, (sums.get(account) ?? 0n) + amount);
  for (const { from, to, value } of await world.due()) {
    add(from, -BigInt(value));
    add(to, BigInt(value));
  }
  const rows = [...sums].filter(([, sum]) => sum !== 0n).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(rows.map(([account, sum]) => [account, String(sum)]));
}

function faults(how, seed) {
  const roll = dice(seed);
  const within = (low, high) => low + Math.floor(roll() * (high - low));
  return {
    timeout: 150_000,
    contracts: ['A', 'B'],
    before: async (world) => {
      world.front = await new Front(roll).start();
      world.sample = new Sample(how);
      world.others.push(world.front, world.sample);
      await world.sample.start();
      world.front.to = world.sample.url;
    },
    config: (c, world) => {
      Object.assign(c.handlers[0], {
        url: world.front.url,
        send: ['confirmed'],
        order_by: 'arg:to',
        timeout: `${TIMEOUT}ms`,
        retry: { initial: '50ms', max: '200ms' },
      });
    },
    async body(world, t) {
      t.diagnostic(`SEED=${seed}`);
      const { anvil, daemon, front, sample } = world;
      const equal = async (when, timeout) => {
        let both;
        const look = async () => {
          both = [await sample.balances(), await chainBalances(world)];
          return JSON.stringify(both[0]) === JSON.stringify(both[1]);
        };
        const said = () => `the ledger is the chain's ${when}: ${JSON.stringify(both, null, 1)}`;
        await until(said, look, { timeout, every: 100 });
        assert.ok(Object.keys(both[0]).length > 1, 'something is booked');
      };
      const killers = {
        sample: async () => {
          await sample.kill9();
          await sleep(within(0, 300));
          await sample.start();
        },
        daemon: async () => {
          await daemon.kill9();
          await sleep(within(0, 300));
          await daemon.start();
        },
        database: async () => {
          await sample.postgres.crash();
          await sleep(within(0, 300));
          await sample.postgres.run();
        },
      };
      const victims = ['sample', 'daemon', ...(how.postgres ? ['database'] : [])];
      for (let round = 0; round < 3; round++) {
        const deaths = (async () => {
          for (const victim of victims) {
            await sleep(within(50, 900));
            await killers[victim]();
          }
        })();
        for (let i = 0; i < 5; i++) {
          const contract = roll() < 0.5 ? world.A : world.B;
          await anvil.emit({ contract, value: within(1, 1000), receiver: within(0, 4) });
          await sleep(within(0, 400));
        }
        await deaths;
        const list = [[{ contract: world.A, value: within(1, 1000), receiver: 5 }, 0]];
        await anvil.reorg(within(2, 5), round === 0 ? [] : list);
        await anvil.mine(2);
        victims.reverse();
      }
      front.calm = true;
      await equal('after all of it', 60_000);
      // What is booked, and deep enough to be confirmed, leaves the chain.
      await anvil.reorg(4, [[{ contract: world.B, value: 99, receiver: 5 }, 0]]);
      await anvil.mine(2);
      await equal('after a reorg of what it had booked', 30_000);
      const went = Object.entries(front.done).filter(([, n]) => n > 0);
      assert.ok(went.length >= 3, `of each kind some: ${JSON.stringify(front.done)}`);
    },
  };
}

const given = process.env.SEED === undefined ? undefined : Number(process.env.SEED);
together(
  'samples under the worst',
  2,
  Object.entries(samples).map(([name, how]) => {
    const { body, ...options } = faults(how, given ?? Math.floor(Math.random() * 2 ** 32));
    return [name, options, body];
  }),
  580_000,
);
