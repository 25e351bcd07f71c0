// SPDX-License-Identifier: MIT
// The admin API: who may ask, and the shape of each answer.
import assert from 'node:assert/strict';
import http from 'node:http';
import { busy, isTime, problem } from './lib/admin.mjs';
import { alchemy } from './lib/hooks.mjs';
import { request } from './lib/http.mjs';
import { until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const TOKEN = 'an-admin-token-of-some-length';
scenario(
  'tokens: who may do what',
  {
    config: (c) => {
      c.admin.tokens = [
        { name: 'grafana', role: 'read', token: 'read-only-token-1234' },
        { name: 'ops', role: 'operate', token: TOKEN },
      ];
    },
  },
  async (world) => {
    const { daemon } = world;
    const ask = (path, token, options = {}) => daemon.api(path, { token, ...options });
    for (const path of [
      '/v1/status',
      '/v1/chains/local',
      '/v1/events',
      '/v1/feed',
      '/v1/reorgs',
      '/v1/webhooks',
    ]) {
      problem(await ask(path, undefined), 401);
      problem(await ask(path, 'wrong'), 401);
      assert.equal((await ask(path, 'read-only-token-1234')).status, 200, path);
      assert.equal((await ask(path, TOKEN)).status, 200, path);
    }
    problem(await ask('/v1/status', undefined, { headers: { authorization: 'Basic eA==' } }), 401);
    for (const path of ['/livez', '/readyz', '/'])
      assert.equal((await ask(path, undefined)).status, 200, `${path} needs no token`);
    problem(await ask('/v1/chains/local/resume', 'read-only-token-1234', { body: {} }), 403);
    assert.equal(
      (await ask('/v1/chains/local/resume', TOKEN, { body: {} })).status,
      200,
      'nothing is halted: nothing to do',
    );
    const log = daemon.logs.map((l) => l.text).join('\n');
    assert.ok(!log.includes(TOKEN) && !log.includes('read-only-token'), 'no token in a log');
  },
);

scenario(
  'Host, Origin, content types, methods, paths',
  {
    config: (c) => {
      c.admin.hosts = ['tidemark.internal'];
    },
  },
  async (world) => {
    const { daemon } = world;
    const port = daemon.admin.split(':').at(-1);
    const get = (headers, path = '/v1/status') =>
      request(`http://127.0.0.1:${port}${path}`, { headers });
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      'tidemark.internal',
      `tidemark.internal:${port}`,
    ])
      assert.equal((await get({ host })).status, 200, host);
    for (const host of ['evil.example', `evil.example:${port}`, '169.254.169.254'])
      problem(await get({ host }), 403);
    assert.equal((await get({ origin: `http://127.0.0.1:${port}` })).status, 200);
    for (const origin of ['http://evil.example', 'null', `https://evil.example:${port}`])
      problem(await get({ origin }), 403);
    const resume = (headers, body = '{}') =>
      request(`http://127.0.0.1:${port}/v1/chains/local/resume`, { method: 'POST', headers, body });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', undefined])
      problem(await resume(type ? { 'content-type': type } : {}), 415);
    problem(await resume({ 'content-type': 'application/json' }, '{"half'), 400);
    assert.equal((await resume({ 'content-type': 'application/json; charset=utf-8' })).status, 200);
    problem(await daemon.api('/v1/nothing'), 404);
    problem(await daemon.api('/v1/chains/nobody'), 404);
    problem(await daemon.api('/v1/chains/31337'), 404);
    problem(await daemon.api('/v1/status', { method: 'DELETE' }), 405);
    problem(await daemon.api('/v1/events/31337:0x12:0'), 404);
    problem(await daemon.api(`/v1/events/31337:0x${'ab'.repeat(32)}:0`), 404);
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=many',
      'status=maybe',
      'from_block=-1',
      'from_block=x',
      'tx=0x12',
      'address=0x12',
      'after=%00nonsense',
      'unknown_filter=1',
    ]) {
      problem(await daemon.api(`/v1/events?${query}`), 400);
    }
  },
);

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
  assert.deepEqual(Object.keys(status).sort(), [
    'chains',
    'handlers',
    'instance',
    'sources',
    'store',
    'uptime_s',
    'version',
  ]);
  assert.match(status.version, /^\d+\.\d+\.\d+/);
  assert.equal(status.instance, 'test');
  assert.ok(status.uptime_s >= 0 && status.uptime_s < 600);
  for (const member of ['bytes', 'wal_bytes', 'free_bytes'])
    assert.ok(Number.isInteger(status.store[member]) && status.store[member] >= 0, member);
  assert.equal(status.store.last_backup, null);
  assert.deepEqual(
    status.chains.map((c) => c.name),
    ['local'],
  );
  assert.deepEqual(
    status.handlers.map((h) => [h.name, h.state]),
    [['app', 'active']],
  );
  assert.deepEqual(
    status.sources.map((s) => s.name),
    ['alchemy', 'standard', 'relay'],
  );
  const source = status.sources[0];
  assert.equal(source.provider, 'alchemy');
  assert.equal(source.received, 3);
  assert.ok(isTime(source.last_at));
  const handler = status.handlers[0];
  for (const member of ['due', 'in_flight', 'held', 'blocked_keys', 'parked'])
    assert.equal(handler[member], 0, member);
  assert.equal(handler.epoch, 1);

  const chain = await until('the mark has arrived', async () => {
    const c = await daemon.chain();
    return c.lag_blocks === 0 && c.state === 'following' && c;
  });
  const head = await anvil.head();
  for (const member of [
    'name',
    'id',
    'state',
    'reason',
    'head',
    'mark',
    'lag_blocks',
    'safe',
    'finalized',
    'endpoints',
    'backfills',
    'last_reorg',
    'last_reconcile',
  ]) {
    assert.ok(member in chain, `${member} is there`);
  }
  assert.deepEqual(
    [chain.name, chain.id, chain.reason, chain.last_reorg],
    ['local', 31337, null, null],
  );
  assert.deepEqual(chain.head, { number: head, hash: (await anvil.block(head)).hash });
  assert.deepEqual(chain.mark, { number: head - 2, hash: (await anvil.block(head - 2)).hash });
  assert.deepEqual(chain.backfills, []);
  const [endpoint] = chain.endpoints;
  assert.deepEqual(Object.keys(endpoint).sort(), [
    'errors',
    'head',
    'latency_ms',
    'lies',
    'name',
    'state',
  ]);
  assert.deepEqual(
    [endpoint.name, endpoint.state, endpoint.head, endpoint.lies],
    [new URL(anvil.url).host, 'ok', head, 0],
  );
  assert.ok(isTime(chain.last_reconcile.at));
});

scenario('/v1/events: order, pages and filters', {}, async (world) => {
  const { daemon, anvil } = world;
  await busy(world);
  const [pending] = await anvil.transfersIn(
    await anvil.emit({ contract: world.A, from: 4, value: 99 }),
  );
  await world.message(pending.eventId, 'pending');
  const all = await daemon.all('/v1/events');
  assert.equal(all.length, 7);
  assert.equal(all[0].event_id, pending.eventId, 'newest first');
  const paged = [];
  let after;
  for (let pages = 0; ; pages++) {
    assert.ok(pages < 20);
    const page = await daemon.get(
      `/v1/events?limit=2${after ? `&after=${encodeURIComponent(after)}` : ''}`,
    );
    assert.deepEqual(Object.keys(page).sort(), ['items', 'next']);
    assert.ok(page.items.length <= 2);
    paged.push(...page.items);
    if ((after = page.next) === null) break;
    assert.equal(typeof after, 'string');
  }
  assert.deepEqual(
    paged.map((e) => e.event_id),
    all.map((e) => e.event_id),
  );
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
  assert.equal(
    await count(`from_block=${first.block}&to_block=${first.block}&status=confirmed`),
    2,
  );
  assert.equal(await count('status=confirmed&handler=app&delivery=delivered'), 6);
  assert.equal(await count('handler=app&delivery=parked'), 0);
  const hooks = await count('first_seen=webhook:alchemy'),
    heads = await count('first_seen=head'),
    scans = await count('first_seen=reconcile');
  assert.equal(hooks + heads + scans, 7);
  await anvil.mine(2);
});
