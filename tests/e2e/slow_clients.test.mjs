// SPDX-License-Identifier: MIT
// slowhttptest's four modes against both listeners: whoever is not slow is served all the while.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { post, sign } from './lib/hooks.mjs';
import { fresh } from './lib/relay.mjs';
import { sleep } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const modes = [
  ['slow headers', ['-H']],
  ['slow bodies', ['-B', '-s', '100000']],
  ['slow reading', ['-X', '-w', '512', '-y', '1024', '-n', '5', '-z', '32', '-k', '3']],
  ['overlapping ranges', ['-R', '-a', '1', '-b', '3000']],
];
const connections = 400;

// What it says of whether it was served itself.
const attack = async (mode, url) => {
  const args = [...mode, '-c', connections, '-r', 200, '-l', 7, '-i', 1, '-p', 3, '-u', url];
  const child = spawn('slowhttptest', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (bytes) => {
    said += bytes;
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 0, said);
  return [...said.matchAll(/service available:[^\n]*?(YES|NO)/g)].map(([, word]) => word);
};

scenario('slow clients', { timeout: 120_000 }, async (world, t) => {
  const { daemon } = world;
  const places = [`http://${daemon.ingest}/hooks/relay`, `http://${daemon.admin}/v1/openapi.json`];
  for (const [name, mode] of modes)
    await t.test(name, async () => {
      let over = false;
      const attacks = Promise.all(places.map((url) => attack(mode, url))).finally(() => {
        over = true;
      });
      let longest = 0;
      while (!over) {
        const before = Date.now();
        const body = fresh();
        assert.equal((await post(daemon.ingest, 'relay', body, sign.raw(body))).status, 200);
        assert.equal((await daemon.api('/v1/status')).status, 200);
        longest = Math.max(longest, Date.now() - before);
        await sleep(20);
      }
      assert.ok(longest < 2_000, `${longest} ms`);
      for (const words of await attacks) {
        assert.ok(words.includes('YES'), 'it was served once');
        assert.ok(!words.includes('NO'), 'it was served each time');
      }
    });
});
