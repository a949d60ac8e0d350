// The front page: every object with its count and record type.

import { T } from './texts.js';
import { h, scrollable } from './dom.js';
import { getCount } from './api.js';
import { setAddress } from './address.js';
import { numberText } from './values.js';

function count(object) {
  const cell = h('td', { class: 'right number' });
  if (object.about?.count !== null && object.about?.count !== undefined) {
    cell.append(numberText(String(object.about.count)));
    return cell;
  }
  cell.append(h('span', { class: 'null' }, T.counting));
  getCount(`${setAddress(object)}/$count`).then((value) => cell.replaceChildren(numberText(String(value))),
    () => cell.replaceChildren(h('span', { class: 'null' }, T.unknown)));
  return cell;
}

function recordType(about) {
  if (about?.embeddedIn) return h('span', { class: 'hint' }, T.embeddedIn(about.embeddedIn));
  if (!about?.recordType?.length) return h('span', { class: 'hint' }, T.everyItem);
  return h('ul', { class: 'plain conditions-list' }, about.recordType.map((condition) => h('li', {}, h('code', {}, condition))));
}

export function homeView({ model }) {
  const objects = [...model.objects.values()];
  const columns = [T.object, T.records, T.recordType, T.table, T.fields, T.access];
  return h('div', { class: 'view home-view' },
    h('div', { class: 'heading' }, h('div', {}, h('h1', { tabindex: '-1' }, T.homeTitle), h('p', { class: 'sub' }, T.homeIntro))),
    objects.length === 0 ? h('p', { class: 'empty' }, T.noObjects) : scrollable(T.tableLabel(T.homeTitle), h('table', { class: 'records objects' },
      h('caption', { class: 'visually-hidden' }, T.homeTitle),
      h('thead', {}, h('tr', {}, columns.map((column, index) => h('th', { scope: 'col', class: index === 1 || index === 4 ? 'right' : null }, h('span', { class: 'head' }, column))))),
      h('tbody', {}, objects.map((object) => h('tr', {},
        h('th', { scope: 'row' }, h('a', { href: setAddress(object), class: 'row-link' }, object.pluralLabel),
          object.description && object.description !== object.label ? h('p', { class: 'hint' }, object.description) : null),
        count(object), h('td', {}, recordType(object.about)),
        h('td', {}, h('bdi', {}, object.about?.table ?? ''), object.about && !object.about.tableExists ? h('p', { class: 'hint' }, T.tableMissing) : null),
        h('td', { class: 'right number' }, object.fields.length),
        h('td', {}, h('span', { class: `badge ${object.about?.writable ? 'good' : ''}` }, object.about?.writable ? T.readWrite : T.readOnly))))))));
}
