// SPDX-License-Identifier: MIT
// Reorgs at every moment: in a row, while the daemon is down, as it dies, in the middle of a scan,
// at the very start.
import assert from 'node:assert/strict';
import { base, lastReorg, logsOf, reorg } from './lib/base.mjs';
import { checkMessage, messageId } from './lib/expect.mjs';
import { alchemy } from './lib/hooks.mjs';
import { never, sleep, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

reorg(
  'several reorgs, one upon the other',
  async (w) => {
    for (let i = 0; i < 5; i++) {
      await w.anvil.reorg(3, [[w.txN.raw, i % 3]]);
      await sleep(i * 120);
    }
  },
  async (w) => {
    const [fresh] = await logsOf(w, w.txN);
    assert.equal(w.handler.live().get(fresh.eventId).data.block.hash, fresh.blockHash);
  },
);

reorg(
  'a reorg while the daemon is down',
  async (w) => {
    await w.daemon.stop();
    await w.anvil.reorg(4, [[w.txB.raw, 3]]);
    await w.daemon.start();
  },
  async (w) => {
    assert.equal(w.handler.of(w.txN.logs[0].eventId).at(-1).data.status, 'rolled_back');
    await lastReorg(w, { depth: 4, ancestor: 3, rolled_back: 4 });
  },
);

reorg(
  'a reorg and kill -9 at once',
  async (w) => {
    await w.anvil.reorg(4, [[w.txB.raw, 1]]);
    await sleep(Math.random() * 400);
    await w.daemon.kill9();
    await w.daemon.start();
  },
  async (w) => assert.equal(w.handler.live().size, 5),
);

reorg(
  'a webhook of the new branch comes first',
  async (w) => {
    await w.anvil.reorg(4, [[w.txB.raw, 2]]);
    const answer = await alchemy(w.daemon, await logsOf(w, w.txB));
    assert.equal(answer.status, 200);
  },
  async (w) =>
    until('it is verified', async () =>
      (await w.daemon.all('/v1/webhooks')).every((h) => h.state === 'verified'),
    ),
);

reorg(
  'the chain is rolled back to its start and grows anew',
  async (w) => {
    const { anvil } = w;
    await anvil.reorg(5, [
      [w.txB.raw, 0],
      [w.txA.raw, 4],
    ]); // block 3 is the first with an event
    await anvil.mine(1);
  },
  async (w) => assert.equal(w.handler.live().size, 5),
);

reorg(
  'a reorg in the middle of a scan',
  async (w) => {
    let armed = true;
    w.proxy.set({
      call: async (call) => {
        if (armed && call.method === 'eth_getLogs') {
          armed = false;
          await w.anvil.reorg(3, [[w.txN.raw, 1]]);
        }
        return undefined;
      },
    });
    await w.anvil.emit({ contract: w.A, from: 3, value: 90 });
    await w.anvil.mine(2);
    await until('it struck', () => !armed);
  },
  async (w) => assert.ok(w.handler.live().size >= 6),
  { proxy: true },
);

scenario(
  'depth 1: what was told as pending is taken back',
  { contracts: ['A', 'B'], before: base },
  async (world) => {
    await world.settled();
    const { anvil, handler } = world;
    const [pending] = await anvil.transfersIn(
      await anvil.emit({ contract: world.A, from: 3, value: 5 }),
    );
    await world.message(pending.eventId, 'pending');
    const raw = await anvil.raw(pending.tx);
    await anvil.reorg(1, [[raw, 0]]);
    const back = await world.message(pending.eventId, 'rolled_back');
    checkMessage(back, pending, {
      status: 'rolled_back',
      version: 2,
      firstSeen: ['head', 'reconcile'],
      undoes: messageId(pending, 'pending'),
    });
    const [fresh] = await anvil.transfersIn(await anvil.receipt(pending.tx));
    checkMessage(await world.message(pending.eventId, 'pending', 2), fresh, {
      status: 'pending',
      version: 3,
      firstSeen: ['head', 'reconcile'],
    });
    await anvil.mine(2);
    await world.settled();
    assert.deepEqual(
      handler.of(pending.eventId).map((m) => m.data.status),
      ['pending', 'rolled_back', 'pending', 'confirmed'],
    );
  },
);

scenario(
  'what a handler was never told is not taken back from it',
  {
    contracts: ['A', 'B'],
    before: base,
    config: (c) => {
      delete c.handlers[0].send;
    },
  },
  async (world) => {
    await world.settled();
    const before = world.handler.requests.length;
    const [pending] = await world.anvil.transfersIn(
      await world.anvil.emit({ contract: world.A, from: 3, value: 5 }),
    );
    await until(
      'it is pending',
      async () => (await world.daemon.get(`/v1/events/${pending.eventId}`)).status === 'pending',
    );
    await world.anvil.reorg(1, []);
    await until(
      'it is gone',
      async () =>
        (await world.daemon.get(`/v1/events/${pending.eventId}`)).status === 'rolled_back',
    );
    await world.anvil.mine(3);
    await never('a word about it', () => world.handler.requests.length > before);
    assert.deepEqual(
      (await world.daemon.get(`/v1/events/${pending.eventId}`)).history.map((h) => h.status),
      ['pending', 'rolled_back'],
    );
  },
);
