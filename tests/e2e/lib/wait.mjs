// SPDX-License-Identifier: MIT
// Waiting for what another process will do.

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Thrown inside `until`: waiting longer is no use. */
export class Hopeless extends Error {}

/**
 * Asks again and again until the answer is truthy, and gives it. What `read` throws counts as "not
 * yet".
 */
export async function until(what, read, { timeout = 10_000, every = 25 } = {}) {
  const end = Date.now() + timeout;
  let last;
  for (;;) {
    try {
      const value = await read();
      if (value) return value;
      last = value;
    } catch (error) {
      if (error instanceof Hopeless) throw error;
      last = error.message;
    }
    if (Date.now() > end) {
      throw new Error(
        `waited ${timeout} ms in vain: ${typeof what === 'function' ? what() : what} (last: ${JSON.stringify(last)})`,
      );
    }
    await sleep(every);
  }
}

/** Fails if `read` is ever truthy within `ms`. */
export async function never(what, read, ms = 800) {
  const end = Date.now() + ms;
  while (Date.now() < end) {
    const value = await read();
    if (value) throw new Error(`must not happen: ${what}: ${JSON.stringify(value).slice(0, 600)}`);
    await sleep(25);
  }
}
