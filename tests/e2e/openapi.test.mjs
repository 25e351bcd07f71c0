// SPDX-License-Identifier: MIT
// /v1/openapi.json: well-formed, of the table that routes, and true of every answer.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv2020 from 'ajv/dist/2020.js';
import { busy } from './lib/admin.mjs';
import { scenario } from './lib/world.mjs';

const date = (text) => !Number.isNaN(Date.parse(text));

scenario('what it says of each answer is so', {}, async (world) => {
  const { daemon } = world;
  await busy(world);
  const doc = await daemon.get('/v1/openapi.json');
  assert.equal(doc.openapi, '3.1.0');
  const ids = Object.values(doc.paths).flatMap((p) => Object.values(p).map((o) => o.operationId));
  assert.equal(new Set(ids).size, ids.length, 'operations have names of their own');

  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': date } });
  ajv.addSchema({ $id: 'doc', components: doc.components });
  const check = (schema, value, what) => {
    const text = JSON.stringify(schema).replaceAll('#/components', 'doc#/components');
    const validate = ajv.compile(JSON.parse(text));
    assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`);
  };
  const event = encodeURIComponent(world.transfers[0].eventId);
  const concrete = {
    '/v1/chains/{name}': '/v1/chains/local',
    '/v1/chains/{name}/blocks': '/v1/chains/local/blocks',
    '/v1/events/{event_id}': `/v1/events/${event}`,
    '/v1/webhooks/{id}': '/v1/webhooks/1',
    '/v1/handlers/{name}/keys': '/v1/handlers/app/keys',
  };
  let checked = 0;
  for (const [path, methods] of Object.entries(doc.paths)) {
    const good = methods.get?.responses['200'];
    const schema = good?.content?.['application/json']?.schema;
    if (!schema || (path.includes('{') && !concrete[path])) continue;
    check(schema, await daemon.get(concrete[path] ?? path), `GET ${path}`);
    checked++;
  }
  assert.ok(checked >= 16, `${checked} answers were checked`);
  for (const [path, status] of [
    ['/v1/none', 404],
    ['/v1/events?limit=0', 400],
    ['/v1/chains/none', 404],
  ]) {
    const answer = await daemon.api(path);
    assert.equal(answer.status, status);
    check(doc.components.schemas.problem, answer.json, path);
  }
  const paused = await daemon.api('/v1/handlers/app/pause', { body: {} });
  check(
    doc.paths['/v1/handlers/{name}/pause'].post.responses['200'].content['application/json'].schema,
    paused.json,
    'POST pause',
  );
});

const judges = fileURLToPath(new URL('../openapi', import.meta.url));

scenario("Redocly's linter and Spectral find no error in it", { contracts: [] }, async ({ daemon, dir }) => {
  const file = path.join(dir, 'openapi.json');
  const judge = async (text) => {
    fs.writeFileSync(file, text);
    const { createConfig, lint } = createRequire(path.join(judges, 'package.json'))('@redocly/openapi-core');
    const problems = await lint({ ref: file, config: await createConfig({ extends: ['recommended'] }) });
    const rules = path.join(dir, '.spectral.yaml');
    fs.writeFileSync(rules, 'extends: ["spectral:oas"]\n');
    const spectral = spawnSync(
      path.join(judges, 'node_modules/.bin/spectral'),
      ['lint', file, '--ruleset', rules, '--fail-severity', 'error', '--display-only-failures', '--quiet'],
      { encoding: 'utf8', cwd: dir },
    );
    return [
      ...problems.filter((p) => p.severity === 'error').map((p) => `${p.ruleId}: ${p.message}`),
      ...(spectral.status === 0 ? [] : [`spectral: ${spectral.error ?? ''}${spectral.stdout}${spectral.stderr}`]),
    ];
  };
  const { text } = await daemon.api('/v1/openapi.json');
  assert.deepEqual(await judge(text), []);
  const broken = JSON.parse(text);
  broken.paths['/v1/status'].get.operationId = broken.paths['/v1/feed'].get.operationId;
  assert.equal((await judge(JSON.stringify(broken))).length >= 2, true, 'both see what is wrong');
});
