// SPDX-License-Identifier: MIT
// /metrics: every series from the start, what they count, and what promtool says of them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { busy } from './lib/admin.mjs';
import { until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

/** name{labels} → value; histograms by their own lines. */
export function parse(text) {
  const series = new Map();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const match = /^([a-z_]+(?:\{.*\})?) (\S+)$/.exec(line);
    assert.ok(match, `a line of the format: ${line}`);
    assert.ok(!series.has(match[1]), `once: ${match[1]}`);
    series.set(match[1], Number(match[2]));
  }
  return series;
}

const NAMES = {
  build_info: 'gauge',
  ingest_requests_total: 'counter',
  ingest_commit_seconds: 'histogram',
  source_last_received_timestamp_seconds: 'gauge',
  hints_total: 'counter',
  webhook_lead_seconds: 'histogram',
  events_total: 'counter',
  events_compensated_total: 'counter',
  logs_undecodable_total: 'counter',
  chain_head_block: 'gauge',
  chain_head_timestamp_seconds: 'gauge',
  chain_mark_block: 'gauge',
  chain_state: 'gauge',
  reorgs_total: 'counter',
  reorg_depth_blocks: 'histogram',
  reconcile_runs_total: 'counter',
  reconcile_last_success_timestamp_seconds: 'gauge',
  rpc_requests_total: 'counter',
  rpc_seconds: 'histogram',
  rpc_lies_total: 'counter',
  delivery_attempts_total: 'counter',
  delivery_seconds: 'histogram',
  event_latency_seconds: 'histogram',
  outbox_messages: 'gauge',
  outbox_oldest_timestamp_seconds: 'gauge',
  blocked_keys: 'gauge',
  gaps_total: 'counter',
  handler_state: 'gauge',
  store_commit_batch: 'histogram',
  store_bytes: 'gauge',
  store_free_bytes: 'gauge',
  backup_last_success_timestamp_seconds: 'gauge',
  config_reload_success: 'gauge',
  config_reload_success_timestamp_seconds: 'gauge',
};

scenario('every name of the contract, and what they count', {}, async (world, t) => {
  const { daemon, anvil } = world;
  const first = await daemon.api('/metrics');
  assert.equal(first.status, 200);
  assert.match(first.headers['content-type'], /^text\/plain; version=0\.0\.4/);
  const types = Object.fromEntries(
    [...first.text.matchAll(/^# TYPE tidemark_(\S+) (\S+)$/gm)].map((m) => [m[1], m[2]]),
  );
  assert.deepEqual(types, NAMES, 'all of them from the start, and no other');
  const before = parse(first.text);
  for (const name of [
    'tidemark_ingest_requests_total{source="alchemy",result="unauthorized"}',
    'tidemark_hints_total{source="relay",state="not_found"}',
    'tidemark_webhook_lead_seconds_count{source="alchemy"}',
    'tidemark_events_total{chain="local",status="rolled_back"}',
    'tidemark_delivery_attempts_total{handler="app",outcome="failed"}',
    'tidemark_outbox_messages{handler="app",state="parked"}',
    'tidemark_reorgs_total{chain="local"}',
    'tidemark_gaps_total{handler="app"}',
  ])
    assert.equal(before.get(name), 0, name);

  await busy(world);
  await anvil.emit({ contract: world.A, from: 2 });
  await anvil.mine(3);
  await world.settled();
  const value = async (name) => parse((await daemon.api('/metrics')).text).get(`tidemark_${name}`);
  const becomes = (name, want) =>
    until(`${name} is ${want}`, async () => (await value(name)) === want);
  await becomes('ingest_requests_total{source="alchemy",result="accepted"}', 3);
  await becomes('hints_total{source="alchemy",state="verified"}', 6);
  await becomes('webhook_lead_seconds_count{source="alchemy"}', 6);
  await becomes('events_total{chain="local",status="confirmed"}', 7);
  await becomes('events_compensated_total{chain="local"}', 1);
  await becomes('delivery_attempts_total{handler="app",outcome="ok"}', 14);
  await becomes('event_latency_seconds_count{handler="app"}', 14);
  await becomes('chain_head_block{chain="local"}', await anvil.head());
  await becomes('chain_state{chain="local",state="following"}', 1);
  await becomes('handler_state{handler="app",state="active"}', 1);
  assert.ok((await value('reconcile_runs_total{chain="local",result="differed"}')) >= 0);
  assert.ok((await value('store_bytes{part="database"}')) > 0);
  assert.ok((await value('store_free_bytes')) > 0);
  assert.ok((await value('store_commit_batch_count')) > 0);
  assert.ok((await value('ingest_commit_seconds_count')) >= 3);
  assert.equal(await value('config_reload_success'), 1);
  const all = (await daemon.api('/metrics')).text;
  const rpc = [...parse(all)].filter(([name]) => name.startsWith('tidemark_rpc_requests_total'));
  assert.ok(rpc.some(([name, n]) => /method="eth_getLogs",result="ok"/.test(name) && n > 0));
  assert.ok(!all.includes('://'), 'no URL');
  const received = await value('source_last_received_timestamp_seconds{source="alchemy"}');
  assert.ok(received > 1e9);
  await daemon.stop();
  await daemon.start();
  const again = await value('source_last_received_timestamp_seconds{source="alchemy"}');
  assert.ok(Math.abs(again - received) < 2, `${again} ${received}`);

  const promtool = spawnSync('promtool', ['check', 'metrics'], { input: all });
  if (promtool.error) t.diagnostic('promtool is not there');
  else assert.equal(`${promtool.stdout}${promtool.stderr}`, '', 'promtool has nothing to say');
});

scenario(
  'what waits for a handler, and a reorg',
  { contracts: ['A'] },
  async (world) => {
    const { daemon, anvil, handler } = world;
    const value = async (name) =>
      parse((await daemon.api('/metrics')).text).get(`tidemark_${name}`);
    handler.rule = () => ({ status: 500 });
    await anvil.emit({ contract: world.A });
    await until(
      'a key is blocked',
      async () => (await value('blocked_keys{handler="app"}')) === 1,
    );
    assert.equal(await value('outbox_messages{handler="app",state="blocked"}'), 1);
    assert.ok((await value('outbox_oldest_timestamp_seconds{handler="app"}')) > 1e9);
    assert.equal((await daemon.api('/v1/handlers/app/pause', { body: {} })).status, 200);
    await until(
      'it is paused',
      async () => (await value('handler_state{handler="app",state="paused"}')) === 1,
    );
    handler.rule = undefined;
    await daemon.api('/v1/handlers/app/resume', { body: {} });
    await until(
      'nothing waits',
      async () => (await value('blocked_keys{handler="app"}')) === 0,
    );
  },
);

scenario(
  'a token is needed from elsewhere, not on loopback',
  { config: (c) => void (c.admin.token = 'an-admin-token-of-some-length') },
  async ({ daemon }) => {
    assert.equal((await daemon.api('/metrics', { token: '' })).status, 200);
    assert.equal((await daemon.api('/v1/status', { token: '' })).status, 401);
    assert.equal((await daemon.api('/metrics', { body: {} })).status, 405);
    assert.equal(
      (await daemon.api('/metrics', { headers: { host: 'evil.example.com' } })).status,
      403,
    );
  },
);
