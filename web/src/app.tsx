// SPDX-License-Identifier: MIT
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { askForToken, asksForToken, forgetToken, giveToken, hasToken } from './api';
import { Audit } from './audit';
import { useCell } from './cell';
import { Chains } from './chains';
import { EventPage } from './event';
import { Events } from './events';
import { span } from './format';
import { HandlerPage } from './handler';
import { Handlers } from './handlers';
import { link, start, status } from './live';
import { startMetrics } from './metrics';
import { Sources } from './sources';
import { Tide } from './tide';
import { Field, Sayings } from './ui';

const views: [string, string][] = [
  ['', 'Tide'],
  ['chains', 'Chains'],
  ['events', 'Events'],
  ['handlers', 'Handlers'],
  ['sources', 'Sources'],
  ['audit', 'Audit'],
];

/** `#/events/1:0x…:2?chain=x` → view, name, parameters */
function readPlace() {
  const [path, search] = location.hash.replace(/^#\/?/, '').split('?');
  const slash = path.indexOf('/');
  const view = slash < 0 ? path : path.slice(0, slash);
  const name = slash < 0 ? '' : decodeURIComponent(path.slice(slash + 1));
  return { view, name, search: new URLSearchParams(search ?? '') };
}

function view(place: ReturnType<typeof readPlace>): ComponentChildren {
  const { view: which, name, search } = place;
  if (which === 'chains') return <Chains name={name} />;
  if (which === 'events')
    return name ? <EventPage id={name} key={name} /> : <Events search={search} />;
  if (which === 'handlers') return name ? <HandlerPage name={name} key={name} /> : <Handlers />;
  if (which === 'sources') return <Sources />;
  if (which === 'audit') return <Audit />;
  return <Tide />;
}

function Login({ why }: { why: string }) {
  const [text, setText] = useState('');
  return (
    <main class="login" id="main">
      <h1>Tidemark</h1>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (text.trim()) giveToken(text);
        }}
      >
        <Field
          label="Admin token"
          hint="One of admin.token(s) in the config. Kept in this tab until it is closed."
          type="password"
          value={text}
          set={setText}
          required
          focus
        />
        {why && (
          <p class="trouble" role="alert">
            {why}
          </p>
        )}
        <div class="buttons">
          <button>Show the dashboard</button>
        </div>
      </form>
    </main>
  );
}

function LinkState() {
  const { state, why } = useCell(link);
  const text = {
    connecting: 'connecting',
    stream: 'live',
    polling: 'live (polling)',
    away: 'no answer',
  }[state];
  return (
    <span class={`link ${state}`} role="status" title={why}>
      {text}
    </span>
  );
}

/** What is wrong anywhere, in a line each: first thing to be seen, whatever the view. */
function Alarms() {
  const s = useCell(status);
  const { state, why } = useCell(link);
  const lines: [string, string, string][] = [];
  if (state === 'away') lines.push(['bad', '#/', `No answer: ${why}. What is shown is old.`]);
  for (const c of s?.chains ?? []) {
    if (c.state === 'halted')
      lines.push(['bad', `#/chains/${c.name}`, `Chain ${c.name} is halted: ${c.reason ?? ''}`]);
    else if (c.state === 'degraded')
      lines.push(['warn', `#/chains/${c.name}`, `Chain ${c.name} is degraded: ${c.reason ?? ''}`]);
  }
  for (const h of s?.handlers ?? []) {
    if (h.state === 'broken')
      lines.push(['bad', `#/handlers/${h.name}`, `Handler ${h.name} is broken: ${h.reason ?? ''}`]);
    else if (h.state === 'active' && h.reason)
      lines.push(['warn', `#/handlers/${h.name}`, `Handler ${h.name}: ${h.reason}`]);
    else if (h.parked)
      lines.push(['warn', `#/handlers/${h.name}`, `Handler ${h.name}: ${h.parked} parked`]);
  }
  if (!lines.length) return null;
  return (
    <section aria-label="What needs a look">
      <ul class="alarms">
        {lines.slice(0, 6).map(([tone, href, text]) => (
          <li key={text} class={tone}>
            <a href={href}>{text}</a>
          </li>
        ))}
        {lines.length > 6 && <li class="warn">and {lines.length - 6} more</li>}
      </ul>
    </section>
  );
}

export function App() {
  const ask = useCell(asksForToken);
  const s = useCell(status);
  const [place, setPlace] = useState(readPlace);
  useEffect(() => {
    void askForToken().then(() => {
      start();
      startMetrics();
    });
    const moved = () =>
      setPlace((old) => {
        const next = readPlace();
        // Another view is read from its top, by eye and by ear.
        if (next.view !== old.view || next.name !== old.name) {
          document.getElementById('main')?.focus({ preventScroll: true });
          scrollTo(0, 0);
        }
        return next;
      });
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  const title = views.find(([id]) => id === place.view)?.[1] ?? 'Tide';
  useLayoutEffect(() => {
    document.title = `${title} · Tidemark${s ? ` ${s.instance}` : ''}`;
  }, [title, s?.instance]);

  if (ask) return <Login why={ask.why} />;
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(e) => {
          e.preventDefault();
          document.getElementById('main')!.focus();
        }}
      >
        Skip to the content
      </a>
      <header class="top">
        <p class="brand">
          <a href="#/">Tidemark</a> {s && <span class="soft">{s.instance}</span>}
        </p>
        <nav aria-label="Views">
          {views.map(([id, name]) => (
            <a key={id} href={`#/${id}`} aria-current={id === place.view ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <LinkState />
      </header>
      <Alarms />
      <main id="main" tabIndex={-1}>
        {s ? view(place) : <p class="nothing">Asking …</p>}
      </main>
      <footer>
        {s && (
          <p>
            Tidemark {s.version}, up {span(s.uptime_s)}
          </p>
        )}
        {hasToken() && (
          <button class="quiet" onClick={() => forgetToken('')}>
            Forget the token
          </button>
        )}
      </footer>
      <Sayings />
    </>
  );
}
