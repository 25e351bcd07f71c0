// SPDX-License-Identifier: MIT
// What can be ordered of a chain on the dashboard: reading a range again, and passing blocks that no
// endpoint serves. And how far its search by words has looked.
import assert from 'node:assert/strict';
import { accessible, fitting, seen, shoot } from './lib/browser.mjs';
import { freePort } from './lib/http.mjs';
import { until } from './lib/wait.mjs';

seen(
  'reconcile compares, says what it found, and stores only what was ticked',
  {
    config: (c) => {
      // Nothing is looked for at the head, and nothing twice: what comes stays unseen.
      c.chains[0].follow = false;
      c.chains[0].confirmations = 4;
      c.chains[0].reconcile = { interval: '1h' };
    },
  },
  async (world, browser) => {
    const { anvil, daemon } = world;
    await anvil.emit({ contract: world.A, count: 2 });
    await anvil.mine(4);
    const from = (await anvil.head()) - 4;
    await world.marked(from);
    await anvil.emit({ contract: world.A, from: 1 });
    const head = await anvil.head();
    await until('the head is known', async () => (await daemon.chain()).head.number === head);
    const events = async () => (await daemon.all('/v1/events')).length;

    const page = await browser.open(daemon, { at: 'chains' });
    const order = async ({ first, last, apply = false }) => {
      await page.getByRole('button', { name: 'Reconcile …' }).click();
      await page.getByLabel('From block').fill(String(first));
      await page.getByLabel('To block').fill(String(last));
      if (apply) await page.getByLabel('Store and send what is missing').check();
      await page.getByRole('button', { name: /^Read again/ }).click();
    };
    const said = (text) => page.getByText(text).waitFor();

    await page.getByRole('button', { name: 'Reconcile …' }).click();
    const { mark } = await world.marked(head - 4);
    const upTo = Number(await page.getByLabel('To block').inputValue());
    assert.ok(upTo >= from && upTo <= mark.number, `up to the mark: ${upTo}`);
    await accessible(page, 'reconcile');
    await fitting(page, 'reconcile');
    await shoot(page, 'reconcile-light');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });

    await order({ first: 0, last: from });
    await said(`Blocks 0 to ${from}: 0 missing, 0 extra, 2 equal.`);
    await order({ first: head, last: head });
    await said(`Blocks ${head} to ${head}: 1 missing, 0 extra, 0 equal.`);
    assert.equal(await events(), 2, 'nothing is stored');
    await order({ first: head, last: head, apply: true });
    await until('it is stored', async () => (await events()) === 3);
    await page.locator('dialog').waitFor({ state: 'detached' });
    await order({ first: 0, last: head });
    await said(`Blocks 0 to ${head}: 0 missing, 0 extra, 3 equal.`);
    assert.deepEqual(page.wrong, []);

    // What the daemon refuses stays in the dialog, with its words.
    await order({ first: 9, last: 3 });
    await page.locator('dialog [role=alert]').waitFor();
    await page.keyboard.press('Escape');
    await page.at('audit');
    await page.getByRole('cell', { name: 'reconcile', exact: true }).first().waitFor();
  },
);

seen(
  'blocks that no endpoint serves are passed, with a reason and the name typed',
  {
    proxy: true,
    start: false,
    config: async (c) => {
      c.admin.listen = `127.0.0.1:${await freePort()}`;
      c.chains[0].reorg.max_depth = 3;
    },
  },
  async (world, browser) => {
    const { anvil, proxy, daemon } = world;
    for (let i = 0; i < 4; i++) await anvil.emit({ contract: world.A, value: i + 1 }); // blocks 2 to 5
    await anvil.mine(8);
    const error = { code: 4444, message: 'pruned history unavailable' };
    proxy.set({
      call: (call) => {
        const [from, to] = [call.params?.[0]?.fromBlock, call.params?.[0]?.toBlock].map(Number);
        const gone = call.method === 'eth_getLogs' && from <= 4 && to >= 3;
        return gone ? { jsonrpc: '2.0', id: call.id, error } : undefined;
      },
    });
    await daemon.start();
    await until('the mark stands', async () => (await daemon.chain()).state === 'degraded');
    const page = await browser.open(daemon, { at: 'chains' });
    await page.locator('#chain-local .reason:has-text("pruned")').waitFor();
    await page.getByRole('button', { name: 'Skip blocks …' }).click();
    await world.marked(2); // as far as it comes
    const next = 3;
    await accessible(page, 'skip');
    await shoot(page, 'skip-light');
    const skip = page.getByRole('button', { name: 'Skip them' });
    assert.ok(await skip.isDisabled(), 'nothing is typed');
    await page.getByLabel('From block').fill(String(next));
    await page.getByLabel('To block').fill('4');
    await page.getByLabel('Why').fill('pruned everywhere');
    await page.getByLabel('Type local to confirm').fill('loca');
    assert.ok(await skip.isDisabled(), 'the name is not whole');
    await page.getByLabel('Type local to confirm').fill('local');
    await skip.click();
    await page.getByText(`The mark may pass ${next} to 4.`).waitFor();
    await world.marked((await anvil.head()) - 2);
    await page.locator('#chain-local .badge:text-is("following")').waitFor();
    const gaps = (await daemon.get('/v1/gaps')).items;
    assert.deepEqual(
      gaps.map((g) => [g.from_block, g.to_block, g.reason]),
      [[next, 4, 'pruned everywhere']],
    );
    await page.at('audit');
    const row = page.locator('[aria-label=Gaps] tr:has-text("pruned everywhere")');
    assert.match(await row.textContent(), /local/);
    assert.deepEqual(page.wrong, []);
  },
);

seen('a search by words says how far it has looked', {}, async (world, browser) => {
  const { anvil, daemon } = world;
  await anvil.emit({ contract: world.A, value: 4242 });
  await anvil.mine(2);
  await world.settled();
  const page = await browser.open(daemon, { at: 'events?text=4242' });
  await page.getByText('1 of all 1 events have “4242” in them.').waitFor();
  // A long list: it stops to ask, and says what it has not looked at.
  const [item] = (await daemon.get('/v1/events?limit=1')).items;
  await page.route('**/v1/events?*', (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const from = Number(asked.get('after') ?? 1_000_000);
    const limit = Number(asked.get('limit'));
    const items = Array.from({ length: limit }, (_, i) => ({
      ...item,
      event_id: `${item.event_id.replace(/:[^:]*$/, '')}:${from - i}`,
      args: { ...item.args, value: (from - i) % 1000 === 0 ? '777' : '1' },
    }));
    return route.fulfill({ json: { items, next: String(from - limit) } });
  });
  await page.at('events?text=%22777%22');
  await page
    .getByText('5 of the newest 5,000 events have “"777"” in them; older ones are not looked at yet.')
    .waitFor();
  await accessible(page, 'a search by words');
  await page.getByRole('button', { name: 'Look at 5,000 more' }).click();
  await page.getByText(/^10 of the newest 10,000 events/).waitFor();
  assert.deepEqual(page.wrong, []);
});

seen(
  'a handler that asked for an hour is said to, and tried when somebody says so',
  {
    config: (c) => {
      c.handlers[0].send = ['confirmed'];
    },
  },
  async (world, browser) => {
    const { anvil, handler } = world;
    let busy = true;
    handler.rule = () => (busy ? { status: 503, headers: { 'retry-after': '3600' } } : undefined);
    await anvil.emit({ contract: world.A });
    await anvil.mine(2);
    await until('it was asked', () => handler.requests.length === 1);

    const page = await browser.open(world.daemon, { at: 'handlers' });
    await page.getByRole('link', { name: /^Handler app: it asked to wait/ }).waitFor();
    busy = false;
    await page.getByRole('button', { name: 'Try now …' }).click();
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await world.settled();
    assert.equal(handler.requests.length, 2);
    await page.getByRole('button', { name: 'Try now …' }).waitFor({ state: 'detached' });
    assert.deepEqual(page.wrong, []);
  },
);
