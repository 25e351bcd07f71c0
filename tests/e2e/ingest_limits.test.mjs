// SPDX-License-Identifier: MIT
// The way in under load and under clients that are slow or many: bounds, time-outs, connections.
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { post, sign } from './lib/hooks.mjs';
import { exchange, request } from './lib/http.mjs';
import { faults } from './lib/proxy.mjs';
import { fresh, head, portOf, stored } from './lib/relay.mjs';
import { sleep, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

scenario('one connection carries many webhooks', {}, async (world) => {
  const { daemon } = world;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let sockets = 0;
  agent.on('free', () => {
    sockets = Math.max(sockets, Object.values(agent.freeSockets).flat().length);
  });
  const ids = [];
  for (let i = 0; i < 20; i++) {
    const body = fresh();
    const answer = await request(`http://${daemon.ingest}/hooks/relay`, {
      method: 'POST',
      agent,
      headers: sign.raw(body),
      body,
    });
    assert.equal(answer.status, 200);
    assert.notEqual(answer.headers.connection, 'close');
    ids.push(answer.json.id);
  }
  agent.destroy();
  assert.equal(new Set(ids).size, 20);
  assert.deepEqual(
    ids,
    [...ids].sort((a, b) => a - b),
  );
  // Refused by signature, the connection still serves the next; two sent at once are answered in
  // order.
  const [a, b] = [fresh(), fresh()];
  const text =
    head('other', `Content-Length: ${a.length}\r\n`) +
    a +
    head(b, `Content-Length: ${b.length}\r\nConnection: close\r\n`) +
    b;
  assert.deepEqual((await exchange(portOf(daemon), text)).statuses, [401, 200]);
  // HTTP/1.0 closes by itself.
  const c = fresh();
  const old = await exchange(
    portOf(daemon),
    head(c, `Content-Length: ${c.length}\r\n`, 'POST /hooks/relay HTTP/1.0') + c,
  );
  assert.deepEqual([old.statuses, old.closed], [[200], true]);
});

scenario('a client that asks first is told to go on', {}, async (world) => {
  const { daemon } = world;
  const body = fresh();
  const answer = await new Promise((resolve, reject) => {
    const req = http.request(
      `http://${daemon.ingest}/hooks/relay`,
      {
        method: 'POST',
        headers: {
          ...sign.raw(body),
          'content-length': Buffer.byteLength(body),
          expect: '100-continue',
        },
      },
      (res) => {
        res.resume();
        res.on('end', () => resolve(res.statusCode));
      },
    );
    req.on('continue', () => req.end(body));
    req.on('error', reject);
    req.setTimeout(4000, () => req.destroy(new Error('no 100 Continue came')));
    req.flushHeaders();
  });
  assert.equal(answer, 200);
});

scenario(
  'slow clients are let go, others are served meanwhile',
  {
    config: (c) => {
      c.ingest.timeouts = { header: '400ms', body: '600ms', idle: '500ms' };
    },
  },
  async (world) => {
    const { daemon } = world;
    const port = portOf(daemon);
    const body = fresh();
    const slow = [
      exchange(port, 'POST /hooks/relay HTTP/1.1\r\nHos', { timeout: 5000 }), // never ends its header
      exchange(port, head(body, `Content-Length: ${body.length}\r\n`) + body.slice(0, 10), {
        timeout: 5000,
      }), // nor this its body
      exchange(port, [...head(body, `Content-Length: ${body.length}\r\n`)], {
        pause: 30,
        timeout: 20_000,
      }), // a byte at a time
      exchange(port, '', { timeout: 5000 }), // says nothing
    ];
    const quick = fresh();
    const began = Date.now();
    assert.equal((await post(daemon.ingest, 'relay', quick, sign.raw(quick))).status, 200);
    assert.ok(Date.now() - began < 400);
    for (const answer of await Promise.all(slow)) {
      assert.ok(answer.closed, 'closed by the daemon');
      assert.ok(
        answer.statuses.every((s) => s === 408),
        `${answer.statuses}`,
      );
    }
    assert.ok(Date.now() - began < 5000);
    assert.equal((await stored(daemon)).length, 1);
  },
);

scenario(
  'bodies in flight are bounded: 503 with Retry-After',
  {
    config: (c) => {
      c.ingest.max_in_flight = '64KiB';
      c.ingest.timeouts = { body: '5s' };
    },
  },
  async (world) => {
    const { daemon } = world;
    const big = 'x'.repeat(60 * 1024);
    const held = net.connect(portOf(daemon), '127.0.0.1');
    held.write(head(big, `Content-Length: ${big.length}\r\n`) + big.slice(0, -1));
    await sleep(300);
    const body = 'z'.repeat(10 * 1024);
    const refused = await post(daemon.ingest, 'relay', body, sign.raw(body));
    assert.equal(refused.status, 503);
    assert.match(refused.headers['retry-after'], /^\d+$/);
    held.write('x');
    const answer = await new Promise((resolve) => {
      held.once('data', (chunk) => resolve(chunk.toString()));
    });
    assert.match(answer, /^HTTP\/1\.1 200 /);
    held.destroy();
    assert.equal(
      (
        await until('room again', async () => {
          const a = await post(daemon.ingest, 'relay', body, sign.raw(body));
          return a.status === 200 && a;
        })
      ).json.duplicate,
      false,
    );
  },
);

scenario(
  'connections are bounded',
  {
    config: (c) => {
      c.ingest.max_connections = 4;
    },
  },
  async (world) => {
    const { daemon } = world;
    const idle = Array.from({ length: 4 }, () => net.connect(portOf(daemon), '127.0.0.1'));
    await sleep(200);
    const body = fresh();
    const fifth = await post(daemon.ingest, 'relay', body, sign.raw(body)).catch(() => ({
      status: 0,
    }));
    assert.ok([0, 503].includes(fifth.status), `the fifth is not served: ${fifth.status}`);
    for (const socket of idle) socket.destroy();
    await until(
      'it is served again',
      async () => (await post(daemon.ingest, 'relay', body, sign.raw(body))).status === 200,
    );
  },
);

scenario(
  'below min_free webhooks are refused with 503, and nothing is said to be stored',
  {
    config: (c) => {
      c.store.min_free = '8000000GiB';
    },
  },
  async (world) => {
    const { daemon } = world;
    const body = fresh();
    const answer = await post(daemon.ingest, 'relay', body, sign.raw(body));
    assert.equal(answer.status, 503);
    assert.match(answer.headers['retry-after'], /^\d+$/);
    assert.equal((await stored(daemon)).length, 0);
    assert.equal(await refused(daemon, 'unavailable'), 1);
    const { degraded } = await daemon.get('/readyz');
    assert.match(degraded.find((d) => d.kind === 'store').reason, /min_free/);
    const said = daemon.logs.filter((l) => l.component === 'store' && /min_free/.test(l.msg));
    assert.equal(said.length, 1, daemon.tail());
  },
);

const refused = async (daemon, result) => {
  const name = `tidemark_ingest_requests_total{source="relay",result="${result}"} `;
  const line = (await daemon.api('/metrics')).text.split('\n').find((l) => l.startsWith(name));
  return Number(line.slice(name.length));
};

scenario(
  'a webhook that is refused before its body is read is counted',
  {
    config: (c) => {
      Object.assign(c.ingest, { max_body: '1KiB', max_in_flight: '1KiB' });
    },
  },
  async (world) => {
    const { daemon } = world;
    const port = portOf(daemon);
    const last = async () =>
      (await daemon.get('/v1/sources')).items.find((s) => s.name === 'relay').last_result;
    const chunked = 'Transfer-Encoding: chunked\r\n';
    for (const [status, result, text] of [
      [413, 'too_large', head('x', 'Content-Length: 2000\r\n')],
      [413, 'too_large', `${head('x', chunked)}7d0\r\n`],
      [415, 'unsupported', `${head('x', 'Content-Encoding: br\r\nContent-Length: 1\r\n')}x`],
      [405, 'malformed', 'GET /hooks/relay HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
      [411, 'malformed', head('x')],
      [400, 'malformed', `${head('x', chunked)}zz\r\n`],
    ]) {
      const before = await refused(daemon, result);
      const answer = await exchange(port, text, { end: true });
      assert.deepEqual(answer.statuses, [status]);
      assert.equal(await refused(daemon, result), before + 1, `${status}`);
      assert.equal(await last(), result);
    }
    const waiting = exchange(port, [`${head('x', 'Content-Length: 1000\r\n')}x`, 'x'.repeat(999)], {
      pause: 600,
      timeout: 3000,
    });
    await sleep(200);
    const full = head('x', 'Content-Length: 1000\r\n');
    assert.deepEqual((await exchange(port, full)).statuses, [503]);
    assert.equal(await refused(daemon, 'unavailable'), 1);
    await waiting;
  },
);

scenario("no chain's trouble makes a webhook wait", { proxy: true }, async (world) => {
  const { daemon, proxy } = world;
  for (const fault of [faults.silence, faults.jsonError, faults.refused]) {
    proxy.set(fault);
    await sleep(300);
    for (let i = 0; i < 5; i++) {
      const body = fresh();
      const began = Date.now();
      assert.equal((await post(daemon.ingest, 'relay', body, sign.raw(body))).status, 200);
      assert.ok(Date.now() - began < 500, `${Date.now() - began} ms`);
    }
  }
});
