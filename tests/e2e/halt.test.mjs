// SPDX-License-Identifier: MIT
// How deep a reorg may go: above the mark at any depth, below it within max_depth, beyond that the
// chain halts; and what is no reorg.
import assert from 'node:assert/strict';
import { base, logsOf } from './lib/base.mjs';
import { alchemy } from './lib/hooks.mjs';
import { faults } from './lib/proxy.mjs';
import { never, sleep, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

scenario(
  'above the mark blocks may leave at any depth',
  {
    contracts: ['A', 'B'],
    confirmations: 30,
    config: (c) => {
      c.chains[0].reorg.max_depth = 4;
    },
  },
  async (world) => {
    const { anvil } = world;
    await base(world);
    for (const t of [...world.txA.logs, ...world.txB.logs, ...world.txN.logs])
      await world.message(t.eventId, 'pending');
    await anvil.mine(10); // head 17, the mark below 0
    await until('the head is seen', async () => (await world.daemon.chain()).head.number === 17);
    await anvil.reorg(14, [[world.txB.raw, 6]]);
    for (const t of [...world.txB.logs, ...world.txN.logs])
      await world.message(t.eventId, 'rolled_back');
    for (const t of world.txB.logs) await world.message(t.eventId, 'pending', 2);
    assert.notEqual((await world.daemon.chain()).state, 'halted');
    await anvil.mine(30);
    await world.settled();
  },
);

const deep = {
  contracts: ['A', 'B'],
  before: async (w) => {
    await base(w);
    await w.anvil.mine(20);
  },
  config: (c) => {
    c.chains[0].reorg.max_depth = 6;
  },
};

scenario(
  'deeper than max_depth below the mark: the chain halts, and resume --accept-reorg goes on',
  deep,
  async (world) => {
    const { anvil, daemon, handler } = world; // head 27, mark 25
    await world.settled();
    await world.marked(25);
    await anvil.reorg(24, [[world.txB.raw, 5]]); // ancestor 3: 22 below the mark
    const halted = await until('it halts', async () => {
      const c = await daemon.chain();
      return c.state === 'halted' && c;
    });
    assert.ok(
      typeof halted.reason === 'string' && halted.reason.length > 10,
      `reason: ${halted.reason}`,
    );
    const before = handler.requests.length;
    await anvil.emit({ contract: world.A, from: 4, value: 3 });
    await anvil.mine(4);
    await never('a message from a halted chain', () => handler.requests.length > before, 1200);

    // It says so everywhere, and takes webhooks all the same.
    const status = await daemon.get('/v1/status');
    assert.equal(status.chains.find((c) => c.name === 'local').state, 'halted');
    const ready = await daemon.api('/readyz');
    assert.equal(ready.status, 200);
    assert.match(ready.text, /local/);
    assert.ok(
      daemon.logs.some(
        (l) => ['warn', 'warning', 'error', 'critical'].includes(l.level) && /halt/i.test(l.text),
      ),
      'a log line says so',
    );
    assert.equal((await alchemy(daemon, await logsOf(world, world.txB))).status, 200);

    await daemon.stop();
    await daemon.start();
    await until(
      'it is still halted after a restart',
      async () => (await daemon.chain()).state === 'halted',
    );
    await never('a message after the restart', () => handler.requests.length > before);

    const refused = await daemon.api('/v1/chains/local/resume', { body: {} });
    assert.equal(refused.status, 409);
    assert.equal(refused.json.ancestor.number ?? refused.json.ancestor, 3);
    assert.equal(refused.json.rolled_back, 4);
    assert.ok(refused.json.depth >= 22, `depth ${refused.json.depth}`);
    assert.equal((await daemon.chain()).state, 'halted');

    const accepted = await daemon.api('/v1/chains/local/resume', { body: { accept_reorg: true } });
    assert.equal(accepted.status, 200, accepted.text);
    assert.equal(typeof accepted.json.state, 'string');
    assert.equal(await world.settled(), 6);
    for (const t of [...world.txB.logs, ...world.txN.logs])
      await world.message(t.eventId, 'rolled_back');
    assert.notEqual((await daemon.chain()).state, 'halted');
  },
);

scenario(
  'within max_depth below the mark nothing halts',
  {
    ...deep,
    config: (c) => {
      c.chains[0].reorg.max_depth = 22;
    },
  },
  async (world) => {
    await world.settled();
    await world.marked(25);
    await world.anvil.reorg(24, [[world.txB.raw, 5]]); // ancestor 3, mark 25: just 22
    for (const t of world.txN.logs) await world.message(t.eventId, 'rolled_back');
    await world.settled();
    assert.notEqual((await world.daemon.chain()).state, 'halted');
  },
);

scenario(
  'a reorg below the very start',
  {
    before: async (w) => {
      const { anvil } = w;
      const first = await anvil.emit({ contract: w.A, from: 1, value: 1 }); // block 2, before the start
      const second = await anvil.emit({ contract: w.A, from: 2, value: 2 }); // block 3
      w.raws = [await anvil.raw(first.transactionHash), await anvil.raw(second.transactionHash)];
      await anvil.mine(3);
    },
    config: (c) => {
      c.chains[0].start_block = 3;
    },
  },
  async (world) => {
    const { anvil, handler, daemon } = world;
    await until('one is confirmed', () => handler.got('confirmed').length === 1);
    await world.marked(4);
    await anvil.reorg(5, [
      [world.raws[1], 0],
      [world.raws[0], 2],
    ]); // blocks 2 to 6 are new; 3 and above count
    await anvil.mine(3);
    const counts = async () =>
      (await world.due()).filter((t) => t.block >= 3).map((t) => `${t.eventId} ${t.blockHash}`);
    await until('what counts now is confirmed', async () => {
      const live = [...handler.live().values()].map(
        (m) => `${m.data.event_id} ${m.data.block.hash}`,
      );
      return JSON.stringify(live) === JSON.stringify(await counts());
    });
    assert.equal(handler.live().size, 1);
    assert.notEqual((await daemon.chain()).state, 'halted');
  },
);

scenario(
  'a lower head is a lagging endpoint, not a reorg',
  { contracts: ['A', 'B'], before: base },
  async (world) => {
    const { anvil, handler, daemon } = world;
    await world.settled();
    const before = handler.requests.length;
    await anvil.rollback(4); // 7 → 3: txB and txN are gone there, and nothing says that they left the chain
    await never('a message because of a lower head', () => handler.requests.length > before, 1500);
    assert.equal((await daemon.get('/v1/reorgs')).items.length, 0);
    assert.equal((await daemon.chain()).mark.number, 5);
    await anvil.sendRaw(world.txB.raw);
    await anvil.mine(6); // another 4 … 9
    await world.settled();
    for (const t of world.txN.logs) await world.message(t.eventId, 'rolled_back');
    assert.equal((await daemon.get('/v1/reorgs')).items.length, 1);
  },
);

scenario(
  'a head that goes back and comes back the same changes nothing',
  { proxy: true, contracts: ['A', 'B'], before: base },
  async (world) => {
    await world.settled();
    const before = world.handler.requests.length;
    for (const height of [5, 6, 2, 4]) {
      world.proxy.set(faults.staleHead(height));
      await sleep(400);
      world.proxy.clear();
      await sleep(250);
    }
    await never('a message', () => world.handler.requests.length > before, 300);
    assert.equal((await world.daemon.get('/v1/reorgs')).items.length, 0);
  },
);
