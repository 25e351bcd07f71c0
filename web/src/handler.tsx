// SPDX-License-Identifier: MIT
// One handler: its keys and its parked messages.
import { useState } from 'preact/hooks';
import { get, part, query, Refused, send, type Handler, type Page, type Parked } from './api';
import { now, useCell } from './cell';
import { count, shortId, until, words } from './format';
import { HandlerFacts, Orders } from './handlers';
import { refresh, status } from './live';
import { Ago, Badge, Confirm, Nothing, say, Table, Trouble, useRead } from './ui';

const path = (h: { name: string }) => `v1/handlers/${part(h.name)}`;

interface Key {
  key: string;
  state: string;
  since: string | null;
  waiting: number;
  head: {
    id: string;
    event_id: string | null;
    attempts: number;
    next_at: string | null;
    outcome: string | null;
    http_status: number | null;
    answer: string | null;
  } | null;
}

const lastAnswer = (a: { outcome: string | null; http_status: number | null }) =>
  a.outcome ? `${words(a.outcome)}${a.http_status ? `, HTTP ${a.http_status}` : ''}` : '–';

function Keys({ handler }: { handler: Handler }) {
  const [state, setState] = useState('');
  const h = handler;
  const time = useCell(now);
  const key = `${state} ${h.due} ${h.held} ${h.blocked_keys} ${h.parked} ${h.in_flight} ${Math.floor(time / 5000)}`;
  const { value, error } = useRead(key, (signal) =>
    get<Page<Key>>(`${path(h)}/keys${query({ state, limit: 200 })}`, signal),
  );
  return (
    <>
      <div class="heading">
        <h2>Keys</h2>
        <select
          aria-label="State of the keys"
          value={state}
          onChange={(e) => setState(e.currentTarget.value)}
        >
          <option value="">all that wait</option>
          <option value="blocked">blocked</option>
          <option value="parked">parked</option>
          <option value="held">held</option>
        </select>
      </div>
      {error && !value && <Trouble error={error} />}
      {value && !value.items.length && <Nothing>No key waits.</Nothing>}
      {value && value.items.length > 0 && (
        <Table
          label="Keys"
          heads={[
            'Key',
            'State',
            { name: 'Waiting', num: true },
            'Since',
            'First message',
            { name: 'Attempts', num: true },
            'Next',
            'Last answer',
          ]}
        >
          {value.items.map((k) => (
            <tr key={k.key}>
              <th scope="row" class="mono long">
                {shortId(k.key)}
              </th>
              <td>
                <Badge state={k.state} />
              </td>
              <td class="num">{count(k.waiting)}</td>
              <td>
                <Ago at={k.since} />
              </td>
              <td>
                {k.head?.event_id ? (
                  <a class="mono" href={`#/events/${part(k.head.event_id)}`}>
                    {shortId(k.head.event_id)}
                  </a>
                ) : (
                  '–'
                )}
              </td>
              <td class="num">{count(k.head?.attempts)}</td>
              <td>{until(k.head?.next_at ?? null, time)}</td>
              <td class="long" title={k.head?.answer ?? ''}>
                {k.head ? lastAnswer(k.head) : '–'}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {value?.next && <p class="soft">The first 200 are shown.</p>}
    </>
  );
}

function DeadLetters({ handler }: { handler: Handler }) {
  const [skipping, setSkipping] = useState<Parked | null>(null);
  const { value, error, again } = useRead(`parked ${handler.parked}`, (signal) =>
    get<Page<Parked>>(`v1/dead?limit=1000`, signal),
  );
  const items = (value?.items ?? []).filter((p) => p.handler === handler.name);
  const retry = async (p: Parked) => {
    try {
      await send(`v1/dead/${part(String(p.id))}/retry`);
      say('It is sent again.');
    } catch (failed) {
      say((failed as Error).message, true);
    }
    again();
    void refresh();
  };
  return (
    <>
      <h2>Parked messages</h2>
      {error &&
        !value &&
        (error instanceof Refused && error.status === 404 ? (
          <Nothing>This daemon parks nothing.</Nothing>
        ) : (
          <Trouble error={error} />
        ))}
      {value && !items.length && <Nothing>Nothing is parked.</Nothing>}
      {items.length > 0 && (
        <Table
          label="Parked messages"
          heads={['Event', 'Key', 'Parked', { name: 'Attempts', num: true }, 'Last answer', 'Do']}
        >
          {items.map((p) => (
            <tr key={p.id}>
              <td>
                {p.event_id ? (
                  <a class="mono" href={`#/events/${part(p.event_id)}`}>
                    {shortId(p.event_id)}
                  </a>
                ) : (
                  p.message_id
                )}
              </td>
              <td class="mono">{shortId(p.key)}</td>
              <td>
                <Ago at={p.parked_at} />
              </td>
              <td class="num">{count(p.attempts)}</td>
              <td class="long">
                {lastAnswer(p)} {p.answer && <code>{p.answer.slice(0, 120)}</code>}
              </td>
              <td class="buttons start">
                <button class="quiet" onClick={() => retry(p)} aria-label={`Retry ${p.message_id}`}>
                  Retry
                </button>
                <button
                  class="quiet"
                  onClick={() => setSkipping(p)}
                  aria-label={`Skip ${p.message_id}`}
                >
                  Skip …
                </button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {skipping && (
        <Confirm
          title="Skip a parked message"
          doing="Skip it"
          danger
          reason="required"
          close={() => setSkipping(null)}
          run={async (reason) => {
            await send(`v1/dead/${part(String(skipping.id))}/skip`, { reason });
            again();
            return 'It is skipped; the handler is told of the gap.';
          }}
        >
          <p>
            {handler.name} never gets this message. It gets a <code>tidemark.gap</code> in its
            place.
          </p>
          <p class="mono">{skipping.message_id}</p>
        </Confirm>
      )}
    </>
  );
}

export function HandlerPage({ name }: { name: string }) {
  const s = useCell(status)!;
  const h = s.handlers.find((one) => one.name === name);
  if (!h)
    return (
      <Nothing>
        No handler has the name {name}. <a href="#/handlers">All handlers</a>
      </Nothing>
    );
  return (
    <>
      <div class="heading">
        <h1>{h.name}</h1>
        <Badge state={h.state} />
      </div>
      {h.reason && <p class="reason">{h.reason}</p>}
      <section class="card wide">
        <HandlerFacts handler={h} />
        <Orders handler={h} />
      </section>
      <DeadLetters handler={h} />
      <Keys handler={h} />
    </>
  );
}
