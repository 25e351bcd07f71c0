// SPDX-License-Identifier: MIT
// What only /metrics knows: how long handlers take, and how much earlier than the chain a webhook came.
import { asksForToken, call } from './api';
import { Cell } from './cell';

export type Labels = Record<string, string>;
export interface Sample {
  name: string;
  labels: Labels;
  value: number;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

export function parse(text: string): Sample[] {
  const out: Sample[] = [];
  for (const row of text.split('\n')) {
    const found = row[0] === '#' ? null : line.exec(row);
    if (!found) continue;
    const labels: Labels = {};
    for (const [, name, value] of (found[2] ?? '').matchAll(label)) labels[name] = value;
    const value = found[3] === '+Inf' ? Infinity : Number(found[3]);
    out.push({ name: found[1], labels, value });
  }
  return out;
}

const fits = (s: Sample, name: string, labels: Labels) =>
  s.name === name && Object.entries(labels).every(([k, v]) => s.labels[k] === v);

/** The sum over all that fit; null: there is none. */
export function sum(samples: Sample[], name: string, labels: Labels): number | null {
  const found = samples.filter((s) => fits(s, name, labels));
  return found.length ? found.reduce((n, s) => n + s.value, 0) : null;
}

/** Of a histogram, as Prometheus reckons it; null: no data. */
export function quantile(
  q: number,
  samples: Sample[],
  name: string,
  labels: Labels,
): number | null {
  const buckets = samples
    .filter((s) => fits(s, `${name}_bucket`, labels))
    .map((s) => ({ le: s.labels.le === '+Inf' ? Infinity : Number(s.labels.le), n: s.value }))
    .sort((a, b) => a.le - b.le);
  const all = buckets.at(-1)?.n ?? 0;
  if (!all) return null;
  const rank = q * all;
  let below = 0;
  let count = 0;
  for (const b of buckets) {
    if (b.n >= rank) {
      if (b.le === Infinity) return below;
      return below + (b.le - below) * ((rank - count) / Math.max(1, b.n - count));
    }
    below = b.le;
    count = b.n;
  }
  return below;
}

export interface Lead {
  at: number;
  seconds: number | null; // mean of the span; null: no webhook in it
}

export const metrics = new Cell<Sample[] | null>(null);
/** By source, a point a sample since this page was opened. */
export const leads = new Map<string, Lead[]>();
const KEEP = 360;
const EVERY = 5_000;

let last = new Map<string, { sum: number; count: number }>();

function note(samples: Sample[], at: number): void {
  const fresh = new Map<string, { sum: number; count: number }>();
  for (const s of samples.filter((one) => one.name === 'tidemark_webhook_lead_seconds_count')) {
    const source = s.labels.source;
    const total = sum(samples, 'tidemark_webhook_lead_seconds_sum', { source }) ?? 0;
    fresh.set(source, { sum: total, count: s.value });
    // The first point is the mean of all before this page was opened.
    const before = last.get(source) ?? { sum: 0, count: 0 };
    const came = s.value - before.count;
    const points = leads.get(source) ?? [];
    points.push({ at, seconds: came > 0 ? (total - before.sum) / came : null });
    leads.set(source, points.slice(-KEEP));
  }
  last = fresh;
}

let wait = EVERY;
async function sample(): Promise<void> {
  if (!document.hidden && !asksForToken.value) {
    try {
      const samples = parse(await (await call('metrics')).text());
      note(samples, Date.now());
      metrics.set(samples);
      wait = EVERY;
    } catch {
      wait = Math.min(wait * 2, 300_000);
    }
  }
  setTimeout(sample, wait);
}

export function startMetrics(): void {
  void sample();
}
