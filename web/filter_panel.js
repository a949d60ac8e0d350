// The filter builder of a set: one row a condition, or the OData text.

import { T } from './texts.js';
import { freshId, h } from './dom.js';
import { BadLiteral, buildFilter, needsValue, operatorsFor, parseFilter } from './filters.js';

function valueInput(field, operator, value) {
  const label = { 'aria-label': `${T.value}, ${field.name}`, class: 'value', 'data-role': 'value' };
  if (!needsValue(operator)) return h('span', { class: 'value' });
  if (field.kind === 'boolean') {
    return h('select', label, ['true', 'false'].map((option) => h('option', { value: option, selected: option === value }, T[option])));
  }
  if (field.allowed.length && operator === 'eq') {
    return h('select', label, field.allowed.map((option) => h('option', { value: option, selected: option === value }, option)));
  }
  const inputs = { number: { inputmode: 'decimal' }, date: { type: 'date' }, instant: { placeholder: '2024-03-05T08:30:00Z' }, time: { placeholder: '08:30:00' } };
  return h('input', { type: 'text', autocomplete: 'off', ...label, ...(inputs[field.kind] ?? {}), value });
}

function conditionRow(object, condition, changed) {
  const fields = object.fields.filter((field) => operatorsFor(field).length > 0);
  const row = h('div', { class: 'condition', role: 'group' });
  const error = h('p', { class: 'field-error', id: freshId('condition') });
  // A key opens a record by itself; people filter by what is in it.
  let field = condition?.field ?? fields.find((one) => !object.keys.includes(one.name) && !one.immutable) ?? fields[0];
  let operator = condition?.operator ?? operatorsFor(field)[0];
  const fieldSelect = h('select', { 'aria-label': T.field, 'data-role': 'field' }, fields.map((one) => h('option', { value: one.name, selected: one === field }, one.name)));
  const operatorSelect = h('select', { 'aria-label': T.operator, 'data-role': 'operator' });
  let input = valueInput(field, operator, condition?.value ?? '');
  const fillOperators = () => operatorSelect.replaceChildren(...operatorsFor(field).map((one) =>
    h('option', { value: one, selected: one === operator }, T.operators[one])));
  const refresh = () => {
    const next = valueInput(field, operator, input.value ?? '');
    input.replaceWith(next);
    input = next;
  };
  fieldSelect.addEventListener('change', () => {
    field = object.field(fieldSelect.value);
    if (!operatorsFor(field).includes(operator)) operator = operatorsFor(field)[0];
    fillOperators();
    refresh();
  });
  operatorSelect.addEventListener('change', () => {
    operator = operatorSelect.value;
    refresh();
  });
  fillOperators();
  row.append(fieldSelect, operatorSelect, input, h('button', {
    type: 'button', class: 'icon-button', 'aria-label': T.remove, title: T.remove, onclick: () => {
      row.remove();
      error.remove();
      changed();
    },
  }, '×'), error);
  row.read = () => {
    error.textContent = '';
    input.removeAttribute?.('aria-invalid');
    const read = { field, operator, value: input.value ?? '' };
    try {
      buildFilter([read]);
    } catch (problem) {
      if (!(problem instanceof BadLiteral)) throw problem;
      error.textContent = problem.message;
      input.setAttribute('aria-invalid', 'true');
      input.setAttribute('aria-describedby', error.id);
      input.focus();
      return null;
    }
    return read;
  };
  return row;
}

// `apply(filterText)` is called with '' for no filter.
export function filterPanel(object, filter, apply) {
  const conditions = parseFilter(filter, object);
  let asText = conditions === null;
  const rows = h('div', { class: 'conditions' });
  const textId = freshId('filter');
  const text = h('textarea', { id: textId, rows: '2', spellcheck: 'false', class: 'code', 'aria-describedby': `${textId}-hint` });
  text.value = filter ?? '';
  const textArea = h('div', { class: 'filter-text' }, h('label', { for: textId }, T.filterText), text,
    h('p', { class: 'hint', id: `${textId}-hint` }, T.filterTextHint));
  const add = (condition) => {
    const row = conditionRow(object, condition, () => addButton.focus());
    rows.append(row);
    return row;
  };
  const addButton = h('button', { type: 'button', class: 'button quiet', onclick: () => add(null).querySelector('select').focus() }, T.addCondition);
  const readRows = () => {
    const read = [...rows.children].map((row) => row.read());
    return read.includes(null) ? null : buildFilter(read);
  };
  const mode = h('button', { type: 'button', class: 'button quiet', onclick: () => {
    if (!asText) {
      const built = readRows();
      if (built === null) return;
      text.value = built;
    } else {
      const parsed = parseFilter(text.value.trim(), object);
      if (parsed === null) return;
      rows.replaceChildren();
      parsed.forEach(add);
    }
    asText = !asText;
    show();
  } });
  const show = () => {
    rows.hidden = addButton.hidden = asText;
    textArea.hidden = !asText;
    mode.textContent = asText ? T.asConditions : T.asText;
  };
  (conditions?.length ? conditions : conditions === null ? [] : [null]).forEach(add);
  const form = h('form', { class: 'panel filter-panel', 'aria-label': T.filterHeading, onsubmit: (event) => {
    event.preventDefault();
    const built = asText ? text.value.trim() : readRows();
    if (built !== null) apply(built);
  } }, h('h2', { class: 'panel-title' }, T.filterHeading), rows, textArea, h('div', { class: 'buttons' },
    h('button', { class: 'button primary' }, T.apply), addButton, mode,
    filter ? h('button', { type: 'button', class: 'button quiet', onclick: () => apply('') }, T.clearAll) : null));
  show();
  return form;
}
