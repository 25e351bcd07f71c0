// SPDX-License-Identifier: MIT
// How long it takes from a block that is mined to a handler that has its event, confirmed: told by a webhook, by the head of a WebSocket
// endpoint, or found by polling; with no confirmation, and with one (from the block that confirms). A local anvil, mined by hand; what one
// call of its RPC takes is measured in the same run. --peers: also by Ponder, whose indexing function posts the event; it follows the head
// without confirmations.

import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { Anvil } from '../tests/e2e/lib/anvil.mjs';
import { at, bench, sleep } from './lib/bench.mjs';
import { ponder } from './lib/ponder.mjs';

const key = 'bench';
const secret = `whsec_${Buffer.from('a secret of thirty-two bytes: ok').toString('base64')}`;
const ms = () => performance.now();

/** A handler that notes when an event came. */
class Handler {
  waiting = new Map();

  async start() {
    this.server = createServer(async (request, answer) => {
      let body = '';
      for await (const piece of request) body += piece;
      const time = ms();
      answer.writeHead(204).end();
      this.waiting.get(JSON.parse(body).subject)?.(time);
    });
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${this.server.address().port}/`;
  }

  came(event) {
    return new Promise((done, fail) => {
      const late = setTimeout(() => fail(new Error(`${event} did not come in a minute`)), 60_000);
      this.waiting.set(event, (time) => {
        clearTimeout(late);
        done(time);
      });
    });
  }

  stop() {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

const config = ({ anvil, handler, contract }, way, confirmations, poll) => `
chains:
  - name: bench
    id: ${anvil.chainId}
    rpc: ["${anvil.url}"${way === 'head' ? `, "${anvil.url.replace('http', 'ws')}"` : ''}]
    confirmations: ${confirmations}
    poll_interval: ${way === 'poll' ? `${poll}ms` : '1h'}
sources:
  - {name: relay, provider: raw, secret: ${key}, chain: bench, signature: {header: X-Signature, mac: hmac-sha256, encoding: hex, signed: [body]}}
subscriptions:
  - {name: transfers, chains: [bench], address: ["${contract}"], event: "Transfer(address indexed from, address indexed to, uint256 value)"}
handlers:
  - {name: bench, url: "${handler.url}", secret: ${secret}, allow_private: true}
`;

/** The provider's own way to us is not in it: the time begins when it posts. */
async function post(daemon, body) {
  const signature = createHmac('sha256', key).update(body).digest('hex');
  const answer = await fetch(`http://127.0.0.1:${daemon.ingest}/hooks/relay`, { method: 'POST', headers: { 'x-signature': signature }, body });
  if (answer.status !== 200) throw new Error(`the webhook was answered ${answer.status}`);
}

/** One event at a time; ms each. */
async function measure(run, world, way, confirmations, { events, poll }) {
  const { anvil, handler, contract } = world;
  const daemon = await run.daemon(config(world, way, confirmations, poll), { name: `${way}-${confirmations}` });
  const ready = async () => {
    const chain = await daemon.get('/v1/chains/bench');
    return chain.state === 'following' && chain.endpoints.every((e) => e.state === 'ok');
  };
  while (!(await ready())) await sleep(50);
  // At any moment between two polls, and no faster than a chain: rings of a socket are limited.
  const pause = () => sleep(250 + Math.random() * (way === 'poll' ? poll : 250));
  const times = [];
  for (let n = 0; n < events; n++) {
    await pause();
    const hash = await anvil.send({ contract, value: n + 1 });
    let begun = ms();
    await anvil.rpc('evm_mine');
    const { logs } = await anvil.receipt(hash);
    const came = handler.came(`${anvil.chainId}:${hash}:${Number(logs[0].logIndex)}`);
    for (let i = 0; i < confirmations; i++) {
      await pause();
      begun = ms();
      await anvil.rpc('evm_mine');
    }
    if (way === 'webhook') {
      begun = ms();
      await post(daemon, JSON.stringify(logs));
    }
    times.push((await came) - begun);
  }
  await daemon.stop();
  return times;
}

async function measure_ponder(run, { anvil, handler, contract }, way, { events, poll }) {
  const from = (await anvil.head()) + 1;
  await anvil.rpc('hardhat_mine', '0x40'); // it begins with what it takes to be final
  const peer = await ponder(run, { chain: anvil.chainId, rpc: anvil.url, ws: way === 'head' ? anvil.url.replace('http', 'ws') : '', poll, start: from, tell: handler.url });
  await peer.ready();
  const times = [];
  for (let n = 0; n < events; n++) {
    await sleep(250 + Math.random() * (way === 'poll' ? poll : 250));
    const hash = await anvil.send({ contract, value: n + 1 });
    const begun = ms();
    await anvil.rpc('evm_mine');
    const { logs } = await anvil.receipt(hash);
    times.push((await handler.came(`${anvil.chainId}:${hash}:${Number(logs[0].logIndex)}`)) - begun);
  }
  await peer.stop();
  return times;
}

async function calls(anvil, events) {
  const times = [];
  for (let n = 0; n < events; n++) {
    const begun = ms();
    await anvil.rpc('eth_getBlockByNumber', 'latest', false);
    times.push(ms() - begun);
  }
  return times;
}

await bench('latency', { events: 50, poll: 1_000, peers: false }, async (run, options) => {
  const handler = new Handler();
  let anvil;
  try {
    anvil = await Anvil.start();
    await handler.start();
    const world = { anvil, handler, contract: await anvil.deploy('A') };
    const call = await calls(anvil, options.events);
    run.row('one RPC call', { confirmations: null, p50_ms: at(0.5, call), p99_ms: at(0.99, call) });
    const figures = {};
    for (const way of ['webhook', 'head', 'poll'])
      for (const confirmations of [0, 1]) {
        const times = await measure(run, world, way, confirmations, options);
        figures[way + confirmations] = { p50: at(0.5, times), p99: at(0.99, times) };
        run.row(`by ${way}`, { confirmations, p50_ms: at(0.5, times), p99_ms: at(0.99, times) });
      }
    if (options.peers)
      for (const way of ['head', 'poll']) {
        const times = await measure_ponder(run, world, way, options);
        run.row(`Ponder, by ${way}`, { confirmations: 0, p50_ms: at(0.5, times), p99_ms: at(0.99, times) });
      }
    const over = figures.webhook0.p99 - at(0.5, call);
    run.check('webhook, p99 over one RPC call, ms', over, 'at most 25', over <= 25);
    const share = figures.head0.p50 / options.poll;
    run.check('head, p50 as a share of the poll interval', share, 'at most 0.1', share <= 0.1);
  } finally {
    anvil?.stop();
    handler.stop();
  }
});
