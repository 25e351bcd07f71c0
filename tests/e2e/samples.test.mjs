// SPDX-License-Identifier: MIT
// The samples of docs/handlers.md, driven by hand: a message twice, a forged one, one that is taken
// back, a batch, what has no sequence, and the balances after it.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { Webhook } from 'standardwebhooks';
import { SECRET } from './lib/handler.mjs';
import { examples, Sample, samples } from './lib/samples.mjs';

const alice = `0x${'a'.repeat(40)}`,
  bob = `0x${'b'.repeat(40)}`;
const big = (2n ** 256n - 1n).toString();

/** Messages as Tidemark numbers them: one key, one after the other. */
function writer() {
  let count = 0;
  const placed = (message) => ({
    ...message,
    partitionkey: '31337:0xcc',
    epoch: 1,
    sequence: String(++count).padStart(20, '0'),
  });
  return {
    placed,
    confirmed: (id, value = big) =>
      placed({
        id,
        type: 'tidemark.event.confirmed',
        data: { args: { from: alice, to: bob, value } },
      }),
    undone: (id, undoes) => placed({ id, type: 'tidemark.event.rolled_back', data: { undoes } }),
  };
}

function signed(message, { secret = SECRET, at = new Date() } = {}) {
  const body = JSON.stringify(message);
  const id = Array.isArray(message) ? `batch_${message[0].id}_${message.length}` : message.id;
  const kind = Array.isArray(message) ? 'cloudevents-batch' : 'cloudevents';
  return {
    body,
    headers: {
      'content-type': `application/${kind}+json`,
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    },
  };
}

for (const [name, how] of Object.entries(samples))
  test(name, { timeout: 60_000 }, async (t) => {
    const sample = new Sample(how);
    t.after(() => sample.stop());
    await sample.start();
    const post = async (request) =>
      (await fetch(sample.url, { method: 'POST', ...request })).status;
    const send = (message) => post(signed(message));
    const { placed, confirmed, undone } = writer();

    const one = confirmed('one');
    assert.equal(await send(one), 204);
    assert.equal(await send(one), 204, 'known, and taken');
    assert.deepEqual(await sample.balances(), { [alice]: `-${big}`, [bob]: big });

    const two = confirmed('two');
    const other = `whsec_${Buffer.from('another secret').toString('base64')}`;
    assert.equal(await post(signed(two, { secret: other })), 401, 'forged');
    const right = signed(two);
    assert.equal(await post({ ...right, body: right.body.replace(big, '1') }), 401, 'changed');
    assert.equal(await post(signed(two, { at: new Date(1_700_000_000_000) })), 401, 'too old');
    assert.equal(await post({ body: '{}', headers: {} }), 401, 'not signed');

    assert.equal(await send(placed({ id: 'new', type: 'tidemark.later', data: {} })), 204);
    assert.equal(await send({ id: 'ping_1', type: 'tidemark.ping', data: {} }), 204);
    const four = undone('four', 'one');
    assert.deepEqual(await Promise.all([send(four), send(four)]), [204, 204], 'side by side');
    assert.deepEqual(await sample.balances(), {});

    const five = confirmed('five', '7');
    assert.equal(await send(five), 204);
    await sample.kill9();
    await sample.start();
    assert.equal(await send(five), 204);
    assert.deepEqual(await sample.balances(), { [alice]: '-7', [bob]: '7' }, 'it is kept');

    const batch = [five, confirmed('six', '1'), confirmed('seven', '2')];
    assert.deepEqual([await send(batch), await send(batch)], [204, 204]);
    assert.deepEqual(await sample.balances(), { [alice]: '-10', [bob]: '10' });

    // The daemon's store was restored: sequences begin again, ids stay.
    assert.equal(await send({ ...five, epoch: 2, sequence: '1'.padStart(20, '0') }), 204);
    assert.deepEqual(await sample.balances(), { [alice]: '-10', [bob]: '10' });
  });

test('what a Lambda cannot book is an error, and comes again', async () => {
  process.env.TIDEMARK_SECRET = SECRET;
  const { handlerWith } = await import(path.join(examples, 'handler-lambda', 'index.mjs'));
  const handler = handlerWith(() => {
    throw new Error('the database is away');
  });
  const { body, headers } = signed(writer().confirmed('one'));
  await assert.rejects(handler({ body, headers, isBase64Encoded: false }), /away/);
});
