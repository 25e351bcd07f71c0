// SPDX-License-Identifier: MIT
// What only /metrics knows: how long handlers take, and how much earlier than the chain a webhook came.
import { asksForToken, call } from './api';
import { Cell } from './cell';
import { parse, sum, type Sample } from './prometheus';

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
