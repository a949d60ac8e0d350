// Items, names and labels that try to become markup: everything stays text, nothing runs, nothing is fetched.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, makeStore, openPage, removeStore, serve, settled } from './harness.mjs';

let store;
let server;
let browser;

before(async () => {
  store = makeStore({ hostile: true });
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
  session.page.on('dialog', (dialog) => { session.complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  try {
    await work(session);
    assert.deepEqual(session.complaints, []);
    assert.equal(await session.page.evaluate(() => window.stolen), 0);
  } finally {
    await session.close();
  }
}

// Nothing in the document that the page does not make itself.
const foreign = (page) => page.evaluate(() => [...document.querySelectorAll('main *, #side *, #top *, dialog *')]
  .filter((node) => ['SCRIPT', 'IMG', 'IFRAME', 'SVG', 'OBJECT', 'EMBED', 'B', 'I', 'U', 'STYLE', 'LINK', 'BASE', 'META'].includes(node.tagName.toUpperCase())
    || [...node.attributes].some((attribute) => attribute.name.startsWith('on') || attribute.name === 'srcdoc'
      || (['href', 'src', 'action', 'formaction'].includes(attribute.name) && /^\s*(javascript|data|vbscript):/i.test(attribute.value))))
  .map((node) => node.outerHTML.slice(0, 120)));

const records = async () => (await (await fetch(`${server.url}/odata/Hostile`)).json()).value;

test('a list of hostile records', () => withPage(async ({ page, go }) => {
  await go('/odata/Hostile');
  assert.deepEqual(await foreign(page), []);
  const expected = await records();
  assert.deepEqual(await page.$$eval('table.records tbody th', (nodes) => nodes.map((node) => node.textContent)), expected.map((record) => record.ExternalId));
  const text = await page.textContent('table.records');
  assert.ok(text.includes('<img src=x onerror="steal()"><script>steal()</script>'));
  assert.equal(await page.textContent('h1'), 'Hostile <script>steal()</script>');
  assert.ok(!(await page.content()).includes('must-not-be-shown'));
}));

test('addresses in data become links only when they are harmless', () => withPage(async ({ page, go }) => {
  await go('/odata/Hostile');
  const links = await page.$$eval('table.records tbody td a', (nodes) => nodes.map((node) => node.getAttribute('href')));
  assert.ok(links.length > 0);
  for (const link of links) assert.match(link, /^(https:\/\/example\.com\/|mailto:[^?&"<>]+$|\/odata\/)/);
}));

test('values that do not convert are shown as what is stored', () => withPage(async ({ page, go }) => {
  await go('/odata/Hostile');
  const bad = page.locator('table.records .bad', { hasText: '<b>12</b>' }).first();
  assert.match(await bad.textContent(), /does not convert/);
  assert.match(await bad.getAttribute('title'), /does not fit the field/);
}));

test('every record opens under its own address, whatever its key', () => withPage(async ({ page, go }) => {
  for (const record of await records()) {
    await go('/odata/Hostile');
    await page.locator('table.records .row-link').filter({ has: page.locator(`xpath=self::*[.=${xpathText(record.ExternalId)}]`) }).first().click();
    await settled(page);
    assert.equal(await page.textContent('h1'), record.ExternalId, record.ExternalId);
    assert.deepEqual(await foreign(page), []);
    assert.ok(!(await page.content()).includes('must-not-be-shown'), 'hidden and secret attributes stay away');
    await page.reload();
    await settled(page);
    assert.equal(await page.textContent('h1'), record.ExternalId, `reloaded ${record.ExternalId}`);
  }
}));

const xpathText = (text) => `concat('', ${text.split("'").map((part) => `'${part}'`).join(`, "'", `)})`;

test('hostile texts in filters, searches and addresses', () => withPage(async ({ page, go }) => {
  const markup = '"><img src=x onerror=steal()>';
  await go(`/odata/Hostile?$filter=${encodeURIComponent(`Markup eq '${markup}'`)}`);
  assert.deepEqual(await foreign(page), []);
  assert.ok((await page.textContent('.chip')).includes(markup));
  await go(`/odata/Hostile?$search=${encodeURIComponent('"<script>steal()</script>"')}`);
  assert.deepEqual(await foreign(page), []);
  await go(`/odata/${encodeURIComponent('<script>steal()</script>')}`);
  assert.deepEqual(await foreign(page), []);
  await go(`/odata/Hostile('${encodeURIComponent('<img src=x onerror=steal()>')}')`);
  assert.deepEqual(await foreign(page), []);
  await go(`/odata/Hostile?$orderby=${encodeURIComponent('<b>x</b>')}`);
  assert.deepEqual(await foreign(page), []);
  await go(`/web/workbench?file=${encodeURIComponent('"><img src=x onerror=steal()>')}`);
  assert.deepEqual(await foreign(page), []);
}));

test('forms, plans, schema and the workbench over hostile names', () => withPage(async ({ page, go }) => {
  await go('/odata/Hostile');
  await page.click('[data-action=new]');
  assert.deepEqual(await foreign(page), []);
  await page.keyboard.press('Escape');
  await page.click('[data-action=filter]');
  await page.click('[data-action=plan]');
  await page.waitForSelector('.plan-panel .facts');
  assert.deepEqual(await foreign(page), []);
  await go("/odata/Hostile('a%2Fb')");
  await page.click('[data-action=edit]');
  assert.ok((await page.locator('dialog textarea').evaluateAll((nodes) => nodes.map((node) => node.value))).some((text) => text.includes('</textarea><script>')));
  assert.deepEqual(await foreign(page), []);
  for (const path of ['/odata/$metadata', '/', '/web/workbench?file=Hostile.json']) {
    await go(path);
    await page.waitForTimeout(0);
    assert.deepEqual(await foreign(page), [], path);
  }
  await page.waitForSelector('.judged table');
  assert.deepEqual(await foreign(page), []);
  assert.ok(!(await page.content()).includes('must-not-be-shown-either'));
}));

test('the policy forbids what would get through', () => withPage(async ({ page, go, complaints }) => {
  await go('/');
  const ran = await page.evaluate(async () => {
    const tried = [];
    const script = document.createElement('script');
    try {
      script.textContent = 'steal()';
      document.body.append(script);
    } catch (error) { tried.push(error.name); }
    try {
      document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=steal()>');
    } catch (error) { tried.push(error.name); }
    return tried;
  });
  assert.deepEqual(ran, ['TypeError', 'TypeError']);
  assert.equal(await page.evaluate(() => window.stolen), 0);
  complaints.length = 0;  // the attempts themselves are reported
}));
