// SPDX-License-Identifier: MIT
// Policies: a tag, a tag and blocks, and a subscription that asks for more than its chain.
import assert from 'node:assert/strict';
import { checkMessage } from './lib/expect.mjs';
import { never, until } from './lib/wait.mjs';
import { EVENT, scenario } from './lib/world.mjs';

const one = async (world, call = {}) =>
  (await world.anvil.transfersIn(await world.anvil.emit({ contract: world.A, ...call })))[0];

scenario(
  'finalized: confirmed when the tag has reached it, not before',
  {
    anvil: { slots: 2 }, // safe = head − 2, finalized = head − 4
    config: (c) => {
      c.confirmation_policy = { settled: 'finalized' };
      c.chains[0].confirmations = 'settled';
    },
  },
  async (world) => {
    const transfer = await one(world); // block 2
    await world.message(transfer.eventId, 'pending');
    await world.anvil.mine(3); // 5: finalized 1
    await never('confirmed too early', () => world.handler.got('confirmed').length > 0, 1000);
    await world.anvil.mine(1); // 6: finalized 2
    checkMessage(await world.message(transfer.eventId, 'confirmed'), transfer, {
      status: 'confirmed',
      version: 2,
      firstSeen: ['head', 'reconcile'],
      policies: [{ policy: 'settled', blocks: null, tag: 'finalized' }],
    });
    const chain = await world.daemon.chain();
    assert.equal(chain.finalized, 2);
    assert.equal(chain.safe, 4);
  },
);

scenario(
  'blocks and a tag, given in place: both must hold',
  {
    anvil: { slots: 3 }, // safe = head − 3
    config: (c) => {
      c.chains[0].confirmations = { blocks: 1, tag: 'safe' };
    },
  },
  async (world) => {
    const transfer = await one(world);
    await world.anvil.mine(2); // head 4: two blocks deep, safe 1
    await never('confirmed by blocks alone', () => world.handler.got('confirmed').length > 0, 1000);
    await world.anvil.mine(1);
    checkMessage(await world.message(transfer.eventId, 'confirmed'), transfer, {
      status: 'confirmed',
      version: 2,
      firstSeen: ['head', 'reconcile'],
      policies: [{ policy: null, blocks: 1, tag: 'safe' }],
    });
  },
);

scenario('0 confirmations: at once', { confirmations: 0 }, async (world) => {
  const transfer = await one(world);
  checkMessage(await world.message(transfer.eventId, 'confirmed'), transfer, {
    status: 'confirmed',
    version: world.handler.of(transfer.eventId, 'confirmed')[0].data.version,
    firstSeen: ['head', 'reconcile'],
    policies: [{ policy: 'quick', blocks: 0, tag: null }],
  });
});

scenario(
  'the tag is unknown: nothing is confirmed by it, and it is when it is known again',
  {
    anvil: { slots: 1 },
    proxy: true,
    before: (w) =>
      w.proxy.set({
        call: (call) =>
          call.params?.[0] === 'finalized'
            ? { jsonrpc: '2.0', id: call.id, result: null }
            : undefined,
      }),
    config: (c) => {
      c.chains[0].confirmations = 'finalized';
    },
  },
  async (world) => {
    const transfer = await one(world);
    await world.anvil.mine(6);
    await world.message(transfer.eventId, 'pending');
    await never('confirmed without the tag', () => world.handler.got('confirmed').length > 0, 1200);
    world.proxy.clear();
    await world.message(transfer.eventId, 'confirmed');
  },
);

scenario(
  'a tag as high as the head is not believed on a chain that has reorgs',
  {
    proxy: true,
    before: (w) =>
      w.proxy.set({
        call: async (call, forward) =>
          ['finalized', 'safe'].includes(call.params?.[0])
            ? forward({ ...call, params: ['latest', call.params[1]] })
            : undefined,
      }),
    config: (c) => {
      c.chains[0].confirmations = 'finalized';
    },
  },
  async (world) => {
    await one(world);
    await never('confirmed at the head', () => world.handler.got('confirmed').length > 0, 1500);
  },
);

scenario(
  'on an instant chain it is',
  {
    proxy: true,
    before: (w) =>
      w.proxy.set({
        call: async (call, forward) =>
          ['finalized', 'safe'].includes(call.params?.[0])
            ? forward({ ...call, params: ['latest', call.params[1]] })
            : undefined,
      }),
    config: (c) => {
      c.chains[0].confirmations = 'finalized';
      c.chains[0].instant = true;
    },
  },
  async (world) => {
    const transfer = await one(world);
    await world.message(transfer.eventId, 'confirmed');
  },
);

scenario(
  'a subscription adds to its chain, and what waits holds the later ones of its key',
  {
    contracts: ['A', 'B'],
    config: (c, { A, B }) => {
      c.confirmation_policy.patient = 6;
      c.subscriptions = [
        { name: 'slow', chains: ['local'], address: [A], event: EVENT, confirmations: 'patient' },
        { name: 'fast', chains: ['local'], address: [B], event: EVENT },
      ];
      c.handlers[0].order_by = 'chain';
      c.handlers[0].send = ['confirmed'];
    },
  },
  async (world) => {
    const { anvil, handler, daemon } = world;
    const [slow] = await anvil.transfersIn(await anvil.emit({ contract: world.A, value: 1 })); // 3
    const [fast] = await anvil.transfersIn(await anvil.emit({ contract: world.B })); // 4
    await anvil.mine(2); // 6: fast's turn has come, slow's has not
    await until(
      'the later one is confirmed',
      async () => (await daemon.get(`/v1/events/${fast.eventId}`)).status === 'confirmed',
    );
    await never('it overtakes the earlier one of its key', () => handler.requests.length > 0, 1000);
    assert.deepEqual((await daemon.get(`/v1/events/${fast.eventId}`)).processing, { app: 'held' });
    assert.equal((await daemon.chain()).mark.number, 4, "the mark follows the chain's own policy");
    await anvil.mine(3); // 9
    const first = await world.message(slow.eventId, 'confirmed');
    const second = await world.message(fast.eventId, 'confirmed');
    assert.deepEqual(handler.got('confirmed'), [first, second]);
    checkMessage(first, slow, {
      status: 'confirmed',
      version: 2,
      firstSeen: ['head', 'reconcile'],
      subscription: 'slow',
      subscriptions: ['slow'],
      key: '31337',
      policies: [
        { policy: 'quick', blocks: 2, tag: null },
        { policy: 'patient', blocks: 6, tag: null },
      ],
    });
  },
);

scenario(
  'what is held and undone is closed: nothing is sent, and what waited behind it goes',
  {
    contracts: ['A', 'B'],
    config: (c, { A, B }) => {
      c.confirmation_policy.patient = 20;
      c.subscriptions = [
        { name: 'slow', chains: ['local'], address: [A], event: EVENT, confirmations: 'patient' },
        { name: 'fast', chains: ['local'], address: [B], event: EVENT },
      ];
      c.handlers[0].order_by = 'chain';
      c.handlers[0].send = ['confirmed'];
    },
  },
  async (world) => {
    const { anvil, handler, daemon } = world;
    const [slow] = await anvil.transfersIn(
      await anvil.emit({ contract: world.A, from: 1, value: 1 }),
    ); // 3
    const [fast] = await anvil.transfersIn(await anvil.emit({ contract: world.B, from: 2 })); // 4
    const raw = await anvil.raw(fast.tx);
    await anvil.mine(2);
    await until(
      'the later one is confirmed',
      async () => (await daemon.get(`/v1/events/${fast.eventId}`)).status === 'confirmed',
    );
    await anvil.reorg(4, [[raw, 1]]); // the earlier one is gone
    await anvil.mine(3);
    const [fresh] = await anvil.transfersIn(await anvil.receipt(fast.tx));
    const message = await world.message(fast.eventId, 'confirmed');
    assert.equal(message.data.block.hash, fresh.blockHash);
    await never('a word about the other', () => handler.of(slow.eventId).length > 0, 800);
    assert.equal(
      handler.accepted.length,
      1,
      'the held confirmation of the old block was never sent',
    );
  },
);
