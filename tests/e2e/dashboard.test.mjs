// SPDX-License-Identifier: MIT
// The dashboard, in a real browser on the real daemon: every view in light, dark and on a phone, live,
// and what its buttons do.
import assert from 'node:assert/strict';
import { busy } from './lib/admin.mjs';
import { base } from './lib/base.mjs';
import { accessible, fitting, seen, shoot } from './lib/browser.mjs';
import { alchemy } from './lib/hooks.mjs';
import { freePort, request } from './lib/http.mjs';
import { sleep, until } from './lib/wait.mjs';

const TOKEN = 'an-admin-token-of-some-length';

/** Some confirmed, some compensated, two reorgs of which one took some away, some pending. */
async function eventful(world) {
  const { anvil, daemon } = world;
  const pay = async (i, told) => {
    const receipt = await anvil.emit({
      contract: world.A,
      from: i % 5,
      receiver: 5 + (i % 4),
      count: 1 + ((i * 7) % 4),
      value: 11 * i + 1,
    });
    if (told) await alchemy(daemon, await anvil.transfersIn(receipt));
    if (i % 3 === 0) await anvil.mine(1);
  };
  const reorg = async (depth) => {
    const { last_reorg: before } = await daemon.chain();
    await anvil.reorg(depth, []);
    await until('the reorg is seen', async () => {
      const { last_reorg: last } = await daemon.chain();
      return last && last.at !== before?.at;
    });
  };
  await busy(world);
  for (let i = 0; i < 8; i++) await pay(i, i % 4);
  await anvil.mine(3);
  await world.settled();
  await reorg(5);
  for (let i = 8; i < 18; i++) await pay(i, i % 4);
  await world.settled();
  await reorg(2);
  for (let i = 18; i < 24; i++) await pay(i, i % 2);
  const head = await anvil.head();
  await until('the head is seen', async () => (await daemon.chain()).head.number === head);
}

const views = {
  tide: ['', '[data-chain=local] .cell.waiting'],
  chains: ['chains', '#chain-local'],
  events: ['events', '.list-body [data-event]'],
  handlers: ['handlers', '.card h2'],
  handler: ['handlers/app', 'h2:text("Parked")'],
  sources: ['sources', 'table'],
  audit: ['audit', 'h2:text("Gaps")'],
};

seen('every view, light, dark and on a phone', {}, async (world, browser) => {
  await eventful(world);
  for (const screen of ['light', 'dark', 'phone']) {
    const page = await browser.open(world.daemon, { screen });
    for (const [name, [at, there]] of Object.entries(views)) {
      await page.at(at);
      await page.locator(there).first().waitFor();
      await page.waitForLoadState('load');
      if (name === 'tide') await page.locator('.cell.left').first().waitFor();
      await accessible(page, `${name}, ${screen}`);
      await fitting(page, `${name}, ${screen}`);
      await shoot(page, `${name}-${screen}`);
    }
    await page.at('events?status=rolled_back');
    await page.locator('.list-body [data-event] a').first().click();
    await page.locator('.timeline li.bad').first().waitFor();
    await accessible(page, `an event, ${screen}`);
    await fitting(page, `an event, ${screen}`);
    await shoot(page, `event-${screen}`);
    assert.deepEqual(page.wrong, [], `the console, ${screen}`);
    const own = `http://${world.daemon.admin}/`;
    assert.deepEqual(
      page.asked.filter((url) => !url.startsWith(own)),
      [],
      'nobody else is asked',
    );
  }
});

seen('the page is small, quick and strict', {}, async (world, browser) => {
  const { daemon } = world;
  const html = await request(`http://${daemon.admin}/`);
  const files = [...html.text.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map((m) => m[1]);
  assert.ok(files.length >= 2, 'a script and a style');
  let weight = html.raw.length;
  for (const file of files) {
    const url = `http://${daemon.admin}/${file}`;
    const headers = { 'accept-encoding': 'gzip' };
    const answer = await request(url, { headers });
    assert.equal(answer.status, 200, file);
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    weight += answer.raw.length;
    const again = await request(url, {
      headers: { ...headers, 'if-none-match': answer.headers.etag },
    });
    assert.equal(again.status, 304, file);
    assert.equal(again.raw.length, 0);
  }
  assert.ok(weight < 150 * 1024, `${weight} bytes`);
  assert.ok(!/<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=/i.test(html.text), 'nothing inline');
  const policy = html.headers['content-security-policy'];
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);

  const paints = [];
  for (let i = 0; i < 3; i++) {
    const page = await browser.open(daemon);
    await page.locator('.tide').waitFor();
    paints.push(
      await page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0].startTime,
      ),
    );
  }
  assert.ok(Math.min(...paints) < 500, `first paint after ${paints} ms`);
});

seen(
  'live: a block, its event and the mark are seen within a second',
  {},
  async (world, browser) => {
    const { anvil, daemon } = world;
    await anvil.mine(4);
    await until(
      'the head is seen',
      async () => (await daemon.chain()).head?.number === (await anvil.head()),
    );
    const page = await browser.open(daemon);
    const shown = (what) =>
      page
        .locator(`[data-chain=local] [data-${what}]`)
        .textContent()
        .then((text) => Number(text.replaceAll(',', '')));
    await until('the page is live', async () => (await shown('head')) === (await anvil.head()));
    const took = [];
    for (let i = 0; i < 7; i++) {
      await sleep(180 * i);
      const began = Date.now();
      const head = await anvil.mine(1);
      await page.waitForFunction(
        (n) => document.querySelector('[data-head]').textContent.replaceAll(',', '') === String(n),
        head,
        { polling: 20 },
      );
      took.push(Date.now() - began);
    }
    took.sort((a, b) => a - b);
    assert.ok(took[3] < 1000, `ms from a block to the page: ${took}`);
    assert.equal(await shown('mark'), (await daemon.chain()).mark.number);

    const list = await browser.open(daemon, { at: 'events' });
    await list.locator('.above-list:has-text("No event")').waitFor();
    const [transfer] = await anvil.transfersIn(await anvil.emit({ contract: world.A, value: 5 }));
    const began = Date.now();
    const row = list.locator(`[data-event="${transfer.eventId}"]`);
    await row.locator('.badge:text("pending")').waitFor();
    assert.ok(Date.now() - began < 3000, `the event after ${Date.now() - began} ms`);
    const cell = page.locator(`.cell[data-block="${transfer.block}"] .dot`);
    await cell.waitFor();
    await anvil.mine(2);
    await row.locator('.badge:text("confirmed")').waitFor();
    await page.locator(`.cell.settled[data-block="${transfer.block}"] .dot.confirmed`).waitFor();
    assert.deepEqual([...page.wrong, ...list.wrong], []);
  },
);

seen(
  'a reorg is seen as a branch',
  { contracts: ['A', 'B'], before: base },
  async (world, browser) => {
    const { anvil, daemon } = world;
    await world.settled();
    await world.marked(5);
    const page = await browser.open(daemon);
    const strip = page.locator('[data-chain=local]');
    await strip.locator('.cell.settled[data-block="4"] .dot.confirmed').first().waitFor();
    assert.equal(await strip.locator('.cell.left').count(), 0);
    const left = [];
    for (let n = 4; n <= 7; n++) left.push((await anvil.block(n)).hash);
    await anvil.reorg(4, [[world.txB.raw, 2]]);
    await strip.locator('.cell.left').nth(3).waitFor();
    assert.deepEqual(
      await strip
        .locator('.cell.left')
        .evaluateAll((all) => all.map((c) => c.dataset.key.slice(0, 66))),
      left,
      'just the blocks that left',
    );
    await strip.locator('.branch').waitFor();
    await strip.locator('.cell.left[data-block="4"] .dot.undone').first().waitFor();
    // By keyboard: down from the block above it, and its words.
    await strip.locator('.cell[data-block="4"]:not(.left)').focus();
    await page.keyboard.press('ArrowDown');
    await strip.locator('.details:has-text("left the chain")').waitFor();
    assert.match(await strip.locator('.details').textContent(), /Block 4 /);
    assert.match(
      await strip.locator('.cell:focus').getAttribute('aria-label'),
      /Block 4, left the chain, 3 events/,
    );
    await page.at('chains');
    await page.locator('[aria-label=Reorgs] td:text-is("4")').first().waitFor();
    assert.deepEqual(page.wrong, []);
  },
);

seen(
  'an event says whom it replaces, and by whom it is replaced',
  { contracts: ['A', 'B'], before: base },
  async (world, browser) => {
    const { anvil, daemon } = world;
    await world.settled();
    await anvil.reorg(4, [
      [world.txN.raw, 0],
      [world.txB.raw, 0],
    ]);
    await anvil.mine(2);
    await world.settled();
    const [old] = world.txB.logs;
    const [fresh] = await anvil.transfersIn(await anvil.receipt(world.txB.hash));
    assert.notEqual(fresh.eventId, old.eventId);
    const page = await browser.open(daemon, { at: `events/${encodeURIComponent(old.eventId)}` });
    const row = (name) => page.locator(`.facts div:has(dt:text-is("${name}")) a`);
    await row('replaced by').click();
    await page.getByText(fresh.eventId).first().waitFor();
    await row('replaces').click();
    await page.locator('.timeline li.bad').waitFor();
    await page.getByText(old.eventId).first().waitFor();
    assert.deepEqual(page.wrong, []);
  },
);

seen(
  'a token is asked for; pause, resume and test do what they say, and are in the audit log',
  {
    config: (c) => {
      c.admin.tokens = [
        { name: 'grafana', role: 'read', token: 'read-only-token-1234' },
        { name: 'ops', role: 'operate', token: TOKEN },
      ];
    },
  },
  async (world, browser) => {
    const { daemon, anvil } = world;
    const ask = async (path) => (await daemon.api(path, { token: TOKEN })).json;
    const state = async () => (await ask('/v1/handlers')).items[0];
    const page = await browser.open(daemon);
    const login = async (token) => {
      await page.getByLabel('Admin token').fill(token);
      await page.keyboard.press('Enter');
    };
    await page.getByLabel('Admin token').waitFor();
    await accessible(page, 'the login');
    assert.deepEqual(page.wrong, [], 'it asks before it is refused');
    await login('wrong');
    await page.getByText('That token is not known here.').waitFor();
    await login('read-only-token-1234');
    await page.locator('.tide').waitFor();
    await page.at('handlers');
    await page.getByRole('button', { name: 'Pause …' }).click();
    await accessible(page, 'a dialog');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'grafana' }).waitFor();
    assert.equal((await state()).state, 'active', 'a token that may only read does nothing');
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Forget the token' }).click();
    await login(TOKEN);
    await page.getByRole('button', { name: 'Pause …' }).click();
    await page.getByLabel('Why').fill('the ledger moves');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.locator('.badge:text-is("paused")').waitFor();
    assert.deepEqual(
      [(await state()).state, (await state()).reason],
      ['paused', 'the ledger moves'],
    );
    await anvil.emit({ contract: world.A, value: 3 });
    await anvil.mine(2);
    await page.locator('.facts div:has(dt:text-is("due")) dd:not(:text-is("0"))').waitFor();
    assert.equal(world.handler.requests.length, 0);
    await page.getByRole('button', { name: 'Resume …' }).click();
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.locator('.badge:text-is("active")').waitFor();
    await world.settled();

    await page.at('audit');
    await page
      .getByRole('cell', { name: /the ledger moves/ })
      .first()
      .waitFor();
    assert.ok((await page.getByRole('cell', { name: 'ops', exact: true }).count()) >= 2);
  },
);

seen('without the stream the page asks, and is as live', {}, async (world, browser) => {
  const { anvil, daemon } = world;
  await anvil.mine(2);
  const page = await browser.open(daemon, { at: 'none-yet' });
  await page.route('**/v1/feed/stream*', (route) => route.fulfill({ status: 404, body: '{}' }));
  await page.reload();
  await page.locator('.link:text-is("live (polling)")').waitFor();
  const [transfer] = await anvil.transfersIn(await anvil.emit({ contract: world.A, value: 5 }));
  await page.locator(`.cell[data-block="${transfer.block}"] .dot`).waitFor({ timeout: 5_000 });
});

seen(
  'a daemon that is gone is said to be, and is there again when it is',
  {
    config: async (c) => {
      c.admin.listen = `127.0.0.1:${await freePort()}`;
    },
  },
  async (world, browser) => {
    const { anvil, daemon } = world;
    await anvil.mine(2);
    const page = await browser.open(daemon);
    await page.locator('.tide .cell').first().waitFor();
    await daemon.kill9();
    await page.locator('.link:text-is("no answer")').waitFor();
    await page.locator('.alarms').filter({ hasText: 'What is shown is old' }).waitFor();
    const head = await anvil.mine(3);
    await daemon.start();
    await page.locator(`.cell[data-block="${head}"]`).waitFor();
    await page.locator('.link:not(:text-is("no answer"))').waitFor();
    const [transfer] = await anvil.transfersIn(await anvil.emit({ contract: world.A, value: 5 }));
    await page.locator(`.cell[data-block="${transfer.block}"] .dot`).waitFor();
  },
);

seen('one event: its life, and a curl line that works', {}, async (world, browser) => {
  const { daemon } = world;
  await busy(world);
  const [transfer] = world.transfers;
  const page = await browser.open(daemon, { at: 'events' });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByLabel('Find').fill(transfer.tx);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('[data-event]').length === 2);
  await page.getByLabel('Find').fill(transfer.eventId);
  await page.keyboard.press('Enter');
  const life = await daemon.get(`/v1/events/${transfer.eventId}`);
  const line = page.locator('.timeline');
  await line.locator('.what:text("confirmed")').waitFor();
  await line.locator('.what:has-text("Webhook")').first().waitFor();
  assert.equal(
    await line.locator('li').count(),
    1 + life.webhooks.length + life.history.length + life.attempts.length,
  );
  assert.match(await line.textContent(), /Sent to app/);
  assert.match(await page.locator('.beside').textContent(), new RegExp(transfer.to, 'i'));
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  const [, header, value, url] = /^curl -sS -H "([^:]+): ([^"]+)" '(http[^']+)'$/.exec(text);
  const answer = await request(url, {
    headers: { [header]: value.replace('$TIDEMARK_TOKEN', '') },
  });
  assert.equal(answer.json.event_id, transfer.eventId);
  assert.deepEqual(page.wrong, []);
});

seen(
  'a long list scrolls without jank, and few of its rows are there',
  {},
  async (world, browser) => {
    const { daemon } = world;
    await busy(world);
    const [item] = (await daemon.get('/v1/events?limit=1')).items;
    const page = await browser.open(daemon, { at: 'audit' });
    const ALL = 1_000_000;
    await page.route('**/v1/events?*', (route) => {
      const asked = new URL(route.request().url()).searchParams;
      const from = Number(asked.get('after') ?? ALL);
      const limit = Number(asked.get('limit'));
      const items = Array.from({ length: limit }, (_, i) => ({
        ...item,
        event_id: `${item.event_id.replace(/:[^:]*$/, '')}:${from - i}`,
      }));
      return route.fulfill({ json: { items, next: String(from - limit) } });
    });
    await page.at('events');
    await page.locator('[data-event]').first().waitFor();
    const { rows, long, seenIds } = await page.evaluate(async () => {
      const box = document.querySelector('.list');
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const long = [];
      new PerformanceObserver((list) =>
        long.push(...list.getEntries().map((e) => e.duration)),
      ).observe({ type: 'longtask' });
      let rows = 0;
      for (let i = 0; i < 2_000 && box.scrollHeight < 20_000 * 44; i++) {
        box.scrollTop = box.scrollHeight;
        await frame();
        rows = Math.max(rows, box.querySelectorAll('[data-event]').length);
      }
      box.scrollTop = 0; // whose rows were let go of meanwhile
      for (let i = 0; i < 200 && !box.querySelector('[data-event]'); i++) await frame();
      return { rows, long, seenIds: box.querySelectorAll('[data-event]').length };
    });
    assert.ok(rows > 5 && rows < 100, `${rows} rows at once`);
    assert.ok(seenIds > 5, 'the first rows are there again');
    assert.ok(
      long.every((ms) => ms < 250),
      `a frame took ${Math.max(...long)} ms`,
    );
    assert.deepEqual(page.wrong, []);
  },
);

seen(
  'parked messages are retried and skipped, a test is sent, a replay is counted and sent',
  {
    config: (c) => {
      Object.assign(c.handlers[0], { send: ['confirmed'], on_exhausted: 'park_event' });
      c.handlers[0].retry.attempts = 1;
    },
  },
  async (world, browser) => {
    const { anvil, daemon, handler } = world;
    let failing = true;
    handler.rule = (m) =>
      failing && m.type === 'tidemark.event.confirmed'
        ? { status: 500, body: 'no such account' }
        : undefined;
    const [one] = await anvil.transfersIn(await anvil.emit({ contract: world.A, value: 1 }));
    const [two] = await anvil.transfersIn(await anvil.emit({ contract: world.A, value: 2 }));
    await anvil.mine(2);
    const page = await browser.open(daemon, { at: 'handlers/app' });
    const rows = page.locator('[aria-label="Parked messages"] tbody tr');
    await rows.nth(1).waitFor();
    assert.match(await rows.first().textContent(), /failed, HTTP 500 no such account/);
    await accessible(page, 'parked messages');
    await shoot(page, 'parked-light');
    failing = false;
    handler.bytes.clear(); // a retry has the same id and data, but the key's next sequence
    const row = (t) =>
      rows.filter({ has: page.locator(`a[href*="${encodeURIComponent(t.eventId)}"]`) });
    await row(one)
      .getByRole('button', { name: /^Retry/ })
      .click();
    await world.message(one.eventId, 'confirmed');
    await row(one).waitFor({ state: 'detached' });
    await row(two).getByRole('button', { name: /^Skip/ }).click();
    await page.getByLabel('Why').fill('booked by hand');
    await page.getByRole('button', { name: 'Skip it' }).click();
    await row(two).waitFor({ state: 'detached' });
    await until('the handler is told of the gap', () =>
      handler.requests.some((m) => m.type === 'tidemark.gap'),
    );
    assert.equal((await daemon.get('/v1/dead')).items.length, 0);

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/Ping to app: it answered: HTTP 204/).waitFor();
    assert.ok(handler.requests.some((m) => m.type === 'tidemark.ping'));

    await page.getByRole('button', { name: 'Replay …' }).click();
    await page.getByLabel('One event').fill(one.eventId);
    await page.getByRole('button', { name: 'How many?' }).click();
    await page.getByText('It would send 1 message.').waitFor();
    await accessible(page, 'a replay');
    const before = handler.requests.length;
    await sleep(300);
    assert.equal(handler.requests.length, before, 'counting sends nothing');
    await page.getByRole('button', { name: 'Send 1 message' }).click();
    await page.locator('dialog').getByText('done').waitFor();
    await until('it came again', () => handler.requests.length === before + 1);
    const [first, again] = handler.requests.filter(
      (m) => m.data.event_id === one.eventId && m.answer.status === undefined,
    );
    assert.equal(again.id, first.id);
    assert.equal(again.raw, first.raw);
    await page.at('audit');
    for (const text of [/booked by hand/, /replay/])
      await page.getByRole('cell', { name: text }).first().waitFor();
    assert.deepEqual(page.wrong, []);
  },
);

seen(
  'a halted chain says why, and goes on only after its name was typed',
  {
    contracts: ['A', 'B'],
    before: async (w) => {
      await base(w);
      await w.anvil.mine(20);
    },
    config: (c) => {
      c.chains[0].reorg.max_depth = 6;
    },
  },
  async (world, browser) => {
    const { anvil, daemon } = world;
    await world.settled();
    await world.marked(25);
    const page = await browser.open(daemon);
    await page.locator('.tide .badge:text-is("following")').waitFor();
    await anvil.reorg(24, [[world.txB.raw, 5]]);
    await page.locator('.alarms .bad').filter({ hasText: 'halted' }).waitFor();
    await accessible(page, 'a halted chain');
    await shoot(page, 'halted-light');
    await page.locator('.alarms a').first().click();
    await page.getByRole('button', { name: 'Resume …' }).click();
    await page.getByRole('button', { name: 'Look again' }).click();
    const accept = page.getByRole('button', { name: 'Take it back and go on' });
    await accept.waitFor();
    const loss = await page.locator('dialog').textContent();
    assert.match(loss, /confirmed events to take back/);
    await accessible(page, 'what would be taken back');
    await shoot(page, 'resume-light');
    assert.ok(await accept.isDisabled());
    await page.getByLabel('Type local to confirm').fill('loca');
    assert.ok(await accept.isDisabled());
    assert.equal((await daemon.chain()).state, 'halted');
    await page.getByLabel('Type local to confirm').fill('local');
    await accept.click();
    await until('it goes on', async () => (await daemon.chain()).state !== 'halted');
    await page.locator('#chain-local .badge:not(:text-is("halted"))').first().waitFor();
    await world.settled();
  },
);
