// Starts the program on a store of its own and a browser that reports what it must never see.

import { spawn, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const HERE = dirname(fileURLToPath(import.meta.url));
export const SOURCE = join(HERE, '../..');
const BIN = process.env.TABLECAST_BIN ?? join(SOURCE, 'build/release/bin/tablecast');
const CHROMIUM = process.env.TABLECAST_CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

export const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const run = (args, input) => execFileSync(BIN, args, { input, stdio: ['pipe', 'pipe', 'pipe'], encoding: 'utf8' });

// The order example in a store of its own, with a catalog folder that may be changed; on demand with the
// hostile items beside it.
export function makeStore({ hostile = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tablecast-web-'));
  const store = join(folder, 'store');
  const catalog = join(folder, 'catalog');
  cpSync(join(SOURCE, 'examples/order-management/catalog'), catalog, { recursive: true });
  run(['import', '--store', store, '--table', 'OrderManagement', '--partition-key', 'pk', '--sort-key', 'sk', join(SOURCE, 'examples/order-management/items.jsonl')]);
  if (hostile) {
    const items = join(folder, 'hostile.jsonl');
    cpSync(join(HERE, 'hostile/Hostile.json'), join(catalog, 'Hostile.json'));
    writeFileSync(items, execFileSync(process.execPath, [join(HERE, 'hostile/make_items.mjs')]));
    run(['import', '--store', store, '--table', 'Hostile', '--partition-key', 'id', items]);
  }
  return { folder, store, catalog };
}

export const hashPassword = (password) => run(['hash-password'], password).trim();

// Resolves with {url, stop}. The program prints its addresses when it listens.
export function serve({ store, catalog, config }) {
  const child = spawn(BIN, ['serve', '--store', store, '--catalog', catalog, '--port', '0', ...(config ? ['--config', config] : [])],
    { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  process.on('exit', () => child.kill());  // also when a test is ended from outside its hooks
  return new Promise((resolve, reject) => {
    let out = '';
    let errors = '';
    child.stderr.on('data', (data) => { errors += data; });
    child.stdout.on('data', (data) => {
      out += data;
      const match = /^Browse\s+(http:\/\/\S+?)\/$/m.exec(out);
      if (match) resolve({ url: match[1], firstLine: out.split('\n')[0], stop: async () => { child.kill('SIGTERM'); await ended; } });
    });
    ended.then((code) => reject(new Error(`the server ended with ${code}: ${errors}`)));
  });
}

export const launch = () => chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

// A page that collects errors, policy violations, dialogs and requests to anywhere else.
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A refused request is reported by the browser itself; the tests look at what the page shows.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== url) complaints.push(`request: ${request.url()}`);
  });
  await page.addInitScript(() => {
    window.stolen = 0;
    window.steal = () => { ++window.stolen; };
  });
  const go = async (address) => {
    await page.goto(url + address);
    await settled(page);
  };
  return { page, context, go, complaints, close: () => context.close() };
}

// The view stands when the frame is no longer busy; its parts when nothing says "Loading…".
export async function settled(page) {
  await page.waitForFunction(() => !document.querySelector('#main').hasAttribute('aria-busy')
    && ![...document.querySelectorAll('#main .section-body > .hint:only-child')].some((hint) => hint.textContent === 'Loading…'));
}

export function removeStore({ folder }) {
  rmSync(folder, { recursive: true, force: true });
}

export async function screenshot(page, name, options = {}) {
  if (process.env.TABLECAST_UPDATE_SCREENSHOTS !== '1') return;
  const folder = join(SOURCE, 'docs/images');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), ...options });
}
