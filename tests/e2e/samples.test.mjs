// SPDX-License-Identifier: MIT
// The samples of docs/handlers.md, driven by hand: a message twice, a forged one, one that is taken
// back, and the balances after it; and one of them under the daemon.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { start } from './lib/children.mjs';
import { SECRET } from './lib/handler.mjs';
import { freePort, listen } from './lib/http.mjs';
import { until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const alice = `0x${'a'.repeat(40)}`,
  bob = `0x${'b'.repeat(40)}`;
const big = (10n ** 30n).toString();
const confirmed = (id, value = big) => ({
  id,
  type: 'tidemark.event.confirmed',
  data: { args: { from: alice, to: bob, value } },
});
const undone = (id, undoes) => ({ id, type: 'tidemark.event.rolled_back', data: { undoes } });

function signed(message, secret = SECRET) {
  const body = JSON.stringify(message);
  const at = new Date();
  const id = Array.isArray(message) ? 'batch_1' : message.id;
  return {
    body,
    headers: {
      'content-type': 'application/cloudevents+json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    },
  };
}

/** A sample as a process of its own: how to send it something, and to read its balances. */
async function running(t, command, args, env, dir) {
  const port = await freePort();
  const child = start(command, args, {
    cwd: dir,
    env: { ...process.env, TIDEMARK_SECRET: SECRET, PORT: String(port), ...env },
    stdio: 'ignore',
  });
  t.after(() => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}/`;
  await until('it listens', async () => (await fetch(url)).status > 0, { timeout: 20_000 });
  return { url, send: async (request) => (await fetch(url, { method: 'POST', ...request })).status };
}

/** The four habits, whatever the sample is made of. */
async function checkHabits(send, balances) {
  assert.equal(await send(signed(confirmed('one'))), 204);
  assert.equal(await send(signed(confirmed('one'))), 204, 'known, and taken');
  assert.deepEqual(await balances(), { [alice]: `-${big}`, [bob]: big });
  const forged = signed(confirmed('two'), `whsec_${Buffer.from('another secret').toString('base64')}`);
  assert.equal(await send(forged), 401);
  const changed = signed(confirmed('three'));
  assert.equal(await send({ ...changed, body: changed.body.replace(big, '1') }), 401);
  assert.equal(await send(signed({ id: 'new', type: 'tidemark.later', data: {} })), 204);
  assert.equal(await send(signed(undone('four', 'one'))), 204);
  assert.equal(await send(signed(undone('four', 'one'))), 204);
  assert.deepEqual(await balances(), {});
  assert.equal(await send(signed(confirmed('five', '7'))), 204);
  assert.deepEqual(await balances(), { [alice]: '-7', [bob]: '7' });
}

const scratch = (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-sample-'));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
};
const asJson = async (url) => (await (await fetch(url)).json()).balances;

test('Node, plain', async (t) => {
  const file = path.join(examples, 'handler-node', 'handler.mjs');
  const { url, send } = await running(t, process.execPath, [file], {}, scratch(t));
  await checkHabits(send, () => asJson(url));
});

test("Python's standard library, with SQLite", async (t) => {
  const file = path.join(examples, 'handler-python', 'handler.py');
  const { url, send } = await running(t, 'python3', [file], {}, scratch(t));
  await checkHabits(send, () => asJson(url));
  assert.equal(await send(signed([confirmed('six', '1'), confirmed('five', '7')])), 204, 'a batch');
  assert.deepEqual(await asJson(url), { [alice]: '-8', [bob]: '8' });
});

test('an http function of functions-framework', async (t) => {
  const dir = scratch(t);
  const folder = path.join(examples, 'handler-functions');
  const framework = path.join(folder, 'node_modules', '.bin', 'functions-framework');
  const journal = path.join(dir, 'journal.jsonl');
  const args = ['--target=take', `--source=${folder}`];
  const { send } = await running(t, framework, args, { JOURNAL: journal }, dir);
  const { Ledger } = await import(path.join(examples, 'handler-node', 'ledger.mjs'));
  await checkHabits(send, () => {
    const copy = path.join(dir, 'copy.jsonl');
    fs.copyFileSync(journal, copy);
    return new Ledger(copy).balances();
  });
});

test('a Lambda behind a function URL', async (t) => {
  process.env.TIDEMARK_SECRET = SECRET;
  const { handlerWith } = await import(path.join(examples, 'handler-lambda', 'index.mjs'));
  const { Ledger } = await import(path.join(examples, 'handler-node', 'ledger.mjs'));
  const ledger = new Ledger(path.join(scratch(t), 'journal.jsonl'));
  const handler = handlerWith((message) => ledger.apply(message));
  let plain = false;
  const send = async ({ body, headers }) => {
    plain = !plain; // a function URL gives the body either way
    const event = {
      headers,
      isBase64Encoded: !plain,
      body: plain ? body : Buffer.from(body).toString('base64'),
    };
    return (await handler(event)).statusCode;
  };
  await checkHabits(send, () => ledger.balances());
  const old = signed(confirmed('late'));
  old.headers['webhook-timestamp'] = '1700000000';
  assert.equal(await send(old), 401);
  assert.equal(await send({ body: '{}', headers: {} }), 401);
});

// The real thing: work that takes longer than the time-out, answers that are lost, a kill -9 of
// both sides and a reorg; in the end the ledger is the chain's.
scenario(
  'the Python sample under the daemon, through the worst',
  {
    timeout: 90_000,
    before: async (world) => {
      world.front = await front();
      world.others.push(world.front);
    },
    config: (c, world) => {
      c.handlers[0].url = world.front.url;
      c.handlers[0].send = ['confirmed'];
      c.handlers[0].timeout = '400ms';
      c.handlers[0].retry = { initial: '50ms', max: '200ms' };
    },
  },
  async (world, t) => {
    const { anvil, daemon, front: between } = world;
    const file = path.join(examples, 'handler-python', 'handler.py');
    const port = await freePort();
    const env = { ...process.env, TIDEMARK_SECRET: SECRET, PORT: String(port) };
    const python = () => start('python3', [file], { cwd: world.dir, env, stdio: 'ignore' });
    let child = python();
    t.after(() => child.kill('SIGKILL'));
    between.to = port;
    const url = `http://127.0.0.1:${port}/`;
    await until('it listens', async () => (await fetch(url)).status === 200, { timeout: 20_000 });
    for (let i = 0; i < 6; i++) {
      await anvil.emit({ contract: world.A, value: 10 + i, receiver: i });
      if (i === 2) child.kill('SIGKILL');
      if (i === 3) await daemon.kill9();
      if (i === 4) {
        child = python();
        await daemon.start();
      }
    }
    await anvil.mine(2);
    const booked = async () => JSON.stringify(await asJson(url));
    const chain = async () => {
      const sums = new Map();
      for (const { from, to, value } of await world.due())
        for (const [account, amount] of [
          [from, -BigInt(value)],
          [to, BigInt(value)],
        ])
          sums.set(account, (sums.get(account) ?? 0n) + amount);
      const rows = [...sums].filter(([, n]) => n !== 0n).sort(([a], [b]) => (a < b ? -1 : 1));
      return JSON.stringify(Object.fromEntries(rows.map(([a, n]) => [a, String(n)])));
    };
    const equal = async () => (await booked()) === (await chain());
    await until('the ledger is the chain’s', equal, { timeout: 30_000 });
    await anvil.reorg(4, [[{ contract: world.A, value: 99, receiver: 5 }, 0]]);
    await anvil.mine(2);
    await until('also after a reorg', equal, { timeout: 30_000 });
    assert.ok(between.spoiled > 0, 'answers were lost on the way');
  },
);

/** Between the daemon and the sample: loses an answer now and then, or holds it for too long. */
async function front() {
  const it = { spoiled: 0, count: 0 };
  it.server = http.createServer((req, res) => {
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', async () => {
      const turn = it.count++ % 4;
      try {
        const answer = await fetch(`http://127.0.0.1:${it.to}/`, {
          method: 'POST',
          body: Buffer.concat(chunks),
          headers: Object.fromEntries(
            Object.entries(req.headers).filter(([name]) => name.startsWith('webhook-')),
          ),
        });
        if (turn === 1) {
          it.spoiled += 1;
          req.socket.destroy();
          return;
        }
        if (turn === 2) {
          it.spoiled += 1;
          setTimeout(() => res.destroyed || res.writeHead(answer.status).end(), 700);
          return;
        }
        res.writeHead(answer.status).end();
      } catch {
        res.writeHead(502).end();
      }
    });
  });
  it.url = `http://127.0.0.1:${await listen(it.server, 0)}/`;
  it.stop = () => {
    it.server.closeAllConnections();
    return new Promise((resolve) => {
      it.server.close(resolve);
    });
  };
  return it;
}
