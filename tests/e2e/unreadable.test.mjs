// SPDX-License-Identifier: MIT
// A block below the mark that nobody serves whole any more, with an event that waits for more than the chain's policy.
import assert from 'node:assert/strict';
import { Handler } from './lib/handler.mjs';
import { freePort } from './lib/http.mjs';
import { never, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

scenario(
  'an event whose block cannot be read again holds its own key alone, until its block is skipped',
  {
    proxy: true,
    before: async (w) => { w.keyed = await new Handler().start(); w.others.push(w.keyed); },
    config: async (c, w) => {
      c.admin.listen = `127.0.0.1:${await freePort()}`;
      c.subscriptions[0].escalate = [{ when: 'value >= 1000', confirmations: 6 }];
      const [app] = c.handlers;
      app.send = ['confirmed'];
      c.handlers = [{ ...app, order_by: 'none' }, { ...app, name: 'keyed', url: w.keyed.url }];
    },
  },
  async (world) => {
    const { anvil, daemon, handler, keyed, proxy } = world;
    const values = (h) => h.got('confirmed').map((m) => m.data.args.value);
    const [lost] = await anvil.transfersIn(await anvil.emit({ contract: world.A, value: 1000 }));
    const { block, blockHash } = lost;
    await anvil.mine(2);
    await world.marked(block);
    const wanted = ({ method, params: [what, full] }) =>
      method === 'eth_getLogs'
        ? what.blockHash === blockHash || (Number(what.fromBlock) <= block && Number(what.toBlock) >= block)
        : (/Receipt/.test(method) || full === true) && (what === blockHash || Number(what) === block);
    const pruned = { code: 4444, message: 'pruned history unavailable' };
    proxy.set({ call: (call) => (wanted(call) ? { jsonrpc: '2.0', id: call.id, error: pruned } : undefined) });
    for (const value of [1001, 5, 1002]) await anvil.emit({ contract: world.A, value });
    await anvil.mine(2);
    await world.marked((await anvil.head()) - 2);
    await anvil.mine(6);
    await until('the others are told', () => values(handler).length === 3);
    assert.deepEqual(values(handler).sort(), ['1001', '1002', '5']);
    await until('the chain says what waits', async () => {
      const chain = await daemon.chain();
      return chain.state === 'degraded' && chain.reason.includes(`block ${block} `) && /pruned/.test(chain.reason);
    });
    await never('its key goes on', () => values(keyed).length > 0, 500);
    const skip = (n) => daemon.verb('chain', 'skip', 'local', '--from', String(n), '--to', String(n), '--reason', 'pruned');
    assert.equal((await skip(block - 1)).code, 1, 'nothing waits there');
    const done = await skip(block);
    assert.equal(done.code, 0, done.stdout + done.stderr);
    await until('its key goes on', () => values(keyed).length === 3);
    assert.deepEqual(values(keyed), ['1001', '5', '1002']);
    assert.equal((await daemon.get('/v1/gaps')).items[0].from_block, block);
    proxy.clear();
    for (const h of [handler, keyed]) await until('it is read after all', () => values(h).includes('1000'), { timeout: 45_000 });
    assert.equal(keyed.got('confirmed').at(-1).event.late, true);
  },
);
