// SPDX-License-Identifier: MIT
// The admin API, as docs and /v1/openapi.json have it.
import { Cell } from './cell';

export interface BlockId {
  number: number;
  hash: string;
}
export interface Endpoint {
  name: string;
  state: string;
  head: number | null;
  latency_ms: number;
  errors: number;
  lies: number;
}
export interface Reorg {
  chain: string;
  at: string;
  depth: number;
  ancestor: BlockId;
  old_head: BlockId;
  new_head: BlockId;
  rolled_back: number;
}
export interface Chain {
  name: string;
  id: number;
  state: string;
  reason: string | null;
  head: BlockId | null;
  mark: BlockId | null;
  lag_blocks: number;
  safe: number | null;
  finalized: number | null;
  endpoints: Endpoint[];
  backfills: { subscription: string; from: number; to: number; at: number | null }[];
  last_reorg: Reorg | null;
  last_reconcile: { at: string; from: number; to: number; missing: number; extra: number } | null;
}
export interface Source {
  name: string;
  provider: string;
  last_at: string | null;
  last_result: string | null;
  received: number;
  duplicate: number;
  late: number | null;
  missed: number | null;
  false: number | null;
  unauthorized: number;
}
export interface Handler {
  name: string;
  state: string;
  reason: string | null;
  since: string | null;
  due: number;
  in_flight: number;
  held: number;
  blocked_keys: number;
  parked: number;
  oldest_at: string | null;
  next_probe_at: string | null;
  epoch: number;
}
export interface Status {
  version: string;
  instance: string;
  uptime_s: number;
  chains: Chain[];
  sources: Source[];
  handlers: Handler[];
  store: {
    bytes: number;
    wal_bytes: number;
    free_bytes: number | null;
    last_backup: string | null;
  };
}
export interface EventItem {
  event_id: string;
  logical_id: string | null;
  version: number;
  status: 'pending' | 'confirmed' | 'rolled_back';
  kind: string;
  chain: string;
  chain_id: number;
  subscriptions: string[];
  block: { number: number; hash: string; timestamp: number };
  transaction: { hash: string; index: number };
  log_index?: number;
  address?: string;
  topics?: string[];
  data?: string;
  from?: string;
  to?: string | null;
  value?: string;
  input?: string;
  event?: string;
  args?: Record<string, unknown> | null;
  decode_error?: string;
  confirmations?: { policy: string | null; blocks: number | null; tag: string | null }[];
  head: number;
  first_seen: string;
  replaces: string | null;
  why?: string;
  processing?: Record<string, string>;
}
export interface Attempt {
  handler: string;
  id: string;
  at: string;
  outcome: string;
  http_status: number | null;
  duration_ms: number | null;
  answer: string;
}
export interface EventLife extends EventItem {
  history: {
    version: number;
    status: string;
    block_hash: string;
    at: string;
    why: string | null;
    id: string;
  }[];
  webhooks: number[];
  attempts: Attempt[];
}
export interface Block {
  number: number;
  hash: string;
  parent: string;
  timestamp: number;
  canonical: boolean;
}
export interface Parked {
  id: string | number;
  message_id: string;
  handler: string;
  key: string;
  event_id: string | null;
  sequence: string;
  parked_at: string;
  attempts: number;
  outcome: string | null;
  http_status: number | null;
  answer: string | null;
}
export interface Page<T> {
  items: T[];
  next: string | null;
}
export interface FeedItem {
  seq: number;
  id: string;
  type: string;
  subject: string;
  data: EventItem;
}

/** What the API refused, in its own words. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly body: Record<string, unknown>,
  ) {
    super(message);
  }
}

const KEY = 'tidemark-token';
let token = sessionStorage.getItem(KEY) ?? '';
/** Whether a person must give a token first, and what to say beside the field. */
export const asksForToken = new Cell<{ why: string } | null>(null);

export function giveToken(text: string): void {
  token = text.trim();
  sessionStorage.setItem(KEY, token);
  asksForToken.set(null);
}
export function forgetToken(why: string): void {
  token = '';
  sessionStorage.removeItem(KEY);
  asksForToken.set({ why });
}
/** Asks whether one is needed, where none was given yet. */
export async function askForToken(): Promise<void> {
  if (token) return;
  try {
    const answer = await fetch('./', { method: 'HEAD', cache: 'no-store' });
    if (answer.headers.get('tidemark-token') === 'needed') asksForToken.set({ why: '' });
  } catch {
    /* said by the status */
  }
}
export const hasToken = (): boolean => token !== '';

export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers: Record<string, string> = { ...(init.headers as Record<string, string>) };
  if (token) headers.authorization = `Bearer ${token}`;
  const sent = token;
  let answer: Response;
  try {
    answer = await fetch(path, { ...init, headers, cache: 'no-store' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Refused(0, 'the daemon does not answer', {});
  }
  if (answer.status === 401 && sent === token) {
    asksForToken.set({ why: token ? 'That token is not known here.' : '' });
  }
  if (answer.ok) return answer;
  let body: Record<string, unknown> = {};
  try {
    body = (await answer.json()) as Record<string, unknown>;
  } catch {
    /* a proxy's page */
  }
  const text = typeof body.detail === 'string' ? body.detail : `the answer was ${answer.status}`;
  throw new Refused(answer.status, text, body);
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await call(path, { signal })).json()) as T;
}

export async function send<T>(
  path: string,
  body: Record<string, unknown> = {},
  method = 'POST',
): Promise<T> {
  const answer = await call(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return (text ? JSON.parse(text) : {}) as T;
}

/** A query of what is given. */
export function query(values: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(values).filter(([, v]) => v !== undefined && v !== null && v !== '');
  return given.length
    ? `?${given.map(([k, v]) => `${k}=${encodeURIComponent(String(v))}`).join('&')}`
    : '';
}
export const part = encodeURIComponent;
