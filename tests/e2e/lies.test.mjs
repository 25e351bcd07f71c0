// SPDX-License-Identifier: MIT
// Endpoints that lie, refuse a range, or are another chain's: nothing told that is not so, nothing
// taken back, nothing left out.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { faults, Proxy } from './lib/proxy.mjs';
import { quickRetry, transferIn, words } from './lib/trouble.mjs';
import { never, sleep, until } from './lib/wait.mjs';
import { scenario, together } from './lib/world.mjs';

const lies = [
  ['no logs by range', faults.noLogsByRange],
  ['no logs at all', faults.noLogs],
  [
    'no logs and no receipts',
    {
      call: (call, forward) =>
        faults.noLogs.call(call, forward) ?? faults.noReceipts.call(call, forward),
    },
  ],
  ['no blocks by number', faults.missingBlocks],
  [
    'logs of another block',
    {
      call: async (call, forward) => {
        if (call.method !== 'eth_getLogs') return undefined;
        const answer = await forward(call);
        return {
          ...answer,
          result: answer.result?.map((log) => ({ ...log, blockHash: `0x${'77'.repeat(32)}` })),
        };
      },
    },
  ],
  [
    'a log too many',
    {
      call: async (call, forward) => {
        if (call.method !== 'eth_getLogs') return undefined;
        const answer = await forward(call);
        const last = answer.result?.at(-1);
        if (last)
          answer.result.push({
            ...last,
            logIndex: `0x${(Number(last.logIndex) + 1).toString(16)}`,
            data: `0x${'f'.repeat(64)}`,
            topics: [last.topics[0], last.topics[1], `0x${'0'.repeat(24)}${'d1'.repeat(20)}`],
          });
        return answer;
      },
    },
  ],
  [
    'logs with another amount',
    {
      call: async (call, forward) => {
        if (call.method !== 'eth_getLogs' || call.params[0].blockHash) return undefined;
        const answer = await forward(call);
        return {
          ...answer,
          result: answer.result?.map((log) => ({ ...log, data: `0x${'f'.repeat(64)}` })),
        };
      },
    },
  ],
];
together(
  'endpoints that lie',
  4,
  lies.map(([name, fault]) => [
    `a lie: ${name}`,
    { proxy: true, config: quickRetry },
    async (world) => {
      const { handler, proxy, anvil, daemon } = world;
      await transferIn(world, { value: 1 });
      await anvil.mine(2);
      await world.settled();
      proxy.set(fault);
      const truth = [
        await transferIn(world, { value: 2 }),
        await transferIn(world, { from: 1, count: 2, value: 3 }),
      ];
      await anvil.mine(3);
      await sleep(2000);
      for (const m of handler.accepted)
        assert.ok(!/^1157920892373/.test(m.data.args.value), `told a lie: ${m.raw}`);
      assert.equal(handler.got('rolled_back').length, 0, 'nothing is taken back on such a word');
      assert.ok((await daemon.all('/v1/feed')).every((i) => i.data.status !== 'rolled_back'));
      proxy.clear();
      assert.equal(await world.settled({ timeout: 20_000 }), 4);
      await world.message(truth[0].eventId, 'confirmed');
      for (const m of handler.accepted) assert.notEqual(m.data.status, 'rolled_back');
    },
  ]),
);

scenario(
  'another chain behind the URL at the start: refused, by both ids, until it is ours',
  {
    proxy: true,
    before: async (w) => {
      await transferIn(w);
      await w.anvil.mine(2);
      w.proxy.set(faults.otherChain);
    },
  },
  async (world) => {
    const { daemon, handler, proxy } = world;
    const chain = await until('it is refused', async () => {
      const c = await daemon.chain();
      return c.endpoints[0].state === 'refused' && c;
    });
    assert.notEqual(chain.state, 'following');
    await until('both ids are named', async () => {
      const said = await words(world, 0);
      return /\b5\b/.test(said) && /31337/.test(said);
    });
    await never('a message', () => handler.requests.length > 0);
    proxy.clear();
    assert.equal(await world.settled({ timeout: 30_000 }), 1);
  },
);

scenario('another chain behind the URL after a reconnect', { proxy: true }, async (world) => {
  const { daemon, handler, proxy, anvil } = world;
  await transferIn(world);
  await anvil.mine(2);
  await world.settled();
  const before = handler.requests.length;
  proxy.set(faults.otherChain);
  proxy.server.closeAllConnections();
  await until('it is refused', async () => (await daemon.chain()).endpoints[0].state === 'refused');
  await transferIn(world, { value: 2 });
  await anvil.mine(2);
  await never('a message', () => handler.requests.length > before);
  proxy.clear();
  assert.equal(await world.settled({ timeout: 30_000 }), 2);
});

const refusals = [
  ['reth', { message: 'query exceeds max block range 7' }],
  [
    'Alchemy, free',
    {
      code: -32600,
      message:
        'Under the Free tier plan, you can make eth_getLogs requests with up to a 7 block range.',
    },
  ],
  [
    'Infura',
    {
      code: -32005,
      message: 'query returned more than 10000 results. Try with this block range [0x0, 0x6].',
      data: { from: '0x0', limit: 10000, to: '0x6' },
    },
  ],
  ['an inverted hint', { code: -32602, message: 'this block range should work: [0x40, 0x0]' }],
  ['no hint', { code: -32000, message: 'backend response too large' }],
  ['dRPC', { code: 35, message: 'ranges over 7 blocks are not supported on freetier' }],
  [
    'Blast: the word is in data only',
    {
      code: -32602,
      message: 'Invalid params',
      data: { range: 'the range 0 - 60 exceeds the range allowed for your plan (60 > 7)' },
    },
  ],
  ['QuickNode: HTTP 413', { http: 413, message: 'eth_getLogs is limited to a 7 range' }],
  ['words that nobody knows', { code: -32099, message: 'computer says no' }],
];
scenario(
  'eth_getLogs over more than 7 blocks is refused',
  {
    proxy: true,
    handler: false,
    start: false,
    timeout: 120_000,
    before: async (w) => {
      for (let i = 0; i < 8; i++) {
        await transferIn(w, { value: i + 1, count: 2 });
        await w.anvil.mine(8);
      }
    },
    config: (c) => {
      c.chains[0].reorg.max_depth = 8;
      c.chains[0].start_block = 1;
    },
  },
  async (world, t) => {
    const { daemon, proxy } = world;
    for (const [name, words_] of refusals) {
      await t.test(name, async () => {
        proxy.set(faults.tooBig(7, words_));
        await daemon.start();
        await world.marked((await world.anvil.head()) - 2, 20_000);
        const events = await daemon.all('/v1/events?status=confirmed');
        assert.equal(events.length, 16);
        await daemon.stop();
        for (const file of fs.readdirSync(world.dir))
          if (file.startsWith('tidemark.db')) fs.rmSync(`${world.dir}/${file}`);
      });
    }
  },
);

scenario(
  'a liar is left for the other endpoint',
  {
    proxy: true,
    before: async (w) => {
      w.others.push((w.good = await new Proxy(w.anvil.url).start()));
      w.proxy.set(faults.noLogs);
    },
    config: (c, { good }) => {
      c.chains[0].rpc.push({ name: 'good', url: good.url });
    },
  },
  async (world) => {
    await transferIn(world, { count: 3 });
    await world.anvil.mine(3);
    assert.equal(await world.settled({ timeout: 20_000 }), 3);
    assert.equal(world.handler.got('rolled_back').length, 0);
    assert.equal((await world.daemon.chain()).endpoints[1].name, 'good');
  },
);
