// SPDX-License-Identifier: MIT
// What every benchmark does alike: its options, a folder of its own, the programs it starts and ends, the table, and the one shape of
// its result, build/bench/NAME.json: {bench, at, commit, machine, options, rows: [{name, …}], checks: [{what, value, target, held}]}.

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Daemon } from './daemon.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const build = process.env.BUILD_DIR ?? join(root, 'build', 'release');
export const program = (name) => join(build, 'bench', `bench_${name}`);
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
export const mib = (bytes) => bytes / 1048576;
/** Seconds since `since`, a value of process.hrtime.bigint(). */
export const since = (start) => Number(process.hrtime.bigint() - start) / 1e9;
export const now = () => process.hrtime.bigint();

/** The value below which `share` (0 to 1) of the numbers are. */
export function at(share, numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
export const median = (numbers) => at(0.5, numbers);

/** `defaults`: name → number, text or false (a switch that takes no value). Another name, or no number, ends the program with 2. */
function read(defaults) {
  const options = { ...defaults };
  const words = process.argv.slice(2);
  while (words.length > 0) {
    const name = words.shift().replace(/^--/, '');
    const known = defaults[name];
    if (known === undefined) fail(`no option --${name}; there are: ${Object.keys(defaults).map((o) => `--${o}`).join(' ')}`);
    if (known === false) {
      options[name] = true;
      continue;
    }
    const value = words.shift();
    options[name] = typeof known === 'number' ? Number(String(value).replaceAll('_', '')) : value;
    if (value === undefined || Number.isNaN(options[name])) fail(`--${name} needs a ${typeof known}`);
  }
  return options;
}

function fail(why) {
  console.error(`scripts/bench: ${why}`);
  process.exit(2);
}

function commit() {
  try {
    return execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null; // an unpacked archive
  }
}

/** Runs `body` with a Run; whatever happens, what it started ends and its folder goes. */
export async function bench(name, defaults, body) {
  const run = new Run(name, read(defaults));
  const stop = () => run.close().then(() => process.exit(130));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    await body(run, run.options);
    run.write();
  } finally {
    await run.close();
  }
}

class Run {
  constructor(name, options) {
    this.name = name;
    this.options = options;
    // On a disk: a store in a tmpfs syncs for nothing.
    this.folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'tidemark-bench-'));
    this.children = [];
    this.rows = [];
    this.checks = [];
    this.load = readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 3).map(Number);
    if (this.load[0] > 0.5) this.say(`the machine is busy before it begins (load ${this.load[0]}): the figures are not its best`);
  }

  say(text) {
    console.error(`  ${text}`);
  }

  /** Starts a program and waits for `ready(what it said)` to give something; that is `.said`. */
  async start(command, args, ready = (text) => /listening on 127\.0\.0\.1:(\d+)/.exec(text)?.[1], options = {}) {
    const child = spawn(command, args.map(String), { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    this.children.push(child);
    const said = await new Promise((resolve, reject) => {
      let text = '';
      const hear = (data) => {
        if (text === null) return;
        text += data;
        const found = ready(text);
        if (!found) return;
        text = null;
        resolve(found);
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.on('error', reject);
      child.on('exit', (code, signal) => reject(new Error(`${command} ended with ${code ?? signal}: ${text ?? ''}`)));
    });
    return { child, said };
  }

  /** The node that replays (node.cpp). `url(chain)`, `call(method, params, chain)`. */
  async node(options = {}) {
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const { child, said } = await this.start(program('node'), args);
    const url = (chain = 1) => `http://127.0.0.1:${said}/${chain}`;
    return {
      child,
      url,
      async call(method, params = [], chain = 1) {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params.map((p) => `0x${p.toString(16)}`) });
        const answer = await (await fetch(url(chain), { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json();
        if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
        return answer.result;
      },
    };
  }

  /** The daemon on a store of its own in the folder; `config` is YAML without store, ingest and admin. */
  async daemon(config, options = {}) {
    const daemon = new Daemon(this, config, options);
    await daemon.start();
    return daemon;
  }

  /** bench_load against a port; its JSON. */
  async load_on(port, options) {
    const args = Object.entries({ port, ...options }).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn(program('load'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.children.push(child);
    let text = '';
    child.stdout.on('data', (data) => (text += data));
    const code = await new Promise((done) => child.on('close', done));
    if (code !== 0) throw new Error(`bench_load ${args.join(' ')} ended with ${code}: ${text}`);
    return JSON.parse(text);
  }

  row(name, values) {
    this.rows.push({ name, ...values });
  }

  /** Something that must be so: `held` is said beside it, and `target` in words. */
  check(what, value, target, held) {
    this.checks.push({ what, value, target, held });
  }

  write() {
    const result = {
      bench: this.name,
      at: new Date().toISOString(),
      commit: commit(),
      machine: {
        cpu: cpus()[0]?.model, cores: availableParallelism?.() ?? cpus().length, memory_gib: Math.round(totalmem() / 2 ** 30), kernel: release(),
        disk: `${this.folder.replace(/\/[^/]*$/, '')}, file system 0x${statfsSync(this.folder).type.toString(16)}`, load_before: this.load,
      },
      options: this.options, rows: this.rows, checks: this.checks,
    };
    const folder = process.env.BENCH_RESULTS ?? join(root, 'build', 'bench');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${this.name}.json`);
    writeFileSync(file, `${JSON.stringify(result, null, 1)}\n`);
    tables(this.rows);
    for (const c of this.checks) console.log(`${c.held ? 'holds ' : 'MISSED'}  ${c.what}: ${figure(c.value)} (${c.target})`);
    console.log(`\n${file}`);
  }

  async end(child) {
    child.removeAllListeners('exit');
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
    await gone;
    clearTimeout(late);
  }

  async close() {
    for (const child of this.children.splice(0).reverse()) await this.end(child);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function figure(value) {
  if (typeof value !== 'number') return value === undefined || value === null ? '' : String(value);
  if (Number.isInteger(value)) return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
  return Math.abs(value) >= 1000 ? value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',') : value.toFixed(Math.abs(value) >= 100 ? 0 : 2);
}

/** Rows as columns of text, those with the same columns under one another; what is no number or text stays in the JSON. */
function tables(rows) {
  const shape = (row) => Object.keys(row).filter((c) => typeof row[c] !== 'object' || row[c] === null);
  for (let i = 0; i < rows.length; ) {
    const columns = shape(rows[i]);
    const alike = [];
    for (; i < rows.length && shape(rows[i]).join() === columns.join(); i++) alike.push(rows[i]);
    const cells = [columns.map((c) => (c === 'name' ? '' : c.replaceAll('_', ' '))), ...alike.map((r) => columns.map((c) => figure(r[c])))];
    const width = columns.map((_, n) => Math.max(n === 0 ? 40 : 0, ...cells.map((line) => line[n].length)));
    console.log();
    for (const line of cells) console.log(line.map((cell, n) => (n === 0 ? cell.padEnd(width[n]) : cell.padStart(width[n]))).join('  '));
  }
  console.log();
}
