// SPDX-License-Identifier: MIT
// Events page by page, as far as they were scrolled to.
import { get, query, Refused, type EventItem, type Page } from './api';

const SIZE = 200; // rows a page
const KEPT = 30; // pages in memory; the others are read again when they are looked at
export const MOST = 600_000; // rows: beyond, a browser's tallest element ends
export const SCAN = 5_000; // rows that a search by text looks at before it asks whether to go on

export const filters = [
  'chain',
  'status',
  'subscription',
  'address',
  'tx',
  'from_block',
  'to_block',
  'first_seen',
  'handler',
  'delivery',
  'text',
] as const;
export type Filter = Partial<Record<(typeof filters)[number], string>>;

interface Slot {
  after: string | null;
  items: EventItem[] | null; // null: not in memory now
  rows: number;
  looked: number; // at how many events a search by text looked for them
}

type Found = Page<EventItem> & { looked: number };

/** The list as far as it was scrolled: pages with their cursors, those far away without their rows. */
export class List {
  slots: Slot[] = [];
  next: string | null = null;
  ended = false;
  error: Error | null = null;
  limit = SCAN;
  private busy = new Set<string | null>();

  constructor(
    private filter: Filter,
    private changed: () => void,
  ) {}

  get rows() {
    return this.slots.reduce((n, s) => n + s.rows, 0);
  }
  /** A search by text reads the list from its newest end; this far it has come. */
  get scanned() {
    return this.slots.reduce((n, s) => n + s.looked, 0);
  }
  get resting() {
    return !!this.filter.text && this.scanned >= this.limit && !this.ended;
  }

  private async page(after: string | null) {
    const { text, ...rest } = this.filter;
    const page = await get<Page<EventItem>>(`v1/events${query({ ...rest, limit: SIZE, after })}`);
    const looked = page.items.length;
    if (!text) return { ...page, looked };
    const wanted = text.toLowerCase();
    return {
      ...page,
      looked,
      items: page.items.filter((e) => JSON.stringify(e).toLowerCase().includes(wanted)),
    };
  }

  private async read(after: string | null, use: (page: Found) => void) {
    if (this.busy.has(after)) return;
    this.busy.add(after);
    try {
      use(await this.page(after));
      this.error = null;
    } catch (error) {
      this.error = error as Error;
      // What the daemon refuses it refuses again; where it was away it may be back.
      if (!(error instanceof Refused) || error.status === 0 || error.status >= 500)
        setTimeout(() => {
          this.error = null;
          this.changed();
        }, 3000);
    }
    this.busy.delete(after);
    this.changed();
  }

  more() {
    if (this.ended || this.resting || this.rows > MOST || this.error) return;
    const after = this.slots.length ? this.next : null;
    void this.read(after, (page) => {
      this.slots.push({ after, items: page.items, rows: page.items.length, looked: page.looked });
      this.next = page.next;
      this.ended = page.next === null;
    });
  }

  /** The newest once more; what was scrolled to below is forgotten. */
  renew() {
    void this.read(null, (page) => {
      this.slots = [
        { after: null, items: page.items, rows: page.items.length, looked: page.looked },
      ];
      this.next = page.next;
      this.ended = page.next === null;
    });
  }

  patch(items: EventItem[]) {
    const fresh = new Map(items.map((e) => [e.event_id, e]));
    for (const slot of this.slots)
      slot.items?.forEach((e, i) => {
        const now = fresh.get(e.event_id);
        if (now && now.version > e.version)
          slot.items![i] = { ...e, ...now, processing: e.processing };
      });
    this.changed();
  }

  /** The rows from … to, with holes where a page is being read again. */
  slice(from: number, to: number): { index: number; item: EventItem | null }[] {
    const out: { index: number; item: EventItem | null }[] = [];
    let first = 0;
    this.slots.forEach((slot, at) => {
      const last = first + slot.rows;
      if (last > from && first < to) {
        if (!slot.items)
          void this.read(slot.after, (page) => {
            slot.items = page.items.slice(0, slot.rows);
          });
        for (let i = Math.max(first, from); i < Math.min(last, to); i++)
          out.push({ index: i, item: slot.items?.[i - first] ?? null });
        this.drop(at);
      }
      first = last;
    });
    return out;
  }

  private drop(near: number) {
    const held = this.slots.filter((s) => s.items).length;
    if (held <= KEPT) return;
    this.slots.forEach((slot, at) => {
      if (Math.abs(at - near) > KEPT / 2) slot.items = null;
    });
  }
}
