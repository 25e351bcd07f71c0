// SPDX-License-Identifier: MIT
// A bad config: exit 78, and each thing that is wrong with its file, line and column.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { good, table } from './lib/config_cases.mjs';
import { run } from './lib/daemon.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-config-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, 'tidemark.yaml');

async function check(text, { env = {}, args = [] } = {}) {
  fs.writeFileSync(file, text);
  const result = await run(['check', '--config', file, ...args], { env, cwd: folder });
  return { ...result, said: result.stdout + result.stderr };
}

test('the good one is good', async () => {
  const { code, said } = await check(good);
  assert.equal(code, 0, said);
});

for (const [name, piece, put, word, { line, anyColumn, anyLine } = {}] of table) {
  test(name, async () => {
    assert.ok(good.includes(piece), `the good config has ${piece}`);
    const marked = good.replace(piece, () => put);
    const at = marked.indexOf('«');
    const { code, said } = await check(marked.replace('«', ''));
    assert.equal(code, 78, said);
    assert.match(said, word);
    assert.ok(
      !said.includes('secret-key') && !said.includes('a-signing-key'),
      'no secret in an error',
    );
    const places = [...said.matchAll(/tidemark\.yaml:(\d+):(\d+): \S/g)].map((m) => [
      Number(m[1]),
      Number(m[2]),
    ]);
    assert.ok(places.length > 0, `FILE:LINE:COLUMN: …\n${said}`);
    if (anyLine) return;
    const before = at < 0 ? '' : marked.slice(0, at);
    const wantLine = line ?? before.split('\n').length;
    const hit = places.filter(([l]) => l === wantLine);
    assert.ok(hit.length > 0, `line ${wantLine}:\n${said}`);
    if (line !== undefined || anyColumn) return;
    const lineText = before.slice(before.lastIndexOf('\n') + 1);
    const value = [...lineText].length + 1;
    const key = lineText.search(/[^\s-]/) < 0 ? value : lineText.search(/[^\s-]/) + 1;
    assert.ok(
      hit.some(([, column]) => column === value || column === key),
      `column ${value} (or ${key}):\n${said}`,
    );
  });
}

test('every error of the file is reported, not only the first', async () => {
  const bad = good
    .replace('durability: normal', 'durability: sometimes')
    .replace('id: 8453', 'id: minus')
    .replace('subscriptions: [usdc]', 'subscriptions: [nothing]')
    .replace('instance: main', 'instanze: main');
  const { code, said } = await check(bad);
  assert.equal(code, 78);
  const lines = new Set([...said.matchAll(/tidemark\.yaml:(\d+):\d+: /g)].map((m) => Number(m[1])));
  for (const line of [1, 4, 27, 45]) assert.ok(lines.has(line), `line ${line}:\n${said}`);
});

test('run refuses it as check does', async () => {
  fs.writeFileSync(file, good.replace('durability: normal', 'durability: sometimes'));
  const { code, stderr } = await run(['run', '--config', file], { cwd: folder });
  assert.equal(code, 78);
  assert.match(stderr, /tidemark\.yaml:4:\d+/);
  assert.ok(!fs.existsSync(path.join(folder, 'tidemark.db')), 'and touches no store');
});

test('a file that is not there, or is empty', async () => {
  assert.equal((await run(['check', '--config', path.join(folder, 'nowhere.yaml')])).code, 78);
  const empty = await check('');
  assert.ok(empty.code === 78 || /no chains/.test(empty.said), empty.said);
  assert.equal((await check('- a\n- list\n')).code, 78);
});

test('variables: set, defaulted, empty', async () => {
  const text = good
    .replace('a-signing-key', '${E2E_KEY}')
    .replace('instance: main', 'instance: ${E2E_INSTANCE:-other}');
  assert.equal((await check(text, { env: { E2E_KEY: 'k' } })).code, 0);
  assert.equal((await check(text)).code, 78);
});

test('a secret from a file: one that others may read is an error', async () => {
  const secret = path.join(folder, 'key');
  fs.writeFileSync(secret, 'a-signing-key\n', { mode: 0o600 });
  const text = good.replace('secret: a-signing-key', 'secret: {file: key}');
  fs.chmodSync(secret, 0o600);
  const fine = await check(text);
  assert.equal(fine.code, 0, fine.said);
  fs.chmodSync(secret, 0o644);
  const open = await check(text);
  assert.equal(open.code, 78);
  assert.match(open.said, /tidemark\.yaml:33:\d+/);
});

test('what is not there yet is refused by name, never ignored', async () => {
  const later = {
    lists: good + 'lists:\n  deposits: {}\n',
    factory: good.replace(
      '    address: ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"]\n',
      '    address: {factory: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", event: "PairCreated(address indexed a, address indexed b, address pair, uint256 n)", parameter: pair}\n',
    ),
    transaction: good.replace(
      'handlers:\n',
      '  - name: deposits\n    chains: [ethereum]\n    transaction: {to: ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"], min_value: 0.05ether}\nhandlers:\n',
    ),
    batch: good + '    batch: {max_events: 10, linger: 50ms}\n',
    rate: good + '    rate: 5\n',
    on_exhausted: good + '    on_exhausted: park_key\n',
    moralis: good.replace('provider: alchemy', 'provider: moralis'),
    ingest_tls: good.replace(
      '  max_body: 1MiB',
      '  max_body: 1MiB\n  tls: {cert: cert.pem, key: key.pem}',
    ),
  };
  for (const [name, text] of Object.entries(later)) {
    const { code, said } = await check(text);
    if (code === 0) continue;
    assert.equal(code, 78, `${name}: ${said}`);
    assert.match(said, /tidemark\.yaml:\d+:\d+: .*not yet|cert\.pem/, name);
  }
});

test('warnings do not fail it', async () => {
  const meet = good.replace(
    'handlers:\n',
    '  - name: usdc-fast\n    chains: [ethereum]\n    address: ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"]\n    preset: erc20-transfer\nhandlers:\n',
  );
  const { code, said } = await check(meet);
  assert.equal(code, 0, said);
  assert.match(said, /usdc-fast/, 'two subscriptions that can meet with different policies');
});
