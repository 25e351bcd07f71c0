// SPDX-License-Identifier: MIT
// Contracts that come to be: a factory's children are followed from the log that names them, also
// in its own transaction, over reorgs and restarts.
import assert from 'node:assert/strict';
import { checkMessage, messageId } from './lib/expect.mjs';
import { code, word } from './lib/anvil.mjs';
import { Handler } from './lib/handler.mjs';
import { until } from './lib/wait.mjs';
import { EVENT, scenario } from './lib/world.mjs';

const hex = (n) => `0x${BigInt(n).toString(16)}`;
const CREATED = 'PoolCreated(address pool)';

// Creates contract A, emits PoolCreated(its address), and hands on what it was called with, if
// anything. Hand-assembled: CODECOPY and CREATE of the tail, MSTORE, LOG1, CALL, STOP, the tail.
async function deployFactory(anvil) {
  const topic = await anvil.rpc(
    'web3_sha3',
    `0x${Buffer.from('PoolCreated(address)').toString('hex')}`,
  );
  const child = code.A.slice(2);
  const size = (child.length / 2).toString(16).padStart(2, '0');
  const runtime =
    `60${size}60465f3960${size}5f5ff0805f527f${topic.slice(2)}60205fa1` +
    `3615604457365f5f375f5f365f5f855af15b00${child}`;
  const length = (runtime.length / 2).toString(16).padStart(2, '0');
  const hash = await anvil.rpc('eth_sendTransaction', {
    from: anvil.accounts[0],
    data: `0x60${length}8060095f395ff3${runtime}`,
    gas: hex(1_000_000),
  });
  await anvil.mine();
  return (await anvil.receipt(hash)).contractAddress.toLowerCase();
}

/** Makes a child, which emits `count` transfers at once; its creation's receipt. */
async function create(w, { count = 0, value = 1, mine = true } = {}) {
  const data = count
    ? `0x${word(count)}${word(value)}${w.anvil.accounts[9].slice(2).padStart(64, '0')}`
    : '0x';
  const hash = await w.anvil.rpc('eth_sendTransaction', {
    from: w.anvil.accounts[0],
    to: w.factory,
    data,
    gas: hex(1_000_000),
  });
  if (!mine) return hash;
  await w.anvil.mine();
  return born(w, hash);
}

async function born(w, hash) {
  const receipt = await w.anvil.receipt(hash);
  assert.equal(receipt.status, '0x1');
  return { receipt, hash, child: `0x${receipt.logs[0].data.slice(26)}` };
}

/** The config: children of the factory, made in the world before the daemon starts. */
const children = (more = {}, change = () => {}) => ({
  contracts: ['A'],
  before: async (w) => {
    w.factory = await deployFactory(w.anvil);
    await w.options.prepare?.(w);
  },
  config: async (c, w) => {
    c.subscriptions = [
      {
        name: 'transfers',
        chains: ['local'],
        address: { factory: w.factory, event: CREATED, parameter: 'pool', ...more },
        event: EVENT,
      },
    ];
    await change(c, w);
  },
});

const transfersIn = (w, receipt) => w.anvil.transfersIn(receipt);
const eventIds = async (w) =>
  (await w.daemon.all('/v1/events?chain=local')).map((e) => e.event_id).sort();

scenario('children count from the log that names them, others never', children(), async (w) => {
  await w.anvil.emit({ contract: w.A, value: 5 }); // nobody's child
  const first = await create(w, { count: 2, value: 10 });
  const later = await w.anvil.emit({ contract: first.child, count: 2, value: 20 });
  const second = await create(w);
  const last = await w.anvil.emit({ contract: second.child, value: 30 });
  await w.anvil.mine(2);
  const want = [];
  for (const receipt of [first.receipt, later, last]) want.push(...(await transfersIn(w, receipt)));
  assert.equal(want.length, 5);
  for (const t of want)
    checkMessage(await w.message(t.eventId, 'confirmed'), t, {
      status: 'confirmed',
      version: 2,
      firstSeen: ['head', 'reconcile'],
    });
  assert.deepEqual(await eventIds(w), want.map((t) => t.eventId).sort());

  await w.daemon.kill9();
  const away = await w.anvil.emit({ contract: second.child, value: 40 });
  const third = await create(w, { count: 1, value: 50 });
  await w.anvil.mine(80); // deeper than max_depth, without anybody looking
  await w.daemon.start();
  const [fresh] = await transfersIn(w, await w.anvil.emit({ contract: first.child, value: 60 }));
  await w.anvil.mine(2);
  want.push(...(await transfersIn(w, away)), ...(await transfersIn(w, third.receipt)), fresh);
  await w.message(fresh.eventId, 'confirmed');
  assert.deepEqual(await eventIds(w), want.map((t) => t.eventId).sort());
});

scenario('a creation that is undone takes its child with it', children(), async (w) => {
  const first = await create(w, { count: 1, value: 10 });
  const later = await w.anvil.emit({ contract: first.child, value: 20 });
  await w.anvil.mine(3);
  const gone = [...(await transfersIn(w, first.receipt)), ...(await transfersIn(w, later))];
  for (const t of gone) await w.message(t.eventId, 'confirmed');
  // The child's address is a plain contract's now: A's code, put there by nobody's factory.
  const runtime = await w.anvil.rpc('eth_getCode', w.A, 'latest');
  await w.anvil.reorg(5, []);
  for (const t of gone) {
    const back = await w.message(t.eventId, 'rolled_back');
    checkMessage(back, t, {
      status: 'rolled_back',
      version: 3,
      firstSeen: ['head', 'reconcile'],
      undoes: messageId(t, 'confirmed'),
    });
  }
  await w.anvil.rpc('anvil_setCode', first.child, runtime);
  await w.anvil.emit({ contract: first.child, value: 30 });
  await w.anvil.mine(3);
  await w.marked((await w.anvil.head()) - 2);
  assert.deepEqual(await eventIds(w), gone.map((t) => t.eventId).sort());
  // It comes again, at the same address, and counts from there.
  await w.anvil.rpc('anvil_setCode', first.child, '0x');
  const second = await create(w);
  assert.equal(second.child, first.child);
  const [t] = await transfersIn(w, await w.anvil.emit({ contract: second.child, value: 40 }));
  await w.anvil.mine(2);
  await w.message(t.eventId, 'confirmed');
});

scenario(
  'from: what was made before the chain counts is known, its logs count from there',
  {
    ...children({ from: 0 }, async (c, w) => {
      c.chains[0].start_block = (await w.anvil.head()) + 1;
    }),
    prepare: async (w) => {
      w.old = await create(w, { count: 1, value: 10 });
      await w.anvil.mine(5);
    },
  },
  async (w) => {
    const [t] = await transfersIn(w, await w.anvil.emit({ contract: w.old.child, value: 20 }));
    await w.anvil.mine(2);
    await w.message(t.eventId, 'confirmed');
    assert.deepEqual(await eventIds(w), [t.eventId]);
  },
);

scenario(
  'without from a child that was there before is a stranger',
  {
    ...children({}, async (c, w) => {
      c.chains[0].start_block = (await w.anvil.head()) + 1;
    }),
    prepare: async (w) => {
      w.old = await create(w);
      await w.anvil.mine(5);
    },
  },
  async (w) => {
    await w.anvil.emit({ contract: w.old.child, value: 20 });
    const young = await create(w, { count: 1, value: 30 });
    await w.anvil.mine(2);
    const [t] = await transfersIn(w, young.receipt);
    await w.message(t.eventId, 'confirmed');
    assert.deepEqual(await eventIds(w), [t.eventId]);
    await until('the mark is past all', async () => (await w.daemon.chain()).mark.number >= t.block);
    assert.deepEqual(await eventIds(w), [t.eventId]);
  },
);

scenario(
  'from an earlier block: what was made there is known, and its logs above are told',
  children({}, (c, w) => {
    c.chains[0].reconcile.overlap = 2;
    w.sub = c.subscriptions.pop();
    c.subscriptions.push({ name: 'others', chains: ['local'], address: [w.A], event: EVENT });
  }),
  async (w) => {
    const reload = async (change) => {
      change(w.daemon.config);
      w.daemon.write(w.daemon.config);
      const answer = await w.daemon.api('/v1/reload', { body: {} });
      assert.equal(answer.status, 200, answer.text);
    };
    const values = () => w.handler.got('confirmed').map((m) => m.data.args.value);
    const old = await create(w, { count: 1, value: 10 });
    await w.anvil.mine(6);
    await w.marked((await w.anvil.head()) - 2);
    await reload((c) => c.subscriptions.push(w.sub));
    await w.anvil.emit({ contract: old.child, value: 20 }); // made before the subscription counts
    await w.anvil.mine(6);
    await w.marked((await w.anvil.head()) - 2);
    await create(w, { count: 1, value: 30 });
    await w.anvil.mine(2);
    await until('its own child is told', () => values().includes('30'));
    assert.deepEqual(values(), ['30']);
    await reload((c) => {
      c.subscriptions[1].start_block = 0;
    });
    await until('all are', () => values().length === 3);
    assert.deepEqual(values(), ['30', '10', '20']);

    // A handler that comes then gets what the feed has of it.
    const late = await new Handler().start();
    w.others.push(late);
    await reload((c) =>
      c.handlers.push({ ...c.handlers[0], name: 'late', url: late.url, start: 'all' }),
    );
    await until('it has all', () => late.got('confirmed').length === 3);
  },
);
