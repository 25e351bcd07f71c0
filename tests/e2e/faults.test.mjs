// SPDX-License-Identifier: MIT
// Endpoints that fail, lie or dawdle: a clear word, nothing lost, nothing told that is not so, and all is well again afterwards.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { alchemy } from './lib/hooks.mjs';
import { faults, Proxy } from './lib/proxy.mjs';
import { never, sleep, until } from './lib/wait.mjs';
import { scenario, together } from './lib/world.mjs';

const quickRetry = (c) => { c.chains[0].rpc[0].timeout = '500ms'; };
const transferIn = async (world, call = {}) => (await world.anvil.transfersIn(await world.anvil.emit({ contract: world.A, ...call })))[0];

/** What an operator can read about a chain's trouble: its reason, its endpoints and the log. */
async function words(world, from) {
  const chain = await world.daemon.chain();
  return [chain.state, chain.reason, JSON.stringify(chain.endpoints), ...world.daemon.logs.slice(from).filter((l) => l.level !== 'debug').map((l) => l.text)].join('\n');
}

const hard = [
  ['an HTML page', faults.html, /json|html/i],
  ['half a JSON', faults.halfJson, /json|cut|incomplete|ends/i],
  ['an answer cut in the middle', faults.cut, /cut|closed|ended|reset/i],
  ['an empty body', faults.empty, /empty|json/i],
  ['null in place of an answer', faults.nullAnswer, /null|object|answer|json/i],
  ['a JSON-RPC error', faults.jsonError, /on fire|-32603/],
  ['HTTP 500', faults.httpError, /500/],
  ['HTTP 401', faults.unauthorized, /401|authori/i, { restart: true }], // an endpoint that refuses is left alone for a while
  ['silence', faults.silence, /time|no answer/i],
  ['a connection closed without an answer', faults.refused, /closed|reset|connect|ended/i],
  ['HTTP 429', faults.tooManyRequests, /429|rate/i],
  ['members of odd types', faults.oddTypes, /./],
  ['a number beyond all bounds', faults.huge, /./],
];

together('endpoints that fail', 4, hard.map(([name, fault, word, { restart } = {}]) => [
  `while it gives ${name}`, { proxy: true, config: quickRetry }, async (world) => {
    const { daemon, handler, proxy, anvil } = world;
    await transferIn(world, { value: 1 });
    await anvil.mine(2);
    await world.settled();
    const before = handler.requests.length, logged = daemon.logs.length;
    proxy.set(fault);
    const lost = await transferIn(world, { value: 2 });
    assert.equal((await alchemy(daemon, [lost])).status, 200, 'webhooks are taken all the same');
    await anvil.mine(2);
    const asked = proxy.calls.length;
    await never('a message', () => handler.requests.length > before, 1000);
    await until('the chain says that something is wrong', async () => {
      const chain = await daemon.chain();
      return chain.state === 'degraded' && typeof chain.reason === 'string' && chain.reason.length > 0;
    });
    await until(() => `a word like ${word}`, async () => word.test(await words(world, logged)));
    assert.notEqual((await daemon.chain()).endpoints[0].state, 'ok');
    const status = await daemon.get('/v1/status');
    assert.equal(status.chains[0].state, 'degraded');
    const ready = await daemon.api('/readyz');
    assert.equal(ready.status, 200, 'it does not depend on RPC');
    assert.match(ready.text, /degraded/);
    assert.ok(proxy.calls.length - asked < 100, `it does not hammer: ${proxy.calls.length - asked} calls in a second`);
    proxy.clear();
    if (restart) {
      await daemon.stop();
      await daemon.start();
    }
    assert.equal(await world.settled({ timeout: 20_000 }), 2);
    await until('the chain is well again', async () => (await daemon.chain()).state === 'following');
    assert.equal((await daemon.get('/v1/reorgs')).items.length, 0);
  },
]));

const survivable = [
  ['batch answers come shuffled', faults.shuffled],
  ['the last answer of each batch is missing', faults.partial],
  ['batches are refused by one error object', faults.noBatches],
  ['batches are refused by HTTP 400', faults.noBatchesHttp],
  ['there is no eth_getBlockReceipts', { call: (call) => (call.method === 'eth_getBlockReceipts' ? { jsonrpc: '2.0', id: call.id, error: { code: -32601, message: 'the method eth_getBlockReceipts does not exist' } } : undefined) }],
  ['the tags are not known', { call: (call) => (['safe', 'finalized'].includes(call.params?.[0]) ? { jsonrpc: '2.0', id: call.id, error: { code: -39001, message: 'Unknown block' } } : undefined) }],
  ['it is a bit slow', { call: async (call, forward) => { await sleep(60); return forward(call); } }],
];
together('endpoints that one can live with', 4, survivable.map(([name, fault]) => [
  `it works although ${name}`, {
    proxy: true,
    before: async (w) => { await transferIn(w, { count: 3 }); await w.anvil.mine(40); await transferIn(w, { value: 9 }); w.proxy.set(fault); },
  }, async (world) => {
    await transferIn(world, { value: 12, from: 1 });
    await world.anvil.mine(2);
    assert.equal(await world.settled({ timeout: 25_000 }), 5);
  },
]));

const lies = [
  ['no logs by range', faults.noLogsByRange],
  ['no logs at all', faults.noLogs],
  ['no logs and no receipts', { call: (call, forward) => faults.noLogs.call(call, forward) ?? faults.noReceipts.call(call, forward) }],
  ['no blocks by number', faults.missingBlocks],
  ['logs of another block', { call: async (call, forward) => {
    if (call.method !== 'eth_getLogs') return undefined;
    const answer = await forward(call);
    return { ...answer, result: answer.result?.map((log) => ({ ...log, blockHash: `0x${'77'.repeat(32)}` })) };
  } }],
  ['a log too many', { call: async (call, forward) => {
    if (call.method !== 'eth_getLogs') return undefined;
    const answer = await forward(call);
    const last = answer.result?.at(-1);
    if (last) answer.result.push({ ...last, logIndex: `0x${(Number(last.logIndex) + 1).toString(16)}`, data: `0x${'f'.repeat(64)}`, topics: [last.topics[0], last.topics[1], `0x${'0'.repeat(24)}${'d1'.repeat(20)}`] });
    return answer;
  } }],
  ['logs with another amount', { call: async (call, forward) => {
    if (call.method !== 'eth_getLogs' || call.params[0].blockHash) return undefined;
    const answer = await forward(call);
    return { ...answer, result: answer.result?.map((log) => ({ ...log, data: `0x${'f'.repeat(64)}` })) };
  } }],
];
together('endpoints that lie', 4, lies.map(([name, fault]) => [
  `a lie: ${name}`, { proxy: true, config: quickRetry }, async (world) => {
    const { handler, proxy, anvil, daemon } = world;
    await transferIn(world, { value: 1 });
    await anvil.mine(2);
    await world.settled();
    proxy.set(fault);
    const truth = [await transferIn(world, { value: 2 }), await transferIn(world, { from: 1, count: 2, value: 3 })];
    await anvil.mine(3);
    await sleep(2000);
    for (const m of handler.accepted) assert.ok(!/^1157920892373/.test(m.data.args.value), `told a lie: ${m.raw}`);
    assert.equal(handler.got('rolled_back').length, 0, 'nothing is taken back on such a word');
    assert.ok((await daemon.all('/v1/feed')).every((i) => i.data.status !== 'rolled_back'));
    proxy.clear();
    assert.equal(await world.settled({ timeout: 20_000 }), 4);
    await world.message(truth[0].eventId, 'confirmed');
    for (const m of handler.accepted) assert.notEqual(m.data.status, 'rolled_back');
  },
]));

scenario('another chain behind the URL at the start: refused, by both ids, until it is ours', {
  proxy: true, before: async (w) => { await transferIn(w); await w.anvil.mine(2); w.proxy.set(faults.otherChain); },
}, async (world) => {
  const { daemon, handler, proxy } = world;
  const chain = await until('it is refused', async () => { const c = await daemon.chain(); return c.endpoints[0].state === 'refused' && c; });
  assert.notEqual(chain.state, 'following');
  const said = await words(world, 0);
  assert.match(said, /\b5\b/);
  assert.match(said, /31337/);
  await never('a message', () => handler.requests.length > 0);
  proxy.clear();
  assert.equal(await world.settled({ timeout: 30_000 }), 1);
});

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

scenario('the node is not there at the start', {
  proxy: true, config: quickRetry, before: (w) => w.proxy.set(faults.refused),
}, async (world) => {
  const chain = await world.daemon.chain();
  assert.ok(['starting', 'degraded'].includes(chain.state), chain.state);
  await transferIn(world);
  await world.anvil.mine(2);
  world.proxy.clear();
  assert.equal(await world.settled({ timeout: 20_000 }), 1);
});

const refusals = [
  ['reth', { message: 'query exceeds max block range 7' }],
  ['Alchemy, free', { code: -32600, message: 'Under the Free tier plan, you can make eth_getLogs requests with up to a 7 block range.' }],
  ['Infura', { code: -32005, message: 'query returned more than 10000 results. Try with this block range [0x0, 0x6].', data: { from: '0x0', limit: 10000, to: '0x6' } }],
  ['an inverted hint', { code: -32602, message: 'this block range should work: [0x40, 0x0]' }],
  ['no hint', { code: -32000, message: 'backend response too large' }],
  ['dRPC', { code: 35, message: 'ranges over 7 blocks are not supported on freetier' }],
  ['Blast: the word is in data only', { code: -32602, message: 'Invalid params', data: { range: 'the range 0 - 60 exceeds the range allowed for your plan (60 > 7)' } }],
  ['QuickNode: HTTP 413', { http: 413, message: 'eth_getLogs is limited to a 7 range' }],
  ['words that nobody knows', { code: -32099, message: 'computer says no' }],
];
scenario('eth_getLogs over more than 7 blocks is refused', {
  proxy: true, handler: false, start: false, timeout: 120_000,
  before: async (w) => { for (let i = 0; i < 8; i++) { await transferIn(w, { value: i + 1, count: 2 }); await w.anvil.mine(8); } },
  config: (c) => { c.chains[0].reorg.max_depth = 8; c.chains[0].start_block = 1; },
}, async (world, t) => {
  const { daemon, proxy } = world;
  for (const [name, words_] of refusals) {
    await t.test(name, async () => {
      proxy.set(faults.tooBig(7, words_));
      await daemon.start();
      await world.marked(await world.anvil.head() - 2, 20_000);
      const events = await daemon.all('/v1/events?status=confirmed');
      assert.equal(events.length, 16);
      await daemon.stop();
      for (const file of fs.readdirSync(world.dir)) if (file.startsWith('tidemark.db')) fs.rmSync(`${world.dir}/${file}`);
    });
  }
});

scenario('a liar is left for the other endpoint', {
  proxy: true,
  before: async (w) => { w.others.push(w.good = await new Proxy(w.anvil.url).start()); w.proxy.set(faults.noLogs); },
  config: (c, { good }) => { c.chains[0].rpc.push({ name: 'good', url: good.url }); },
}, async (world) => {
  await transferIn(world, { count: 3 });
  await world.anvil.mine(3);
  assert.equal(await world.settled({ timeout: 20_000 }), 3);
  assert.equal(world.handler.got('rolled_back').length, 0);
  assert.equal((await world.daemon.chain()).endpoints[1].name, 'good');
});
