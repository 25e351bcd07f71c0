// SPDX-License-Identifier: MIT
// Sends again what a handler was sent: first how much it would be, then, if wanted, the sending.
import { useEffect, useState } from 'preact/hooks';
import { get, part, send } from './api';
import { useCell } from './cell';
import { plural, words } from './format';
import { refresh, status } from './live';
import { Dialog, Field } from './ui';

const empty = {
  since: '',
  until: '',
  from_seq: '',
  to_seq: '',
  event_id: '',
  chain: '',
  from_block: '',
  to_block: '',
  rate: '',
  reason: '',
};
type Chosen = typeof empty;
const numbers: (keyof Chosen)[] = ['from_seq', 'to_seq', 'from_block', 'to_block', 'rate'];

function body(chosen: Chosen, asNew: boolean): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(chosen) as [keyof Chosen, string][]) {
    if (!text.trim() || (name === 'reason' && !asNew)) continue;
    if (numbers.includes(name)) out[name] = Number(text);
    else if (name === 'since' || name === 'until') out[name] = new Date(text).toISOString();
    else out[name] = text.trim();
  }
  if (asNew) out.as_new = true;
  return out;
}

interface Job {
  id: string | number;
  state: string;
}

export function Replay({ handler, close }: { handler: string; close: () => void }) {
  const s = useCell(status)!;
  const [chosen, setChosen] = useState(empty);
  const [asNew, setAsNew] = useState(false);
  const [found, setFound] = useState<number | null>(null);
  const [job, setJob] = useState<Job | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const set = (name: keyof Chosen) => (text: string) => {
    setChosen((old) => ({ ...old, [name]: text }));
    setFound(null);
  };
  const field = (name: keyof Chosen, label: string, more = {}) => (
    <Field label={label} value={chosen[name]} set={set(name)} {...more} />
  );
  const order = async (dry: boolean) => {
    setBusy(true);
    setError('');
    try {
      const answer = await send<{ count: number; job: string | number | null }>(
        `v1/handlers/${part(handler)}/replay`,
        { ...body(chosen, asNew), dry_run: dry },
      );
      if (dry) setFound(answer.count);
      else {
        setJob({ id: answer.job ?? '', state: answer.job == null ? 'done' : 'running' });
        setFound(answer.count);
        void refresh();
      }
    } catch (failed) {
      setError((failed as Error).message);
    }
    setBusy(false);
  };
  useEffect(() => {
    if (job?.state !== 'running') return;
    const timer = setTimeout(async () => {
      try {
        setJob(await get<Job>(`v1/jobs/${part(String(job.id))}`));
      } catch (failed) {
        setError((failed as Error).message);
      }
    }, 500);
    return () => clearTimeout(timer);
  }, [job]);

  if (job)
    return (
      <Dialog title={`Replay to ${handler}`} close={close}>
        <p role="status">
          {plural(found ?? 0, 'message')}: {words(job.state)}
          {job.state === 'running' ? ' …' : '.'}
        </p>
        {error && (
          <p class="trouble" role="alert">
            {error}
          </p>
        )}
        <div class="buttons">
          <button onClick={close}>Close</button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={`Replay to ${handler}`} close={close}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          void order(true);
        }}
      >
        <p>
          Sends again what {handler} was sent, with the same ids and bytes, so a handler that knows
          them does nothing twice. What is left empty does not narrow it.
        </p>
        <div class="pairs">
          {field('since', 'Since (local time)', { type: 'datetime-local' })}
          {field('until', 'Until (local time)', { type: 'datetime-local' })}
          {field('from_seq', 'From feed seq', { pattern: '[0-9]+' })}
          {field('to_seq', 'To feed seq', { pattern: '[0-9]+' })}
        </div>
        {field('event_id', 'One event', { placeholder: '1:0x…:12' })}
        <div class="field">
          <label for="replay-chain">Chain</label>
          <select
            id="replay-chain"
            value={chosen.chain}
            onChange={(e) => set('chain')(e.currentTarget.value)}
          >
            <option value="">any</option>
            {s.chains.map((c) => (
              <option key={c.name}>{c.name}</option>
            ))}
          </select>
        </div>
        <div class="pairs">
          {field('from_block', 'From block', { pattern: '[0-9]+' })}
          {field('to_block', 'To block', { pattern: '[0-9]+' })}
          {field('rate', 'Messages a second', { pattern: '[0-9]+', placeholder: 'no limit' })}
        </div>
        <label class="check">
          <input
            type="checkbox"
            checked={asNew}
            onChange={(e) => {
              setAsNew(e.currentTarget.checked);
              setFound(null);
            }}
          />
          With new ids: the handler takes each for a new message
        </label>
        {asNew && field('reason', 'Why', { required: true })}
        {error && (
          <p class="trouble" role="alert">
            {error}
          </p>
        )}
        {found !== null && (
          <p role="status" class="found">
            It would send {plural(found, 'message')}.
          </p>
        )}
        <div class="buttons">
          <button type="button" class="quiet" onClick={close}>
            Cancel
          </button>
          <button class={found ? 'quiet' : ''} disabled={busy}>
            How many?
          </button>
          {found !== null && found > 0 && (
            <button
              type="button"
              class={asNew ? 'danger' : ''}
              disabled={busy}
              onClick={() => order(false)}
            >
              Send {plural(found, 'message')}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
