// SPDX-License-Identifier: MIT
// A handler that a reload brings, with what the feed has.
import assert from 'node:assert/strict';
import { Handler } from './lib/handler.mjs';
import { freePort } from './lib/http.mjs';
import { until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';
scenario('a handler that a reload brings gets what the feed has', { config: async (c) => { c.handlers[0].send = ['confirmed']; c.admin.listen = `127.0.0.1:${await freePort()}`; } }, async (world) => {
  const { anvil, daemon } = world;
  for (const value of [1, 2]) await anvil.emit({ contract: world.A, value });
  await anvil.mine(2);
  await world.settled();
  const late = await new Handler().start();
  world.others.push(late);
  daemon.config.handlers.push({ ...daemon.config.handlers[0], name: 'late', url: late.url, start: 'all' });
  daemon.write(daemon.config);
  const done = await daemon.verb('reload');
  assert.equal(done.code, 0, done.stderr);
  await until('both', () => late.got('confirmed').length === 2);
  await anvil.emit({ contract: world.A, value: 3 });
  await anvil.mine(2);
  await until('and what comes', () => late.got('confirmed').length === 3);
  assert.deepEqual(late.got('confirmed').map((m) => m.data.args.value), ['1', '2', '3']);
});
