// SPDX-License-Identifier: MIT
// A node, a handler, a daemon between them, and what must hold whatever a test does to them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { Anvil } from './anvil.mjs';
import { Daemon } from './daemon.mjs';
import { checkStanding } from './expect.mjs';
import { Handler } from './handler.mjs';
import { keys } from './hooks.mjs';
import { Proxy } from './proxy.mjs';
import { until } from './wait.mjs';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

export const EVENT = 'Transfer(address indexed from, address indexed to, uint256 value)';

/** A config for quick tests; every test changes what it is about. */
export function baseConfig({ rpc, handler, contracts, confirmations = 2 }) {
  return {
    instance: 'test',
    store: { path: 'tidemark.db', min_free: '1MiB' },
    ingest: { listen: '127.0.0.1:0' },
    admin: { listen: '127.0.0.1:0' },
    log: { level: 'debug' },
    confirmation_policy: { quick: confirmations },
    chains: [
      {
        name: 'local',
        id: 31337,
        rpc: [{ url: rpc, timeout: '1s' }],
        confirmations: 'quick',
        start_block: 0,
        poll_interval: '200ms',
        reconcile: { interval: '1s' },
        reorg: { interval: '500ms', max_depth: 64 },
      },
    ],
    sources: [
      {
        name: 'alchemy',
        provider: 'alchemy',
        secret: keys.alchemy,
        chain: 'local',
        networks: { ETH_MAINNET: 'local' },
      },
      { name: 'standard', provider: 'standard-webhooks', secret: keys.standard, chain: 'local' },
      {
        name: 'relay',
        provider: 'raw',
        secret: keys.raw,
        chain: 'local',
        signature: {
          header: 'X-Hub-Signature-256',
          mac: 'hmac-sha256',
          prefix: 'sha256=',
          encoding: 'hex',
          signed: ['body'],
        },
      },
    ],
    subscriptions: [
      {
        name: 'transfers',
        chains: ['local'],
        ...(contracts.length ? { address: contracts } : {}),
        event: EVENT,
      },
    ],
    handlers: handler
      ? [
          {
            name: 'app',
            url: handler.url,
            secret: handler.secret,
            send: ['pending', 'confirmed', 'rolled_back'],
            allow_private: true,
            timeout: '2s',
            retry: { initial: '100ms', max: '500ms' },
          },
        ]
      : [],
  };
}

export class World {
  constructor(options = {}) {
    this.options = options;
    this.confirmations = options.confirmations ?? 2;
    this.others = []; // what a test starts itself, to be stopped with the rest
  }

  async open() {
    const {
      contracts = ['A'],
      anvil = {},
      twins = false,
      proxy = twins,
      handler = true,
      start = true,
      before,
      config,
    } = this.options;
    this.dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-'));
    if (twins) [this.anvil, this.twin] = await Anvil.twins(anvil);
    else this.anvil = await Anvil.start(anvil);
    this.contracts = [];
    for (const kind of contracts)
      this.contracts.push((this[kind] = await this.both((node) => node.deploy(kind))));
    if (proxy) this.proxy = await new Proxy(this.anvil.url).start();
    if (handler) this.handler = await new Handler().start();
    await before?.(this);
    const value = baseConfig({
      rpc: this.proxy?.url ?? this.anvil.url,
      handler: this.handler,
      contracts: this.contracts,
      confirmations: this.confirmations,
    });
    this.daemon = new Daemon(this.dir, (await config?.(value, this)) ?? value);
    if (start) await this.daemon.start();
  }

  async close() {
    await this.daemon?.kill9();
    for (const other of this.others) await other.stop();
    await this.handler?.stop();
    await this.proxy?.stop();
    this.anvil?.stop();
    this.twin?.stop();
    if (this.dir) fs.rmSync(this.dir, { recursive: true, force: true });
  }

  /** Does the same on both nodes of twins (else on the one). */
  async both(act) {
    const done = await act(this.anvil);
    if (this.twin) await act(this.twin);
    return done;
  }

  /** The transfers that must be confirmed now: canonical and deep enough. */
  async due({ depth = this.confirmations } = {}) {
    return this.anvil.transfers({
      to: (await this.anvil.head()) - depth,
      contracts: this.contracts,
    });
  }

  /**
   * Waits until what the handler holds as confirmed is just what the chain has, by event and block
   * hash.
   */
  async settled({ depth, timeout = 15_000 } = {}) {
    const want = (await this.due({ depth })).map((t) => `${t.eventId} in ${t.blockHash}`).sort();
    const have = () =>
      [...this.handler.live().values()]
        .map((m) => `${m.data.event_id} in ${m.data.block.hash}`)
        .sort();
    await until(
      () =>
        `the handler has ${JSON.stringify(have(), null, 1)}, the chain ${JSON.stringify(want, null, 1)}`,
      () => JSON.stringify(have()) === JSON.stringify(want),
      { timeout },
    );
    return want.length;
  }

  /** Waits for a message about an event; the latest one. */
  message(eventId, status, count = 1) {
    return until(
      `${count} × ${status} of ${eventId}`,
      () => this.handler.of(eventId, status)[count - 1],
    );
  }

  /** Waits until the chain's mark is at `number` or above. */
  marked(number, timeout) {
    return until(
      `the mark is at ${number}`,
      async () => {
        const chain = await this.daemon.chain();
        return chain.mark !== null && chain.mark.number >= number && chain;
      },
      { timeout },
    );
  }

  account() {
    const lines =
      this.handler?.requests.map(
        (r) => `${r.type?.slice(15)} ${r.id} attempt ${r.attempt} → ${JSON.stringify(r.answer)}`,
      ) ?? [];
    return `\n--- requests to the handler\n${lines.slice(-30).join('\n')}\n--- the daemon's log\n${this.daemon?.tail(40)}`;
  }
}

/**
 * A test in a world of its own; `t` takes subtests (t.test). What holds always is checked at its
 * end.
 */
export function scenario(name, options, body, run = test) {
  return run(name, { timeout: options.timeout ?? 60_000 }, async (t) => {
    const world = new World(options);
    try {
      await world.open();
      await body(world, t);
      if (world.handler) checkStanding(world.handler);
      assert.deepEqual(world.daemon.oddLines, [], 'log lines are JSON, on stderr');
      if (typeof world.daemon.config !== 'string') checkNoSecret(world);
    } catch (error) {
      // What a later version brings is refused by name; that is an answer, not a failure.
      if (world.daemon?.exit?.code === 78 && /not yet/.test(world.daemon.tail()))
        return t.skip('not yet');
      error.message += world.account();
      throw error;
    } finally {
      await world.close();
    }
  });
}

/** Scenarios that mostly wait, `width` of them side by side. */
export function together(name, width, scenarios, timeout = 200_000) {
  test(name, { concurrency: width, timeout }, (t) =>
    Promise.all(scenarios.map((args) => scenario(...args, t.test.bind(t)))),
  );
}

function checkNoSecret(world) {
  const log = world.daemon.logs.map((entry) => entry.text).join('\n');
  const secrets = [...Object.values(keys), world.handler?.secret, world.daemon.token].filter(
    Boolean,
  );
  for (const secret of secrets) assert.ok(!log.includes(secret), 'no secret in a log line');
}
