// SPDX-License-Identifier: MIT
// Replays, batches, rates, epochs, and handlers that go and come back.
import assert from 'node:assert/strict';
import http from 'node:http';
import { checkCloudEvents, Handler, read, SECRET } from './lib/handler.mjs';
import { freePort, listen } from './lib/http.mjs';
import { never, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const confirmed = async (c) => {
  c.handlers[0].send = ['confirmed'];
  c.admin.listen = `127.0.0.1:${await freePort()}`; // so that verbs find the daemon
};
const emit = async (world, values) => {
  for (const value of values) await world.anvil.emit({ contract: world.A, value });
  await world.anvil.mine(2);
};

scenario('a replay sends the same ids and bytes again', { config: confirmed }, async (world) => {
  const { handler, daemon } = world;
  await emit(world, [1, 2, 3]);
  await world.settled();
  const dry = await daemon.verb('replay', 'app', '--from-seq', '1');
  assert.equal(dry.code, 0, dry.stderr);
  assert.match(dry.stdout, /would send 3 messages/);
  await never('it sends', () => handler.requests.length > 3, 400);
  const started = await daemon.api('/v1/handlers/app/replay', { body: { chain: 'local' } });
  assert.equal(started.status, 200, started.text);
  assert.equal(started.json.count, 3);
  const again = await until('all again', () => {
    const sent = handler.requests.slice(3);
    return sent.length === 3 && sent;
  });
  assert.deepEqual(
    again.map((r) => r.raw),
    handler.requests.slice(0, 3).map((r) => r.raw),
  );
  for (const r of again) assert.equal(r.headers['tidemark-replay'], String(started.json.job));
  await until('the job is done', async () => {
    const job = await daemon.get(`/v1/jobs/${started.json.job}`);
    return job.state === 'done' && job.kind === 'replay';
  });
  const id = again[0].data.event_id;
  const fresh = await daemon.verb(
    ...['replay', 'app', '--event', id, '--as-new', '--reason', 'lost there', '--yes'],
  );
  assert.equal(fresh.code, 0, fresh.stderr);
  const renamed = await until('it has a new id', () => handler.requests[6]);
  assert.equal(renamed.event.replayof, again[0].id);
  assert.notEqual(renamed.id, again[0].id);
  const attempts = (await daemon.get(`/v1/events/${id}`)).attempts.map((a) => a.id);
  assert.ok(attempts.includes(renamed.id), `${attempts}`);
  const more = ['replay', 'app', '--event', id, '--as-new', '--reason', 'once more', '--yes'];
  assert.equal((await daemon.verb(...more)).code, 0);
  const third = await until('once more, of the first alone', () => handler.requests[7]);
  assert.equal(third.event.replayof, again[0].id);
  assert.notEqual(third.id, renamed.id);
  await never('a copy of the copy', () => handler.requests[8], 300);
  handler.accepted.pop();
  handler.accepted.pop(); // a second and a third confirmed of one event, as it was asked for
  assert.ok((await daemon.all('/v1/audit')).some((a) => /lost there/.test(a.detail)));
  for (const body of [{ since: 'soon' }, { from_block: 3 }, { event_id: 'x' }, { as_new: true }])
    assert.equal((await daemon.api('/v1/handlers/app/replay', { body })).status, 400);
});

scenario(
  'a rate holds',
  {
    config: async (c) => {
      await confirmed(c);
      c.handlers[0].rate = 5;
    },
  },
  async (world) => {
    await emit(world, [1, 2, 3, 4, 5, 6]);
    await world.settled();
    const times = world.handler.requests.map((r) => r.at);
    assert.ok(times.at(-1) - times[0] >= 900, `${times.at(-1) - times[0]} ms`);
  },
);

/** A handler of batches; `rule` gives [status, body]. */
async function batchHandler(rule) {
  const got = { requests: [], faults: [] };
  got.server = http.createServer((req, res) => {
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      try {
        const body = read(raw, req.headers, [SECRET]);
        checkCloudEvents(raw, req.headers);
        const request = { raw, body, id: req.headers['webhook-id'], headers: req.headers };
        got.requests.push(request);
        const [status, text] = rule(request, got.requests.length) ?? [204];
        res.writeHead(status).end(text);
      } catch (error) {
        got.faults.push(error.message);
        res.writeHead(401).end();
      }
    });
  });
  got.port = await listen(got.server, 0);
  got.url = `http://127.0.0.1:${got.port}/batch`;
  got.stop = () => {
    got.server.closeAllConnections();
    return new Promise((resolve) => {
      got.server.close(resolve);
    });
  };
  return got;
}
const values = (request) => [request.body].flat().map((m) => m.data.args?.value);

scenario(
  'batches: composed once, partly acknowledged, split when they fail',
  {
    before: async (world) => {
      world.batches = await batchHandler((request, n) => world.rule?.(request, n));
      world.others.push(world.batches);
    },
    config: async (c, world) => {
      await confirmed(c);
      c.handlers[0].url = world.batches.url;
      c.handlers[0].batch = { max_events: 4, linger: '300ms' };
      c.handlers[0].retry = { initial: '20ms', max: '60ms' };
    },
  },
  async (world, t) => {
    const { requests, faults } = world.batches;
    const done = (count) => until(`${count} requests`, () => requests.length >= count && requests);
    await t.test('a part is taken', async () => {
      world.rule = (r, n) =>
        n === 1 ? [200, JSON.stringify({ results: 'x'.repeat(5000), acked_through: r.body[1].sequence })] : [204];
      await emit(world, [1, 2, 3, 4]);
      const [first, second] = await done(2);
      assert.match(first.headers['content-type'], /^application\/cloudevents-batch\+json/);
      assert.equal(first.id, `batch_${first.body[0].id}_4`);
      assert.deepEqual(values(first), ['1', '2', '3', '4']);
      assert.deepEqual(values(second), ['3', '4']);
    });
    await t.test('a batch that fails is split', async () => {
      world.rule = (r) => (Array.isArray(r.body) ? [500] : [204]);
      await emit(world, [5, 6, 7]);
      await done(6);
      assert.deepEqual(values(requests[2]), ['5', '6', '7']);
      assert.deepEqual(
        requests.slice(3, 6).map((r) => [values(r), r.headers['tidemark-attempt']]),
        [
          [['5'], '1'],
          [['6'], '1'],
          [['7'], '1'],
        ],
      );
    });
    await t.test('what did not count comes again as it was', async () => {
      let busy = true;
      world.rule = () => {
        if (!busy) return [204];
        busy = false;
        return [429];
      };
      await emit(world, [8, 9]);
      await done(8);
      assert.equal(requests[6].raw, requests[7].raw);
      assert.equal(requests[6].id, requests[7].id);
    });
    await t.test('a batch of which nothing is taken comes message by message', async () => {
      world.rule = (r) => (Array.isArray(r.body) ? [200, JSON.stringify({ acked_through: '0' })] : [204]);
      await emit(world, [10, 11]);
      await done(11);
      assert.deepEqual(requests.slice(8, 11).map(values), [['10', '11'], ['10'], ['11']]);
    });
    assert.deepEqual(faults, []);
  },
);

scenario(
  'a batch keeps its id for itself: what was parked is tried again alone',
  {
    before: async (world) => {
      world.batches = await batchHandler((request, n) => world.rule?.(request, n));
      world.others.push(world.batches);
    },
    config: async (c, world) => {
      await confirmed(c);
      Object.assign(c.handlers[0], {
        url: world.batches.url,
        batch: { max_events: 2, linger: '1s' },
        retry: { initial: '20ms', max: '40ms', attempts: 2 },
        on_exhausted: 'park_event',
      });
    },
  },
  async (world) => {
    const { requests, faults } = world.batches;
    const { anvil, daemon } = world;
    world.rule = (r) => ([r.body].flat().some((m) => m.data.args?.value === '1') ? [422] : [204]);
    await anvil.send({ contract: world.A, count: 2, value: 1 });
    await anvil.mine(3);
    await until('it is parked', async () => (await daemon.all('/v1/dead')).length === 1);
    await until('the key goes on', () => requests.some((r) => values(r)[0] === '2'));
    world.rule = undefined;
    await daemon.api('/v1/dead/retry', { body: {} });
    await anvil.emit({ contract: world.A, value: 7 });
    await anvil.mine(2);
    await until('all', () => requests.some((r) => values(r).includes('7')));
    const bodies = new Map();
    for (const r of requests.filter((one) => Array.isArray(one.body)))
      assert.equal(bodies.set(r.id, bodies.get(r.id) ?? r.raw).get(r.id), r.raw, r.id);
    assert.deepEqual(faults, []);
  },
);

scenario('another order_by is a new epoch', { config: confirmed }, async (world) => {
  const { handler, daemon } = world;
  await emit(world, [1]);
  await world.settled();
  await daemon.stop();
  daemon.config.handlers[0].order_by = 'subscription';
  daemon.write(daemon.config);
  await daemon.start();
  const epoch = await until('it is announced', () =>
    handler.accepted.find((m) => m.type === 'tidemark.epoch'),
  );
  assert.equal(epoch.id, 'epoch_2');
  assert.equal(epoch.event.partitionkey, undefined);
  assert.deepEqual(
    [epoch.data.epoch, epoch.data.previous, epoch.data.reason, Object.keys(epoch.data.chains)],
    [2, 1, 'order_by', ['local']],
  );
  await emit(world, [2]);
  await world.settled();
  const last = handler.got('confirmed').at(-1);
  assert.equal(last.event.epoch, 2);
  assert.equal(last.event.partitionkey, '31337:transfers');
  assert.equal(last.event.sequence, '1'.padStart(20, '0'));
});

scenario('a handler goes and comes back', { config: confirmed }, async (world) => {
  const { handler, daemon, anvil } = world;
  await emit(world, [1]);
  await world.settled();
  const [kept] = daemon.config.handlers;
  const restart = async (handlers) => {
    await daemon.stop();
    daemon.write({ ...daemon.config, handlers });
    await daemon.start();
  };
  await restart([]);
  const [missed] = await anvil.transfersIn(await anvil.emit({ contract: world.A, value: 2 }));
  await anvil.mine(2);
  await until(
    'it is confirmed',
    async () => (await daemon.get(`/v1/events/${missed.eventId}`)).status === 'confirmed',
  );
  await restart([kept]);
  const gap = await until('one gap', () => handler.accepted.find((m) => m.type === 'tidemark.gap'));
  assert.equal(gap.data.reason, 'away');
  assert.equal(gap.data.count, 1);
  assert.ok(gap.data.ids[0].startsWith(missed.eventId.replaceAll(':', '_')));
  await anvil.emit({ contract: world.A, value: 3 });
  await anvil.mine(2);
  await until('it goes on', () => handler.got('confirmed').length === 2);
});

scenario(
  'start: from a block on',
  { config: confirmed },
  async (world) => {
    const { anvil, daemon } = world;
    await emit(world, [1, 2]);
    await world.settled();
    const from = (await anvil.head()) + 1;
    await emit(world, [3, 4]);
    await world.settled();
    await daemon.stop();
    const late = await new Handler().start();
    world.others.push(late);
    daemon.config.handlers.push({
      ...daemon.config.handlers[0],
      name: 'late',
      url: late.url,
      start: { local: from },
    });
    daemon.write(daemon.config);
    await daemon.start();
    await until('what is behind that block', () => late.got('confirmed').length === 2);
    assert.deepEqual(
      late.got('confirmed').map((m) => m.data.args.value),
      ['3', '4'],
    );
  },
);
