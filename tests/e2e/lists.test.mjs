// SPDX-License-Identifier: MIT
// Lists of addresses: in files and in the store, changed while the daemon runs.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { problem } from './lib/admin.mjs';
import { run } from './lib/daemon.mjs';
import { freePort } from './lib/http.mjs';
import { never, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const send = async (world, receiver, more = {}) => {
  const receipt = await world.anvil.emit({ contract: world.A, value: 7, receiver, ...more });
  return (await world.anvil.transfersIn(receipt))[0];
};
const account = (world, i) => world.anvil.accounts[i].toLowerCase();
const patch = (world, body, name = 'wallets') =>
  world.daemon.api(`/v1/lists/${name}`, { method: 'PATCH', body });
const wallets = (c) => {
  c.lists = { wallets: {} };
  c.subscriptions[0].where = { to: { list: 'wallets' } };
};

scenario(
  'a list in the store: what is added counts from the block after the mark, at once',
  { config: wallets },
  async (world) => {
    const { daemon } = world;
    const before = await send(world, 6);
    await world.anvil.mine(2);
    const { mark } = await world.marked(before.block);
    const answer = await patch(world, { add: [account(world, 6), world.anvil.accounts[7]] });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.size, 2);
    assert.ok(answer.json.from.local > mark.number - 1, answer.text);
    const fresh = await send(world, 6);
    await send(world, 8);
    await world.anvil.mine(2);
    const message = await world.message(fresh.eventId, 'confirmed');
    assert.notEqual(message.event.late, true);
    await never('a word of others', () => world.handler.got('confirmed').length !== 1);

    // Again: nothing changes. Durable: a killed daemon has it.
    assert.deepEqual((await patch(world, { add: [account(world, 6)] })).json, {
      size: 2,
      from: answer.json.from,
    });
    await daemon.kill9();
    await daemon.start();
    const items = await daemon.all('/v1/lists/wallets', { limit: 1 });
    assert.deepEqual(
      items.map((i) => i.address).sort(),
      [account(world, 6), account(world, 7)].sort(),
    );
    assert.deepEqual(items[0].from, answer.json.from);
    const second = await send(world, 7);
    await world.anvil.mine(2);
    await world.message(second.eventId, 'confirmed');

    const removed = await patch(world, { remove: [account(world, 6), account(world, 6)] });
    assert.equal(removed.json.size, 1);
    await send(world, 6);
    const last = await send(world, 7);
    await world.anvil.mine(2);
    await world.message(last.eventId, 'confirmed');
    assert.equal(world.handler.got('confirmed').length, 3);
    const audit = (await daemon.all('/v1/audit')).filter((a) => a.what === 'lists');
    assert.equal(audit.length, 3);
  },
);

scenario(
  'from_block: what lies behind the mark is found late',
  { config: wallets },
  async (world) => {
    const early = await send(world, 6);
    const missed = await send(world, 6);
    await send(world, 7);
    await world.anvil.mine(4);
    await world.marked(missed.block);
    const answer = await patch(world, { add: [account(world, 6)], from_block: missed.block });
    assert.deepEqual(answer.json, { size: 1, from: { local: missed.block } });
    const message = await world.message(missed.eventId, 'confirmed');
    assert.equal(message.event.late, true);
    await until('it is filled', async () => (await world.daemon.chain()).backfills.length === 0);
    assert.equal(world.handler.of(early.eventId).length, 0);
    assert.equal(world.handler.got('confirmed').length, 1);
    // An earlier one for what is there already.
    await patch(world, { add: [account(world, 6)], from_block: 0 });
    assert.equal((await world.message(early.eventId, 'confirmed')).event.late, true);
  },
);

scenario('what is wrong with a change is said', { config: wallets }, async (world) => {
  const one = account(world, 6);
  problem(await patch(world, { add: [one] }, 'nothing'), 404);
  problem(await patch(world, { add: one }), 400);
  problem(await patch(world, { add: ['0x12'] }), 400);
  problem(await patch(world, { add: [`${world.anvil.accounts[6].slice(0, -1)}`] }), 400);
  problem(await patch(world, { add: [one], remove: [one] }), 400);
  problem(await patch(world, { add: [one], from_block: -1 }), 400);
  problem(await patch(world, { more: [one] }), 400);
  problem(
    await world.daemon.api('/v1/lists/wallets', {
      method: 'PATCH',
      body: '{}',
      headers: { 'content-type': 'text/plain' },
    }),
    415,
  );
  assert.equal((await world.daemon.all('/v1/lists/wallets')).length, 0);
});

scenario(
  'a list of a file, as the contracts too; read again at the start',
  {
    contracts: ['A', 'B'],
    config: (c, w) => {
      w.file = path.join(w.dir, 'contracts.txt');
      fs.writeFileSync(w.file, `# ours\n\n${w.A}\r\n`);
      c.lists = { contracts: { file: 'contracts.txt' } };
      c.subscriptions[0].address = { list: 'contracts' };
    },
  },
  async (world) => {
    const first = await send(world, 6);
    const missed = await send(world, 6, { contract: world.B });
    await world.anvil.mine(2);
    await world.message(first.eventId, 'confirmed');
    problem(await patch(world, { add: [world.B] }, 'contracts'), 409);
    await world.marked(missed.block);
    await world.daemon.stop();
    fs.writeFileSync(world.file, `${world.A} # ours\n${world.B}# and theirs\n`);
    await world.daemon.start();
    const fresh = await send(world, 6, { contract: world.B });
    await world.anvil.mine(2);
    await world.message(fresh.eventId, 'confirmed');
    assert.equal(world.handler.of(missed.eventId).length, 0);
    await world.daemon.stop();
    fs.writeFileSync(world.file, `${world.A}\nnonsense\n`);
    const checked = await run(['check', '--config', world.daemon.file], { cwd: world.dir });
    assert.equal(checked.code, 78);
    assert.match(checked.stderr, /contracts\.txt:2: expected an address/);
  },
);

scenario(
  'twenty thousand addresses, and the verbs',
  {
    config: async (c) => {
      wallets(c);
      c.admin.listen = `127.0.0.1:${await freePort()}`;
    },
  },
  async (world) => {
    const verb = (...args) => run([...args, '--config', world.daemon.file], { cwd: world.dir });
    const many = Array.from(
      { length: 20_000 },
      (_, i) => `0x${(0x1000_0000n + BigInt(i)).toString(16).padStart(40, '0')}`,
    );
    const began = Date.now();
    for (let at = 0; at < many.length; at += 5_000)
      assert.equal((await patch(world, { add: many.slice(at, at + 5_000) })).status, 200);
    assert.ok(Date.now() - began < 10_000);
    const added = await verb('lists', 'add', 'wallets', account(world, 6));
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stdout, /20001 addresses; these count on local from block \d+/);
    const fresh = await send(world, 6);
    const other = await send(world, many[12_345]);
    await world.anvil.mine(2);
    await world.message(fresh.eventId, 'confirmed');
    await world.message(other.eventId, 'confirmed');
    const shown = await verb('lists', 'show', 'wallets');
    assert.equal(shown.stdout.trim().split('\n').length, 20_001);
    const removed = await verb('lists', 'remove', 'wallets', account(world, 6), '--json');
    assert.equal(JSON.parse(removed.stdout).size, 20_000);
    assert.equal((await verb('lists', 'add', 'nothing', account(world, 6))).code, 1);
  },
);

scenario(
  'lists of senders and receivers of transactions, changed while it runs',
  {
    contracts: [],
    config: (c) => {
      c.lists = { wallets: {} };
      c.subscriptions = [
        { name: 'in', chains: ['local'], transaction: { to: { list: 'wallets' } } },
        { name: 'out', chains: ['local'], transaction: { from: [{ list: 'wallets' }] } },
      ];
    },
  },
  async (world) => {
    const pay = async (from, to) => {
      const hash = await world.anvil.rpc('eth_sendTransaction', {
        from: world.anvil.accounts[from],
        to: world.anvil.accounts[to],
        value: '0x5',
      });
      await world.anvil.mine();
      return `31337:${hash}:tx`;
    };
    await pay(0, 6);
    await world.anvil.mine(2);
    await world.marked(await world.anvil.head().then((n) => n - 2));
    assert.equal((await patch(world, { add: [account(world, 6)] })).status, 200);
    await pay(0, 7);
    const to = await pay(0, 6);
    const from = await pay(6, 7);
    await world.anvil.mine(2);
    assert.equal((await world.message(to, 'confirmed')).event.subscription, 'in');
    assert.equal((await world.message(from, 'confirmed')).event.subscription, 'out');
    await patch(world, { remove: [account(world, 6)] });
    await pay(0, 6);
    await world.anvil.mine(2);
    await never('another one', () => world.handler.got('confirmed').length !== 2);
  },
);
