// SPDX-License-Identifier: MIT
// The main job: a webhook comes, the event is pending, then confirmed, and the handler is told;
// what no webhook brought is found.
import assert from 'node:assert/strict';
import { checkFeedItem, checkMessage, expectedData, messageId } from './lib/expect.mjs';
import { alchemy, alchemyBody, post, sign } from './lib/hooks.mjs';
import { never, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const one = async (world, call = {}) => {
  const receipt = await world.anvil.emit({ contract: world.A, value: 100, ...call });
  return (await world.anvil.transfersIn(receipt))[0];
};

scenario(
  'a webhook makes an event pending, confirmations make it confirmed, and every member is right',
  {},
  async (world) => {
    const { daemon, handler, anvil } = world;
    const transfer = await one(world);
    const answer = await alchemy(daemon, [transfer]);
    assert.equal(answer.status, 200);
    assert.match(answer.headers['content-type'], /^application\/json/);
    assert.deepEqual(answer.json, { id: answer.json.id, hints: 1, duplicate: false });
    assert.ok(Number.isInteger(answer.json.id) && answer.json.id > 0);

    const anySeen = ['webhook:alchemy', 'head'];
    const pending = await world.message(transfer.eventId, 'pending');
    checkMessage(pending, transfer, { status: 'pending', firstSeen: anySeen });
    assert.equal((await daemon.get(`/v1/events/${transfer.eventId}`)).status, 'pending');
    await never('confirmed before its time', () => handler.got('confirmed').length > 0, 700);
    await anvil.mine();
    await never('confirmed one block early', () => handler.got('confirmed').length > 0, 700);
    await anvil.mine();
    const confirmed = await world.message(transfer.eventId, 'confirmed');
    checkMessage(confirmed, transfer, { status: 'confirmed', version: 2, firstSeen: anySeen });
    assert.equal(confirmed.headers['tidemark-attempt'], '1');
    assert.equal(handler.requests.length, 2);

    const feed = await daemon.all('/v1/feed');
    assert.equal(feed.length, 2);
    checkFeedItem(feed[0], transfer, { status: 'pending', firstSeen: anySeen });
    checkFeedItem(feed[1], transfer, { status: 'confirmed', version: 2, firstSeen: anySeen });
    assert.ok(feed[0].seq < feed[1].seq);

    const item = await until('the delivery is noted', async () => {
      const event = await daemon.get(`/v1/events/${transfer.eventId}`);
      return (
        event.attempts.length === 2 &&
        event.attempts.every((a) => a.outcome !== 'open') &&
        event.webhooks.length === 1 &&
        event
      );
    });
    const { processing, history, webhooks, attempts, ...data } = item;
    assert.deepEqual(
      data,
      expectedData(transfer, data, { status: 'confirmed', version: 2, firstSeen: anySeen }),
    );
    assert.deepEqual(processing, { app: 'delivered' });
    assert.deepEqual(webhooks, [answer.json.id]);
    assert.deepEqual(
      history.map(({ at, why, ...rest }) => rest),
      [
        {
          version: 1,
          status: 'pending',
          block_hash: transfer.blockHash,
          id: messageId(transfer, 'pending'),
        },
        {
          version: 2,
          status: 'confirmed',
          block_hash: transfer.blockHash,
          id: messageId(transfer, 'confirmed'),
        },
      ],
    );
    assert.deepEqual(
      attempts
        .map(({ handler: name, id, http_status: status }) => ({ name, id, status }))
        .sort((a, b) => (a.id < b.id ? 1 : -1)),
      [
        { name: 'app', id: messageId(transfer, 'pending'), status: 204 },
        { name: 'app', id: messageId(transfer, 'confirmed'), status: 204 },
      ],
    );
    const {
      items: [first, second],
    } = await daemon.get('/v1/events');
    assert.equal(second, undefined);
    assert.deepEqual(first, { ...data, processing });

    const hook = await daemon.get(`/v1/webhooks/${answer.json.id}`);
    assert.equal(hook.state, 'verified');
    assert.equal(hook.source, 'alchemy');
  },
);

scenario('the same webhook again is a duplicate and changes nothing', {}, async (world) => {
  const { daemon, handler, anvil } = world;
  const transfer = await one(world);
  const body = alchemyBody([transfer]);
  const first = await post(daemon.ingest, 'alchemy', body, sign.alchemy(body));
  await anvil.mine(2);
  await world.message(transfer.eventId, 'confirmed');
  for (let i = 0; i < 3; i++) {
    const again = await post(daemon.ingest, 'alchemy', body, sign.alchemy(body));
    assert.equal(again.status, 200);
    assert.deepEqual(again.json, { id: first.json.id, hints: first.json.hints, duplicate: true });
  }
  // Other bytes about the same transfer are another webhook, of the same event.
  const other = await alchemy(daemon, [transfer]);
  assert.equal(other.json.duplicate, false);
  assert.notEqual(other.json.id, first.json.id);
  await until(
    'both are known',
    async () => (await daemon.get(`/v1/events/${transfer.eventId}`)).webhooks.length === 2,
  );
  await anvil.mine(2);
  await never('another message', () => handler.requests.length !== 2);
  assert.equal((await daemon.all('/v1/webhooks')).length, 2);
  assert.equal((await daemon.all('/v1/feed')).length, 2);
});

scenario(
  'a webhook names a block before the head pass can: first seen by it',
  {
    config: (c) => {
      c.chains[0].poll_interval = '5s';
    },
  },
  async (world) => {
    await until('the head is known', async () => (await world.daemon.chain()).head);
    const transfer = await one(world);
    await alchemy(world.daemon, [transfer]);
    const pending = await until(
      'it is pending long before the next poll',
      () => world.handler.of(transfer.eventId, 'pending')[0],
      { timeout: 3000 },
    );
    checkMessage(pending, transfer, { status: 'pending', firstSeen: 'webhook:alchemy' });
  },
);

scenario(
  'transfers that no webhook named are found at the head',
  { contracts: ['A', 'B'] },
  async (world) => {
    const { anvil } = world;
    const many = await anvil.transfersIn(
      await anvil.emit({ contract: world.A, count: 5, value: 50 }),
    );
    await anvil.send({ contract: world.A, from: 1, count: 2, value: 7 });
    await anvil.send({ contract: world.B, from: 2, count: 2 });
    await anvil.mine(3);
    assert.equal(await world.settled(), 9);
    for (const transfer of many) {
      checkMessage(await world.message(transfer.eventId, 'confirmed'), transfer, {
        status: 'confirmed',
        version: 2,
        firstSeen: ['head', 'reconcile'],
      });
    }
    const order = world.handler
      .got('confirmed')
      .filter((m) => m.data.address === world.A)
      .map((m) => [m.data.block.number, m.data.log_index]);
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a[0] - b[0] || a[1] - b[1]),
      'in the order of the chain',
    );
  },
);

scenario(
  'without `follow`, what no webhook named is found by reconcile',
  {
    config: (c) => {
      c.chains[0].follow = false;
    },
  },
  async (world) => {
    const named = await one(world);
    await alchemy(world.daemon, [named]);
    checkMessage(await world.message(named.eventId, 'pending'), named, {
      status: 'pending',
      firstSeen: 'webhook:alchemy',
    });
    const missed = await one(world, { value: 5 });
    await never('the head pass looked', () => world.handler.of(missed.eventId).length > 0, 600);
    await world.anvil.mine(2);
    await world.settled();
    const confirmed = await world.message(missed.eventId, 'confirmed');
    checkMessage(confirmed, missed, {
      status: 'confirmed',
      version: confirmed.data.version,
      firstSeen: 'reconcile',
    });
  },
);

scenario(
  'history before the start is found by a backfill',
  {
    before: async (w) => {
      for (let i = 0; i < 4; i++) await one(w, { count: 3, value: 10 * i + 1 });
      await w.anvil.mine(300);
      await one(w);
      await w.anvil.mine(5);
    },
    config: (c) => {
      c.chains[0].reconcile.max_range = 50;
    },
  },
  async (world) => {
    assert.equal(await world.settled({ timeout: 30_000 }), 13);
    await world.marked((await world.anvil.head()) - 2);
    assert.equal(
      world.handler.requests.filter((r) => r.type === 'tidemark.event.confirmed').length,
      13,
    );
  },
);
