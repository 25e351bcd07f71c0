// SPDX-License-Identifier: MIT
// A handler with its own roots that asks for a client certificate.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { listen } from './lib/http.mjs';
import { until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

/** A root, and below it a certificate for 127.0.0.1 and one for the client. */
function certificates(dir) {
  const at = (name) => path.join(dir, name);
  const openssl = (...args) => execFileSync('openssl', args, { stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const root = (name) =>
    openssl('req', '-x509', ...key, '-keyout', at(`${name}.key`), '-out', at(`${name}.pem`), '-days', '2', '-subj', `/CN=${name}`);
  root('root');
  root('other');
  fs.writeFileSync(at('ext'), 'subjectAltName=IP:127.0.0.1\n');
  for (const name of ['server', 'client', 'renewed']) {
    openssl('req', ...key, '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`), '-subj', `/CN=${name}`);
    openssl(
      ...['x509', '-req', '-in', at(`${name}.csr`), '-CA', at('root.pem'), '-CAkey', at('root.key')],
      ...['-CAcreateserial', '-out', at(`${name}.pem`), '-days', '2', '-extfile', at('ext')],
    );
  }
  return at;
}

/** A handler that takes only who shows a certificate of the root, and says whom it saw. */
async function secure(world) {
  const at = certificates(world.dir);
  const seen = [];
  const server = https.createServer(
    {
      key: fs.readFileSync(at('server.key')),
      cert: fs.readFileSync(at('server.pem')),
      ca: fs.readFileSync(at('root.pem')),
      requestCert: true,
      rejectUnauthorized: true,
    },
    (req, res) => {
      seen.push(req.socket.getPeerCertificate().subject.CN);
      req.resume().on('end', () => res.writeHead(204).end());
    },
  );
  const port = await listen(server, 0);
  world.secure = { seen, at, url: `https://127.0.0.1:${port}/` };
  world.others.push({
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}

scenario(
  'own roots and a client certificate; another root is a broken handler',
  {
    before: secure,
    config: (c, world) => {
      const [app] = c.handlers;
      app.send = ['confirmed'];
      app.url = world.secure.url;
      const own = { ca: 'root.pem', cert: 'client.pem', key: 'client.key' };
      c.handlers = [
        { ...app, name: 'app', tls: own },
        { ...app, name: 'stranger', tls: { ...own, ca: 'other.pem' } },
        { ...app, name: 'public' },
      ];
    },
  },
  async (world) => {
    const { anvil, daemon, secure } = world;
    const [transfer] = await anvil.transfersIn(await anvil.emit({ contract: world.A }));
    await anvil.mine(2);
    const event = await until('app has it', async () => {
      const e = await daemon.get(`/v1/events/${transfer.eventId}`);
      return e.processing.app === 'delivered' && e;
    });
    assert.deepEqual(secure.seen, ['client']);
    assert.notEqual(event.processing.stranger, 'delivered');
    for (const name of ['stranger', 'public'])
      await until(`${name} is broken`, async () => {
        const h = (await daemon.get('/v1/handlers')).items.find((one) => one.name === name);
        return h.state === 'broken';
      });
  },
);

scenario(
  'files that cannot be used are said before anything begins, and a new certificate counts from the reload on',
  {
    start: false,
    before: secure,
    config: (c, world) => {
      Object.assign(c.handlers[0], { send: ['confirmed'], url: world.secure.url });
      c.handlers[0].tls = { ca: 'root.pem', cert: 'client.pem', key: 'client.key' };
    },
  },
  async (world) => {
    const { anvil, daemon, secure: { at, seen } } = world;
    const good = fs.readFileSync(at('client.pem'));
    fs.writeFileSync(at('client.pem'), 'no certificate');
    const wrong = /handlers\[0\]\.tls: .*client\.pem/;
    for (const verb of ['check', 'run']) {
      const said = await daemon.verb(verb);
      assert.equal(said.code, 78, said.stderr);
      assert.match(said.stderr, wrong);
      assert.match(said.stderr, /:\d+:\d+: handlers/);
    }
    fs.writeFileSync(at('client.pem'), good);
    await daemon.start();
    await anvil.emit({ contract: world.A, value: 1 });
    await anvil.mine(2);
    await until('it is told', () => seen.length === 1);
    fs.writeFileSync(at('client.pem'), 'no certificate');
    const refused = await daemon.api('/v1/reload', { body: {} });
    assert.equal(refused.status, 422);
    assert.match(refused.text, wrong);
    for (const kind of ['pem', 'key']) fs.copyFileSync(at(`renewed.${kind}`), at(`client.${kind}`));
    assert.equal((await daemon.api('/v1/reload', { body: {} })).status, 200);
    await anvil.emit({ contract: world.A, value: 2 });
    await anvil.mine(2);
    await until('it is told by who it is now', () => seen.length === 2);
    assert.deepEqual(seen, ['client', 'renewed']);
  },
);
