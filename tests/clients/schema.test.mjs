// The published schema against its standards: CSDL XML by the schema of OASIS, CSDL JSON by its JSON schema, and the OpenAPI
// document. usage: TABLECAST_URL=http://127.0.0.1:PORT node --test schema.test.mjs

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const base = process.env.TABLECAST_URL;
const schemas = join(dirname(fileURLToPath(import.meta.url)), 'node_modules/odata-csdl/schemas');

for (const version of ['4.0', '4.01']) {
  const headers = { 'OData-MaxVersion': version };

  test(`CSDL XML ${version} is valid by the schema of OASIS`, async () => {
    const xml = await (await fetch(`${base}/odata/$metadata`, { headers })).text();
    const check = spawnSync('xmllint', ['--noout', '--nonet', '--schema', join(schemas, 'edmx.xsd'), '-'], { input: xml, encoding: 'utf8' });
    assert.equal(check.status, 0, check.stderr);
    const broken = spawnSync('xmllint', ['--noout', '--nonet', '--schema', join(schemas, 'edmx.xsd'), '-'],
      { input: xml.replace('<EntityContainer', '<EntityContainr'), encoding: 'utf8' });
    assert.notEqual(broken.status, 0);
  });

  test(`CSDL JSON ${version} is valid by its JSON schema and equals the converted XML`, async () => {
    const Ajv = require('ajv').default;
    const validate = new Ajv({ strict: false, allErrors: true, unicodeRegExp: true }).compile(JSON.parse(readFileSync(join(schemas, 'csdl.schema.json'), 'utf8')));
    const ours = await (await fetch(`${base}/odata/$metadata?$format=json`, { headers })).json();
    assert.ok(validate(ours), JSON.stringify(validate.errors?.slice(0, 5), null, 1));
    assert.ok(!validate({ ...ours, $Version: 5 }));
    const xml = await (await fetch(`${base}/odata/$metadata`, { headers })).text();
    assert.deepEqual(require('odata-csdl').xml2json(xml), ours);
  });
}

test('odata-openapi converts the schema without a complaint', async () => {
  const { csdl2openapi } = require('odata-openapi');
  const csdl = await (await fetch(`${base}/odata/$metadata?$format=json`)).json();
  const messages = [];
  const document = csdl2openapi(csdl, { messages });
  assert.deepEqual(messages, []);
  for (const path of ['/Orders', '/Orders/{ExternalId}', '/Orders/{ExternalId}/Lines']) assert.ok(document.paths[path], path);
});

test('/openapi.json: every reference leads somewhere, every path answers', async () => {
  const response = await fetch(`${base}/openapi.json`);
  assert.equal(response.status, 200);
  const document = await response.json();
  assert.match(document.openapi, /^3\.0\./);
  const walk = (value) => {
    if (value === null || typeof value !== 'object') return;
    if (typeof value.$ref === 'string') {
      const target = value.$ref.replace(/^#\//, '').split('/').reduce((at, step) => at?.[step], document);
      assert.ok(target, value.$ref);
    }
    Object.values(value).forEach(walk);
  };
  walk(document);
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path).map((operation) => operation.operationId).filter(Boolean));
  assert.ok(operations.length > 6);
  assert.equal(new Set(operations).size, operations.length);
  for (const [path, operationsOf] of Object.entries(document.paths)) {
    for (const name of path.match(/(?<=\{)[^}]*(?=\})/g) ?? []) {
      for (const operation of Object.values(operationsOf).filter((one) => one.responses)) {
        const parameters = [...(operationsOf.parameters ?? []), ...(operation.parameters ?? [])];
        assert.ok(parameters.some((parameter) => parameter.name === name && parameter.in === 'path' && parameter.required), `${path} ${name}`);
      }
    }
  }
  // Each path answers what it promises.
  const [server] = document.servers;
  for (const path of Object.keys(document.paths).filter((one) => !one.includes('{'))) {
    const answer = await fetch(`${server.url}${path}?$top=1`);
    assert.equal(answer.status, 200, path);
  }
  const etag = response.headers.get('etag');
  assert.ok(etag);
  assert.equal((await fetch(`${base}/openapi.json`, { headers: { 'If-None-Match': etag } })).status, 304);
});
