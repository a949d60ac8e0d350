// Clients of other makers against a served example: each reads metadata, pages, filters, expands and edits as its
// users would. usage: TABLECAST_URL=http://127.0.0.1:PORT node --test clients.test.mjs

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

const require = createRequire(import.meta.url);
const base = process.env.TABLECAST_URL;
const root = `${base}/odata/`;
const json = async (path, options) => {
  const response = await fetch(root + path, options);
  assert.ok(response.ok, `${path}: ${response.status} ${await response.clone().text()}`);
  return response.json();
};

test('odata-query: every query it builds is understood', async () => {
  const buildQuery = require('odata-query').default;
  const queries = [
    { filter: { STATUS: 'OPEN' }, top: 3 },
    { filter: { TOTAL: { gt: 100, lt: 2000 } }, orderBy: ['TOTAL desc'], top: 3 },
    { filter: { or: [{ STATUS: 'OPEN' }, { STATUS: 'PAID' }] }, top: 3, count: true },
    { filter: { CUSTOMER: { in: ['C-104', 'C-105'] } } },
    { filter: { 'contains(STATUS,\'PEN\')': true }, top: 3 },
    { filter: { Lines: { any: { productCode: '1' } } }, top: 3 },
    { select: ['pk', 'TOTAL'], expand: { Lines: { select: ['productCode'], top: 2, orderBy: 'productCode' } }, top: 2 },
    { filter: { not: { STATUS: 'OPEN' } }, top: 1 },
    { filter: { ORDERDATE: { ge: new Date('2024-06-01T00:00:00Z') } }, top: 1 },
  ];
  for (const query of queries) {
    const answer = await json(`Orders${buildQuery(query)}`);
    assert.ok(Array.isArray(answer.value) && answer.value.length > 0, JSON.stringify(query));
  }
});

test('o.js: reads, filters, creates, changes and deletes', async () => {
  const { o } = require('odata');
  const options = { headers: { 'Content-Type': 'application/json' } };
  const three = await o(root, options).get('Orders').query({ $filter: "STATUS eq 'OPEN'", $top: 3 });
  assert.equal(three.length, 3);
  const one = await o(root, options).get("Orders('1012')").query();
  assert.equal(one.TOTAL, 701);
  const made = await o(root, options).post('Orders', { pk: '7001', STATUS: 'OPEN', TOTAL: 12.5 }).query();
  assert.equal(made.ExternalId, '7001');
  await o(root, options).patch("Orders('7001')", { STATUS: 'PAID' }).query();
  const stale = o(root, { headers: { ...options.headers, 'If-Match': made['@odata.etag'] } }).patch("Orders('7001')", { STATUS: 'OPEN' }).query();
  await assert.rejects(stale, (answer) => answer.status === 412);
  const expanded = await o(root, options).get("Orders('1012')").query({ $expand: 'Lines($top=2)' });
  assert.equal(expanded.Lines.length, 2);
  assert.equal((await o(root, options).get("Orders('7001')").query()).STATUS, 'PAID');
  await o(root, options).delete("Orders('7001')").query();
  assert.equal((await fetch(`${root}Orders('7001')`)).status, 404);
});

test('o.js: a batch of reads', async () => {
  const { o } = require('odata');
  const request = o(root, {});
  request.get("Orders('1012')");
  request.get('Products').query;
  const answers = await request.batch();
  assert.ok(JSON.stringify(answers).includes('1012'));
});

test('@odata/client: pages, counts, finds by key', async () => {
  const { OData } = require('@odata/client');
  const client = OData.New4({ metadataUri: `${root}$metadata`, serviceEndpoint: root });
  const filter = OData.newFilter().field('STATUS').eqString('OPEN');
  const answer = await client.newRequest({
    collection: 'Orders', params: OData.newOptions().filter(filter).top(2).count(true).select(['pk', 'STATUS']),
  });
  assert.equal(answer.value.length, 2);
  assert.ok(answer['@odata.count'] > 2);
  const set = client.getEntitySet('Orders');
  assert.equal((await set.retrieve('1012')).pk, '1012');
});

test('@odata/client: creates, changes, meets a conflict, deletes; a batch', async () => {
  const { OData } = require('@odata/client');
  const client = OData.New4({ metadataUri: `${root}$metadata`, serviceEndpoint: root });
  const set = client.getEntitySet('Orders');
  const made = await set.create({ pk: '7101', STATUS: 'OPEN', TOTAL: 1.5 });
  assert.equal(made.ExternalId, '7101');
  await assert.rejects(set.create({ pk: '7101' }), /already/);
  await set.update('7101', { STATUS: 'PAID' });
  const now = await set.retrieve('7101');
  assert.equal(now.STATUS, 'PAID');
  assert.equal(await set.count(OData.newFilter().field('pk').eqString('7101')), 1);
  assert.equal((await set.find({ pk: '7101' })).length, 1);
  await set.update('7101', { STATUS: 'SHIPPED' });
  const late = OData.New4({ metadataUri: `${root}$metadata`, serviceEndpoint: root, commonHeaders: { 'If-Match': now['@odata.etag'] } });
  await assert.rejects(late.getEntitySet('Orders').update('7101', { STATUS: 'OPEN' }), /changed|match/);
  assert.equal((await set.retrieve('7101')).STATUS, 'SHIPPED');
  const answers = await client.execBatchRequests([
    client.newBatchRequest({ collection: 'Orders', id: '7101', method: 'GET' }),
    client.newBatchRequest({ collection: 'Orders', method: 'POST', entity: { pk: '7102', STATUS: 'OPEN' } }),
  ]);
  assert.deepEqual(await Promise.all(answers.map((answer) => answer.status)), [200, 201]);
  await set.delete('7101');
  await set.delete('7102');
  await assert.rejects(set.retrieve('7101'), /no record/);
});

test('@odata/client: related records by expanding', async () => {
  const { OData } = require('@odata/client');
  const client = OData.New4({ metadataUri: `${root}$metadata`, serviceEndpoint: root });
  const order = await client.newRequest({ collection: 'Orders', id: '1012', params: OData.newOptions().expand('Lines') });
  assert.equal(order.Lines.length, 7);
});

test('ts-odata-client: typed queries, pages, counts, related records', async () => {
  const { ODataV4Context } = require('ts-odata-client');
  class Shop extends ODataV4Context {
    get orders() { return this.createQuery('Orders'); }
    get items() { return this.createQuery('OrderItems'); }
  }
  const shop = new Shop(root);
  const open = await shop.orders.filter((order) => order.STATUS.$equals('OPEN').and(order.TOTAL.$greaterThan(100)))
    .orderByDescending((order) => [order.TOTAL]).top(2).getManyWithCountAsync();
  assert.equal(open.value.length, 2);
  assert.ok(open['@odata.count'] > 2);
  const named = await shop.orders.filter((order) => order.CUSTOMER.$startsWith('C-104')).select((order) => ({ id: order.pk })).top(1).getManyAsync();
  assert.ok(named.value[0].id);
  const whole = await shop.orders.expand('Lines').filter((order) => order.pk.$equals('1012')).getManyAsync();
  assert.equal(whole.value[0].Lines.length, 7);
  assert.equal((await shop.orders.getAsync('1012')).TOTAL, 701);
  const seen = new Set();
  for await (const item of shop.items.select((one) => ({ id: one.ExternalId }))) seen.add(item.id);
  assert.equal(seen.size, (await shop.items.top(1).getManyWithCountAsync())['@odata.count']);
});

test('server-driven paging walks every record once', async () => {
  const seen = new Set();
  let next = `${root}OrderItems?$select=ExternalId`;
  while (next) {
    const page = await (await fetch(next, { headers: { Prefer: 'odata.maxpagesize=100' } })).json();
    for (const record of page.value) {
      assert.ok(!seen.has(record.ExternalId), record.ExternalId);
      seen.add(record.ExternalId);
    }
    next = page['@odata.nextLink'];
  }
  assert.equal(seen.size, Number(await (await fetch(`${root}OrderItems/$count`)).text()));
});

test('conflicting edits: the second writer is told', async () => {
  const record = await json("Orders('1013')");
  const etag = record['@odata.etag'];
  const patch = (status) => fetch(`${root}Orders('1013')`, {
    method: 'PATCH', headers: { 'Content-Type': 'application/json', 'If-Match': etag }, body: JSON.stringify({ STATUS: status }),
  });
  const first = await patch(record.STATUS === 'OPEN' ? 'PAID' : 'OPEN');
  assert.equal(first.status, 204);
  assert.equal((await patch('SHIPPED')).status, 412);
});
