// SPDX-License-Identifier: MIT
// Transactions as events: transfers of the chain's own coin, failed ones, creations; found by the
// head pass, by a webhook that says a hash alone, and by the second reading; reorgs.
import assert from 'node:assert/strict';
import { checkFeedItem, checkMessage, messageId } from './lib/expect.mjs';
import { post, sign } from './lib/hooks.mjs';
import { until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const ETHER = 10n ** 18n;
const hex = (n) => `0x${BigInt(n).toString(16)}`;
// PUSH0 PUSH0 REVERT, as init code and as code
const REVERTS = '0x5f5ffd';
const CREATES = '0x600a600c600039600a6000f3602a60005260206000f3';

const send = (w, tx) =>
  w.anvil.rpc('eth_sendTransaction', { from: w.anvil.accounts[0], gas: hex(200_000), ...tx });
const pay = (w, value, to = 5) => send(w, { to: w.anvil.accounts[to] ?? to, value: hex(value) });

/** A mined transaction as a test speaks of it. */
async function seen(w, hash) {
  const tx = await w.anvil.rpc('eth_getTransactionByHash', hash);
  const receipt = await w.anvil.receipt(hash);
  const block = await w.anvil.block(Number(receipt.blockNumber));
  const success = receipt.status === '0x1';
  return {
    eventId: `31337:${hash}:tx`,
    logicalId: `31337:${hash}:tx`,
    block: Number(receipt.blockNumber),
    blockHash: receipt.blockHash,
    time: Number(block.timestamp),
    tx: hash,
    txIndex: Number(receipt.transactionIndex),
    address: (tx.to ?? receipt.contractAddress).toLowerCase(),
    says: {
      kind: 'transaction',
      from: tx.from.toLowerCase(),
      to: tx.to?.toLowerCase() ?? null,
      created: tx.to || !success ? null : receipt.contractAddress.toLowerCase(),
      value: BigInt(tx.value).toString(),
      input: tx.input,
      nonce: Number(tx.nonce),
      receipt_status: success ? 'success' : 'failed',
    },
  };
}

const expected = (status, more = {}) => ({
  status,
  subscription: 'payments',
  subscriptions: ['payments'],
  firstSeen: ['head', 'reconcile'],
  ...more,
});

/** The config of these tests: what `transaction` is, beside the transfers if asked. */
const about =
  (transaction, { logs = false, change } = {}) =>
  (c, w) => {
    const payments = {
      name: 'payments',
      chains: ['local'],
      transaction: typeof transaction === 'function' ? transaction(w) : transaction,
    };
    c.subscriptions = logs ? [...c.subscriptions, payments] : [payments];
    return change?.(c, w);
  };

scenario(
  'transfers of the coin: what fits is pending, then confirmed, word by word',
  {
    contracts: [],
    config: about((w) => ({
      to: [w.anvil.accounts[5], w.anvil.accounts[6].toLowerCase()],
      from: w.anvil.accounts[0],
      min_value: '0.5ether',
    })),
  },
  async (w) => {
    const small = await pay(w, ETHER / 2n - 1n);
    const exact = await pay(w, ETHER / 2n);
    const other = await pay(w, ETHER, 7);
    const sender = await pay(w, ETHER, 6);
    const stranger = await send(w, {
      from: w.anvil.accounts[1],
      to: w.anvil.accounts[5],
      value: hex(ETHER),
    });
    await w.anvil.mine();
    for (const hash of [exact, sender]) {
      const t = await seen(w, hash);
      checkMessage(await w.message(t.eventId, 'pending'), t, expected('pending'));
    }
    await w.anvil.mine(2);
    for (const hash of [exact, sender]) {
      const t = await seen(w, hash);
      checkMessage(
        await w.message(t.eventId, 'confirmed'),
        t,
        expected('confirmed', { version: 2 }),
      );
    }
    const feed = await w.daemon.all('/v1/feed');
    checkFeedItem(feed[0], await seen(w, exact), expected('pending'));
    for (const hash of [small, other, stranger])
      assert.equal((await w.daemon.api(`/v1/events/31337:${hash}:tx`)).status, 404);
    const t = await seen(w, exact);
    for (const filter of [`address=${t.address}`, `tx=${exact}`, 'subscription=payments'])
      assert.ok(
        (await w.daemon.all(`/v1/events?${filter}`)).some((e) => e.event_id === t.eventId),
        filter,
      );
    assert.equal((await w.daemon.all('/v1/events?chain=local')).length, 2);
  },
);

scenario(
  'failed ones and creations, by their outcome',
  {
    contracts: [],
    config: about({ status: 'any' }),
  },
  async (w) => {
    const created = await send(w, { data: CREATES });
    const failed = await send(w, { data: REVERTS });
    await w.anvil.mine(3);
    for (const hash of [created, failed]) {
      const t = await seen(w, hash);
      const message = await w.message(t.eventId, 'confirmed');
      checkMessage(message, t, expected('confirmed', { version: message.data.version }));
    }
    assert.equal((await seen(w, failed)).says.receipt_status, 'failed');
    assert.equal((await w.message(`31337:${failed}:tx`, 'confirmed')).data.created, null);
  },
);

scenario(
  'by default a failed one is no event',
  { contracts: [], config: about({}) },
  async (w) => {
    const failed = await send(w, { data: REVERTS });
    const fine = await pay(w, 1n);
    await w.anvil.mine(3);
    await w.message(`31337:${fine}:tx`, 'confirmed');
    assert.equal((await w.daemon.api(`/v1/events/31337:${failed}:tx`)).status, 404);
  },
);

scenario(
  'a transaction stands before its own logs, and its key is what it was sent to',
  { config: about((w) => ({ to: w.A }), { logs: true }) },
  async (w) => {
    const receipt = await w.anvil.emit({ contract: w.A, count: 2, value: 7 });
    await w.anvil.mine(2);
    const t = await seen(w, receipt.transactionHash);
    const logs = await w.anvil.transfersIn(receipt);
    await w.message(logs[1].eventId, 'confirmed');
    const confirmed = w.handler.accepted.filter((m) => m.data.status === 'confirmed');
    assert.deepEqual(
      confirmed.map((m) => [m.data.event_id, m.key]),
      [t, ...logs].map((e) => [e.eventId, `31337:${w.A}`]),
    );
    assert.deepEqual(
      confirmed.map((m) => m.event.subscription),
      ['payments', 'transfers', 'transfers'],
    );
  },
);

scenario(
  'a webhook that says the hash alone makes it pending; without one the second reading finds it',
  {
    contracts: [],
    config: about(
      { min_value: 5 },
      {
        change: (c) => {
          c.chains[0].follow = false;
          c.chains[0].confirmations = 4;
        },
      },
    ),
  },
  async (w) => {
    const told = await pay(w, 9n);
    const small = await pay(w, 1n, 6);
    await w.anvil.mine();
    const untold = await pay(w, 7n, 6); // in a block that no webhook names
    await w.anvil.mine();
    const hook = async (hash) => {
      const body = JSON.stringify({ type: 'x', transactionHash: hash, n: Math.random() });
      const answer = await post(w.daemon.ingest, 'standard', body, sign.standard(body));
      assert.deepEqual([answer.status, answer.json.hints], [200, 1]);
      return answer.json.id;
    };
    const id = await hook(told);
    const none = await hook(small);
    const t = await seen(w, told);
    const policies = [{ policy: null, blocks: 4, tag: null }];
    checkMessage(
      await w.message(t.eventId, 'pending'),
      t,
      expected('pending', { firstSeen: 'webhook:standard', policies }),
    );
    const state = (n) => until(`webhook ${n} is settled`, async () => {
      const { state: is } = await w.daemon.get(`/v1/webhooks/${n}`);
      return is !== 'received' && is;
    });
    assert.equal(await state(id), 'verified');
    assert.equal(await state(none), 'irrelevant');
    assert.deepEqual((await w.daemon.get(`/v1/events/${t.eventId}`)).webhooks, [id]);
    assert.equal(w.handler.of(`31337:${untold}:tx`).length, 0);
    await w.anvil.mine(4);
    const found = await seen(w, untold);
    checkMessage(
      await w.message(found.eventId, 'confirmed'),
      found,
      expected('confirmed', { firstSeen: 'reconcile', policies }),
    );
    checkMessage(
      await w.message(t.eventId, 'confirmed'),
      t,
      expected('confirmed', { version: 2, firstSeen: 'webhook:standard', policies }),
    );
  },
);

scenario(
  'reorgs: dropped, mined again in a later block, and back with another outcome',
  { contracts: [], config: about({ status: 'any' }) },
  async (w) => {
    const dropped = await pay(w, 1n);
    const later = await pay(w, 2n, 6);
    const raw = await w.anvil.raw(later);
    await w.anvil.mine(4);
    const before = [await seen(w, dropped), await seen(w, later)];
    for (const t of before) await w.message(t.eventId, 'confirmed');
    // Its nonce follows the dropped one's: another with that nonce takes its place.
    const other = {
      from: w.anvil.accounts[0],
      to: w.anvil.accounts[7],
      value: hex(3),
      gas: hex(21_000),
      nonce: (await w.anvil.rpc('eth_getTransactionByHash', dropped)).nonce,
    };
    await w.anvil.rpc('anvil_reorg', 4, [
      [other, 0],
      [raw, 1],
    ]);
    await w.anvil.mine(3);
    const back = await w.message(before[0].eventId, 'rolled_back');
    checkMessage(
      back,
      before[0],
      expected('rolled_back', { version: 3, undoes: messageId(before[0], 'confirmed') }),
    );
    const again = await seen(w, later);
    assert.equal(again.block, before[1].block + 1);
    await w.message(again.eventId, 'confirmed', 2);
    assert.deepEqual(
      w.handler.of(again.eventId).map((m) => [m.data.status, m.data.version, m.id]),
      [
        ['pending', 1, messageId(before[1], 'pending')],
        ['confirmed', 2, messageId(before[1], 'confirmed')],
        ['rolled_back', 3, messageId(before[1], 'rolled_back')],
        ['pending', 4, messageId(again, 'pending')],
        ['confirmed', 5, messageId(again, 'confirmed')],
      ],
    );
    const events = await w.daemon.all('/v1/events?chain=local');
    assert.equal(events.length, 3);
  },
);

scenario(
  'proved by receipts: whole transactions make their root; what was told survives a kill',
  {
    contracts: [],
    config: about(
      {},
      {
        change: (c) => {
          c.chains[0].integrity = 'receipts';
          c.chains[0].backfill_integrity = 'receipts';
          c.chains[0].reorg.max_depth = 5;
        },
      },
    ),
  },
  async (w) => {
    const hashes = [];
    for (const tx of [
      { to: w.anvil.accounts[6], value: hex(1) },
      { data: CREATES },
      { to: w.anvil.accounts[6], gasPrice: hex(20n * 10n ** 9n), value: hex(2) },
      {
        to: w.anvil.accounts[6],
        gasPrice: hex(20n * 10n ** 9n),
        accessList: [{ address: w.anvil.accounts[7], storageKeys: [`0x${'1'.repeat(64)}`] }],
      },
    ]) {
      hashes.push(await send(w, tx));
      await w.anvil.mine();
    }
    await w.anvil.mine(3);
    for (const hash of hashes) {
      const t = await seen(w, hash);
      const message = await w.message(t.eventId, 'confirmed');
      checkMessage(message, t, expected('confirmed', { version: message.data.version }));
    }
    await w.daemon.kill9();
    const late = [await pay(w, 4n), await pay(w, 5n)];
    await w.anvil.mine(80); // deeper than max_depth, and too many for the head pass
    await w.daemon.start();
    for (const hash of late) {
      const t = await seen(w, hash);
      const message = await w.message(t.eventId, 'confirmed');
      checkMessage(message, t, expected('confirmed', { firstSeen: 'reconcile' }));
    }
    const { endpoints, state } = await w.daemon.chain();
    assert.equal(state, 'following');
    assert.ok(endpoints.every((e) => e.lies === 0));
  },
);

scenario(
  'check says what such a subscription cannot see, and what it costs',
  { contracts: [], start: false, config: about({ to: `0x${'5'.repeat(40)}` }) },
  async (w) => {
    const { code, stdout, stderr } = await w.daemon.verb('check');
    assert.equal(code, 0);
    assert.match(stdout + stderr, /'payments' sees top-level transactions only/);
    assert.match(stdout + stderr, /two full blocks a block/);
  },
);
