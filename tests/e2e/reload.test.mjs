// SPDX-License-Identifier: MIT
// Another config while the daemon runs: all of it, or none, and no request is dropped.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { problem } from './lib/admin.mjs';
import { Anvil } from './lib/anvil.mjs';
import { run } from './lib/daemon.mjs';
import { Handler } from './lib/handler.mjs';
import { alchemyBody, keys, post, sign } from './lib/hooks.mjs';
import { freePort } from './lib/http.mjs';
import { until } from './lib/wait.mjs';
import { EVENT, scenario } from './lib/world.mjs';

const one = async (world, call = {}) => {
  const receipt = await world.anvil.emit({ contract: world.A, value: 100, ...call });
  return (await world.anvil.transfersIn(receipt))[0];
};
const reload = (world) => world.daemon.api('/v1/reload', { body: {} });
/** Writes a changed config and has it read. */
async function change(world, how) {
  const config = structuredClone(world.daemon.config);
  how(config);
  world.daemon.write(config);
  return reload(world);
}

scenario(
  'subscriptions and handlers come, change and go',
  {
    contracts: ['A', 'B'],
    config: (c, w) => {
      c.subscriptions[0].address = [w.A];
    },
  },
  async (world) => {
    const second = await new Handler().start();
    world.others.push(second);
    const first = await one(world);
    const missed = await one(world, { contract: world.B });
    await world.anvil.mine(2);
    await world.message(first.eventId, 'confirmed');
    await world.marked(missed.block);
    const answer = await change(world, (c) => {
      c.subscriptions.push({ name: 'b', chains: ['local'], address: [world.B], event: EVENT });
      c.handlers[0].subscriptions = ['transfers'];
      c.handlers.push({ ...c.handlers[0], name: 'second', url: second.url, subscriptions: ['b'] });
    });
    assert.equal(answer.status, 200, answer.text);
    assert.ok(answer.json.changed.some((line) => line.includes('second')), answer.text);
    const forSecond = await one(world, { contract: world.B });
    const forFirst = await one(world);
    await world.anvil.mine(2);
    await world.message(forFirst.eventId, 'confirmed');
    await until('the second is told', () => second.of(forSecond.eventId, 'confirmed').length);
    assert.equal(second.of(missed.eventId).length, 0);
    assert.equal(world.handler.of(forSecond.eventId).length, 0);

    await change(world, (c) => {
      c.handlers.pop();
    });
    const names = (await world.daemon.get('/v1/handlers')).items.map((h) => h.name);
    assert.deepEqual(names, ['app']);
    const unseen = await one(world, { contract: world.B });
    const last = await one(world);
    await world.anvil.mine(2);
    await world.message(last.eventId, 'confirmed');
    assert.equal(second.of(unseen.eventId).length, 0);
    const audit = await world.daemon.get('/v1/audit');
    assert.equal(audit.items.filter((a) => a.what === 'reload').length, 2);
  },
);

scenario('a chain comes and goes', { contracts: ['A'] }, async (world) => {
  const other = await Anvil.start({ args: ['--chain-id', '31338'] });
  world.others.push({ stop: () => other.stop() });
  const contract = await other.deploy('A');
  await other.mine(3);
  const answer = await change(world, (c) => {
    c.chains.push({
      ...c.chains[0],
      name: 'other',
      id: 31338,
      rpc: [{ url: other.url, timeout: '1s' }],
    });
    c.subscriptions.push({
      name: 'there',
      chains: ['other'],
      address: [contract],
      event: EVENT,
    });
  });
  assert.equal(answer.status, 200, answer.text);
  const receipt = await other.emit({ contract, value: 3 });
  await other.mine(2);
  const [transfer] = await other.transfersIn(receipt);
  await world.message(transfer.eventId, 'confirmed');
  await change(world, (c) => {
    c.chains.pop();
    c.subscriptions.pop();
  });
  problem(await world.daemon.api('/v1/chains/other'), 404);
  const here = await one(world);
  await world.anvil.mine(2);
  await world.message(here.eventId, 'confirmed');
});

scenario(
  'what cannot change is refused by name, and the old config stays whole',
  {
    config: async (c) => {
      c.admin.listen = `127.0.0.1:${await freePort()}`;
    },
  },
  async (world) => {
    const { daemon } = world;
    const good = structuredClone(daemon.config);
    const refused = await change(world, (c) => {
      c.store.path = 'other.db';
      c.instance = 'other';
      c.subscriptions = [];
    });
    problem(refused, 422);
    const texts = refused.json.problems.map((p) => p.text).join('\n');
    assert.match(texts, /store\.path/);
    assert.match(texts, /instance/);
    const verb = await run(['reload', '--config', daemon.file], { cwd: world.dir });
    assert.equal(verb.code, 78);
    assert.match(verb.stderr, /store\.path cannot change while the daemon runs/);

    daemon.write({ ...good, handlers: [{ ...good.handlers[0], urll: 'x' }] });
    const wrong = await reload(world);
    problem(wrong, 422);
    assert.match(wrong.json.problems[0].text, /url/);
    assert.ok(wrong.json.problems[0].line > 0);
    assert.equal((await run(['reload', '--config', daemon.file], { cwd: world.dir })).code, 78);

    const moved = structuredClone(good);
    moved.chains[0].start_block = 1;
    daemon.write(moved);
    assert.match((await reload(world)).text, /start_block 1/);

    const still = await one(world);
    await world.anvil.mine(2);
    await world.message(still.eventId, 'confirmed');
    daemon.write(good);
    const done = await run(['reload', '--config', daemon.file], { cwd: world.dir });
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, /in force/);
  },
);

scenario(
  'SIGHUP: secrets of files are read again, and webhooks are taken all the while',
  {
    config: (c, w) => {
      w.secret = path.join(w.dir, 'key');
      fs.writeFileSync(w.secret, `${keys.alchemy}\n`, { mode: 0o600 });
      c.sources[0].secret = { file: 'key' };
    },
  },
  async (world) => {
    const { daemon } = world;
    const body = alchemyBody([await one(world)]);
    const hook = (key, n) =>
      post(daemon.ingest, 'alchemy', `${body}${' '.repeat(n)}`, sign.alchemy(`${body}${' '.repeat(n)}`, key));
    assert.equal((await hook(keys.alchemy, 0)).status, 200);
    assert.equal((await hook('the new one', 1)).status, 401);
    fs.writeFileSync(world.secret, 'the new one');
    let going = true;
    const answers = [];
    const flood = (async () => {
      for (let n = 2; going; n++)
        answers.push((await post(daemon.ingest, 'standard', '{}', sign.standard('{}'))).status);
    })();
    for (let i = 0; i < 5; i++) {
      daemon.process.kill('SIGHUP');
      await until('it is in force', () =>
        daemon.logs.filter((l) => l.msg === 'the config was read again and is in force').length > i,
      );
    }
    going = false;
    await flood;
    assert.ok(answers.length > 0);
    assert.deepEqual([...new Set(answers)], [200]);
    assert.equal((await hook('the new one', 3)).status, 200);
    assert.equal((await hook(keys.alchemy, 4)).status, 401);
    const before = await daemon.get('/v1/sources');
    assert.ok(before.items.find((s) => s.name === 'alchemy').unauthorized >= 2, 'counts stay');
  },
);

scenario('what is in flight is finished, and nothing is sent twice', {}, async (world) => {
  world.handler.rule = () => ({ delay: 700 });
  const transfers = [];
  for (let i = 0; i < 3; i++) transfers.push(await one(world, { value: i, receiver: 6 + i }));
  await world.anvil.mine(2);
  await until('something is under way', () => world.handler.requests.length > 0);
  const answer = await change(world, (c) => {
    c.handlers[0].concurrency = 2;
  });
  assert.equal(answer.status, 200, answer.text);
  await world.settled();
  const ids = world.handler.requests.map((r) => r.id);
  assert.equal(new Set(ids).size, ids.length, 'each was sent once');
});

scenario(
  'a SIGTERM amid a reload ends the daemon in time, whatever the reload waits for',
  {
    config: async (c) => {
      c.admin.listen = `127.0.0.1:${await freePort()}`;
    },
  },
  async (world) => {
    const { daemon } = world;
    const ended = async () => {
      const exit = await daemon.stop();
      assert.deepEqual([exit.code, exit.signal], [0, null], daemon.tail());
      assert.ok(exit.ms < 10_000, `${exit.ms} ms`);
    };
    for (const wait of [0, 2, 5, 10, 15, 20, 30, 50]) {
      const config = structuredClone(daemon.config);
      config.handlers[0].concurrency = 2 + wait;
      config.chains[0].poll_interval = `${200 + wait}ms`;
      daemon.write(config);
      daemon.process.kill('SIGHUP');
      await new Promise((resolve) => setTimeout(resolve, wait));
      await ended();
      await daemon.start();
    }
    // A handler that takes its time: the change waits for it, and is given up.
    world.handler.rule = () => 'hang';
    await one(world);
    await world.anvil.mine(2);
    await until('it is under way', () => world.handler.requests.length > 0);
    const config = structuredClone(daemon.config);
    config.handlers[0].concurrency = 1;
    daemon.write(config);
    const verb = daemon.verb('reload');
    await until('the change was begun', async () =>
      (await daemon.get('/v1/audit')).items.some((a) => a.what === 'reload' && a.who !== 'SIGHUP'),
    );
    await ended();
    const told = await verb;
    assert.equal(told.code, 1, told.stdout);
    assert.match(told.stderr, /the daemon is stopping/);
    world.handler.rule = undefined;
    await daemon.start();
    await world.settled();
  },
);

scenario(
  'a handler that hangs while it is changed or removed is told again, and never twice at a time',
  {
    config: async (c) => {
      c.admin.listen = `127.0.0.1:${await freePort()}`;
      c.handlers[0].timeout = '50s';
    },
    timeout: 90_000,
  },
  async (world) => {
    const { daemon, handler } = world;
    let hang = 2;
    handler.rule = () => (hang-- > 0 ? 'hang' : undefined);
    const transfer = await one(world);
    await world.anvil.mine(2);
    await until('it hangs', () => handler.requests.length === 1);
    const config = structuredClone(daemon.config);
    config.handlers[0].concurrency = 2;
    daemon.write(config);
    const changed = await daemon.verb('reload');
    assert.equal(changed.code, 0, changed.stderr);
    await until('it is sent again', () => handler.requests.length === 2, { timeout: 3_000 });
    assert.equal(handler.requests[1].headers['tidemark-attempt'], '2');

    const { handlers } = daemon.config;
    daemon.write({ ...daemon.config, handlers: [] });
    const removed = await daemon.verb('reload');
    assert.equal(removed.code, 0, removed.stderr);
    const outcomes = async () =>
      (await daemon.get(`/v1/events/${transfer.eventId}`)).attempts.map((a) => a.outcome);
    await until('both are unknown', async () => (await outcomes()).join() === 'unknown,unknown', {
      timeout: 3_000,
    });
    daemon.write({ ...daemon.config, handlers });
    assert.equal((await daemon.verb('reload')).code, 0);
    await world.message(transfer.eventId, 'confirmed');
    assert.equal(new Set(handler.requests.slice(0, 3).map((r) => r.id)).size, 1);
  },
);

scenario(
  'a token that only the file knows: the verb says how the daemon learns of it',
  {
    config: async (c) => {
      c.admin = { listen: `127.0.0.1:${await freePort()}`, token: 'the-first-one-long-enough' };
    },
  },
  async ({ daemon }) => {
    const config = structuredClone(daemon.config);
    config.admin.token = 'the-second-one-long-enough';
    daemon.write(config);
    const refused = await daemon.verb('reload');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /SIGHUP/);
    daemon.process.kill('SIGHUP');
    await until('it is in force', async () => (await daemon.verb('reload')).code === 0);
  },
);
