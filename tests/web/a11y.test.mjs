// axe-core over every view, with hostile data among them, light and dark.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axeSource, launch, makeStore, openPage, removeStore, serve } from './harness.mjs';

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

async function withPage(work, options) {
  const session = await openPage(browser, server.url, options);
  try {
    await work(session);
    assert.deepEqual(session.complaints, []);
  } finally {
    await session.close();
  }
}

async function axe(page) {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.filter((one) => ['serious', 'critical', 'moderate'].includes(one.impact))
    .map((one) => `${one.id} (${one.impact}): ${one.nodes.slice(0, 3).map((node) => node.target.join(' ')).join(' | ')}`);
}

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing on any view (${colorScheme})`, () => withPage(async ({ page, go }) => {
    for (const path of ['/', '/odata/Orders', "/odata/Orders?$filter=STATUS eq 'OPEN'&$orderby=TOTAL desc", '/odata/Hostile', "/odata/OrderItems('1012-1')",
      '/odata/$metadata', '/web/workbench?file=Orders.json', "/odata/Orders('nothing')", "/odata/Orders?$filter=pk eq 'none'"]) {
      await go(path);
      assert.deepEqual(await axe(page), [], path);
    }
    await go('/odata/Orders');
    await page.click('[data-action=filter]');
    await page.click('[data-action=plan]');
    await page.waitForSelector('.plan-panel .facts');
    await page.click('[data-action=columns]');
    assert.deepEqual(await axe(page), [], 'panels');
    await page.keyboard.press('Escape');
    await page.click('[data-action=new]');
    assert.deepEqual(await axe(page), [], 'form');
  }, { colorScheme }));
}
