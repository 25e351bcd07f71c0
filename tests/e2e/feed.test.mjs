// SPDX-License-Identifier: MIT
// The feed of facts, and the stored webhooks.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { busy, problem } from './lib/admin.mjs';
import { alchemy, alchemyBody, post, sign } from './lib/hooks.mjs';
import { sleep, until } from './lib/wait.mjs';
import { scenario } from './lib/world.mjs';

scenario('/v1/feed: every fact, once, in order; waiting for the next', {}, async (world) => {
  const { daemon, anvil } = world;
  const empty = await daemon.get('/v1/feed');
  assert.deepEqual(empty.items, []);
  const began = Date.now();
  assert.deepEqual((await daemon.get(`/v1/feed?after=${empty.next}&wait=600ms`)).items, []);
  assert.ok(Date.now() - began >= 550, 'it waits');
  const waiting = daemon.get(`/v1/feed?after=${empty.next}&wait=10s`);
  await sleep(100);
  await anvil.emit({ contract: world.A });
  const woken = await waiting;
  assert.ok(woken.items.length >= 1);
  assert.ok(Date.now() - began < 6000, 'and is woken by a fact');
  await busy(world);
  const feed = await daemon.get('/v1/feed?limit=1000');
  assert.deepEqual(Object.keys(feed).sort(), ['epoch', 'items', 'next']);
  assert.equal(feed.items.length, 14);
  const seqs = feed.items.map((i) => i.seq);
  assert.deepEqual(
    seqs,
    [...seqs].sort((a, b) => a - b),
    'oldest first',
  );
  assert.equal(new Set(seqs).size, 14);
  assert.equal(feed.next, seqs.at(-1));
  assert.deepEqual(
    (await daemon.get(`/v1/feed?after=${seqs[3]}&limit=4`)).items.map((i) => i.seq),
    seqs.slice(4, 8),
  );
  assert.equal((await daemon.api(`/v1/feed?after=${feed.next}&epoch=${feed.epoch}`)).status, 200);
  problem(await daemon.api(`/v1/feed?after=${feed.next + 1000}`), 410);
  problem(await daemon.api(`/v1/feed?after=0&epoch=${feed.epoch + 1}`), 410);
  problem(await daemon.api('/v1/feed?after=x'), 400);
  problem(await daemon.api('/v1/feed?wait=forever'), 400);
});

scenario('/v1/feed/stream: the same as server-sent events', {}, async (world) => {
  const { daemon, anvil } = world;
  await busy(world);
  const feed = await daemon.get('/v1/feed?limit=1000');
  const seqs = feed.items.map((i) => i.seq);
  const read = (path, headers = {}, count = 1) =>
    new Promise((resolve, reject) => {
      let text = '';
      const req = http.get(
        `http://${daemon.admin}${path}`,
        { headers: { accept: 'text/event-stream', ...headers } },
        (res) => {
          if (res.statusCode !== 200) {
            resolve({ status: res.statusCode });
            req.destroy();
            return;
          }
          res.on('data', (chunk) => {
            text += chunk;
            const events = [...text.matchAll(/^id: ?(\d+)[^]*?^data: ?(.*)$/gm)].map((m) => ({
              id: Number(m[1]),
              item: JSON.parse(m[2]),
            }));
            if (events.length >= count) {
              resolve({ status: 200, type: res.headers['content-type'], events });
              req.destroy();
            }
          });
        },
      );
      req.on('error', reject);
      req.setTimeout(8000, () => req.destroy(new Error(`the stream gave: ${text}`)));
    });
  const stream = await read('/v1/feed/stream?after=0', {}, seqs.length);
  assert.match(stream.type, /^text\/event-stream/);
  assert.deepEqual(
    stream.events.map((e) => e.id),
    seqs,
  );
  assert.deepEqual(stream.events[5].item, feed.items[5]);
  assert.deepEqual(
    (await read('/v1/feed/stream', { 'last-event-id': String(seqs[9]) }, seqs.length - 10)).events.map(
      (e) => e.id,
    ),
    seqs.slice(10),
  );
  const live = read(`/v1/feed/stream?after=${feed.next}`);
  await sleep(150);
  const [transfer] = await anvil.transfersIn(await anvil.emit({ contract: world.A, from: 3 }));
  assert.equal((await live).events[0].item.subject, transfer.eventId);
  assert.equal((await daemon.api('/v1/feed/stream', { method: 'HEAD' })).status, 200);
  problem(await daemon.api(`/v1/feed/stream?epoch=${feed.epoch + 1}`), 410);
  problem(await daemon.api('/v1/feed/stream?after=100000'), 410);
  problem(await daemon.api('/v1/feed/stream', { headers: { 'last-event-id': 'x' } }), 400);
  await anvil.mine(2);
});

const cpuSeconds = (pid) => {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

scenario('a thousand idle followers cost next to nothing', {}, async (world) => {
  const { daemon, anvil } = world;
  const streams = [];
  const agent = new http.Agent({ maxSockets: Infinity });
  const follow = () =>
    new Promise((resolve, reject) => {
      const req = http.get(`http://${daemon.admin}/v1/feed/stream`, { agent }, (res) => {
        assert.equal(res.statusCode, 200);
        const one = { req, text: '' };
        res.on('data', (chunk) => (one.text += chunk));
        res.on('error', () => {});
        streams.push(one);
        resolve();
      });
      req.on('error', reject);
    });
  for (let i = 0; i < 50; i++) await Promise.all(Array.from({ length: 20 }, follow));
  await sleep(500);
  const { pid } = daemon.process;
  const before = cpuSeconds(pid);
  await sleep(3000);
  assert.ok(cpuSeconds(pid) - before < 0.6, `${cpuSeconds(pid) - before} s of the processor in 3 s`);
  const rss = Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
  assert.ok(rss < 150 * 1024, `${rss} KiB`);
  const [transfer] = await anvil.transfersIn(await anvil.emit({ contract: world.A }));
  await until('all of them hear of it', () =>
    streams.every((one) => one.text.includes(transfer.eventId)),
    { timeout: 30_000 },
  );
  for (const one of streams) one.req.on('error', () => {}).destroy();
  agent.destroy();
  await anvil.mine(2);
  const { code, ms } = await daemon.stop();
  assert.equal(code, 0);
  assert.ok(ms < 5000);
  await daemon.start();
});

scenario('a thousand who wait for the next fact at once: nobody is sent away', {}, async (world) => {
  const { daemon, anvil } = world;
  const { next } = await daemon.get('/v1/feed');
  const agent = new http.Agent({ maxSockets: Infinity });
  const statuses = [];
  let heard = 0;
  const ask = () =>
    new Promise((resolve, reject) => {
      http
        .get(`http://${daemon.admin}/v1/feed?after=${next}&wait=20s`, { agent }, (res) => {
          let text = '';
          res.on('data', (chunk) => (text += chunk));
          res.on('end', () => {
            statuses.push(res.statusCode);
            if (res.statusCode === 200) heard += JSON.parse(text).items.length > 0;
            resolve();
          });
        })
        .on('error', reject);
    });
  const all = Array.from({ length: 1000 }, ask);
  await sleep(1500);
  assert.deepEqual(statuses, [], 'all of them wait');
  const { pid } = daemon.process;
  const before = cpuSeconds(pid);
  await sleep(2000);
  assert.ok(cpuSeconds(pid) - before < 0.6, `${cpuSeconds(pid) - before} s of the processor in 2 s`);
  assert.equal((await daemon.api('/v1/status')).status, 200, 'others are answered');
  await anvil.emit({ contract: world.A });
  await Promise.all(all);
  agent.destroy();
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.equal(heard, 1000);
  await anvil.mine(2);
});

scenario('a follower over a bare socket: a head, then every fact', {}, async (world) => {
  const { daemon, anvil } = world;
  await busy(world);
  const [host, port] = daemon.admin.split(':');
  const socket = net.connect({ host, port: Number(port) });
  await new Promise((resolve) => socket.on('connect', resolve));
  socket.write(`GET /v1/feed/stream?after=0 HTTP/1.1\r\nHost: ${daemon.admin}\r\n\r\n`);
  let text = '';
  await new Promise((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.includes('id: 12\n')) resolve();
    });
  });
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(text, /Connection: close/i);
  socket.destroy();
  const [transfer] = await anvil.transfersIn(await anvil.emit({ contract: world.A, from: 3 }));
  await until('the feed goes on', async () =>
    (await daemon.get('/v1/feed?after=12')).items.some((i) => i.subject === transfer.eventId),
  );
  await anvil.mine(2);
});

scenario('webhooks: list, one, its bytes, extracting its hints again', {}, async (world) => {
  const { daemon } = world;
  await busy(world);
  const { items } = await daemon.get('/v1/webhooks');
  assert.equal(items.length, 3);
  assert.ok(items[0].id > items[1].id, 'newest first');
  assert.equal((await daemon.get('/v1/webhooks?source=relay')).items.length, 0);
  assert.equal((await daemon.get('/v1/webhooks?source=alchemy&state=verified')).items.length, 3);
  const one = await daemon.get(`/v1/webhooks/${items[0].id}`);
  assert.deepEqual([one.id, one.source, one.state], [items[0].id, 'alchemy', 'verified']);
  assert.ok(!JSON.stringify(one).includes(world.daemon.config.sources[0].secret));
  const body = alchemyBody(world.transfers.slice(0, 1));
  const {
    json: { id },
  } = await post(daemon.ingest, 'alchemy', body, sign.alchemy(body));
  const raw = await daemon.api(`/v1/webhooks/${id}/raw`);
  assert.equal(raw.text, body);
  const before = world.handler.requests.length;
  const again = await daemon.api(`/v1/webhooks/${id}/reprocess`, { body: {} });
  assert.equal(again.status, 202, again.text);
  await until(
    'it is verified again',
    async () => (await daemon.get(`/v1/webhooks/${id}`)).state === 'verified',
  );
  await sleep(300);
  assert.equal(world.handler.requests.length, before, 'nothing is told twice');
  problem(await daemon.api('/v1/webhooks/123456/reprocess', { body: {} }), 404);
});
