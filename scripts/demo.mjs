// SPDX-License-Identifier: MIT
// The story, on a real node, with the real daemon and the sample handler; scripts/demo calls it.
import { alchemy, alchemyBody, post, sign } from '../tests/e2e/lib/hooks.mjs';
import { request } from '../tests/e2e/lib/http.mjs';
import { never, until } from '../tests/e2e/lib/wait.mjs';
import { colour, must, people, short, Stage, step, steps, title } from './demo_stage.mjs';

const once = process.argv.includes('--once');
let leave = () => process.exit(130); // until all is up there is nothing to end in order
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => leave());
const stage = new Stage();
let anvil, wire, daemon;

const event = (transfer) => daemon.get(`/v1/events/${transfer.eventId}`);
const message = (transfer, status) =>
  until(
    `${status} of ${transfer.eventId}`,
    () =>
      wire.seen.find(
        (m) =>
          m.status === status &&
          m.eventId === transfer.eventId &&
          m.block === transfer.blockHash &&
          m.answered,
      ),
    { timeout: 20_000 },
  );

async function story() {
  title('A node, a handler, a daemon between them');
  await step('an Ethereum node runs, with a token on it', async () => {
    await stage.startNode();
    anvil = stage.anvil;
    return `${anvil.url}  ${stage.token}`;
  });
  await step('the sample handler runs, and checks every signature', async () => {
    await stage.startHandler();
    wire = stage.wire;
    return 'examples/handler-node';
  });
  await step('the daemon is ready', async () => {
    await stage.startDaemon();
    daemon = stage.daemon;
    return `webhooks to ${daemon.ingest}, admin at ${daemon.admin}`;
  });

  title('A webhook comes');
  const first = await stage.pay('ann', 'shop', 100);
  let hook;
  await step("ann pays the shop 100; the provider's webhook is stored and answered", async () => {
    const body = alchemyBody([first]);
    hook = [body, sign.alchemy(body)];
    const answer = await post(daemon.ingest, 'alchemy', ...hook);
    must(
      answer.status === 200 && answer.json.hints === 1 && answer.json.duplicate === false,
      `${answer.status} ${answer.text}`,
    );
    return answer.text.trim();
  });
  await step('the chain was asked, and the event is pending', async () => {
    const item = await until('it is pending', async () => {
      const e = await event(first);
      return e.status === 'pending' && e;
    });
    must(wire.seen.length === 0, 'the handler was told too early');
    return `first seen by ${item.first_seen}`;
  });
  await step('three blocks later it is confirmed, and the handler is told', async () => {
    await anvil.mine(3);
    return short((await message(first, 'confirmed')).id);
  });
  await step('the same webhook again changes nothing', async () => {
    const answer = await post(daemon.ingest, 'alchemy', ...hook);
    must(
      answer.status === 200 && answer.json.duplicate === true,
      `${answer.status} ${answer.text}`,
    );
    await never('a second message', () => wire.seen.length > 1, 1500);
    return answer.text.trim();
  });

  title('A webhook never comes');
  await step('bob pays the shop 25, no webhook says so, and it is found', async () => {
    const missed = await stage.pay('bob', 'shop', 25);
    await anvil.mine(3);
    await message(missed, 'confirmed');
    return `first seen by ${(await event(missed)).first_seen}`;
  });

  title('Somebody forges one');
  const lie = {
    ...first,
    eventId: '',
    tx: `0x${'ab'.repeat(32)}`,
    value: '1000000',
    log: { ...first.log, transactionHash: `0x${'ab'.repeat(32)}` },
  };
  await step('a wrong signature is refused', async () => {
    const body = alchemyBody([lie]);
    const answer = await post(daemon.ingest, 'alchemy', body, sign.alchemy(body, 'a guess'));
    must(answer.status === 401, `${answer.status} ${answer.text}`);
    return 'HTTP 401, nothing stored';
  });
  await step(
    'a well-signed lie is stored as what it is: a hint that the chain denies',
    async () => {
      const told = wire.seen.length;
      const answer = await alchemy(daemon, [lie]);
      must(answer.status === 200, `${answer.status} ${answer.text}`);
      await anvil.mine(4);
      await never('a message about it', () => wire.seen.length > told, 2000);
      must((await daemon.get('/v1/events')).items.length === 2, 'an event came of it');
      return 'no event, no message';
    },
  );

  title('The chain changes its mind');
  let moved, again;
  await step('ann pays eve 40, and that is confirmed', async () => {
    moved = await stage.pay('ann', 'eve', 40);
    await anvil.mine(4);
    return short((await message(moved, 'confirmed')).id);
  });
  const told = wire.seen.length;
  await step(
    'a reorg of five blocks takes it out: the handler is told to take it back',
    async () => {
      const raw = await anvil.raw(moved.tx);
      await anvil.reorg(5, [[raw, 3]]);
      const back = await message(moved, 'rolled_back');
      must(
        back.undoes ===
          wire.seen.find((m) => m.eventId === moved.eventId && m.status === 'confirmed').id,
        'it undoes something else',
      );
      return `undoes ${short(back.undoes)}`;
    },
  );
  await step(
    'its transaction is in a later block now: a new inclusion, confirmed anew',
    async () => {
      again = (await anvil.transfersIn(await anvil.receipt(moved.tx)))[0];
      await anvil.mine(3);
      const fresh = await message(again, 'confirmed');
      must(
        wire.seen.findIndex((m) => m.status === 'rolled_back') < wire.seen.indexOf(fresh),
        'it came before it was taken back',
      );
      must(wire.seen.length === told + 2, 'more than two messages');
      return `block ${moved.block} → ${again.block}, ${short(fresh.id)}`;
    },
  );

  title('The daemon dies');
  const pending = [];
  let lost;
  await step(
    'the handler books a payment, and kill -9 comes before its answer arrives',
    async () => {
      wire.holdAnswers = true;
      const open = await stage.pay('ann', 'bob', 7);
      await anvil.mine(3);
      lost = await until(
        'the message is at the handler',
        () => wire.seen.find((m) => m.eventId === open.eventId && m.booked),
        { timeout: 20_000 },
      );
      for (const value of [11, 12, 13]) pending.push(await stage.pay('eve', 'shop', value));
      for (const t of pending) {
        const answer = await alchemy(daemon, [t]);
        must(answer.status === 200, `${answer.status} ${answer.text}`);
      }
      await daemon.kill9();
      wire.holdAnswers = false;
      return 'three webhooks were acknowledged just before';
    },
  );
  await step('while it is down the chain goes on', async () => {
    pending.push(await stage.pay('bob', 'ann', 5));
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
    const copies = await until('it came again', () => {
      const all = wire.seen.filter((m) => m.id === lost.id);
      return all.length > 1 && all;
    });
    must(
      copies.every((m) => m.body === lost.body),
      'other bytes',
    );
    return `${short(lost.id)} × ${copies.length}, booked once`;
  });

  title('The sum');
  await step("the handler's ledger equals the chain's", async () => {
    const chain = await stage.chainLedger();
    const { balances } = await until(
      'the ledgers are equal',
      async () => {
        const ledger = (await request(stage.handlerUrl)).json;
        return JSON.stringify(ledger.balances) === JSON.stringify(chain) && ledger;
      },
      { timeout: 20_000 },
    );
    const names = Object.fromEntries(
      Object.entries(people).map(([name, i]) => [anvil.accounts[i].toLowerCase(), name]),
    );
    console.log(`      ${'account'.padEnd(10)}${'handler'.padStart(10)}${'chain'.padStart(10)}`);
    for (const account of Object.keys(chain))
      console.log(
        `      ${(names[account] ?? account).padEnd(10)}${balances[account].padStart(10)}${chain[account].padStart(10)}`,
      );
  });
  await step('the dashboard answers', async () => {
    const page = await request(`http://${daemon.admin}/`);
    must(
      page.status === 200 && /html/.test(page.headers['content-type']),
      `${page.status} ${page.headers['content-type']}`,
    );
  });
  console.log(
    `\n${steps} steps held.  Dashboard: ${colour(4, `http://${daemon.admin}/`)}   log: build/demo/daemon.log`,
  );
}

try {
  await story();
  if (!once) {
    console.log('It all stays up. Ctrl-C ends it.');
    await new Promise((resolve) => {
      leave = resolve;
    });
  }
  const end = await stage.close();
  if (end?.code !== 0)
    throw new Error(`the daemon ended with ${JSON.stringify(end)} after SIGTERM`);
  process.exit(0);
} catch (error) {
  console.error(`  ${colour(31, '✗')} ${error.message}`);
  if (daemon) console.error(`\nthe last lines of the daemon's log:\n${daemon.tail(15)}`);
  await stage.close();
  process.exit(1);
}
