// A table of records: headers that sort, rows that open.

import { T } from './texts.js';
import { h, hidden } from './dom.js';
import { recordAddress } from './address.js';
import { isRightAligned, renderValue } from './values.js';

// [{name, descending}] of an $orderby that names fields only; other orders sort no header.
export const parseOrder = (text) => (text ?? '').split(',').map((part) => part.trim()).filter(Boolean).map((part) => {
  const [name, direction] = part.split(/\s+/);
  return { name, descending: direction?.toLowerCase() === 'desc' };
});

// Ascending, descending, not at all; `added` keeps the other orders.
export function nextOrder(order, name, added) {
  const current = order.find((one) => one.name === name);
  const rest = added ? order.filter((one) => one.name !== name) : [];
  const next = current === undefined ? [{ name, descending: false }] : current.descending ? [] : [{ name, descending: true }];
  return [...rest, ...next].map((one) => one.name + (one.descending ? ' desc' : '')).join(',');
}

function header(field, order, onSort) {
  const sorted = order.find((one) => one.name === field.name);
  const description = [field.description, field.typeText, field.sortable ? '' : T.notSortable].filter(Boolean).join(' · ');
  const cell = h('th', { scope: 'col', class: isRightAligned(field) ? 'right' : null, title: description,
    'aria-sort': sorted ? (sorted.descending ? 'descending' : 'ascending') : null });
  if (!onSort || !field.sortable) {
    cell.append(h('span', { class: 'head' }, field.name));
  } else {
    cell.append(h('button', { type: 'button', class: 'head', onclick: (event) => onSort(field.name, event.shiftKey) },
      hidden(`${T.sortBy(' ')} `), field.name, sorted ? h('span', { class: 'arrow', 'aria-hidden': 'true' }, sorted.descending ? '▼' : '▲') : null));
  }
  return cell;
}

export function recordTable({ object, model, fields, records, order = [], onSort = null, caption }) {
  const body = h('tbody');
  const fragment = document.createDocumentFragment();
  for (const record of records) {
    const row = document.createElement('tr');
    const href = object ? recordAddress(object, record) : null;
    fields.forEach((field, index) => {
      const cell = document.createElement(index === 0 ? 'th' : 'td');
      if (index === 0) cell.scope = 'row';
      if (isRightAligned(field)) cell.className = 'right';
      const value = renderValue(object, field, record, index === 0 && href ? null : model);
      // The first column opens the record; a link inside a link is none.
      cell.append(index === 0 && href ? h('a', { href, class: 'row-link' }, value) : value);
      row.append(cell);
    });
    fragment.append(row);
  }
  body.append(fragment);
  return h('table', { class: 'records' }, h('caption', { class: 'visually-hidden' }, caption),
    h('thead', {}, h('tr', {}, fields.map((field) => header(field, order, onSort)))), body);
}

// The key first, then the published order, or what $select names.
export function shownFields(object, select) {
  if (!select) return object.fields;
  const names = select.split(',').map((name) => name.trim());
  if (names.includes('*')) return object.fields;
  const chosen = object.fields.filter((field) => names.includes(field.name));
  return chosen.length ? chosen : object.fields;
}
