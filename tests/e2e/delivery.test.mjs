// SPDX-License-Identifier: MIT
// To the handler: keys and their order, what comes again, what an answer means.
import assert from 'node:assert/strict';
import { checkStanding } from './lib/expect.mjs';
import { Handler } from './lib/handler.mjs';
import { never, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const again = [
  ['500', { status: 500 }],
  ['503 without Retry-After', { status: 503 }],
  ['400', { status: 400 }],
  ['408', { status: 408 }],
  ['409', { status: 409 }],
  ['422', { status: 422, body: 'x'.repeat(40_000) }],
  ['no answer', 'hang'],
  ['a cut connection', 'cut'],
];
scenario(
  'what comes again has the same id and bytes, and its attempt is counted',
  {
    config: (c) => {
      c.handlers[0].send = ['confirmed'];
      c.handlers[0].timeout = '600ms';
    },
  },
  async (world, t) => {
    const { anvil, handler, daemon } = world;
    const waits = [];
    for (const [i, [name, answer]] of again.entries()) {
      await t.test(name, async () => {
        handler.rule = (m) => (m.attempt <= 2 ? answer : undefined);
        const [transfer] = await anvil.transfersIn(
          await anvil.emit({ contract: world.A, value: 100 + i }),
        );
        await anvil.mine(2);
        const done = await world.message(transfer.eventId, 'confirmed');
        const tries = handler.requests.filter((r) => r.id === done.id);
        assert.equal(tries.length, 3);
        assert.deepEqual(
          tries.map((r) => r.headers['tidemark-attempt']),
          ['1', '2', '3'],
        );
        assert.equal(new Set(tries.map((r) => r.raw)).size, 1);
        waits.push(tries[2].at - tries[0].at);
        const { attempts } = await until('three attempts are recorded', async () => {
          const event = await daemon.get(`/v1/events/${transfer.eventId}`);
          return event.attempts.filter((a) => a.outcome !== 'open').length === 3 && event;
        });
        const statuses = attempts.map((a) => a.http_status ?? null).sort();
        assert.deepEqual(statuses, [204, answer.status ?? null, answer.status ?? null].sort());
        for (const attempt of attempts) {
          assert.ok(
            !Number.isNaN(Date.parse(attempt.at)) &&
              attempt.duration_ms >= 0 &&
              attempt.id === done.id &&
              attempt.handler === 'app',
            JSON.stringify(attempt),
          );
          assert.ok((attempt.answer ?? '').length <= 4096, 'at most 4 KiB of an answer are kept');
        }
      });
    }
    const mean = waits.reduce((a, b) => a + b, 0) / waits.length;
    assert.ok(mean >= 75, `it waits between, by chance more or less: ${waits}`);
  },
);

scenario(
  '429 with Retry-After: the handler waits, nothing counts',
  {
    contracts: ['A', 'B'],
    config: (c) => {
      c.handlers[0].send = ['confirmed'];
    },
  },
  async (world) => {
    const { anvil, handler } = world;
    let busy = true;
    handler.rule = () => {
      if (!busy) return undefined;
      busy = false;
      return { status: 429, headers: { 'retry-after': '1' } };
    };
    await anvil.emit({ contract: world.A });
    await anvil.mine(2);
    await world.settled();
    const [first, second] = handler.requests;
    assert.equal(first.raw, second.raw);
    assert.ok(second.at - first.at >= 950, `${second.at - first.at} ms`);
  },
);

scenario(
  'an hour of Retry-After is shown, and ended by whoever resumes the handler',
  {
    config: (c) => {
      c.handlers[0].send = ['confirmed'];
    },
  },
  async (world) => {
    const { anvil, handler, daemon } = world;
    let busy = true;
    handler.rule = () => (busy ? { status: 503, headers: { 'retry-after': '3600' } } : undefined);
    await anvil.emit({ contract: world.A });
    await anvil.mine(2);
    const app = async () => (await daemon.get('/v1/handlers')).items[0];
    const waits = await until('it waits', async () => {
      const item = await app();
      return item.reason && item;
    });
    assert.equal(waits.state, 'active');
    assert.match(waits.reason, /asked to wait/);
    assert.ok(Date.parse(waits.next_probe_at) > Date.now() + 3_500_000, waits.next_probe_at);
    daemon.config.admin.listen = daemon.admin; // the verbs look for it there
    daemon.write(daemon.config);
    assert.match((await daemon.verb('handlers', 'list')).stdout, /asked to wait/);
    assert.equal((await daemon.get('/readyz')).degraded[0].name, 'app');
    busy = false;
    await never('it is tried before its time', () => handler.requests.length > 1, 1500);
    const resumed = await daemon.verb('handlers', 'resume', 'app');
    assert.equal(resumed.code, 0, resumed.stderr);
    await world.settled();
    assert.equal(handler.requests[0].raw, handler.requests[1].raw);
    assert.equal((await app()).reason, null);
    assert.deepEqual((await daemon.get('/readyz')).degraded, []);
  },
);

scenario(
  'a private address is refused unless allowed',
  {
    config: (c) => {
      c.handlers[0].allow_private = false;
      c.handlers[0].url = c.handlers[0].url.replace('http:', 'https:');
    },
  },
  async (world) => {
    const { anvil, handler, daemon } = world;
    const [transfer] = await anvil.transfersIn(await anvil.emit({ contract: world.A }));
    await anvil.mine(2);
    await until(
      'it is confirmed',
      async () => (await daemon.get(`/v1/events/${transfer.eventId}`)).status === 'confirmed',
    );
    await never('a connection to a private address', () => handler.connections > 0, 1500);
    assert.notEqual(
      (await daemon.get(`/v1/events/${transfer.eventId}`)).processing.app,
      'delivered',
    );
  },
);

scenario(
  'a redirect is not followed',
  {
    config: (c) => {
      c.handlers[0].send = ['confirmed'];
    },
  },
  async (world) => {
    const { anvil, handler } = world;
    const elsewhere = await new Handler().start();
    world.others.push(elsewhere);
    handler.rule = (m) =>
      m.attempt === 1 ? { status: 307, headers: { location: elsewhere.url } } : undefined;
    await anvil.emit({ contract: world.A });
    await anvil.mine(2);
    await world.settled({ timeout: 20_000 });
    assert.equal(elsewhere.requests.length, 0);
  },
);

scenario(
  'two secrets sign, either verifies; headers of the config go along',
  {
    config: (c, world) => {
      const other = `whsec_${Buffer.from('the next secret, for the rotation').toString('base64')}`;
      c.handlers[0].secrets = [other, world.handler.secret];
      world.handler.secrets = c.handlers[0].secrets;
      delete c.handlers[0].secret;
      c.handlers[0].headers = { 'X-Team': 'payments' };
    },
  },
  async (world) => {
    await world.anvil.emit({ contract: world.A });
    const request = await until('a message', () => world.handler.requests[0]);
    assert.match(request.headers['webhook-signature'], /^v1,[A-Za-z0-9+/=]+ v1,[A-Za-z0-9+/=]+$/);
    assert.equal(request.headers['x-team'], 'payments');
    await world.anvil.mine(2);
    await world.settled();
  },
);

scenario(
  'a handler that comes later: `start: all` gets what the feed has, `now` what comes',
  {
    config: (c) => {
      c.handlers[0].send = ['confirmed'];
    },
  },
  async (world) => {
    const { anvil, daemon } = world;
    await anvil.emit({ contract: world.A, count: 3 });
    await anvil.mine(2);
    await world.settled();
    await daemon.stop();
    const late = { all: await new Handler().start(), now: await new Handler().start() };
    world.others.push(late.all, late.now);
    for (const [start, handler] of Object.entries(late))
      daemon.config.handlers.push({
        ...daemon.config.handlers[0],
        name: `late-${start}`,
        url: handler.url,
        start,
      });
    daemon.write(daemon.config);
    await daemon.start();
    await anvil.emit({ contract: world.A, value: 50 });
    await anvil.mine(2);
    await world.settled();
    await until('all of it', () => late.all.got('confirmed').length === 4);
    await until('the new one', () => late.now.got('confirmed').length === 1);
    await never('the old ones', () => late.now.requests.length > 1, 400);
    checkStanding(late.all);
  },
);

scenario(
  'what is over max_message says so, and its place stays',
  {
    config: (c) => {
      c.handlers[0].max_message = '1KiB';
      c.handlers[0].send = ['confirmed'];
    },
  },
  async (world) => {
    const { anvil, handler, daemon } = world;
    const [transfer] = await anvil.transfersIn(await anvil.emit({ contract: world.A }));
    await anvil.mine(2);
    const { event, raw } = await until('it comes', () => handler.got('confirmed')[0]);
    assert.ok(Array.isArray(event.elided ?? event.data.elided), raw);
    const ref = event.dataref ?? event.data.dataref;
    assert.match(ref, new RegExp(`/v1/events/${transfer.eventId}$`));
    assert.equal((await daemon.get(new URL(ref, 'http://x').pathname)).data, transfer.data);
    assert.deepEqual(
      [event.data.topics, event.data.block.hash, event.data.log_index],
      [transfer.topics, transfer.blockHash, transfer.logIndex],
    );
  },
);

scenario(
  'a ping without an answer does not hold up a stop, and whoever asked hears of it',
  {
    config: (c) => {
      c.handlers[0].timeout = '40s';
    },
  },
  async (world) => {
    const { daemon, handler } = world;
    handler.rule = () => 'hang';
    const asked = daemon.api('/v1/handlers/app/test', { body: {} });
    await until('the ping is there', () => handler.requests.length === 1);
    const exit = await daemon.stop();
    assert.deepEqual([exit.code, exit.signal], [0, null]);
    assert.ok(exit.ms < 10_000, `${exit.ms} ms`);
    const answer = await asked;
    assert.equal(answer.status, 503, answer.text);
    await daemon.start();
  },
);
