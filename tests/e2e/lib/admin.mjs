// SPDX-License-Identifier: MIT
// What tests of the admin API share.
import assert from 'node:assert/strict';
import { alchemy } from './hooks.mjs';
import { until } from './wait.mjs';

export const isTime = (text) => typeof text === 'string' && !Number.isNaN(Date.parse(text));
export const problem = (answer, status) => {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers['content-type'], /^application\/problem\+json/);
  assert.equal(answer.json.status ?? status, status);
  assert.ok((answer.json.title ?? answer.json.detail).length > 0, 'it says what is wrong');
};

/** Six confirmed and delivered transfers in three blocks, each named by a webhook. */
export async function busy(world) {
  const { anvil, daemon } = world;
  for (let i = 0; i < 3; i++) {
    const transfers = await anvil.transfersIn(
      await anvil.emit({
        contract: world.A,
        count: 2,
        value: 10 * i + 1,
        from: i,
        receiver: 6 + i,
      }),
    );
    await alchemy(daemon, transfers);
    world.transfers = [...(world.transfers ?? []), ...transfers];
  }
  await anvil.mine(2);
  await world.settled();
  await until('all is delivered', async () =>
    (await daemon.all('/v1/events')).every((e) => e.processing.app === 'delivered'),
  );
}
