// SPDX-License-Identifier: MIT
import { useState } from 'preact/hooks';
import { get, part, type Chain, type Page, type Reorg } from './api';
import { Reconcile, Resume, SkipBlocks } from './chain_orders';
import { useCell } from './cell';
import { count, plural, shortId } from './format';
import { status } from './live';
import { Ago, Badge, BlockText, Facts, Nothing, Table, Trouble, useRead } from './ui';

type Order = 'resume' | 'skip' | 'reconcile' | null;

function ChainCard({ chain, open }: { chain: Chain; open: boolean }) {
  const [order, setOrder] = useState<Order>(null);
  const close = () => setOrder(null);
  const c = chain;
  return (
    <article class="card wide" id={`chain-${c.name}`} data-open={open || undefined}>
      <header>
        <h2>{c.name}</h2>
        <Badge state={c.state} />
        <span class="soft">chain id {c.id}</span>
      </header>
      {c.reason && <p class={`reason ${c.state === 'halted' ? 'bad' : ''}`}>{c.reason}</p>}
      <Facts
        rows={[
          ['head', <BlockText block={c.head} />],
          ['mark', <BlockText block={c.mark} />],
          ['behind', plural(c.lag_blocks, 'block')],
          ['safe', count(c.safe)],
          ['finalized', count(c.finalized)],
          [
            'last reconcile',
            c.last_reconcile ? (
              <>
                <Ago at={c.last_reconcile.at} />, {count(c.last_reconcile.from)}–
                {count(c.last_reconcile.to)}: {c.last_reconcile.missing} missing,{' '}
                {c.last_reconcile.extra} extra
              </>
            ) : (
              '–'
            ),
          ],
          [
            'last reorg',
            c.last_reorg ? (
              <>
                <Ago at={c.last_reorg.at} />, {plural(c.last_reorg.depth, 'block')} deep,{' '}
                {plural(c.last_reorg.rolled_back, 'event')} rolled back
              </>
            ) : (
              'none'
            ),
          ],
        ]}
      />
      <Table
        label={`Endpoints of ${c.name}`}
        heads={[
          'Endpoint',
          'State',
          { name: 'Head', num: true },
          { name: 'Latency', num: true },
          { name: 'Errors', num: true },
          { name: 'Lies', num: true },
        ]}
      >
        {c.endpoints.map((e) => (
          <tr key={e.name}>
            <th scope="row">{e.name}</th>
            <td>
              <Badge state={e.state} />
            </td>
            <td class="num">{count(e.head)}</td>
            <td class="num">{Math.round(e.latency_ms)} ms</td>
            <td class="num">{count(e.errors)}</td>
            <td class={`num ${e.lies ? 'bad' : ''}`}>{count(e.lies)}</td>
          </tr>
        ))}
      </Table>
      {c.backfills.length > 0 && (
        <ul class="backfills">
          {c.backfills.map((b) => (
            <li key={b.subscription + b.from}>
              Backfill of <b>{b.subscription}</b>: {count(b.from)} to {count(b.to)}, now at{' '}
              {count(b.at)}
              <progress
                aria-label={`Backfill of ${b.subscription}`}
                max={Math.max(1, b.to - b.from)}
                value={Math.max(0, (b.at ?? b.from) - b.from)}
              />
            </li>
          ))}
        </ul>
      )}
      <div class="buttons start">
        {c.state === 'halted' && (
          <button class="danger" onClick={() => setOrder('resume')}>
            Resume …
          </button>
        )}
        <button class="quiet" onClick={() => setOrder('reconcile')}>
          Reconcile …
        </button>
        {(c.state === 'degraded' || c.state === 'catching_up') && (
          <button class="quiet" onClick={() => setOrder('skip')}>
            Skip blocks …
          </button>
        )}
        <a class="button quiet" href={`#/events?chain=${part(c.name)}`}>
          Its events
        </a>
      </div>
      {order === 'resume' && <Resume chain={c} close={close} />}
      {order === 'skip' && <SkipBlocks chain={c} close={close} />}
      {order === 'reconcile' && <Reconcile chain={c} close={close} />}
    </article>
  );
}

export function Reorgs({ chain }: { chain?: string }) {
  const s = useCell(status);
  // Read again when a chain tells of another one.
  const key = (s?.chains ?? []).map((c) => c.last_reorg?.at ?? '').join();
  const { value, error } = useRead(`reorgs ${key}`, (signal) =>
    get<Page<Reorg>>('v1/reorgs?limit=100', signal),
  );
  if (error && !value) return <Trouble error={error} />;
  const items = (value?.items ?? []).filter((r) => !chain || r.chain === chain);
  if (!items.length) return <Nothing>No block of ours has ever left its chain.</Nothing>;
  return (
    <Table
      label="Reorgs"
      heads={[
        'When',
        'Chain',
        { name: 'Depth', num: true },
        'In common',
        'Head before',
        'Head after',
        { name: 'Rolled back', num: true },
      ]}
    >
      {items.map((r) => (
        <tr key={r.chain + r.at + shortId(r.new_head.hash)}>
          <td>
            <Ago at={r.at} />
          </td>
          <td>{r.chain}</td>
          <td class="num">{count(r.depth)}</td>
          <td>
            <BlockText block={r.ancestor} />
          </td>
          <td>
            <BlockText block={r.old_head} />
          </td>
          <td>
            <BlockText block={r.new_head} />
          </td>
          <td class={`num ${r.rolled_back ? 'bad' : ''}`}>{count(r.rolled_back)}</td>
        </tr>
      ))}
    </Table>
  );
}

export function Chains({ name }: { name: string }) {
  const s = useCell(status)!;
  const chains = [...s.chains].sort((a, b) => Number(b.name === name) - Number(a.name === name));
  return (
    <>
      <h1>Chains</h1>
      {chains.map((c) => (
        <ChainCard key={c.name} chain={c} open={c.name === name} />
      ))}
      <h2>Reorgs</h2>
      <Reorgs />
    </>
  );
}
