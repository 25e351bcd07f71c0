// SPDX-License-Identifier: MIT
// POST /hooks/{source}: every answer of contract §3, and what is stored behind it.
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import zlib from 'node:zlib';
import { alchemyBody, keys, post, sign } from './lib/hooks.mjs';
import { exchange, request } from './lib/http.mjs';
import { faults } from './lib/proxy.mjs';
import { sleep, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const log = {
  address: `0x${'11'.repeat(20)}`, topics: [`0x${'22'.repeat(32)}`], data: '0x', blockNumber: '0x7fffff', transactionHash: `0x${'33'.repeat(32)}`,
  transactionIndex: '0x0', blockHash: `0x${'44'.repeat(32)}`, logIndex: '0x0', removed: false,
};
let nonce = 0;
const fresh = () => JSON.stringify([{ ...log, data: `0x${(++nonce).toString(16).padStart(64, '0')}` }]);
const portOf = (daemon) => Number(daemon.ingest.split(':').at(-1));
const stored = (daemon) => daemon.all('/v1/webhooks');
const head = (body, extra = '', first = 'POST /hooks/relay HTTP/1.1') => {
  const signature = sign.raw(body)['x-hub-signature-256'];
  return `${first}\r\nHost: localhost\r\nX-Hub-Signature-256: ${signature}\r\nContent-Type: application/json\r\n${extra}\r\n`;
};

scenario('the table of answers', { config: (c) => { c.ingest.max_body = '64KiB'; } }, async (world, t) => {
  const { daemon } = world;
  const port = portOf(daemon);
  /** Sends it and expects the status, and whether it is stored. */
  const row = (name, status, send, { kept = status === 200 } = {}) => t.test(name, async () => {
    const before = (await stored(daemon)).length;
    const answer = await send();
    const got = answer.status ?? answer.statuses?.[0];
    assert.equal(got, status, JSON.stringify(answer.text ?? answer).slice(0, 400));
    assert.equal((await stored(daemon)).length - before, kept ? 1 : 0, 'webhooks stored');
    if (answer.status && status !== 200 && answer.text) assert.match(answer.headers['content-type'] ?? '', /json|text/);
  });
  const raw = (body, headers, source = 'relay') => post(daemon.ingest, source, body, headers);

  await row('200: signed and understood', 200, () => { const b = fresh(); return raw(b, sign.raw(b)); });
  await row('200: signed and not JSON', 200, async () => {
    const answer = await raw('certainly not JSON', sign.raw('certainly not JSON'));
    assert.equal(answer.json.hints, 0);
    return answer;
  });
  await row('200: signed and empty', 200, async () => {
    const answer = await raw('', { ...sign.raw(''), 'content-length': 0 });
    assert.equal(answer.json.hints, 0);
    return answer;
  });
  await row('200: signed bytes that are no UTF-8', 200, () => { const b = Buffer.from([0xff, 0x00, 0xfe, ++nonce]); return raw(b, sign.raw(b)); });
  await row('200: the query after the path is not part of it', 200, () => {
    const b = fresh();
    return request(`http://${daemon.ingest}/hooks/relay?token=1`, { method: 'POST', headers: sign.raw(b), body: b });
  });
  await row('200: header names in any case', 200, () => { const b = fresh(); return raw(b, { 'x-hub-SIGNATURE-256': sign.raw(b)['x-hub-signature-256'] }); });
  await row('200: chunked', 200, () => {
    const b = fresh();
    return request(`http://${daemon.ingest}/hooks/relay`, { method: 'POST', headers: { ...sign.raw(b), 'transfer-encoding': 'chunked' }, body: b });
  });
  for (const [encoding, squeeze] of [['gzip', zlib.gzipSync], ['deflate', zlib.deflateSync], ['identity', (x) => x]]) {
    await row(`200: ${encoding}`, 200, async () => {
      const wire = squeeze(Buffer.from(fresh()));
      const answer = await raw(wire, { ...sign.raw(wire), 'content-encoding': encoding });
      assert.equal(answer.json?.hints, 1);
      assert.ok((await daemon.api(`/v1/webhooks/${answer.json.id}/raw`)).raw.equals(wire), 'stored as it came');
      return answer;
    });
  }
  await row('400: gzip that is none', 400, () => { const b = fresh(); return raw(b, { ...sign.raw(b), 'content-encoding': 'gzip' }); });
  await row('400: gzip cut short', 400, () => {
    const wire = zlib.gzipSync(Buffer.from(fresh().repeat(20))).subarray(0, 40);
    return raw(wire, { ...sign.raw(wire), 'content-encoding': 'gzip' });
  });
  await row('400: no HTTP', 400, () => exchange(port, 'HELLO\r\n\r\n'));
  await row('400: a header line without a colon', 400, () => exchange(port, 'POST /hooks/relay HTTP/1.1\r\nHost: x\r\nbroken header\r\nContent-Length: 0\r\n\r\n'));
  await row('400: two lengths', 400, () => exchange(port, head('{}', 'Content-Length: 2\r\nContent-Length: 3\r\n') + '{}x'));
  await row('400: a chunk size that is none', 400, () => exchange(port, head('{}', 'Transfer-Encoding: chunked\r\n') + 'zz\r\n{}\r\n0\r\n\r\n'));
  await row('401: no signature', 401, () => raw(fresh(), {}));
  await row('401: of another body', 401, () => raw(fresh(), sign.raw('other')));
  await row('401: with another key', 401, () => { const b = fresh(); return raw(b, sign.raw(b, 'guess')); });
  await row('401: without its prefix', 401, () => { const b = fresh(); return raw(b, { 'x-hub-signature-256': sign.raw(b)['x-hub-signature-256'].slice(7) }); });
  await row('401: cut short', 401, () => { const b = fresh(); return raw(b, { 'x-hub-signature-256': sign.raw(b)['x-hub-signature-256'].slice(0, -2) }); });
  await row('401: one bit of the body', 401, () => { const b = fresh(); return raw(b.replace('removed', 'Removed'), sign.raw(b)); });
  await row('401: of another source', 401, () => { const b = fresh(); return raw(b, sign.raw(b), 'alchemy'); });
  await row('401: Standard Webhooks, two days old', 401, () => {
    const b = fresh();
    return raw(b, sign.standard(b, keys.standard, { at: new Date(Date.now() - 2 * 86_400_000) }), 'standard');
  });
  await row('401: Standard Webhooks, another id than signed', 401, () => {
    const b = fresh();
    return raw(b, { ...sign.standard(b), 'webhook-id': 'msg_other' }, 'standard');
  });
  await row('200: Standard Webhooks, one good signature among others', 200, () => {
    const b = JSON.stringify({ type: 'evm.log', data: { chainId: '0x7a69', log: { ...log, data: `0x${(++nonce).toString(16).padStart(64, '0')}` } } });
    const signed = sign.standard(b);
    return raw(b, { ...signed, 'webhook-signature': `v1a,AAAA v1,AAAA ${signed['webhook-signature']}` }, 'standard');
  });
  await row('404: no such source', 404, () => { const b = fresh(); return raw(b, sign.raw(b), 'nobody'); });
  await row('404: another path', 404, () => request(`http://${daemon.ingest}/elsewhere`, { method: 'POST', body: '{}' }));
  await row('404: below a source', 404, () => request(`http://${daemon.ingest}/hooks/relay/more`, { method: 'POST', body: '{}' }));
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    await row(`405: ${method}`, 405, () => request(`http://${daemon.ingest}/hooks/relay`, { method, ...(method === 'GET' ? {} : { body: '{}' }) }));
  }
  await row('411: no length and not chunked', 411, () => exchange(port, head('')));
  await row('413: too large by its length', 413, () => { const b = 'x'.repeat(65 * 1024); return raw(b, sign.raw(b)); });
  await row('413: a length beyond all numbers', 413, () => exchange(port, head('{}', 'Content-Length: 18446744073709551615\r\n')));
  await row('413: too large, in chunks', 413, () => {
    const body = 'y'.repeat(70 * 1024);
    return exchange(port, [head(body, 'Transfer-Encoding: chunked\r\n'), ...Array.from({ length: 70 }, () => `400\r\n${'y'.repeat(1024)}\r\n`), '0\r\n\r\n']);
  });
  await row('413: too large once inflated', 413, () => {
    const wire = zlib.gzipSync(Buffer.alloc(80 * 1024, 'z'));
    return raw(wire, { ...sign.raw(wire), 'content-encoding': 'gzip' });
  });
  await row('200: just as large as allowed', 200, () => { const b = 'w'.repeat(64 * 1024); return raw(b, sign.raw(b)); });
  for (const encoding of ['br', 'zstd', 'gzip, gzip', 'nonsense']) {
    await row(`415: ${encoding}`, 415, () => { const b = fresh(); return raw(b, { ...sign.raw(b), 'content-encoding': encoding }); });
  }
  await row('431: headers too large', 431, () => exchange(port, [head('{}', `X-Long: ${'a'.repeat(200 * 1024)}\r\nContent-Length: 2\r\n`), '{}']));

  const { sources } = await daemon.get('/v1/status');
  const relay = sources.find((s) => s.name === 'relay');
  assert.ok(relay.unauthorized >= 6, `unauthorized are counted: ${JSON.stringify(relay)}`);
});

scenario('one connection carries many webhooks', {}, async (world) => {
  const { daemon } = world;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let sockets = 0;
  agent.on('free', () => { sockets = Math.max(sockets, Object.values(agent.freeSockets).flat().length); });
  const ids = [];
  for (let i = 0; i < 20; i++) {
    const body = fresh();
    const answer = await request(`http://${daemon.ingest}/hooks/relay`, { method: 'POST', agent, headers: sign.raw(body), body });
    assert.equal(answer.status, 200);
    assert.notEqual(answer.headers.connection, 'close');
    ids.push(answer.json.id);
  }
  agent.destroy();
  assert.equal(new Set(ids).size, 20);
  assert.deepEqual(ids, [...ids].sort((a, b) => a - b));
  // Refused by signature, the connection still serves the next; two sent at once are answered in order.
  const [a, b] = [fresh(), fresh()];
  const text = head('other', `Content-Length: ${a.length}\r\n`) + a + head(b, `Content-Length: ${b.length}\r\nConnection: close\r\n`) + b;
  assert.deepEqual((await exchange(portOf(daemon), text)).statuses, [401, 200]);
  // HTTP/1.0 closes by itself.
  const c = fresh();
  const old = await exchange(portOf(daemon), head(c, `Content-Length: ${c.length}\r\n`, 'POST /hooks/relay HTTP/1.0') + c);
  assert.deepEqual([old.statuses, old.closed], [[200], true]);
});

scenario('a client that asks first is told to go on', {}, async (world) => {
  const { daemon } = world;
  const body = fresh();
  const answer = await new Promise((resolve, reject) => {
    const req = http.request(`http://${daemon.ingest}/hooks/relay`, {
      method: 'POST', headers: { ...sign.raw(body), 'content-length': Buffer.byteLength(body), expect: '100-continue' },
    }, (res) => { res.resume(); res.on('end', () => resolve(res.statusCode)); });
    req.on('continue', () => req.end(body));
    req.on('error', reject);
    req.setTimeout(4000, () => req.destroy(new Error('no 100 Continue came')));
    req.flushHeaders();
  });
  assert.equal(answer, 200);
});

scenario('slow clients are let go, others are served meanwhile', {
  config: (c) => { c.ingest.timeouts = { header: '400ms', body: '600ms', idle: '500ms' }; },
}, async (world) => {
  const { daemon } = world;
  const port = portOf(daemon);
  const body = fresh();
  const slow = [
    exchange(port, 'POST /hooks/relay HTTP/1.1\r\nHos', { timeout: 5000 }), // never ends its header
    exchange(port, head(body, `Content-Length: ${body.length}\r\n`) + body.slice(0, 10), { timeout: 5000 }), // nor this its body
    exchange(port, [...head(body, `Content-Length: ${body.length}\r\n`)], { pause: 30, timeout: 20_000 }), // a byte at a time
    exchange(port, '', { timeout: 5000 }), // says nothing
  ];
  const quick = fresh();
  const began = Date.now();
  assert.equal((await post(daemon.ingest, 'relay', quick, sign.raw(quick))).status, 200);
  assert.ok(Date.now() - began < 400);
  for (const answer of await Promise.all(slow)) {
    assert.ok(answer.closed, 'closed by the daemon');
    assert.ok(answer.statuses.every((s) => s === 408), `${answer.statuses}`);
  }
  assert.ok(Date.now() - began < 5000);
  assert.equal((await stored(daemon)).length, 1);
});

scenario('bodies in flight are bounded: 503 with Retry-After', {
  config: (c) => { c.ingest.max_in_flight = '64KiB'; c.ingest.timeouts = { body: '5s' }; },
}, async (world) => {
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
  const answer = await new Promise((resolve) => { held.once('data', (chunk) => resolve(chunk.toString())); });
  assert.match(answer, /^HTTP\/1\.1 200 /);
  held.destroy();
  assert.equal((await until('room again', async () => { const a = await post(daemon.ingest, 'relay', body, sign.raw(body)); return a.status === 200 && a; })).json.duplicate, false);
});

scenario('connections are bounded', { config: (c) => { c.ingest.max_connections = 4; } }, async (world) => {
  const { daemon } = world;
  const idle = Array.from({ length: 4 }, () => net.connect(portOf(daemon), '127.0.0.1'));
  await sleep(200);
  const body = fresh();
  const fifth = await post(daemon.ingest, 'relay', body, sign.raw(body)).catch(() => ({ status: 0 }));
  assert.ok([0, 503].includes(fifth.status), `the fifth is not served: ${fifth.status}`);
  for (const socket of idle) socket.destroy();
  await until('it is served again', async () => (await post(daemon.ingest, 'relay', body, sign.raw(body))).status === 200);
});

scenario('below min_free webhooks are refused with 503, and nothing is said to be stored', {
  config: (c) => { c.store.min_free = '8000000GiB'; },
}, async (world) => {
  const { daemon } = world;
  const body = fresh();
  const answer = await post(daemon.ingest, 'relay', body, sign.raw(body));
  assert.equal(answer.status, 503);
  assert.match(answer.headers['retry-after'], /^\d+$/);
  assert.equal((await stored(daemon)).length, 0);
});

scenario('no chain\'s trouble makes a webhook wait', { proxy: true }, async (world) => {
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

scenario('an acknowledged webhook is there after kill -9, byte for byte', {}, async (world) => {
  const { daemon } = world;
  const bodies = Array.from({ length: 40 }, () => fresh());
  const answers = await Promise.all(bodies.map((body) => post(daemon.ingest, 'relay', body, sign.raw(body))));
  await daemon.kill9();
  await daemon.start();
  for (const [i, answer] of answers.entries()) {
    assert.equal(answer.status, 200);
    assert.equal((await daemon.api(`/v1/webhooks/${answer.json.id}/raw`)).text, bodies[i]);
  }
  const again = await post(daemon.ingest, 'relay', bodies[0], sign.raw(bodies[0]));
  assert.deepEqual(again.json, { id: answers[0].json.id, hints: 1, duplicate: true });
});

scenario('the same body at once on many connections is stored once', {}, async (world) => {
  const { daemon } = world;
  const body = fresh();
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(daemon.ingest, 'relay', body, sign.raw(body))));
  assert.deepEqual(new Set(answers.map((a) => a.json.id)).size, 1);
  assert.equal(answers.filter((a) => a.json.duplicate === false).length, 1);
  assert.equal((await stored(daemon)).length, 1);
  // The same bytes from another source are another webhook.
  const other = await post(daemon.ingest, 'alchemy', body, sign.alchemy(body));
  assert.equal(other.json.duplicate, false);
});

scenario('what becomes of a webhook: every state', {}, async (world) => {
  const { daemon, anvil } = world;
  const [real] = await anvil.transfersIn(await anvil.emit({ contract: world.A }));
  const stranger = await anvil.deploy('A');
  const [unwanted] = await anvil.transfersIn(await anvil.emit({ contract: stranger }));
  const cases = [
    ['verified', 'alchemy', alchemyBody([real])],
    ['irrelevant', 'alchemy', alchemyBody([unwanted])],
    ['irrelevant', 'alchemy', alchemyBody([])],
    ['unroutable', 'alchemy', alchemyBody([real], { network: 'MATIC_MAINNET' })],
    ['unparsed', 'alchemy', '{"half": '],
    ['received', 'relay', fresh()],
  ];
  for (const [state, source, body] of cases) {
    const answer = await post(daemon.ingest, source, body, (source === 'alchemy' ? sign.alchemy : sign.raw)(body));
    assert.equal(answer.status, 200);
    const hook = await until(`${state}: ${body.slice(0, 80)}`, async () => { const w = await daemon.get(`/v1/webhooks/${answer.json.id}`); return w.state === state && w; }, { timeout: 5000 });
    assert.equal(hook.id, answer.json.id);
    assert.equal(hook.source, source);
    const listed = await daemon.get(`/v1/webhooks?state=${state}&source=${source}`);
    assert.ok(listed.items.some((w) => w.id === hook.id));
  }
  await anvil.mine(2);
  await world.settled();
  assert.equal((await daemon.api('/v1/webhooks/999999')).status, 404);
  assert.equal((await daemon.api('/v1/webhooks?state=nonsense')).status, 400);
});
