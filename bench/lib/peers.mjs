// SPDX-License-Identifier: MIT
// What a team would write instead: an HTTP server on Node that verifies Alchemy's signature, stores the raw body durably and answers
// 200. Their packages come from npm and Debian when they are first asked for, into build/bench-peers.

import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bench.mjs';

const folder = join(root, 'build', 'bench-peers');

export function npm(run, folder, ...packages) {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
  const missing = packages.filter((p) => !existsSync(join(folder, 'node_modules', p.replace(/(.)@.*$/, '$1'))));
  if (missing.length === 0) return;
  run.say(`npm: ${missing.join(' ')}`);
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...missing], {
    cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, npm_config_nodedir: '/usr' }, // its headers, not downloaded ones
  });
}

/** Debian packages, of which `file` says that they are there. */
function debian(run, file, ...packages) {
  if (existsSync(file)) return;
  run.say(`apt-get: ${packages.join(' ')}`);
  const [command, ...before] = process.getuid() === 0 ? ['apt-get'] : ['sudo', 'apt-get'];
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync(command, [...before, '-qq', 'update'], options);
  execFileSync(command, [...before, '-qq', 'install', '-y', '--no-install-recommends', ...packages], options);
}

const verify = `
import { createHmac, timingSafeEqual } from 'node:crypto';
const right = (body, header) => {
  const mac = createHmac('sha256', 'bench-secret').update(body).digest();
  const said = Buffer.from(String(header ?? ''), 'hex');
  return said.length === mac.length && timingSafeEqual(said, mac);
};
`;

function server(name, text) {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, verify + text);
  return file;
}

const fastify = {
  name: 'fastify + better-sqlite3 (WAL, FULL)',
  target: 7,
  install(run) {
    // better-sqlite3 is compiled here.
    debian(run, '/usr/bin/make', 'make');
    debian(run, '/usr/bin/python3', 'python3');
    debian(run, '/usr/include/node/node.h', 'libnode-dev');
    npm(run, folder, 'fastify@4', 'better-sqlite3@11');
  },
  async start(run) {
    const file = server('fastify', `
import Fastify from 'fastify';
import Database from 'better-sqlite3';
const db = new Database(process.argv[2]);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('CREATE TABLE webhooks (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL)');
const insert = db.prepare('INSERT INTO webhooks (at, headers, body) VALUES (?, ?, ?)');
const app = Fastify();
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body));
app.post('/', (request, reply) => {
  if (!right(request.body, request.headers['x-alchemy-signature'])) return reply.code(401).send();
  const { lastInsertRowid } = insert.run(Date.now(), JSON.stringify(request.headers), request.body);
  reply.send({ id: Number(lastInsertRowid) });
});
await app.listen({ host: '127.0.0.1', port: 0 });
console.log('listening on 127.0.0.1:' + app.server.address().port);
`);
    const { child, said } = await run.start(process.execPath, [file, join(run.folder, 'fastify.db')]);
    return { port: said, stop: () => run.end(child) };
  },
};

export const install_postgres = (run) => debian(run, '/usr/lib/postgresql', 'postgresql');

/** A PostgreSQL of its own in the run's folder, under a user that is not root: it refuses to run as that. */
export async function postgres(run, name = 'postgres') {
  const version = readdirSync('/usr/lib/postgresql').sort((a, b) => a - b).at(-1);
  const bin = join('/usr/lib/postgresql', version, 'bin'), data = join(run.folder, name);
  mkdirSync(data);
  const as = {};
  if (process.getuid() === 0) {
    as.uid = Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' }));
    as.gid = Number(execFileSync('id', ['-g', 'postgres'], { encoding: 'utf8' }));
    chownSync(data, as.uid, as.gid);
    execFileSync('chmod', ['a+x', run.folder]);
  }
  const inside = { ...as, cwd: data };
  execFileSync(join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'bench', '--no-sync'], { ...inside, stdio: 'ignore' });
  const args = ['-D', data, '-k', data, '-c', 'listen_addresses=', '-c', 'fsync=on', '-c', 'synchronous_commit=on', '-c', 'shared_buffers=256MB', '-c', 'max_wal_size=4GB'];
  const { child } = await run.start(join(bin, 'postgres'), args, (text) => /ready to accept connections/.test(text), inside);
  return { child, socket: data };
}

const express = {
  name: 'express + PostgreSQL',
  target: 5,
  install(run) {
    npm(run, folder, 'express@4', 'pg@8');
    install_postgres(run);
  },
  async start(run) {
    const { child: database, socket } = await postgres(run);
    const file = server('express', `
import express from 'express';
import pg from 'pg';
const pool = new pg.Pool({ host: process.argv[2], user: 'bench', database: 'postgres', max: 32 });
await pool.query('CREATE TABLE webhooks (id BIGSERIAL PRIMARY KEY, at TIMESTAMPTZ NOT NULL DEFAULT now(), headers JSONB NOT NULL, body BYTEA NOT NULL)');
const app = express();
app.post('/', express.raw({ type: () => true, limit: '8mb' }), async (request, response) => {
  if (!right(request.body, request.headers['x-alchemy-signature'])) return response.status(401).end();
  const { rows } = await pool.query({ name: 'insert', text: 'INSERT INTO webhooks (headers, body) VALUES ($1, $2) RETURNING id',
    values: [JSON.stringify(request.headers), request.body] });
  response.json({ id: Number(rows[0].id) });
});
const listening = app.listen(0, '127.0.0.1', () => console.log('listening on 127.0.0.1:' + listening.address().port));
`);
    const { child, said } = await run.start(process.execPath, [file, socket]);
    return {
      port: said,
      async stop() {
        await run.end(child);
        await run.end(database);
      },
    };
  },
};

export const peers = [fastify, express];
