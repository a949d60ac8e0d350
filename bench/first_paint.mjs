// How long a 200-row page and its next page take in a browser, as ratios to the JSON request alone.
//   npm ci --prefix tests/web && TABLECAST_BIN=build/release/bin/tablecast node bench/first_paint.mjs [ROUNDS]
// Times are medians, all taken inside one browser on one machine, server and browser sharing its cores. No test
// depends on them.

import { launch, makeStore, removeStore, serve, settled } from '../tests/web/harness.mjs';

const ROUNDS = Number(process.argv[2] ?? 15);
const ADDRESS = '/odata/OrderItems';
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const store = makeStore();
const server = await serve(store);
const browser = await launch();

async function newPage() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  await context.addInitScript(() => localStorage.setItem('tablecast.pageSize', '200'));
  return { context, page: await context.newPage() };
}

async function load(page) {
  await page.goto(server.url + ADDRESS, { waitUntil: 'commit' });
  await page.waitForFunction(() => document.querySelectorAll('table.records tbody tr').length === 200, null, { polling: 'raf' });
  // Nothing with content is drawn before the rows are there, so the browser's first contentful paint is theirs.
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
  return page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime);
}

// Click to painted rows, timed inside the page so that the driver's own delays do not count.
const turn = (page) => page.evaluate(() => new Promise((resolve) => {
  const before = document.querySelector('table.records');
  const start = performance.now();
  const observer = new MutationObserver(() => {
    const now = document.querySelector('table.records');
    if (!now || now === before) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
  });
  observer.observe(document.getElementById('main'), { childList: true });
  [...document.querySelectorAll('.pager a')].find((link) => link.textContent === 'Next').click();
}));

const request = (page) => page.evaluate(async (address) => {
  const start = performance.now();
  const answer = await fetch(address, { cache: 'no-store', headers: { Accept: 'application/json', Prefer: 'odata.maxpagesize=200' } });
  await answer.json();
  return performance.now() - start;
}, ADDRESS);

const times = { json: [], first: [], again: [], next: [] };
for (let round = 0; round < ROUNDS; ++round) {
  const { context, page } = await newPage();
  times.first.push(await load(page));
  times.again.push(await load(page));
  await settled(page);
  await request(page);
  times.json.push(await request(page));
  times.next.push(await turn(page));
  await context.close();
}
const json = median(times.json);
console.log(`records on the page                     200`);
console.log(`JSON request alone                      ${json.toFixed(1)} ms   1.0`);
for (const [what, key] of [['page, nothing cached, first paint', 'first'], ['page, files cached, first paint', 'again'], ['next page, click to painted', 'next']]) {
  const time = median(times[key]);
  console.log(`${what.padEnd(40)}${time.toFixed(1)} ms   ${(time / json).toFixed(1)}`);
}
await browser.close();
await server.stop();
removeStore(store);
