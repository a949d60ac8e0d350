// A set of records: search, filter, order, columns, pages, export, plan, create.

import { T } from './texts.js';
import { announce, h, menu, scrollable } from './dom.js';
import { getCount } from './api.js';
import { Address } from './address.js';
import { filterPanel } from './filter_panel.js';
import { buildFilter, describe, parseFilter } from './filters.js';
import { nextOrder, parseOrder, recordTable, shownFields } from './table.js';
import { exportEntries } from './export.js';
import { planToggle } from './plan_panel.js';
import { openCreateForm } from './edit_form.js';

const PAGE_SIZES = [25, 50, 100, 200, 500, 1000, 2000];
const PAGE_SIZE_KEY = 'tablecast.pageSize';

export function pageSize() {
  const kept = Number(localStorage.getItem(PAGE_SIZE_KEY));
  return PAGE_SIZES.includes(kept) ? kept : 50;
}

// Rows of $apply and other answers have no object: the columns are those of the data.
const looseFields = (records) => [...new Set(records.flatMap((record) => Object.keys(record).filter((name) => !name.includes('@'))))]
  .map((name) => ({ name, kind: 'text', collection: false, sortable: false, typeText: '', description: '', allowed: [] }));

function searchForm(context, object) {
  const { address, navigate } = context;
  const current = address.get('$search') ?? '';
  // A search box takes words; the protocol takes phrases.
  const shown = /^"[^"]*"$/.test(current) ? current.slice(1, -1) : current;
  const input = h('input', { type: 'search', value: shown, placeholder: T.searchHint, 'aria-label': T.searchIn(object.pluralLabel), autocomplete: 'off', 'data-shortcut': '/' });
  return h('form', { role: 'search', class: 'search', onsubmit: (event) => {
    event.preventDefault();
    const words = input.value.trim();
    const plain = words === '' || /^[\p{L}\p{N}]+$/u.test(words) && !/^(AND|OR|NOT)$/.test(words);
    const written = plain || /^"|\b(AND|OR|NOT)\b/.test(words) ? words : `"${words.replaceAll('"', ' ')}"`;
    navigate(address.with({ $search: written }).toString());
  } }, input, h('button', { class: 'button' }, T.search));
}

function columnMenu(context, object, fields) {
  const { address, navigate } = context;
  const boxes = object.fields.map((field) => h('input', { type: 'checkbox', value: field.name, checked: fields.includes(field) }));
  return menu(T.columns, { 'data-action': 'columns' },
    h('form', { class: 'column-form', onsubmit: (event) => {
      event.preventDefault();
      const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
      const all = chosen.length === 0 || chosen.length === object.fields.length;
      navigate(address.with({ $select: all ? null : chosen.join(','), $skiptoken: address.get('$skiptoken') }).toString(), context.state);
    } }, h('fieldset', {}, h('legend', {}, T.columnsHeading),
      object.fields.map((field, index) => h('label', { class: 'check' }, boxes[index], field.name))),
    h('div', { class: 'buttons' }, h('button', { class: 'button primary' }, T.apply),
      h('button', { type: 'button', class: 'button quiet', onclick: () => boxes.forEach((box) => { box.checked = true; }) }, T.allColumns))));
}

function chips(context, object) {
  const { address } = context;
  const filter = address.get('$filter');
  const search = address.get('$search');
  const conditions = object && filter ? parseFilter(filter, object) : null;
  const chip = (text, href) => h('li', { class: 'chip' }, h('bdi', {}, text), h('a', { href, 'aria-label': T.removeCondition(text), title: T.remove, class: 'chip-remove' }, '×'));
  const list = [];
  if (search) list.push(chip(`${T.search}: ${search}`, address.with({ $search: null }).toString()));
  if (conditions?.length) {
    conditions.forEach((condition, index) => list.push(chip(describe(condition),
      address.with({ $filter: buildFilter(conditions.filter((_, other) => other !== index)) }).toString())));
  } else if (filter) {
    list.push(chip(filter, address.with({ $filter: null }).toString()));
  }
  return list.length ? h('ul', { class: 'chips', 'aria-label': T.filter }, list) : null;
}

function pager(context, shown, nextLink, total) {
  const { address, state } = context;
  const trail = state?.trail ?? [];
  const offset = state?.offset ?? (address.get('$skiptoken') ? null : Number(address.get('$skip') ?? 0));
  const here = h('span', { class: 'range', 'data-role': 'range' });
  const label = (count) => {
    here.textContent = shown === 0 ? T.noRecords : offset === null ? T.pageOf(shown, count) : T.range(offset + 1, offset + shown, count);
  };
  label(null);
  total?.then((count) => { label(count); announce(here.textContent); }, () => {});
  const link = (text, href, shortcut, target) => {
    if (!href) return h('span', { class: 'button disabled', 'aria-disabled': 'true' }, text);
    const node = h('a', { class: 'button', href, 'data-shortcut': shortcut }, text);
    node.historyState = target;
    return node;
  };
  const previous = trail.at(-1);
  let nextHref = null;
  if (nextLink) nextHref = address.with({ $skiptoken: Address.parse(nextLink).get('$skiptoken') }).toString();
  return h('nav', { class: 'pager', 'aria-label': T.pages },
    previous || !address.get('$skiptoken') ? link(T.previous, previous?.address, 'p', previous?.state)
      : link(T.firstPage, address.with({ $skiptoken: null }).toString(), 'p', null),
    here,
    link(T.next, nextHref, 'n', { offset: offset === null ? null : offset + shown, trail: [...trail, { address: address.toString(), state: { ...state } }] }));
}

export function setView(context, body, object) {
  const { address, model, navigate, title } = context;
  const records = body.value ?? [];
  const fields = object ? shownFields(object, address.get('$select')) : looseFields(records);
  const order = parseOrder(address.get('$orderby'));
  const countable = object && !address.get('$apply');
  const total = countable
    ? getCount(new Address(`${address.path.replace(/\/$/, '')}/$count`, address.options.filter(([name]) => name === '$filter' || name === '$search')).toString())
    : null;
  const plan = model.mayExplain ? planToggle(address) : null;
  const slot = h('div', { class: 'slot' });
  const filterButton = object ? h('button', { type: 'button', class: 'button', 'aria-expanded': 'false', 'data-shortcut': 'f', 'data-action': 'filter', onclick: () => {
    const open = slot.childElementCount === 0;
    filterButton.setAttribute('aria-expanded', String(open));
    slot.replaceChildren(...(open ? [filterPanel(object, address.get('$filter'), (filter) => navigate(address.with({ $filter: filter }).toString()))] : []));
    slot.querySelector('select, textarea:not([hidden])')?.focus();
  } }, T.filter) : null;
  const sizes = h('select', { 'aria-label': T.pageSize, onchange: () => {
    localStorage.setItem(PAGE_SIZE_KEY, sizes.value);
    navigate(address.with({ $skiptoken: null }).toString(), null, true);
  } }, PAGE_SIZES.map((size) => h('option', { value: size, selected: size === pageSize() }, T.perPage(size))));
  const newButton = object?.insertable ? h('button', { type: 'button', class: 'button primary', 'data-shortcut': 'c', 'data-action': 'new', onclick: () => openCreateForm(context, object) }, T.newRecord) : null;
  const name = (object?.name ?? 'records').replace(/[^\w-]/g, '_');
  const table = records.length === 0
    ? h('p', { class: 'empty' }, address.get('$filter') || address.get('$search') ? T.noRecordsHere : T.noRecordsAtAll)
    : scrollable(T.tableLabel(title), recordTable({ object, model, fields, records, order, caption: title,
      onSort: object ? (field, added) => navigate(address.with({ $orderby: nextOrder(order, field, added) }).toString()) : null }));
  const turn = () => pager(context, records.length, body['@odata.nextLink'], total);
  return h('div', { class: 'view set-view' },
    h('div', { class: 'heading' }, h('div', {}, h('h1', { tabindex: '-1' }, title), object?.description && object.description !== title ? h('p', { class: 'sub' }, object.description) : null), newButton),
    h('div', { class: 'toolbar' }, object ? searchForm(context, object) : null, filterButton, object ? columnMenu(context, object, fields) : null,
      menu(T.export, { 'data-action': 'export' }, exportEntries({ address, fields, records, name, body })), plan?.button, h('span', { class: 'spacer' }), sizes),
    chips(context, object), slot, plan?.panel,
    body['@tablecast.fullScan'] ? h('p', { class: 'notice' }, T.fullScan) : null,
    table, turn());
}
