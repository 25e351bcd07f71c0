// SPDX-License-Identifier: MIT
// Several endpoints: a quorum, proofs by receipts, and what no endpoint serves.
import assert from 'node:assert/strict';
import { faults, Proxy } from './lib/proxy.mjs';
import { transferIn } from './lib/trouble.mjs';
import { never, sleep, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

/** One more endpoint of a node, behind a proxy of its own. */
async function behind(world, node) {
  const proxy = await new Proxy(node.url).start();
  world.others.push(proxy);
  return proxy;
}

scenario(
  'quorum: too few endpoints alive, and the mark waits; what is pending goes on',
  {
    proxy: true,
    config: async (c, world) => {
      world.second = await behind(world, world.anvil);
      c.chains[0].rpc.push({ name: 'second', url: world.second.url, timeout: '1s' });
      c.chains[0].quorum = 2;
    },
  },
  async (world) => {
    const { anvil, daemon, handler } = world;
    await transferIn(world, { value: 1 });
    await anvil.mine(3);
    await world.settled();
    const { mark } = await daemon.chain();
    world.second.set(faults.httpError);
    await transferIn(world, { value: 2 });
    await anvil.mine(4);
    await until('the second is told as pending', () => handler.got('pending').length === 2);
    await until('it says that it lacks a quorum', async () => {
      const chain = await daemon.chain();
      return chain.state === 'degraded' && /quorum/.test(chain.reason);
    });
    await never('a confirmation', () => handler.got('confirmed').length > 1, 1500);
    assert.equal((await daemon.chain()).mark.number, mark.number);
    world.second.clear();
    assert.equal(await world.settled(), 2);
    await until('all is well', async () => (await daemon.chain()).state === 'following');
  },
);

scenario(
  'a standby of another chain is refused before it is needed',
  {
    config: async (c, world) => {
      world.second = await behind(world, world.anvil);
      world.second.set(faults.otherChain);
      c.chains[0].rpc.push({ name: 'second', url: world.second.url });
      world.third = await behind(world, world.anvil);
      c.chains[0].rpc.push({ name: 'third', url: world.third.url });
    },
  },
  async (world) => {
    const { daemon, anvil } = world;
    const states = async () => (await daemon.chain()).endpoints.map((e) => e.state);
    await until('it is refused', async () => (await states())[1] === 'refused');
    assert.ok(daemon.logs.some((l) => l.level === 'warn' && /endpoint second is refused: it serves chain 5/.test(l.msg)));
    await transferIn(world, { value: 1 });
    await anvil.mine(8);
    assert.equal(await world.settled(), 1);
    assert.deepEqual(await states(), ['ok', 'refused', 'ok'], 'a standby lags behind nobody');
    assert.equal((await daemon.chain()).state, 'following');
  },
);

/** The preferred endpoint may be sent to the twin; two more are on the node. */
const twoOfThree = {
  twins: true,
  config: async (c, world) => {
    world.second = await behind(world, world.anvil);
    world.third = await behind(world, world.anvil);
    c.chains[0].rpc.push({ name: 'second', url: world.second.url });
    c.chains[0].rpc.push({ name: 'third', url: world.third.url });
    c.chains[0].quorum = 2;
  },
};

scenario(
  'quorum: one endpoint alone with its fork below the mark is not followed, and loses its turn',
  twoOfThree,
  async (world) => {
    const { anvil, twin, proxy, daemon, handler } = world;
    await world.both((node) => node.emit({ contract: world.A, from: 1, value: 10 }));
    await world.both((node) => node.mine(6));
    await world.settled();
    await world.marked((await anvil.head()) - 2);
    await twin.reorg(6, []);
    await twin.mine(2);
    proxy.upstream = twin.url; // the preferred one now shows another chain, and a higher head
    await anvil.emit({ contract: world.A, from: 2, value: 20 });
    await anvil.mine(4);
    assert.equal(await world.settled({ timeout: 30_000 }), 2);
    assert.equal(handler.got('rolled_back').filter((m) => m.data.version > 2).length, 0);
    await until('it is counted', async () => (await daemon.chain()).endpoints[0].lies > 0);
    const chain = await daemon.chain();
    assert.equal(chain.endpoints[1].lies + chain.endpoints[2].lies, 0);
  },
);

scenario(
  'quorum: two that agree take back what left below the mark, and one that does not cannot stop it',
  twoOfThree,
  async (world) => {
    const { anvil, twin, proxy, handler } = world;
    await world.both((node) => node.emit({ contract: world.A, from: 1, value: 10 }));
    await world.both((node) => node.mine(6));
    await world.settled();
    proxy.upstream = twin.url; // stays on the old chain
    await anvil.reorg(7, []);
    await anvil.mine(3);
    await until('it is taken back', () => handler.got('rolled_back').length === 1, {
      timeout: 30_000,
    });
    assert.equal(await world.settled(), 0);
  },
);

/** Every log of one contract call says another value, in whatever way it is asked for. */
const otherValues = {
  call: async (call, forward) => {
    if (!/Logs|Receipt/.test(call.method)) return undefined;
    const text = JSON.stringify(await forward(call));
    return JSON.parse(text.replaceAll(/"data":"0x0{62}/g, '"data":"0x' + '0'.repeat(60) + '77'));
  },
};

scenario(
  'integrity receipts: an endpoint that changes values is caught, and the other is believed',
  {
    proxy: true,
    config: async (c, world) => {
      c.chains[0].rpc.push({ name: 'honest', url: world.anvil.url });
      Object.assign(c.chains[0], { integrity: 'receipts', backfill_integrity: 'receipts' });
    },
  },
  async (world) => {
    const { anvil, proxy, daemon, handler } = world;
    proxy.set(otherValues);
    await transferIn(world, { value: 1 });
    await anvil.mine(3);
    await transferIn(world, { value: 2 });
    await anvil.mine(3);
    assert.equal(await world.settled({ timeout: 30_000 }), 2);
    assert.deepEqual(
      handler.got('confirmed').map((m) => m.data.args.value),
      ['1', '2'],
    );
    assert.ok((await daemon.chain()).endpoints[0].lies > 0);
  },
);

scenario(
  'integrity receipts: the past too, without eth_getBlockReceipts',
  {
    proxy: true,
    start: false,
    config: async (c) => {
      Object.assign(c.chains[0], { integrity: 'receipts', backfill_integrity: 'receipts' });
      c.chains[0].reorg.max_depth = 5;
    },
  },
  async (world) => {
    for (let i = 0; i < 12; i++) await transferIn(world, { value: i + 1 });
    await world.anvil.mine(3);
    world.proxy.set({
      call: (call) =>
        call.method === 'eth_getBlockReceipts'
          ? {
              jsonrpc: '2.0',
              id: call.id,
              error: { code: -32601, message: 'the method eth_getBlockReceipts does not exist' },
            }
          : undefined,
    });
    await world.daemon.start();
    assert.equal(await world.settled({ timeout: 30_000 }), 12);
  },
);

scenario(
  'chain skip passes what no endpoint serves, and nothing else',
  {
    proxy: true,
    start: false,
    config: async (c, world) => {
      c.admin.listen = `127.0.0.1:${await (await import('./lib/http.mjs')).freePort()}`;
      c.chains[0].reorg.max_depth = 3;
    },
  },
  async (world) => {
    const { anvil, proxy, daemon } = world;
    for (let i = 0; i < 4; i++) await transferIn(world, { value: i + 1 }); // blocks 2 to 5
    await anvil.mine(8);
    const pruned = {
      call: (call) => {
        const [from, to] = [call.params?.[0]?.fromBlock, call.params?.[0]?.toBlock].map(Number);
        const range = call.method === 'eth_getLogs' && from <= 4 && to >= 3;
        return range
          ? {
              jsonrpc: '2.0',
              id: call.id,
              error: { code: 4444, message: 'pruned history unavailable' },
            }
          : undefined;
      },
    };
    proxy.set(pruned);
    await daemon.start();
    // It is read in ever smaller parts: what can be read below is confirmed all the same.
    await until('the mark stands just below them and it says why', async () => {
      const chain = await daemon.chain();
      return chain.mark?.number === 2 && chain.state === 'degraded' && /pruned/.test(chain.reason);
    });
    await until('what lies below is told', () => world.handler.got('confirmed').length === 1);
    const next = 3;
    const skip = (from, to) =>
      daemon.verb('chain', 'skip', 'local', '--from', String(from), '--to', String(to), '--reason', 'pruned everywhere');
    assert.equal((await skip(next + 1, 4)).code, 1, 'not from above the mark');
    assert.equal((await skip(next, 400)).code, 1, 'not beyond the policy');
    const done = await skip(next, 4);
    assert.equal(done.code, 0, done.stdout + done.stderr);
    await world.marked((await anvil.head()) - 2);
    const gaps = (await daemon.get('/v1/gaps')).items;
    assert.deepEqual(
      gaps.map((g) => [g.from_block, g.to_block, g.reason]),
      [[next, 4, 'pruned everywhere']],
    );
    // What was seen at the head in the blocks that were given up is confirmed once they are deep enough.
    await until('the others are told', () => world.handler.got('confirmed').length === 4);
    assert.equal((await daemon.chain()).state, 'following');
  },
);
