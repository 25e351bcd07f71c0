// SPDX-License-Identifier: MIT
// WebSocket endpoints: new heads wake the poller, and nothing else rests on them.
import assert from 'node:assert/strict';
import { Bell, socketOf } from './lib/bell.mjs';
import { freePort } from './lib/http.mjs';
import { transferIn } from './lib/trouble.mjs';
import { never, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

/** For the verbs. */
const fixedPort = async (c) => {
  c.admin.listen = `127.0.0.1:${await freePort()}`;
};
/** Whatever comes, comes by a head. */
const neverPolls = (c) => {
  Object.assign(c.chains[0], {
    poll_interval: '1h',
    reconcile: { interval: '1h' },
    reorg: { interval: '1h', max_depth: 64 },
  });
};
const withBell = (options) => async (c, world) => {
  world.bell = await new Bell(options).start();
  world.others.push(world.bell);
  c.chains[0].rpc.push({ name: 'bell', url: world.bell.url, timeout: '1s' });
};
const endpoint = async (world, name = 'bell') =>
  (await world.daemon.chain()).endpoints.find((e) => e.name === name);
const inState = (world, state, timeout = 10_000) =>
  until(
    `the endpoint is ${state}`,
    async () => {
      const e = await endpoint(world);
      return e?.state === state && e;
    },
    { timeout },
  );
const warned = (world, words) =>
  world.daemon.logs.filter((l) => l.level === 'warn' && words.test(l.msg));

scenario(
  'heads: with an hour between polls an event is told within a second of its block',
  {
    config: async (c, world) => {
      await fixedPort(c);
      neverPolls(c);
      c.chains[0].rpc.push({ name: 'bell', url: socketOf(world.anvil.url) });
    },
  },
  async (world) => {
    const { anvil, daemon, handler } = world;
    await inState(world, 'ok');
    for (let i = 1; i <= 5; i++) {
      const { eventId } = await transferIn(world, { value: i });
      const mined = Date.now();
      await until('it is pending', () => handler.of(eventId, 'pending').length === 1, {
        timeout: 1000,
        every: 5,
      });
      await anvil.mine(1);
      await anvil.mine(1);
      await until('it is confirmed', () => handler.of(eventId, 'confirmed').length === 1, {
        timeout: 1000,
        every: 5,
      });
      assert.ok(Date.now() - mined < 2500);
    }
    assert.equal((await daemon.chain()).head.number, await anvil.head());
    const bell = await endpoint(world);
    assert.equal(bell.head, await anvil.head());
    assert.equal(bell.errors, 0);
    assert.equal(bell.lies, 0);

    const { text } = await daemon.api('/metrics');
    const count = (method, result) => {
      const labels = `chain="local",endpoint="bell",method="${method}",result="${result}"`;
      const line = text.split('\n').find((l) => l.includes(`rpc_requests_total{${labels}}`));
      return line && Number(line.split(' ').at(-1));
    };
    assert.equal(count('eth_chainId', 'ok'), 1);
    assert.equal(count('eth_subscribe', 'ok'), 1);
    assert.ok(count('eth_subscription', 'ok') >= 15);
    assert.equal(count('eth_subscribe', 'timeout'), 0);
    assert.equal(count('eth_getLogs', 'ok'), undefined, 'it is asked for nothing else');

    const shown = await daemon.verb('chain', 'show', 'local');
    assert.match(shown.stdout, /bell +ok +\d+/);

    // A reorg is a head too.
    const before = handler.got('rolled_back').length;
    await transferIn(world, { value: 99 });
    await until('it is pending', () => handler.got('pending').length === 6, { timeout: 1000 });
    await anvil.reorg(1, []);
    await anvil.mine(1);
    await until('it is taken back', () => handler.got('rolled_back').length > before, {
      timeout: 2000,
    });
  },
);

scenario(
  'heads: one that falls silent while the chain goes on is noticed, and connected again',
  { config: withBell({}), timeout: 90_000 },
  async (world) => {
    const { anvil, bell } = world;
    await inState(world, 'ok');
    const since = Date.now();
    await never('an end, while the chain stands still', () => bell.connections > 1, 12_000);
    await transferIn(world);
    await anvil.mine(2);
    await world.settled(); // by polling
    await until('it is connected again', () => bell.connections > 1, { timeout: 30_000 });
    assert.ok(Date.now() - since > 20_000, 'it was given some time');
    assert.equal(warned(world, /endpoint bell: it fell silent while the chain went on/).length, 1);
    await inState(world, 'ok');
    assert.equal((await endpoint(world)).errors, 1);
    await until(
      'it says so',
      () => world.daemon.logs.some((l) => /endpoint bell tells of new heads again/.test(l.msg)),
    );
  },
);

scenario(
  'heads: one of another chain is refused, and rings nothing',
  { config: withBell({ chainId: 5 }) },
  async (world) => {
    const { bell, daemon } = world;
    await inState(world, 'refused');
    assert.equal(warned(world, /it is on chain 5, the config says 31337/).length, 1);
    await transferIn(world);
    await world.anvil.mine(2);
    assert.equal(await world.settled(), 1);
    assert.deepEqual([...new Set(bell.calls)], ['eth_chainId']);
    assert.equal(bell.connections, 1, 'not at once again');
    assert.equal((await daemon.chain()).state, 'following');
    const log = daemon.logs.map((l) => l.text).join('\n');
    assert.ok(!log.includes('bell-key'), 'of a URL only scheme and host');
  },
);

scenario(
  'heads: garbage, floods, forged heads and cuts do no harm',
  {
    timeout: 120_000,
    config: withBell({
      after(socket, nth) {
        if (nth === 0) socket.send('<html>no</html>');
        if (nth === 1) socket.send(Buffer.alloc(1024 * 1024, 'x'));
        if (nth === 2) for (let i = 0; i < 5000; i++) this.head(1_000_000 + i, { to: socket });
        if (nth === 3) socket.terminate();
      },
    }),
  },
  async (world) => {
    const { anvil, bell, daemon, handler } = world;
    await until('it has come five times', () => bell.connections >= 5, { timeout: 40_000 });
    const good = await inState(world, 'ok');
    assert.equal(good.errors, 4);
    for (const words of [/what is no JSON/, /more than \d+ bytes/, /messages in a second/])
      assert.equal(warned(world, words).length, 1, String(words));
    // Heads that are not there, forwards and backwards.
    for (let i = 0; i < 50; i++) bell.head(2 ** 40 - i);
    await transferIn(world);
    await anvil.mine(2);
    assert.equal(await world.settled(), 1);
    const chain = await daemon.chain();
    assert.equal(chain.head.number, await anvil.head());
    assert.equal(chain.state, 'following');
    assert.equal(handler.got('rolled_back').length, 0);
  },
);

scenario(
  'heads: an endpoint comes, changes and goes with a reload; check --probe shows it',
  { config: fixedPort },
  async (world) => {
    const { daemon } = world;
    const bell = await new Bell().start();
    world.others.push(bell);
    const [chain] = daemon.config.chains;
    const reloaded = async (rpc) => {
      daemon.write({ ...daemon.config, chains: [{ ...chain, rpc }] });
      const done = await daemon.verb('reload');
      assert.equal(done.code, 0, done.stderr);
    };
    assert.equal(await endpoint(world), undefined);
    await reloaded([...chain.rpc, { name: 'bell', url: bell.url, headers: { 'X-Key': 'one' } }]);
    await inState(world, 'ok');
    assert.equal(bell.headers[0]['x-key'], 'one');

    const probed = JSON.parse((await daemon.verb('check', '--probe', '--json')).stdout);
    const row = probed.endpoints.find((e) => e.name === 'bell');
    assert.deepEqual(
      { heads: row.heads, chain_id: row.chain_id, trouble: row.trouble },
      { heads: true, chain_id: 31337, trouble: '' },
    );
    assert.match((await daemon.verb('check', '--probe')).stdout, /bell +ok +31337/);

    await reloaded([...chain.rpc, { name: 'bell', url: bell.url, headers: { 'X-Key': 'two' } }]);
    await until('the new header', () => bell.headers.at(-1)['x-key'] === 'two');
    await until('the old one is closed', () => bell.open.size === 1);
    await inState(world, 'ok');
    await reloaded(chain.rpc);
    await until('it is closed', () => bell.open.size === 0);
    assert.equal(await endpoint(world), undefined);

    daemon.write({ ...daemon.config, chains: [{ ...chain, rpc: [bell.url] }] });
    const refused = await daemon.verb('reload');
    assert.equal(refused.code, 78);
    assert.match(refused.stderr, /tidemark\.yaml:\d+:\d+: chains\[0\]\.rpc: add an https:\/\/ or/);

    const error = { code: -32601, message: 'the method eth_subscribe does not exist' };
    bell.answer = (call) => (call.method === 'eth_subscribe' ? { error } : undefined);
    const rpc = [...chain.rpc, { name: 'bell', url: bell.url }];
    daemon.write({ ...daemon.config, chains: [{ ...chain, rpc }] });
    const dumb = await daemon.verb('check', '--probe', '--json');
    assert.equal(dumb.code, 1);
    const bad = JSON.parse(dumb.stdout).endpoints.find((e) => e.name === 'bell');
    assert.equal(bad.heads, false);
    assert.match(bad.trouble, /eth_subscribe does not exist/);
  },
);
