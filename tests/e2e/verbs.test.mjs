// SPDX-License-Identifier: MIT
// The verbs: what they print, and how they end.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import test from 'node:test';
import { binary, run } from './lib/daemon.mjs';
import { freePort } from './lib/http.mjs';
import { faults } from './lib/proxy.mjs';
import { sleep, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const plain = (result) => {
  assert.ok(!/\x1b\[/.test(result.stdout + result.stderr), 'no colour but on a terminal');
  return result;
};
const json = (result) => {
  assert.equal(result.code, 0, result.stderr);
  return JSON.parse(plain(result).stdout);
};

test('version', async () => {
  const { code, stdout } = await run(['version']);
  assert.equal(code, 0);
  assert.match(stdout, /\d+\.\d+\.\d+/);
  assert.match(stdout, /sqlite/i);
  assert.match(stdout, /boost/i);
  const value = json(await run(['version', '--json']));
  assert.match(value.version, /^\d+\.\d+\.\d+/);
});

test('wrong usage is 2', async () => {
  for (const args of [
    [],
    ['fly'],
    ['run', '--fast'],
    ['events'],
    ['events', 'show'],
    ['chain', 'show'],
    ['status', 'too', 'much'],
    ['db', 'backup', ''],
    ['db', 'restore', ''],
  ]) {
    const { code, stderr, stdout } = await run(args);
    assert.equal(code, 2, `${args.join(' ')}: ${code}`);
    assert.ok((stderr + stdout).length > 10, 'and it says what would be right');
  }
  assert.equal((await run(['--help'])).code, 0);
  for (const args of [['fly'], ['chain', 'fly'], ['--json', 'fly']])
    assert.match((await run(args)).stderr, /no verb `fly`/);
});

test('what cannot be written is not done', () => {
  const full = fs.openSync('/dev/full', 'w');
  for (const args of [['version'], ['--help']]) {
    const { status, stderr } = spawnSync(binary, args, { stdio: ['ignore', full, 'pipe'] });
    assert.equal(status, 1, `${args}: ${stderr}`);
    assert.match(`${stderr}`, /could not be written/);
  }
  fs.closeSync(full);
});

test('init writes a starter that check passes, and never overwrites', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-init-'));
  try {
    assert.equal((await run(['init', folder])).code, 0);
    const file = path.join(folder, 'tidemark.yaml');
    const text = fs.readFileSync(file, 'utf8');
    assert.match(text, /^\s*#/m, 'it is commented');
    const checked = await run(['check', '--config', file]);
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
    fs.writeFileSync(file, 'mine: 1\n');
    const again = await run(['init', folder]);
    assert.equal(again.code, 1);
    assert.equal(fs.readFileSync(file, 'utf8'), 'mine: 1\n');
    fs.rmSync(file);
    assert.equal((await run(['init'], { cwd: folder })).code, 0);
    assert.ok(fs.existsSync(file));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

const fixedPort = async (c) => {
  c.admin.listen = `127.0.0.1:${await freePort()}`;
  c.admin.token = 'a-token-for-the-verbs';
};

scenario('on a running daemon', { config: fixedPort }, async (world, t) => {
  const { anvil, daemon } = world;
  const transfers = await anvil.transfersIn(
    await anvil.emit({ contract: world.A, count: 3, value: 40 }),
  );
  await anvil.mine(2);
  await world.settled();
  const [first] = transfers;

  await t.test('status', async () => {
    const { code, stdout } = plain(await daemon.verb('status'));
    assert.equal(code, 0);
    for (const word of ['local', 'alchemy', 'app'])
      assert.match(stdout, new RegExp(`\\b${word}\\b`));
    const value = json(await daemon.verb('status', '--json'));
    assert.equal(value.chains[0].name, 'local');
  });
  await t.test('events list', async () => {
    const { code, stdout } = plain(await daemon.verb('events', 'list'));
    assert.equal(code, 0);
    for (const transfer of transfers)
      assert.ok(stdout.includes(transfer.eventId.split(':')[1].slice(0, 10)), stdout);
    const all = json(await daemon.verb('events', 'list', '--json'));
    assert.equal((all.items ?? all).length, 3);
    const none = json(await daemon.verb('events', 'list', '--status', 'pending', '--json'));
    assert.equal((none.items ?? none).length, 0);
    assert.notEqual((await daemon.verb('events', 'list', '--status', 'maybe')).code, 0);
  });
  await t.test('events show', async () => {
    const { code, stdout } = plain(await daemon.verb('events', 'show', first.eventId));
    assert.equal(code, 0);
    for (const word of ['confirmed', 'Transfer', '40', 'app'])
      assert.ok(stdout.includes(word), `${word}:\n${stdout}`);
    const value = json(await daemon.verb('events', 'show', first.eventId, '--json'));
    assert.equal(value.event_id, first.eventId);
    assert.ok(value.history.length >= 2);
    assert.equal((await daemon.verb('events', 'show', `31337:0x${'0'.repeat(64)}:7`)).code, 1);
  });
  await t.test('events tail', async () => {
    const child = spawn(binary, ['events', 'tail', '--config', daemon.file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = [];
    readline
      .createInterface({ input: child.stdout })
      .on('line', (line) => lines.push(JSON.parse(line)));
    try {
      await new Promise((resolve) => {
        setTimeout(resolve, 300);
      });
      const [fresh] = await anvil.transfersIn(
        await anvil.emit({ contract: world.A, from: 1, value: 77 }),
      );
      await until('the fact is printed', () => lines.some((l) => l.subject === fresh.eventId));
    } finally {
      child.kill();
    }
    await anvil.mine(2);
  });
  await t.test('chain list, show, resume', async () => {
    assert.match(plain(await daemon.verb('chain', 'list')).stdout, /local/);
    const value = json(await daemon.verb('chain', 'show', 'local', '--json'));
    assert.equal(value.id, 31337);
    assert.match((await daemon.verb('chain', 'show', 'local')).stdout, /31337/);
    assert.equal((await daemon.verb('chain', 'show', 'nobody')).code, 1);
    assert.equal(
      (await daemon.verb('chain', 'resume', 'local')).code,
      0,
      'nothing is halted: nothing to do',
    );
  });
  await t.test('check on its config', async () => {
    assert.equal((await daemon.verb('check')).code, 0);
    const probed = plain(await daemon.verb('check', '--probe'));
    assert.equal(probed.code, 0, probed.stdout + probed.stderr);
    assert.match(probed.stdout, /31337/);
    assert.match(probed.stdout, new RegExp(`\\b${await anvil.head()}\\b`), 'and the head');
    const { estimates } = json(await daemon.verb('check', '--probe', '--json'));
    assert.equal(estimates[0].chain, 'local');
    assert.ok(estimates[0].calls_a_day > 0);
  });
  await t.test('a value that the daemon cannot read is wrong usage', async () => {
    for (const args of [
      ['events', 'list', '--limit', '0'],
      ['replay', 'app', '--since', 'yesterday'],
    ]) {
      const { code, stderr } = await daemon.verb(...args);
      assert.equal(code, 2, `${args.join(' ')}: ${stderr}`);
    }
  });
  await t.test('an order that is refused is 1, with --json too', async () => {
    for (const args of [
      ['dead', 'retry', '7'],
      ['dead', 'skip', '7', '--reason', 'x'],
    ]) {
      assert.equal((await daemon.verb(...args)).code, 1);
      const { code, stdout } = await daemon.verb(...args, '--json');
      assert.deepEqual([code, JSON.parse(stdout).refused[0].id], [1, 7]);
    }
  });
  await t.test('a daemon is asked without its environment, and while its config is edited', async () => {
    const good = fs.readFileSync(daemon.file, 'utf8');
    fs.writeFileSync(daemon.file, `${good}\nfuture: \${NOT_SET_HERE}\n`, { mode: 0o600 });
    try {
      for (const args of [['status'], ['events', 'list'], ['handlers', 'list'], ['db', 'stats']])
        assert.equal((await daemon.verb(...args)).code, 0, args.join(' '));
      const { code, stderr } = await daemon.verb('reload');
      assert.equal(code, 78);
      assert.match(stderr, /tidemark\.yaml:\d+:1: unknown key 'future'/);
      assert.match(stderr, /not taken/, 'the daemon judged it');
    } finally {
      fs.writeFileSync(daemon.file, good, { mode: 0o600 });
    }
  });
  await t.test('a wrong token', async () => {
    const other = path.join(world.dir, 'other.yaml');
    fs.writeFileSync(
      other,
      fs
        .readFileSync(daemon.file, 'utf8')
        .replace('a-token-for-the-verbs', 'another-token-altogether'),
      { mode: 0o600 },
    );
    const result = await run(['status', '--config', other]);
    assert.equal(result.code, 1);
    assert.ok(!(result.stdout + result.stderr).includes('another-token'), 'and it is not printed');
  });
  await t.test('no daemon', async () => {
    const following = daemon.verb('events', 'tail');
    await sleep(500);
    await daemon.stop();
    assert.equal((await following).code, 75, 'one that stops is one that is not there');
    for (const args of [['status'], ['events', 'list'], ['chain', 'list'], ['events', 'tail']]) {
      const { code, stderr } = await daemon.verb(...args);
      assert.equal(code, 75, args.join(' '));
      assert.ok(stderr.length > 0);
    }
    assert.equal((await daemon.verb('check')).code, 0, 'check needs none');
  });
});

scenario(
  'check --probe finds what is wrong with an endpoint',
  { proxy: true, start: false, config: fixedPort },
  async (world) => {
    const { daemon, proxy } = world;
    proxy.set(faults.otherChain);
    const other = await daemon.verb('check', '--probe');
    assert.notEqual(other.code, 0);
    assert.match(other.stdout + other.stderr, /31337/);
    for (const [fault, word] of [
      [faults.html, /./],
      [faults.silence, /time|answer/i],
      [faults.unauthorized, /401|refused/i],
    ]) {
      proxy.set(fault);
      const { code, stdout, stderr } = await daemon.verb('check', '--probe');
      assert.notEqual(code, 0);
      assert.match(stdout + stderr, word);
    }
    assert.equal((await daemon.verb('check')).code, 0, 'without --probe nobody is asked');
  },
);

scenario(
  'chain resume on a halted chain',
  {
    config: async (c) => {
      await fixedPort(c);
      c.chains[0].reorg.max_depth = 4;
    },
    before: async (w) => {
      await w.anvil.emit({ contract: w.A, from: 1 });
      await w.anvil.mine(15);
    },
  },
  async (world) => {
    const { anvil, daemon } = world;
    await world.settled();
    await world.marked(15);
    await anvil.reorg(16, []);
    await anvil.mine(1);
    await until('it halts', async () => (await daemon.chain()).state === 'halted');
    const asked = plain(await daemon.verb('chain', 'resume', 'local'));
    assert.equal(asked.code, 1, asked.stdout + asked.stderr);
    assert.match(asked.stdout + asked.stderr, /1\b/, 'it prints what would be taken back');
    assert.equal((await daemon.chain()).state, 'halted');
    const accepted = await daemon.verb('chain', 'resume', 'local', '--accept-reorg');
    assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
    await world.settled();
    assert.equal(world.handler.got('rolled_back').length, 1);
  },
);
