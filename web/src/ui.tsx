// SPDX-License-Identifier: MIT
// What the views are made of.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Refused } from './api';
import { Cell, now, useCell } from './cell';
import { ago, clock, count, short, words } from './format';
import { refresh } from './live';

const good = ['following', 'active', 'ok', 'confirmed', 'delivered', 'acknowledged', 'done'];
const plain = [
  'later',
  'open',
  'unknown',
  'starting',
  'catching_up',
  'pending',
  'queued',
  'held',
  'sending',
  'running',
];
const warn = ['degraded', 'paused', 'lagging', 'rate_limited', 'blocked', 'skipped', 'cancelled'];

export function tone(state: string): string {
  if (good.includes(state)) return 'good';
  if (plain.includes(state)) return 'wait';
  return warn.includes(state) ? 'warn' : 'bad';
}

export const Badge = ({ state }: { state: string }) => (
  <span class={`badge ${tone(state)}`}>{words(state)}</span>
);

export function Ago({ at }: { at: string | null }) {
  const time = useCell(now);
  return at === null ? (
    <>–</>
  ) : (
    <time dateTime={at} title={`${clock(at)} UTC`}>
      {ago(at, time)}
    </time>
  );
}

type Head = string | { name: string; num?: boolean; title?: string };

/** A table that scrolls by itself where it is wider than the screen, by keyboard too. Children: its rows. */
export function Table({
  label,
  heads,
  children,
}: {
  label: string;
  heads: Head[];
  children: ComponentChildren;
}) {
  const columns = heads.map((head) => (typeof head === 'string' ? { name: head } : head));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, num, title }) => (
              <th key={name} scope="col" class={num ? 'num' : undefined} title={title}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function Hash({ text, full = false }: { text: string; full?: boolean }) {
  return (
    <code class="hash" title={text}>
      {full ? text : short(text)}
    </code>
  );
}

export function BlockText({ block }: { block: { number: number; hash: string } | null }) {
  return block ? (
    <>
      {count(block.number)} <Hash text={block.hash} />
    </>
  ) : (
    <>–</>
  );
}

export function Facts({ rows }: { rows: [ComponentChildren, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {rows.map(([name, what], i) => (
        <div key={i}>
          <dt>{name}</dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}

export const Nothing = ({ children }: { children: ComponentChildren }) => (
  <p class="nothing">{children}</p>
);

/** Where something could not be had: why, in the daemon's words. */
export const Trouble = ({ error }: { error: Error }) => (
  <p class="trouble" role="alert">
    {error instanceof Refused && error.status === 404
      ? `This daemon does not have it: ${error.message}.`
      : `It could not be read: ${error.message}.`}
  </p>
);

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say('Copied.');
  } catch {
    say('The browser lets nothing be copied here (it wants https or localhost).', true);
  }
}

// Words at the bottom of the page

interface Said {
  text: string;
  bad: boolean;
}
const said = new Cell<Said | null>(null);
let until: ReturnType<typeof setTimeout> | undefined;

export function say(text: string, bad = false): void {
  said.set({ text, bad });
  clearTimeout(until);
  until = setTimeout(() => said.set(null), bad ? 12_000 : 6_000);
}

export function Sayings() {
  const one = useCell(said);
  return (
    <div class="sayings" role="status">
      {one && <p class={one.bad ? 'bad' : ''}>{one.text}</p>}
    </div>
  );
}

// Dialogs

export function Dialog(props: { title: string; close: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    box.current!.showModal();
    return () => before?.focus?.();
  }, []);
  return (
    <dialog ref={box} aria-labelledby={title} onClose={props.close}>
      <header>
        <h2 id={title}>{props.title}</h2>
        <button type="button" class="quiet" onClick={() => box.current!.close()} aria-label="Close">
          ✕
        </button>
      </header>
      {props.children}
    </dialog>
  );
}

export function Field(props: {
  label: string;
  hint?: string;
  value: string;
  set: (text: string) => void;
  type?: string;
  required?: boolean;
  focus?: boolean;
  pattern?: string;
  placeholder?: string;
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (props.focus) input.current!.focus();
  }, []);
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <input
        id={id}
        ref={input}
        type={props.type ?? 'text'}
        value={props.value}
        required={props.required}
        pattern={props.pattern}
        placeholder={props.placeholder}
        autocomplete="off"
        spellcheck={false}
        step={props.type === 'datetime-local' ? 1 : undefined}
        aria-describedby={props.hint ? `${id}-hint` : undefined}
        onInput={(e) => props.set(e.currentTarget.value)}
      />
      {props.hint && (
        <small id={`${id}-hint`} class="soft">
          {props.hint}
        </small>
      )}
    </div>
  );
}

/** An order that is asked for twice. `typed`: what must be typed before it can be given. */
export function Confirm(props: {
  title: string;
  children?: ComponentChildren;
  doing: string;
  typed?: string;
  reason?: 'optional' | 'required';
  danger?: boolean;
  close: () => void;
  run: (reason: string) => Promise<string>;
}) {
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const ready = !busy && (!props.typed || typed.trim() === props.typed);
  const submit = async (e: Event) => {
    e.preventDefault();
    if (!ready) return;
    setBusy(true);
    setError('');
    try {
      say(await props.run(reason.trim()));
      props.close();
      void refresh();
    } catch (failed) {
      setError((failed as Error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog title={props.title} close={props.close}>
      <form onSubmit={submit}>
        {props.children}
        {props.reason && (
          <Field
            label={props.reason === 'required' ? 'Why' : 'Why (optional)'}
            hint="Kept in the audit log."
            value={reason}
            set={setReason}
            required={props.reason === 'required'}
            focus
          />
        )}
        {props.typed && (
          <Field
            label={`Type ${props.typed} to confirm`}
            value={typed}
            set={setTyped}
            required
            focus={!props.reason}
          />
        )}
        {error && (
          <p class="trouble" role="alert">
            {error}
          </p>
        )}
        <div class="buttons">
          <button type="button" class="quiet" onClick={props.close}>
            Cancel
          </button>
          <button class={props.danger ? 'danger' : ''} disabled={!ready}>
            {busy ? 'Asking …' : props.doing}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Reads once, and again whenever `key` changes. */
export function useRead<T>(key: string | null, read: (signal: AbortSignal) => Promise<T>) {
  const [state, setState] = useState<{ key: string | null; value?: T; error?: Error }>({
    key: null,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (key === null) return;
    const stop = new AbortController();
    read(stop.signal).then(
      (value) => !stop.signal.aborted && setState({ key, value }),
      (error) => !stop.signal.aborted && setState((old) => ({ ...old, key, error })),
    );
    return () => stop.abort();
  }, [key, turn]);
  return { ...state, again: () => setTurn((n) => n + 1) };
}
