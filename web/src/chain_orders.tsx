// SPDX-License-Identifier: MIT
// What can be ordered of a chain.
import { useState } from 'preact/hooks';
import { get, part, Refused, send, type Chain } from './api';
import { count } from './format';
import { BlockText, Confirm, Dialog, Facts, Field, say } from './ui';

/** First looks again; only what the daemon then says is put before the person who must decide. */
export function Resume({ chain, close }: { chain: Chain; close: () => void }) {
  const [loss, setLoss] = useState<Record<string, unknown> | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const path = `v1/chains/${part(chain.name)}/resume`;
  const look = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    try {
      const { state } = await send<{ state: string }>(path, { accept_reorg: false });
      say(`${chain.name} is our chain after all: ${state}.`);
      close();
    } catch (failed) {
      if (failed instanceof Refused && failed.status === 409) setLoss(failed.body);
      else setError((failed as Error).message);
    }
    setBusy(false);
  };
  if (!loss)
    return (
      <Dialog title={`Resume ${chain.name}`} close={close}>
        <form onSubmit={look}>
          <p>{chain.reason}</p>
          <p>
            Tidemark looks at the chain again. If it is ours after all it goes on; if not, it says
            what would be taken back, and nothing happens until you accept that.
          </p>
          {error && (
            <p class="trouble" role="alert">
              {error}
            </p>
          )}
          <div class="buttons">
            <button type="button" class="quiet" onClick={close}>
              Cancel
            </button>
            <button disabled={busy}>{busy ? 'Looking …' : 'Look again'}</button>
          </div>
        </form>
      </Dialog>
    );
  const ancestor = loss.ancestor as { number: number; hash: string } | null | undefined;
  return (
    <Confirm
      title={`Accept the reorg of ${chain.name}`}
      doing="Take it back and go on"
      danger
      typed={chain.name}
      close={close}
      run={async () => {
        const { state } = await send<{ state: string }>(path, { accept_reorg: true });
        return `${chain.name}: the reorg is accepted, ${state}.`;
      }}
    >
      <p>The endpoints show another chain than the one that was confirmed.</p>
      <Facts
        rows={[
          ['last block in common', <BlockText block={ancestor ?? null} />],
          ['our blocks that left', count(loss.depth as number)],
          ['confirmed events to take back', count(loss.rolled_back as number)],
        ]}
      />
      <p>
        Every handler that was told of them is told that they are undone. Make sure first that the
        endpoints show the right chain.
      </p>
    </Confirm>
  );
}

export function SkipBlocks({ chain, close }: { chain: Chain; close: () => void }) {
  const [from, setFrom] = useState(chain.mark ? String(chain.mark.number + 1) : '');
  const [to, setTo] = useState('');
  return (
    <Confirm
      title={`Skip blocks of ${chain.name}`}
      doing="Skip them"
      danger
      reason="required"
      typed={chain.name}
      close={close}
      run={async (reason) => {
        const body = { from_block: Number(from), to_block: Number(to), reason };
        await send(`v1/chains/${part(chain.name)}/skip`, body);
        return `The mark may pass ${from} to ${to}.`;
      }}
    >
      <p>
        The mark passes blocks that no endpoint serves. What is in them is not found any more; a gap
        says so for ever.
      </p>
      <Field label="From block" value={from} set={setFrom} required pattern="[0-9]+" />
      <Field label="To block" value={to} set={setTo} required pattern="[0-9]+" />
    </Confirm>
  );
}

interface Job {
  id: string | number;
  state: string;
  missing?: number;
  extra?: number;
  equal?: number;
}

export function Reconcile({ chain, close }: { chain: Chain; close: () => void }) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState(chain.mark ? String(chain.mark.number) : '');
  const [apply, setApply] = useState(false);
  return (
    <Confirm
      title={`Reconcile ${chain.name}`}
      doing={apply ? 'Read again and repair' : 'Read again and compare'}
      close={close}
      run={async () => {
        const body = { from_block: Number(from), to_block: Number(to), apply };
        let job = await send<Job & { job?: string | number }>(
          `v1/chains/${part(chain.name)}/reconcile`,
          body,
        );
        const id = job.id ?? job.job;
        while (id !== undefined && (job.state ?? 'running') === 'running') {
          await new Promise((done) => setTimeout(done, 500));
          job = await get<Job>(`v1/jobs/${part(String(id))}`);
        }
        if (job.state !== 'done')
          throw new Error(`Blocks ${from} to ${to} are not compared: the job ${job.state}.`);
        return `Blocks ${from} to ${to}: ${count(job.missing)} missing, ${count(job.extra)} extra, ${count(job.equal)} equal.`;
      }}
    >
      <Field label="From block" value={from} set={setFrom} required pattern="[0-9]+" focus />
      <Field label="To block" value={to} set={setTo} required pattern="[0-9]+" />
      <label class="check">
        <input
          type="checkbox"
          checked={apply}
          onChange={(e) => setApply(e.currentTarget.checked)}
        />
        Store and send what is missing
      </label>
    </Confirm>
  );
}
