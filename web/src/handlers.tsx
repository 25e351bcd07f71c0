// SPDX-License-Identifier: MIT
import { useState } from 'preact/hooks';
import { part, send, type Handler } from './api';
import { now, useCell } from './cell';
import { count, plural, seconds, until } from './format';
import { refresh, status } from './live';
import { metrics } from './metrics';
import { quantile, sum } from './prometheus';
import { Replay } from './replay';
import { Ago, Badge, Confirm, Facts, Nothing, say } from './ui';

const path = (h: { name: string }) => `v1/handlers/${part(h.name)}`;

/** Delivered of all that counted; what has no data is no share. */
function share(name: string) {
  const samples = metrics.value ?? [];
  const all = sum(samples, 'tidemark_delivery_attempts_total', { handler: name });
  const good = ['acknowledged', 'delivered', 'done', 'ok']
    .map((outcome) => sum(samples, 'tidemark_delivery_attempts_total', { handler: name, outcome }))
    .reduce<number>((n, one) => n + (one ?? 0), 0);
  return all
    ? `${((100 * good) / all).toFixed(good === all ? 0 : 1)} % of ${count(all)}`
    : 'no data';
}

function Times({ name }: { name: string }) {
  const samples = useCell(metrics) ?? [];
  const of = (q: number) => quantile(q, samples, 'tidemark_delivery_seconds', { handler: name });
  const half = of(0.5);
  return <>{half === null ? 'no data' : `${seconds(half)} / ${seconds(of(0.95))}`}</>;
}

export function HandlerFacts({ handler: h }: { handler: Handler }) {
  const time = useCell(now);
  useCell(metrics);
  return (
    <Facts
      rows={[
        ['due', count(h.due)],
        ['in flight', count(h.in_flight)],
        ['held', count(h.held)],
        ['blocked keys', <span class={h.blocked_keys ? 'warn' : ''}>{count(h.blocked_keys)}</span>],
        ['parked', <span class={h.parked ? 'bad' : ''}>{count(h.parked)}</span>],
        ['oldest waits since', <Ago at={h.oldest_at} />],
        ['p50 / p95', <Times name={h.name} />],
        ['attempts that succeeded', share(h.name)],
        ...(h.next_probe_at
          ? [['tried again', until(h.next_probe_at, time)] as [string, string]]
          : []),
        ['epoch', count(h.epoch)],
      ]}
    />
  );
}

interface Ping {
  ok: boolean;
  http_status: number | null;
  duration_ms: number | null;
  answer: string;
}

type Order = 'pause' | 'resume' | 'replay' | null;

export function Orders({ handler: h }: { handler: Handler }) {
  const [order, setOrder] = useState<Order>(null);
  const [testing, setTesting] = useState(false);
  const close = () => setOrder(null);
  const test = async () => {
    setTesting(true);
    try {
      const answer = await send<Ping>(`${path(h)}/test`);
      const what = answer.http_status ? `HTTP ${answer.http_status}` : answer.answer || 'no answer';
      const took = answer.duration_ms === null ? '' : ` in ${answer.duration_ms} ms`;
      const ok = answer.ok ? 'it answered' : 'it does not take it';
      say(`Ping to ${h.name}: ${ok}: ${what}${took}.`, !answer.ok);
    } catch (error) {
      say(`Ping to ${h.name}: ${(error as Error).message}`, true);
    }
    setTesting(false);
    void refresh();
  };
  return (
    <div class="buttons start">
      {h.state === 'paused' ? (
        <button onClick={() => setOrder('resume')}>Resume …</button>
      ) : (
        <button class="quiet" onClick={() => setOrder('pause')}>
          Pause …
        </button>
      )}
      {h.state !== 'paused' && h.next_probe_at && (
        <button class="quiet" onClick={() => setOrder('resume')}>
          Try now …
        </button>
      )}
      <button class="quiet" onClick={test} disabled={testing}>
        {testing ? 'Sending …' : 'Send a test'}
      </button>
      <button class="quiet" onClick={() => setOrder('replay')}>
        Replay …
      </button>
      {order === 'pause' && (
        <Confirm
          title={`Pause ${h.name}`}
          doing="Pause"
          reason="optional"
          close={close}
          run={async (reason) => {
            await send(`${path(h)}/pause`, reason ? { reason } : {});
            return `${h.name} is paused. Its messages are kept.`;
          }}
        >
          <p>Nothing is sent until it is resumed. Messages are made and kept, in order.</p>
        </Confirm>
      )}
      {order === 'resume' && (
        <Confirm
          title={`Resume ${h.name}`}
          doing="Resume"
          reason="optional"
          close={close}
          run={async (reason) => {
            await send(`${path(h)}/resume`, reason ? { reason } : {});
            return `${h.name} is told again.`;
          }}
        >
          <p>{plural(h.due, 'message')} due; they go in order.</p>
        </Confirm>
      )}
      {order === 'replay' && <Replay handler={h.name} close={close} />}
    </div>
  );
}

export function Handlers() {
  const s = useCell(status)!;
  return (
    <>
      <h1>Handlers</h1>
      {!s.handlers.length && (
        <Nothing>No handler is in the config: the feed is there alone.</Nothing>
      )}
      <div class="cards">
        {s.handlers.map((h) => (
          <article class="card" key={h.name}>
            <header>
              <h2>
                <a href={`#/handlers/${part(h.name)}`}>{h.name}</a>
              </h2>
              <Badge state={h.state} />
              {h.since && (
                <span class="soft">
                  since <Ago at={h.since} />
                </span>
              )}
            </header>
            {h.reason && <p class="reason">{h.reason}</p>}
            <HandlerFacts handler={h} />
            <Orders handler={h} />
          </article>
        ))}
      </div>
    </>
  );
}
