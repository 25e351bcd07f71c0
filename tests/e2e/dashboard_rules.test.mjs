// SPDX-License-Identifier: MIT
// What the dashboard reckons before it draws: which blocks, where, which branches; and quantiles.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('../../web/', import.meta.url));
const { buildSync } = createRequire(web)('esbuild');

/** A module of the dashboard that needs no page. */
function load(name) {
  const built = buildSync({
    entryPoints: [`${web}src/${name}`],
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
  });
  return import(
    `data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString('base64')}`
  );
}
const { strip, windowOf } = await load('tide_model.ts');
const { parse, quantile, sum } = await load('prometheus.ts');

const at = (number, fork = '') => ({ number, hash: `${fork}${number}` });
const chain = (head, mark) => ({ head: at(head), mark: mark === null ? null : at(mark) });
const row = (number, fork = '', parent = `${fork}${number - 1}`) => ({
  ...at(number, fork),
  parent,
  timestamp: number * 12,
  canonical: fork === '',
});
const rows = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => row(from + i));
const event = (id, hash, status = 'confirmed') => ({
  event_id: id,
  status,
  block: { number: 0, hash },
  first_seen: 'head',
});
const reorg = (ancestor, oldHead, newHead, when = 'then') => ({
  chain: 'c',
  at: when,
  depth: oldHead - ancestor,
  ancestor: at(ancestor),
  old_head: at(oldHead, 'x'),
  new_head: at(newHead),
  rolled_back: 1,
});

for (const [name, head, mark, slots, parts, hidden] of [
  ['the newest blocks', 100, 97, 20, [[81, 100]], 0],
  ['a young chain', 5, 3, 20, [[0, 5]], 0],
  ['no mark yet', 100, null, 20, [[81, 100]], 0],
  ['the mark just fits', 100, 84, 20, [[81, 100]], 0],
  [
    'the mark far below',
    1000,
    500,
    20,
    [
      [497, 501],
      [987, 1000],
    ],
    485,
  ],
  [
    'the mark at the first block',
    1000,
    0,
    20,
    [
      [0, 1],
      [984, 1000],
    ],
    982,
  ],
])
  test(`the window: ${name}`, () => {
    const found = windowOf(chain(head, mark), slots);
    assert.deepEqual(found, { parts, hidden });
    const cells = parts.reduce((n, [a, b]) => n + b - a + 1, 0) + (hidden ? 1 : 0);
    assert.ok(cells <= slots);
  });

test('no head yet: nothing to draw', () => {
  assert.deepEqual(windowOf({ head: null, mark: null }, 20), { parts: [], hidden: 0 });
  assert.deepEqual(strip({ head: null, mark: null }, 20, [], [], []).blocks, []);
});

test('blocks in their slots, the mark among them, events in their blocks', () => {
  const s = strip(chain(12, 10), 10, rows(3, 12), [event('a', '7'), event('b', 'gone')], []);
  assert.deepEqual(
    s.blocks.map((b) => [b.number, b.slot, b.state === 'settled', b.events.length]),
    [3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n, i) => [n, i, n <= 10, n === 7 ? 1 : 0]),
  );
  assert.equal(s.markSlot, 7);
  assert.equal(s.hidden, null);
});

test('a mark left of the strip, and one far below', () => {
  assert.equal(strip(chain(12, null), 10, [], [], []).markSlot, null);
  const far = strip(chain(1000, 500), 20, [], [], []);
  assert.deepEqual(far.hidden, { slot: 5, count: 485 });
  assert.equal(far.markSlot, 3);
  assert.equal(far.blocks.at(-1).slot, 19);
});

test('a branch: just the blocks that left, below the ones in their place', () => {
  const left = [row(8, 'x', '7'), row(9, 'x')];
  const events = [event('a', 'x8', 'rolled_back'), event('a', '9')];
  const [branch, ...more] = strip(chain(12, 10), 10, [...rows(3, 12), ...left], events, [
    reorg(7, 9, 10),
  ]).branches;
  assert.deepEqual(more, []);
  assert.equal(branch.fromSlot, 4);
  assert.deepEqual(
    branch.blocks.map((b) => [b.hash, b.slot, b.lane, b.state, b.events.length]),
    [
      ['x8', 5, 1, 'left', 1],
      ['x9', 6, 1, 'left', 0],
    ],
  );
});

test('a branch whose blocks are not held any more is drawn by height', () => {
  const [branch] = strip(chain(12, 10), 10, rows(3, 12), [], [reorg(7, 9, 10)]).branches;
  assert.deepEqual(
    branch.blocks.map((b) => [b.number, b.hash]),
    [
      [8, null],
      [9, 'x9'],
    ],
  );
});

test('branches beside each other do not overlap; what is older than the strip is left out', () => {
  const s = strip(
    chain(30, 28),
    20,
    rows(11, 30),
    [],
    [reorg(20, 22, 23, 'third'), reorg(19, 21, 22, 'second'), reorg(2, 4, 5, 'first')],
  );
  assert.deepEqual(
    s.branches.map((b) => [b.reorg.at, b.lane]),
    [
      ['third', 1],
      ['second', 2],
    ],
  );
});

const text = `# HELP x y
# TYPE tidemark_delivery_seconds histogram
tidemark_delivery_seconds_bucket{handler="a",le="0.1"} 50
tidemark_delivery_seconds_bucket{handler="a",le="1"} 90
tidemark_delivery_seconds_bucket{handler="a",le="+Inf"} 100
tidemark_delivery_seconds_bucket{handler="none",le="+Inf"} 0
tidemark_n{handler="a",outcome="ok"} 7
tidemark_n{handler="a",outcome="failed"} 3 1700000000000
tidemark_odd{name="with \\"quotes\\", a comma, } and \\\\"} 1e3
tidemark_plain 5`;

test('metrics: quantiles and sums; no data is not zero', () => {
  const samples = parse(text);
  const p = (q, handler) => quantile(q, samples, 'tidemark_delivery_seconds', { handler });
  assert.equal(p(0.5, 'a'), 0.1);
  assert.equal(p(0.25, 'a'), 0.05);
  assert.ok(Math.abs(p(0.7, 'a') - 0.55) < 1e-9);
  assert.equal(p(0.95, 'a'), 1, 'beyond the last bound it is the last bound');
  assert.equal(p(0.5, 'none'), null);
  assert.equal(p(0.5, 'other'), null);
  assert.equal(sum(samples, 'tidemark_n', { handler: 'a' }), 10);
  assert.equal(sum(samples, 'tidemark_n', { handler: 'a', outcome: 'ok' }), 7);
  assert.equal(sum(samples, 'tidemark_n', { handler: 'b' }), null);
  assert.equal(sum(samples, 'tidemark_plain', {}), 5);
  assert.equal(sum(samples, 'tidemark_odd', {}), 1000);
});
