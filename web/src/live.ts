// SPDX-License-Identifier: MIT
// What keeps the page live: the status, asked for again and again, and the feed's facts as they come: by
// the stream, or where that is not to be had by asking with `wait`.
import { asksForToken, call, get, query, Refused, type FeedItem, type Status } from './api';
import { Cell } from './cell';

const EVERY = 500; // ms between two answers of /v1/status: a block is seen within a second
const SOON = 60; // ms after a fact
const FAR = 2_000; // facts behind the feed's end that are not read one by one any more
const SILENCE = 60_000; // ms without a byte until the stream is opened again
const RETRY = 250; // ms, doubling

export const status = new Cell<Status | null>(null);
/** stream: facts come by SSE · polling: by asking · away: nothing answers */
export const link = new Cell<{ state: 'connecting' | 'stream' | 'polling' | 'away'; why?: string }>(
  {
    state: 'connecting',
  },
);

const readers = new Set<(facts: FeedItem[]) => void>();
/**
 * Calls `read` with each group of new facts, with none where some were passed over: read again what
 * is shown. Gives the function that ends it.
 */
export function onFacts(read: (facts: FeedItem[]) => void): () => void {
  readers.add(read);
  return () => readers.delete(read);
}

let waiting: FeedItem[] = [];
function tell(fact: FeedItem): void {
  if (waiting.push(fact) > 1) return;
  setTimeout(() => {
    const facts = waiting;
    waiting = [];
    for (const read of [...readers]) read(facts);
    askSoon();
  }, SOON);
}

// The status

let timer: ReturnType<typeof setTimeout> | undefined;
let asking = false;
let failures = 0;

function askSoon(): void {
  if (asking) return;
  clearTimeout(timer);
  timer = setTimeout(ask, SOON);
}

async function ask(): Promise<void> {
  clearTimeout(timer);
  if (asking || document.hidden || asksForToken.value) return;
  asking = true;
  try {
    status.set(await get<Status>('v1/status'));
    failures = 0;
    if (link.value.state === 'away') link.set({ state: 'connecting' });
  } catch (error) {
    failures += 1;
    if (!(error instanceof Refused && error.status === 401) && failures > 1)
      link.set({ state: 'away', why: (error as Error).message });
  }
  asking = false;
  timer = setTimeout(ask, failures ? Math.min(EVERY * 2 ** failures, 10_000) : EVERY);
}

/** At once, for somebody who has just changed something. */
export const refresh = (): Promise<void> => ask();

// The facts

interface FeedAnswer {
  epoch: number;
  items: FeedItem[];
  next: number;
}

let place: { after: number; epoch: number } | null = null;
let behind = false; // polling: the last answer was full
let follow: AbortController | null = null;

/** Where the feed ends now, if we have no place yet or are too far behind to read all between. */
async function findPlace(signal: AbortSignal): Promise<void> {
  const end = await get<FeedAnswer>('v1/feed?after=latest', signal);
  if (place && place.epoch === end.epoch && end.next - place.after <= FAR) return;
  place = { after: end.next, epoch: end.epoch };
  for (const read of [...readers]) read([]);
}

async function readStream(signal: AbortSignal): Promise<void> {
  const at = place!;
  const answer = await call(`v1/feed/stream${query({ after: at.after, epoch: at.epoch })}`, {
    signal,
    headers: { accept: 'text/event-stream', 'last-event-id': String(at.after) },
  });
  link.set({ state: 'stream' });
  const reader = answer.body!.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    // A proxy may drop a connection without a word.
    const idle = setTimeout(() => void reader.cancel().catch(() => {}), SILENCE);
    const { done, value } = await reader.read();
    clearTimeout(idle);
    if (done) return pause(RETRY);
    rest += decoder.decode(value, { stream: true });
    const events = rest.split(/\r?\n\r?\n/);
    rest = events.pop()!;
    for (const event of events) {
      const data = event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(line[5] === ' ' ? 6 : 5))
        .join('\n');
      if (data) took(JSON.parse(data) as FeedItem);
    }
  }
}

async function readPolling(signal: AbortSignal): Promise<void> {
  const at = place!;
  const path = `v1/feed${query({ after: at.after, epoch: at.epoch, wait: '20s' })}`;
  if (link.value.state !== 'away') link.set({ state: 'polling' });
  const answer = await get<FeedAnswer>(path, signal);
  for (const item of answer.items) took(item);
  behind = answer.items.length >= 100;
  place = { after: answer.next, epoch: answer.epoch };
}

function took(item: FeedItem): void {
  if (typeof item.seq !== 'number' || !item.data) return;
  place!.after = item.seq;
  tell(item);
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

async function followFeed(signal: AbortSignal): Promise<void> {
  let streams = true;
  for (let tries = 0; !signal.aborted;) {
    try {
      if (streams || !place || behind) await findPlace(signal);
      if (streams) await readStream(signal);
      else await readPolling(signal);
      tries = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused) {
        if (error.status === 410) place = null; // a restored store, or a new one
        if (error.status === 404 || error.status === 405) streams = false;
        if (error.status === 401) return;
      }
      if (link.value.state !== 'away') link.set({ state: 'connecting' });
      tries += 1;
      await pause(Math.min(RETRY * 2 ** tries, 10_000));
    }
  }
}

/** Begins, or goes on after a token was given or the page is seen again. */
export function start(): void {
  follow?.abort();
  follow = null;
  clearTimeout(timer);
  if (document.hidden || asksForToken.value) return;
  void ask();
  follow = new AbortController();
  void followFeed(follow.signal);
}

// A hidden page asks for nothing: a browser has six connections to us for all its pages.
document.addEventListener('visibilitychange', start);
asksForToken.listen(start);
