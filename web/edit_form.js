// Creating and changing a record: a form made from the schema, sent with the record's ETag.

import { T } from './texts.js';
import { announce, freshId, h, scrollable } from './dom.js';
import { change, getData } from './api.js';
import { recordAddress, setAddress } from './address.js';
import { plainText, renderValue } from './values.js';

const EXACT = new Set(['Edm.Decimal', 'Edm.Int64']);

class BadInput extends Error {}

// What an input shows for a value; the same text back means "not changed".
function toText(field, value) {
  if (value === null || value === undefined) return '';
  if (field.collection && !field.complex) return value.map((element) => plainText(element)).join('\n');
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

function scalarFrom(field, text) {
  switch (field.kind) {
    case 'number':
      if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text.trim())) throw new BadInput(T.badNumber);
      return EXACT.has(field.type) ? text.trim().replace(/^\+/, '') : Number(text);
    case 'boolean': return text === 'true';
    case 'text': return text;
    default: return text.trim();
  }
}

function fromText(field, text) {
  if (field.collection && !field.complex) {
    const elements = text.split('\n').filter((line) => line !== '').map((line) => scalarFrom(field, line));
    return elements.length > 0 ? elements : null;  // nothing left: a set of the store is never empty
  }
  if (text === '') return null;
  if (field.complex) {
    try {
      return JSON.parse(text);
    } catch {
      throw new BadInput(T.badJson);
    }
  }
  return scalarFrom(field, text);
}

function inputFor(field, id, text) {
  const common = { id, name: field.name, autocomplete: 'off' };
  const select = (options) => h('select', common, h('option', { value: '' }, T.null), options.map(([value, label]) => h('option', { value, selected: value === text }, label)));
  if (!field.collection && field.allowed.length) {
    const values = field.allowed.includes(text) || text === '' ? field.allowed : [text, ...field.allowed];
    return select(values.map((value) => [value, value]));
  }
  if (field.kind === 'boolean' && !field.collection) return select([['true', T.true], ['false', T.false]]);
  if (field.collection || field.complex || text.includes('\n') || (field.kind === 'text' && field.maxLength > 255)) {
    return h('textarea', { ...common, rows: Math.min(8, text.split('\n').length + 1), class: field.complex ? 'code' : null, spellcheck: String(field.kind === 'text'), value: text });
  }
  const special = field.kind === 'number' ? { inputmode: 'decimal' } : field.kind === 'date' ? { type: 'date' } : field.form === 'email' ? { inputmode: 'email' } : {};
  return h('input', { type: 'text', ...common, ...special, value: text });
}

function hintFor(field, creating) {
  const hints = [field.description];
  if (field.complex) hints.push(T.asJson);
  else if (field.collection) hints.push(T.onePerLine);
  else if (field.kind === 'instant') hints.push(T.isoInstant);
  else if (field.kind === 'time') hints.push(T.isoTime);
  if (creating && field.defaulted) hints.push(T.emptyIsGenerated);
  if (creating && field.immutable && !field.defaulted) hints.push(T.setOnCreateOnly);
  if (field.minimum !== null || field.maximum !== null) hints.push(`${field.minimum ?? ''} … ${field.maximum ?? ''}`);
  return hints.filter(Boolean).join(' ');
}

class RecordForm {
  constructor(object, record, creating) {
    this.rows = [];
    this.summary = h('div', { class: 'notice error', role: 'alert', hidden: true, tabindex: '-1' });
    const skipped = creating ? object.notInsertable : object.notUpdatable;
    for (const field of object.fields) {
      if (field.computed || skipped.has(field.name) || (!creating && field.immutable)) continue;
      const id = freshId('field');
      const before = toText(field, record?.[field.name]);
      const input = inputFor(field, id, before);
      const error = h('p', { class: 'field-error', id: `${id}-error` });
      const hint = hintFor(field, creating);
      if (hint) input.setAttribute('aria-describedby', `${id}-hint`);
      const required = creating && !field.nullable && !field.collection && !field.defaulted;
      if (required) input.setAttribute('aria-required', 'true');
      this.rows.push({ field, input, error, before, hintId: hint ? `${id}-hint` : '', node: h('div', { class: 'form-row' },
        h('label', { for: id }, field.name, h('span', { class: 'type' }, field.typeText), required ? h('span', { class: 'mark' }, T.required) : null),
        h('div', {}, input, hint ? h('p', { class: 'hint', id: `${id}-hint` }, hint) : null, error)) });
    }
    this.node = h('div', { class: 'form-rows' }, this.summary, this.rows.map((row) => row.node));
  }

  clearErrors() {
    this.summary.hidden = true;
    for (const row of this.rows) this.mark(row, '');
  }

  mark(row, message) {
    row.error.textContent = message;
    row.node.classList.toggle('faulty', message !== '');
    if (message) row.input.setAttribute('aria-invalid', 'true');
    else row.input.removeAttribute('aria-invalid');
    const described = [row.hintId, message ? row.error.id : ''].filter(Boolean).join(' ');
    if (described) row.input.setAttribute('aria-describedby', described);
    else row.input.removeAttribute('aria-describedby');
  }

  // The values that differ from before, or null when some do not read.
  changes() {
    this.clearErrors();
    const out = {};
    let first = null;
    let bad = 0;
    for (const row of this.rows) {
      const text = row.input.value;
      if (text === row.before) continue;
      try {
        out[row.field.name] = fromText(row.field, text);
      } catch (error) {
        if (!(error instanceof BadInput)) throw error;
        this.mark(row, error.message);
        first ??= row.input;
        ++bad;
      }
    }
    if (!first) return out;
    announce(T.errorSummary(bad));
    first.focus();
    return null;
  }

  // A refusal of the service: beside the fields that it names, the rest on top.
  show(error) {
    let first = null;
    let placed = false;
    for (const problem of [{ target: error.target, message: error.message }, ...error.details]) {
      const name = (problem.target ?? '').split(/[/[.]/)[0];
      const row = this.rows.find((candidate) => candidate.field.name === name);
      if (!row) continue;
      this.mark(row, problem.message);
      first ??= row.input;
      placed ||= problem.target === error.target;
    }
    if (!placed) {
      this.summary.textContent = error.status === 0 ? T.offline : error.message;
      this.summary.hidden = false;
    }
    (first ?? this.summary).focus();
  }
}

function formDialog(title, form, submitLabel, submit) {
  const id = freshId('dialog');
  const button = h('button', { class: 'button primary' }, submitLabel);
  const body = h('form', { novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    button.textContent = T.saving;
    try {
      await submit(dialog);
    } finally {
      button.disabled = false;
      button.textContent = submitLabel;
    }
  } }, h('h2', { id }, title), form.node, h('div', { class: 'buttons sticky' }, button,
    h('button', { type: 'button', class: 'button quiet', onclick: () => dialog.close() }, T.cancel)));
  const dialog = h('dialog', { class: 'dialog wide', 'aria-labelledby': id }, body);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  form.rows[0]?.input.focus();
  return dialog;
}

export function openCreateForm(context, object) {
  const form = new RecordForm(object, null, true);
  // A record of a child list is made at the list, so that the service links it.
  const address = context.address.path.replace(/\/$/, '');
  formDialog(T.createHeading(object.label), form, T.create, async (dialog) => {
    const values = form.changes();
    if (values === null) return;
    try {
      const { body } = await change('POST', address, values);
      dialog.close();
      announce(T.created);
      context.navigate((body && recordAddress(object, body)) ?? setAddress(object));
    } catch (error) {
      form.show(error);
    }
  });
}

export function openEditForm(context, object, address, record) {
  const form = new RecordForm(object, record, false);
  const id = String(record.ExternalId ?? '');
  const etag = record['@odata.etag'] ?? '';
  const save = async (dialog, values, ifMatch) => {
    try {
      await change('PATCH', address.path, values, ifMatch);
      dialog.close();
      announce(T.saved);
      context.navigate(context.address.toString(), context.state, true);
    } catch (error) {
      if (error.status === 412) await showConflict(dialog, values);
      else form.show(error);
    }
  };
  const showConflict = async (dialog, values) => {
    let stored = null;
    try {
      stored = (await getData(address.path)).body;
    } catch (error) {
      if (error.status !== 404) return form.show(error);
    }
    const body = conflictBody(context, object, record, stored, values);
    dialog.replaceChildren(h('h2', { id: dialog.getAttribute('aria-labelledby') }, T.conflictHeading), body,
      h('div', { class: 'buttons sticky' },
        stored ? h('button', { type: 'button', class: 'button primary', 'data-action': 'overwrite', onclick: () => save(dialog, values, stored['@odata.etag']) }, T.overwrite) : null,
        h('button', { type: 'button', class: 'button', 'data-action': 'take-theirs', onclick: () => {
          dialog.close();
          context.navigate(stored ? context.address.toString() : setAddress(object), null, true);
        } }, T.takeTheirs),
        h('button', { type: 'button', class: 'button quiet', onclick: () => dialog.close() }, T.cancel)));
    announce(T.conflictHeading);
    dialog.querySelector('button').focus();
  };
  formDialog(T.editHeading(object.label, id), form, T.save, async (dialog) => {
    const values = form.changes();
    if (values === null) return;
    if (Object.keys(values).length === 0) {
      dialog.close();
      announce(T.nothingChanged);
      return;
    }
    await save(dialog, values, etag);
  });
}

// Field by field: what was shown, what is stored now, what would be saved.
function conflictBody(context, object, before, stored, values) {
  if (!stored) return h('p', { class: 'notice error', role: 'alert' }, T.conflictGone);
  const differs = (field) => field.name in values || plainText(before[field.name]) !== plainText(stored[field.name]);
  const cell = (field, record) => h('td', {}, renderValue(object, field, record, null));
  return h('div', {}, h('p', { role: 'alert' }, T.conflictText), scrollable(T.conflictHeading, h('table', { class: 'plain-table conflict' },
    h('thead', {}, h('tr', {}, [T.field, T.before, T.theirs, T.yours].map((text) => h('th', { scope: 'col' }, text)))),
    h('tbody', {}, object.fields.filter(differs).map((field) => h('tr', {},
      h('th', { scope: 'row' }, field.name), cell(field, before), cell(field, stored),
      field.name in values ? h('td', { class: 'mine' }, renderValue(object, field, values, null)) : cell(field, stored)))))));
}
