// SPDX-License-Identifier: MIT
// Budgets, parked messages and what an operator does with them; a ping; an outage parks nothing.
import assert from 'node:assert/strict';
import { freePort } from './lib/http.mjs';
import { never, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

/** So that verbs find the daemon. */
const fixedPort = async (c) => {
  c.admin.listen = `127.0.0.1:${await freePort()}`;
};

const confirmedOnly = (extra) => ({
  config: async (c) => {
    await fixedPort(c);
    Object.assign(c.handlers[0], { send: ['confirmed'], ...extra });
    c.handlers[0].retry = { initial: '20ms', max: '60ms', ...extra.retry };
  },
});
const value = (m) => m.data?.args?.value;
/** The handler refuses what has one of these values. */
const poison = (handler, values, answer = { status: 500 }) => {
  handler.rule = (m) => (values.includes(value(m)) ? answer : undefined);
};
const emit = async (world, values) => {
  for (const v of values) await world.anvil.emit({ contract: world.A, value: v });
  await world.anvil.mine(2);
};
const dead = (daemon) => daemon.all('/v1/dead');
const gaps = (handler) => handler.accepted.filter((m) => m.type === 'tidemark.gap');

scenario(
  'park_event: a gap in its place, the key goes on; retry, skip and the audit',
  confirmedOnly({ on_exhausted: 'park_event', retry: { attempts: 3 } }),
  async (world) => {
    const { handler, daemon } = world;
    poison(handler, ['2', '4']);
    await emit(world, [1, 2, 3, 4, 5]);
    await until('the key goes on', () => handler.got('confirmed').length === 3);
    const parked = await until('both are parked', async () => {
      const items = await dead(daemon);
      return items.length === 2 && items;
    });
    const [four, two] = parked; // newest first
    assert.match(
      (await daemon.api('/metrics')).text,
      /^tidemark_gaps_total\{handler="app"\} 2$/m,
      'a gap for each',
    );
    assert.deepEqual(
      Object.keys(two).sort(),
      'answer attempts event_id handler http_status id key message_id outcome parked_at sequence'.split(
        ' ',
      ),
    );
    assert.equal(two.attempts, 3);
    assert.equal(two.http_status, 500);
    assert.equal(two.outcome, 'failed');
    assert.equal(handler.requests.filter((r) => r.id === two.message_id).length, 3);
    const [gap] = await until('gaps came', () => gaps(handler).length === 2 && gaps(handler));
    assert.deepEqual(
      { ...gap.data },
      {
        ids: [two.message_id],
        count: 1,
        reason: 'exhausted',
        by: 'tidemark',
        chain: 'local',
        from_block: gap.data.from_block,
        to_block: gap.data.to_block,
      },
    );
    assert.match(gap.id, /^gap_/);
    assert.equal(gap.event.sequence, two.sequence);
    assert.equal(gap.event.partitionkey, two.key);
    assert.equal((await daemon.get(`/v1/events/${two.event_id}`)).processing.app, 'parked');
    assert.equal((await daemon.get('/v1/handlers')).items[0].parked, 2);

    handler.rule = undefined;
    handler.bytes.delete(two.message_id); // its sequence will be another one
    const retried = await daemon.verb('dead', 'retry', String(two.id));
    assert.equal(retried.code, 0, retried.stderr);
    const back = await until('the retried one comes', () =>
      handler.accepted.find((m) => m.id === two.message_id),
    );
    assert.equal(back.event.sequence, '6'.padStart(20, '0'));
    assert.equal((await daemon.verb('dead', 'skip', String(four.id))).code, 2, 'without a reason');
    const skipped = await daemon.verb('dead', 'skip', String(four.id), '--reason', 'by hand');
    assert.equal(skipped.code, 0, skipped.stderr);
    const said = await until('its gap comes', () =>
      gaps(handler).find((m) => m.data.reason === 'skipped'),
    );
    assert.deepEqual(said.data.ids, [four.message_id]);
    assert.deepEqual(await dead(daemon), []);
    assert.equal((await daemon.get(`/v1/events/${four.event_id}`)).processing.app, 'skipped');
    assert.equal((await daemon.api(`/v1/dead/${four.id}/retry`, { body: {} })).status, 404);
    const audit = await daemon.all('/v1/audit');
    assert.ok(audit.some((a) => a.what === 'dead retry' && a.detail === String(two.id)));
    assert.ok(audit.some((a) => a.what === 'dead skip' && a.detail.endsWith('by hand')));
    assert.ok(audit.some((a) => a.what === 'dead retry' && a.detail.startsWith(`${four.id} (refused`)));
    assert.equal((await daemon.all('/v1/gaps')).at(0).reason, 'by hand');
  },
);

scenario(
  'park_key: the key waits whole, the others go',
  {
    contracts: ['A', 'B'],
    config: async (c) => {
      await fixedPort(c);
      Object.assign(c.handlers[0], { send: ['confirmed'], on_exhausted: 'park_key' });
      c.handlers[0].retry = { initial: '20ms', max: '60ms', attempts: 2 };
    },
  },
  async (world) => {
    const { handler, daemon, anvil } = world;
    handler.rule = (m) => (value(m) === '1' ? { status: 422, body: 'no such account' } : undefined);
    await anvil.emit({ contract: world.B, value: 0 });
    await emit(world, [1, 2, 3]);
    await until('all of the key are parked', async () => (await dead(daemon)).length === 3);
    const keys = (await daemon.get('/v1/handlers/app/keys?state=parked')).items;
    assert.equal(keys.length, 1);
    assert.equal(keys[0].state, 'parked');
    assert.equal(keys[0].head.answer, 'no such account');
    assert.ok(handler.got('confirmed').every((m) => value(m) !== '2'));
    handler.rule = undefined;
    assert.equal((await daemon.verb('dead', 'retry', '--all')).code, 0);
    await world.settled();
    assert.deepEqual(
      handler
        .got('confirmed')
        .filter((m) => m.data.address === world.A)
        .map(value),
      ['1', '2', '3'],
    );
  },
);

scenario(
  'max_age is a budget too',
  confirmedOnly({ on_exhausted: 'park_event', retry: { max_age: '400ms' } }),
  async (world) => {
    const { handler, daemon } = world;
    poison(handler, ['1']);
    const began = Date.now();
    await emit(world, [1]);
    await until('it is parked', async () => (await dead(daemon)).length === 1);
    assert.ok(Date.now() - began >= 300);
    handler.rule = undefined;
    await until('the gap', () => gaps(handler).length === 1);
  },
);

scenario(
  'a poison message is not an outage: its key waits, the others go',
  {
    contracts: ['A', 'B'],
    config: (c) => {
      c.handlers[0].send = ['confirmed'];
      c.handlers[0].retry = { initial: '20ms', max: '60ms' };
    },
  },
  async (world, t) => {
    const { handler, daemon, anvil } = world;
    for (const status of [500, 403]) {
      await t.test(`a ${status} for one message only`, async () => {
        handler.rule = (m) => (m.data.address === world.A ? { status } : undefined);
        const before = handler.got('confirmed').length;
        await anvil.emit({ contract: world.A, value: status });
        for (let i = 0; i < 8; i++) await anvil.emit({ contract: world.B, value: i });
        await anvil.mine(2);
        await until('the others go', () => handler.got('confirmed').length === before + 8, {
          timeout: 20_000,
        });
        await until('its key is blocked', async () => {
          const { items } = await daemon.get('/v1/handlers/app/keys?state=blocked');
          return items.length === 1 && items[0].head.attempts > 1;
        });
        handler.rule = undefined;
        await world.settled();
      });
    }
  },
);

scenario(
  'an outage parks nothing, whatever the budget',
  {
    contracts: ['A', 'B'],
    config: (c) => {
      Object.assign(c.handlers[0], { send: ['confirmed'], on_exhausted: 'park_event' });
      c.handlers[0].retry = { initial: '20ms', max: '60ms', attempts: 4 };
    },
  },
  async (world) => {
    const { handler, daemon, anvil } = world;
    handler.rule = () => ({ status: 500 });
    for (let i = 0; i < 4; i++) {
      await anvil.emit({ contract: world.A, value: i });
      await anvil.emit({ contract: world.B, value: i });
    }
    await anvil.mine(2);
    const broken = await until('the handler is broken', async () => {
      const [h] = (await daemon.get('/v1/handlers')).items;
      return h.state === 'broken' && h;
    });
    assert.ok(broken.next_probe_at);
    await never('anything is parked', async () => (await dead(daemon)).length > 0, 3_500);
    handler.rule = undefined;
    await world.settled({ timeout: 30_000 });
    assert.deepEqual(await dead(daemon), []);
  },
);

scenario('a ping is signed and beside the queue', { config: fixedPort }, async (world) => {
  const { handler, daemon } = world;
  const done = await daemon.verb('handlers', 'test', 'app');
  assert.equal(done.code, 0, done.stdout + done.stderr);
  const ping = handler.requests.find((r) => r.type === 'tidemark.ping');
  assert.match(ping.id, /^ping_/);
  assert.equal(ping.event.partitionkey, undefined);
  assert.equal(ping.event.sequence, undefined);
  handler.rule = () => ({ status: 500 });
  assert.equal((await daemon.verb('handlers', 'test', 'app')).code, 1);
  assert.equal((await daemon.api('/v1/handlers/none/test', { body: {} })).status, 404);
  assert.ok((await daemon.all('/v1/audit')).some((a) => a.what === 'handler test'));
});
