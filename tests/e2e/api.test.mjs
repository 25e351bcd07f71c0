// SPDX-License-Identifier: MIT
// The admin API: who may ask, and the shape of each answer.
import assert from 'node:assert/strict';
import http from 'node:http';
import { alchemy, alchemyBody, post, sign } from './lib/hooks.mjs';
import { request } from './lib/http.mjs';
import { sleep, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const TOKEN = 'an-admin-token-of-some-length';
const isTime = (text) => typeof text === 'string' && !Number.isNaN(Date.parse(text));
const problem = (answer, status) => {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers['content-type'], /^application\/problem\+json/);
  assert.equal(answer.json.status ?? status, status);
  assert.ok((answer.json.title ?? answer.json.detail).length > 0, 'it says what is wrong');
};

async function busy(world) {
  const { anvil, daemon } = world;
  for (let i = 0; i < 3; i++) {
    const transfers = await anvil.transfersIn(await anvil.emit({ contract: world.A, count: 2, value: 10 * i + 1, from: i, receiver: 6 + i }));
    await alchemy(daemon, transfers);
    world.transfers = [...(world.transfers ?? []), ...transfers];
  }
  await anvil.mine(2);
  await world.settled();
  await until('all is delivered', async () => (await daemon.all('/v1/events')).every((e) => e.processing.app === 'delivered'));
}

scenario('tokens: who may do what', {
  config: (c) => { c.admin.tokens = [{ name: 'grafana', role: 'read', token: 'read-only-token-1234' }, { name: 'ops', role: 'operate', token: TOKEN }]; },
}, async (world) => {
  const { daemon } = world;
  const ask = (path, token, options = {}) => daemon.api(path, { token, ...options });
  for (const path of ['/v1/status', '/v1/chains/local', '/v1/events', '/v1/feed', '/v1/reorgs', '/v1/webhooks']) {
    problem(await ask(path, undefined), 401);
    problem(await ask(path, 'wrong'), 401);
    assert.equal((await ask(path, 'read-only-token-1234')).status, 200, path);
    assert.equal((await ask(path, TOKEN)).status, 200, path);
  }
  problem(await ask('/v1/status', undefined, { headers: { authorization: 'Basic eA==' } }), 401);
  for (const path of ['/livez', '/readyz', '/']) assert.equal((await ask(path, undefined)).status, 200, `${path} needs no token`);
  problem(await ask('/v1/chains/local/resume', 'read-only-token-1234', { body: {} }), 403);
  assert.equal((await ask('/v1/chains/local/resume', TOKEN, { body: {} })).status, 200, 'nothing is halted: nothing to do');
  const log = daemon.logs.map((l) => l.text).join('\n');
  assert.ok(!log.includes(TOKEN) && !log.includes('read-only-token'), 'no token in a log');
});

scenario('Host, Origin, content types, methods, paths', {
  config: (c) => { c.admin.hosts = ['tidemark.internal']; },
}, async (world) => {
  const { daemon } = world;
  const port = daemon.admin.split(':').at(-1);
  const get = (headers, path = '/v1/status') => request(`http://127.0.0.1:${port}${path}`, { headers });
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'tidemark.internal', `tidemark.internal:${port}`]) assert.equal((await get({ host })).status, 200, host);
  for (const host of ['evil.example', `evil.example:${port}`, '169.254.169.254']) problem(await get({ host }), 403);
  assert.equal((await get({ origin: `http://127.0.0.1:${port}` })).status, 200);
  for (const origin of ['http://evil.example', 'null', `https://evil.example:${port}`]) problem(await get({ origin }), 403);
  const resume = (headers, body = '{}') => request(`http://127.0.0.1:${port}/v1/chains/local/resume`, { method: 'POST', headers, body });
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', undefined]) problem(await resume(type ? { 'content-type': type } : {}), 415);
  problem(await resume({ 'content-type': 'application/json' }, '{"half'), 400);
  assert.equal((await resume({ 'content-type': 'application/json; charset=utf-8' })).status, 200);
  problem(await daemon.api('/v1/nothing'), 404);
  problem(await daemon.api('/v1/chains/nobody'), 404);
  problem(await daemon.api('/v1/chains/31337'), 404);
  problem(await daemon.api('/v1/status', { method: 'DELETE' }), 405);
  problem(await daemon.api('/v1/events/31337:0x12:0'), 404);
  problem(await daemon.api(`/v1/events/31337:0x${'ab'.repeat(32)}:0`), 404);
  for (const query of ['limit=0', 'limit=1001', 'limit=many', 'status=maybe', 'from_block=-1', 'from_block=x', 'tx=0x12', 'address=0x12', 'after=%00nonsense', 'unknown_filter=1']) {
    problem(await daemon.api(`/v1/events?${query}`), 400);
  }
});

scenario('health', {}, async (world) => {
  const { daemon } = world;
  await until('the head is known', async () => (await world.daemon.chain()).head);
  assert.equal((await daemon.api('/livez')).status, 200);
  assert.equal((await daemon.api('/readyz')).status, 200);
  const page = await daemon.api('/');
  assert.equal(page.status, 200);
  assert.match(page.headers['content-type'], /^text\/html/);
  world.anvil.stop();
  await until('the chain is degraded', async () => (await daemon.chain()).state === 'degraded');
  const ready = await daemon.api('/readyz');
  assert.equal(ready.status, 200);
  assert.match(JSON.stringify(ready.json.degraded), /local/);
  assert.equal((await daemon.api('/livez')).status, 200);
});

scenario('shapes: status and chain', {}, async (world) => {
  const { daemon, anvil } = world;
  await busy(world);
  const status = await daemon.get('/v1/status');
  assert.deepEqual(Object.keys(status).sort(), ['chains', 'handlers', 'instance', 'sources', 'store', 'uptime_s', 'version']);
  assert.match(status.version, /^\d+\.\d+\.\d+/);
  assert.equal(status.instance, 'test');
  assert.ok(status.uptime_s >= 0 && status.uptime_s < 600);
  for (const member of ['bytes', 'wal_bytes', 'free_bytes']) assert.ok(Number.isInteger(status.store[member]) && status.store[member] >= 0, member);
  assert.equal(status.store.last_backup, null);
  assert.deepEqual(status.chains.map((c) => c.name), ['local']);
  assert.deepEqual(status.handlers.map((h) => [h.name, h.state]), [['app', 'active']]);
  assert.deepEqual(status.sources.map((s) => s.name), ['alchemy', 'standard', 'relay']);
  const source = status.sources[0];
  assert.equal(source.provider, 'alchemy');
  assert.equal(source.received, 3);
  assert.ok(isTime(source.last_at));
  const handler = status.handlers[0];
  for (const member of ['due', 'in_flight', 'held', 'blocked_keys', 'parked']) assert.equal(handler[member], 0, member);
  assert.equal(handler.epoch, 1);

  const chain = await until('the mark has arrived', async () => { const c = await daemon.chain(); return c.lag_blocks === 0 && c.state === 'following' && c; });
  const head = await anvil.head();
  for (const member of ['name', 'id', 'state', 'reason', 'head', 'mark', 'lag_blocks', 'safe', 'finalized', 'endpoints', 'backfills', 'last_reorg', 'last_reconcile']) {
    assert.ok(member in chain, `${member} is there`);
  }
  assert.deepEqual([chain.name, chain.id, chain.reason, chain.last_reorg], ['local', 31337, null, null]);
  assert.deepEqual(chain.head, { number: head, hash: (await anvil.block(head)).hash });
  assert.deepEqual(chain.mark, { number: head - 2, hash: (await anvil.block(head - 2)).hash });
  assert.deepEqual(chain.backfills, []);
  const [endpoint] = chain.endpoints;
  assert.deepEqual(Object.keys(endpoint).sort(), ['errors', 'head', 'latency_ms', 'lies', 'name', 'state']);
  assert.deepEqual([endpoint.name, endpoint.state, endpoint.head, endpoint.lies], [new URL(anvil.url).host, 'ok', head, 0]);
  assert.ok(isTime(chain.last_reconcile.at));
});

scenario('/v1/events: order, pages and filters', {}, async (world) => {
  const { daemon, anvil } = world;
  await busy(world);
  const [pending] = await anvil.transfersIn(await anvil.emit({ contract: world.A, from: 4, value: 99 }));
  await world.message(pending.eventId, 'pending');
  const all = await daemon.all('/v1/events');
  assert.equal(all.length, 7);
  assert.equal(all[0].event_id, pending.eventId, 'newest first');
  const paged = [];
  let after;
  for (let pages = 0; ; pages++) {
    assert.ok(pages < 20);
    const page = await daemon.get(`/v1/events?limit=2${after ? `&after=${encodeURIComponent(after)}` : ''}`);
    assert.deepEqual(Object.keys(page).sort(), ['items', 'next']);
    assert.ok(page.items.length <= 2);
    paged.push(...page.items);
    if ((after = page.next) === null) break;
    assert.equal(typeof after, 'string');
  }
  assert.deepEqual(paged.map((e) => e.event_id), all.map((e) => e.event_id));
  const count = async (query) => (await daemon.all(`/v1/events?${query}`)).length;
  const [first] = world.transfers;
  assert.equal(await count('status=pending'), 1);
  assert.equal(await count('status=confirmed'), 6);
  assert.equal(await count('status=rolled_back'), 0);
  assert.equal(await count('chain=local'), 7);
  assert.equal(await count(`tx=${first.tx}`), 2);
  assert.equal(await count(`address=${world.A}`), 7);
  assert.equal(await count(`address=${world.A.toUpperCase().replace('0X', '0x')}`), 7, 'any case');
  assert.equal(await count(`address=0x${'9'.repeat(40)}`), 0);
  assert.equal(await count('subscription=transfers'), 7);
  assert.equal(await count(`from_block=${first.block + 1}`), 5);
  assert.equal(await count(`to_block=${first.block}`), 2);
  assert.equal(await count(`from_block=${first.block}&to_block=${first.block}&status=confirmed`), 2);
  assert.equal(await count('handler=app&delivery=delivered'), 7);
  assert.equal(await count('handler=app&delivery=parked'), 0);
  const hooks = await count('first_seen=webhook:alchemy'), heads = await count('first_seen=head'), scans = await count('first_seen=reconcile');
  assert.equal(hooks + heads + scans, 7);
  await anvil.mine(2);
});

scenario('/v1/feed: every fact, once, in order; waiting for the next', {}, async (world) => {
  const { daemon, anvil } = world;
  const empty = await daemon.get('/v1/feed');
  assert.deepEqual(empty.items, []);
  const began = Date.now();
  assert.deepEqual((await daemon.get(`/v1/feed?after=${empty.next}&wait=600ms`)).items, []);
  assert.ok(Date.now() - began >= 550, 'it waits');
  const waiting = daemon.get(`/v1/feed?after=${empty.next}&wait=10s`);
  await sleep(100);
  await anvil.emit({ contract: world.A });
  const woken = await waiting;
  assert.ok(woken.items.length >= 1);
  assert.ok(Date.now() - began < 6000, 'and is woken by a fact');
  await busy(world);
  const feed = await daemon.get('/v1/feed?limit=1000');
  assert.deepEqual(Object.keys(feed).sort(), ['epoch', 'items', 'next']);
  assert.equal(feed.items.length, 14);
  const seqs = feed.items.map((i) => i.seq);
  assert.deepEqual(seqs, [...seqs].sort((a, b) => a - b), 'oldest first');
  assert.equal(new Set(seqs).size, 14);
  assert.equal(feed.next, seqs.at(-1));
  assert.deepEqual((await daemon.get(`/v1/feed?after=${seqs[3]}&limit=4`)).items.map((i) => i.seq), seqs.slice(4, 8));
  assert.equal((await daemon.api(`/v1/feed?after=${feed.next}&epoch=${feed.epoch}`)).status, 200);
  problem(await daemon.api(`/v1/feed?after=${feed.next + 1000}`), 410);
  problem(await daemon.api(`/v1/feed?after=0&epoch=${feed.epoch + 1}`), 410);
  problem(await daemon.api('/v1/feed?after=x'), 400);
  problem(await daemon.api('/v1/feed?wait=forever'), 400);
});

scenario('/v1/feed/stream: the same as server-sent events', {}, async (world, t) => {
  const { daemon, anvil } = world;
  if ((await daemon.api('/v1/feed/stream', { method: 'HEAD' })).status === 404) return t.skip('not yet');
  await busy(world);
  const feed = await daemon.get('/v1/feed?limit=1000');
  const seqs = feed.items.map((i) => i.seq);
  const read = (path, headers = {}, count = 1) => new Promise((resolve, reject) => {
    let text = '';
    const req = http.get(`http://${daemon.admin}${path}`, { headers: { accept: 'text/event-stream', ...headers } }, (res) => {
      if (res.statusCode !== 200) { resolve({ status: res.statusCode }); req.destroy(); return; }
      res.on('data', (chunk) => {
        text += chunk;
        const events = [...text.matchAll(/^id: ?(\d+)[^]*?^data: ?(.*)$/gm)].map((m) => ({ id: Number(m[1]), item: JSON.parse(m[2]) }));
        if (events.length >= count) { resolve({ status: 200, type: res.headers['content-type'], events }); req.destroy(); }
      });
    });
    req.on('error', reject);
    req.setTimeout(8000, () => req.destroy(new Error(`the stream gave: ${text}`)));
  });
  const stream = await read('/v1/feed/stream?after=0', {}, 14);
  assert.match(stream.type, /^text\/event-stream/);
  assert.deepEqual(stream.events.map((e) => e.id), seqs);
  assert.deepEqual(stream.events[5].item, feed.items[5]);
  assert.deepEqual((await read('/v1/feed/stream', { 'last-event-id': String(seqs[9]) }, 4)).events.map((e) => e.id), seqs.slice(10));
  const live = read(`/v1/feed/stream?after=${feed.next}`);
  await sleep(150);
  const [transfer] = await anvil.transfersIn(await anvil.emit({ contract: world.A, from: 3 }));
  assert.equal((await live).events[0].item.subject, transfer.eventId);
  await anvil.mine(2);
});

scenario('webhooks: list, one, its bytes, extracting its hints again', {}, async (world) => {
  const { daemon } = world;
  await busy(world);
  const { items } = await daemon.get('/v1/webhooks');
  assert.equal(items.length, 3);
  assert.ok(items[0].id > items[1].id, 'newest first');
  assert.equal((await daemon.get('/v1/webhooks?source=relay')).items.length, 0);
  assert.equal((await daemon.get('/v1/webhooks?source=alchemy&state=verified')).items.length, 3);
  const one = await daemon.get(`/v1/webhooks/${items[0].id}`);
  assert.deepEqual([one.id, one.source, one.state], [items[0].id, 'alchemy', 'verified']);
  assert.ok(!JSON.stringify(one).includes(world.daemon.config.sources[0].secret));
  const body = alchemyBody(world.transfers.slice(0, 1));
  const { json: { id } } = await post(daemon.ingest, 'alchemy', body, sign.alchemy(body));
  const raw = await daemon.api(`/v1/webhooks/${id}/raw`);
  assert.equal(raw.text, body);
  const before = world.handler.requests.length;
  const again = await daemon.api(`/v1/webhooks/${id}/reprocess`, { body: {} });
  assert.equal(again.status, 202, again.text);
  await until('it is verified again', async () => (await daemon.get(`/v1/webhooks/${id}`)).state === 'verified');
  await sleep(300);
  assert.equal(world.handler.requests.length, before, 'nothing is told twice');
  problem(await daemon.api('/v1/webhooks/123456/reprocess', { body: {} }), 404);
});
