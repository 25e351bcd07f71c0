// SPDX-License-Identifier: MIT
// The store as a whole: looked through, copied under load, put back, pruned.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { busy, problem } from './lib/admin.mjs';
import { alchemy } from './lib/hooks.mjs';
import { until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

// A verb finds the daemon by the config, so its port is a fixed one.
const port = 20_000 + (process.pid % 20_000);
const admin = (offset) => (c) => {
  c.admin.listen = `127.0.0.1:${port + offset}`;
};

scenario('check, stats, backup and prune on a running daemon', { config: admin(1) }, async (world) => {
  const { daemon } = world;
  await busy(world);
  assert.deepEqual(await daemon.get('/v1/db/check'), { ok: true, problems: [] });
  const stats = await daemon.get('/v1/db/stats');
  assert.ok(stats.bytes > 0 && stats.pages > 0 && stats.epoch === 1 && stats.last_backup === null);
  assert.equal(stats.tables.find((t) => t.name === 'events').rows, 6);
  const check = await daemon.verb('db', 'check');
  assert.equal(check.code, 0, check.stderr);
  assert.match(check.stdout, /ok/);

  const to = path.join(world.dir, 'copy.db');
  problem(await daemon.api('/v1/db/backup', { body: { path: 'copy.db' } }), 400);
  problem(await daemon.api('/v1/db/backup', { body: {} }), 400);
  // Under load: webhooks and facts go on while it is made.
  const load = Promise.all(world.transfers.map((t) => alchemy(daemon, [t])));
  const made = await daemon.api('/v1/db/backup', { body: { path: to } });
  await load;
  assert.equal(made.status, 200, made.text);
  assert.equal(made.json.bytes, fs.statSync(to).size);
  assert.equal(fs.statSync(to).mode & 0o077, 0, 'nobody else may read it');
  assert.ok(!fs.existsSync(`${to}.partial`));
  problem(await daemon.api('/v1/db/backup', { body: { path: to } }), 409);
  assert.notEqual((await daemon.get('/v1/status')).store.last_backup, null);
  assert.ok((await daemon.all('/v1/audit')).some((a) => a.what === 'db backup'));
  assert.equal((await daemon.verb('db', 'backup', path.join(world.dir, 'two.db'))).code, 0);
  assert.equal((await daemon.verb('db', 'restore', to)).code, 75, 'not while a daemon holds it');
  const pruned = await daemon.api('/v1/db/prune', { body: {} });
  assert.deepEqual(pruned.json, { webhooks: 0, deliveries: 0, events: 0 });
});

scenario(
  'a backup that is put back: epochs rise, handlers are paused, nothing is lost',
  { config: admin(2) },
  async (world) => {
    const { daemon, anvil, handler } = world;
    await busy(world);
    const to = path.join(world.dir, 'copy.db');
    assert.equal((await daemon.verb('db', 'backup', to)).code, 0);
    await anvil.emit({ contract: world.A, from: 4 });
    await anvil.mine(2);
    await world.settled();
    const before = await daemon.get('/v1/feed?limit=1000');
    assert.equal(before.epoch, 1);
    await daemon.stop();

    const restored = await daemon.verb('db', 'restore', to);
    assert.equal(restored.code, 0, restored.stderr);
    assert.ok(fs.existsSync(`${daemon.storeFile}.replaced-1`), 'what was there is kept');
    assert.equal((await daemon.verb('db', 'check')).code, 0);
    await daemon.start();
    const [app] = (await daemon.get('/v1/handlers')).items;
    const { epoch } = await daemon.get('/v1/feed');
    assert.ok(epoch > 1_700_000_000 && epoch < 2 ** 32, `${epoch}: none that was there before`);
    assert.deepEqual([app.state, app.epoch], ['paused', epoch]);
    assert.match(app.reason, /backup/);
    problem(await daemon.api('/v1/feed?after=0&epoch=1'), 410);
    const confirmed = (feed) =>
      feed.items
        .filter((i) => i.type === 'tidemark.event.confirmed')
        .map((i) => i.id)
        .sort();
    await until('the chain is read again', async () => {
      const feed = await daemon.get('/v1/feed?limit=1000');
      return feed.epoch === epoch && confirmed(feed).length === 7;
    });
    const after = await daemon.get('/v1/feed?limit=1000');
    assert.deepEqual(confirmed(after), confirmed(before), 'the same ids');
    // Of what it is told again the ids are the same, the sequence is another epoch's.
    const known = new Set(handler.ids);
    for (const list of [handler.requests, handler.accepted]) list.length = 0;
    for (const memory of [handler.bytes, handler.ids]) memory.clear();
    assert.equal((await daemon.api('/v1/handlers/app/resume', { body: {} })).status, 200);
    await until('all is delivered', async () =>
      (await daemon.all('/v1/events')).every((e) => e.processing.app === 'delivered'),
    );
    const told = handler.got('confirmed');
    assert.ok(told.length >= 1 && told.every((m) => known.has(m.id) && m.event.epoch === epoch));
    await daemon.stop();
    await daemon.start();
    assert.equal((await daemon.get('/v1/feed')).epoch, epoch, 'once');
    // The same backup once more, at once: another epoch than the first time.
    await daemon.stop();
    assert.equal((await daemon.verb('db', 'restore', to)).code, 0);
    await daemon.start();
    assert.ok((await daemon.get('/v1/feed')).epoch > epoch);
    problem(await daemon.api(`/v1/feed?after=0&epoch=${epoch}`), 410);
  },
);

scenario('a stopped daemon: the verbs work on the file', { config: admin(3) }, async (world) => {
  const { daemon } = world;
  await busy(world);
  await daemon.stop();
  const stats = await daemon.verb('db', 'stats', '--json');
  assert.equal(stats.code, 0, stats.stderr);
  assert.equal(JSON.parse(stats.stdout).tables.find((t) => t.name === 'events').rows, 6);
  const to = path.join(world.dir, 'cold.db');
  const began = new Date().toISOString();
  assert.equal((await daemon.verb('db', 'backup', to)).code, 0);
  const after = JSON.parse((await daemon.verb('db', 'stats', '--json')).stdout);
  assert.ok(after.last_backup >= began && after.free_bytes > 0, JSON.stringify(after));
  assert.equal((await daemon.verb('db', 'prune')).code, 0);
  // A backup that is no backup, and one that is damaged.
  fs.writeFileSync(path.join(world.dir, 'text.db'), 'not a database at all, just text');
  assert.equal((await daemon.verb('db', 'restore', path.join(world.dir, 'text.db'))).code, 74);
  const missing = await daemon.verb('db', 'restore', '/does/not/exist');
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /there is no file \/does\/not\/exist/);
  const bytes = fs.readFileSync(daemon.storeFile);
  bytes.fill(0xee, 4096 * 3, 4096 * 8);
  fs.writeFileSync(daemon.storeFile, bytes);
  const check = await daemon.verb('db', 'check');
  assert.equal(check.code, 74, check.stdout + check.stderr);
  fs.writeFileSync(daemon.storeFile, 'not a database at all, just text');
  const told = await daemon.verb('db', 'check', '--json');
  assert.equal(told.code, 74, told.stdout + told.stderr);
  assert.equal(JSON.parse(told.stdout).ok, false);
  assert.equal(JSON.parse(told.stdout).problems.length, 1);
  // One that a newer program wrote: as `run` says it.
  const newer = fs.readFileSync(to);
  newer.writeUInt32BE(9999, 60); // user_version
  fs.writeFileSync(daemon.storeFile, newer);
  for (const args of [['check'], ['stats'], ['prune'], ['backup', path.join(world.dir, 'n.db')]]) {
    const { code, stdout, stderr } = await daemon.verb('db', ...args);
    assert.equal(code, 78, `${args[0]}: ${stdout}${stderr}`);
    assert.match(stderr, /newer tidemark/);
  }
});

scenario(
  'retention: what is old and done goes, the rest stays',
  {
    config: (c) => {
      admin(4)(c);
      c.store.retention = { webhooks: '1ms', deliveries: '1ms', events: '1ms' };
      c.chains[0].reorg.max_depth = 1;
    },
  },
  async (world) => {
    const { daemon, anvil } = world;
    await busy(world);
    await anvil.mine(4);
    await world.marked((await anvil.head()) - 2);
    const { json } = await daemon.api('/v1/db/prune', { body: {} });
    assert.equal(json.webhooks, 2, 'all but the newest');
    assert.ok(json.deliveries > 0);
    assert.equal(json.events, 6);
    assert.deepEqual(await daemon.get('/v1/db/check'), { ok: true, problems: [] });
    const feed = await daemon.get('/v1/feed?limit=1000');
    assert.equal(feed.items.length, 12, 'every fact keeps its place');
    assert.ok(feed.items.every((i) => i.data.pruned === true && i.data.args === undefined));
    const again = await alchemy(daemon, world.transfers.slice(0, 1));
    assert.equal(again.status ?? 200, 200);
    await daemon.stop();
    await daemon.start();
    assert.equal((await daemon.get('/v1/feed?limit=1000')).items.length, 12);
  },
);
