// SPDX-License-Identifier: MIT
// Endpoints that fail, lie or dawdle: a clear word, nothing lost, nothing told that is not so, and
// all is well again afterwards.
import assert from 'node:assert/strict';
import { alchemy } from './lib/hooks.mjs';
import { faults } from './lib/proxy.mjs';
import { quickRetry, transferIn, words } from './lib/trouble.mjs';
import { never, sleep, until } from './lib/wait.mjs';
import { scenario, together } from './lib/world.mjs';

const hard = [
  ['an HTML page', faults.html, /json|html/i],
  ['half a JSON', faults.halfJson, /json|cut|incomplete|ends/i],
  ['an answer cut in the middle', faults.cut, /cut|closed|ended|reset/i],
  ['an empty body', faults.empty, /empty|json/i],
  ['null in place of an answer', faults.nullAnswer, /null|object|answer|json/i],
  ['a JSON-RPC error', faults.jsonError, /on fire|-32603/],
  ['HTTP 500', faults.httpError, /500/],
  ['HTTP 401', faults.unauthorized, /401|authori|invalid api key/i, { restart: true }], // an endpoint that refuses is left alone for a while
  ['silence', faults.silence, /time|no answer/i],
  ['a connection closed without an answer', faults.refused, /closed|reset|connect|ended/i],
  ['HTTP 429', faults.tooManyRequests, /429|rate/i],
  ['members of odd types', faults.oddTypes, /./],
  ['a number beyond all bounds', faults.huge, /./],
];

together(
  'endpoints that fail',
  4,
  hard.map(([name, fault, word, { restart } = {}]) => [
    `while it gives ${name}`,
    { proxy: true, config: quickRetry },
    async (world) => {
      const { daemon, handler, proxy, anvil } = world;
      await transferIn(world, { value: 1 });
      await anvil.mine(2);
      await world.settled();
      const before = handler.requests.length,
        logged = daemon.logs.length;
      proxy.set(fault);
      const lost = await transferIn(world, { value: 2 });
      assert.equal((await alchemy(daemon, [lost])).status, 200, 'webhooks are taken all the same');
      await anvil.mine(2);
      const asked = proxy.calls.length;
      await never('a message', () => handler.requests.length > before, 1000);
      await until('the chain says that something is wrong', async () => {
        const chain = await daemon.chain();
        return (
          chain.state === 'degraded' && typeof chain.reason === 'string' && chain.reason.length > 0
        );
      });
      await until(
        () => `a word like ${word}`,
        async () => word.test(await words(world, logged)),
      );
      assert.notEqual((await daemon.chain()).endpoints[0].state, 'ok');
      const status = await daemon.get('/v1/status');
      assert.equal(status.chains[0].state, 'degraded');
      const ready = await daemon.api('/readyz');
      assert.equal(ready.status, 200, 'it does not depend on RPC');
      assert.match(ready.text, /degraded/);
      assert.ok(
        proxy.calls.length - asked < 100,
        `it does not hammer: ${proxy.calls.length - asked} calls in a second`,
      );
      proxy.clear();
      if (restart) {
        await daemon.stop();
        await daemon.start();
      }
      assert.equal(await world.settled({ timeout: 20_000 }), 2);
      await until(
        'the chain is well again',
        async () => (await daemon.chain()).state === 'following',
      );
      assert.equal((await daemon.get('/v1/reorgs')).items.length, 0);
    },
  ]),
);

const survivable = [
  ['batch answers come shuffled', faults.shuffled],
  ['the last answer of each batch is missing', faults.partial],
  ['batches are refused by one error object', faults.noBatches],
  ['batches are refused by HTTP 400', faults.noBatchesHttp],
  [
    'there is no eth_getBlockReceipts',
    {
      call: (call) =>
        call.method === 'eth_getBlockReceipts'
          ? {
              jsonrpc: '2.0',
              id: call.id,
              error: { code: -32601, message: 'the method eth_getBlockReceipts does not exist' },
            }
          : undefined,
    },
  ],
  [
    'the tags are not known',
    {
      call: (call) =>
        ['safe', 'finalized'].includes(call.params?.[0])
          ? { jsonrpc: '2.0', id: call.id, error: { code: -39001, message: 'Unknown block' } }
          : undefined,
    },
  ],
  [
    'it is a bit slow',
    {
      call: async (call, forward) => {
        await sleep(60);
        return forward(call);
      },
    },
  ],
];
together(
  'endpoints that one can live with',
  4,
  survivable.map(([name, fault]) => [
    `it works although ${name}`,
    {
      proxy: true,
      before: async (w) => {
        await transferIn(w, { count: 3 });
        await w.anvil.mine(40);
        await transferIn(w, { value: 9 });
        w.proxy.set(fault);
      },
    },
    async (world) => {
      await transferIn(world, { value: 12, from: 1 });
      await world.anvil.mine(2);
      assert.equal(await world.settled({ timeout: 25_000 }), 5);
    },
  ]),
);

scenario('the head stands still, then goes on: nothing is lost', { proxy: true }, async (world) => {
  const { proxy, anvil, handler } = world;
  await transferIn(world);
  await anvil.mine(2);
  await world.settled();
  const before = handler.requests.length;
  proxy.set(faults.staleHead(await anvil.head()));
  for (let i = 0; i < 5; i++) await transferIn(world, { value: i + 2 });
  await anvil.mine(2);
  await never('a message', () => handler.requests.length > before, 600);
  proxy.clear();
  assert.equal(await world.settled(), 6);
});

scenario(
  'the node is not there at the start',
  {
    proxy: true,
    config: quickRetry,
    before: (w) => w.proxy.set(faults.refused),
  },
  async (world) => {
    const chain = await world.daemon.chain();
    assert.ok(['starting', 'degraded'].includes(chain.state), chain.state);
    await transferIn(world);
    await world.anvil.mine(2);
    world.proxy.clear();
    assert.equal(await world.settled({ timeout: 20_000 }), 1);
  },
);
