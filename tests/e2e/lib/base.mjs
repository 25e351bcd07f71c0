// SPDX-License-Identifier: MIT
// The chain that the reorg tests begin with.
import assert from 'node:assert/strict';
import { scenario } from './world.mjs';

/**
 * Blocks 1 and 2 hold the contracts; 3: A, two logs (txA of account 0); 4: A, three logs (txB of
 * account 1); 5: B, one log that says the block's number (txN of account 2); 6 and 7 are empty.
 * With two confirmations the mark is 5.
 */
export async function base(world) {
  const { anvil, A, B } = world;
  const of = async (call) => {
    const receipt = await anvil.emit(call);
    return {
      hash: receipt.transactionHash,
      raw: await anvil.raw(receipt.transactionHash),
      logs: await anvil.transfersIn(receipt),
    };
  };
  world.txA = await of({ contract: A, from: 0, count: 2, value: 10 });
  world.txB = await of({ contract: A, from: 1, count: 3, value: 20 });
  world.txN = await of({ contract: B, from: 2, count: 1 });
  await anvil.mine(2);
}
export const logsOf = async (world, { hash }) =>
  world.anvil.transfersIn(await world.anvil.receipt(hash));

export const told = (handler, from = 0) =>
  handler.accepted
    .slice(from)
    .map((m) => [
      m.data.status,
      m.data.event_id.split(':').slice(1).join(':'),
      m.data.block.number,
    ]);
export const names = (world, list) =>
  list.map(([status, id, block]) => [
    status,
    id.replace(world.txA.hash, 'A').replace(world.txB.hash, 'B').replace(world.txN.hash, 'N'),
    block,
  ]);

/**
 * In the base world, all confirmed: does the reorg, lets the new branch be confirmed, and compares
 * with the chain.
 */
export function reorg(name, act, check, options = {}) {
  scenario(name, { contracts: ['A', 'B'], before: base, ...options }, async (world) => {
    await world.settled();
    await world.marked(5);
    world.before = world.handler.accepted.length;
    await act(world);
    await world.anvil.mine(2);
    await world.settled();
    await world.marked((await world.anvil.head()) - 2);
    await check(world);
  });
}

/** Compares the newest item of /v1/reorgs, apart from times and hashes. */
export async function lastReorg(world, expected) {
  const { items, next } = await world.daemon.get('/v1/reorgs');
  assert.ok(next === null || typeof next === 'string');
  const [{ at, old_head: oldHead, new_head: newHead, ...rest }] = items;
  assert.ok(!Number.isNaN(Date.parse(at)), `at: ${at}`);
  for (const head of [oldHead, newHead])
    assert.deepEqual(Object.keys(head).sort(), ['hash', 'number']);
  assert.deepEqual({ ...rest, ancestor: rest.ancestor.number }, { chain: 'local', ...expected });
}
