// SPDX-License-Identifier: MIT
// What the chain takes back is taken back, and what it has now is told: a reorg of every kind, on a real node.
import assert from 'node:assert/strict';
import { checkMessage, messageId } from './lib/expect.mjs';
import { alchemy } from './lib/hooks.mjs';
import { never, sleep, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

/**
 * Blocks 1 and 2 hold the contracts; 3: A, two logs (txA of account 0); 4: A, three logs (txB of account 1); 5: B, one log
 * that says the block's number (txN of account 2); 6 and 7 are empty. With two confirmations the mark is 5.
 */
async function base(world) {
  const { anvil, A, B } = world;
  const of = async (call) => {
    const receipt = await anvil.emit(call);
    return { hash: receipt.transactionHash, raw: await anvil.raw(receipt.transactionHash), logs: await anvil.transfersIn(receipt) };
  };
  world.txA = await of({ contract: A, from: 0, count: 2, value: 10 });
  world.txB = await of({ contract: A, from: 1, count: 3, value: 20 });
  world.txN = await of({ contract: B, from: 2, count: 1 });
  await anvil.mine(2);
}
const logsOf = async (world, { hash }) => world.anvil.transfersIn(await world.anvil.receipt(hash));
const told = (handler, from = 0) => handler.accepted.slice(from).map((m) => [m.data.status, m.data.event_id.split(':').slice(1).join(':'), m.data.block.number]);
const names = (world, list) => list.map(([status, id, block]) => [status, id.replace(world.txA.hash, 'A').replace(world.txB.hash, 'B').replace(world.txN.hash, 'N'), block]);

/** In the base world, all confirmed: does the reorg, lets the new branch be confirmed, and compares with the chain. */
function reorg(name, act, check, options = {}) {
  scenario(name, { contracts: ['A', 'B'], before: base, ...options }, async (world) => {
    await world.settled();
    await world.marked(5);
    world.before = world.handler.accepted.length;
    await act(world);
    await world.anvil.mine(2);
    await world.settled();
    await world.marked(await world.anvil.head() - 2);
    await check(world);
  });
}

async function lastReorg(world, expected) {
  const { items, next } = await world.daemon.get('/v1/reorgs');
  assert.ok(next === null || typeof next === 'string');
  const [{ at, old_head: oldHead, new_head: newHead, ...rest }] = items;
  assert.ok(!Number.isNaN(Date.parse(at)), `at: ${at}`);
  for (const head of [oldHead, newHead]) assert.deepEqual(Object.keys(head).sort(), ['hash', 'number']);
  assert.deepEqual({ ...rest, ancestor: rest.ancestor.number }, { chain: 'local', ...expected });
}

reorg('empty blocks above the mark are replaced: nothing is told',
  (w) => w.anvil.reorg(2, []),
  async (w) => {
    assert.equal(w.handler.accepted.length, w.before);
    await lastReorg(w, { depth: 2, ancestor: 5, rolled_back: 0 });
    const { last_reorg: last } = await w.daemon.chain();
    assert.ok(last, 'the chain tells of its last reorg');
  });

reorg('transactions disappear: each event is taken back, the newest first',
  (w) => w.anvil.reorg(4, []),
  async (w) => {
    const list = w.handler.accepted.slice(w.before);
    assert.deepEqual(names(w, told({ accepted: list.filter((m) => m.data.address === w.A) })),
      [['rolled_back', 'B:2', 4], ['rolled_back', 'B:1', 4], ['rolled_back', 'B:0', 4]]);
    assert.deepEqual(names(w, told({ accepted: list.filter((m) => m.data.address === w.B) })), [['rolled_back', 'N:0', 5]]);
    for (const transfer of [...w.txB.logs, ...w.txN.logs]) {
      const back = await w.message(transfer.eventId, 'rolled_back');
      checkMessage(back, transfer, { status: 'rolled_back', version: 3, firstSeen: ['head', 'reconcile'], undoes: messageId(transfer, 'confirmed') });
      const event = await w.daemon.get(`/v1/events/${transfer.eventId}`);
      assert.equal(event.status, 'rolled_back');
      assert.deepEqual(event.history.map((h) => [h.version, h.status, h.why]).at(-1), [3, 'rolled_back', 'reorg']);
    }
    await lastReorg(w, { depth: 4, ancestor: 3, rolled_back: 4 });
    const feed = await w.daemon.all('/v1/feed');
    assert.deepEqual(names(w, feed.slice(-4).map((i) => [i.data.status, i.subject.split(':').slice(1).join(':'), i.data.block.number])),
      [['rolled_back', 'N:0', 5], ['rolled_back', 'B:2', 4], ['rolled_back', 'B:1', 4], ['rolled_back', 'B:0', 4]]);
  });

reorg('a transaction is in a later block: another inclusion of the same event',
  (w) => w.anvil.reorg(4, [[w.txB.raw, 2]]),
  async (w) => {
    for (const [i, fresh] of (await logsOf(w, w.txB)).entries()) {
      assert.equal(fresh.block, 6);
      assert.deepEqual(w.handler.of(fresh.eventId).map((m) => [m.data.status, m.data.version, m.id]), [
        ['pending', 1, messageId(w.txB.logs[i], 'pending')], ['confirmed', 2, messageId(w.txB.logs[i], 'confirmed')],
        ['rolled_back', 3, messageId(w.txB.logs[i], 'rolled_back')],
        ['pending', 4, messageId(fresh, 'pending')], ['confirmed', 5, messageId(fresh, 'confirmed')],
      ]);
      checkMessage(await w.message(fresh.eventId, 'confirmed', 2), fresh, { status: 'confirmed', version: 5, firstSeen: ['head', 'reconcile'] });
    }
    const byStatus = told(w.handler, w.before).map(([status]) => status);
    assert.ok(byStatus.lastIndexOf('rolled_back') < byStatus.indexOf('pending'), `all of the old before anything of the new: ${byStatus}`);
  });

reorg('the same height and index, another hash',
  (w) => w.anvil.reorg(4, [[w.txB.raw, 0], [w.txN.raw, 1]]),
  async (w) => {
    for (const fresh of [...await logsOf(w, w.txB), ...await logsOf(w, w.txN)]) {
      assert.equal(w.handler.of(fresh.eventId, 'confirmed').length, 2);
      checkMessage(await w.message(fresh.eventId, 'confirmed', 2), fresh, { status: 'confirmed', version: 5, firstSeen: ['head', 'reconcile'] });
    }
  });

reorg('the log index shifts: another event replaces it',
  (w) => w.anvil.reorg(4, [[w.txN.raw, 0], [w.txB.raw, 0]]),
  async (w) => {
    const fresh = await logsOf(w, w.txB);
    assert.deepEqual(fresh.map((t) => t.logIndex), [1, 2, 3], 'the recipe shifts by one');
    for (const [i, transfer] of fresh.entries()) {
      const replaces = w.txB.logs[i].eventId;
      assert.equal(transfer.logicalId, w.txB.logs[i].logicalId);
      checkMessage(w.handler.of(transfer.eventId, 'confirmed').at(-1), transfer, {
        status: 'confirmed', version: i < 2 ? 5 : 2, firstSeen: ['head', 'reconcile'], replaces,
      });
    }
    assert.equal(w.handler.of(w.txB.logs[0].eventId).at(-1).data.status, 'rolled_back');
    const [n] = await logsOf(w, w.txN);
    assert.equal(w.handler.of(n.eventId, 'confirmed').at(-1).data.replaces, null, 'the same index: the same event');
  });

reorg('a new transaction comes before it, in another block',
  (w) => w.anvil.reorg(4, [[{ contract: w.A, from: 0, count: 2, value: 70 }, 1], [w.txB.raw, 1], [w.txN.raw, 3]]),
  async (w) => {
    const fresh = await logsOf(w, w.txB);
    assert.deepEqual(fresh.map((t) => [t.block, t.logIndex]), [[5, 2], [5, 3], [5, 4]]);
    // B:2 is an id of both branches: the third log then, the first one now.
    const both = w.handler.of(fresh[0].eventId).map((m) => [m.data.status, m.data.args.value, m.data.logical_id.split(':')[2]]);
    assert.deepEqual(both, [['pending', '22', 'o2'], ['confirmed', '22', 'o2'], ['rolled_back', '22', 'o2'], ['pending', '20', 'o0'], ['confirmed', '20', 'o0']]);
  });

reorg('a transaction is replaced under the same nonce',
  (w) => w.anvil.reorg(4, [[{ contract: w.B, from: 1, nonce: 0 }, 0]]),
  async (w) => {
    assert.equal(await w.anvil.receipt(w.txB.hash), null);
    for (const old of w.txB.logs) assert.equal(w.handler.of(old.eventId).at(-1).data.status, 'rolled_back');
    const fresh = (await w.due()).find((t) => t.block === 4);
    checkMessage(await w.message(fresh.eventId, 'confirmed'), fresh, { status: 'confirmed', version: 2, firstSeen: ['head', 'reconcile'] });
  });

reorg('the payload changes with the block',
  (w) => w.anvil.reorg(3, [[w.txN.raw, 2]]),
  async (w) => {
    const [fresh] = await logsOf(w, w.txN);
    assert.deepEqual([w.txN.logs[0].value, fresh.value], ['5', '7']);
    assert.deepEqual(w.handler.of(fresh.eventId).map((m) => [m.data.status, m.data.args.value]),
      [['pending', '5'], ['confirmed', '5'], ['rolled_back', '5'], ['pending', '7'], ['confirmed', '7']]);
    await lastReorg(w, { depth: 3, ancestor: 4, rolled_back: 1 });
  });

reorg('a transaction reverts now: it is in the block, its events are not',
  async (w) => w.anvil.reorg(4, [[{ contract: w.A, from: 1, count: 3, value: 20, nonce: 0, gas: '0x5a00' }, 0]]),
  async (w) => {
    const block = await w.anvil.block(4);
    assert.equal((await w.anvil.receipt(block.transactions[0])).status, '0x0');
    for (const old of w.txB.logs) assert.equal(w.handler.of(old.eventId).at(-1).data.status, 'rolled_back');
  });

reorg('several reorgs, one upon the other',
  async (w) => {
    for (let i = 0; i < 5; i++) {
      await w.anvil.reorg(3, [[w.txN.raw, i % 3]]);
      await sleep(i * 120);
    }
  },
  async (w) => {
    const [fresh] = await logsOf(w, w.txN);
    assert.equal(w.handler.live().get(fresh.eventId).data.block.hash, fresh.blockHash);
  });

reorg('a reorg while the daemon is down',
  async (w) => {
    await w.daemon.stop();
    await w.anvil.reorg(4, [[w.txB.raw, 3]]);
    await w.daemon.start();
  },
  async (w) => {
    assert.equal(w.handler.of(w.txN.logs[0].eventId).at(-1).data.status, 'rolled_back');
    await lastReorg(w, { depth: 4, ancestor: 3, rolled_back: 4 });
  });

reorg('a reorg and kill -9 at once',
  async (w) => {
    await w.anvil.reorg(4, [[w.txB.raw, 1]]);
    await sleep(Math.random() * 400);
    await w.daemon.kill9();
    await w.daemon.start();
  },
  async (w) => assert.equal(w.handler.live().size, 5));

reorg('a webhook of the new branch comes first',
  async (w) => {
    await w.anvil.reorg(4, [[w.txB.raw, 2]]);
    const answer = await alchemy(w.daemon, await logsOf(w, w.txB));
    assert.equal(answer.status, 200);
  },
  async (w) => until('it is verified', async () => (await w.daemon.all('/v1/webhooks')).every((h) => h.state === 'verified')));

reorg('the chain is rolled back to its start and grows anew',
  async (w) => {
    const { anvil } = w;
    await anvil.reorg(5, [[w.txB.raw, 0], [w.txA.raw, 4]]); // block 3 is the first with an event
    await anvil.mine(1);
  },
  async (w) => assert.equal(w.handler.live().size, 5));

reorg('a reorg in the middle of a scan',
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
  { proxy: true });

scenario('depth 1: what was told as pending is taken back', { contracts: ['A', 'B'], before: base }, async (world) => {
  await world.settled();
  const { anvil, handler } = world;
  const [pending] = await anvil.transfersIn(await anvil.emit({ contract: world.A, from: 3, value: 5 }));
  await world.message(pending.eventId, 'pending');
  const raw = await anvil.raw(pending.tx);
  await anvil.reorg(1, [[raw, 0]]);
  const back = await world.message(pending.eventId, 'rolled_back');
  checkMessage(back, pending, { status: 'rolled_back', version: 2, firstSeen: ['head', 'reconcile'], undoes: messageId(pending, 'pending') });
  const [fresh] = await anvil.transfersIn(await anvil.receipt(pending.tx));
  checkMessage(await world.message(pending.eventId, 'pending', 2), fresh, { status: 'pending', version: 3, firstSeen: ['head', 'reconcile'] });
  await anvil.mine(2);
  await world.settled();
  assert.deepEqual(handler.of(pending.eventId).map((m) => m.data.status), ['pending', 'rolled_back', 'pending', 'confirmed']);
});

scenario('what a handler was never told is not taken back from it', {
  contracts: ['A', 'B'], before: base, config: (c) => { delete c.handlers[0].send; },
}, async (world) => {
  await world.settled();
  const before = world.handler.requests.length;
  const [pending] = await world.anvil.transfersIn(await world.anvil.emit({ contract: world.A, from: 3, value: 5 }));
  await until('it is pending', async () => (await world.daemon.get(`/v1/events/${pending.eventId}`)).status === 'pending');
  await world.anvil.reorg(1, []);
  await until('it is gone', async () => (await world.daemon.get(`/v1/events/${pending.eventId}`)).status === 'rolled_back');
  await world.anvil.mine(3);
  await never('a word about it', () => world.handler.requests.length > before);
  assert.deepEqual((await world.daemon.get(`/v1/events/${pending.eventId}`)).history.map((h) => h.status), ['pending', 'rolled_back']);
});

scenario('above the mark blocks may leave at any depth', {
  contracts: ['A', 'B'], confirmations: 30, config: (c) => { c.chains[0].reorg.max_depth = 4; },
}, async (world) => {
  const { anvil } = world;
  await base(world);
  for (const t of [...world.txA.logs, ...world.txB.logs, ...world.txN.logs]) await world.message(t.eventId, 'pending');
  await anvil.mine(10); // head 17, the mark below 0
  await until('the head is seen', async () => (await world.daemon.chain()).head.number === 17);
  await anvil.reorg(14, [[world.txB.raw, 6]]);
  for (const t of [...world.txB.logs, ...world.txN.logs]) await world.message(t.eventId, 'rolled_back');
  for (const t of world.txB.logs) await world.message(t.eventId, 'pending', 2);
  assert.notEqual((await world.daemon.chain()).state, 'halted');
  await anvil.mine(30);
  await world.settled();
});

const deep = {
  contracts: ['A', 'B'],
  before: async (w) => { await base(w); await w.anvil.mine(20); },
  config: (c) => { c.chains[0].reorg.max_depth = 6; },
};

scenario('deeper than max_depth below the mark: the chain halts, and resume --accept-reorg goes on', deep, async (world) => {
  const { anvil, daemon, handler } = world; // head 27, mark 25
  await world.settled();
  await world.marked(25);
  await anvil.reorg(24, [[world.txB.raw, 5]]); // ancestor 3: 22 below the mark
  const halted = await until('it halts', async () => { const c = await daemon.chain(); return c.state === 'halted' && c; });
  assert.ok(typeof halted.reason === 'string' && halted.reason.length > 10, `reason: ${halted.reason}`);
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
  assert.ok(daemon.logs.some((l) => ['warn', 'warning', 'error', 'critical'].includes(l.level) && /halt/i.test(l.text)), 'a log line says so');
  assert.equal((await alchemy(daemon, await logsOf(world, world.txB))).status, 200);

  await daemon.stop();
  await daemon.start();
  await until('it is still halted after a restart', async () => (await daemon.chain()).state === 'halted');
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
  for (const t of [...world.txB.logs, ...world.txN.logs]) await world.message(t.eventId, 'rolled_back');
  assert.notEqual((await daemon.chain()).state, 'halted');
});

scenario('within max_depth below the mark nothing halts', {
  ...deep, config: (c) => { c.chains[0].reorg.max_depth = 22; },
}, async (world) => {
  await world.settled();
  await world.marked(25);
  await world.anvil.reorg(24, [[world.txB.raw, 5]]); // ancestor 3, mark 25: just 22
  for (const t of world.txN.logs) await world.message(t.eventId, 'rolled_back');
  await world.settled();
  assert.notEqual((await world.daemon.chain()).state, 'halted');
});

scenario('a reorg below the very start', {
  before: async (w) => {
    const { anvil } = w;
    const first = await anvil.emit({ contract: w.A, from: 1, value: 1 }); // block 2, before the start
    const second = await anvil.emit({ contract: w.A, from: 2, value: 2 }); // block 3
    w.raws = [await anvil.raw(first.transactionHash), await anvil.raw(second.transactionHash)];
    await anvil.mine(3);
  },
  config: (c) => { c.chains[0].start_block = 3; },
}, async (world) => {
  const { anvil, handler, daemon } = world;
  await until('one is confirmed', () => handler.got('confirmed').length === 1);
  await world.marked(4);
  await anvil.reorg(5, [[world.raws[1], 0], [world.raws[0], 2]]); // blocks 2 to 6 are new; 3 and above count
  await anvil.mine(3);
  const counts = async () => (await world.due()).filter((t) => t.block >= 3).map((t) => `${t.eventId} ${t.blockHash}`);
  await until('what counts now is confirmed', async () => {
    const live = [...handler.live().values()].map((m) => `${m.data.event_id} ${m.data.block.hash}`);
    return JSON.stringify(live) === JSON.stringify(await counts());
  });
  assert.equal(handler.live().size, 1);
  assert.notEqual((await daemon.chain()).state, 'halted');
});

scenario('a lower head is a lagging endpoint, not a reorg', { contracts: ['A', 'B'], before: base }, async (world) => {
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
});

scenario('a head that goes back and comes back the same changes nothing', { proxy: true, contracts: ['A', 'B'], before: base }, async (world) => {
  await world.settled();
  const before = world.handler.requests.length;
  const { faults } = await import('./lib/proxy.mjs');
  for (const height of [5, 6, 2, 4]) {
    world.proxy.set(faults.staleHead(height));
    await sleep(400);
    world.proxy.clear();
    await sleep(250);
  }
  await never('a message', () => world.handler.requests.length > before, 300);
  assert.equal((await world.daemon.get('/v1/reorgs')).items.length, 0);
});
