// SPDX-License-Identifier: MIT
// Who is told more than before, while events wait for their confirmations or a chain finds them.
import assert from 'node:assert/strict';
import { Handler } from './lib/handler.mjs';
import { never, until } from './lib/wait.mjs';
import { EVENT, scenario } from './lib/world.mjs';

const reload = async (daemon) => {
  daemon.write(daemon.config);
  const answer = await daemon.api('/v1/reload', { body: {} });
  assert.equal(answer.status, 200, answer.text);
};

/** Two subscriptions, of which the handler has the second; the first has an event that waits long. */
const ways = {
  'its subscriptions': async ({ daemon }) => {
    daemon.config.handlers[0].subscriptions = ['a', 'b'];
    await reload(daemon);
  },
  'a new subscription': async ({ daemon, A }) => {
    daemon.config.subscriptions.push({ name: 'n', chains: ['local'], address: [A], event: EVENT });
    daemon.config.handlers[0].subscriptions = ['b', 'n'];
    await reload(daemon);
  },
  'a wider subscription': async ({ daemon, A, B }) => {
    daemon.config.subscriptions[1].address = [A, B];
    delete daemon.config.subscriptions[1].where;
    await reload(daemon);
  },
  'an address more in a list': async ({ daemon, anvil }) => {
    const add = [anvil.accounts[9].toLowerCase()];
    const answer = await daemon.api('/v1/lists/wallets', { method: 'PATCH', body: { add } });
    assert.equal(answer.status, 200, answer.text);
  },
  'its send': async ({ daemon }) => {
    daemon.config.handlers[0].send = ['confirmed'];
    await reload(daemon);
  },
};

for (const [what, change] of Object.entries(ways))
  scenario(
    `told more by ${what}: what waits holds what comes behind it`,
    {
      contracts: ['A', 'B'],
      confirmations: 3,
      config: (c, w) => {
        const escalate = [{ when: 'value >= 1000', confirmations: 8 }];
        c.lists = { wallets: {} };
        c.subscriptions = [
          { name: 'a', chains: ['local'], address: [w.A], event: EVENT, escalate },
          { name: 'b', chains: ['local'], address: [w.A], event: EVENT, where: { to: { list: 'wallets' } } },
        ];
        const [h] = c.handlers;
        h.subscriptions = what === 'its send' ? ['a'] : ['b'];
        h.send = what === 'its send' ? ['pending'] : ['confirmed'];
      },
    },
    async (world) => {
      const { anvil, daemon, handler } = world;
      await anvil.mine(10);
      const to = anvil.accounts[9];
      for (const value of [1000, 8]) await anvil.emit({ contract: world.A, value, to });
      await until('both wait', async () => (await daemon.all('/v1/events')).length === 2);
      await change(world);
      await anvil.mine(4);
      await world.marked((await anvil.head()) - 3);
      await never('the later one goes first', () => handler.got('confirmed').length > 0, 500);
      await anvil.mine(6);
      await until('both are told', () => handler.got('confirmed').length === 2);
      const told = handler.got('confirmed');
      assert.deepEqual(told.map((m) => m.data.args.value), ['1000', '8']);
      assert.ok(told.every((m) => !m.event.late));
    },
  );

/** A chain that is behind finds one confirmed event after the other, four blocks at a time. */
const behind = {
  start: false,
  timeout: 120_000,
  before: async (w) => { w.late = await new Handler().start(); w.others.push(w.late); },
  config: (c) => {
    Object.assign(c.handlers[0], { send: ['confirmed'], order_by: 'none', concurrency: 32, start: 'all' });
    Object.assign(c.chains[0], { reconcile: { interval: '1s', max_range: 4 }, reorg: { max_depth: 4 } });
    c.log = { level: 'info' };
  },
};
const values = (handler) => new Set(handler.got('confirmed').map((m) => Number(m.data.args.value)));
const lacking = (told, blocks) => Array.from({ length: blocks }, (_, i) => i + 1).filter((v) => !told.has(v));

async function mined(world, blocks) {
  for (let value = 1; value <= blocks; ++value) {
    await world.anvil.send({ contract: world.A, value });
    await world.anvil.mine(1);
  }
  await world.anvil.mine(4);
  await world.daemon.start();
}

scenario('a handler that a reload brings while its chain finds events lacks none of them', behind, async (world) => {
  const { daemon, late } = world;
  await mined(world, 300);
  await until('it is on its way', async () => ((await daemon.chain()).mark?.number ?? 0) > 20);
  daemon.config.handlers.push({ ...daemon.config.handlers[0], name: 'late', url: late.url });
  await reload(daemon);
  await world.marked(300, 60_000);
  await until('the first has all', () => values(world.handler).size === 300, { timeout: 30_000 });
  await until(() => `it lacks ${lacking(values(late), 300)}`, () => values(late).size === 300, { timeout: 30_000 });
});

scenario('a handler that goes and comes back meanwhile is told the rest, or that it missed it', behind, async (world) => {
  const { daemon, handler, late } = world;
  await mined(world, 300);
  const [first] = daemon.config.handlers;
  const other = { ...first, name: 'other', url: late.url };
  for (const handlers of [[other, first], [other], [other, first], [other], [other, first]]) {
    daemon.config.handlers = handlers;
    await reload(daemon);
  }
  await world.marked(300, 60_000);
  const valueOf = new Map();
  for (const e of await daemon.all('/v1/events'))
    valueOf.set(`${e.event_id.replaceAll(':', '_')}_${e.block.hash.slice(2, 18)}_c1`, Number(e.args.value));
  const known = () => {
    const gaps = handler.accepted.filter((m) => m.type === 'tidemark.gap').flatMap((m) => m.data.ids);
    return new Set([...values(handler), ...gaps.map((id) => valueOf.get(id))]);
  };
  await until(() => `neither told nor in a gap: ${lacking(known(), 300)}`, () => known().size === 300, { timeout: 30_000 });
});
