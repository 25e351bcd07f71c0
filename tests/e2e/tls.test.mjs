// SPDX-License-Identifier: MIT
// TLS on both listeners.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import tls from 'node:tls';
import { sign } from './lib/hooks.mjs';
import { run } from './lib/daemon.mjs';
import { fresh } from './lib/relay.mjs';
import { until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

function certificate(dir, name, host = 'localhost') {
  const [cert, key] = ['crt', 'key'].map((end) => path.join(dir, `${name}.${end}`));
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-days', '2', '-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`],
    ...['-keyout', key, '-out', cert],
  ]);
  assert.equal(made.status, 0, `${made.stderr}`);
  fs.chmodSync(key, 0o600);
  return { cert, key };
}

const port = 23_000 + (process.pid % 20_000);
const ask = (at, pathname, ca, { method = 'GET', headers = {}, body } = {}) =>
  new Promise((resolve, reject) => {
    const [host, ask_port] = at.split(':');
    const req = https.request(
      { host, port: ask_port, path: pathname, method, headers, ca, servername: 'localhost' },
      (res) => {
        let text = '';
        res.on('data', (chunk) => (text += chunk));
        res.on('end', () => resolve({ status: res.statusCode, text }));
      },
    );
    req.on('error', reject);
    req.end(body);
  });

scenario(
  'webhooks and the admin API over TLS; verbs trust the file',
  {
    start: false,
    config: (c, world) => {
      const pair = certificate(world.dir, 'both');
      world.ca = fs.readFileSync(pair.cert);
      c.ingest.tls = { cert: 'both.crt', key: 'both.key' };
      c.admin.tls = pair;
      c.admin.listen = `127.0.0.1:${port}`;
    },
  },
  async (world) => {
    const { daemon, ca } = world;
    await daemon.start();
    const body = fresh();
    const hook = await ask(daemon.ingest, '/hooks/relay', ca, {
      method: 'POST',
      headers: sign.raw(body),
      body,
    });
    assert.equal(hook.status, 200, hook.text);
    assert.equal((await ask(daemon.admin, '/livez', ca)).status, 200);
    await assert.rejects(ask(daemon.admin, '/livez', undefined), /self.signed|certificate/);
    const status = await daemon.verb('status', '--json');
    assert.equal(status.code, 0, status.stderr);
    // TLS 1.1 is refused.
    await assert.rejects(
      new Promise((resolve, reject) => {
        const [host, old] = daemon.admin.split(':');
        tls
          .connect({ host, port: old, ca, servername: 'localhost', maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })
          .on('secureConnect', resolve)
          .on('error', reject);
      }),
    );
    // The file was renewed, and not read again yet: with the same key, and with another.
    const key = path.join(world.dir, 'both.key');
    const renewed = spawnSync('openssl', [
      ...['req', '-x509', '-key', key, '-days', '3', '-subj', '/CN=renewed'],
      ...['-out', path.join(world.dir, 'both.crt')],
    ]);
    assert.equal(renewed.status, 0, `${renewed.stderr}`);
    assert.equal((await daemon.verb('status')).code, 0);
    certificate(world.dir, 'both');
    const other = await daemon.verb('reload');
    assert.equal(other.code, 75);
    assert.match(other.stderr, /SIGHUP/);
    daemon.process.kill('SIGHUP');
    await until('it is read', async () => (await daemon.verb('status')).code === 0);
  },
);

scenario('certificates that cannot be are said at the start', { start: false }, async (world) => {
  const { daemon } = world;
  const { cert, key } = certificate(world.dir, 'a');
  const { key: another } = certificate(world.dir, 'b');
  const text = path.join(world.dir, 'text.crt');
  fs.writeFileSync(text, 'no certificate');
  for (const [pair, says] of [
    [{ cert: 'none.crt', key }, /none\.crt/],
    [{ cert, key: another }, /does not belong|mismatch/],
    [{ cert: text, key }, /text\.crt/],
    [{ cert }, /'key' is missing/],
  ]) {
    daemon.write({ ...daemon.config, ingest: { ...daemon.config.ingest, tls: pair } });
    const check = await daemon.verb('check');
    assert.equal(check.code, 78, check.stdout);
    assert.match(check.stderr, says);
    assert.match(check.stderr, /^\S+:\d+:\d+: ingest\.tls/m);
    const started = await run(['run', '--config', daemon.file]);
    assert.equal(started.code, 78, started.stderr);
  }
  fs.chmodSync(key, 0o644);
  daemon.write({ ...daemon.config, ingest: { ...daemon.config.ingest, tls: { cert, key } } });
  assert.match((await daemon.verb('check')).stderr, /others may read/);
});
