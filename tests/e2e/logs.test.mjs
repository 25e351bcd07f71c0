// SPDX-License-Identifier: MIT
// The log: which part says what at which level, a line a webhook and an attempt, repeats collapsed,
// and no secret in it, nor in the API or the metrics.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { busy } from './lib/admin.mjs';
import { alchemyBody, keys, post, sign } from './lib/hooks.mjs';
import { sleep, until } from './lib/wait.mjs';
import { run } from './lib/daemon.mjs';
import { scenario } from './lib/world.mjs';

const of = (daemon, component, msg) =>
  daemon.logs.filter((l) => l.component === component && (!msg || l.msg === msg));

scenario(
  'levels by component, changed by a reload; a line a webhook and an attempt',
  { config: (c) => void (c.log = { level: 'info' }) },
  async (world) => {
    const { daemon, handler } = world;
    await busy(world);
    const hooks = of(daemon, 'ingest', 'webhook');
    assert.equal(hooks.length, 3);
    for (const line of hooks) {
      assert.equal(line.level, 'info');
      assert.equal(line.source, 'alchemy');
      assert.equal(line.result, 'accepted');
      assert.ok(line.id > 0 && line.hints > 0, line.text);
    }
    const attempts = of(daemon, 'delivery', 'attempt');
    assert.equal(attempts.length, handler.requests.length);
    assert.deepEqual(
      attempts.map((l) => l.id).sort(),
      handler.requests.map((r) => r.id).sort(),
      'each by its webhook-id',
    );
    for (const line of attempts)
      assert.deepEqual(
        [line.handler, line.attempt, line.outcome, line.http_status],
        ['app', 1, 'ok', 204],
      );
    assert.equal(of(daemon, 'rpc', 'call').length, 0, 'nothing at debug');

    const config = { ...daemon.config, log: { level: 'info', levels: { rpc: 'debug', ingest: 'error' } } };
    daemon.write(config);
    assert.equal((await daemon.api('/v1/reload', { body: {} })).status, 200);
    const line = await until('a call is logged', () => of(daemon, 'rpc', 'call')[0]);
    assert.equal(line.level, 'debug');
    assert.ok(line.method && line.endpoint && line.result && line.ms >= 0, line.text);
    const body = alchemyBody(world.transfers.slice(0, 1));
    assert.equal((await post(daemon.ingest, 'alchemy', body, sign.alchemy(body))).status, 200);
    await sleep(300);
    assert.equal(of(daemon, 'ingest', 'webhook').length, 3, 'ingest says errors alone');
  },
);

scenario(
  'that it is ready is said at every level',
  { config: (c) => void (c.log = { level: 'error', levels: { daemon: 'error' } }) },
  async ({ daemon }) => {
    assert.equal(of(daemon, 'daemon', 'ready').length, 1); // the world waited for it
    assert.equal(daemon.logs.filter((l) => l.level === 'info').length, 1, 'and nothing else at info');
  },
);

scenario('a wrong level is refused by its place, with the nearest component', {}, async ({ daemon, dir }) => {
  const file = path.join(dir, 'wrong.yaml');
  fs.writeFileSync(file, 'log:\n  levels: {rcp: debug, store: loud}\n', { mode: 0o600 });
  const { code, stderr } = await run(['check', '--config', file]);
  assert.equal(code, 78);
  assert.match(stderr, /wrong\.yaml:2:12: .*'?rcp'?.*rpc/);
  assert.match(stderr, /wrong\.yaml:2:31: log\.levels\.store: 'loud' is none of/);
  assert.ok(daemon.running);
});

scenario('what is said again and again is one line, with a count', {}, async ({ daemon }) => {
  const body = alchemyBody([]);
  for (let i = 0; i < 20; i++)
    assert.equal((await post(daemon.ingest, 'alchemy', body, sign.alchemy(body, 'a guess'))).status, 401);
  await sleep(300);
  const lines = () => of(daemon, 'ingest', 'webhook refused');
  assert.equal(lines().length, 1);
  assert.deepEqual([lines()[0].level, lines()[0].result], ['warn', 'unauthorized']);
  assert.ok(lines()[0].reason.length > 0);
  await daemon.stop();
  assert.deepEqual(
    lines().map((l) => l.repeated),
    [undefined, 19],
    'those that were left out are said at the end',
  );
  await daemon.start();
});

scenario('a flood of webhooks has at most 100 lines a second, and a count', {}, async ({ daemon }) => {
  const one = async (i) => {
    const body = `${alchemyBody([])} ${' '.repeat(i)}`;
    assert.equal((await post(daemon.ingest, 'alchemy', body, sign.alchemy(body))).status, 200);
  };
  for (let i = 0; i < 1000; i += 50)
    await Promise.all(Array.from({ length: 50 }, (_, n) => one(i + n)));
  await sleep(1100);
  await one(1000);
  await sleep(300);
  const lines = of(daemon, 'ingest', 'webhook').length;
  const left = daemon.logs.reduce((sum, l) => sum + (l.left_out ?? 0), 0);
  assert.equal(lines + left, 1001);
  assert.ok(left > 0, `${lines} lines`);
});

const secrets = {
  admin: 'an-admin-token-that-nobody-may-see',
  header: 'a-header-that-nobody-may-see',
  rpcPath: 'a-key-in-a-path-that-nobody-may-see',
  rpcHeader: 'a-bearer-that-nobody-may-see',
  handlerPath: 'a-path-of-a-handler-that-nobody-may-see',
};

scenario(
  'no secret, and of a URL no more than scheme and host, in a log at debug, the API and the metrics',
  {
    proxy: true,
    config: (c) => {
      c.log = { level: 'debug' };
      c.admin.token = secrets.admin;
      const [one] = c.chains[0].rpc;
      c.chains[0].rpc = [
        { ...one, headers: { Authorization: `Bearer ${secrets.rpcHeader}` } },
        { url: `http://127.0.0.1:1/v3/${secrets.rpcPath}`, timeout: '1s' },
      ];
      c.handlers[0].headers = { 'X-Key': secrets.header };
      c.handlers.push({
        ...c.handlers[0],
        name: 'gone',
        url: `http://127.0.0.1:1/${secrets.handlerPath}?key=${secrets.header}`,
      });
    },
  },
  async (world) => {
    const { daemon } = world;
    await busy(world);
    const body = alchemyBody(world.transfers.slice(0, 1));
    await post(daemon.ingest, 'alchemy', body, sign.alchemy(body, 'a guess'));
    await daemon.api('/v1/handlers/gone/test', { body: {} });
    assert.equal((await daemon.api('/v1/reload', { body: {} })).status, 200);
    daemon.write({ ...daemon.config, instance: 'another' });
    assert.ok((await daemon.api('/v1/reload', { body: {} })).status >= 400);
    await until('the broken handler is seen', async () =>
      (await daemon.get('/v1/handlers')).items.some((h) => h.name === 'gone' && h.state === 'broken'),
    );
    const answers = [];
    for (const target of ['/v1/status', '/v1/chains/local', '/v1/handlers', '/v1/events', '/v1/webhooks', '/v1/audit', '/metrics', '/v1/sources', '/v1/feed', '/readyz', '/v1/openapi.json'])
      answers.push((await daemon.api(target)).text);
    for (const event of world.transfers)
      answers.push((await daemon.api(`/v1/events/${encodeURIComponent(event.eventId)}`)).text);
    await daemon.stop();
    const all = `${daemon.tail(1e6)}\n${answers.join('\n')}`;
    assert.ok(daemon.logs.length > 50, 'there is a log to look at');
    for (const [name, secret] of Object.entries({ ...secrets, ...keys, handler: world.handler.secret }))
      assert.ok(!all.includes(secret), `the secret '${name}' is nowhere`);
    for (const [, rest] of daemon.tail(1e6).matchAll(/https?:\/\/[^\/\s"]+([^\s"]*)/g))
      assert.equal(rest, '', 'of a URL no more than scheme and host');
    assert.ok(!/bearer/i.test(all.replace(answers.at(-1), '').replace(/"scheme":\s*"bearer"/gi, '')), 'no authorization header');
    await daemon.start();
  },
);
