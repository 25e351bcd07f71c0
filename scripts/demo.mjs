// SPDX-License-Identifier: MIT
// The story, on a real node, with the real daemon and the sample handler; scripts/demo calls it.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Anvil } from '../tests/e2e/lib/anvil.mjs';
import { Daemon } from '../tests/e2e/lib/daemon.mjs';
import { alchemy, alchemyBody, keys, post, sign } from '../tests/e2e/lib/hooks.mjs';
import { freePort, request } from '../tests/e2e/lib/http.mjs';
import { never, until } from '../tests/e2e/lib/wait.mjs';
import { Wire } from './demo_wire.mjs';

const once = process.argv.includes('--once');
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = path.join(root, 'build', 'demo');
const secret = `whsec_${Buffer.from('the secret of the sample handler').toString('base64')}`;
const people = { ann: 1, bob: 2, eve: 3, shop: 9 };
const colour = process.stdout.isTTY ? (code, text) => `\x1b[${code}m${text}\x1b[0m` : (code, text) => text;

let steps = 0;
const title = (text) => console.log(`\n${colour(1, text)}`);
async function step(text, check) {
  const detail = await check();
  steps++;
  console.log(`  ${colour(32, '✓')} ${text}${typeof detail === 'string' ? colour(2, `  ${detail}`) : ''}`);
}
function must(truth, text) { if (!truth) throw new Error(text); }

const short = (id) => id.replace(/0x([0-9a-f]{6})[0-9a-f]+/, '0x$1…').replace(/_([0-9a-f]{4})[0-9a-f]{12}_/, '_$1…_');

let anvil, handler, wire, daemon;

async function startHandler() {
  const port = await freePort();
  handler = spawn(process.execPath, [path.join(root, 'examples', 'handler-node', 'handler.mjs')], {
    env: { ...process.env, TIDEMARK_SECRET: secret, PORT: String(port), JOURNAL: path.join(folder, 'journal.jsonl') },
    stdio: ['ignore', 'pipe', fs.openSync(path.join(folder, 'handler.log'), 'a')],
  });
  await new Promise((resolve, reject) => {
    readline.createInterface({ input: handler.stdout }).once('line', resolve);
    handler.once('exit', (code) => reject(new Error(`the sample handler ended with ${code}: build/demo/handler.log`)));
  });
  handler.stdout.resume();
  handler.url = `http://127.0.0.1:${port}/`;
}

async function config(token) {
  return {
    instance: 'demo',
    store: { path: 'tidemark.db', min_free: '16MiB' },
    ingest: { listen: `127.0.0.1:${await freePort()}` },
    admin: { listen: `127.0.0.1:${await freePort()}` },
    confirmation_policy: { demo: 3 },
    chains: [{
      name: 'local', id: 31337, rpc: [anvil.url], confirmations: 'demo', start_block: 0, poll_interval: '500ms',
      reconcile: { interval: '2s' }, reorg: { interval: '1s', max_depth: 64 },
    }],
    sources: [{ name: 'alchemy', provider: 'alchemy', secret: keys.alchemy, chain: 'local', networks: { ETH_MAINNET: 'local' } }],
    subscriptions: [{ name: 'token-transfers', chains: ['local'], address: [token], preset: 'erc20-transfer' }],
    handlers: [{ name: 'ledger', url: wire.url, secret, allow_private: true, timeout: '5s', retry: { initial: '200ms', max: '1s' } }],
  };
}

const event = (transfer) => daemon.get(`/v1/events/${transfer.eventId}`);
const message = (transfer, status) => until(`${status} of ${transfer.eventId}`,
  () => wire.seen.find((m) => m.status === status && m.eventId === transfer.eventId && m.block === transfer.blockHash && m.answered), { timeout: 20_000 });

async function transfer(token, from, to, value) {
  const receipt = await anvil.emit({ contract: token, from: people[from], receiver: people[to], value });
  return (await anvil.transfersIn(receipt))[0];
}

async function story() {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });

  title('A node, a handler, a daemon between them');
  anvil = await Anvil.start();
  const token = await anvil.deploy('A');
  await step('an Ethereum node runs, with a token on it', () => `${anvil.url}  ${token}`);
  await startHandler();
  wire = await new Wire(handler.url).start();
  await step('the sample handler runs, and checks every signature', () => 'examples/handler-node');
  daemon = new Daemon(folder, await config(token));
  await step('the daemon is ready', async () => { await daemon.start(); return `webhooks to ${daemon.ingest}, admin at ${daemon.admin}`; });

  title('A webhook comes');
  const first = await transfer(token, 'ann', 'shop', 100);
  let hook;
  await step('ann pays the shop 100; the provider\'s webhook is stored and answered', async () => {
    const body = alchemyBody([first]);
    hook = [body, sign.alchemy(body)];
    const answer = await post(daemon.ingest, 'alchemy', ...hook);
    must(answer.status === 200 && answer.json.hints === 1 && answer.json.duplicate === false, `${answer.status} ${answer.text}`);
    return answer.text.trim();
  });
  await step('the chain was asked, and the event is pending', async () => {
    const item = await until('it is pending', async () => { const e = await event(first); return e.status === 'pending' && e; });
    must(wire.seen.length === 0, 'the handler was told too early');
    return `first seen by ${item.first_seen}`;
  });
  await step('three blocks later it is confirmed, and the handler is told', async () => {
    await anvil.mine(3);
    return short((await message(first, 'confirmed')).id);
  });
  await step('the same webhook again changes nothing', async () => {
    const answer = await post(daemon.ingest, 'alchemy', ...hook);
    must(answer.status === 200 && answer.json.duplicate === true, `${answer.status} ${answer.text}`);
    await never('a second message', () => wire.seen.length > 1, 1500);
    return answer.text.trim();
  });

  title('A webhook never comes');
  await step('bob pays the shop 25, no webhook says so, and it is found', async () => {
    const missed = await transfer(token, 'bob', 'shop', 25);
    await anvil.mine(3);
    await message(missed, 'confirmed');
    return `first seen by ${(await event(missed)).first_seen}`;
  });

  title('Somebody forges one');
  const lie = { ...first, eventId: '', tx: `0x${'ab'.repeat(32)}`, value: '1000000', log: { ...first.log, transactionHash: `0x${'ab'.repeat(32)}` } };
  await step('a wrong signature is refused', async () => {
    const body = alchemyBody([lie]);
    const answer = await post(daemon.ingest, 'alchemy', body, sign.alchemy(body, 'a guess'));
    must(answer.status === 401, `${answer.status} ${answer.text}`);
    return 'HTTP 401, nothing stored';
  });
  await step('a well-signed lie is stored as what it is: a hint that the chain denies', async () => {
    const told = wire.seen.length;
    const answer = await alchemy(daemon, [lie]);
    must(answer.status === 200, `${answer.status} ${answer.text}`);
    await anvil.mine(4);
    await never('a message about it', () => wire.seen.length > told, 2000);
    must((await daemon.get('/v1/events')).items.length === 2, 'an event came of it');
    return 'no event, no message';
  });

  title('The chain changes its mind');
  let moved, again;
  await step('ann pays eve 40, and that is confirmed', async () => {
    moved = await transfer(token, 'ann', 'eve', 40);
    await anvil.mine(4);
    return short((await message(moved, 'confirmed')).id);
  });
  const told = wire.seen.length;
  await step('a reorg of five blocks takes it out: the handler is told to take it back', async () => {
    const raw = await anvil.raw(moved.tx);
    await anvil.reorg(5, [[raw, 3]]);
    const back = await message(moved, 'rolled_back');
    must(back.undoes === wire.seen.find((m) => m.eventId === moved.eventId && m.status === 'confirmed').id, 'it undoes something else');
    return `undoes ${short(back.undoes)}`;
  });
  await step('its transaction is in a later block now: a new inclusion, confirmed anew', async () => {
    again = (await anvil.transfersIn(await anvil.receipt(moved.tx)))[0];
    await anvil.mine(3);
    const fresh = await message(again, 'confirmed');
    must(wire.seen.findIndex((m) => m.status === 'rolled_back') < wire.seen.indexOf(fresh), 'it came before it was taken back');
    must(wire.seen.length === told + 2, 'more than two messages');
    return `block ${moved.block} → ${again.block}, ${short(fresh.id)}`;
  });

  title('The daemon dies');
  const pending = [];
  let lost;
  await step('the handler books a payment, and kill -9 comes before its answer arrives', async () => {
    wire.holdAnswers = true;
    const open = await transfer(token, 'ann', 'bob', 7);
    await anvil.mine(3);
    lost = await until('the message is at the handler', () => wire.seen.find((m) => m.eventId === open.eventId && m.booked), { timeout: 20_000 });
    for (const value of [11, 12, 13]) pending.push(await transfer(token, 'eve', 'shop', value));
    for (const t of pending) {
      const answer = await alchemy(daemon, [t]);
      must(answer.status === 200, `${answer.status} ${answer.text}`);
    }
    await daemon.kill9();
    wire.holdAnswers = false;
    return 'three webhooks were acknowledged just before';
  });
  await step('while it is down the chain goes on', async () => {
    pending.push(await transfer(token, 'bob', 'ann', 5));
    await anvil.mine(3);
    return `head ${await anvil.head()}`;
  });
  await step('started again, nothing is lost', async () => {
    await daemon.start();
    for (const t of pending) await message(t, 'confirmed');
    const stored = await daemon.all('/v1/webhooks');
    must(stored.length === 5, `${stored.length} webhooks are stored, not 5`);
    return `${pending.length} of ${pending.length} confirmed`;
  });
  await step('what was unsure came again, with the same id and the same bytes', async () => {
    const copies = await until('it came again', () => { const all = wire.seen.filter((m) => m.id === lost.id); return all.length > 1 && all; });
    must(copies.every((m) => m.body === lost.body), 'other bytes');
    return `${short(lost.id)} × ${copies.length}, booked once`;
  });

  title('The sum');
  await step('the handler\'s ledger equals the chain\'s', async () => {
    const chain = await chainLedger(token);
    const { balances } = await until('the ledgers are equal', async () => {
      const ledger = (await request(handler.url)).json;
      return JSON.stringify(ledger.balances) === JSON.stringify(chain) && ledger;
    }, { timeout: 20_000 });
    const names = Object.fromEntries(Object.entries(people).map(([name, i]) => [anvil.accounts[i].toLowerCase(), name]));
    console.log(`      ${'account'.padEnd(10)}${'handler'.padStart(10)}${'chain'.padStart(10)}`);
    for (const account of Object.keys(chain)) console.log(`      ${(names[account] ?? account).padEnd(10)}${balances[account].padStart(10)}${chain[account].padStart(10)}`);
  });
  await step('the status page answers', async () => {
    const page = await request(`http://${daemon.admin}/`);
    must(page.status === 200 && /html/.test(page.headers['content-type']), `${page.status} ${page.headers['content-type']}`);
  });
  console.log(`\n${steps} steps held.  Status page: ${colour(4, `http://${daemon.admin}/`)}   log: build/demo/daemon.log`);
}

/** Balances by the receipts of the canonical chain. */
async function chainLedger(token) {
  const sums = {};
  for (const { from, to, value } of await anvil.transfers({ contracts: [token] })) {
    sums[from] = (sums[from] ?? 0n) - BigInt(value);
    sums[to] = (sums[to] ?? 0n) + BigInt(value);
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0n).sort().map(([account, sum]) => [account, sum.toString()]));
}

async function close() {
  const end = await daemon?.stop();
  if (daemon) fs.writeFileSync(path.join(folder, 'daemon.log'), `${daemon.tail(Infinity)}\n`);
  await wire?.stop();
  handler?.kill();
  anvil?.stop();
  return end;
}

try {
  await story();
  if (!once) {
    console.log('It all stays up. Ctrl-C ends it.');
    await new Promise((resolve) => { for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve); });
  }
  const end = await close();
  if (end?.code !== 0) throw new Error(`the daemon ended with ${JSON.stringify(end)} after SIGTERM`);
  process.exit(0);
} catch (error) {
  console.error(`  ${colour(31, '✗')} ${error.message}`);
  if (daemon) console.error(`\nthe last lines of the daemon's log:\n${daemon.tail(15)}`);
  await close();
  process.exit(1);
}
