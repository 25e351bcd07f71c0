// SPDX-License-Identifier: MIT
// What is an event, of whom one hears of it, and who is told.
import assert from 'node:assert/strict';
import { checkFeedItem, checkMessage, checkStanding } from './lib/expect.mjs';
import { Handler } from './lib/handler.mjs';
import { alchemy, alchemyBody, post, sign } from './lib/hooks.mjs';
import { never, until } from './lib/wait.mjs';
import { EVENT, scenario } from './lib/world.mjs';

const one = async (world, call = {}) => {
  const receipt = await world.anvil.emit({ contract: world.A, value: 100, ...call });
  return (await world.anvil.transfersIn(receipt))[0];
};

scenario(
  'sources: Standard Webhooks, a raw relay, an old and a new secret',
  {
    config: (c) => {
      c.sources[0].secrets = ['the new one', c.sources[0].secret];
      delete c.sources[0].secret;
    },
  },
  async (world) => {
    const { daemon, anvil } = world;
    const transfers = await anvil.transfersIn(
      await anvil.emit({ contract: world.A, count: 3, value: 1 }),
    );
    const standard = JSON.stringify({
      type: 'evm.log',
      timestamp: new Date().toISOString(),
      data: { chainId: '0x7a69', log: transfers[0].log },
    });
    const raw = JSON.stringify(transfers.map((t) => t.log));
    const rawOne = JSON.stringify(transfers[2].log);
    const activity = alchemyBody(transfers);
    const answers = [
      await post(daemon.ingest, 'standard', standard, sign.standard(standard)),
      await post(daemon.ingest, 'relay', raw, sign.raw(raw)),
      await post(daemon.ingest, 'relay', rawOne, sign.raw(rawOne)),
      await post(daemon.ingest, 'alchemy', activity, sign.alchemy(activity)),
      await post(
        daemon.ingest,
        'alchemy',
        `${activity} `,
        sign.alchemy(`${activity} `, 'the new one'),
      ),
    ];
    assert.deepEqual(
      answers.map((a) => [a.status, a.json?.hints]),
      [
        [200, 1],
        [200, 3],
        [200, 1],
        [200, 3],
        [200, 3],
      ],
    );
    await until('each webhook is verified', async () =>
      (await daemon.all('/v1/webhooks')).every((w) => w.state === 'verified'),
    );
    await anvil.mine(2);
    assert.equal(await world.settled(), 3);
    const { webhooks } = await daemon.get(`/v1/events/${transfers[0].eventId}`);
    assert.deepEqual(
      webhooks.sort(),
      [answers[0], answers[1], answers[3], answers[4]].map((a) => a.json.id).sort(),
    );
  },
);

scenario(
  'only what fits is an event: another contract, `where`, the preset, the first subscription names it',
  {
    contracts: ['A', 'B'],
    config: (c, { A, B, anvil }) => {
      c.subscriptions = [
        {
          name: 'to-six',
          chains: ['local'],
          address: [A],
          event: EVENT,
          where: { to: anvil.accounts[6] },
        },
        { name: 'all-of-b', chains: ['local'], address: [B], preset: 'erc20-transfer' },
        {
          name: 'b-from-two',
          chains: ['local'],
          address: [B],
          event: 'event Transfer(address indexed src, address indexed dst, uint256 wad)',
          where: { src: [anvil.accounts[2], anvil.accounts[3]] },
        },
      ];
      c.handlers[0].subscriptions = ['b-from-two', 'to-six'];
    },
  },
  async (world) => {
    const { anvil, daemon, handler } = world;
    const other = await anvil.deploy('A');
    await anvil.emit({ contract: other, receiver: 6 });
    await anvil.emit({ contract: world.A, receiver: 5 });
    const six = (
      await anvil.transfersIn(await anvil.emit({ contract: world.A, receiver: 6, value: 66 }))
    )[0];
    const fromOne = (await anvil.transfersIn(await anvil.emit({ contract: world.B, from: 1 })))[0];
    const fromTwo = (await anvil.transfersIn(await anvil.emit({ contract: world.B, from: 2 })))[0];
    await anvil.mine(2);
    checkMessage(await world.message(six.eventId, 'confirmed'), six, {
      status: 'confirmed',
      version: 2,
      firstSeen: ['head', 'reconcile'],
      subscription: 'to-six',
      subscriptions: ['to-six'],
    });
    // An event of two subscriptions: named by the config's first, delivered under the handler's own
    // first.
    checkMessage(await world.message(fromTwo.eventId, 'confirmed'), fromTwo, {
      status: 'confirmed',
      version: 2,
      firstSeen: ['head', 'reconcile'],
      subscription: 'b-from-two',
      subscriptions: ['all-of-b', 'b-from-two'],
    });
    await never(
      "a message about what is none of the handler's",
      () => handler.got('confirmed').length !== 2,
    );
    const events = await daemon.all('/v1/events');
    assert.deepEqual(
      events.map((e) => e.event_id),
      [fromTwo, fromOne, six].map((t) => t.eventId),
      'newest first',
    );
    assert.deepEqual(events[1].processing, {});
  },
);

scenario(
  'an event of `start_block: latest` counts from the start, one before it does not',
  {
    before: async (w) => {
      w.old = await one(w);
      await w.anvil.mine(3);
    },
    config: (c) => {
      c.chains[0].start_block = 'latest';
    },
  },
  async (world) => {
    await until('it follows', async () => (await world.daemon.chain()).state === 'following');
    const fresh = await one(world);
    await world.anvil.mine(2);
    await world.message(fresh.eventId, 'confirmed');
    assert.equal(world.handler.of(world.old.eventId).length, 0);
    assert.equal((await world.daemon.api(`/v1/events/${world.old.eventId}`)).status, 404);
  },
);

scenario(
  'no handlers and no sources: the feed and the API alone',
  {
    handler: false,
    config: (c) => {
      delete c.handlers;
      delete c.sources;
    },
  },
  async (world) => {
    const transfer = await one(world);
    await world.anvil.mine(2);
    const feed = await until('the feed has it', async () => {
      const items = await world.daemon.all('/v1/feed');
      return items.at(-1)?.type === 'tidemark.event.confirmed' && items;
    });
    checkFeedItem(feed.at(-1), transfer, {
      status: 'confirmed',
      version: feed.length,
      firstSeen: ['head', 'reconcile'],
    });
    const event = await world.daemon.get(`/v1/events/${transfer.eventId}`);
    assert.deepEqual(event.processing, {});
    assert.deepEqual(event.attempts, []);
  },
);

scenario(
  'two handlers: each its own messages, `send` without pending',
  {
    config: async (c, world) => {
      world.quiet = await new Handler().start();
      world.others.push(world.quiet);
      c.handlers.push({
        ...c.handlers[0],
        name: 'quiet',
        url: world.quiet.url,
        send: undefined,
        content_type: 'application/json',
      });
    },
  },
  async (world) => {
    const transfer = await one(world);
    await world.anvil.mine(2);
    const { handler, quiet } = world;
    checkMessage(await world.message(transfer.eventId, 'confirmed'), transfer, {
      status: 'confirmed',
      version: 2,
      firstSeen: ['head', 'reconcile'],
    });
    const only = await until('the other is told too', () => quiet.got('confirmed')[0]);
    checkMessage(only, transfer, {
      status: 'confirmed',
      version: 2,
      firstSeen: ['head', 'reconcile'],
      handler: 'quiet',
      contentType: 'application/json',
    });
    await never('more', () => handler.requests.length > 2 || quiet.requests.length > 1, 500);
    checkStanding(quiet);
    assert.deepEqual((await world.daemon.get(`/v1/events/${transfer.eventId}`)).processing, {
      app: 'delivered',
      quiet: 'delivered',
    });
  },
);
