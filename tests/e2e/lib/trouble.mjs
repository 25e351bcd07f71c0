// SPDX-License-Identifier: MIT
// What tests of bad endpoints share.

export const quickRetry = (c) => {
  c.chains[0].rpc[0].timeout = '500ms';
};
export const transferIn = async (world, call = {}) =>
  (await world.anvil.transfersIn(await world.anvil.emit({ contract: world.A, ...call })))[0];

/** What an operator can read about a chain's trouble: its reason, its endpoints and the log. */
export async function words(world, from) {
  const chain = await world.daemon.chain();
  return [
    chain.state,
    chain.reason,
    JSON.stringify(chain.endpoints),
    ...world.daemon.logs
      .slice(from)
      .filter((l) => l.level !== 'debug')
      .map((l) => l.text),
  ].join('\n');
}
