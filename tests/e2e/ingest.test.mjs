// SPDX-License-Identifier: MIT
// POST /hooks/{source}: every answer of contract §3, and what is stored behind it.
import assert from 'node:assert/strict';
import http from 'node:http';
import zlib from 'node:zlib';
import { alchemyBody, keys, post, sign } from './lib/hooks.mjs';
import { exchange, request } from './lib/http.mjs';
import { fresh, head, log, nextNonce, portOf, stored } from './lib/relay.mjs';
import { until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

scenario(
  'the table of answers',
  {
    config: (c) => {
      c.ingest.max_body = '64KiB';
    },
  },
  async (world, t) => {
    const { daemon } = world;
    const port = portOf(daemon);
    /** Sends it and expects the status, and whether it is stored. */
    const row = (name, status, send, { kept = status === 200 } = {}) =>
      t.test(name, async () => {
        const before = (await stored(daemon)).length;
        const answer = await send();
        const got = answer.status ?? answer.statuses?.[0];
        assert.equal(got, status, JSON.stringify(answer.text ?? answer).slice(0, 400));
        assert.equal((await stored(daemon)).length - before, kept ? 1 : 0, 'webhooks stored');
        if (answer.status && status !== 200 && answer.text)
          assert.match(answer.headers['content-type'] ?? '', /json|text/);
      });
    const raw = (body, headers, source = 'relay') => post(daemon.ingest, source, body, headers);

    await row('200: signed and understood', 200, () => {
      const b = fresh();
      return raw(b, sign.raw(b));
    });
    await row('200: signed and not JSON', 200, async () => {
      const answer = await raw('certainly not JSON', sign.raw('certainly not JSON'));
      assert.equal(answer.json.hints, 0);
      return answer;
    });
    await row('200: signed and empty', 200, async () => {
      const answer = await raw('', { ...sign.raw(''), 'content-length': 0 });
      assert.equal(answer.json.hints, 0);
      return answer;
    });
    await row('200: signed bytes that are no UTF-8', 200, () => {
      const b = Buffer.from([0xff, 0x00, 0xfe, nextNonce()]);
      return raw(b, sign.raw(b));
    });
    await row('200: the query after the path is not part of it', 200, () => {
      const b = fresh();
      return request(`http://${daemon.ingest}/hooks/relay?token=1`, {
        method: 'POST',
        headers: sign.raw(b),
        body: b,
      });
    });
    await row('200: header names in any case', 200, () => {
      const b = fresh();
      return raw(b, { 'x-hub-SIGNATURE-256': sign.raw(b)['x-hub-signature-256'] });
    });
    await row('200: chunked', 200, () => {
      const b = fresh();
      return request(`http://${daemon.ingest}/hooks/relay`, {
        method: 'POST',
        headers: { ...sign.raw(b), 'transfer-encoding': 'chunked' },
        body: b,
      });
    });
    for (const [encoding, squeeze] of [
      ['gzip', zlib.gzipSync],
      ['deflate', zlib.deflateSync],
      ['identity', (x) => x],
    ]) {
      await row(`200: ${encoding}`, 200, async () => {
        const wire = squeeze(Buffer.from(fresh()));
        const answer = await raw(wire, { ...sign.raw(wire), 'content-encoding': encoding });
        assert.equal(answer.json?.hints, 1);
        assert.ok(
          (await daemon.api(`/v1/webhooks/${answer.json.id}/raw`)).raw.equals(wire),
          'stored as it came',
        );
        return answer;
      });
    }
    await row('400: gzip that is none', 400, () => {
      const b = fresh();
      return raw(b, { ...sign.raw(b), 'content-encoding': 'gzip' });
    });
    await row('400: gzip cut short', 400, () => {
      const wire = zlib.gzipSync(Buffer.from(fresh().repeat(20))).subarray(0, 40);
      return raw(wire, { ...sign.raw(wire), 'content-encoding': 'gzip' });
    });
    await row('400: no HTTP', 400, () => exchange(port, 'HELLO\r\n\r\n'));
    await row('400: a header line without a colon', 400, () =>
      exchange(
        port,
        'POST /hooks/relay HTTP/1.1\r\nHost: x\r\nbroken header\r\nContent-Length: 0\r\n\r\n',
      ),
    );
    await row('400: two lengths', 400, () =>
      exchange(port, head('{}', 'Content-Length: 2\r\nContent-Length: 3\r\n') + '{}x'),
    );
    await row('400: a chunk size that is none', 400, () =>
      exchange(port, head('{}', 'Transfer-Encoding: chunked\r\n') + 'zz\r\n{}\r\n0\r\n\r\n'),
    );
    await row('401: no signature', 401, () => raw(fresh(), {}));
    await row('401: of another body', 401, () => raw(fresh(), sign.raw('other')));
    await row('401: with another key', 401, () => {
      const b = fresh();
      return raw(b, sign.raw(b, 'guess'));
    });
    await row('401: without its prefix', 401, () => {
      const b = fresh();
      return raw(b, { 'x-hub-signature-256': sign.raw(b)['x-hub-signature-256'].slice(7) });
    });
    await row('401: cut short', 401, () => {
      const b = fresh();
      return raw(b, { 'x-hub-signature-256': sign.raw(b)['x-hub-signature-256'].slice(0, -2) });
    });
    await row('401: one bit of the body', 401, () => {
      const b = fresh();
      return raw(b.replace('removed', 'Removed'), sign.raw(b));
    });
    await row('401: of another source', 401, () => {
      const b = fresh();
      return raw(b, sign.raw(b), 'alchemy');
    });
    await row('401: Standard Webhooks, two days old', 401, () => {
      const b = fresh();
      return raw(
        b,
        sign.standard(b, keys.standard, { at: new Date(Date.now() - 2 * 86_400_000) }),
        'standard',
      );
    });
    await row('401: Standard Webhooks, another id than signed', 401, () => {
      const b = fresh();
      return raw(b, { ...sign.standard(b), 'webhook-id': 'msg_other' }, 'standard');
    });
    await row('200: Standard Webhooks, one good signature among others', 200, () => {
      const b = JSON.stringify({
        type: 'evm.log',
        data: {
          chainId: '0x7a69',
          log: { ...log, data: `0x${nextNonce().toString(16).padStart(64, '0')}` },
        },
      });
      const signed = sign.standard(b);
      return raw(
        b,
        { ...signed, 'webhook-signature': `v1a,AAAA v1,AAAA ${signed['webhook-signature']}` },
        'standard',
      );
    });
    await row('404: no such source', 404, () => {
      const b = fresh();
      return raw(b, sign.raw(b), 'nobody');
    });
    await row('404: another path', 404, () =>
      request(`http://${daemon.ingest}/elsewhere`, { method: 'POST', body: '{}' }),
    );
    await row('404: below a source', 404, () =>
      request(`http://${daemon.ingest}/hooks/relay/more`, { method: 'POST', body: '{}' }),
    );
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      await row(`405: ${method}`, 405, () =>
        request(`http://${daemon.ingest}/hooks/relay`, {
          method,
          ...(method === 'GET' ? {} : { body: '{}' }),
        }),
      );
    }
    await row('411: no length and not chunked', 411, () => exchange(port, head('')));
    await row('413: too large by its length', 413, () => {
      const b = 'x'.repeat(65 * 1024);
      return raw(b, sign.raw(b));
    });
    await row('413: a length beyond all numbers', 413, () =>
      exchange(port, head('{}', 'Content-Length: 18446744073709551615\r\n')),
    );
    await row('413: too large, in chunks', 413, () => {
      const body = 'y'.repeat(70 * 1024);
      return exchange(port, [
        head(body, 'Transfer-Encoding: chunked\r\n'),
        ...Array.from({ length: 70 }, () => `400\r\n${'y'.repeat(1024)}\r\n`),
        '0\r\n\r\n',
      ]);
    });
    await row('413: too large once inflated', 413, () => {
      const wire = zlib.gzipSync(Buffer.alloc(80 * 1024, 'z'));
      return raw(wire, { ...sign.raw(wire), 'content-encoding': 'gzip' });
    });
    await row('200: just as large as allowed', 200, () => {
      const b = 'w'.repeat(64 * 1024);
      return raw(b, sign.raw(b));
    });
    for (const encoding of ['br', 'zstd', 'gzip, gzip', 'nonsense']) {
      await row(`415: ${encoding}`, 415, () => {
        const b = fresh();
        return raw(b, { ...sign.raw(b), 'content-encoding': encoding });
      });
    }
    await row('431: headers too large', 431, () =>
      exchange(port, [
        head('{}', `X-Long: ${'a'.repeat(200 * 1024)}\r\nContent-Length: 2\r\n`),
        '{}',
      ]),
    );

    const { sources } = await daemon.get('/v1/status');
    const relay = sources.find((s) => s.name === 'relay');
    assert.ok(relay.unauthorized >= 6, `unauthorized are counted: ${JSON.stringify(relay)}`);
  },
);

scenario('an acknowledged webhook is there after kill -9, byte for byte', {}, async (world) => {
  const { daemon } = world;
  const bodies = Array.from({ length: 40 }, () => fresh());
  const answers = await Promise.all(
    bodies.map((body) => post(daemon.ingest, 'relay', body, sign.raw(body))),
  );
  await daemon.kill9();
  await daemon.start();
  for (const [i, answer] of answers.entries()) {
    assert.equal(answer.status, 200);
    assert.equal((await daemon.api(`/v1/webhooks/${answer.json.id}/raw`)).text, bodies[i]);
  }
  const again = await post(daemon.ingest, 'relay', bodies[0], sign.raw(bodies[0]));
  assert.deepEqual(again.json, { id: answers[0].json.id, hints: 1, duplicate: true });
});

scenario('the same body at once on many connections is stored once', {}, async (world) => {
  const { daemon } = world;
  const body = fresh();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post(daemon.ingest, 'relay', body, sign.raw(body))),
  );
  assert.deepEqual(new Set(answers.map((a) => a.json.id)).size, 1);
  assert.equal(answers.filter((a) => a.json.duplicate === false).length, 1);
  assert.equal((await stored(daemon)).length, 1);
  // The same bytes from another source are another webhook.
  const other = await post(daemon.ingest, 'alchemy', body, sign.alchemy(body));
  assert.equal(other.json.duplicate, false);
});

scenario('what becomes of a webhook: every state', {}, async (world) => {
  const { daemon, anvil } = world;
  const [real] = await anvil.transfersIn(await anvil.emit({ contract: world.A }));
  const stranger = await anvil.deploy('A');
  const [unwanted] = await anvil.transfersIn(await anvil.emit({ contract: stranger }));
  const cases = [
    ['verified', 'alchemy', alchemyBody([real])],
    ['irrelevant', 'alchemy', alchemyBody([unwanted])],
    ['irrelevant', 'alchemy', alchemyBody([])],
    ['unroutable', 'alchemy', alchemyBody([real], { network: 'MATIC_MAINNET' })],
    ['unparsed', 'alchemy', '{"half": '],
    ['received', 'relay', fresh()],
  ];
  for (const [state, source, body] of cases) {
    const answer = await post(
      daemon.ingest,
      source,
      body,
      (source === 'alchemy' ? sign.alchemy : sign.raw)(body),
    );
    assert.equal(answer.status, 200);
    const hook = await until(
      `${state}: ${body.slice(0, 80)}`,
      async () => {
        const w = await daemon.get(`/v1/webhooks/${answer.json.id}`);
        return w.state === state && w;
      },
      { timeout: 5000 },
    );
    assert.equal(hook.id, answer.json.id);
    assert.equal(hook.source, source);
    const listed = await daemon.get(`/v1/webhooks?state=${state}&source=${source}`);
    assert.ok(listed.items.some((w) => w.id === hook.id));
  }
  await anvil.mine(2);
  await world.settled();
  assert.equal((await daemon.api('/v1/webhooks/999999')).status, 404);
  assert.equal((await daemon.api('/v1/webhooks?state=nonsense')).status, 400);
});
