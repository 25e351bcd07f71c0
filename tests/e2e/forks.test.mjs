// SPDX-License-Identifier: MIT
// Two nodes with one past and two presents: a block that comes back, and endpoints that do not
// agree.
import assert from 'node:assert/strict';
import { checkMessage, messageId } from './lib/expect.mjs';
import { Proxy } from './lib/proxy.mjs';
import { never, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

/**
 * Block 2: one transfer on both. From there `anvil` and `twin` differ: each has the next one in a
 * block 3 of its own.
 */
async function fork(world) {
  const { anvil, twin } = world;
  await world.both((node) => node.emit({ contract: world.A, from: 1, value: 10 }));
  const hash = (await world.both((node) => node.emit({ contract: world.A, from: 2, value: 20 })))
    .transactionHash;
  const raw = await anvil.raw(hash);
  await world.both((node) => node.mine(4)); // 7
  assert.equal((await anvil.block(7)).hash, (await twin.block(7)).hash, 'twins are equal');
  await twin.reorg(5, [[raw, 1]]); // blocks 3 to 7 are others; the transfer is in 4
  assert.equal((await anvil.block(2)).hash, (await twin.block(2)).hash, 'one past');
  assert.notEqual((await anvil.block(3)).hash, (await twin.block(3)).hash, 'two presents');
  const of = async (node) => (await node.transfersIn(await node.receipt(hash)))[0];
  world.here = await of(anvil);
  world.there = await of(twin);
}

scenario(
  'A → B → A: the block that comes back is another inclusion, with the next n',
  { twins: true, before: fork },
  async (world) => {
    const { anvil, twin, proxy, handler, here, there } = world;
    const id = here.eventId;
    await world.settled();
    await world.marked(5);
    await twin.mine(1); // 8, above the head of the other
    proxy.upstream = twin.url;
    await world.message(id, 'confirmed', 2);
    await anvil.mine(3); // 10
    proxy.upstream = anvil.url;
    const last = await world.message(id, 'confirmed', 3);
    checkMessage(last, here, {
      status: 'confirmed',
      n: 2,
      version: 8,
      firstSeen: ['head', 'reconcile'],
    });
    assert.deepEqual(
      handler.of(id).map((m) => m.id),
      [
        messageId(here, 'pending'),
        messageId(here, 'confirmed'),
        messageId(here, 'rolled_back'),
        messageId(there, 'pending'),
        messageId(there, 'confirmed'),
        messageId(there, 'rolled_back'),
        messageId(here, 'pending', 2),
        messageId(here, 'confirmed', 2),
      ],
    );
    await world.settled();
    assert.equal((await world.daemon.get('/v1/reorgs')).items.length, 2);
  },
);

scenario(
  'A → B → A while the daemon is down: nothing happened',
  { twins: true, before: fork },
  async (world) => {
    await world.settled();
    await world.marked(5);
    const before = world.handler.requests.length;
    await world.daemon.kill9();
    await world.anvil.mine(1);
    await world.daemon.start();
    await world.marked(6);
    assert.equal(world.handler.requests.length, before);
  },
);

scenario(
  "a halted chain that is ours after all goes on without anybody's word",
  {
    twins: true,
    before: async (w) => {
      await fork(w);
      await w.both((node) => node.mine(6));
    },
    config: (c) => {
      c.chains[0].reorg.max_depth = 4;
    },
  },
  async (world) => {
    const { anvil, twin, proxy, daemon, handler } = world;
    await world.settled();
    await world.marked(11);
    await twin.mine(2);
    proxy.upstream = twin.url;
    await until('it halts', async () => (await daemon.chain()).state === 'halted');
    const before = handler.requests.length;
    const refused = await daemon.api('/v1/chains/local/resume', { body: {} });
    assert.equal(refused.status, 409);
    assert.equal(refused.json.rolled_back, 1);
    await anvil.mine(4);
    proxy.upstream = anvil.url;
    const resumed = await until('resume alone is enough', async () => {
      const r = await daemon.api('/v1/chains/local/resume', { body: {} });
      return r.status === 200 && r;
    });
    assert.equal(typeof resumed.json.state, 'string');
    await anvil.emit({ contract: world.A, from: 3, value: 30 });
    await anvil.mine(2);
    await world.settled();
    assert.ok(
      handler.requests.slice(before).every((r) => r.type !== 'tidemark.event.rolled_back'),
      'nothing was taken back',
    );
  },
);

scenario(
  'the first endpoint dies, the second takes over',
  {
    twins: true,
    config: (c, { twin }) => {
      c.chains[0].rpc.push(twin.url);
    },
  },
  async (world) => {
    await world.both((node) => node.emit({ contract: world.A, value: 1 }));
    await world.both((node) => node.mine(2));
    await world.settled();
    world.proxy.set({
      whole: (res) => {
        res.destroy();
        return true;
      },
    });
    await world.both((node) => node.emit({ contract: world.A, value: 2 }));
    await world.both((node) => node.mine(2));
    assert.equal(await world.settled(), 2);
    const { endpoints } = await world.daemon.chain();
    assert.equal(endpoints.length, 2);
    assert.notEqual(endpoints[0].state, 'ok');
    assert.equal(endpoints[1].state, 'ok');
  },
);

scenario(
  'with quorum 2, one endpoint alone with its fork changes nothing',
  {
    twins: true,
    before: async (w) => {
      await fork(w);
      w.second = await new Proxy(w.anvil.url).start();
      w.others.push(w.second);
    },
    config: (c, { second }) => {
      c.chains[0].quorum = 2;
      c.chains[0].rpc.push({ url: second.url, timeout: '1s' });
    },
  },
  async (world) => {
    const { twin, proxy, handler, daemon } = world;
    await world.settled();
    await world.marked(5);
    const before = handler.requests.length;
    await twin.mine(3);
    proxy.upstream = twin.url; // the preferred one is on the fork, the other is not
    await never('one voice is enough', () => handler.requests.length > before, 2500);
    assert.equal((await daemon.chain()).mark.number >= 5, true);
    world.second.upstream = twin.url; // now both are
    await world.message(world.there.eventId, 'confirmed', 2);
    assert.deepEqual(
      handler.of(world.there.eventId).map((m) => m.data.status),
      ['pending', 'confirmed', 'rolled_back', 'pending', 'confirmed'],
    );
  },
);
