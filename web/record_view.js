// One record: fields, related records, children, the stored item and the objects that claim it.

import { T } from './texts.js';
import { announce, h, openDialog, scrollable } from './dom.js';
import { change, getCount, getData, helperGet } from './api.js';
import { recordAddress, setAddress, keySegment } from './address.js';
import { renderValue } from './values.js';
import { recordTable } from './table.js';
import { planToggle } from './plan_panel.js';
import { openEditForm } from './edit_form.js';

const CHILDREN_SHOWN = 10;

function fieldList(object, record, model) {
  const marks = (field) => [object.keys.includes(field.name) ? T.key : '', field.computed && !object.keys.includes(field.name) ? T.computed : '',
    field.attribute ? T.storedAs(field.attribute) : '', field.lookup ? T.refersTo(field.lookup) : ''].filter(Boolean);
  return h('dl', { class: 'record-fields' }, object.fields.filter((field) => field.name in record || `${field.name}@tablecast.conversionError` in record).map((field) => {
    const error = record[`${field.name}@tablecast.conversionError`];
    return h('div', { class: 'record-field' },
      h('dt', {}, field.name, h('span', { class: 'type' }, field.typeText), marks(field).map((mark) => h('span', { class: 'mark' }, mark))),
      h('dd', {}, renderValue(object, field, record, model),
        error ? h('p', { class: 'hint bad-text' }, T.conversionErrorLong(error.stored, error.message)) : null,
        field.description ? h('p', { class: 'hint' }, field.description) : null));
  }));
}

// A heading and a body that fills when its data arrives.
function section(title, load, extra) {
  const body = h('div', { class: 'section-body' }, h('p', { class: 'hint' }, T.loading));
  load().then((nodes) => body.replaceChildren(...[nodes].flat(2).filter(Boolean)),
    (error) => body.replaceChildren(h('p', { class: 'notice error' }, error.message)));
  return h('section', { class: 'section' }, h('div', { class: 'section-head' }, h('h2', {}, title), extra ?? null), body);
}

// The fields that say most about a record of another object: its key and the first readable others.
const preview = (target) => [...target.fields.filter((field) => target.keys.includes(field.name)),
  ...target.fields.filter((field) => !target.keys.includes(field.name) && !field.complex && !field.collection)].slice(0, 7);

function relatedOne(context, base, navigation) {
  const target = context.model.object(navigation.target);
  return section(navigation.name, async () => {
    const { body } = await getData(`${base}/${navigation.name}`);
    if (body === null) return h('p', { class: 'null' }, T.leadsNowhere);
    const href = recordAddress(target, body);
    return h('dl', { class: 'facts' }, preview(target).map((field, index) => [h('dt', {}, field.name),
      h('dd', {}, index === 0 && href ? h('a', { href }, renderValue(target, field, body, null)) : renderValue(target, field, body, context.model))]));
  });
}

function children(context, base, navigation) {
  const target = context.model.object(navigation.target);
  const all = `${base}/${navigation.name}`;
  const badge = h('span', { class: 'badge' });
  getCount(`${all}/$count`).then((count) => { badge.textContent = T.rows(count); }, () => badge.remove());
  return section(navigation.name, async () => {
    const { body } = await getData(all, CHILDREN_SHOWN);
    if (body.value.length === 0) return h('p', { class: 'hint' }, T.noChildren);
    return [scrollable(T.tableLabel(navigation.name), recordTable({ object: target, model: context.model, fields: target.fields, records: body.value, caption: navigation.name })),
      h('p', {}, h('a', { href: all }, T.showAll(navigation.name)))];
  }, badge);
}

// JSON with everything on one line that fits: {"N": "12.5"}. An item is at most 32 levels deep.
function itemText(value, indent = '') {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value) ? value.map((element) => itemText(element, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${itemText(member, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const line = open + parts.join(', ') + close;
  const fits = indent !== '' && line.length + indent.length <= 100 && !line.includes('\n');
  return fits || parts.length === 0 ? line : `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
}

function storedItem(context, object, id) {
  return section(T.rawItem, async () => {
    const { body } = await helperGet('item', { object: object.name, id });
    const text = itemText(body.item);
    const others = body.claims.map((claim) => {
      const claiming = context.model.object(claim.object);
      return h('li', {}, h('a', { href: claiming ? setAddress(claiming) + keySegment(claim.id) : null }, `${claim.object} ${claim.id}`));
    });
    return [h('p', { class: 'hint' }, T.rawItemOf(body.table), body.withheld ? ` ${T.rawWithheld}` : ''),
      h('div', { class: 'raw' }, h('pre', { tabindex: '0', 'aria-label': T.rawItem, role: 'region' }, h('code', {}, text)),
        h('button', { type: 'button', class: 'button quiet copy', onclick: async (event) => {
          await navigator.clipboard?.writeText(text);
          event.target.textContent = T.copied;
          announce(T.copied);
        } }, T.copy)),
      h('h3', {}, T.claims), h('ul', { class: 'plain claims' }, others)];
  });
}

async function deleteRecord(context, object, address, record, id, ifMatch) {
  const answer = await openDialog(T.deleteHeading(id), h('p', {}, T.deleteText), [
    { label: T.cancel, value: '', autofocus: true }, { label: T.delete, value: 'delete', kind: 'danger' }]);
  if (answer !== 'delete') return;
  try {
    await change('DELETE', address.path, undefined, ifMatch);
    announce(T.deleted(id));
    context.navigate(setAddress(object));
  } catch (error) {
    if (error.status !== 412) return context.showError(error);
    const decision = await openDialog(T.conflictHeading, h('p', {}, T.conflictNoted), [
      { label: T.takeTheirs, value: 'reload', autofocus: true }, { label: T.deleteAnyway, value: 'delete', kind: 'danger' }]);
    if (decision === 'reload') return context.navigate(address.toString(), null, true);
    if (decision === 'delete') {
      try {
        await change('DELETE', address.path, undefined, '*');
        context.navigate(setAddress(object));
      } catch (second) {
        context.showError(second);
      }
    }
  }
}

export function recordView(context, body, object) {
  const { address, model } = context;
  const etag = body['@odata.etag'] ?? '';
  const id = String(body.ExternalId ?? body[object.keys[0]] ?? '');
  const base = recordAddress(object, body) ?? address.path;
  const own = address.with({ $select: null, $expand: null }).at(base);
  const plan = model.mayExplain ? planToggle(address) : null;
  const actions = h('div', { class: 'buttons' },
    object.updatable && object.keys.length ? h('button', { type: 'button', class: 'button primary', 'data-shortcut': 'e', 'data-action': 'edit', onclick: () => openEditForm(context, object, own, body) }, T.edit) : null,
    object.deletable ? h('button', { type: 'button', class: 'button danger', 'data-action': 'delete', onclick: () => deleteRecord(context, object, own, body, id, etag) }, T.delete) : null,
    plan?.button, h('a', { class: 'button', href: address.with({ $format: 'json' }).toString(), 'data-action': 'json' }, T.json));
  const single = object.navigations.filter((navigation) => !navigation.collection && model.object(navigation.target));
  const many = object.navigations.filter((navigation) => navigation.collection && model.object(navigation.target));
  return h('div', { class: 'view record-view' },
    h('div', { class: 'heading' }, h('div', {}, h('p', { class: 'eyebrow' }, object.label), h('h1', { tabindex: '-1' }, h('bdi', {}, id || context.title)),
      etag ? h('p', { class: 'hint' }, `${T.etag} `, h('code', {}, etag.replace(/^W\/"(.{8}).*"$/, '$1'))) : null), actions),
    plan?.panel,
    h('section', { class: 'section' }, h('h2', { class: 'visually-hidden' }, T.fields), fieldList(object, body, model)),
    single.length ? h('div', { class: 'cards' }, single.map((navigation) => relatedOne(context, base, navigation))) : null,
    many.map((navigation) => children(context, base, navigation)),
    body.ExternalId !== undefined ? storedItem(context, object, id) : null);
}
