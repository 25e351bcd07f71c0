// SPDX-License-Identifier: MIT
// A PostgreSQL of its own: in a folder that goes with it, on the loopback alone, never as root.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { start } from './children.mjs';
import { freePort } from './http.mjs';
import { until } from './wait.mjs';

/** Debian keeps the server's programs out of the PATH, a folder a version. */
function programs() {
  const root = '/usr/lib/postgresql';
  const [newest] = fs.readdirSync(root).sort((a, b) => Number(b) - Number(a));
  return path.join(root, newest, 'bin');
}

/** PostgreSQL refuses to run as root: then it is the user that its package made. */
function user() {
  if (process.getuid() !== 0) return {};
  const id = (which) => Number(execFileSync('id', [which, 'postgres']).toString());
  return { uid: id('-u'), gid: id('-g') };
}

export class Postgres {
  async start() {
    this.as = user();
    this.dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-postgres-'));
    if (this.as.uid !== undefined) fs.chownSync(this.dir, this.as.uid, this.as.gid);
    this.data = path.join(this.dir, 'data');
    this.options = { cwd: this.dir, stdio: 'ignore', ...this.as };
    const how = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C'];
    execFileSync(path.join(programs(), 'initdb'), ['-D', this.data, ...how], this.options);
    this.port = await freePort();
    this.url = `postgres://postgres@127.0.0.1:${this.port}/postgres`;
    await this.run();
    return this;
  }

  async run() {
    const args = ['-D', this.data, '-p', String(this.port), '-h', '127.0.0.1', '-k', ''];
    this.process = start(path.join(programs(), 'postgres'), args, this.options);
    this.ended = new Promise((resolve) => {
      this.process.on('exit', resolve);
    });
    const ready = () => {
      const asks = ['-q', '-h', '127.0.0.1', '-p', String(this.port)];
      execFileSync(path.join(programs(), 'pg_isready'), asks, this.options); // throws: not yet
      return true;
    };
    await until('PostgreSQL takes queries', ready, { timeout: 30_000, every: 50 });
  }

  /** Ends without a checkpoint, as in a crash: the next run recovers from its log. */
  async crash() {
    this.process.kill('SIGQUIT');
    await this.ended;
  }

  async stop() {
    if (this.process) await this.crash();
    if (this.dir) fs.rmSync(this.dir, { recursive: true, force: true });
  }
}
