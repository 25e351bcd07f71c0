// SPDX-License-Identifier: MIT
// Makes ../abi_vectors.txt: random events, and logs of them that ethers and viem encode to the same octets.
// npm ci && node generate.mjs > ../abi_vectors.txt
//
// A line a log, parts between tabs: signature, topics (between commas), data, then each value as abi_show.hpp shows it.
import assert from 'node:assert/strict';
import { EventFragment, Interface } from 'ethers';
import { encodeAbiParameters, encodeEventTopics, keccak256, parseAbiItem, toHex } from 'viem';

const COUNT = 520;

// mulberry32: the same vectors on every machine.
let state = 20261129;
const random = () => {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];
const octets = (n) => Uint8Array.from({ length: n }, () => below(256));
const hex = (n) => (n === 0 ? '0x' : toHex(octets(n)));

const elementary = () =>
  pick([
    () => `uint${8 * (1 + below(32))}`,
    () => `int${8 * (1 + below(32))}`,
    () => 'address',
    () => 'bool',
    () => `bytes${1 + below(32)}`,
    () => 'bytes',
    () => 'string',
    () => 'uint256',
  ])();

// {text, shape}: shape is an elementary type's name, {list, count} or {tuple}.
const type = (depth) => {
  const kind = depth === 0 ? 0 : below(20);
  if (kind < 13) {
    const text = elementary();
    return { text, shape: text };
  }
  if (kind < 17) {
    const of = type(depth - 1);
    const count = below(2) ? 1 + below(2) : null;
    return { text: `${of.text}[${count ?? ''}]`, shape: { list: of.shape, count } };
  }
  const members = Array.from({ length: 1 + below(3) }, () => type(depth - 1));
  const named = below(2);
  const inner = members.map((m, i) => (named ? `${m.text} m${i}` : m.text)).join(', ');
  return { text: `(${inner})`, shape: { tuple: members.map((m) => m.shape) } };
};

const LETTERS = ['a', 'Z', '7', ' ', 'ß', '海', '🌊', '"', '\\'];
const integer = (bits, signed) => {
  const top = 1n << BigInt(signed ? bits - 1 : bits);
  const lowest = signed ? -top : 0n;
  const edge = pick([0n, 1n, top - 1n, lowest, lowest + 1n, null, null, null]);
  if (edge !== null) return edge >= top ? top - 1n : edge;
  const size = 1 + below(bits / 8);
  const n = BigInt(hex(size));
  const value = lowest + (n % (top - lowest));
  return value;
};
const value = (shape) => {
  if (shape.list) return Array.from({ length: shape.count ?? below(3) }, () => value(shape.list));
  if (shape.tuple) return shape.tuple.map(value);
  if (shape === 'bool') return below(2) === 1;
  if (shape === 'address') return hex(20);
  if (shape === 'bytes') return hex(pick([0, 1, 31, 32, 33, below(70)]));
  if (shape === 'string') return Array.from({ length: below(12) }, () => pick(LETTERS)).join('');
  if (shape.startsWith('bytes')) return hex(Number(shape.slice(5)));
  const signed = shape.startsWith('int');
  return integer(Number(shape.slice(signed ? 3 : 4)), signed);
};

const shown = (shape, v) => {
  if (shape.list) return `[${v.map((x) => `${shown(shape.list, x)} `).join('')}]`;
  if (shape.tuple) return `[${v.map((x, i) => `${shown(shape.tuple[i], x)} `).join('')}]`;
  return shape === 'string' ? `"${v}"` : String(v);
};

const vector = (n) => {
  const anonymous = below(12) === 0;
  let left = anonymous ? 4 : 3;
  const inputs = Array.from({ length: below(5) + (anonymous ? 1 : 0) }, (_, i) => {
    const t = type(pick([0, 1, 2, 3]));
    // Neither library encodes indexed arrays and tuples.
    const indexed = typeof t.shape === 'string' && left > 0 && below(3) === 0;
    if (indexed) left -= 1;
    return { ...t, indexed, name: below(6) === 0 ? '' : `p${i}` };
  });
  const args = inputs.map((i) => value(i.shape));
  const parts = inputs.map(
    (i) => `${i.text}${i.indexed ? ' indexed' : ''}${i.name && ` ${i.name}`}`,
  );
  const text = `event E${n}(${parts.join(', ')})${anonymous ? ' anonymous' : ''}`;

  // Neither reads `anonymous` in a signature, so it is put into what they made of the rest.
  const plainText = text.replace(' anonymous', '');
  const json = JSON.parse(EventFragment.from(plainText).format('json'));
  const fragment = EventFragment.from({ ...json, anonymous });
  const ethers = new Interface([fragment]);
  const log = ethers.encodeEventLog(fragment, args);

  const item = parseAbiItem(plainText);
  const plain = item.inputs.filter((i) => !i.indexed);
  const data = encodeAbiParameters(
    plain,
    args.filter((_, i) => !inputs[i].indexed),
  );
  const named = { ...item, inputs: item.inputs.map((i, k) => ({ ...i, name: `n${k}` })) };
  const wanted = Object.fromEntries(
    args.map((a, i) => [`n${i}`, a]).filter((_, i) => inputs[i].indexed),
  );
  const indexed = inputs.some((i) => i.indexed);
  const topics = encodeEventTopics({
    abi: [named],
    eventName: item.name,
    ...(indexed ? { args: wanted } : {}),
  });
  if (anonymous) topics.shift();
  while (topics.at(-1) === null) topics.pop();
  assert.equal(log.data, data, text);
  assert.deepEqual(log.topics, topics, text);

  const values = inputs.map((i, k) => {
    const hashed = i.indexed && (i.shape === 'string' || i.shape === 'bytes');
    if (!hashed) return shown(i.shape, args[k]);
    return `#${keccak256(i.shape === 'string' ? toHex(args[k]) : args[k])}`;
  });
  return [text, log.topics.join(','), log.data, ...values].join('\t');
};

for (let n = 0; n < COUNT; n += 1) console.log(vector(n));
