// SPDX-License-Identifier: MIT
// The built program under a test's hand: started, asked, killed, started again on the same store.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { start } from './children.mjs';
import { request } from './http.mjs';
import { Hopeless, until } from './wait.mjs';
import { yaml } from './yaml.mjs';

export const binary =
  process.env.TIDEMARK_BIN ??
  fileURLToPath(new URL('../../../build/check/tidemark', import.meta.url));

/** Runs a verb to its end. `signal`: what ended it, if not itself. */
export function run(args, { env = {}, cwd, timeout = 20_000 } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const out = [],
      err = [];
    child.stdout.on('data', (chunk) => out.push(chunk));
    child.stderr.on('data', (chunk) => err.push(chunk));
    const timer = setTimeout(() => child.kill('SIGKILL'), timeout);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({
        code,
        signal,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(err).toString(),
      });
    });
  });
}

export class Daemon {
  /** `config`: a value, or the YAML text itself. */
  constructor(dir, config) {
    this.dir = dir;
    this.file = path.join(dir, 'tidemark.yaml');
    this.logs = []; // of every run, parsed
    this.oddLines = []; // what was no JSON
    this.starts = 0;
    this.write(config);
  }

  write(config) {
    this.config = config;
    fs.writeFileSync(this.file, typeof config === 'string' ? config : yaml(config), {
      mode: 0o600,
    });
  }

  get storeFile() {
    return path.join(this.dir, 'tidemark.db');
  }
  get token() {
    return this.config.admin?.token;
  }

  /** Starts it and waits until it says that it is ready. */
  async start({ env = {}, timeout = 20_000 } = {}) {
    this.spawn(env);
    const line = await until(
      () => `the daemon is ready\n${this.tail()}`,
      () => {
        if (this.exit)
          throw new Hopeless(`the daemon ended: ${JSON.stringify(this.exit)}\n${this.tail()}`);
        return this.logs.find((entry) => entry.run === this.starts && entry.msg === 'ready');
      },
      { timeout },
    );
    this.ingest = line.ingest;
    this.admin = line.admin;
    return this;
  }

  spawn(env = {}) {
    const run = ++this.starts;
    this.exit = undefined;
    this.process = start(binary, ['run', '--config', this.file], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const child = this.process;
    readline
      .createInterface({ input: child.stdout })
      .on('line', (text) => this.oddLines.push(`stdout: ${text}`));
    readline.createInterface({ input: child.stderr }).on('line', (text) => {
      if (this.logFile) fs.appendFileSync(this.logFile, `${text}\n`);
      try {
        this.logs.push({ ...JSON.parse(text), run, text });
      } catch {
        this.oddLines.push(text);
      }
    });
    this.ended = new Promise((resolve) => {
      child.on('error', (error) => {
        this.exit = { error: error.message };
        resolve(this.exit);
      });
      child.on('close', (code, signal) => {
        this.exit ??= { code, signal };
        resolve(this.exit);
      });
    });
  }

  get running() {
    return this.process && !this.exit;
  }

  /** Waits for it to end by itself; the exit status, or undefined if it had to be killed. */
  async endsBy(ms = 10_000) {
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    const exit = await Promise.race([this.ended, late]);
    clearTimeout(timer);
    if (!exit) await this.kill9();
    return exit?.code;
  }

  /** SIGTERM, and how it ended: code, signal, ms. */
  async stop(signal = 'SIGTERM') {
    if (!this.running) return this.exit;
    const began = Date.now();
    this.process.kill(signal);
    const timer = setTimeout(() => this.process.kill('SIGKILL'), 20_000);
    const exit = await this.ended;
    clearTimeout(timer);
    return { ...exit, ms: Date.now() - began };
  }

  kill9() {
    return this.stop('SIGKILL');
  }

  /** One exchange with the admin API. A value as `body` is sent as JSON. */
  api(pathname, { method, body, headers = {}, token = this.token } = {}) {
    const json = body !== undefined && typeof body !== 'string';
    return request(`http://${this.admin}${pathname}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(json ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      body: json ? JSON.stringify(body) : body,
    });
  }

  /** A GET that must be answered 200, as JSON. */
  async get(pathname) {
    const answer = await this.api(pathname);
    if (answer.status !== 200) throw new Error(`GET ${pathname}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  chain(name = 'local') {
    return this.get(`/v1/chains/${name}`);
  }

  /** Every item of a list or of the feed, page after page. */
  async all(pathname, { limit = 1000 } = {}) {
    const items = [];
    let after;
    for (;;) {
      const query = `${pathname.includes('?') ? '&' : '?'}limit=${limit}${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`;
      const page = await this.get(pathname + query);
      items.push(...page.items);
      const feed = pathname.startsWith('/v1/feed');
      if (feed ? page.items.length === 0 : page.next === null) return items;
      after = page.next;
    }
  }

  /** Runs a verb on this config. */
  verb(...args) {
    return run([...args, '--config', this.file]);
  }

  tail(lines = 25) {
    return [...this.logs.map((entry) => entry.text), ...this.oddLines].slice(-lines).join('\n');
  }
}
