// SPDX-License-Identifier: MIT
// A handler that a reload brings, with what the feed has.
import assert from 'node:assert/strict';
import { Handler } from './lib/handler.mjs';
import { freePort } from './lib/http.mjs';
import { never, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';
scenario('a handler that a reload brings gets what the feed has', { config: async (c) => { c.handlers[0].send = ['confirmed']; c.admin.listen = `127.0.0.1:${await freePort()}`; } }, async (world) => {
  const { anvil, daemon } = world;
  for (const value of [1, 2]) await anvil.emit({ contract: world.A, value });
  await anvil.mine(2);
  await world.settled();
  const late = await new Handler().start();
  world.others.push(late);
  daemon.config.handlers.push({ ...daemon.config.handlers[0], name: 'late', url: late.url, start: 'all' });
  daemon.write(daemon.config);
  const done = await daemon.verb('reload');
  assert.equal(done.code, 0, done.stderr);
  await until('both', () => late.got('confirmed').length === 2);
  await anvil.emit({ contract: world.A, value: 3 });
  await anvil.mine(2);
  await until('and what comes', () => late.got('confirmed').length === 3);
  assert.deepEqual(late.got('confirmed').map((m) => m.data.args.value), ['1', '2', '3']);
});

scenario(
  'a new handler has its place in what waits: the earlier event goes first',
  {
    confirmations: 3,
    config: (c) => {
      c.subscriptions[0].escalate = [{ when: 'value >= 1000', confirmations: 8 }];
      c.handlers[0].send = ['confirmed'];
    },
  },
  async (world) => {
    const { anvil, daemon } = world;
    await anvil.mine(10);
    await anvil.emit({ contract: world.A, value: 1000 });
    await anvil.emit({ contract: world.A, value: 8 });
    await until('both wait', async () => (await daemon.all('/v1/events')).length === 2);
    const late = await new Handler().start();
    world.others.push(late);
    daemon.config.handlers.push({ ...daemon.config.handlers[0], name: 'late', url: late.url });
    daemon.write(daemon.config);
    assert.equal((await daemon.api('/v1/reload', { body: {} })).status, 200);
    await anvil.mine(3);
    const values = () => late.accepted.map((m) => m.data.args.value);
    await never('the later one goes first', () => values().length > 0, 1_000);
    await anvil.mine(8);
    await until('both are told', () => values().length === 2);
    assert.deepEqual(values(), ['1000', '8']);
    assert.ok(late.accepted.every((m) => !m.event.late));
  },
);

scenario(
  'a subscription that a reload brings while an event waits: the confirmation names both, and by which policies',
  { confirmations: 2, config: (c) => { c.handlers[0].send = ['pending', 'confirmed']; } },
  async (world) => {
    const { anvil, daemon } = world;
    await anvil.emit({ contract: world.A, value: 7 });
    await until('it is told as pending', () => world.handler.got('pending').length === 1);
    daemon.config.confirmation_policy.strict = 5;
    daemon.config.subscriptions.push({ ...daemon.config.subscriptions[0], name: 'second', confirmations: 'strict' });
    daemon.write(daemon.config);
    assert.equal((await daemon.api('/v1/reload', { body: {} })).status, 200);
    await anvil.mine(3);
    await never('it is confirmed by the first alone', () => world.handler.got('confirmed').length > 0, 1_000);
    await anvil.mine(3);
    await until('it is confirmed', () => world.handler.got('confirmed').length === 1);
    const said = (m) => [m.data.subscriptions, m.data.confirmations.map((c) => `${c.policy}:${c.blocks}`)];
    const [pending] = world.handler.got('pending');
    const [confirmed] = world.handler.got('confirmed');
    const first = daemon.config.subscriptions[0].name;
    assert.deepEqual(said(pending), [[first], ['quick:2']]);
    assert.deepEqual(said(confirmed), [[first, 'second'], ['quick:2', 'strict:5']]);
    const shown = await daemon.get(`/v1/events/${confirmed.data.event_id}`);
    assert.deepEqual(shown.subscriptions, [first, 'second']);
    const { items: feed } = await daemon.get('/v1/feed');
    assert.deepEqual(feed.map((f) => f.data.subscriptions), [[first], [first, 'second']]);
  },
);
