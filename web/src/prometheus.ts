// SPDX-License-Identifier: MIT
// Prometheus' text, and what is reckoned from it. Pure.

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
