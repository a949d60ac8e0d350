// The qualifier workbench: findings as one types, items taken and left out, saving.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, makeStore, openPage, removeStore, screenshot, serve, settled } from './harness.mjs';

let store;
let server;
let browser;

before(async () => {
  store = makeStore();
  server = await serve(store);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
  if (store) removeStore(store);
});

async function withPage(work) {
  const session = await openPage(browser, server.url);
  try {
    await work(session);
    assert.deepEqual(session.complaints, []);
  } finally {
    await session.close();
  }
}

const summary = (page) => page.textContent('.findings-pane h2');
const read = (name) => readFileSync(join(store.catalog, name), 'utf8');

test('a file is opened, with the items that it takes and leaves out', () => withPage(async ({ page, go }) => {
  await go('/web/workbench?file=OrderItems.json');
  assert.equal(await page.inputValue('.editor'), read('OrderItems.json'));
  await page.waitForSelector('.judged table');
  const count = Number(await (await fetch(`${server.url}/odata/OrderItems/$count`)).text());
  assert.equal(await page.textContent('.badge.big.good'), `Takes ${count}`);
  const taken = await page.$eval('.judged table', (table) => [[...table.tHead.rows[0].cells].map((cell) => cell.textContent), [...table.tBodies[0].rows[0].cells].map((cell) => cell.textContent)]);
  assert.deepEqual(taken[0], ['pk', 'sk', 'productCode', 'Attributes']);
  assert.match(taken[1][1], /^products#/);
  assert.equal(taken[1][2], `"${taken[1][1].slice('products#'.length)}"`);
  assert.match(await page.textContent('.judged table:nth-of-type(1) >> nth=1'), /sk: filter|sk: /);
  await screenshot(page, 'browse-workbench');
}));

test('findings are underlined while one types', () => withPage(async ({ page, go }) => {
  await go('/web/workbench?file=Orders.json');
  const text = read('Orders.json').replace('"postFilter"', '"postfilter"');
  await page.fill('.editor', text);
  await page.waitForSelector('.under.error');
  assert.match(await page.textContent('.under.error'), /postfilter/);
  assert.match(await summary(page), /1 error/);
  assert.match(await page.textContent('.finding'), /postFilter/);
  assert.equal(await page.isDisabled('[data-action=save]'), true, 'faulty text is not saved');
  await page.click('.finding button.link');
  const selected = await page.$eval('.editor', (node) => [node === document.activeElement, node.value.slice(node.selectionStart, node.selectionEnd)]);
  assert.ok(selected[0]);
  assert.match(selected[1], /postfilter/);
  await screenshot(page, 'browse-workbench-findings');
  await page.fill('.editor', '{');
  await page.waitForFunction(() => /error/.test(document.querySelector('.findings-pane h2').textContent) && !/postfilter/.test(document.querySelector('.findings').textContent));
  await page.fill('.editor', read('Orders.json'));
  await page.waitForFunction(() => document.querySelector('.judged table'));
  assert.doesNotMatch(await summary(page), /error/);
  assert.notEqual(read('Orders.json'), '', 'nothing was saved by trying');
}));

test('what a change would do is seen before it is saved; saving takes effect', () => withPage(async ({ page, go }) => {
  await go('/web/workbench?file=Orders.json');
  await page.waitForSelector('.judged table');
  const original = read('Orders.json');
  const before = await page.textContent('.badge.big.good');
  await page.fill('.editor', original.replace('^[0-9]+$', '^100[0-9]$'));
  await page.waitForFunction((old) => document.querySelector('.badge.big.good')?.textContent !== old, before);
  assert.equal(await page.textContent('.badge.big.good'), 'Takes 9');
  assert.equal(await page.textContent('[data-role=state]'), 'not saved');
  assert.equal(read('Orders.json'), original);
  await page.click('[data-action=save]');
  await page.waitForFunction(() => document.querySelector('[data-role=state]').textContent === 'as saved');
  assert.match(read('Orders.json'), /\^100\[0-9\]\$/);
  // The server takes the file up by itself.
  const deadline = Date.now() + 20000;
  while (Number(await (await fetch(`${server.url}/odata/Orders/$count`)).text()) !== 9 && Date.now() < deadline) { /* asks again */ }
  assert.equal(await (await fetch(`${server.url}/odata/Orders/$count`)).text(), '9');
  await page.fill('.editor', original);
  await page.waitForFunction(() => !document.querySelector('[data-action=save]').disabled);
  await page.click('[data-action=save]');
  await page.waitForFunction(() => document.querySelector('[data-role=state]').textContent === 'as saved');
  assert.equal(read('Orders.json'), original, 'byte for byte');
}));

test('a file that somebody else changed is not overwritten', () => withPage(async ({ page, go }) => {
  await go('/web/workbench?file=Products.json');
  const original = read('Products.json');
  writeFileSync(join(store.catalog, 'Products.json'), `${original}\n// theirs\n`);
  await page.fill('.editor', `${original}\n// mine\n`);
  await page.waitForFunction(() => !document.querySelector('[data-action=save]').disabled && document.querySelector('[data-role=state]').textContent === 'not saved');
  await page.click('[data-action=save]');
  await page.waitForSelector('.notice.error:not([hidden])');
  assert.match(await page.textContent('.notice.error'), /changed by somebody else/);
  assert.match(read('Products.json'), /theirs/);
  writeFileSync(join(store.catalog, 'Products.json'), original);
  page.on('dialog', (dialog) => dialog.accept());
}));

test('a new file becomes a new object', () => withPage(async ({ page, go }) => {
  await go('/web/workbench');
  await page.fill('input[type=text] >> nth=0', 'Espressos.json');
  await page.fill('.editor', '{"tableName": "OrderManagement", "columns": {"pk": {}, "sk": {"values": [{"definition": "\\"PRODUCT\\""}]}, "CATEGORY": {"filter": "Espresso"}}}');
  await page.waitForSelector('.judged table');
  await page.waitForFunction(() => !document.querySelector('[data-action=save]').disabled);
  await page.click('[data-action=save]');
  await page.waitForFunction(() => document.querySelector('[data-role=state]').textContent === 'as saved');
  assert.match(read('Espressos.json'), /Espresso/);
  const deadline = Date.now() + 20000;
  let status = 0;
  while (status !== 200 && Date.now() < deadline) status = (await fetch(`${server.url}/odata/Espressos`, { headers: { Accept: 'application/json' } })).status;
  await go('/');
  assert.match(await page.textContent('table.objects'), /Espressos/);
}));

test('unsaved text is not lost by a click', () => withPage(async ({ page, go }) => {
  await go('/web/workbench?file=Orders.json');
  await page.fill('.editor', '{"columns": {}}');
  const asked = [];
  page.once('dialog', (dialog) => { asked.push(dialog.message()); dialog.dismiss(); });
  await page.click('#side a:has-text("Schema")');
  await page.waitForTimeout(0);
  assert.equal(asked.length, 1);
  assert.equal(new URL(page.url()).pathname, '/web/workbench');
  page.once('dialog', (dialog) => dialog.accept());
  await page.click('#side a:has-text("Schema")');
  await page.waitForURL(/\$metadata/);
  await settled(page);
}));
