// SPDX-License-Identifier: MIT
// From where a subscription counts: given, added, widened, narrowed and removed between starts.
import assert from 'node:assert/strict';
import { Handler } from './lib/handler.mjs';
import { never, until } from './lib/wait.mjs';
import { EVENT, scenario } from './lib/world.mjs';

const one = async (world, call = {}) => {
  const receipt = await world.anvil.emit({ contract: world.A, value: 100, ...call });
  return (await world.anvil.transfersIn(receipt))[0];
};
const other = (contract, more = {}) => ({
  name: 'others',
  chains: ['local'],
  address: [contract],
  event: EVENT,
  ...more,
});
const filled = (world) =>
  until('nothing is left to be filled', async () => {
    const chain = await world.daemon.chain();
    return chain.state === 'following' && chain.backfills.length === 0;
  });
/** Starts it again with another config. */
async function again(world, change, how = 'stop') {
  await world.daemon[how]();
  const config = structuredClone(world.daemon.config);
  change(config);
  world.daemon.write(config);
  await world.daemon.start();
}
/** What the handler was told as confirmed: [value, late]. */
const told = (world, from = 0) =>
  world.handler
    .got('confirmed')
    .slice(from)
    .map((m) => [m.data.args.value, m.event.late === true]);

scenario(
  'a new store: from below the start, and from above it',
  {
    contracts: ['A', 'B'],
    before: async (w) => {
      for (const value of [1, 2, 3]) await one(w, { value }); // blocks 3, 4, 5
      await w.anvil.mine(2);
    },
    config: (c, w) => {
      c.chains[0].start_block = 'latest'; // 7
      c.subscriptions = [
        { name: 'early', chains: ['local'], address: [w.A], event: EVENT, start_block: 4 },
        other(w.B, { start_block: 12 }),
      ];
    },
  },
  async (world) => {
    await until('what lies below is told', () => told(world).length === 2);
    assert.deepEqual(told(world), [
      ['2', true],
      ['3', true],
    ]);
    await filled(world);
    await one(world, { contract: world.B }); // 8
    await one(world, { value: 9 }); // 9
    await world.anvil.mine(2); // 11
    const fresh = await one(world, { contract: world.B }); // 12
    await world.anvil.mine(2);
    await world.message(fresh.eventId, 'confirmed');
    assert.deepEqual(told(world, 2), [
      ['9', false],
      ['12', false],
    ]);
  },
);

scenario(
  'added on a running chain: from the block after the mark, or scanned behind it and late',
  {
    contracts: ['A', 'B'],
    config: (c, w) => {
      c.subscriptions[0].address = [w.A];
    },
  },
  async (world) => {
    const old = await one(world, { contract: world.B }); // 3
    await one(world, { value: 5 }); // 4
    await world.anvil.mine(8);
    await world.marked(10);
    await again(world, (c) => c.subscriptions.push(other(world.B)));
    const before = world.handler.got('confirmed').length;
    const fresh = await one(world, { contract: world.B });
    await world.anvil.mine(2);
    await world.message(fresh.eventId, 'confirmed');
    assert.equal(world.handler.got('confirmed').length, before + 1);
    assert.equal(world.handler.of(old.eventId).length, 0);
  },
);

scenario(
  'a later one with a start_block survives kill -9, and only what it adds is told',
  {
    contracts: ['A', 'B'],
    config: (c, w) => {
      c.subscriptions[0].address = [w.A];
      c.chains[0].reorg.max_depth = 8;
      c.chains[0].reconcile.max_range = 10;
    },
  },
  async (world) => {
    const wanted = [];
    for (let i = 0; i < 6; i++) {
      await one(world, { value: i });
      wanted.push(await one(world, { contract: world.B }));
      await world.anvil.mine(8);
    }
    await world.anvil.mine(2);
    await until('A is told', () => world.handler.got('confirmed').length === 6);
    const seen = [];
    await again(world, (c) => {
      c.subscriptions.push(other(world.B, { start_block: wanted[2].block }));
    });
    seen.push(...(await world.daemon.chain()).backfills);
    await world.daemon.kill9();
    await world.daemon.start();
    await filled(world);
    for (const [i, t] of wanted.entries())
      if (i >= 2) {
        const m = await world.message(t.eventId, 'confirmed');
        assert.equal(m.event.late, true);
        assert.equal(m.event.subscription, 'others');
      }
    const fresh = await one(world, { contract: world.B });
    await world.anvil.mine(2);
    assert.notEqual((await world.message(fresh.eventId, 'confirmed')).event.late, true);
    assert.equal(world.handler.got('confirmed').length, 6 + 4 + 1, 'each once');
    for (const b of seen)
      assert.deepEqual([b.subscription, b.from], ['others', wanted[2].block]);
  },
);

scenario(
  'widened and narrowed: what was let through before stays as it was',
  {
    contracts: ['A', 'B'],
    config: (c, w) => {
      c.subscriptions[0].address = [w.A];
    },
  },
  async (world) => {
    const first = await one(world, { value: 1 });
    const missed = await one(world, { contract: world.B });
    await world.anvil.mine(4);
    await world.marked(missed.block);
    const open = await one(world, { value: 2 }); // pending when the config changes
    await world.message(open.eventId, 'pending');
    await again(world, (c) => {
      c.subscriptions[0].address = [world.A, world.B];
    });
    const wider = await one(world, { contract: world.B });
    await world.anvil.mine(2);
    await world.message(wider.eventId, 'confirmed');
    await world.message(open.eventId, 'confirmed');
    assert.equal(world.handler.of(missed.eventId).length, 0, 'from the block after the mark');

    const last = await one(world, { value: 3 });
    await world.message(last.eventId, 'pending');
    await again(world, (c) => {
      c.subscriptions[0].address = [world.B];
    });
    await one(world, { value: 4 });
    const still = await one(world, { contract: world.B });
    await world.anvil.mine(2);
    await world.message(last.eventId, 'confirmed');
    await world.message(still.eventId, 'confirmed');
    const values = world.handler.got('confirmed').map((m) => m.data.args.value);
    assert.ok(!values.includes('4'), 'what it no longer lets through makes nothing new');
    assert.equal(world.handler.of(first.eventId, 'confirmed').length, 1);
    await world.anvil.reorg((await world.anvil.head()) - last.block + 1);
    await world.anvil.mine(3);
    await world.message(last.eventId, 'rolled_back');

    // The start_block comes later: what was missed is found late.
    await again(world, (c) => {
      c.subscriptions[0].start_block = 0;
    });
    assert.equal((await world.message(missed.eventId, 'confirmed')).event.late, true);
  },
);

scenario(
  'removed: it makes nothing new, and what it made is undone as before',
  {
    contracts: ['A', 'B'],
    config: (c, w) => {
      c.subscriptions = [
        { name: 'first', chains: ['local'], address: [w.A], event: EVENT },
        other(w.B),
      ];
    },
  },
  async (world) => {
    const kept = await one(world, { contract: world.B });
    await world.anvil.mine(2);
    await world.message(kept.eventId, 'confirmed');
    const open = await one(world, { contract: world.B });
    await world.message(open.eventId, 'pending');
    await again(world, (c) => c.subscriptions.pop(), 'kill9');
    const unseen = await one(world, { contract: world.B });
    await world.anvil.mine(2);
    await world.message(open.eventId, 'confirmed');
    await never('a word about what nobody asks for', () => world.handler.of(unseen.eventId).length);
    await world.anvil.reorg(8);
    await world.anvil.mine(2);
    await world.message(open.eventId, 'rolled_back');
    await world.message(kept.eventId, 'rolled_back');
  },
);

scenario(
  'what another subscription had already is told to those that only the new one is for, once',
  {
    config: (c) => {
      c.handlers[0].subscriptions = ['transfers'];
      c.handlers[0].send = ['confirmed'];
    },
  },
  async (world) => {
    const second = await new Handler().start();
    world.others.push(second);
    const events = [await one(world), await one(world), await one(world)];
    await world.anvil.mine(2);
    await until('the first is told', () => world.handler.got('confirmed').length === 3);
    await again(world, (c) => {
      c.subscriptions.push(other(world.A, { start_block: events[1].block }));
      c.handlers.push({
        ...c.handlers[0],
        name: 'second',
        url: second.url,
        subscriptions: ['others'],
      });
    });
    await filled(world);
    await until('the second is told', () => second.got('confirmed').length === 2);
    assert.deepEqual(
      second.got('confirmed').map((m) => [m.data.event_id, m.event.subscription, m.event.late]),
      events.slice(1).map((e) => [e.eventId, 'others', true]),
    );
    const listed = await world.daemon.all('/v1/events?subscription=others');
    assert.deepEqual(
      listed.map((e) => e.event_id).sort(),
      events
        .slice(1)
        .map((e) => e.eventId)
        .sort(),
    );
    await world.daemon.kill9();
    await world.daemon.start();
    const fresh = await one(world);
    await world.anvil.mine(2);
    await until('both are told', () => second.of(fresh.eventId, 'confirmed').length);
    await world.message(fresh.eventId, 'confirmed');
    assert.equal(second.got('confirmed').length, 3, 'each once');
    assert.equal(world.handler.got('confirmed').length, 4, 'each once');
  },
);

scenario(
  'widened, and then the chain forks below the mark: the old part counts in the new branch too',
  {
    contracts: ['A', 'B'],
    config: (c, w) => {
      c.subscriptions[0].address = [w.A];
    },
  },
  async (world) => {
    const events = [];
    for (let value = 1; value <= 5; value++) events.push(await one(world, { value }));
    await world.anvil.mine(2);
    await until('all are told', () => told(world).length === 5);
    await again(world, (c) => {
      c.subscriptions[0].address = [world.A, world.B];
    });
    const depth = (await world.anvil.head()) - events[3].block + 1; // the last two leave
    await world.anvil.reorg(depth, [
      [{ contract: world.A, value: 40 }, 0],
      [{ contract: world.A, value: 50, from: 1 }, 1],
    ]);
    await world.anvil.mine(2);
    await world.message(events[3].eventId, 'rolled_back');
    await world.message(events[4].eventId, 'rolled_back');
    await until('the new branch is told', () => told(world).length === 7);
    assert.deepEqual(told(world, 5), [
      ['40', false],
      ['50', false],
    ]);
    assert.equal((await world.daemon.chain()).state, 'following');
  },
);

scenario(
  'a later one waits for its own policy with what another had confirmed by a weaker one',
  {
    contracts: ['A', 'B'],
    config: (c, w) => {
      c.subscriptions[0].address = [w.A];
    },
  },
  async (world) => {
    const second = await new Handler().start();
    world.others.push(second);
    const events = [await one(world), await one(world)];
    await world.anvil.mine(2);
    await until('the first is told', () => told(world).length === 2);
    await again(world, (c) => {
      c.subscriptions.push(
        { ...other(world.A, { start_block: 0 }), confirmations: 9 },
        { ...other(world.B, { start_block: 0 }), name: 'behind' },
      );
      c.handlers[0].subscriptions = [c.subscriptions[0].name];
      c.handlers.push({ ...c.handlers[0], name: 'second', url: second.url, start: 'all', subscriptions: ['others'] });
    });
    const ready = async () => (await world.daemon.chain()).backfills;
    await until('what waits holds nothing else up', async () =>
      (await ready()).every((b) => b.subscription === 'others'),
    );
    await never('it is told too early', () => second.got('confirmed').length > 0, 500);
    await world.anvil.mine(events[0].block + 9 - (await world.anvil.head()));
    await until('the first is deep enough', () => second.got('confirmed').length === 1);
    assert.equal(second.got('confirmed')[0].data.block.number, events[0].block);
    await world.anvil.mine(1);
    await until('the second too', () => second.got('confirmed').length === 2);
    await filled(world);
    assert.equal(told(world).length, 2, 'the first handler is told once');
  },
);
