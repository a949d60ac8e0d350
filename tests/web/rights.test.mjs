// Signed-in callers with different rights see different pages.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { hashPassword, launch, makeStore, openPage, removeStore, serve } from './harness.mjs';

let store;
let server;
let browser;

before(async () => {
  store = makeStore();
  writeFileSync(join(store.folder, 'hash'), hashPassword('correct horse battery'));
  writeFileSync(join(store.folder, 'server.json'), JSON.stringify({
    auth: {
      roles: {
        reader: { read: true, objects: { Products: {} }, hiddenFields: { Orders: ['CUSTOMER'] } },
        editor: { read: true, create: true, update: true, delete: true, explain: true, editCatalog: true },
      },
      users: [{ name: 'rita', passwordHashFile: 'hash', role: 'reader' }, { name: 'edda', passwordHashFile: 'hash', role: 'editor' }],
    },
  }));
  server = await serve({ ...store, config: join(store.folder, 'server.json') });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
  if (store) removeStore(store);
});

async function as(username, work) {
  const session = await openPage(browser, server.url, { httpCredentials: { username, password: 'correct horse battery' } });
  try {
    await work(session);
    assert.deepEqual(session.complaints, []);
  } finally {
    await session.close();
  }
}

test('nobody gets the page without signing in', async () => {
  for (const path of ['/', '/odata/Orders', '/web/api/objects', "/web/api/item?object=Orders&id=1012"]) {
    const answer = await fetch(server.url + path, { headers: { Accept: 'text/html' } });
    assert.equal(answer.status, 401, path);
    assert.match(answer.headers.get('www-authenticate'), /Basic/);
  }
});

test('a reader sees what the role may see, and no more', () => as('rita', async ({ page, go }) => {
  await go('/');
  assert.equal(await page.textContent('#top .user'), 'rita');
  assert.doesNotMatch(await page.textContent('main'), /Products/);
  assert.equal(await page.locator('#side a:has-text("Workbench")').count(), 0);
  await go("/odata/Orders('1012')");
  for (const action of ['edit', 'delete', 'plan']) assert.equal(await page.locator(`[data-action=${action}]`).count(), 0, action);
  assert.doesNotMatch(await page.textContent('main'), /CUSTOMER|C-1\d\d/);
  assert.equal(JSON.parse(await page.textContent('.raw code')).CUSTOMER, undefined);
  await go('/odata/Orders');
  assert.equal(await page.locator('[data-action=new]').count(), 0);
  await go('/odata/Products');
  assert.equal(await page.textContent('h1'), 'Nothing here');
  await go('/web/workbench');
  assert.match(await page.textContent('.notice.error'), /workbench is for those/);
}));

test('an editor may do it all', () => as('edda', async ({ page, go }) => {
  await go("/odata/Orders('1012')");
  for (const action of ['edit', 'delete', 'plan']) assert.equal(await page.locator(`[data-action=${action}]`).count(), 1, action);
  assert.match(await page.textContent('.raw code'), /CUSTOMER/);
  await go('/web/workbench?file=Orders.json');
  assert.equal(await page.locator('[data-action=save]').count(), 1);
}));
