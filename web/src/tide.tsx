// SPDX-License-Identifier: MIT
// The signature picture: of each chain the last blocks, the mark among them, and what left.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  get,
  part,
  query,
  type Block,
  type Chain,
  type EventItem,
  type Page,
  type Reorg,
} from './api';
import { useCell } from './cell';
import { count, shortId, size, stamp, words } from './format';
import { onFacts, status } from './live';
import { Drawing, kinds } from './tide_drawing';
import { compensated, inclusion, strip, windowOf, type TideBlock } from './tide_model';
import { Ago, Badge, Facts, Hash, Nothing, useRead } from './ui';

/** How many cells fit, and how wide one is. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const look = () => setWidth(box.current?.clientWidth ?? 0);
    look();
    const watch = new ResizeObserver(look);
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  const pitch = width < 520 ? 23 : 30;
  return { box, width, pitch, slots: Math.max(8, Math.floor((width - 8) / pitch)) };
}

/** The inclusions in the last blocks: read once, then kept by the facts that come. */
function useInclusions(chain: Chain, from: number | null) {
  const [known, setKnown] = useState(new Map<string, EventItem>());
  const lowest = useRef(Infinity);
  const reread = useRef(0);
  const key = chain.last_reorg?.at ?? '';
  useEffect(() => {
    if (from === null) return;
    let alive = true;
    const read = async () => {
      const turn = ++reread.current;
      lowest.current = from;
      try {
        const path = `v1/events${query({ chain: chain.name, from_block: from, limit: 500 })}`;
        const page = await get<Page<EventItem>>(path);
        if (!alive || turn !== reread.current) return;
        setKnown((old) => {
          const fresh = new Map(old);
          for (const e of page.items) fresh.set(inclusion(e), e);
          return fresh;
        });
      } catch {
        /* said by the status */
      }
    };
    void read();
    const timer = setInterval(() => !document.hidden && read(), 15_000);
    const off = onFacts((facts) => {
      const ours = facts.filter((f) => f.data.chain === chain.name);
      if (!ours.length) return;
      setKnown((old) => {
        const fresh = new Map(old);
        for (const f of ours) fresh.set(inclusion(f.data), f.data);
        for (const [id, e] of fresh) if (e.block.number < from - 200) fresh.delete(id);
        return fresh;
      });
    });
    return () => {
      alive = false;
      clearInterval(timer);
      off();
    };
    // Blocks that scroll out need no other reading: only a jump does.
  }, [chain.name, key, from === null ? null : Math.floor(from / 50)]);
  return known;
}

function useBlocks(chain: Chain, parts: [number, number][]) {
  const key = `${chain.name} ${chain.head?.hash} ${chain.mark?.hash} ${parts.join()}`;
  const { value } = useRead(parts.length ? key : null, async (signal) => {
    const pages = await Promise.all(
      parts.map(([from, to]) =>
        get<Page<Block>>(
          `v1/chains/${part(chain.name)}/blocks${query({ from_block: from, to_block: to + 16 })}`,
          signal,
        ),
      ),
    );
    return pages.flatMap((page) => page.items);
  });
  return value ?? [];
}

function Details({ block: b, chain }: { block: TideBlock | undefined; chain: Chain }) {
  if (!b) return <p class="details soft">Point at a block, or choose one with the arrow keys.</p>;
  return (
    <div class="details">
      <p>
        <b>Block {count(b.number)}</b> <span class={`kind ${b.state}`}>{kinds[b.state]}</span>{' '}
        {b.hash ? <Hash text={b.hash} /> : <span class="soft">hash not held</span>}{' '}
        {b.time !== null && <span class="soft">{stamp(b.time)} UTC</span>}
      </p>
      {b.events.length === 0 ? (
        <p class="soft">No event of ours in it.</p>
      ) : (
        <ul>
          {b.events.slice(0, 5).map((e) => (
            <li key={e.event_id}>
              <a href={`#/events/${part(e.event_id)}`}>
                {e.event ?? e.kind} <span class="mono">{shortId(e.event_id)}</span>
              </a>{' '}
              {words(e.status)}, {compensated(e) ? 'found by a scan' : `by ${e.first_seen}`}
            </li>
          ))}
          {b.events.length > 5 && (
            <li>
              <a
                href={`#/events?chain=${part(chain.name)}&from_block=${b.number}&to_block=${b.number}`}
              >
                all {count(b.events.length)}
              </a>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

function ChainTide({ chain, reorgs }: { chain: Chain; reorgs: Reorg[] }) {
  const { box, width, pitch, slots } = useWidth();
  const [chosen, choose] = useState<string | null>(null);
  const parts = width ? windowOf(chain, slots).parts : [];
  const blocks = useBlocks(chain, parts);
  const events = useInclusions(chain, parts.length ? Math.max(0, parts[0][0] - 10) : null);
  const drawn = useMemo(
    () => strip(chain, slots, blocks, events.values(), reorgs),
    [chain.head?.hash, chain.mark?.hash, slots, blocks, events, reorgs],
  );
  const all = [...drawn.blocks, ...drawn.branches.flatMap((b) => b.blocks)];
  return (
    <section class="tide card wide" aria-labelledby={`tide-${chain.name}`} data-chain={chain.name}>
      <header>
        <h2 id={`tide-${chain.name}`}>
          <a href={`#/chains/${part(chain.name)}`}>{chain.name}</a>
        </h2>
        <Badge state={chain.state} />
        <p class="sums">
          <span>
            head <b data-head>{count(chain.head?.number)}</b>
          </span>
          <span>
            mark <b data-mark>{count(chain.mark?.number)}</b>
          </span>
          <span>
            behind <b>{count(chain.lag_blocks)}</b>
          </span>
          <span>
            last reorg <b>{chain.last_reorg ? <Ago at={chain.last_reorg.at} /> : 'none'}</b>
          </span>
        </p>
      </header>
      {/* A halted or degraded chain's reason is among what needs a look, above. */}
      {chain.reason && urgent(chain) > 1 && <p class="reason">{chain.reason}</p>}
      <div ref={box} class="strip">
        {width > 0 && chain.head && (
          <Drawing
            chain={chain}
            strip={drawn}
            width={width}
            pitch={pitch}
            chosen={chosen}
            choose={choose}
          />
        )}
        {!chain.head && <Nothing>No endpoint has shown a block yet.</Nothing>}
      </div>
      <Details block={all.find((b) => b.key === chosen)} chain={chain} />
    </section>
  );
}

function Legend() {
  const item = (shape: ComponentChildren, text: string) => (
    <li>
      <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
        {shape}
      </svg>
      {text}
    </li>
  );
  return (
    <ul class="legend" aria-label="Legend">
      {item(
        <rect class="swatch water" x="1" y="1" width="16" height="16" rx="4" />,
        'at or below the mark: nothing is missing there',
      )}
      {item(
        <rect class="swatch above" x="1" y="1" width="16" height="16" rx="4" />,
        'waiting for the mark',
      )}
      {item(<circle class="dot confirmed" cx="9" cy="9" r="5" />, 'confirmed event')}
      {item(<circle class="dot pending" cx="9" cy="9" r="5" />, 'pending event')}
      {item(
        <path class="dot confirmed" d="M9 3l6 6l-6 6l-6 -6z" />,
        'compensated: a scan found it, no webhook before',
      )}
      {item(<path class="dot undone" d="M4 4l10 10m0 -10l-10 10" />, 'rolled back')}
      {item(<path class="swatch left" d="M2 2C2 12 8 12 16 12" />, 'a branch that left the chain')}
    </ul>
  );
}

/** The rest at a glance, for who leaves this page open. */
function Overview() {
  const s = useCell(status)!;
  return (
    <div class="cards overview">
      <section class="card" aria-labelledby="at-handlers">
        <header>
          <h2 id="at-handlers">
            <a href="#/handlers">Handlers</a>
          </h2>
        </header>
        {!s.handlers.length && <Nothing>none in the config</Nothing>}
        <Facts
          rows={s.handlers.map((h) => [
            <a href={`#/handlers/${part(h.name)}`}>{h.name}</a>,
            <>
              {h.due + h.in_flight > 0 && `${count(h.due + h.in_flight)} due `}
              {h.held > 0 && `${count(h.held)} held `}
              {h.blocked_keys > 0 && `${count(h.blocked_keys)} keys blocked `}
              <Badge state={h.state} />
            </>,
          ])}
        />
      </section>
      <section class="card" aria-labelledby="at-sources">
        <header>
          <h2 id="at-sources">
            <a href="#/sources">Sources</a>
          </h2>
        </header>
        {!s.sources.length && <Nothing>none in the config</Nothing>}
        <Facts
          rows={s.sources.map((one) => [
            one.name,
            <>
              {count(one.received)} received, last <Ago at={one.last_at} />
            </>,
          ])}
        />
      </section>
      <section class="card" aria-labelledby="at-store">
        <header>
          <h2 id="at-store">Store</h2>
        </header>
        <Facts
          rows={[
            ['file', size(s.store.bytes)],
            ['write-ahead log', size(s.store.wal_bytes)],
            ['free on its disk', size(s.store.free_bytes)],
            ['last backup', s.store.last_backup ? <Ago at={s.store.last_backup} /> : 'none'],
          ]}
        />
      </section>
    </div>
  );
}

const urgent = (c: Chain) => (c.state === 'halted' ? 0 : c.state === 'degraded' ? 1 : 2);

export function Tide() {
  const s = useCell(status)!;
  const key = s.chains.map((c) => c.last_reorg?.at ?? '').join();
  const { value } = useRead(`reorgs ${key}`, (signal) =>
    get<Page<Reorg>>('v1/reorgs?limit=200', signal),
  );
  const reorgs = useMemo(() => {
    const by = new Map<string, Reorg[]>();
    for (const r of value?.items ?? []) by.set(r.chain, [...(by.get(r.chain) ?? []), r]);
    return by;
  }, [value]);
  const none = useMemo<Reorg[]>(() => [], []);
  return (
    <>
      <h1 class="unseen">Tide</h1>
      {[...s.chains]
        .sort((a, b) => urgent(a) - urgent(b))
        .map((c) => (
          <ChainTide key={c.name} chain={c} reorgs={reorgs.get(c.name) ?? none} />
        ))}
      <Legend />
      <Overview />
    </>
  );
}
