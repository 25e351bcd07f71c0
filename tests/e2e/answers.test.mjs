// SPDX-License-Identifier: MIT
// Each way in which a real server can answer: what Tidemark makes of it, byte for byte.
import assert from 'node:assert/strict';
import net from 'node:net';
import { until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const head = 'HTTP/1.1 200 OK\r\n';
const wait = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

// [name, how it answers, outcome, http status]
const table = [
  ['a fixed length', (s) => s.write(`${head}Content-Length: 2\r\n\r\nok`), 'ok', 200],
  ['chunked', (s) => s.write(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`), 'ok', 200],
  [
    'dripping, in time',
    async (s) => {
      for (const c of `${head}Content-Length: 2\r\n\r\nok`) {
        s.write(c);
        await wait(3);
      }
    },
    'ok',
    200,
  ],
  [
    'dripping, too slowly',
    async (s) => {
      for (const c of `${head}X-Long: ${'x'.repeat(200)}\r\n\r\n`) {
        if (s.destroyed) return;
        s.write(c);
        await wait(20);
      }
    },
    'failed',
    null,
  ],
  [
    'HTTP/1.0, ended by the close',
    (s) => s.end('HTTP/1.0 200 OK\r\n\r\nok'),
    'ok',
    200,
  ],
  ['no length, ended by the close', (s) => s.end(`${head}Connection: close\r\n\r\nok`), 'ok', 200],
  [
    'a 100 before it',
    (s) => s.write(`HTTP/1.1 100 Continue\r\n\r\n${head}Content-Length: 0\r\n\r\n`),
    'ok',
    200,
  ],
  ['cut in the head', (s) => s.end('HTTP/1.1 200'), 'failed', null],
  ['cut in the body', (s) => s.end(`${head}Content-Length: 20\r\n\r\nok`), 'failed', null],
  ['closed at once', (s) => s.destroy(), 'failed', null],
  ['no HTTP', (s) => s.end('SSH-2.0-OpenSSH_9.2\r\n'), 'failed', null],
  [
    'more than is read',
    (s) => s.write(`${head}Content-Length: 1000000\r\n\r\n${'x'.repeat(100_000)}`),
    'ok',
    200,
  ],
  ['a redirect', (s) => s.write('HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n'), 'handler_broken', 302],
  ['425', (s) => s.write('HTTP/1.1 425 Too Early\r\nContent-Length: 0\r\n\r\n'), 'failed', 425],
  [
    '503 with Retry-After',
    (s) => s.write('HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n'),
    'later',
    503,
  ],
];

/** Speaks as it is told, once a request; every other request is answered 204. */
function server() {
  const it = { answers: [], requests: 0, open: 0, most: 0 };
  const sockets = new Set();
  it.server = net.createServer((socket) => {
    it.open += 1;
    it.most = Math.max(it.most, it.open);
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      it.open -= 1;
    });
    socket.on('error', () => {});
    let text = '';
    socket.on('data', async (chunk) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end < 0 || text.length < end + 4 + length) return;
      text = text.slice(end + 4 + length);
      it.requests += 1;
      const answer = it.answers.shift();
      if (answer) await answer(socket);
      else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
  });
  it.start = () =>
    new Promise((resolve) => {
      it.server.listen(0, '127.0.0.1', () => {
        it.url = `http://127.0.0.1:${it.server.address().port}/`;
        resolve(it);
      });
    });
  it.stop = () =>
    new Promise((resolve) => {
      it.server.close(resolve);
      for (const socket of sockets) socket.destroy();
    });
  return it;
}

scenario(
  'whatever way a handler answers',
  {
    timeout: 120_000,
    before: async (world) => {
      world.server = await server().start();
      world.others.push(world.server);
    },
    config: (c, world) => {
      Object.assign(c.handlers[0], { url: world.server.url, send: ['confirmed'], timeout: '800ms' });
      c.handlers[0].retry = { initial: '20ms', max: '40ms' };
    },
  },
  async (world, t) => {
    const { anvil, daemon, server: it } = world;
    for (const [name, answer, outcome, status] of table)
      await t.test(name, async () => {
        it.answers = [answer];
        const [transfer] = await anvil.transfersIn(await anvil.emit({ contract: world.A }));
        await anvil.mine(2);
        const event = await until(
          'it is delivered in the end',
          async () => {
            const e = await daemon.get(`/v1/events/${transfer.eventId}`);
            return e.processing.app === 'delivered' && e;
          },
          { timeout: 15_000 },
        );
        const [first, ...rest] = event.attempts;
        assert.equal(first.outcome, outcome);
        assert.equal(first.http_status ?? null, status);
        assert.equal(rest.length, outcome === 'ok' ? 0 : 1);
        assert.ok((first.answer ?? '').length <= 4096);
      });
    assert.ok(it.most <= 2, `${it.most} connections at a time`);
  },
);

scenario(
  'never more connections than concurrency',
  {
    before: async (world) => {
      world.server = await server().start();
      world.others.push(world.server);
    },
    config: (c, world) => {
      Object.assign(c.handlers[0], {
        url: world.server.url,
        send: ['confirmed'],
        concurrency: 3,
        order_by: 'none',
      });
    },
  },
  async (world) => {
    const { anvil, daemon, server: it } = world;
    it.answers = Array.from({ length: 40 }, () => async (s) => {
      await wait(20);
      s.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
    await anvil.emit({ contract: world.A, count: 40 });
    await anvil.mine(2);
    await until('all', async () => {
      const events = await daemon.all('/v1/events');
      return events.length === 40 && events.every((e) => e.processing.app === 'delivered');
    });
    assert.ok(it.most <= 3, `${it.most} connections`);
    assert.equal(it.requests, 40);
  },
);
