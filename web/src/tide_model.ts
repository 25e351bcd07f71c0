// SPDX-License-Identifier: MIT
// What the tide view draws, reckoned from what the API gives. No DOM, no time.
import type { Block, Chain, EventItem, Reorg } from './api';

/** An inclusion: one event in one block. */
export const inclusion = (e: EventItem): string => `${e.block.hash} ${e.event_id}`;

export interface TideBlock {
  key: string;
  number: number;
  hash: string | null;
  time: number | null;
  slot: number;
  lane: number; // 0: the chain; 1 …: what left it
  state: 'settled' | 'waiting' | 'left';
  events: EventItem[];
}

export interface Branch {
  reorg: Reorg;
  lane: number;
  fromSlot: number; // of the last block in common; may lie left of the strip
  blocks: TideBlock[];
}

export interface Strip {
  blocks: TideBlock[]; // of the chain, oldest first
  branches: Branch[];
  markSlot: number | null; // the last slot at or below the mark; -1: the mark is further left
  hidden: { slot: number; count: number } | null; // blocks between mark and head that do not fit
}

export interface Window {
  parts: [number, number][]; // heights, oldest first, both ends included
  hidden: number;
}

const AT_MARK = 5; // slots around the mark when the head is far away

/** The heights that `slots` cells show: the newest, and where the mark is too far below, some around it. */
export function windowOf(chain: Pick<Chain, 'head' | 'mark'>, slots: number): Window {
  if (!chain.head) return { parts: [], hidden: 0 };
  const head = chain.head.number;
  const mark = Math.min(chain.mark?.number ?? head, head);
  if (head - mark <= slots - 4)
    return { parts: [[Math.max(0, head - slots + 1), head]], hidden: 0 };
  const left: [number, number] = [Math.max(0, mark - AT_MARK + 2), mark + 1];
  const right: [number, number] = [head - (slots - (left[1] - left[0] + 2)) + 1, head];
  return { parts: [left, right], hidden: right[0] - left[1] - 1 };
}

function orphans(
  reorg: Reorg,
  rows: Map<string, Block>,
): { number: number; hash: string | null }[] {
  const out: { number: number; hash: string | null }[] = [];
  let at: string | undefined = reorg.old_head.hash;
  while (at && at !== reorg.ancestor.hash) {
    const row = rows.get(at);
    if (!row || row.number <= reorg.ancestor.number) break;
    out.unshift({ number: row.number, hash: row.hash });
    at = row.parent;
  }
  if (at === reorg.ancestor.hash) return out;
  // Not all of it is held any more: then by height.
  const known = new Map(out.map((b) => [b.number, b.hash]));
  const all: typeof out = [];
  for (let n = reorg.ancestor.number + 1; n <= reorg.old_head.number; n++)
    all.push({
      number: n,
      hash: known.get(n) ?? (n === reorg.old_head.number ? reorg.old_head.hash : null),
    });
  return all;
}

const LANES = 3;
const LABEL = 9; // slots that a branch's words take

export function strip(
  chain: Pick<Chain, 'head' | 'mark'>,
  slots: number,
  rows: Block[],
  events: Iterable<EventItem>,
  reorgs: Reorg[],
): Strip {
  const window = windowOf(chain, slots);
  const byHash = new Map(rows.map((b) => [b.hash, b]));
  const canonical = new Map(rows.filter((b) => b.canonical).map((b) => [b.number, b]));
  const inBlock = new Map<string, EventItem[]>();
  for (const e of events) {
    const list = inBlock.get(e.block.hash);
    if (list) list.push(e);
    else inBlock.set(e.block.hash, [e]);
  }
  const eventsOf = (hash: string | null) =>
    (hash === null ? [] : (inBlock.get(hash) ?? [])).sort(
      (a, b) => (a.log_index ?? -1) - (b.log_index ?? -1),
    );

  const mark = chain.mark?.number ?? -1;
  const blocks: TideBlock[] = [];
  let hidden: Strip['hidden'] = null;
  let slot = 0;
  for (const [from, to] of window.parts) {
    if (from === window.parts.at(-1)![0] && window.hidden > 0) {
      hidden = { slot, count: window.hidden };
      slot += 1;
    }
    for (let n = from; n <= to; n++, slot++) {
      const row = canonical.get(n);
      const hash =
        n === chain.head!.number
          ? chain.head!.hash
          : (row?.hash ?? (n === mark ? chain.mark!.hash : null));
      blocks.push({
        key: hash ?? `height ${n}`,
        number: n,
        hash,
        time: byHash.get(hash ?? '')?.timestamp ?? null,
        slot,
        lane: 0,
        state: n <= mark ? 'settled' : 'waiting',
        events: eventsOf(hash),
      });
    }
  }
  const slotOf = (n: number): number | null => {
    const found = blocks.find((b) => b.number === n);
    if (found) return found.slot;
    const last = blocks.at(-1);
    if (last && n > last.number) return last.slot + n - last.number;
    return null;
  };

  const branches: Branch[] = [];
  const taken: [number, number, number][] = []; // lane, from, to
  for (const reorg of reorgs) {
    const first = blocks[0];
    if (!first || reorg.old_head.number < first.number) continue;
    const shown: TideBlock[] = [];
    for (const b of orphans(reorg, byHash)) {
      const at = slotOf(b.number);
      if (at === null || at > slots) continue;
      shown.push({
        key: `${b.hash ?? b.number} left ${reorg.at}`,
        number: b.number,
        hash: b.hash,
        time: byHash.get(b.hash ?? '')?.timestamp ?? null,
        slot: at,
        lane: 0,
        state: 'left',
        events: eventsOf(b.hash),
      });
    }
    if (!shown.length) continue;
    const fromSlot = slotOf(reorg.ancestor.number) ?? shown[0].slot - 1;
    const toSlot = shown.at(-1)!.slot + LABEL;
    let lane = 1;
    while (lane <= LANES && taken.some(([l, a, b]) => l === lane && a <= toSlot && fromSlot <= b))
      lane++;
    if (lane > LANES) continue;
    taken.push([lane, fromSlot, toSlot]);
    for (const b of shown) b.lane = lane;
    branches.push({ reorg, lane, fromSlot, blocks: shown });
  }

  let markSlot: number | null = null;
  if (chain.mark) {
    markSlot = -1;
    for (const b of blocks) if (b.number <= mark) markSlot = b.slot;
  }
  return { blocks, branches, markSlot, hidden };
}

/** Found by a pass over the chain before any webhook named it. */
export const compensated = (e: EventItem): boolean => !e.first_seen.startsWith('webhook:');
