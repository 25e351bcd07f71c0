// SPDX-License-Identifier: MIT
// One event's whole life.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { get, part, type EventItem, type EventLife, type Page } from './api';
import { clock, count, seconds, short, shortId, stamp, value, words } from './format';
import { onFacts } from './live';
import { Badge, copy, Facts, Hash, Nothing, tone, Trouble, useRead } from './ui';

interface Webhook {
  id: number;
  source: string;
  at: string;
  hints: number;
  seen: number;
}
interface Moment {
  at: string;
  tone: string;
  title: ComponentChildren;
  text?: ComponentChildren;
}

function moments(e: EventLife, webhooks: Webhook[]): Moment[] {
  const out: Moment[] = [
    {
      at: new Date(e.block.timestamp * 1000).toISOString(),
      tone: 'plain',
      title: `Block ${count(e.block.number)} was made`,
      text: <Hash text={e.block.hash} />,
    },
  ];
  for (const w of webhooks)
    out.push({
      at: w.at,
      tone: 'hint',
      title: `Webhook ${w.id} of ${w.source}`,
      text: w.seen > 1 ? `came ${w.seen} times` : undefined,
    });
  for (const h of e.history)
    out.push({
      at: h.at,
      tone: tone(h.status),
      title: (
        <>
          {words(h.status)} <span class="soft">version {h.version}</span>
        </>
      ),
      text: (
        <>
          in block <Hash text={h.block_hash} />
          {h.why && <>, because of {h.why === 'reorg' ? 'a reorg' : `a ${h.why} reading`}</>}
        </>
      ),
    });
  for (const a of e.attempts)
    out.push({
      at: a.at,
      tone: a.http_status !== null && a.http_status < 300 ? 'good' : tone(a.outcome),
      title: (
        <>
          Sent to <a href={`#/handlers/${part(a.handler)}`}>{a.handler}</a>: {words(a.outcome)}
          {a.http_status !== null && `, HTTP ${a.http_status}`}
        </>
      ),
      text: (
        <>
          {a.duration_ms !== null && `${seconds(a.duration_ms / 1000)} · `}
          <span class="mono">…{a.id.split('_').slice(-2).join('_')}</span>
          {a.answer && <code class="answer">{a.answer.slice(0, 400)}</code>}
        </>
      ),
    });
  // A node's clock may be ahead of ours: the block still comes first.
  const block = out.shift()!;
  out.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return [block, ...out];
}

function Copy({ text, children }: { text: string; children: ComponentChildren }) {
  return (
    <button class="quiet small" onClick={() => copy(text)}>
      {children}
    </button>
  );
}

const curl = (id: string) =>
  `curl -sS -H "Authorization: Bearer $TIDEMARK_TOKEN" '${new URL(`v1/events/${part(id)}`, location.href.split('#')[0])}'`;

function Decoded({ event: e }: { event: EventLife }) {
  if (e.kind === 'transaction')
    return (
      <Facts
        rows={[
          ['from', <Hash text={e.from ?? '–'} full />],
          ['to', <Hash text={e.to ?? '–'} full />],
          ['value', `${e.value} wei`],
        ]}
      />
    );
  if (!e.args)
    return <Nothing>It does not decode{e.decode_error ? `: ${e.decode_error}` : ''}.</Nothing>;
  return (
    <Facts
      rows={Object.entries(e.args).map(([name, v]) => [name, <code class="hash">{value(v)}</code>])}
    />
  );
}

function Raw({ event: e }: { event: EventLife }) {
  const rows: [string, ComponentChildren][] = (e.topics ?? []).map((t, i) => [
    `topic ${i}`,
    <code class="hash">{t}</code>,
  ]);
  rows.push(['data', <code class="hash">{(e.data ?? e.input ?? '0x').slice(0, 2000)}</code>]);
  return <Facts rows={rows} />;
}

export function EventPage({ id }: { id: string }) {
  const [turn, setTurn] = useState(0);
  const { value: e, error } = useRead(`${id} ${turn}`, (signal) =>
    get<EventLife>(`v1/events/${part(id)}`, signal),
  );
  // Its own facts, and the deliveries that follow them.
  useEffect(
    () => onFacts((facts) => facts.some((f) => f.data.event_id === id) && setTurn((n) => n + 1)),
    [id],
  );
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setTurn((n) => n + 1), 3000);
    return () => clearInterval(timer);
  }, []);
  const hooks = e?.webhooks.slice(0, 20) ?? [];
  const webhooks = useRead(e ? `hooks ${hooks.join()}` : null, (signal) =>
    Promise.all(hooks.map((hook) => get<Webhook>(`v1/webhooks/${hook}`, signal))),
  );
  // Only the newer one says whom it replaces.
  const later = useRead(e?.status === 'rolled_back' ? `after ${id} ${e.version}` : null, (signal) =>
    get<Page<EventItem>>(`v1/events?tx=${e!.transaction.hash}&limit=1000`, signal),
  );
  const replacedBy = later.value?.items.find((one) => one.replaces === id);
  if (error && !e) return <Trouble error={error} />;
  if (!e) return <Nothing>Asking …</Nothing>;
  return (
    <>
      <p class="back">
        <a href="#/events">Events</a>
      </p>
      <div class="heading">
        <h1>{e.event ?? words(e.kind)}</h1>
        <Badge state={e.status} />
      </div>
      <p class="mono long soft">{e.event_id}</p>
      <div class="buttons start">
        <Copy text={e.event_id}>Copy the id</Copy>
        <Copy text={curl(e.event_id)}>Copy as curl</Copy>
        <Copy text={JSON.stringify(e, null, 2)}>Copy the JSON</Copy>
      </div>
      <section class="card wide">
        <Facts
          rows={[
            ['chain', <a href={`#/chains/${part(e.chain)}`}>{e.chain}</a>],
            [
              'block',
              <>
                {count(e.block.number)} <Hash text={e.block.hash} />, {stamp(e.block.timestamp)}
              </>,
            ],
            [
              'transaction',
              <a href={`#/events?tx=${e.transaction.hash}`}>
                <Hash text={e.transaction.hash} />
              </a>,
            ],
            ...(e.address
              ? [
                  [
                    'contract',
                    <a href={`#/events?address=${e.address}`}>
                      <Hash text={e.address} />
                    </a>,
                  ] as [ComponentChildren, ComponentChildren],
                ]
              : []),
            ['subscriptions', e.subscriptions.join(', ')],
            ['first seen by', e.first_seen],
            [
              'waits for',
              (e.confirmations ?? [])
                .map(
                  (c) =>
                    `${c.policy ?? 'a value in place'} (${[c.blocks === null ? '' : `${c.blocks} blocks`, c.tag ?? ''].filter(Boolean).join(', ')})`,
                )
                .join(' + ') || '–',
            ],
            ...(e.replaces
              ? [
                  [
                    'replaces',
                    <a href={`#/events/${part(e.replaces)}`}>{shortId(e.replaces)}</a>,
                  ] as [ComponentChildren, ComponentChildren],
                ]
              : []),
            ...(replacedBy
              ? [
                  [
                    'replaced by',
                    <a href={`#/events/${part(replacedBy.event_id)}`}>
                      {shortId(replacedBy.event_id)}
                    </a>,
                  ] as [ComponentChildren, ComponentChildren],
                ]
              : []),
            ...Object.entries(e.processing ?? {}).map(
              ([handler, state]): [ComponentChildren, ComponentChildren] => [
                `for ${handler}`,
                <Badge state={state} />,
              ],
            ),
          ]}
        />
      </section>
      <h2>Its life</h2>
      <ol class="timeline">
        {moments(e, webhooks.value ?? []).map((m, i) => (
          <li key={i} class={m.tone}>
            <time dateTime={m.at}>{clock(m.at)}</time>
            <div>
              <p class="what">{m.title}</p>
              {m.text && <p class="soft">{m.text}</p>}
            </div>
          </li>
        ))}
      </ol>
      {e.webhooks.length > hooks.length && (
        <p class="soft">and {count(e.webhooks.length - hooks.length)} more webhooks</p>
      )}
      <div class="beside">
        <section class="card">
          <h2>Decoded</h2>
          <Decoded event={e} />
        </section>
        <section class="card">
          <h2>Raw</h2>
          <Raw event={e} />
        </section>
      </div>
      <details>
        <summary>All of it, as JSON ({short(e.transaction.hash)})</summary>
        <pre tabIndex={0}>{JSON.stringify(e, null, 2)}</pre>
      </details>
    </>
  );
}
