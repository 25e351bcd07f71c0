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
  for (const name of ['server', 'client']) {
    openssl('req', ...key, '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`), '-subj', `/CN=${name}`);
    openssl(
      ...['x509', '-req', '-in', at(`${name}.csr`), '-CA', at('root.pem'), '-CAkey', at('root.key')],
      ...['-CAcreateserial', '-out', at(`${name}.pem`), '-days', '2', '-extfile', at('ext')],
    );
  }
  return at;
}

scenario(
  'own roots and a client certificate; another root is a broken handler',
  {
    before: async (world) => {
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
      world.secure = { seen, url: `https://127.0.0.1:${port}/` };
      world.others.push({
        stop: () => {
          server.closeAllConnections();
          server.close();
        },
      });
    },
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
