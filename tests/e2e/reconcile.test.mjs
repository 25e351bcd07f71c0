// SPDX-License-Identifier: MIT
// `reconcile`: a range read again on an operator's order.
import assert from 'node:assert/strict';
import { busy, problem } from './lib/admin.mjs';
import { until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

const port = 21_000 + (process.pid % 20_000);

scenario(
  'equal, missing; only --apply stores; what is not deep enough is pending',
  {
    config: (c) => {
      c.admin.listen = `127.0.0.1:${port}`;
      // Nothing is looked for twice by itself, and nothing at the head.
      c.chains[0].follow = false;
      c.chains[0].confirmations = 4;
      c.chains[0].reconcile = { interval: '1h' };
    },
  },
  async (world) => {
    const { daemon, anvil } = world;
    await anvil.emit({ contract: world.A, count: 2 });
    await anvil.mine(4);
    const from = (await anvil.head()) - 4;
    await world.marked(from);
    const job = async (body) => {
      const begun = await daemon.api('/v1/chains/local/reconcile', { body });
      assert.equal(begun.status, 202, begun.text);
      return until('the job ends', async () => {
        const now = await daemon.get(`/v1/jobs/${begun.json.job}`);
        return now.state !== 'running' && now;
      });
    };
    const counts = ({ state, missing, extra, equal }) => ({ state, missing, extra, equal });
    assert.deepEqual(counts(await job({ from_block: 0, to_block: from })), {
      state: 'done',
      missing: 0,
      extra: 0,
      equal: 2,
    });
    // Above the mark, unseen since nothing follows the head.
    await anvil.emit({ contract: world.A, from: 1 });
    const head = await anvil.head();
    await until('the head is known', async () => (await daemon.chain()).head.number === head);
    const events = async () => (await daemon.all('/v1/events')).length;
    assert.equal(await events(), 2);
    const want = { state: 'done', missing: 1, extra: 0, equal: 0 };
    assert.deepEqual(counts(await job({ from_block: head, to_block: head })), want);
    assert.equal(await events(), 2, 'nothing is stored without apply');
    assert.deepEqual(counts(await job({ from_block: head, to_block: head, apply: true })), want);
    const [newest] = (await daemon.get('/v1/events')).items;
    assert.deepEqual([newest.status, newest.first_seen], ['pending', 'reconcile']);
    const verb = await daemon.verb('reconcile', 'local', '--from', '0', '--to', String(head));
    assert.equal(verb.code, 0, verb.stderr);
    assert.match(verb.stdout, /0 missing, 0 extra, 3 equal/);
    const above = await job({ from_block: head + 1_000, to_block: head + 1_010 });
    assert.equal(above.state, 'failed');
    assert.match(above.reason, /^the head was block \d+: none of it can be read$/);
    const partly = await job({ from_block: head, to_block: head + 1_000 });
    assert.deepEqual([partly.state, partly.reason], ['done', `the head was block ${head}`]);
    const told = await daemon.verb('reconcile', 'local', '--from', String(head), '--to', String(head + 1_000));
    assert.match(told.stdout, new RegExp(`not all of it was read: the head was block ${head}`));
    await anvil.mine(4);
    await world.settled({ depth: 4 });

    problem(await daemon.api('/v1/chains/none/reconcile', { body: { from_block: 1, to_block: 2 } }), 404);
    problem(await daemon.api('/v1/chains/local/reconcile', { body: { from_block: 3, to_block: 2 } }), 400);
    problem(await daemon.api('/v1/chains/local/reconcile', { body: { from_block: 1 } }), 400);
    problem(await daemon.api('/v1/jobs/99999'), 404);
    assert.ok((await daemon.all('/v1/audit')).some((a) => a.what === 'reconcile'));
  },
);
