// SPDX-License-Identifier: MIT
import { useEffect, useState } from 'preact/hooks';
import { get, query, type Page } from './api';
import { count } from './format';
import { Ago, Nothing, Table, Trouble } from './ui';

interface Entry {
  id: number;
  at: string;
  who: string;
  what: string;
  detail: string;
}
interface Gap {
  id: number;
  at: string;
  who: string;
  chain: string | null;
  from_block: number | null;
  to_block: number | null;
  reason: string;
}

/** A list page by page, the newest first, and its first page again every few seconds. */
function useList<T extends { id: number }>(path: string) {
  const [items, setItems] = useState<T[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const read = async (after: string | null) => {
    try {
      const page = await get<Page<T>>(path + query({ limit: 100, after }));
      setError(null);
      setItems((old) => {
        const known = new Set((old ?? []).map((i) => i.id));
        const fresh = page.items.filter((i) => !known.has(i.id));
        return after ? [...(old ?? []), ...fresh] : [...fresh, ...(old ?? [])];
      });
      setNext((old) => (after || old === null ? page.next : old));
    } catch (failed) {
      setError(failed as Error);
    }
  };
  useEffect(() => {
    void read(null);
    const timer = setInterval(() => !document.hidden && read(null), 3000);
    return () => clearInterval(timer);
  }, [path]);
  return { items, error, more: next === null ? null : () => read(next) };
}

function More({ more }: { more: (() => void) | null }) {
  return more ? (
    <div class="buttons start">
      <button class="quiet" onClick={more}>
        Older ones
      </button>
    </div>
  ) : null;
}

function AuditTable() {
  const { items, error, more } = useList<Entry>('v1/audit');
  if (error && !items) return <Trouble error={error} />;
  if (!items) return <Nothing>Asking …</Nothing>;
  if (!items.length) return <Nothing>Nobody has ordered anything yet.</Nothing>;
  return (
    <>
      <Table label="Audit log" heads={['When', 'Who', 'What', 'Detail']}>
        {items.map((e) => (
          <tr key={e.id}>
            <td>
              <Ago at={e.at} />
            </td>
            <td>{e.who}</td>
            <td>{e.what}</td>
            <td class="long">{e.detail}</td>
          </tr>
        ))}
      </Table>
      <More more={more} />
    </>
  );
}

function GapTable() {
  const { items, error, more } = useList<Gap>('v1/gaps');
  if (error && !items) return <Trouble error={error} />;
  if (!items) return <Nothing>Asking …</Nothing>;
  if (!items.length) return <Nothing>Nothing was ever skipped.</Nothing>;
  return (
    <>
      <Table label="Gaps" heads={['When', 'Who', 'Chain', 'Blocks', 'Why']}>
        {items.map((g) => (
          <tr key={g.id}>
            <td>
              <Ago at={g.at} />
            </td>
            <td>{g.who}</td>
            <td>{g.chain ?? '–'}</td>
            <td>{g.from_block === null ? '–' : `${count(g.from_block)}–${count(g.to_block)}`}</td>
            <td class="long">{g.reason}</td>
          </tr>
        ))}
      </Table>
      <More more={more} />
    </>
  );
}

export function Audit() {
  return (
    <>
      <h1>Audit</h1>
      <p class="lead">Who did what, when and why: every order by API or command line.</p>
      <AuditTable />
      <h2>Gaps</h2>
      <p class="lead">What was skipped on somebody's order.</p>
      <GapTable />
    </>
  );
}
