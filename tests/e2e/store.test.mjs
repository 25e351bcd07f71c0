// SPDX-License-Identifier: MIT
// The store's file: one process at a time, moved, damaged, of a newer program.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { Daemon } from './lib/daemon.mjs';
import { until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

scenario(
  'a second process on the same store ends with 75, before it binds anything',
  {},
  async (world) => {
    const folder = path.join(world.dir, 'second');
    fs.mkdirSync(folder);
    const taken = world.daemon.ingest; // would clash if it were bound first
    const second = new Daemon(folder, {
      ...world.daemon.config,
      store: { ...world.daemon.config.store, path: world.daemon.storeFile },
      ingest: { listen: taken },
    });
    second.spawn();
    assert.equal(await second.endsBy(), 75, second.tail());
    await world.anvil.emit({ contract: world.A });
    await world.anvil.mine(2);
    await world.settled();
  },
);

scenario('the file alone, moved after a clean stop, goes on as it was', {}, async (world) => {
  const { anvil, daemon, handler } = world;
  await anvil.emit({ contract: world.A, count: 2 });
  await anvil.mine(2);
  await world.settled();
  await until('all is acknowledged', async () =>
    (await daemon.all('/v1/events')).every((e) => e.processing.app === 'delivered'),
  );
  const before = handler.requests.length;
  assert.equal((await daemon.stop()).code, 0);
  const elsewhere = path.join(world.dir, 'elsewhere');
  fs.mkdirSync(elsewhere);
  fs.renameSync(daemon.storeFile, path.join(elsewhere, 'moved.db'));
  daemon.write({
    ...daemon.config,
    store: { ...daemon.config.store, path: path.join(elsewhere, 'moved.db') },
  });
  await daemon.start();
  assert.equal((await daemon.all('/v1/events')).length, 2);
  await anvil.emit({ contract: world.A });
  await anvil.mine(2);
  assert.equal(await world.settled(), 3);
  assert.equal(handler.requests.length, before + 2, 'nothing is sent again');
});

scenario(
  'a store that is no store: 74; one of a newer program: 78; one that cannot be written: 74',
  { start: false },
  async (world) => {
    const { daemon } = world;
    const ends = async () => {
      daemon.spawn();
      return daemon.endsBy();
    };
    fs.writeFileSync(daemon.storeFile, Buffer.alloc(8192, 'this is no database '));
    assert.equal(await ends(), 74, daemon.tail());
    fs.rmSync(daemon.storeFile);
    await daemon.start();
    assert.equal((await daemon.stop()).code, 0);
    const file = fs.openSync(daemon.storeFile, 'r+');
    fs.writeSync(file, Buffer.from([0, 0, 0x7f, 0xff]), 0, 4, 60); // user_version
    fs.closeSync(file);
    assert.equal(await ends(), 78, daemon.tail());
    daemon.write({ ...daemon.config, store: { path: path.join(daemon.file, 'inside-a-file.db') } });
    assert.equal(await ends(), 74, daemon.tail());
  },
);
