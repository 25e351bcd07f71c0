// SPDX-License-Identifier: MIT
// Every provider of contract §3's table: what it sends is taken, found on the chain and told; what
// somebody else signed is not.
import assert from 'node:assert/strict';
import zlib from 'node:zlib';
import { post, sign } from './lib/hooks.mjs';
import { fresh } from './lib/relay.mjs';
import { senderSecret, senders, sources } from './lib/senders.mjs';
import { until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const transfer = async (world) => {
  const receipt = await world.anvil.emit({ contract: world.A, from: 0, count: 1, value: 1 });
  return (await world.anvil.transfersIn(receipt))[0];
};
const item = async (world, name) =>
  (await world.daemon.get('/v1/sources')).items.find((s) => s.name === name);

scenario(
  'each provider',
  {
    timeout: 120_000,
    config: (c) => {
      c.sources = sources();
      // Only a webhook, or the second reading, finds anything.
      c.chains[0].follow = false;
      c.chains[0].confirmations = 60;
      delete c.confirmation_policy;
      c.handlers = [];
    },
  },
  async (world, t) => {
    const { daemon } = world;
    for (const [name, sender] of Object.entries(senders))
      await t.test(name, async () => {
        const what = await transfer(world);
        const body = JSON.stringify(sender.body(what));
        const headers = await sender.headers(body, world.anvil);
        const send = (bytes, more = {}) =>
          post(daemon.ingest, name, bytes, { ...headers, ...more });

        const forged = body.replace(what.tx.slice(0, 40), `0x${'ab'.repeat(19)}`);
        const bearer = ['goldsky', 'rindexer'].includes(name); // no signature over the body
        if (name !== 'sim' && !bearer) assert.equal((await send(forged)).status, 401);
        if (bearer)
          assert.equal((await post(daemon.ingest, name, body, {})).status, 401, 'no secret');

        const bytes = sender.gzip ? zlib.gzipSync(body) : body;
        const answer = await send(bytes, sender.gzip ? { 'content-encoding': 'gzip' } : {});
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(
          { hints: answer.json.hints, duplicate: answer.json.duplicate },
          { hints: 1, duplicate: false },
        );
        const event = await until(`${what.eventId} is an event`, async () => {
          const { items } = await daemon.get(`/v1/events?tx=${what.tx}`);
          return items[0];
        });
        assert.equal(event.first_seen, `webhook:${name}`);
        const kept = await daemon.get(`/v1/webhooks/${answer.json.id}`);
        assert.equal(kept.state, 'verified');
        assert.equal(kept.claims[0].event_id, what.eventId);
        const counts = await item(world, name);
        assert.equal(counts.received, 1);
        assert.equal(counts.late, 0);
        assert.equal(counts.missed, 0);
        assert.equal(counts.unauthorized, name === 'sim' ? 0 : 1);
        assert.ok(counts.delay_p99_ms >= 100);
      });

    await t.test('a block alone', async () => {
      const what = await transfer(world);
      const { number, hash, parentHash } = await world.anvil.block(what.block);
      const body = JSON.stringify({ number, hash, parentHash, transactions: [] });
      const answer = await post(daemon.ingest, 'raw', body, senders.raw.headers(body));
      assert.equal(answer.json.hints, 1);
      const event = await until(`${what.eventId} is an event`, async () => {
        const { items } = await daemon.get(`/v1/events?tx=${what.tx}`);
        return items[0];
      });
      assert.equal(event.first_seen, 'webhook:raw');
      assert.equal((await daemon.get(`/v1/webhooks/${answer.json.id}`)).state, 'verified');
    });
  },
);

scenario(
  'where from, how often, and a chain that comes later',
  {
    config: (c) => {
      c.ingest.trusted_proxies = ['127.0.0.1'];
      const relay = c.sources.find((s) => s.name === 'relay');
      relay.allow_from = ['203.0.113.0/24', '2001:db8::/32'];
      relay.expect_every = '1s';
      c.sources = [
        { name: 'alchemy', provider: 'alchemy', secret: senderSecret },
        relay,
      ];
    },
  },
  async (world) => {
    const { daemon } = world;
    const from = async (address) => {
      const body = fresh();
      const headers = { ...sign.raw(body), ...(address ? { 'x-forwarded-for': address } : {}) };
      return (await post(daemon.ingest, 'relay', body, headers)).status;
    };
    assert.equal(await from(), 401);
    assert.equal(await from('198.51.100.1'), 401);
    assert.equal(await from('203.0.113.9, 198.51.100.1'), 401);
    assert.equal(await from('203.0.113.9'), 200);
    assert.equal(await from('::ffff:203.0.113.9'), 200);
    assert.equal(await from('198.51.100.1, 2001:db8::7'), 200);
    assert.equal((await item(world, 'relay')).unauthorized, 3);

    await until('the silent source is degraded', async () => {
      const { degraded } = await daemon.get('/readyz');
      return degraded.some((d) => d.kind === 'source' && d.name === 'relay');
    });
    assert.equal((await item(world, 'relay')).state, 'degraded');
    assert.equal((await item(world, 'alchemy')).state, 'ok');

    // A network that nobody has named yet.
    const what = await transfer(world);
    const body = JSON.stringify(senders.alchemy.body(what)).replace('ETH_MAINNET', 'OUR_DEVNET');
    const answer = await post(daemon.ingest, 'alchemy', body, senders.alchemy.headers(body));
    assert.equal(answer.json.hints, 1);
    const state = async () => (await daemon.get(`/v1/webhooks/${answer.json.id}`)).state;
    await until('it is unroutable', async () => (await state()) === 'unroutable');
    const chosen = { state: 'unroutable', source: 'alchemy' };
    const again = (more) =>
      daemon.api('/v1/webhooks/reprocess', { body: { ...chosen, ...more } });
    const dry = await again({ dry_run: true });
    assert.equal(dry.status, 202, dry.text);
    assert.deepEqual(dry.json, { count: 1, next: null });
    assert.deepEqual((await again({ source: 'relay' })).json, { count: 0, next: null });
    assert.equal((await again({ state: 'odd' })).status, 400);

    await daemon.stop();
    daemon.config.sources[0].networks = { OUR_DEVNET: 'local' };
    daemon.write(daemon.config);
    await daemon.start();
    assert.equal(await state(), 'unroutable');
    daemon.config.admin.listen = daemon.admin; // the verb looks for it there
    daemon.write(daemon.config);
    const all = await daemon.verb('webhooks', 'reprocess', '--all', '--state', 'unroutable');
    assert.equal(all.code, 0, all.stderr);
    assert.match(all.stdout, /1 webhooks are read again/);
    await until('it is verified', async () => (await state()) === 'verified');
  },
);
