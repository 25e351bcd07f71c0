// SPDX-License-Identifier: MIT
// What a message and a handler wait for, what ends it, and what it costs.
import assert from 'node:assert/strict';
import { never, sleep, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const app = (extra) => ({
  config: (c) => {
    Object.assign(c.handlers[0], { send: ['confirmed'], ...extra });
  },
});
const emit = async (world, values) => {
  for (const value of values) await world.anvil.emit({ contract: world.A, value });
  await world.anvil.mine(2);
};
const reload = async (daemon) => {
  daemon.write(daemon.config);
  const done = await daemon.api('/v1/reload', { body: {} });
  assert.equal(done.status, 200, done.text);
};
const order = async (daemon, path, body = {}) => {
  const done = await daemon.api(path, { method: 'POST', body });
  assert.equal(done.status, 200, done.text);
  return done.json;
};
const confirmed = (world) => world.handler.got('confirmed').map((m) => m.data.args.value);

scenario(
  'a breaker that is open probes, however long each message is to wait',
  app({ order_by: 'none', retry: { initial: '1h', max: '1h' } }),
  async (world) => {
    const { handler, daemon } = world;
    const state = async () => (await daemon.get('/v1/handlers')).items[0].state;
    handler.rule = () => ({ status: 500 });
    await world.anvil.send({ contract: world.A, count: 5, value: 1 });
    await world.anvil.mine(3);
    await until('it is broken', async () => (await state()) === 'broken');
    handler.rule = undefined;
    await until('it is well', async () => (await state()) === 'active', { timeout: 8_000 });
    // Which were to wait an hour for their own sake.
    await until('all', async () => {
      await order(daemon, '/v1/handlers/app/resume');
      return handler.got('confirmed').length === 5;
    });
  },
);

scenario(
  'what a message was to wait and did not is not taken off its max_age',
  app({ retry: { initial: '1h', max: '1h', max_age: '2h' }, on_exhausted: 'park_event' }),
  async (world) => {
    const { handler, daemon } = world;
    handler.rule = () => ({ status: 422 });
    await emit(world, [1]);
    for (let tries = 1; tries <= 10; ++tries) {
      await until(`try ${tries}`, () => handler.requests.length >= tries);
      await sleep(100); // its answer is in the store
      if (tries === 5) {
        await daemon.stop();
        await daemon.start();
      } else await order(daemon, '/v1/handlers/app/resume');
    }
    assert.deepEqual(await daemon.all('/v1/dead'), []);
    handler.rule = undefined;
    await order(daemon, '/v1/handlers/app/resume');
    await world.settled();
  },
);

scenario(
  'what a handler asked to wait holds over a reload and a restart',
  app({ order_by: 'none' }),
  async (world) => {
    const { handler, daemon } = world;
    handler.rule = () =>
      handler.requests.length > 1 ? undefined : { status: 429, headers: { 'retry-after': '600' } };
    await emit(world, [1]);
    await until('it is asked', () => handler.requests.length === 1);
    await emit(world, [2]);
    const waits = async () => {
      await never('it sends', () => handler.requests.length > 1, 1_000);
      const [one] = (await daemon.get('/v1/handlers')).items;
      assert.ok(Date.parse(one.next_probe_at) > Date.now() + 500_000, JSON.stringify(one));
    };
    await waits();
    daemon.config.handlers[0].concurrency = 3;
    await reload(daemon);
    await waits();
    await daemon.kill9();
    await daemon.start();
    await waits();
    await order(daemon, '/v1/handlers/app/resume');
    await world.settled();
  },
);

scenario(
  'a replay leaves out nothing: what fails is tried on until the job is ended',
  app({ retry: { initial: '20ms', max: '40ms', attempts: 3 }, on_exhausted: 'park_event' }),
  async (world) => {
    const { handler, daemon } = world;
    await emit(world, [1, 2, 3]);
    await world.settled();
    const before = handler.requests.length;
    handler.rule = (m) => (m.data?.args?.value === '2' ? { status: 422 } : undefined);
    const { job } = await order(daemon, '/v1/handlers/app/replay', { chain: 'local' });
    await until('it is tried on', () => handler.requests.length > before + 10);
    assert.equal((await daemon.get(`/v1/jobs/${job}`)).state, 'running');
    assert.deepEqual(await daemon.all('/v1/dead'), []);
    handler.rule = undefined;
    await until('all is sent', async () => (await daemon.get(`/v1/jobs/${job}`)).state === 'done');
    const again = new Set(handler.requests.slice(before).map((r) => r.data.args.value));
    assert.deepEqual([...again].sort(), ['1', '2', '3']);
  },
);

scenario('another start of a handler that is known leaves out nothing', app({}), async (world) => {
  const { daemon } = world;
  await emit(world, [1]);
  await world.settled();
  daemon.config.handlers[0].start = { local: 1_000 };
  await reload(daemon);
  await emit(world, [2]);
  await world.settled();
  await daemon.stop();
  await daemon.start();
  await emit(world, [3]);
  await world.settled();
  assert.deepEqual(confirmed(world), ['1', '2', '3']);
});

scenario(
  'a handler is not told that it missed what lies before its start',
  app({ start: { local: 1_000 } }),
  async (world) => {
    const { handler, daemon } = world;
    const all = daemon.config.handlers;
    daemon.config.handlers = [];
    await reload(daemon);
    await emit(world, [1, 2]);
    await world.marked((await world.anvil.head()) - 2);
    daemon.config.handlers = all;
    await reload(daemon);
    await never('it is told', () => handler.requests.length > 0, 1_000);
  },
);

scenario(
  'nothing takes back a pending that expired',
  {
    confirmations: 6,
    config: (c) => {
      c.handlers[0].pending_max_age = '1s';
    },
  },
  async (world) => {
    const { handler, daemon } = world;
    await world.anvil.mine(6);
    await order(daemon, '/v1/handlers/app/pause');
    await world.anvil.emit({ contract: world.A, value: 1 });
    await until('it is seen', async () => (await daemon.all('/v1/events')).length === 1);
    await sleep(1_200);
    await order(daemon, '/v1/handlers/app/resume');
    await until('a gap', () => handler.accepted.length === 1);
    assert.equal(handler.accepted[0].data.reason, 'expired');
    await world.anvil.reorg(1, []);
    await world.anvil.mine(2);
    await until('it is undone', async () => {
      const [event] = await daemon.all('/v1/events');
      return event.status === 'rolled_back';
    });
    await never('anything is taken back', () => handler.requests.length > 1, 800);
  },
);
