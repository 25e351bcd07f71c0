// SPDX-License-Identifier: MIT
// A chain's strip as a picture that can be pointed at and walked by keyboard.
import { Fragment } from 'preact';
import { useRef } from 'preact/hooks';
import type { Chain, EventItem } from './api';
import { count, plural } from './format';
import { compensated, inclusion, type Strip, type TideBlock } from './tide_model';

const TOP = 40; // where the cells begin
const CELL = 48;
const LANE = 46;
const LANE_CELL = 30;

/** The water's face, from the mark to the left. */
const waves = 'q-9 -5 -18 0t-18 0'.repeat(170);

export const kinds: Record<TideBlock['state'], string> = {
  settled: 'at or below the mark',
  waiting: 'waiting for the mark',
  left: 'left the chain',
};

function label(b: TideBlock): string {
  const events = b.events.length ? plural(b.events.length, 'event') : 'no events';
  return `Block ${b.number}, ${kinds[b.state]}, ${events}`;
}

/** An event in its cell, by shape and not by colour alone. */
function Dot({ event, x, y }: { event: EventItem; x: number; y: number }) {
  if (event.status === 'rolled_back')
    return <path class="dot undone" d={`M${x - 3.5} ${y - 3.5}l7 7m0 -7l-7 7`} />;
  const shape = event.status === 'pending' ? 'dot pending' : 'dot confirmed';
  return compensated(event) ? (
    <path class={shape} d={`M${x} ${y - 5}l5 5l-5 5l-5 -5z`} />
  ) : (
    <circle class={shape} cx={x} cy={y} r="4" />
  );
}

interface CellBox {
  block: TideBlock;
  pitch: number;
  height: number;
}
const STEP = 13; // between two events of a cell

/** Which events of a block are drawn, where, and how many are not. */
function inCell({ block, pitch, height }: CellBox) {
  const most = height > 40 ? 3 : 2;
  const all = block.events.length;
  const shown = block.events.slice(0, all > most ? most - 1 : most);
  const lines = shown.length + (all > most ? 1 : 0);
  return {
    shown,
    more: all - shown.length,
    first: height / 2 - ((lines - 1) * STEP) / 2,
    x: (pitch - 6) / 2,
  };
}

function CellShape(props: CellBox) {
  const { shown, first, x } = inCell(props);
  return (
    <>
      <rect width={props.pitch - 6} height={props.height} rx="5" />
      {shown.map((e, i) => (
        <Dot key={inclusion(e)} event={e} x={x} y={first + i * STEP} />
      ))}
    </>
  );
}

function MoreText(props: CellBox) {
  const { shown, more, first, x } = inCell(props);
  if (!more) return null;
  return (
    <text x={x} y={first + shown.length * STEP + 4} text-anchor="middle">
      {more > 99 ? '99+' : `+${more}`}
    </text>
  );
}

export function Drawing(props: {
  chain: Chain;
  strip: Strip;
  width: number;
  pitch: number;
  chosen: string | null;
  choose: (key: string | null) => void;
}) {
  const { chain, strip: s, width, pitch, chosen, choose } = props;
  const svg = useRef<SVGSVGElement>(null);
  const lanes = s.branches.reduce((n, b) => Math.max(n, b.lane), 0);
  const base = TOP + CELL;
  const height = base + 22 + lanes * LANE + (lanes ? 4 : 0);
  const x = (slot: number) => 4 + slot * pitch;
  const laneY = (lane: number) => base + 20 + (lane - 1) * LANE + 10;
  const all = [...s.blocks, ...s.branches.flatMap((b) => b.blocks)];
  const current = all.some((b) => b.key === chosen) ? chosen : (s.blocks.at(-1)?.key ?? null);
  const markX = s.markSlot === null ? null : x(s.markSlot) + pitch - 3;

  const move = (e: KeyboardEvent) => {
    const at = all.findIndex((b) => b.key === current);
    const from = all[at];
    if (!from) return;
    const near = (lane: number) =>
      all
        .filter((b) => b.lane === lane)
        .sort((a, b) => Math.abs(a.slot - from.slot) - Math.abs(b.slot - from.slot))[0];
    const beside = (by: number) =>
      all.find((b) => b.lane === from.lane && b.slot === from.slot + by) ??
      all.find((b) => b.lane === from.lane && b.slot === from.slot + 2 * by);
    const ways: Record<string, () => TideBlock | undefined> = {
      ArrowLeft: () => beside(-1),
      ArrowRight: () => beside(1),
      ArrowUp: () => near(from.lane - 1),
      ArrowDown: () => near(from.lane + 1),
      Home: () => s.blocks[0],
      End: () => s.blocks.at(-1),
    };
    const to = ways[e.key]?.();
    if (!to) return;
    e.preventDefault();
    choose(to.key);
    svg.current!.querySelector<SVGGElement>(`[data-key="${to.key}"]`)?.focus();
  };

  const cell = (b: TideBlock) => {
    const place = { transform: `translate(${x(b.slot)}px, ${b.lane ? laneY(b.lane) : TOP}px)` };
    const box = { pitch, height: b.lane ? LANE_CELL : CELL };
    return (
      <Fragment key={b.key}>
        <g
          data-key={b.key}
          data-block={b.number}
          class={`cell ${b.state} ${b.key === chosen ? 'chosen' : ''}`}
          style={place}
          role="button"
          tabIndex={b.key === current ? 0 : -1}
          aria-label={label(b)}
          aria-pressed={b.key === chosen}
          onFocus={() => choose(b.key)}
          onMouseEnter={() => choose(b.key)}
          onClick={() => choose(b.key)}
        >
          <CellShape block={b} {...box} />
        </g>
        <g class="more" style={place} aria-hidden="true">
          <MoreText block={b} {...box} />
        </g>
      </Fragment>
    );
  };

  const flag = chain.mark ? `mark ${count(chain.mark.number)}` : '';
  const flagLeft = markX !== null && markX > 110;
  return (
    <svg
      ref={svg}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label={`The last blocks of ${chain.name}: head ${chain.head?.number}, mark ${chain.mark?.number ?? 'none yet'}`}
      onKeyDown={move}
    >
      {markX !== null && (
        <g class="water" aria-hidden="true" style={{ transform: `translateX(${markX}px)` }}>
          <path d={`M0 ${TOP - 7}${waves}V${base + 6}H0z`} />
        </g>
      )}
      {s.branches.map((b) => {
        const y = laneY(b.lane) + LANE_CELL / 2;
        const from = x(b.fromSlot) + (pitch - 6) / 2;
        const first = x(b.blocks[0].slot);
        const last = x(b.blocks.at(-1)!.slot) + pitch - 6;
        return (
          <g class="branch" key={b.reorg.at + b.reorg.new_head.hash} aria-hidden="true">
            <path
              d={`M${from} ${base}C${from} ${base + 16} ${from} ${y} ${Math.max(from + 8, first)} ${y}H${last}`}
            />
            <text x={last + 8} y={y + 4}>
              {last + 270 < width
                ? `${plural(b.reorg.depth, 'block')} left the chain${b.reorg.rolled_back ? `, ${count(b.reorg.rolled_back)} rolled back` : ''}`
                : plural(b.reorg.depth, 'block')}
            </text>
          </g>
        );
      })}
      {s.blocks.map(cell)}
      {s.hidden && (
        <g class="hidden" aria-hidden="true">
          <text x={x(s.hidden.slot) + (pitch - 6) / 2} y={TOP + CELL / 2 + 4} text-anchor="middle">
            ⋯
          </text>
          <text x={x(s.hidden.slot) + (pitch - 6) / 2} y={base + 16} text-anchor="middle">
            {count(s.hidden.count)} more
          </text>
        </g>
      )}
      {s.branches.flatMap((b) => b.blocks.map(cell))}
      <g class="axis" aria-hidden="true">
        {s.blocks
          .filter((b) => b.number % 5 === 0)
          .filter((b) => !s.hidden || Math.abs(b.slot - s.hidden.slot) > 2)
          .filter((b) => !s.branches.some((branch) => branch.fromSlot === b.slot))
          .map((b) => (
            <text
              key={count(b.number)}
              style={{ transform: `translateX(${x(b.slot) + (pitch - 6) / 2}px)` }}
              y={base + 16}
              text-anchor="middle"
            >
              {b.number}
            </text>
          ))}
      </g>
      {markX !== null && (
        <g class="mark" aria-hidden="true" style={{ transform: `translateX(${markX}px)` }}>
          <line y1="12" y2={base + 4} />
          <text x={flagLeft ? -7 : 7} y="22" text-anchor={flagLeft ? 'end' : 'start'}>
            {flag}
          </text>
        </g>
      )}
    </svg>
  );
}
