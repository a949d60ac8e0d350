// OpenUI5 in a real browser: sap.ui.model.odata.v4.ODataModel behind a sap.m.Table reads metadata, pages, filters, expands,
// aggregates, creates, edits, meets a conflict and deletes. The page, the library and the service share one origin.
// usage: TABLECAST_URL=http://127.0.0.1:PORT node --test openui5.test.mjs

import assert from 'node:assert/strict';
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const base = process.env.TABLECAST_URL;
const here = dirname(fileURLToPath(import.meta.url));
const libraries = ['sap.ui.core', 'sap.m', 'sap.ui.layout', 'sap.ui.unified', 'themelib_sap_horizon']
  .map((name) => join(here, 'node_modules/@openui5', name, 'src'));
const types = { '.js': 'text/javascript', '.json': 'application/json', '.html': 'text/html', '.css': 'text/css', '.properties': 'text/plain' };
const index = `<!doctype html><meta charset="utf-8"><title>OpenUI5</title>
<script id="sap-ui-bootstrap" src="resources/sap-ui-core.js" data-sap-ui-libs="sap.m" data-sap-ui-async="true"
  data-sap-ui-compat-version="edge" data-sap-ui-theme="base" data-sap-ui-language="en"></script>
<body class="sapUiBody"><div id="content"></div>`;

let server;
let browser;
let page;
const requests = [];  // what the client sent to the service: "METHOD path" and the bodies of batches

async function proxy(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  requests.push(`${request.method} ${request.url}\n${body}`);
  const { host, connection, 'content-length': length, 'transfer-encoding': coding, 'accept-encoding': encodings, ...headers } = request.headers;
  const answer = await fetch(base + request.url, { method: request.method, headers, body: body.length > 0 ? body : undefined });
  const out = Object.fromEntries([...answer.headers].filter(([name]) => !['content-encoding', 'transfer-encoding', 'connection', 'keep-alive', 'content-length'].includes(name)));
  response.writeHead(answer.status, out);
  response.end(Buffer.from(await answer.arrayBuffer()));
}

before(async () => {
  server = createServer((request, response) => {
    if (request.url.startsWith('/odata')) {
      proxy(request, response).catch((error) => response.destroy(error));
      return;
    }
    const path = normalize(decodeURIComponent(request.url.split('?')[0]));
    if (path === '/') {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(index);
      return;
    }
    const file = libraries.map((folder) => join(folder, path.replace(/^\/resources/, ''))).find((candidate) => existsSync(candidate));
    if (file === undefined) {
      response.writeHead(404).end();  // style sheets are compiled for a release only
      return;
    }
    response.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await chromium.launch({
    executablePath: process.env.TABLECAST_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
  page = await browser.newPage();
  page.on('pageerror', (error) => console.error(`page: ${error.message}`));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => globalThis.sap?.ui?.require !== undefined, null, { timeout: 60_000 });
  await page.evaluate(() => new Promise((resolve, reject) => {
    const names = ['sap/ui/core/Core', 'sap/ui/model/odata/v4/ODataModel', 'sap/m/Table', 'sap/m/Column', 'sap/m/ColumnListItem', 'sap/m/Text',
      'sap/ui/model/Filter', 'sap/ui/model/Sorter'];
    sap.ui.require(names, (Core, ODataModel, Table, Column, ColumnListItem, Text, Filter, Sorter) => {
      Core.ready(() => {
        globalThis.ui5 = { ODataModel, Table, Column, ColumnListItem, Text, Filter, Sorter };
        globalThis.model = new ODataModel({ serviceUrl: '/odata/', autoExpandSelect: true, operationMode: 'Server' });
        resolve();
      });
    }, reject);
  }));
}, { timeout: 120_000 });

after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

const run = (work, argument) => page.evaluate(work, argument);

test('OpenUI5: the meta model understands $metadata', async () => {
  const found = await run(async () => {
    const meta = globalThis.model.getMetaModel();
    return {
      total: await meta.requestObject('/Orders/TOTAL'),
      currency: await meta.requestObject('/Orders/TOTAL@Org.OData.Measures.V1.ISOCurrency'),
      key: await meta.requestObject('/Orders/$Type/$Key'),
      lines: await meta.requestObject('/Orders/Lines/$Type'),
    };
  });
  assert.equal(found.total.$Type, 'Edm.Decimal');
  assert.equal(found.total.$Scale, 2);
  assert.equal(found.currency, 'EUR');
  assert.deepEqual(found.key, ['ExternalId']);
  assert.equal(found.lines, 'OrderManagement.OrderItems');
});

test('OpenUI5: a sap.m.Table pages, filters and sorts', async () => {
  const rows = await run(async () => {
    const { Table, Column, ColumnListItem, Text, Filter, Sorter } = globalThis.ui5;
    const text = (path) => new Text({ text: { path } });
    const table = new Table({ growing: true, growingThreshold: 20, columns: [new Column(), new Column(), new Column()] });
    table.setModel(globalThis.model);
    table.bindItems({
      path: '/Orders', parameters: { $count: true }, sorter: new Sorter('TOTAL', true), filters: new Filter('STATUS', 'EQ', 'OPEN'),
      template: new ColumnListItem({ cells: [text('ExternalId'), text('TOTAL'), text('STATUS')] }),
    });
    table.placeAt('content');
    const binding = table.getBinding('items');
    const received = () => new Promise((resolve) => { binding.attachEventOnce('dataReceived', () => setTimeout(resolve, 100)); });
    await received();
    const shown = () => table.getItems().map((item) => item.getCells().map((cell) => cell.getText()));
    const first = shown();
    const more = received();
    table._oGrowingDelegate.requestNewPage();
    await more;
    return { first, all: shown(), count: binding.getCount() };
  });
  // Other clients' tests have edited orders of the same store.
  const open = Number(await (await fetch(`${base}/odata/Orders/$count?$filter=STATUS eq 'OPEN'`)).text());
  assert.ok(open > 30);
  assert.equal(rows.first.length, 20);
  assert.equal(rows.count, open);
  assert.equal(rows.all.length, open);
  assert.equal(new Set(rows.all.map(([key]) => key)).size, open);
  assert.ok(rows.all.every(([, , status]) => status === 'OPEN'));
  assert.match(rows.first[0][1], /\.\d\d$/);
  assert.ok(requests.some((request) => /POST \/odata\/\$batch/.test(request) && /GET Orders\?\$count=true/.test(request)), requests.join('\n'));
});

test('OpenUI5: search without case, any, and expanding', async () => {
  const found = await run(async () => {
    const { Filter, Sorter } = globalThis.ui5;
    const anyCase = new Filter({ path: 'CUSTOMER', operator: 'Contains', value1: 'c-104', caseSensitive: false });
    const byLine = new Filter({
      path: 'Lines', operator: 'Any', variable: 'line', condition: new Filter('line/productCode', 'EQ', '1'),
    });
    const read = async (filter, parameters, length) => (await globalThis.model.bindList('/Orders', undefined, new Sorter('pk'), filter, parameters)
      .requestContexts(0, length)).map((context) => context.getObject());
    return {
      customers: await read(anyCase, { $select: 'CUSTOMER' }, 5),
      lines: await read(byLine, { $select: 'pk', $expand: { Lines: { $select: ['productCode', 'QUANTITY'], $orderby: 'productCode' } } }, 2),
    };
  });
  assert.ok(found.customers.length > 0 && found.customers.every((order) => order.CUSTOMER === 'C-104'));
  assert.equal(found.lines.length, 2);
  assert.ok(found.lines.every((order) => order.Lines.some((line) => line.productCode === '1')));
});

test('OpenUI5: groups with sums', async () => {
  const rows = await run(async () => {
    const binding = globalThis.model.bindList('/Orders', undefined, undefined, undefined, {
      $$aggregation: { aggregate: { TOTAL: { grandTotal: true, with: 'sum' } }, group: { STATUS: {} } }, $count: true, $orderby: 'STATUS',
    });
    return (await binding.requestContexts(0, 20)).map((context) => context.getObject());
  });
  assert.equal(rows.length, 6);  // five statuses and the grand total
  const sums = rows.filter((row) => row.STATUS).map((row) => Number(row.TOTAL));
  const total = rows.find((row) => !row.STATUS);
  assert.ok(Math.abs(sums.reduce((a, b) => a + b, 0) - Number(total.TOTAL)) < 0.001);
});

test('OpenUI5: create, edit, conflict, delete', async () => {
  const seen = await run(async () => {
    const out = {};
    const list = globalThis.model.bindList('/Orders', undefined, undefined, undefined, { $select: 'ExternalId,pk,STATUS,TOTAL' });
    await list.requestContexts(0, 1);
    const context = list.create({ pk: '7601', STATUS: 'OPEN', TOTAL: '12.50' });
    await context.created();
    out.created = context.getObject();
    await context.setProperty('STATUS', 'PAID');
    const stored = async () => (await fetch("/odata/Orders('7601')")).json();
    out.edited = (await stored()).STATUS;
    await fetch("/odata/Orders('7601')", { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: '{"STATUS":"SHIPPED"}' });
    try {
      await context.setProperty('STATUS', 'CANCELLED');
    } catch (error) {
      out.conflict = error.status ?? error.cause?.status ?? String(error);
    }
    globalThis.model.resetChanges();
    out.kept = (await stored()).STATUS;
    await context.requestRefresh();
    out.refreshed = context.getProperty('STATUS');
    await context.delete();
    out.gone = (await fetch("/odata/Orders('7601')")).status;
    return out;
  });
  assert.equal(seen.created.ExternalId, '7601');
  assert.equal(seen.created.TOTAL, '12.50');
  assert.equal(seen.edited, 'PAID');
  assert.equal(seen.conflict, 412);
  assert.equal(seen.kept, 'SHIPPED');
  assert.equal(seen.refreshed, 'SHIPPED');
  assert.equal(seen.gone, 404);
});
