// The plan of what is seen: asked for by the same address with tablecast-explain=true.

import { T } from './texts.js';
import { h, scrollable } from './dom.js';
import { get } from './api.js';
import { numberText } from './values.js';

function operatorRows(node, depth, rows) {
  rows.push(h('tr', {},
    h('th', { scope: 'row' }, h('span', { class: `depth depth-${Math.min(depth, 8)}` }, node.id)),
    h('td', { class: 'right' }, numberText(String(Math.round(Number(node.estRows ?? node.estimatedRows ?? 0))))),
    h('td', { class: 'right' }, node.actRows ?? node.actualRows ?? ''),
    h('td', {}, node.task ?? ''), h('td', {}, node.accessObject ?? ''), h('td', {}, node.executionInfo ?? ''),
    h('td', {}, node.operatorInfo ?? '')));
  for (const child of node.children ?? []) operatorRows(child, depth + 1, rows);
  return rows;
}

function list(title, entries) {
  return entries.length ? [h('dt', {}, title), h('dd', {}, h('ul', { class: 'plain' }, entries.map((entry) => h('li', {}, entry))))] : null;
}

function planBody(plan) {
  const pair = (title, text) => text ? [h('dt', {}, title), h('dd', {}, text)] : null;
  const access = plan.accessPath ?? {};
  const kind = access.kind ?? '';
  const actual = plan.actual;
  const tree = plan.root ?? plan.plan ?? plan.tree;
  return [
    h('dl', { class: 'facts' },
      pair(T.accessPath, h('span', {}, h('span', { class: `badge ${kind === 'full-scan' ? 'warn' : 'good'}` }, kind), ' ', T.accessKinds[kind] ?? '')),
      pair(T.index, access.index), pair(T.range_, access.key ? h('code', {}, access.key) : ''),
      list(T.pushed, (plan.pushed ?? []).map((text) => h('code', {}, text))),
      list(T.residual, (plan.residual ?? []).map((entry) => [h('code', {}, entry.text ?? String(entry)), entry.reason ? ` — ${entry.reason}` : ''])),
      pair(T.order, plan.order),
      pair(T.estimated, plan.estimated ? numberText(String(plan.estimated.items)) : ''),
      actual ? [pair(T.itemsRead, numberText(String(actual.items))), pair(T.bytesRead, numberText(String(actual.bytes))), pair(T.time, T.microseconds(Number(actual.us)))] : null),
    tree ? scrollable(T.operatorTree, h('table', { class: 'plain-table' }, h('caption', { class: 'visually-hidden' }, T.operatorTree),
      h('thead', {}, h('tr', {}, T.planColumns.map((column, index) => h('th', { scope: 'col', class: index === 1 || index === 2 ? 'right' : null }, column)))),
      h('tbody', {}, operatorRows(tree, 0, [])))) : null,
    (plan.expands ?? []).map((expand) => h('div', { class: 'nested-plan' }, planBody(expand))),
  ];
}

// A button and the panel that it opens.
export function planToggle(address) {
  const panel = h('section', { class: 'panel plan-panel', 'aria-label': T.planHeading, hidden: true });
  const button = h('button', { type: 'button', class: 'button', 'aria-expanded': 'false', 'data-action': 'plan', onclick: async () => {
    const open = panel.hidden;
    panel.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
    button.textContent = open ? T.planHide : T.plan;
    if (!open) return;
    panel.replaceChildren(h('h2', { class: 'panel-title' }, T.planHeading), h('p', {}, T.loading));
    try {
      const { body } = await get(address.with({ 'tablecast-explain': 'true', $skiptoken: address.get('$skiptoken') }).toString());
      panel.replaceChildren(h('h2', { class: 'panel-title' }, T.planHeading), ...planBody(body).flat(3).filter(Boolean));
    } catch (error) {
      panel.replaceChildren(h('h2', { class: 'panel-title' }, T.planHeading), h('p', { class: 'notice error', role: 'alert' }, error.message));
    }
  } }, T.plan);
  return { button, panel };
}
