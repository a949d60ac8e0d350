// Looking around: objects, sets, records, plans, exports, keyboard, narrow screens, dark mode.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
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

async function withPage(work, options) {
  const session = await openPage(browser, server.url, options);
  try {
    await work(session);
    assert.deepEqual(session.complaints, []);
  } finally {
    await session.close();
  }
}

const cells = (page, column) => page.$$eval(`table.records tbody tr > :nth-child(${column})`, (nodes) => nodes.map((node) => node.textContent));
const heads = (page) => page.$$eval('table.records thead .head', (nodes) => nodes.map((node) => node.lastChild.nodeType === 3 ? node.lastChild.textContent : node.childNodes[1].textContent));
const json = async (path) => (await fetch(server.url + path)).json();
const address = (page) => decodeURIComponent(new URL(page.url()).pathname + new URL(page.url()).search);
const column = async (page, name) => (await page.$$eval('table.records thead th', (nodes) => nodes.map((node) => node.textContent.trim().replace(/^Sort by\s+/, '').replace(/[▲▼]$/, '')))).indexOf(name) + 1;

test('the page is the first address that serve prints', () => {
  assert.match(server.firstLine, /^Browse +http:\/\/127\.0\.0\.1:\d+\/$/);
});

test('the front page lists the objects with counts and record types', () => withPage(async ({ page, go }) => {
  await go('/');
  const rows = await page.$$eval('table.objects tbody tr', (nodes) => nodes.map((row) => [...row.children].map((cell) => cell.innerText.trim())));
  const orders = rows.find((row) => row[0].startsWith('Orders'));
  const total = await (await fetch(`${server.url}/odata/Orders/$count`)).text();
  assert.equal(orders[1], total);
  assert.match(orders[2], /sk = "ORDER"/);
  assert.equal(orders[3], 'OrderManagement');
  const items = rows.find((row) => row[0].startsWith('Order Items'));
  assert.match(items[2], /sk like "products#%"/);
  await screenshot(page, 'browse-objects');
  await page.click('table.objects a:text-is("Orders")');
  await settled(page);
  assert.equal(new URL(page.url()).pathname, '/odata/Orders');
  assert.equal(await page.textContent('h1'), 'Orders');
}));

test('a set shows what the service answers, in its order', () => withPage(async ({ page, go }) => {
  await go('/odata/Orders');
  const { value } = await json('/odata/Orders?$top=50');
  assert.deepEqual(await cells(page, 1), value.map((record) => record.ExternalId));
  assert.equal(await page.getAttribute('#side a[aria-current="page"]', 'href'), '/odata/Orders');
  await screenshot(page, 'browse-set');
}));

test('money and dates read well and keep their exact text', () => withPage(async ({ page, go }) => {
  await go("/odata/Orders?$filter=ExternalId eq '1012'");
  const [record] = (await json("/odata/Orders?$filter=ExternalId%20eq%20'1012'")).value;
  const total = page.locator(`table.records tbody tr > :nth-child(${await column(page, 'TOTAL')}) .number`);
  assert.match(await total.textContent(), /^€[\d,]+\.\d\d$/);
  assert.match(await total.getAttribute('title'), /^[\d.]+ EUR$/);
  const date = page.locator('table.records tbody time').first();
  assert.match(await date.textContent(), /^\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d/);
  assert.equal(await date.getAttribute('datetime'), record.ORDERDATE);
}));

test('nulls are visible', () => withPage(async ({ page, go }) => {
  await go('/odata/Orders?$filter=NOTE eq null&$top=3');
  assert.equal(await page.locator('table.records .null').first().textContent(), 'null');
}));

test('headers sort up, down and back; the address carries it', () => withPage(async ({ page, go }) => {
  await go('/odata/Products');
  const button = page.locator('table.records thead button.head', { hasText: 'PRICE' });
  await button.click();
  await settled(page);
  assert.equal(address(page), '/odata/Products?$orderby=PRICE');
  const at = await column(page, 'PRICE');
  const prices = (await page.$$eval(`table.records tbody tr > :nth-child(${at}) .number`, (nodes) => nodes.map((node) => parseFloat(node.title))));
  assert.deepEqual(prices, [...prices].sort((a, b) => a - b));
  assert.equal(await page.getAttribute(`table.records thead th:nth-child(${at})`, 'aria-sort'), 'ascending');
  await page.locator('table.records thead button.head', { hasText: 'PRICE' }).click();
  await settled(page);
  assert.equal(address(page), '/odata/Products?$orderby=PRICE desc');
  await page.locator('table.records thead button.head', { hasText: 'NAME' }).click({ modifiers: ['Shift'] });
  await settled(page);
  assert.equal(address(page), '/odata/Products?$orderby=PRICE desc,NAME');
}));

test('the filter builder makes a filter by field and type', () => withPage(async ({ page, go }) => {
  await go('/odata/Products');
  await page.click('[data-action=filter]');
  await page.selectOption('.condition [data-role=field]', 'CATEGORY');
  await page.selectOption('.condition [data-role=operator]', 'eq');
  await page.fill('.condition [data-role=value]', 'Espresso');
  await page.click('text=Add a condition');
  await page.selectOption('.condition:nth-child(2) [data-role=field]', 'PRICE');
  await page.selectOption('.condition:nth-child(2) [data-role=operator]', 'gt');
  await page.fill('.condition:nth-child(2) [data-role=value]', 'much');
  await page.click('.filter-panel button.primary');
  assert.equal(await page.textContent('.condition:nth-child(2) .field-error'), 'This is no number.');
  assert.equal(await page.getAttribute('.condition:nth-child(2) [data-role=value]', 'aria-invalid'), 'true');
  await page.fill('.condition:nth-child(2) [data-role=value]', '10');
  await screenshot(page, 'browse-filter');
  await page.click('.filter-panel button.primary');
  await settled(page);
  assert.equal(address(page), "/odata/Products?$filter=CATEGORY eq 'Espresso' and PRICE gt 10");
  const expected = (await json("/odata/Products?$filter=CATEGORY%20eq%20'Espresso'%20and%20PRICE%20gt%2010")).value;
  assert.ok(expected.length > 0);
  assert.deepEqual(await cells(page, 1), expected.map((record) => record.ExternalId));
  assert.match(await page.textContent('[data-role=range]'), new RegExp(`of ${expected.length}$`));
  await page.locator('.chip a').nth(1).click();
  await settled(page);
  assert.equal(address(page), "/odata/Products?$filter=CATEGORY eq 'Espresso'");
}));

test('a filter beyond conditions is shown as text, and a refusal says where', () => withPage(async ({ page, go }) => {
  await go("/odata/Products?$filter=PRICE gt 20 or PRICE lt 5");
  await page.click('[data-action=filter]');
  assert.equal(await page.inputValue('.filter-text textarea'), 'PRICE gt 20 or PRICE lt 5');
  await page.fill('.filter-text textarea', 'PRICE gt');
  await page.click('.filter-panel button.primary');
  await settled(page);
  assert.match(await page.textContent('.notice.error'), /\$filter/);
}));

test('search finds words, and takes them away again', () => withPage(async ({ page, go }) => {
  await go('/odata/Products');
  await page.keyboard.press('/');
  await page.keyboard.type('dark');
  await page.keyboard.press('Enter');
  await settled(page);
  assert.equal(address(page), '/odata/Products?$search=dark');
  const expected = (await json('/odata/Products?$search=dark')).value;
  assert.ok(expected.length > 0);
  assert.deepEqual(await cells(page, 1), expected.map((record) => record.ExternalId));
  await page.click('.chip a');
  await settled(page);
  assert.equal(address(page), '/odata/Products');
}));

test('columns are chosen, and rows still open', () => withPage(async ({ page, go }) => {
  await go('/odata/Products');
  await page.click('[data-action=columns]');
  for (const box of await page.$$('.column-form input')) {
    const name = await box.getAttribute('value');
    if (name !== 'NAME' && name !== 'PRICE') await box.uncheck();
  }
  await page.click('.column-form button.primary');
  await settled(page);
  assert.equal(address(page), '/odata/Products?$select=NAME,PRICE');
  assert.deepEqual((await heads(page)).map((head) => head.trim()), ['NAME', 'PRICE']);
  await page.click('table.records tbody .row-link');
  await settled(page);
  assert.match(new URL(page.url()).pathname, /^\/odata\/Products\('/);
}));

test('pages go on and back, every record once', () => withPage(async ({ page, go }) => {
  await go('/odata/Orders');
  await page.selectOption('select[aria-label="Page size"]', '100');
  await settled(page);
  const seen = await cells(page, 1);
  assert.equal(seen.length, 100);
  await page.waitForFunction(() => / of /.test(document.querySelector('[data-role=range]').textContent));
  const total = Number(/of (\d+)/.exec(await page.textContent('[data-role=range]'))[1]);
  for (let turns = 0; turns < 10 && await page.locator('.pager a:text-is("Next")').count(); ++turns) {
    await page.click('.pager a:text-is("Next")');
    await settled(page);
    seen.push(...await cells(page, 1));
  }
  assert.equal(seen.length, total);
  assert.equal(new Set(seen).size, total);
  assert.match(await page.textContent('[data-role=range]'), new RegExp(`–${total}`));
  await page.click('.pager a:text-is("Previous")');
  await settled(page);
  assert.deepEqual(await cells(page, 1), seen.slice(100, 200));
  await page.goBack();
  await settled(page);
  await page.reload();
  await settled(page);
  assert.deepEqual(await cells(page, 1), seen.slice(200));
}));

test('a record has fields, related records, children, its stored item and its claimants', () => withPage(async ({ page, go }) => {
  await go("/odata/OrderItems('1012-1')");
  assert.equal(await page.textContent('h1'), '1012-1');
  const record = await json("/odata/OrderItems('1012-1')");
  const shown = await page.$$eval('.record-field dt', (nodes) => nodes.map((node) => node.firstChild.textContent));
  assert.deepEqual(shown.toSorted(), Object.keys(record).filter((name) => !name.includes('@')).toSorted());
  assert.ok(await page.locator('.cards h2:text-is("Order")').count());
  assert.ok(await page.locator('.cards h2:text-is("Product")').count());
  const raw = JSON.parse(await page.textContent('.raw code'));
  assert.deepEqual(raw.pk, { S: '1012' });
  assert.deepEqual(raw.sk, { S: 'products#1' });
  assert.deepEqual(await page.$$eval('.claims a', (nodes) => nodes.map((node) => node.textContent)), ['OrderItems 1012-1']);
  await screenshot(page, 'browse-record', { fullPage: true });
  await page.click('.cards section:has(h2:text-is("Order")) a');
  await settled(page);
  assert.equal(new URL(page.url()).pathname, "/odata/Orders('1012')");
  const lines = (await json("/odata/Orders('1012')/Lines")).value;
  assert.deepEqual(await cells(page, 1), lines.slice(0, 10).map((line) => line.ExternalId));
  await page.click('text=Show all Lines');
  await settled(page);
  assert.equal(new URL(page.url()).pathname, "/odata/Orders('1012')/Lines");
  assert.deepEqual(await cells(page, 1), lines.map((line) => line.ExternalId));
  assert.deepEqual(await page.$$eval('.crumbs li', (nodes) => nodes.map((node) => node.textContent)), ['Objects', 'Orders', '1012', 'Lines']);
}));

test('the address of a view is an OData address', () => withPage(async ({ page, go }) => {
  await go("/odata/Orders?$filter=STATUS eq 'OPEN'&$orderby=TOTAL desc");
  const answer = await fetch(page.url(), { headers: { Accept: 'application/json' } });
  assert.equal(answer.headers.get('content-type').split(';')[0], 'application/json');
  assert.deepEqual(await cells(page, 1), (await answer.json()).value.slice(0, 50).map((record) => record.ExternalId));
}));

test('the plan of what is seen', () => withPage(async ({ page, go }) => {
  await go("/odata/Orders?$filter=CUSTOMER eq 'C-104'&$orderby=ORDERDATE desc");
  await page.click('[data-action=plan]');
  await page.waitForSelector('.plan-panel .facts');
  const text = await page.textContent('.plan-panel');
  assert.match(text, /declared-index/);
  assert.match(text, /Items read/);
  assert.ok(await page.locator('.plan-panel tbody tr').count() >= 1);
  await screenshot(page, 'browse-plan');
  await page.click('[data-action=plan]');
  assert.equal(await page.locator('.plan-panel').isVisible(), false);
}));

test('JSON and CSV of what is seen', () => withPage(async ({ page, go }) => {
  await go('/odata/Orders?$select=pk,TOTAL&$orderby=pk desc');
  await page.click('[data-action=export]');
  const href = await page.getAttribute('[data-action=json]', 'href');
  const answer = await fetch(server.url + href, { headers: { Accept: 'text/html' } });
  assert.match(answer.headers.get('content-type'), /^application\/json/);
  const [pageCsv] = await Promise.all([page.waitForEvent('download'), page.click('[data-action=csv-page]')]);
  const lines = readFileSync(await pageCsv.path(), 'utf8').split('\r\n');
  assert.equal(lines[0], '\uFEFFpk,TOTAL');
  assert.equal(lines.length, 50 + 2);
  const [allCsv] = await Promise.all([page.waitForEvent('download'), page.click('[data-action=csv-all]')]);
  const total = Number(await (await fetch(`${server.url}/odata/Orders/$count`)).text());
  const all = readFileSync(await allCsv.path(), 'utf8').trimEnd().split('\r\n').slice(1);
  assert.equal(all.length, total);
  assert.deepEqual(all.slice(0, 50), lines.slice(1, 51));
}));

test('other answers: schema, a property, $apply, nothing there', () => withPage(async ({ page, go }) => {
  await go('/odata/$metadata');
  assert.ok(await page.locator('h2:has-text("OrderItems")').count());
  assert.match(await page.textContent('main'), /Edm\.Decimal/);
  await go("/odata/Orders('1012')/STATUS");
  assert.match(await page.textContent('pre.raw'), /"value"/);
  await go('/odata/Orders?$apply=groupby((STATUS),aggregate($count as N))');
  assert.deepEqual((await heads(page)).map((head) => head.trim()).toSorted(), ['N', 'STATUS']);
  await go("/odata/Orders('nothing')");
  assert.equal(await page.textContent('h1'), 'Nothing here');
  await go('/odata/Order');
  assert.match(await page.textContent('.notice.error'), /Orders/);
}));

test('the keyboard does it all', () => withPage(async ({ page, go }) => {
  await go('/odata/Products');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to content');
  assert.ok(await page.evaluate(() => document.activeElement.getBoundingClientRect().top >= 0), 'the skip link shows');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const second = await page.$eval('table.records tbody tr:nth-child(2) .row-link', (node) => [node === document.activeElement, node.href]);
  assert.ok(second[0]);
  await page.keyboard.press('Enter');
  await settled(page);
  assert.equal(page.url(), second[1]);
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1', 'the focus follows to the new view');
  await page.keyboard.press('h');
  await settled(page);
  assert.equal(new URL(page.url()).pathname, '/');
  await page.keyboard.press('?');
  assert.ok(await page.locator('dialog[open]').isVisible());
  await page.locator('dialog input[type=checkbox]').uncheck();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('dialog[open]').count(), 0);
  await go('/odata/Orders');
  await page.keyboard.press('n');
  assert.doesNotMatch(page.url(), /skiptoken/, 'switched off');
  await page.evaluate(() => localStorage.clear());
  await page.keyboard.press('n');
  await page.waitForURL(/skiptoken/);
  await settled(page);
  await page.keyboard.press('p');
  await page.waitForURL((url) => !/skiptoken/.test(url.search));
}));

test('every control shows where the focus is', () => withPage(async ({ page, go }) => {
  await go('/odata/Orders');
  for (let step = 0; step < 24; ++step) {
    await page.keyboard.press('Tab');
    const seen = await page.evaluate(() => {
      const style = getComputedStyle(document.activeElement);
      return [document.activeElement.outerHTML.slice(0, 80), style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2];
    });
    assert.ok(seen[1], seen[0]);
  }
}));

test('narrow screens: nothing is cut off, the menu opens', () => withPage(async ({ page, go }) => {
  for (const path of ['/', '/odata/Orders', "/odata/OrderItems('1012-1')", '/odata/$metadata', '/web/workbench?file=Orders.json']) {
    await go(path);
    const [scroll, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(scroll <= width, `${path}: ${scroll} > ${width}`);
  }
  await go('/odata/Orders');
  assert.equal(await page.locator('#side').isVisible(), false);
  await page.click('.menu-button');
  assert.equal(await page.locator('#side').isVisible(), true);
  await page.click('#side a:has-text("Products")');
  await settled(page);
  assert.equal(await page.locator('#side').isVisible(), false);
  await screenshot(page, 'browse-narrow');
}, { viewport: { width: 360, height: 740 } }));

test('dark mode follows the system', () => withPage(async ({ page, go }) => {
  await go('/odata/Orders');
  const light = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
  const [ground, text] = await page.evaluate(() => [getComputedStyle(document.documentElement).backgroundColor, getComputedStyle(document.documentElement).color]);
  assert.ok(light(ground) < 200 && light(text) > 500, `${ground} ${text}`);
  await screenshot(page, 'browse-dark');
}, { colorScheme: 'dark' }));
