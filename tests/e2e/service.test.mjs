// SPDX-License-Identifier: MIT
// Units, alerts and dashboard; sockets that systemd holds; what the service manager is told.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { binary } from './lib/daemon.mjs';
import { request } from './lib/http.mjs';
import { until } from './lib/wait.mjs';
import { yaml } from './lib/yaml.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const there = (name) => spawnSync(name, ['--version']).error === undefined;
const run = (name, args, options) => spawnSync(name, args, { encoding: 'utf8', ...options });

test('the units: nothing to verify, and little exposed', (t) => {
  if (!there('systemd-analyze')) return t.skip('systemd-analyze is not there');
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-'));
  for (const name of ['tidemark.service', 'tidemark-ingest.socket', 'tidemark-admin.socket']) {
    const unit = fs.readFileSync(path.join(root, 'systemd', name), 'utf8');
    // What is not installed here is not what is looked at.
    fs.writeFileSync(
      path.join(dir, name),
      unit.replace('/usr/bin/tidemark', '/bin/true').replace(/^Documentation=.*\n/m, ''),
    );
  }
  const units = fs.readdirSync(dir).map((name) => path.join(dir, name));
  const verify = run('systemd-analyze', ['verify', ...units]);
  assert.equal(verify.stdout + verify.stderr, '');
  const security = run('systemd-analyze', [
    'security',
    '--offline=true',
    path.join(dir, 'tidemark.service'),
  ]);
  const exposure = Number(/exposure level for tidemark.service: ([\d.]+)/.exec(security.stdout)[1]);
  assert.ok(exposure <= 1.5, `exposure ${exposure}`);
  fs.rmSync(dir, { recursive: true });
});

test('alert rules fire on what they are about; each has its place in the runbook', (t) => {
  const rules = fs.readFileSync(path.join(root, 'systemd/alerts.yml'), 'utf8');
  const runbook = fs.readFileSync(path.join(root, 'docs/operating.md'), 'utf8');
  const alerts = [...rules.matchAll(/alert: (\S+)/g)].map((m) => m[1]);
  assert.ok(alerts.length >= 15);
  for (const name of alerts) {
    assert.ok(runbook.includes(`### ${name}\n`), `docs/operating.md has ${name}`);
    assert.ok(rules.includes(`docs/operating.md#${name.toLowerCase()}`), `${name} points there`);
  }
  if (!there('promtool')) return t.skip('promtool is not there');
  for (const args of [
    ['check', 'rules', 'systemd/alerts.yml'],
    ['test', 'rules', 'tests/systemd/alerts_test.yml'],
  ]) {
    const done = run('promtool', args, { cwd: root });
    assert.equal(done.status, 0, done.stdout + done.stderr);
  }
});

test('alerts and dashboard ask for series that there are', () => {
  const known = fs.readFileSync(path.join(root, 'api/meters.cpp'), 'utf8');
  const names = new Set([...known.matchAll(/\{"([a-z_]+)", kind::/g)].map((m) => m[1]));
  assert.equal(names.size, 34);
  for (const file of ['systemd/alerts.yml', 'docs/grafana.json'])
    for (const [, name] of fs
      .readFileSync(path.join(root, file), 'utf8')
      .matchAll(/tidemark_([a-z_]+)/g))
      assert.ok(names.has(name.replace(/_bucket$/, '')), `${file}: tidemark_${name}`);
});

const config = (dir) => {
  const file = path.join(dir, 'tidemark.yaml');
  fs.writeFileSync(
    file,
    yaml({
      store: { path: 'tidemark.db', min_free: '1MiB' },
      // Taken: what the sockets say counts.
      ingest: { listen: '127.0.0.1:1' },
      admin: { listen: '127.0.0.1:2' },
    }),
    { mode: 0o600 },
  );
  return file;
};

test('sockets that somebody else listens on are taken over', { timeout: 30_000 }, async (t) => {
  if (!there('systemd-socket-activate')) return t.skip('systemd-socket-activate is not there');
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-'));
  const base = 22_000 + (process.pid % 20_000);
  const child = spawn(
    'systemd-socket-activate',
    [
      `--listen=127.0.0.1:${base}`,
      `--listen=127.0.0.1:${base + 1}`,
      '--fdname=ingest:admin',
      binary,
      'run',
      '--config',
      config(dir),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let log = '';
  child.stderr.on('data', (chunk) => (log += chunk));
  try {
    await until(
      () => `it listens: ${log}`,
      () => log.includes('Listening on'),
    );
    // The first connection starts it, and is not refused meanwhile.
    const live = await request(`http://127.0.0.1:${base + 1}/livez`, {});
    assert.equal(live.status, 200, log);
    const none = await request(`http://127.0.0.1:${base}/hooks/none`, { method: 'POST', body: '' });
    assert.equal(none.status, 404);
    child.kill('SIGTERM');
    const code = await new Promise((resolve) => child.on('close', resolve));
    assert.equal(code, 0, log);
  } finally {
    child.kill('SIGKILL');
    fs.rmSync(dir, { recursive: true });
  }
});

test('READY, WATCHDOG, STATUS, STOPPING', { timeout: 30_000 }, async (t) => {
  if (!there('python3')) return t.skip('nothing here can listen on a datagram socket');
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-'));
  const file = config(dir);
  fs.writeFileSync(
    file,
    fs.readFileSync(file, 'utf8').replace('127.0.0.1:1\n', '127.0.0.1:0\n').replace('127.0.0.1:2\n', '127.0.0.1:0\n'),
  );
  const socket = path.join(dir, 'notify');
  const ears = spawn('python3', [
    '-uc',
    'import socket,sys\ns=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\ns.bind(sys.argv[1])\nprint("up")\nwhile True: print(repr(s.recv(65536).decode()))',
    socket,
  ]);
  let heard = '';
  ears.stdout.on('data', (chunk) => (heard += chunk));
  let child;
  try {
    await until('somebody listens', () => heard.includes('up'));
    child = spawn(binary, ['run', '--config', file], {
      env: { ...process.env, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '900000' },
      stdio: 'ignore',
    });
    await until(() => `it is ready: ${heard}`, () => heard.includes('READY=1'));
    await until(
      () => `it lives: ${heard}`,
      () => heard.split('WATCHDOG=1').length > 3 && heard.includes('STATUS='),
    );
    child.kill('SIGTERM');
    const code = await new Promise((resolve) => child.on('close', resolve));
    assert.equal(code, 0);
    assert.match(heard, /STOPPING=1/);
  } finally {
    child?.kill('SIGKILL');
    ears.kill('SIGKILL');
    fs.rmSync(dir, { recursive: true });
  }
});

test('the completion offers the verbs that there are', () => {
  const script = fs.readFileSync(path.join(root, 'systemd/completion.bash'), 'utf8');
  const offered = /^ {4}\/\) words='([^']*)'/m.exec(script)[1].split(' ');
  const help = run(binary, ['--help']).stdout;
  const verbs = [...help.split(/Subcommands:/)[1].matchAll(/^ {2}(\S+)/gm)].map((m) => m[1]);
  assert.deepEqual([...offered].sort(), [...verbs].sort());
  const page = fs.readFileSync(path.join(root, 'docs/tidemark.1'), 'utf8');
  for (const verb of verbs) {
    const line = new RegExp(`^\\.B[IR]? ${verb}\\b.*`, 'm').exec(page)?.[0];
    assert.ok(line, `the manual page has ${verb}`);
    const below = run(binary, [verb, '--help']).stdout.split(/Subcommands:/)[1] ?? '';
    const subs = [...below.matchAll(/^ {2}([a-z]+)/gm)].map((m) => m[1]).sort();
    const words = new RegExp(`^ {4}${verb}/\\) words='([^']*)'`, 'm').exec(script)?.[1] ?? '';
    assert.deepEqual(words.split(' ').filter(Boolean).sort(), subs, `what the completion offers behind ${verb}`);
    for (const sub of subs) assert.ok(line.includes(sub), `the manual page has ${verb} ${sub}`);
  }
});
