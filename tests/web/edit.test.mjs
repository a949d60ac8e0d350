// Creating, changing and deleting records: ETags, conflicts, constraints beside their fields.

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
  // Rules to break: a required field, a range, a list of values, a length.
  const overlay = join(store.catalog, 'catalog.json');
  writeFileSync(overlay, readFileSync(overlay, 'utf8').replace('"Products": {', `"Products": {
      "fields": {"*": true,
        "NAME": {"column": "NAME", "type": "Text", "length": 40, "required": true},
        "PRICE": {"column": "PRICE", "type": "Currency", "scale": 2, "minimum": 0, "maximum": 1000},
        "CATEGORY": {"column": "CATEGORY", "type": "Text", "length": 20}},`));
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

const json = async (path) => (await fetch(server.url + path)).json();
const patch = (path, body) => fetch(server.url + path, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
const field = (name) => `dialog [name="${name}"]`;
const errorOf = (page, name) => page.locator(`dialog .form-row:has([name="${name}"]) .field-error`).textContent();

test('a record is created, changed and deleted', () => withPage(async ({ page, go }) => {
  await go('/odata/Products');
  await page.click('[data-action=new]');
  await page.fill(field('pk'), '9001');
  await page.fill(field('NAME'), "Tester's <blend>");
  await page.fill(field('PRICE'), '12345678901234567.89'.slice(-6));
  await page.fill(field('TAGS'), 'new\nsale');
  await page.selectOption(field('INSTOCK'), 'true');
  await page.click('dialog button.primary');
  await page.waitForURL(/Products\('9001'\)/);
  await settled(page);
  let record = await json("/odata/Products('9001')");
  assert.equal(record.NAME, "Tester's <blend>");
  assert.equal(String(record.PRICE), '567.89');
  assert.deepEqual(record.TAGS, ['new', 'sale']);
  assert.equal(record.INSTOCK, true);

  await page.keyboard.press('e');
  assert.equal(await page.locator(field('pk')).count(), 0, 'the key does not change');
  await page.fill(field('PRICE'), '99.5');
  await page.fill(field('TAGS'), '');
  await screenshot(page, 'browse-edit');
  const [request] = await Promise.all([page.waitForRequest((one) => one.method() === 'PATCH'), page.click('dialog button.primary')]);
  assert.match(request.headers()['if-match'], /^W\//);
  assert.match(request.headers()['content-type'], /^application\/json/);
  assert.deepEqual(Object.keys(JSON.parse(request.postData())).toSorted(), ['PRICE', 'TAGS'], 'only what was changed');
  await page.waitForSelector('dialog', { state: 'detached' });
  await settled(page);
  record = await json("/odata/Products('9001')");
  assert.equal(Number(record.PRICE), 99.5);
  assert.match(await page.textContent('.record-fields'), /€99\.50/);

  await page.click('[data-action=delete]');
  await page.click('dialog button.danger');
  await page.waitForURL(/\/odata\/Products$/);
  assert.equal((await fetch(`${server.url}/odata/Products('9001')`, { headers: { Accept: 'application/json' } })).status, 404);
}));

test('a change that meets another one is shown, and nothing is lost', () => withPage(async ({ page, go }) => {
  await go("/odata/Products('3')");
  await page.click('[data-action=edit]');
  await page.fill(field('NAME'), 'Mine');
  assert.equal((await patch("/odata/Products('3')", { NAME: 'Theirs', CATEGORY: 'Other' })).ok, true);
  await page.click('dialog button.primary');
  await page.waitForSelector('dialog .conflict');
  const rows = await page.$$eval('dialog .conflict tbody tr', (nodes) => nodes.map((row) => [...row.children].map((cell) => cell.textContent)));
  assert.deepEqual(rows.find((row) => row[0] === 'NAME').slice(2), ['Theirs', 'Mine']);
  assert.deepEqual(rows.find((row) => row[0] === 'CATEGORY').slice(2), ['Other', 'Other']);
  assert.equal((await json("/odata/Products('3')")).NAME, 'Theirs');
  await screenshot(page, 'browse-conflict');
  await page.click('[data-action=overwrite]');
  await page.waitForSelector('dialog', { state: 'detached' });
  const merged = await json("/odata/Products('3')");
  assert.equal(merged.NAME, 'Mine');
  assert.equal(merged.CATEGORY, 'Other', 'only my field was written');
}));

test('my change can give way to theirs', () => withPage(async ({ page, go }) => {
  await go("/odata/Products('4')");
  await page.click('[data-action=edit]');
  await page.fill(field('NAME'), 'Mine');
  await patch("/odata/Products('4')", { NAME: 'Theirs' });
  await page.click('dialog button.primary');
  await page.click('[data-action=take-theirs]');
  await page.waitForSelector('dialog', { state: 'detached' });
  await settled(page);
  assert.match(await page.textContent('.record-fields'), /Theirs/);
}));

test('a record that changed is not deleted unseen', () => withPage(async ({ page, go }) => {
  await go("/odata/Products('5')");
  await patch("/odata/Products('5')", { NAME: 'Changed' });
  await page.click('[data-action=delete]');
  await page.click('dialog button.danger');
  await page.waitForSelector('dialog h2:text-is("Somebody else changed this record")');
  await page.click('dialog button:text-is("Drop mine, show the stored record")');
  await settled(page);
  assert.equal((await json("/odata/Products('5')")).NAME, 'Changed');
}));

test('errors stand beside the fields that they are about', () => withPage(async ({ page, go }) => {
  await go("/odata/Products('6')");
  const before = await json("/odata/Products('6')");
  for (const [name, text] of [['PRICE', '1000.01'], ['PRICE', '-1'], ['CATEGORY', 'x'.repeat(21)], ['NAME', '']]) {
    await page.click('[data-action=edit]');
    await page.fill(field(name), text);
    await page.click('dialog button.primary');
    await page.waitForFunction((one) => document.querySelector(`dialog [name="${one}"]`)?.getAttribute('aria-invalid') === 'true', name);
    assert.ok((await errorOf(page, name)).length > 5, `${name} ${text}`);
    assert.equal(await page.evaluate(() => document.activeElement.name), name, 'the focus is where the fault is');
    const described = await page.getAttribute(field(name), 'aria-describedby');
    assert.ok(described.split(' ').some((id) => id.endsWith('-error')));
    await page.keyboard.press('Escape');
  }
  await page.click('[data-action=edit]');
  await page.fill(field('PRICE'), 'a lot');
  await page.click('dialog button.primary');
  assert.equal(await errorOf(page, 'PRICE'), 'This is no number.');
  await page.keyboard.press('Escape');
  assert.deepEqual(await json("/odata/Products('6')"), before, 'nothing was written');
}));

test('a key that is taken is refused in words', () => withPage(async ({ page, go }) => {
  await go('/odata/Products');
  await page.click('[data-action=new]');
  await page.fill(field('pk'), '1');
  await page.fill(field('NAME'), 'Twice');
  await page.click('dialog button.primary');
  await page.waitForFunction(() => [...document.querySelectorAll('dialog .notice.error, dialog .field-error')].some((node) => node.textContent !== '' && !node.hidden));
  assert.notEqual((await json("/odata/Products('1')")).NAME, 'Twice');
}));

test('closing without a change writes nothing', () => withPage(async ({ page, go }) => {
  await go("/odata/Products('7')");
  let writes = 0;
  page.on('request', (request) => { if (request.method() !== 'GET') ++writes; });
  await page.click('[data-action=edit]');
  await page.click('dialog button.primary');
  await page.waitForSelector('dialog', { state: 'detached' });
  assert.equal(writes, 0);
}));

test('a form of another site cannot write', async () => {
  const send = (type) => fetch(`${server.url}/odata/Products`, { method: 'POST', headers: { 'Content-Type': type }, body: '{"pk":"9002","NAME":"x"}' });
  assert.equal((await send('text/plain')).status, 415);
  assert.equal((await send('application/x-www-form-urlencoded')).status, 415);
});
