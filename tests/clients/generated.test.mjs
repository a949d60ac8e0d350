// Clients that are generated from our $metadata: SAP Cloud SDK and odata2ts. Each pages, filters, expands, creates, edits,
// meets a conflict and deletes. usage: TABLECAST_URL=http://127.0.0.1:PORT node --test generated.test.mjs

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const base = process.env.TABLECAST_URL;
const root = `${base}/odata`;
const here = dirname(fileURLToPath(import.meta.url));
// Inside node_modules, so that what is generated finds the libraries and is never committed.
const work = join(here, 'node_modules/.generated', String(process.pid));

const node = (script, ...args) => execFileSync(process.execPath, [join(here, 'node_modules', script), ...args], { cwd: here, stdio: 'pipe' });
const change = (path, status) => fetch(`${root}/${path}`, {
  method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ STATUS: status }),
});

before(async () => {
  mkdirSync(join(work, 'in'), { recursive: true });
  process.on('exit', () => rmSync(work, { recursive: true, force: true }));
  const schema = await fetch(`${root}/$metadata`);
  assert.equal(schema.status, 200);
  writeFileSync(join(work, 'in/OrderManagement.edmx'), await schema.text());
  writeFileSync(join(work, 'tsconfig.json'), JSON.stringify({
    compilerOptions: { target: 'es2020', module: 'commonjs', moduleResolution: 'node', strict: false, skipLibCheck: true, esModuleInterop: true },
  }));
});

test('SAP Cloud SDK: the client generated from $metadata reads and writes', async () => {
  node('@sap-cloud-sdk/generator/dist/cli.js', '--input', join(work, 'in'), '--outputDir', join(work, 'sap'), '--skipValidation');
  // Types were checked by the maker's own build; here only the code is wanted.
  const compiler = require('typescript');
  const folder = join(work, 'sap/OrderManagement');
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts'))) {
    const { outputText } = compiler.transpileModule(readFileSync(join(folder, file), 'utf8'), {
      compilerOptions: { module: compiler.ModuleKind.CommonJS, target: compiler.ScriptTarget.ES2020, esModuleInterop: true },
    });
    writeFileSync(join(folder, file.replace(/ts$/, 'js')), outputText);
  }
  const { orderManagement } = require(join(work, 'sap/OrderManagement'));
  const { asc, desc } = require('@sap-cloud-sdk/odata-common');
  const { any } = require('@sap-cloud-sdk/odata-v4');
  const { ordersApi, orderItemsApi, productsApi, operations } = orderManagement();
  assert.equal(operations, undefined);
  const run = (request) => request.execute({ url: root });
  const orders = ordersApi.schema;
  const items = orderItemsApi.schema;

  // paging, filters, order
  const open = await run(ordersApi.requestBuilder().getAll().filter(orders.STATUS.equals('OPEN'), orders.TOTAL.greaterThan(100))
    .orderBy(desc(orders.TOTAL)).select(orders.PK, orders.STATUS, orders.TOTAL).top(3));
  assert.equal(open.length, 3);
  assert.ok(open.every((order) => order.status === 'OPEN'));
  assert.ok(open[0].total.isGreaterThanOrEqualTo(open[1].total));
  const second = await run(ordersApi.requestBuilder().getAll().orderBy(asc(orders.PK)).skip(1).top(1));
  const first = await run(ordersApi.requestBuilder().getAll().orderBy(asc(orders.PK)).top(2));
  assert.equal(first[1].pk, second[0].pk);
  const count = await run(ordersApi.requestBuilder().getAll().filter(orders.STATUS.equals('OPEN')).count());
  assert.ok(count > 3);

  // expanding and relationships in filters
  const order = await run(ordersApi.requestBuilder().getByKey('1012').expand(orders.LINES.expand(items.PRODUCT)));
  assert.equal(order.lines.length, 7);
  assert.equal(order.total.toFixed(2), '701.00');
  assert.equal(order.orderdate.toISOString(), '2024-01-17T18:12:38.000Z');
  assert.equal(order.shipto.city, 'Besançon');
  assert.ok(order.lines.every((line) => line.product.name.length > 0));
  const with1 = await run(ordersApi.requestBuilder().getAll().filter(orders.LINES.filter(any(items.PRODUCT_CODE.equals('1')))).top(2));
  assert.equal(with1.length, 2);
  assert.equal((await run(productsApi.requestBuilder().getByKey('1'))).name, 'Ristretto Blend');

  // create, edit, conflict, delete
  const made = await run(ordersApi.requestBuilder().create(ordersApi.entityBuilder().pk('7501').status('OPEN').build()));
  assert.equal(made.externalId, '7501');
  made.status = 'PAID';
  const edited = await run(ordersApi.requestBuilder().update(made));
  assert.equal((await run(ordersApi.requestBuilder().getByKey('7501'))).status, 'PAID');
  await change("Orders('7501')", 'SHIPPED');
  edited.status = 'CANCELLED';
  await assert.rejects(run(ordersApi.requestBuilder().update(edited)), (error) => {
    assert.equal((error.rootCause ?? error).response?.status, 412);
    return true;
  });
  const now = await run(ordersApi.requestBuilder().getByKey('7501'));
  assert.equal(now.status, 'SHIPPED');
  await assert.rejects(run(ordersApi.requestBuilder().delete('7501').setVersionIdentifier('W/"0"')));
  await run(ordersApi.requestBuilder().delete(now));
  await assert.rejects(run(ordersApi.requestBuilder().getByKey('7501')));
});

test('SAP Cloud SDK: batches with change sets', async () => {
  const { orderManagement } = require(join(work, 'sap/OrderManagement'));
  const { ordersApi, batch, changeset } = orderManagement();
  const create = (pk) => ordersApi.requestBuilder().create(ordersApi.entityBuilder().pk(pk).status('OPEN').build());
  const answers = await batch(ordersApi.requestBuilder().getByKey('1012'), changeset(create('7511'), create('7512')))
    .execute({ url: root });
  assert.equal(answers.length, 2);
  assert.ok(answers.every((answer) => answer.isSuccess()));
  assert.equal(answers[0].as(ordersApi)[0].pk, '1012');
  // One refused creation undoes the whole change set.
  const [failed] = await batch(changeset(create('7513'), create('7511'))).execute({ url: root });
  assert.ok(!failed.isSuccess());
  assert.equal((await fetch(`${root}/Orders('7513')`)).status, 404);
  for (const pk of ['7511', '7512']) assert.equal((await fetch(`${root}/Orders('${pk}')`, { method: 'DELETE' })).status, 204);
});

test('odata2ts: the client generated from $metadata reads and writes', async () => {
  node('@odata2ts/odata2ts/lib/run-cli.js', '-s', join(work, 'in/OrderManagement.edmx'), '-o', join(work, 'odata2ts'), '-m', 'service', '-e', 'js', '-n',
    '-t', join(work, 'tsconfig.json'));
  const { OrderManagementService } = require(join(work, 'odata2ts/OrderManagementService'));
  const { FetchClient } = require('@odata2ts/http-client-fetch');
  const service = new OrderManagementService(new FetchClient(), root);

  const open = await service.Orders().query((builder, order) => builder
    .filter(order.STATUS.eq('OPEN'), order.TOTAL.gt(100)).orderBy(order.TOTAL.desc()).select('pk', 'STATUS', 'TOTAL').top(3).count());
  assert.equal(open.data.value.length, 3);
  assert.ok(open.data['@odata.count'] > 3);
  assert.ok(open.data.value.every((order) => order.STATUS === 'OPEN'));
  const next = await service.Orders().query((builder, order) => builder.orderBy(order.pk.asc()).skip(1).top(1));
  assert.equal(next.data.value.length, 1);
  const order = await service.Orders('1012').query((builder) => builder.expand('Lines'));
  assert.equal(order.data.Lines.length, 7);
  assert.equal(order.data.TOTAL, 701);
  const nested = await service.Orders({ ExternalId: '1012' }).query((builder) => builder.select('pk')
    .expanding('Lines', (lines, line) => lines.select('productCode', 'QUANTITY').filter(line.productCode.eq('1')).top(1)));
  assert.deepEqual(nested.data.Lines.map((line) => line.productCode), ['1']);
  const related = await service.OrderItems('1012-1').Order().query();
  assert.equal(related.data.pk, '1012');

  const made = await service.Orders().create({ pk: '7521', STATUS: 'OPEN', TOTAL: 10.5 });
  assert.equal(made.status, 201);
  assert.equal(made.data.ExternalId, '7521');
  assert.equal((await service.Orders('7521').patch({ STATUS: 'PAID' })).status, 204);
  assert.equal((await service.Orders('7521').update({ pk: '7521', STATUS: 'OPEN' })).status, 204);
  const whole = await service.Orders('7521').query();
  assert.equal(whole.data.STATUS, 'OPEN');
  assert.equal(whole.data.TOTAL, null);
  await change("Orders('7521')", 'SHIPPED');
  const stale = { headers: { 'If-Match': whole.data['@odata.etag'] } };
  await assert.rejects(service.Orders('7521').patch({ STATUS: 'PAID' }, stale), (error) => {
    assert.equal(error.status, 412);
    return true;
  });
  assert.equal((await service.Orders('7521').delete()).status, 204);
  await assert.rejects(service.Orders('7521').query(), (error) => {
    assert.equal(error.status, 404);
    return true;
  });
  // It does not double a quote: the service says where the text went wrong.
  await assert.rejects(service.Orders().query((builder, one) => builder.filter(one.CUSTOMER.eq("O'Neil"))), (error) => {
    assert.equal(error.status, 400);
    assert.match(error.message, /at position/);
    return true;
  });
});
