// SPDX-License-Identifier: MIT
// Keys: one message at a time within each, in the order of the chain.
import assert from 'node:assert/strict';
import { checkMessage } from './lib/expect.mjs';
import { until } from './lib/wait.mjs';
import { EVENT, scenario } from './lib/world.mjs';

/** Two contracts, two receivers: events that some keys keep apart. */
async function traffic(world) {
  const { anvil, A, B } = world;
  for (let i = 0; i < 3; i++) {
    await anvil.send({ contract: A, from: 0, receiver: 6, value: 10 + i });
    await anvil.send({ contract: A, from: 1, receiver: 7, value: 20 + i });
    await anvil.send({ contract: B, from: 2, receiver: 6, count: 2 });
    await anvil.mine();
  }
  await anvil.mine(2);
}

const keysOf = {
  chain: () => '31337',
  contract: (t) => `31337:${t.address}`,
  subscription: (t, world) => `31337:${t.address === world.A ? 'of-a' : 'of-b'}`,
  'arg:to': (t) => `31337:${t.address}:${t.to}`,
  'arg:value': (t) => `31337:${t.address}:${t.value}`,
  'arg:memo': (t) => `31337:${t.address}`, // no such argument: as contract
  none: (t) => t.logicalId,
};
for (const [order, keyOf] of Object.entries(keysOf)) {
  scenario(
    `order_by ${order}`,
    {
      contracts: ['A', 'B'],
      config: (c, { A, B }) => {
        c.subscriptions = [
          { name: 'of-a', chains: ['local'], address: [A], event: EVENT },
          { name: 'of-b', chains: ['local'], address: [B], event: EVENT },
        ];
        c.handlers[0].order_by = order;
        c.handlers[0].send = ['confirmed'];
      },
    },
    async (world) => {
      const { handler, anvil } = world;
      handler.rule = () => ({ delay: 5 });
      await traffic(world);
      assert.equal(await world.settled(), 12);
      const lanes = new Map();
      for (const transfer of await anvil.transfers()) {
        const key = keyOf(transfer, world);
        checkMessage(await world.message(transfer.eventId, 'confirmed'), transfer, {
          status: 'confirmed',
          version: 2,
          firstSeen: ['head', 'reconcile'],
          key,
          ...(transfer.address === world.A
            ? { subscription: 'of-a', subscriptions: ['of-a'] }
            : { subscription: 'of-b', subscriptions: ['of-b'] }),
        });
        lanes.set(key, [...(lanes.get(key) ?? []), transfer.eventId]);
      }
      for (const [key, inOrder] of lanes) {
        assert.deepEqual(
          handler
            .got('confirmed')
            .filter((m) => m.key === key)
            .map((m) => m.data.event_id),
          inOrder,
          `the chain's order under ${key}`,
        );
      }
    },
  );
}

scenario(
  'keys go side by side, up to `concurrency`; a key that hangs holds no other',
  {
    contracts: ['A', 'B'],
    config: (c) => {
      c.handlers[0].send = ['confirmed'];
      c.handlers[0].timeout = '10s';
    },
  },
  async (world) => {
    const { anvil, handler } = world;
    handler.rule = (m) =>
      m.data.address === world.A && m.attempt === 1 ? { delay: 3000 } : undefined;
    await anvil.emit({ contract: world.A, count: 2 });
    for (let i = 0; i < 3; i++) await anvil.emit({ contract: world.B, from: 1 });
    await anvil.mine(2);
    await until(
      'the other key is done',
      () => handler.got('confirmed').filter((m) => m.data.address === world.B).length === 3,
      { timeout: 2500 },
    );
    assert.equal(
      handler.requests.filter((m) => m.data.address === world.A).length,
      1,
      'within a key always one',
    );
    await world.settled();
  },
);
