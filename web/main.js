// The frame around the views and the way between them: the address decides what is shown.

import { T } from './texts.js';
import { announce, h, openDialog } from './dom.js';
import { ApiError, getData } from './api.js';
import { Address, ROOT, pathParts, setAddress } from './address.js';
import { loadModel } from './model.js';
import { homeView } from './home_view.js';
import { pageSize, setView } from './set_view.js';
import { recordView } from './record_view.js';
import { schemaView } from './schema_view.js';
import { openHelp, startKeyboard } from './keyboard.js';

const main = document.getElementById('main');
let turn = 0;  // the newest navigation wins
let leaveGuard = null;  // asked before a view with unsaved text is left

export function guardLeaving(question) {
  leaveGuard = question;
}

function isOurs(url) {
  if (url.origin !== location.origin) return false;
  const path = url.pathname;
  if (path === '/' || path === '/web/workbench') return true;
  return (path === '/odata' || path.startsWith(ROOT)) && !/[?&](\$|%24)?format=/i.test(url.search) && !/\/\$(value|count|batch)$/.test(path);
}

async function navigate(href, state = null, replace = false) {
  if (leaveGuard && !(await leaveGuard())) return;
  leaveGuard = null;
  history[replace ? 'replaceState' : 'pushState'](state, '', href);
  await show(true);
}

function frame(model) {
  const menuButton = h('button', { type: 'button', class: 'button menu-button', 'aria-expanded': 'false', 'aria-controls': 'side', onclick: () => {
    const open = document.body.classList.toggle('side-open');
    menuButton.setAttribute('aria-expanded', String(open));
  } }, T.menu);
  document.getElementById('top').replaceChildren(...[menuButton, h('a', { href: '/', class: 'brand' }, h('span', { class: 'brand-mark', 'aria-hidden': 'true' }), T.brand),
    h('span', { class: 'spacer' }), model.user && model.user !== 'anonymous' ? h('span', { class: 'user', title: T.signedInAs(model.user) }, h('bdi', {}, model.user)) : null,
    h('button', { type: 'button', class: 'button quiet', onclick: openHelp }, T.help)].filter(Boolean));
  const entry = (text, href) => h('li', {}, h('a', { href }, h('bdi', {}, text)));
  document.getElementById('side').replaceChildren(h('ul', {}, entry(T.home, '/')),
    h('ul', { class: 'side-objects' }, [...model.objects.values()].map((object) => entry(object.pluralLabel, setAddress(object)))),
    h('ul', {}, entry(T.schema, `${ROOT}$metadata`), model.mayUseWorkbench ? entry(T.workbenchShort, '/web/workbench') : null));
}

function markCurrent(path) {
  for (const link of document.querySelectorAll('#side a')) {
    const own = new URL(link.href).pathname;
    const current = own === path || (own !== '/' && (path.startsWith(`${own}(`) || path.startsWith(`${own}/`)));
    if (current) link.setAttribute('aria-current', own === path ? 'page' : 'true');
    else link.removeAttribute('aria-current');
  }
  document.body.classList.remove('side-open');
  document.querySelector('.menu-button')?.setAttribute('aria-expanded', 'false');
}

function crumbs(path) {
  const parts = pathParts(path);
  let at = ROOT;
  const items = parts.map((part, index) => {
    const last = index === parts.length - 1;
    const own = at + part.end;
    if (!parts[index + 1]?.key) at += part.end + '/';
    const text = h('bdi', {}, part.text);
    return h('li', {}, last ? h('span', { 'aria-current': 'page' }, text) : h('a', { href: own }, text));
  });
  return h('nav', { class: 'crumbs', 'aria-label': T.youAreHere }, h('ol', {}, h('li', {}, h('a', { href: '/' }, T.home)), items));
}

function errorNode(error) {
  const text = error instanceof ApiError
    ? error.status === 0 ? T.offline : error.status === 401 ? T.signInAgain : error.message
    : String(error.message ?? error);
  return h('div', { class: 'view error-view' }, h('h1', { tabindex: '-1' }, error.status === 404 ? T.notFoundHeading : T.errorHeading),
    h('div', { class: 'notice error', role: 'alert' }, h('p', {}, text),
      error instanceof ApiError && error.status ? h('p', { class: 'hint' }, h('code', {}, T.errorStatus(error.status, error.code))) : null,
      error.target ? h('p', { class: 'hint' }, h('code', {}, error.target)) : null),
    h('p', {}, h('button', { type: 'button', class: 'button', onclick: () => show(true) }, T.tryAgain)));
}

// The object of a path as it is written, for a first guess while the answer is on its way.
const titleOf = (path) => pathParts(path).map((part) => part.text).at(-1) ?? T.home;

async function dataView(context) {
  const { address } = context;
  let asked = address;
  const select = address.get('$select');
  if (select && !select.includes('*')) {
    // The key is what links are made of, whether it is shown or not.
    const model = await loadModel();
    const object = model.object(pathParts(address.path)[0]?.text);
    const missing = (object?.keys ?? []).filter((key) => !select.split(',').map((name) => name.trim()).includes(key));
    if (missing.length && pathParts(address.path).length <= 2) {
      asked = address.with({ $select: [...missing, select].join(','), $skiptoken: address.get('$skiptoken') });
    }
  }
  const [model, { body }] = await Promise.all([loadModel(), getData(asked.toString(), pageSize())]);
  context.model = model;
  if (body === null) return h('div', { class: 'view' }, h('h1', { tabindex: '-1' }, context.title), h('p', { class: 'empty' }, T.leadsNowhere));
  const { object, entity } = model.ofContext(body['@odata.context']);
  if (entity && object) return recordView(context, body, object);
  if (Array.isArray(body.value)) {
    const parts = pathParts(address.path);
    context.title = parts.length === 1 && object ? object.pluralLabel : parts.map((part) => part.text).join(' ');
    const loose = address.get('$apply') !== null && body.value.some((record) => record.ExternalId === undefined);
    return setView(context, body, loose ? null : object);
  }
  return h('div', { class: 'view' }, h('h1', { tabindex: '-1' }, context.title),
    h('pre', { class: 'raw', tabindex: '0' }, h('code', {}, JSON.stringify(body, null, 2))));
}

async function viewOf(context) {
  const { path } = context.address;
  if (path === '/' || path === '/odata' || path === ROOT) {
    context.title = T.homeTitle;
    context.model = await loadModel(true);
    return homeView(context);
  }
  if (path === '/web/workbench') {
    context.title = T.workbench;
    context.model = await loadModel();
    const { workbenchView } = await import('./workbench_view.js');
    return workbenchView(context);
  }
  if (path === `${ROOT}$metadata`) {
    context.title = T.schema;
    context.model = await loadModel(true);
    return schemaView(context);
  }
  return dataView(context);
}

async function show(moved) {
  const mine = ++turn;
  const context = { address: Address.parse(location.href), state: history.state, navigate, model: null,
    title: '', guardLeaving, showError: (error) => openDialog(T.errorHeading, errorNode(error).querySelector('.notice'), [{ label: T.close, value: '', autofocus: true }]) };
  context.title = titleOf(context.address.path);
  main.setAttribute('aria-busy', 'true');
  let node;
  try {
    node = await viewOf(context);
  } catch (error) {
    if (!(error instanceof ApiError)) console.error(error);
    node = errorNode(error);
  }
  if (mine !== turn) return;
  try {
    if (!document.querySelector('#top .brand')) frame(await loadModel());
  } catch { /* the error is shown already */ }
  document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.close());
  main.replaceChildren(...[context.address.path.startsWith(ROOT) && context.address.path !== ROOT ? crumbs(context.address.path) : null, node].filter(Boolean));
  main.removeAttribute('aria-busy');
  document.title = `${context.title} · ${T.brand}`;
  markCurrent(context.address.path);
  if (moved) {
    scrollTo(0, 0);
    main.querySelector('h1')?.focus({ preventScroll: true });
    announce(T.loaded(context.title));
  }
  performance.mark('tablecast-shown');
}

document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.target || link.hasAttribute('download') || link.getAttribute('href').startsWith('#')) return;
  const url = new URL(link.href);
  if (!isOurs(url)) return;
  event.preventDefault();
  navigate(url.pathname + url.search, link.historyState ?? null);
});
addEventListener('popstate', () => show(true));
startKeyboard(navigate);
show(false);
