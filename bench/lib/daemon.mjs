// SPDX-License-Identifier: MIT
// The daemon under a benchmark: started, asked, watched.

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, mib, now, since, sleep } from './bench.mjs';

const tick = 100; // of /proc's times, a second: CONFIG_HZ does not change it

export class Daemon {
  constructor(run, config, { name = 'bench', min_free = '64MiB', max_body = '4MiB' } = {}) {
    this.run = run;
    this.store = join(run.folder, `${name}.db`);
    this.file = join(run.folder, `${name}.yaml`);
    this.head = `
store: {path: ${this.store}, durability: full, min_free: ${min_free}}
ingest: {listen: "127.0.0.1:0", max_body: ${max_body}}
admin: {listen: "127.0.0.1:0"}
`;
    this.write(config);
  }

  write(config) {
    writeFileSync(this.file, this.head + config, { mode: 0o600 });
  }

  /** Seconds from the start of the process to the line `ready`. */
  async start() {
    const begun = now();
    const { child, said } = await this.run.start(join(build, 'tidemark'), ['run', '--config', this.file], (text) =>
      /"ingest":"127\.0\.0\.1:(\d+)","admin":"127\.0\.0\.1:(\d+)"/.exec(text));
    this.child = child;
    this.ready_s = since(begun);
    [, this.ingest, this.admin] = said;
    return this.ready_s;
  }

  /** `signal`: SIGTERM drains, SIGKILL does not. */
  async stop(signal = 'SIGTERM') {
    const { child } = this;
    if (signal === 'SIGKILL') {
      child.removeAllListeners('exit');
      const gone = new Promise((done) => child.once('exit', done));
      child.kill(signal);
      await gone;
    } else {
      await this.run.end(child);
    }
    this.run.children.splice(this.run.children.indexOf(child), 1);
  }

  async ask(method, path, body) {
    const answer = await fetch(`http://127.0.0.1:${this.admin}${path}`, {
      method, ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
    return text.startsWith('{') ? JSON.parse(text) : text;
  }
  get(path) {
    return this.ask('GET', path);
  }
  post(path, body = {}) {
    return this.ask('POST', path, body);
  }

  async handler(name) {
    return (await this.get('/v1/handlers')).items.find((h) => h.name === name);
  }

  /** Waits until the mark of a chain is at `block`; seconds it took. */
  async marked(chain, block, { limit = 3600, every = 20 } = {}) {
    const begun = now();
    for (;;) {
      const said = await this.get(`/v1/chains/${chain}`);
      if (said.mark?.number >= block) return since(begun);
      if (said.state === 'halted' || since(begun) > limit)
        throw new Error(`the mark of ${chain} is at ${said.mark?.number}, not ${block}, after ${since(begun).toFixed(0)} s: ${said.state}, ${said.reason}`);
      await sleep(every);
    }
  }

  /** The samples of one metric: [{labels: {…}, value}]. */
  async metric(name) {
    const text = await this.get('/metrics');
    const found = [];
    for (const line of text.split('\n')) {
      const part = /^([a-zA-Z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (part?.[1] !== name) continue;
      found.push({ labels: Object.fromEntries([...(part[2] ?? '').matchAll(/(\w+)="([^"]*)"/g)].map((m) => [m[1], m[2]])), value: Number(part[3]) });
    }
    return found;
  }

  memory() {
    const text = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    const of = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)[1]) / 1024;
    return { rss: of('VmRSS'), peak: of('VmHWM') };
  }

  /** Seconds of processor so far, user's and kernel's. */
  cpu() {
    const fields = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
    return (Number(fields[11]) + Number(fields[12])) / tick;
  }

  /** Bytes that it gave to the disk so far. */
  written() {
    return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${this.child.pid}/io`, 'utf8'))?.[1] ?? 0);
  }

  bytes() {
    const of = (file) => (existsSync(file) ? statSync(file).size : 0);
    return { store: of(this.store), wal: of(`${this.store}-wal`) };
  }

  /** Looks every quarter of a second until `end()`, which gives what there was to see. */
  watch() {
    const begun = now(), cpu = this.cpu(), written = this.written(), first = this.memory().rss;
    const seen = { rss: first, wal: 0 };
    const look = () => {
      if (this.child.exitCode !== null || this.child.signalCode !== null) return;
      seen.rss = Math.max(seen.rss, this.memory().rss);
      seen.wal = Math.max(seen.wal, this.bytes().wal);
    };
    const timer = setInterval(look, 250);
    return {
      end: () => {
        clearInterval(timer);
        look();
        const took = since(begun);
        return {
          cpu_percent: ((this.cpu() - cpu) / took) * 100, rss_first_mib: first, rss_last_mib: this.memory().rss, rss_most_mib: seen.rss,
          written_mib: mib(this.written() - written), wal_most_mib: mib(seen.wal),
        };
      },
    };
  }
}

/** The value at a share of a Prometheus histogram (its `_bucket` samples), between its bounds in a straight line; in its unit. */
export function quantile(share, after, before = []) {
  const earlier = new Map(before.map((b) => [b.labels.le, b.value]));
  const buckets = after
    .map((b) => ({ bound: b.labels.le === '+Inf' ? Infinity : Number(b.labels.le), count: b.value - (earlier.get(b.labels.le) ?? 0) }))
    .sort((a, b) => a.bound - b.bound);
  const rank = share * (buckets.at(-1)?.count ?? 0);
  let low = 0, below = 0;
  for (const { bound, count } of buckets) {
    if (count >= rank && count > below) return bound === Infinity ? low : low + ((bound - low) * (rank - below)) / (count - below);
    if (bound !== Infinity) low = bound;
    below = count;
  }
  return 0;
}
