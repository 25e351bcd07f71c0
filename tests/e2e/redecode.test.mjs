// SPDX-License-Identifier: MIT
// A subscription was wrong and is mended: what is stored is decoded again, without the chain.
import assert from 'node:assert/strict';
import { problem } from './lib/admin.mjs';
import { Handler } from './lib/handler.mjs';
import { freePort } from './lib/http.mjs';
import { compile, deploy, run as call } from './lib/solidity.mjs';
import { never, until } from './lib/wait.mjs';
import { EVENT, scenario } from './lib/world.mjs';

const SWAPPED = 'Transfer(address indexed to, address indexed from, uint256 value)';

const one = async (world, how = {}) => {
  const receipt = await world.anvil.emit({ contract: world.A, value: 100, ...how });
  return (await world.anvil.transfersIn(receipt))[0];
};
async function mend(world, how) {
  const config = structuredClone(world.daemon.config);
  how(config);
  world.daemon.write(config);
  const answer = await world.daemon.api('/v1/reload', { body: {} });
  assert.equal(answer.status, 200, answer.text);
}
const job = (world, id) =>
  until('the job has ended', async () => {
    const answer = await world.daemon.get(`/v1/jobs/${id}`);
    return answer.state !== 'running' && answer;
  });
/** The last states of an event that the handler heard of, in order. */
const told = (handler, id, last) =>
  handler.accepted
    .filter((m) => m.data?.event_id === id)
    .map((m) => m.data.status)
    .slice(-last);

scenario(
  'names were swapped: dry run, then each reading is taken back and told anew, in order',
  {
    config: async (c) => {
      c.admin.listen = `127.0.0.1:${await freePort()}`; // for the verbs
      c.subscriptions[0].event = SWAPPED;
      c.handlers[0].order_by = 'arg:to';
      c.handlers[0].send = ['confirmed', 'rolled_back'];
    },
  },
  async (world) => {
    const { daemon, handler } = world;
    const late = await new Handler().start();
    world.others.push(late);
    const events = [await one(world), await one(world, { from: 2 }), await one(world)];
    await world.anvil.mine(2);
    for (const e of events) await world.message(e.eventId, 'confirmed');
    assert.equal(handler.of(events[0].eventId)[0].data.args.to, events[0].from);
    await mend(world, (c) => {
      c.subscriptions[0].event = EVENT;
      c.handlers.push({ ...c.handlers[0], name: 'later', url: late.url, order_by: 'contract' });
    });

    const dry = await daemon.verb('events', 'redecode');
    assert.equal(dry.code, 0, dry.stderr);
    assert.match(dry.stdout, /3 read otherwise, 0 fit no subscription any more, 0 as they were/);
    assert.match(dry.stdout, /nothing was changed/);
    assert.ok(dry.stdout.includes(events[0].eventId), dry.stdout);
    await never('a word of a dry run', () => handler.got('rolled_back').length);

    const done = await daemon.verb('events', 'redecode', '--subscription', 'transfers', '--yes');
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, /3 read otherwise/);
    for (const e of events) {
      const again = await world.message(e.eventId, 'confirmed', 2);
      assert.deepEqual(again.data.args, { from: e.from, to: e.to, value: String(e.value) });
      assert.equal(again.event.late, true);
      assert.deepEqual(told(handler, e.eventId), ['confirmed', 'rolled_back', 'confirmed']);
      const [first, back] = handler.of(e.eventId);
      assert.deepEqual(
        [back.data.version, again.data.version],
        [first.data.version + 1, first.data.version + 2],
      );
      assert.equal(back.data.why, 'corrected');
      assert.equal(back.data.undoes, first.id);
      assert.equal(back.key, first.key, 'it goes under the key of what it takes back');
      assert.deepEqual(back.data.args, first.data.args);
      assert.notEqual(again.key, first.key);
      assert.notEqual(again.id, first.id);
    }
    assert.equal(new Set(handler.requests.map((r) => r.id)).size, 9);
    // Who was told nothing has nothing to take back, and hears of the new facts as of any.
    await until('the later one is told', () => late.got('confirmed').length === 3);
    assert.equal(late.got('rolled_back').length, 0);

    const again = await daemon.verb('events', 'redecode', '--yes', '--json');
    const { id, kind, state, missing, extra, equal, examples } = JSON.parse(again.stdout);
    assert.deepEqual(
      { kind, state, missing, extra, equal, examples },
      { kind: 'redecode', state: 'done', missing: 0, extra: 0, equal: 3, examples: [] },
    );
    const audit = (await daemon.all('/v1/audit')).filter((a) => a.what === 'redecode');
    assert.equal(audit.length, 3);
    assert.ok(audit[0].detail.includes(`job ${id}`), audit[0].detail);
    const unknown = await daemon.verb('events', 'redecode', '--subscription', 'transfer');
    assert.equal(unknown.code, 1);
    problem(await daemon.api('/v1/events/redecode', { body: { dry_run: 1 } }), 400);
  },
);

scenario(
  'where was wrong: what fits no more is taken back, and the rest stays',
  {
    config: (c, { anvil }) => {
      c.subscriptions[0].where = { to: [anvil.accounts[5], anvil.accounts[6]] };
    },
  },
  async (world) => {
    const five = await one(world, { receiver: 5 });
    const six = await one(world, { receiver: 6 });
    await world.anvil.mine(2);
    await world.message(six.eventId, 'confirmed');
    await mend(world, (c) => {
      c.subscriptions[0].where = { to: world.anvil.accounts[5] };
    });
    const { status, json } = await world.daemon.api('/v1/events/redecode', { body: {} });
    assert.equal(status, 202);
    assert.equal(json.state, 'running');
    const ended = await job(world, json.job);
    assert.deepEqual(
      [ended.state, ended.missing, ended.extra, ended.equal],
      ['done', 0, 1, 1],
      JSON.stringify(ended),
    );
    assert.equal(ended.examples[0].after, null);
    const back = await world.message(six.eventId, 'rolled_back');
    assert.equal(back.data.why, 'corrected');
    await never('a word of what stays', () => world.handler.of(five.eventId, 'rolled_back').length);
    assert.equal((await world.daemon.get(`/v1/events/${six.eventId}`)).status, 'rolled_back');
    // The overlap reads its block again, and nothing comes back.
    await world.anvil.mine(1);
    await never('it comes back', () => world.handler.of(six.eventId, 'confirmed').length > 1);
  },
);

const contracts = compile(`
contract Shop {
  event Paid(address who, string indexed note, uint256 amount);
  event Deal(uint256 price, uint256 fee);
  function run() external {
    emit Paid(msg.sender, "a note", 5);
    emit Deal(5000, 1);
  }
}`);

scenario(
  'it could not be decoded; a value that asks for more confirmations waits for them',
  {
    contracts: [],
    config: async (c, w) => {
      c.admin.listen = `127.0.0.1:${await freePort()}`;
      w.shop = await deploy(w.anvil, contracts.Shop);
      c.subscriptions = [
        {
          name: 'paid',
          chains: ['local'],
          address: [w.shop],
          event: 'Paid(address indexed who, string note, uint256 amount)',
        },
        {
          name: 'deals',
          chains: ['local'],
          address: [w.shop],
          event: 'Deal(uint256 fee, uint256 price)',
          escalate: [{ when: 'price >= 1000', confirmations: 8 }],
        },
      ];
    },
  },
  async (world) => {
    const { daemon, handler, anvil } = world;
    const receipt = await call(anvil, world.shop, contracts.Shop);
    const [paid, deal] = receipt.logs.map(
      (l) => `31337:${receipt.transactionHash}:${Number(l.logIndex)}`,
    );
    await anvil.mine(2);
    assert.equal((await world.message(paid, 'confirmed')).data.args, null);
    await world.message(deal, 'confirmed');
    await mend(world, (c) => {
      c.subscriptions[0].event = 'Paid(address who, string indexed note, uint256 amount)';
      c.subscriptions[1].event = 'Deal(uint256 price, uint256 fee)';
    });
    const done = await daemon.verb('events', 'redecode', '--yes');
    assert.equal(done.code, 0, done.stderr);
    const again = await world.message(paid, 'confirmed', 2);
    assert.equal(again.data.args.amount, '5');
    assert.ok(again.data.args.note.hash, JSON.stringify(again.data.args));
    await until('it waits again', () => told(handler, deal, 1)[0] === 'pending');
    await anvil.mine(3);
    await never('an early word', () => handler.of(deal, 'confirmed').length > 1);
    await anvil.mine(4);
    const sure = await world.message(deal, 'confirmed', 2);
    assert.deepEqual(sure.data.args, { price: '5000', fee: '1' });
    assert.deepEqual(told(handler, deal, 4), [
      'confirmed',
      'rolled_back',
      'pending',
      'confirmed',
    ]);
  },
);

scenario(
  'kill -9 in the middle: the job goes on, and does no event twice',
  {
    timeout: 120_000,
    config: (c) => {
      c.subscriptions[0].event = SWAPPED;
      c.handlers[0].send = ['confirmed', 'rolled_back'];
      c.handlers[0].concurrency = 8;
      c.handlers[0].order_by = 'none';
    },
  },
  async (world) => {
    const { daemon, handler } = world;
    const total = 480;
    for (let i = 0; i < total / 40; i++) await one(world, { count: 40 });
    await world.anvil.mine(2);
    await until('all are told', () => handler.got('confirmed').length === total, {
      timeout: 60_000,
    });
    await mend(world, (c) => {
      c.subscriptions[0].event = EVENT;
    });
    const { json } = await daemon.api('/v1/events/redecode', { body: {} });
    const before = await until(
      'some are done',
      async () => {
        const at = await daemon.get(`/v1/jobs/${json.job}`);
        return at.missing > 0 && at;
      },
      { every: 1 },
    );
    await daemon.kill9();
    await daemon.start();
    const ended = await job(world, json.job);
    assert.deepEqual([ended.state, ended.missing, ended.equal], ['done', total, 0]);
    assert.ok(before.missing <= total);
    await until('all are told anew', () => handler.got('confirmed').length === 2 * total, {
      timeout: 60_000,
    });
    assert.equal(handler.got('rolled_back').length, total);
    const facts = await daemon.all('/v1/feed');
    const corrected = facts.filter((f) => f.data.why === 'corrected').map((f) => f.data.event_id);
    assert.equal(corrected.length, total);
    assert.equal(new Set(corrected).size, total);
  },
);
