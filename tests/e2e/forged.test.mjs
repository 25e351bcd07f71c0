// SPDX-License-Identifier: MIT
// A webhook never makes anything true, whoever signed it.
import assert from 'node:assert/strict';
import { checkMessage } from './lib/expect.mjs';
import { alchemy, alchemyBody, post, sign } from './lib/hooks.mjs';
import { never, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const fake = (n) => `0x${n.toString(16).padStart(2, '0').repeat(32)}`;

scenario('a bad signature stores nothing and tells nothing', {}, async (world) => {
  const { daemon, anvil, handler } = world;
  const [transfer] = await anvil.transfersIn(await anvil.emit({ contract: world.A }));
  const body = alchemyBody([transfer]);
  const answer = await post(daemon.ingest, 'alchemy', body, sign.alchemy(body, 'not the key'));
  assert.equal(answer.status, 401);
  assert.ok(!answer.text.includes('whsec'), 'and says no secret');
  assert.deepEqual((await daemon.get('/v1/webhooks')).items, []);
  const alchemySource = (await daemon.get('/v1/status')).sources.find((s) => s.name === 'alchemy');
  assert.equal(alchemySource.unauthorized, 1);
  assert.equal(alchemySource.received, 0);
  assert.equal(handler.requests.filter((r) => r.data.first_seen === 'webhook:alchemy').length, 0);
});

scenario('well-signed lies: no event, no message, whatever they claim', {}, async (world) => {
  const { daemon, anvil, handler } = world;
  const [real] = await anvil.transfersIn(
    await anvil.emit({ contract: world.A, from: 1, value: 100 }),
  );
  await anvil.mine(2);
  await world.settled();
  const before = handler.requests.length;
  const change = (fields, log = {}) => ({ ...real, ...fields, log: { ...real.log, ...log } });
  const lies = {
    'a transaction that is not there': change({ tx: fake(0xab) }, { transactionHash: fake(0xab) }),
    'in a block that is not there yet': change(
      { tx: fake(0xac), block: 9999 },
      { transactionHash: fake(0xac), blockNumber: '0x270f', blockHash: fake(1) },
    ),
    'a log that the transaction has not': change({}, { logIndex: '0x5' }),
    'another block hash': change({}, { blockHash: fake(2) }),
    'another amount': change({ value: '999999' }, { data: `0x${'f'.repeat(64)}` }),
    'another contract': change(
      { address: fake(3).slice(0, 42) },
      { address: fake(3).slice(0, 42) },
    ),
    'a block far below': change(
      { block: 0, tx: fake(0xad) },
      { blockNumber: '0x0', transactionHash: fake(0xad) },
    ),
  };
  for (const lie of Object.values(lies)) assert.equal((await alchemy(daemon, [lie])).status, 200);
  await anvil.mine(3);
  await never('a message because of a lie', () => handler.requests.length > before, 2000);
  const events = await daemon.all('/v1/events');
  assert.deepEqual(
    events.map((e) => [e.event_id, e.args.value]),
    [[real.eventId, '100']],
    'what an event says comes from the chain',
  );
  const nothing = (await daemon.all('/v1/webhooks')).filter((w) =>
    ['received', 'not_found'].includes(w.state),
  );
  assert.ok(nothing.length >= 3, 'they stay as hints that nothing bears out');
});

scenario(
  'a lie about what is true makes it seen sooner, and it says what the chain says',
  {
    config: (c) => {
      c.chains[0].follow = false;
    },
  },
  async (world) => {
    const { daemon, anvil } = world;
    const [real] = await anvil.transfersIn(await anvil.emit({ contract: world.A, value: 7 }));
    await alchemy(daemon, [
      {
        ...real,
        value: '1000000',
        log: { ...real.log, data: `0x${'e'.repeat(64)}`, topics: [...real.log.topics].reverse() },
      },
    ]);
    checkMessage(await world.message(real.eventId, 'pending'), real, {
      status: 'pending',
      firstSeen: 'webhook:alchemy',
    });
    await anvil.mine(2);
    await world.settled();
  },
);

scenario('a true webhook that is early waits for its block', { anvil: {} }, async (world) => {
  const { daemon, anvil } = world;
  const hash = await anvil.send({ contract: world.A, value: 3 });
  const claim = {
    block: (await anvil.head()) + 1,
    tx: hash,
    from: anvil.accounts[0],
    to: anvil.accounts[9],
    value: '3',
    data: '0x3',
    address: world.A,
    log: {
      address: world.A,
      topics: [],
      data: '0x',
      blockNumber: `0x${((await anvil.head()) + 1).toString(16)}`,
      transactionHash: hash,
      transactionIndex: '0x0',
      blockHash: fake(9),
      logIndex: '0x0',
    },
  };
  const answer = await alchemy(daemon, [claim]);
  await never(
    'an event before its block',
    async () => (await daemon.get('/v1/events')).items.length > 0,
    700,
  );
  await anvil.mine();
  const [real] = await anvil.transfersIn(await anvil.receipt(hash));
  await world.message(real.eventId, 'pending');
  await until(
    'the webhook is verified',
    async () => (await daemon.get(`/v1/webhooks/${answer.json.id}`)).state === 'verified',
  );
  await anvil.mine(2);
  await world.settled();
});
