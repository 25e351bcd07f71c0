// SPDX-License-Identifier: MIT
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { part, query, type EventItem } from './api';
import { useCell } from './cell';
import { filters, List, MOST, SCAN, type Filter } from './event_list';
import { count, short, shortId, stamp, value, words } from './format';
import { onFacts, status } from './live';
import { Badge, Field, Nothing, Trouble } from './ui';

function summary(e: EventItem): string {
  if (e.kind === 'transaction')
    return `${short(e.from ?? '')} → ${short(e.to ?? 'new contract')} ${e.value ?? ''} wei`;
  if (!e.args) return e.decode_error ? `does not decode: ${e.decode_error}` : '';
  return Object.entries(e.args)
    .slice(0, 4)
    .map(([name, v]) => `${name} ${short(value(v))}`)
    .join('  ');
}

function Row({ item: e, top, index }: { item: EventItem | null; top: number; index: number }) {
  const style = { transform: `translateY(${top}px)` };
  if (!e)
    return (
      <div role="row" class="row" style={style} aria-rowindex={index + 2}>
        <span role="cell" class="soft">
          …
        </span>
      </div>
    );
  return (
    <div role="row" class="row" style={style} aria-rowindex={index + 2} data-event={e.event_id}>
      <span role="cell" class="c-state">
        <Badge state={e.status} />
      </span>
      <span role="cell" class="c-what">
        <a href={`#/events/${part(e.event_id)}`}>
          {e.event ?? e.kind} <span class="mono">{shortId(e.event_id)}</span>
        </a>
        <span class="args">{summary(e)}</span>
      </span>
      <span role="cell" class="c-chain">
        {e.chain}
      </span>
      <span role="cell" class="c-block num">
        {count(e.block.number)}
      </span>
      <span role="cell" class="c-time">
        {stamp(e.block.timestamp)}
      </span>
      <span role="cell" class="c-seen">
        {e.first_seen}
      </span>
      <span role="cell" class="c-sent">
        {Object.entries(e.processing ?? {}).map(([handler, state]) => (
          <span key={handler} class={`sent ${state}`} title={`${handler}: ${words(state)}`}>
            {handler} {words(state)}
          </span>
        ))}
      </span>
    </div>
  );
}

/** The daemon does not search by text: say how far this page has looked by itself. */
function summed(list: List, text?: string): string {
  const { rows, ended } = list;
  if (!text)
    return rows === 0 && ended ? 'No event fits.' : `${count(rows)}${ended ? '' : '+'} events`;
  const where = ended ? `all ${count(list.scanned)}` : `the newest ${count(list.scanned)}`;
  return `${count(rows)} of ${where} events have “${text}” in them${ended ? '' : '; older ones are not looked at yet'}.`;
}

function Rows({ filter }: { filter: Filter }) {
  const [, changed] = useReducer((n: number) => n + 1, 0);
  const [list] = useState(() => new List(filter, () => changed(0)));
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, row: 44 });
  const [fresh, setFresh] = useState(0);

  useEffect(() => {
    list.more();
    let soon: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    const atTop = () => (box.current?.scrollTop ?? 0) <= 10;
    const off = onFacts((facts) => {
      const known = facts.filter((f) => f.data.version > 1).map((f) => f.data);
      if (known.length) list.patch(known);
      if (!atTop()) {
        const came = facts.filter((f) => f.data.version === 1).length;
        setFresh((n) => n + came);
      } else if (!soon) {
        // At once, but once a second while many come.
        soon = setTimeout(
          () => {
            soon = undefined;
            last = Date.now();
            if (atTop()) list.renew();
          },
          Math.max(100, last + 1000 - Date.now()),
        );
      }
    });
    return () => {
      off();
      clearTimeout(soon);
    };
  }, []);

  useLayoutEffect(() => {
    const look = () => {
      const b = box.current!;
      const row = matchMedia('(max-width: 760px)').matches ? 84 : 44;
      setView({ top: b.scrollTop, height: b.clientHeight, row });
    };
    look();
    const watch = new ResizeObserver(look);
    watch.observe(box.current!);
    box.current!.addEventListener('scroll', look, { passive: true });
    return () => watch.disconnect();
  }, []);

  const rows = list.rows;
  const from = Math.max(0, Math.floor(view.top / view.row) - 8);
  const to = Math.min(rows, Math.ceil((view.top + view.height) / view.row) + 8);
  const shown = list.slice(from, to);
  const short = rows * view.row < view.top + view.height + 1500;
  useEffect(() => {
    if (short) list.more();
  });

  const keys = (e: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    const row = (e.target as HTMLElement).closest('[role=row]');
    if (!by || !row) return;
    const at = Number(row.getAttribute('aria-rowindex')) + by;
    const next = box.current!.querySelector<HTMLElement>(`[aria-rowindex="${at}"] a`);
    if (!next) return;
    e.preventDefault();
    next.focus();
  };

  return (
    <>
      {list.error && <Trouble error={list.error} />}
      <div class="above-list">
        <p class="soft">{summed(list, filter.text)}</p>
        {fresh > 0 && (
          <button
            class="small"
            onClick={() => {
              box.current!.scrollTop = 0;
              setFresh(0);
              list.renew();
            }}
          >
            {count(fresh)} new
          </button>
        )}
      </div>
      <div
        ref={box}
        class="list"
        role="table"
        aria-label="Events"
        aria-rowcount={list.ended ? rows + 1 : -1}
        tabIndex={0}
        onKeyDown={keys}
      >
        <div role="rowgroup" class="list-head">
          <div role="row" class="row head" aria-rowindex={1}>
            <span role="columnheader" class="c-state">
              Status
            </span>
            <span role="columnheader" class="c-what">
              Event
            </span>
            <span role="columnheader" class="c-chain">
              Chain
            </span>
            <span role="columnheader" class="c-block num">
              Block
            </span>
            <span role="columnheader" class="c-time">
              Block time
            </span>
            <span role="columnheader" class="c-seen">
              First seen by
            </span>
            <span role="columnheader" class="c-sent">
              Handlers
            </span>
          </div>
        </div>
        <div role="rowgroup" class="list-body" style={{ height: `${rows * view.row}px` }}>
          {shown.map(({ index, item }) => (
            <Row key={index} item={item} index={index} top={index * view.row} />
          ))}
        </div>
      </div>
      {list.resting && (
        <div class="buttons start">
          <button
            class="quiet"
            onClick={() => {
              list.limit = list.scanned + SCAN;
              list.more();
            }}
          >
            Look at {count(SCAN)} more
          </button>
        </div>
      )}
      {rows > MOST && <Nothing>The list ends here; a filter narrows it.</Nothing>}
    </>
  );
}

/** What a person types into the one field: an id, a hash, an address, a block, or words. */
function understood(text: string): Filter | { open: string } {
  const t = text.trim();
  if (/^\d+:0x[0-9a-f]{64}:(\d+|tx)$/i.test(t)) return { open: t.toLowerCase() };
  if (/^0x[0-9a-f]{64}$/i.test(t)) return { tx: t };
  if (/^0x[0-9a-f]{40}$/i.test(t)) return { address: t };
  if (/^[\d_,]+$/.test(t)) {
    const n = t.replace(/\D/g, '');
    return { from_block: n, to_block: n };
  }
  return t ? { text: t } : {};
}

function Filters({ filter }: { filter: Filter }) {
  const s = useCell(status)!;
  const [draft, setDraft] = useState<Filter>(filter);
  const [find, setFind] = useState(filter.text ?? '');
  // A link, or going back, brings other ones.
  const given = query(filter);
  useEffect(() => {
    setDraft(filter);
    setFind(filter.text ?? '');
  }, [given]);
  const go = (next: Filter) => {
    location.hash = `#/events${query(next)}`;
  };
  const set = (name: keyof Filter) => (text: string) =>
    setDraft((old) => ({ ...old, [name]: text }));
  const choose = (name: keyof Filter) => (e: { currentTarget: HTMLSelectElement }) =>
    go({ ...draft, [name]: e.currentTarget.value });
  const submit = (e: Event) => {
    e.preventDefault();
    const { text: _, ...rest } = draft;
    const meant = understood(find);
    if ('open' in meant) {
      location.hash = `#/events/${part(meant.open)}`;
      return;
    }
    const next: Filter = { ...rest, ...meant };
    if (meant.from_block && !next.chain && s.chains.length > 1) next.chain = s.chains[0].name;
    go(next);
  };
  const seldom: [keyof Filter, string, string][] = [
    ['subscription', 'Subscription', 'name'],
    ['address', 'Contract', '0x…'],
    ['tx', 'Transaction', '0x…'],
    ['from_block', 'From block', ''],
    ['to_block', 'To block', ''],
    ['first_seen', 'First seen by', 'head, reconcile, webhook:NAME'],
  ];
  return (
    <form class="filters" onSubmit={submit} role="search" aria-label="Events">
      <Field
        label="Find"
        value={find}
        set={setFind}
        placeholder="id, transaction, address, block or words"
      />
      <div class="field">
        <label for="f-chain">Chain</label>
        <select id="f-chain" value={draft.chain ?? ''} onChange={choose('chain')}>
          <option value="">all</option>
          {s.chains.map((c) => (
            <option key={c.name}>{c.name}</option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="f-status">Status</label>
        <select id="f-status" value={draft.status ?? ''} onChange={choose('status')}>
          <option value="">all</option>
          <option value="pending">pending</option>
          <option value="confirmed">confirmed</option>
          <option value="rolled_back">rolled back</option>
        </select>
      </div>
      <details
        class="seldom"
        open={[...seldom.map(([n]) => n), 'handler'].some((n) => filter[n as keyof Filter])}
      >
        <summary>More filters</summary>
        <div class="pairs">
          {seldom.map(([name, label, hint]) => (
            <Field
              key={name}
              label={label}
              value={draft[name] ?? ''}
              set={set(name)}
              placeholder={hint}
            />
          ))}
          <div class="field">
            <label for="f-handler">Handler</label>
            <select
              id="f-handler"
              value={draft.handler ?? ''}
              onChange={(e) => set('handler')(e.currentTarget.value)}
            >
              <option value="">any</option>
              {s.handlers.map((h) => (
                <option key={h.name}>{h.name}</option>
              ))}
            </select>
          </div>
          <div class="field">
            <label for="f-delivery">Its message is</label>
            <select
              id="f-delivery"
              value={draft.delivery ?? ''}
              disabled={!draft.handler}
              onChange={(e) => set('delivery')(e.currentTarget.value)}
            >
              <option value="">anything</option>
              {['held', 'queued', 'sending', 'delivered', 'blocked', 'parked', 'skipped'].map(
                (one) => (
                  <option key={one}>{one}</option>
                ),
              )}
            </select>
          </div>
        </div>
      </details>
      <div class="buttons">
        {Object.values(filter).some(Boolean) && (
          <a class="button quiet" href="#/events">
            Clear
          </a>
        )}
        <button>Find</button>
      </div>
    </form>
  );
}

export function Events({ search }: { search: URLSearchParams }) {
  const filter: Filter = {};
  for (const name of filters) {
    const text = search.get(name);
    if (text) filter[name] = text;
  }
  const key = query(filter);
  return (
    <>
      <h1>Events</h1>
      <Filters filter={filter} />
      <Rows key={key} filter={filter} />
    </>
  );
}
