// SPDX-License-Identifier: MIT
// The samples of examples/, each as a process that can be killed and started again on what it kept.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { start } from './children.mjs';
import { SECRET } from './handler.mjs';
import { freePort } from './http.mjs';
import { Postgres } from './postgres.mjs';
import { until } from './wait.mjs';

export const examples = fileURLToPath(new URL('../../../examples/', import.meta.url));
const inExamples = (...parts) => path.join(examples, ...parts);
const functions = inExamples('handler-functions');

const asked = async ({ url }) => (await (await fetch(url)).json()).balances;

/** From the journal itself: a function has no page for it. */
async function fromJournal({ dir }) {
  const { Ledger } = await import(inExamples('handler-node', 'ledger.mjs'));
  const copy = path.join(dir, 'copy.jsonl');
  fs.copyFileSync(path.join(dir, 'journal.jsonl'), copy); // opening a journal writes it anew
  return new Ledger(copy).balances();
}

const node = process.execPath;
/** `command`, `args`; `env` of a running sample; `balances` of it. */
export const samples = {
  'Node, plain': { command: node, args: [inExamples('handler-node', 'handler.mjs')] },
  'an http function of functions-framework': {
    command: path.join(functions, 'node_modules', '.bin', 'functions-framework'),
    args: ['--target=take', `--source=${functions}`],
    balances: fromJournal,
  },
  'a Lambda behind a function URL': {
    command: node,
    args: [fileURLToPath(new URL('lambda_url.mjs', import.meta.url))],
  },
  "Python's standard library, with SQLite": {
    command: 'python3',
    args: [inExamples('handler-python', 'handler.py')],
  },
  'Node with PostgreSQL': {
    command: node,
    args: [inExamples('handler-postgres', 'handler.mjs')],
    postgres: true,
  },
};

export class Sample {
  constructor(how) {
    this.how = how;
  }

  async start() {
    this.dir ??= fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-sample-'));
    if (this.how.postgres) this.postgres ??= await new Postgres().start();
    this.port ??= await freePort();
    this.url = `http://127.0.0.1:${this.port}/`;
    const log = path.join(this.dir, 'errors.log');
    this.process = start(this.how.command, this.how.args, {
      cwd: this.dir,
      env: {
        ...process.env,
        TIDEMARK_SECRET: SECRET,
        PORT: String(this.port),
        JOURNAL: path.join(this.dir, 'journal.jsonl'),
        LEDGER: path.join(this.dir, 'ledger.db'),
        DATABASE_URL: this.postgres?.url ?? '',
      },
      stdio: ['ignore', 'ignore', fs.openSync(log, 'a')],
    });
    this.ended = new Promise((resolve) => {
      this.process.on('exit', resolve);
    });
    await until(
      () => `it listens: ${fs.readFileSync(log, 'utf8').slice(-2000)}`,
      async () => (await fetch(this.url)).status > 0,
      { timeout: 20_000 },
    );
    return this;
  }

  async kill9() {
    this.process.kill('SIGKILL');
    await this.ended;
  }

  balances() {
    return (this.how.balances ?? asked)(this);
  }

  async stop() {
    if (this.process) await this.kill9();
    await this.postgres?.stop();
    if (this.dir) fs.rmSync(this.dir, { recursive: true, force: true });
  }
}
