// SPDX-License-Identifier: MIT
// What the chain takes back is taken back, and what it has now is told: a reorg of every kind, on a
// real node.
import assert from 'node:assert/strict';
import { lastReorg, logsOf, names, reorg, told } from './lib/base.mjs';
import { checkMessage, messageId } from './lib/expect.mjs';

reorg(
  'empty blocks above the mark are replaced: nothing is told',
  (w) => w.anvil.reorg(2, []),
  async (w) => {
    assert.equal(w.handler.accepted.length, w.before);
    await lastReorg(w, { depth: 2, ancestor: 5, rolled_back: 0 });
    const { last_reorg: last } = await w.daemon.chain();
    assert.ok(last, 'the chain tells of its last reorg');
  },
);

reorg(
  'transactions disappear: each event is taken back, the newest first',
  (w) => w.anvil.reorg(4, []),
  async (w) => {
    const list = w.handler.accepted.slice(w.before);
    assert.deepEqual(names(w, told({ accepted: list.filter((m) => m.data.address === w.A) })), [
      ['rolled_back', 'B:2', 4],
      ['rolled_back', 'B:1', 4],
      ['rolled_back', 'B:0', 4],
    ]);
    assert.deepEqual(names(w, told({ accepted: list.filter((m) => m.data.address === w.B) })), [
      ['rolled_back', 'N:0', 5],
    ]);
    for (const transfer of [...w.txB.logs, ...w.txN.logs]) {
      const back = await w.message(transfer.eventId, 'rolled_back');
      checkMessage(back, transfer, {
        status: 'rolled_back',
        version: 3,
        firstSeen: ['head', 'reconcile'],
        undoes: messageId(transfer, 'confirmed'),
      });
      const event = await w.daemon.get(`/v1/events/${transfer.eventId}`);
      assert.equal(event.status, 'rolled_back');
      assert.deepEqual(event.history.map((h) => [h.version, h.status, h.why]).at(-1), [
        3,
        'rolled_back',
        'reorg',
      ]);
    }
    await lastReorg(w, { depth: 4, ancestor: 3, rolled_back: 4 });
    const feed = await w.daemon.all('/v1/feed');
    assert.deepEqual(
      names(
        w,
        feed
          .slice(-4)
          .map((i) => [
            i.data.status,
            i.subject.split(':').slice(1).join(':'),
            i.data.block.number,
          ]),
      ),
      [
        ['rolled_back', 'N:0', 5],
        ['rolled_back', 'B:2', 4],
        ['rolled_back', 'B:1', 4],
        ['rolled_back', 'B:0', 4],
      ],
    );
  },
);

reorg(
  'a transaction is in a later block: another inclusion of the same event',
  (w) => w.anvil.reorg(4, [[w.txB.raw, 2]]),
  async (w) => {
    for (const [i, fresh] of (await logsOf(w, w.txB)).entries()) {
      assert.equal(fresh.block, 6);
      assert.deepEqual(
        w.handler.of(fresh.eventId).map((m) => [m.data.status, m.data.version, m.id]),
        [
          ['pending', 1, messageId(w.txB.logs[i], 'pending')],
          ['confirmed', 2, messageId(w.txB.logs[i], 'confirmed')],
          ['rolled_back', 3, messageId(w.txB.logs[i], 'rolled_back')],
          ['pending', 4, messageId(fresh, 'pending')],
          ['confirmed', 5, messageId(fresh, 'confirmed')],
        ],
      );
      checkMessage(await w.message(fresh.eventId, 'confirmed', 2), fresh, {
        status: 'confirmed',
        version: 5,
        firstSeen: ['head', 'reconcile'],
      });
    }
    const byStatus = told(w.handler, w.before).map(([status]) => status);
    assert.ok(
      byStatus.lastIndexOf('rolled_back') < byStatus.indexOf('pending'),
      `all of the old before anything of the new: ${byStatus}`,
    );
  },
);

reorg(
  'the same height and index, another hash',
  (w) =>
    w.anvil.reorg(4, [
      [w.txB.raw, 0],
      [w.txN.raw, 1],
    ]),
  async (w) => {
    for (const fresh of [...(await logsOf(w, w.txB)), ...(await logsOf(w, w.txN))]) {
      assert.equal(w.handler.of(fresh.eventId, 'confirmed').length, 2);
      checkMessage(await w.message(fresh.eventId, 'confirmed', 2), fresh, {
        status: 'confirmed',
        version: 5,
        firstSeen: ['head', 'reconcile'],
      });
    }
  },
);

reorg(
  'the log index shifts: another event replaces it',
  (w) =>
    w.anvil.reorg(4, [
      [w.txN.raw, 0],
      [w.txB.raw, 0],
    ]),
  async (w) => {
    const fresh = await logsOf(w, w.txB);
    assert.deepEqual(
      fresh.map((t) => t.logIndex),
      [1, 2, 3],
      'the recipe shifts by one',
    );
    for (const [i, transfer] of fresh.entries()) {
      const replaces = w.txB.logs[i].eventId;
      assert.equal(transfer.logicalId, w.txB.logs[i].logicalId);
      checkMessage(w.handler.of(transfer.eventId, 'confirmed').at(-1), transfer, {
        status: 'confirmed',
        version: i < 2 ? 5 : 2,
        firstSeen: ['head', 'reconcile'],
        replaces,
      });
    }
    assert.equal(w.handler.of(w.txB.logs[0].eventId).at(-1).data.status, 'rolled_back');
    const [n] = await logsOf(w, w.txN);
    assert.equal(
      w.handler.of(n.eventId, 'confirmed').at(-1).data.replaces,
      null,
      'the same index: the same event',
    );
  },
);

reorg(
  'a new transaction comes before it, in another block',
  (w) =>
    w.anvil.reorg(4, [
      [{ contract: w.A, from: 0, count: 2, value: 70 }, 1],
      [w.txB.raw, 1],
      [w.txN.raw, 3],
    ]),
  async (w) => {
    const fresh = await logsOf(w, w.txB);
    assert.deepEqual(
      fresh.map((t) => [t.block, t.logIndex]),
      [
        [5, 2],
        [5, 3],
        [5, 4],
      ],
    );
    // B:2 is an id of both branches: the third log then, the first one now.
    const both = w.handler
      .of(fresh[0].eventId)
      .map((m) => [m.data.status, m.data.args.value, m.data.logical_id.split(':')[2]]);
    assert.deepEqual(both, [
      ['pending', '22', 'o2'],
      ['confirmed', '22', 'o2'],
      ['rolled_back', '22', 'o2'],
      ['pending', '20', 'o0'],
      ['confirmed', '20', 'o0'],
    ]);
  },
);

reorg(
  'a transaction is replaced under the same nonce',
  (w) => w.anvil.reorg(4, [[{ contract: w.B, from: 1, nonce: 0 }, 0]]),
  async (w) => {
    assert.equal(await w.anvil.receipt(w.txB.hash), null);
    for (const old of w.txB.logs)
      assert.equal(w.handler.of(old.eventId).at(-1).data.status, 'rolled_back');
    const fresh = (await w.due()).find((t) => t.block === 4);
    checkMessage(await w.message(fresh.eventId, 'confirmed'), fresh, {
      status: 'confirmed',
      version: 2,
      firstSeen: ['head', 'reconcile'],
    });
  },
);

reorg(
  'the payload changes with the block',
  (w) => w.anvil.reorg(3, [[w.txN.raw, 2]]),
  async (w) => {
    const [fresh] = await logsOf(w, w.txN);
    assert.deepEqual([w.txN.logs[0].value, fresh.value], ['5', '7']);
    assert.deepEqual(
      w.handler.of(fresh.eventId).map((m) => [m.data.status, m.data.args.value]),
      [
        ['pending', '5'],
        ['confirmed', '5'],
        ['rolled_back', '5'],
        ['pending', '7'],
        ['confirmed', '7'],
      ],
    );
    await lastReorg(w, { depth: 3, ancestor: 4, rolled_back: 1 });
  },
);

reorg(
  'a transaction reverts now: it is in the block, its events are not',
  async (w) =>
    w.anvil.reorg(4, [
      [{ contract: w.A, from: 1, count: 3, value: 20, nonce: 0, gas: '0x5a00' }, 0],
    ]),
  async (w) => {
    const block = await w.anvil.block(4);
    assert.equal((await w.anvil.receipt(block.transactions[0])).status, '0x0');
    for (const old of w.txB.logs)
      assert.equal(w.handler.of(old.eventId).at(-1).data.status, 'rolled_back');
  },
);
