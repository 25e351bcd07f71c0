// SPDX-License-Identifier: MIT
import { useCell } from './cell';
import { count, seconds } from './format';
import { status } from './live';
import { leads, metrics, type Lead } from './metrics';
import { Ago, Nothing, Table } from './ui';

const W = 720;
const H = 160;
const LEFT = 56;

/** How much earlier than the chain's own pass a webhook named a block, over the time of this page. */
function LeadPlot({ name, points }: { name: string; points: Lead[] }) {
  const known = points.filter((p) => p.seconds !== null);
  if (!known.length)
    return <Nothing>No webhook of {name} has named a block before or after us yet.</Nothing>;
  const top = Math.max(0.1, ...known.map((p) => p.seconds!));
  const bottom = Math.min(0, ...known.map((p) => p.seconds!));
  const first = points[0].at;
  const width = Math.max(30_000, points.at(-1)!.at - first);
  const x = (at: number) => LEFT + ((at - first) / width) * (W - LEFT - 12);
  const y = (s: number) => 14 + ((top - s) / (top - bottom || 1)) * (H - 34);
  const line = known.map(
    (p, i) => `${i ? 'L' : 'M'}${x(p.at).toFixed(1)} ${y(p.seconds!).toFixed(1)}`,
  );
  const last = known.at(-1)!.seconds!;
  return (
    <figure class="plot">
      <figcaption>
        <b>{name}</b> <span class="soft">last {seconds(last)} ahead</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${W} ${H}`}
        role="img"
        aria-label={`Lead of ${name} over time: last ${seconds(last)}, at most ${seconds(top)}`}
      >
        <line class="axis" x1={LEFT} x2={W - 8} y1={y(0)} y2={y(0)} />
        <text x={LEFT - 6} y={y(top) + 4} text-anchor="end">
          {seconds(top)}
        </text>
        <text x={LEFT - 6} y={y(0) + 4} text-anchor="end">
          0
        </text>
        <text x={LEFT} y={H - 4}>
          {new Date(first).toLocaleTimeString('en-GB')}
        </text>
        <text x={W - 8} y={H - 4} text-anchor="end">
          {new Date(first + width).toLocaleTimeString('en-GB')}
        </text>
        <path d={line.join('')} />
        {known.map((p) => (
          <circle key={p.at} cx={x(p.at)} cy={y(p.seconds!)} r="2.500">
            <title>{`${new Date(p.at).toLocaleTimeString('en-GB')}: ${seconds(p.seconds)}`}</title>
          </circle>
        ))}
      </svg>
    </figure>
  );
}

export function Sources() {
  const s = useCell(status)!;
  const samples = useCell(metrics);
  if (!s.sources.length)
    return (
      <>
        <h1>Sources</h1>
        <Nothing>No source is in the config: the chain alone is followed.</Nothing>
      </>
    );
  return (
    <>
      <h1>Sources</h1>
      <p class="lead">How good each provider's webhooks are, measured against the chain itself.</p>
      <Table
        label="Quality of the sources"
        heads={[
          'Source',
          'Provider',
          'Last',
          { name: 'Received', num: true },
          { name: 'Duplicate', num: true },
          { name: 'Late', num: true, title: 'Named an event after the chain had shown it' },
          { name: 'Missed', num: true, title: 'Events that it never named' },
          { name: 'False', num: true, title: 'Named what the chain does not show' },
          { name: 'Unauthorized', num: true, title: 'Refused: signature or address' },
        ]}
      >
        {s.sources.map((one) => (
          <tr key={one.name}>
            <th scope="row">
              <a href={`#/events?first_seen=${encodeURIComponent(`webhook:${one.name}`)}`}>
                {one.name}
              </a>
            </th>
            <td>{one.provider}</td>
            <td>
              <Ago at={one.last_at} />{' '}
              {one.last_result && <span class="soft">{one.last_result}</span>}
            </td>
            <td class="num">{count(one.received)}</td>
            <td class="num">{count(one.duplicate)}</td>
            <td class="num">{count(one.late)}</td>
            <td class={`num ${one.missed ? 'warn' : ''}`}>{count(one.missed)}</td>
            <td class={`num ${one.false ? 'bad' : ''}`}>{count(one.false)}</td>
            <td class={`num ${one.unauthorized ? 'bad' : ''}`}>{count(one.unauthorized)}</td>
          </tr>
        ))}
      </Table>
      <h2>Lead over time</h2>
      <p class="lead">
        How much earlier a webhook named a block than the head pass; below 0 it came late.
      </p>
      {samples === null ? (
        <Nothing>This daemon gives no metrics here.</Nothing>
      ) : (
        s.sources.map((one) => (
          <LeadPlot key={one.name} name={one.name} points={leads.get(one.name) ?? []} />
        ))
      )}
    </>
  );
}
