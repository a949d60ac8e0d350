// The qualifier workbench: a text with its findings underlined, and the items that it takes and leaves out.

import { T } from './texts.js';
import { announce, freshId, h, scrollable } from './dom.js';
import { helperGet, helperSend } from './api.js';
import { numberText } from './values.js';

const TYPING_PAUSE = 300;
const TEMPLATE = '{\n  "tableName": "",\n  "columns": {\n  }\n}\n';

// UTF-16 offset of a line and column, both counted from 1, columns in code points.
function offsetOf(text, line, column) {
  let at = 0;
  for (let passed = 1; passed < line; ++passed) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  for (let passed = 1; passed < column && at < text.length && text[at] !== '\n'; ++passed) {
    at += text.codePointAt(at) > 0xFFFF ? 2 : 1;
  }
  return at;
}

export function spanOf(text, issue) {
  if (!issue.line) return null;
  const begin = offsetOf(text, issue.line, issue.column);
  let end = issue.endLine ? offsetOf(text, issue.endLine, issue.endColumn) : begin;
  if (end <= begin) end = Math.min(text.length, begin + 1);
  return { begin, end: Math.max(end, begin) };
}

// The same text behind the textarea, transparent but for the underlines.
function paintUnderlines(backdrop, text, issues) {
  const spans = issues.map((issue) => ({ ...spanOf(text, issue), severity: issue.severity })).filter((span) => span.begin !== undefined)
    .sort((a, b) => a.begin - b.begin);
  const nodes = [];
  let at = 0;
  for (const span of spans) {
    if (span.begin < at) continue;
    nodes.push(text.slice(at, span.begin), h('mark', { class: `under ${span.severity}` }, text.slice(span.begin, span.end) || ' '));
    at = span.end;
  }
  nodes.push(text.slice(at) + '\n');
  backdrop.replaceChildren(...nodes);
}

const attributes = (item) => h('span', { class: 'attributes' }, item.attributes.map(([name, value]) =>
  h('span', { class: 'attribute' }, h('bdi', { class: 'attribute-name' }, name), h('bdi', {}, value))));

const keyCells = (item) => item.key.map((part, index) => h(index === 0 ? 'th' : 'td', index === 0 ? { scope: 'row' } : {}, h('bdi', {}, part)));

const head = (names) => h('thead', {}, h('tr', {}, names.map((name) => h('th', { scope: 'col' }, h('span', { class: 'head' }, name)))));

function takenTable(result) {
  const columns = result.taken[0]?.values.map((value) => value.column) ?? [];
  return scrollable(T.takenHeading, h('table', { class: 'records' }, h('caption', { class: 'visually-hidden' }, T.takenHeading),
    head([...result.keys, ...columns, T.attributes]),
    h('tbody', {}, result.taken.map((item) => h('tr', {}, keyCells(item),
      item.values.map((value) => h('td', {}, value.error ? h('span', { class: 'bad', title: value.error }, h('span', { class: 'bad-mark', 'aria-hidden': 'true' }, '!'), value.error)
        : h('code', {}, value.value))), h('td', {}, attributes(item)))))));
}

function leftOutTable(result) {
  return scrollable(T.leftOutHeading, h('table', { class: 'records' }, h('caption', { class: 'visually-hidden' }, T.leftOutHeading),
    head([...result.keys, T.failsOn, T.seen, T.attributes]),
    h('tbody', {}, result.leftOut.map((item) => h('tr', {}, keyCells(item),
      h('td', {}, item.failed ? h('code', { class: 'failed' }, `${item.failed.column}: ${item.failed.condition}`) : ''),
      h('td', {}, item.failed ? h('bdi', {}, item.failed.seen) : ''), h('td', {}, attributes(item)))))));
}

class Workbench {
  constructor(context) {
    this.context = context;
    this.etag = null;  // of the saved file; null = not in the catalog
    this.savedText = '';
    this.run = 0;
    this.issues = [];
    const id = freshId('qualifier');
    this.backdrop = h('pre', { class: 'backdrop', 'aria-hidden': 'true' });
    this.text = h('textarea', { id, class: 'editor code', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', wrap: 'off', 'aria-describedby': `${id}-findings`, oninput: () => this.typed(), onscroll: () => {
      this.backdrop.scrollTop = this.text.scrollTop;
      this.backdrop.scrollLeft = this.text.scrollLeft;
    } });
    this.name = h('input', { type: 'text', id: `${id}-name`, value: '', autocomplete: 'off', spellcheck: 'false', onchange: () => this.typed() });
    this.file = h('select', { id: `${id}-file`, onchange: () => this.context.navigate(`/web/workbench${this.file.value ? `?file=${encodeURIComponent(this.file.value)}` : ''}`).then(() => {}, () => {}) });
    this.table = h('select', { id: `${id}-table`, onchange: () => this.check() }, h('option', { value: '' }, T.tableOfFile),
      context.model.tables.map((table) => h('option', { value: table.name }, `${table.name} (${numberText(String(table.items))})`)));
    this.saveButton = h('button', { type: 'button', class: 'button primary', 'data-action': 'save', disabled: true, onclick: () => this.save() }, T.saveFile);
    this.state = h('span', { class: 'badge', 'data-role': 'state' }, T.unchanged);
    this.summary = h('h2', {}, T.findings);
    this.findings = h('div', { id: `${id}-findings`, 'aria-live': 'polite', class: 'findings' });
    this.items = h('div', { class: 'judged' });
    this.message = h('p', { class: 'notice', role: 'status', hidden: true });
    const labelled = (label, control) => h('div', { class: 'labelled' }, h('label', { for: control.id }, label), control);
    this.node = h('div', { class: 'view workbench-view' },
      h('div', { class: 'heading' }, h('div', {}, h('h1', { tabindex: '-1' }, T.workbench), h('p', { class: 'sub' }, T.workbenchIntro))),
      h('div', { class: 'toolbar' }, labelled(T.openFile, this.file), labelled(T.fileName, this.name), labelled(T.tableToTry, this.table), h('span', { class: 'spacer' }), this.state,
        context.model.mayEditCatalog ? this.saveButton : h('span', { class: 'hint' }, T.mayNotSave)),
      this.message,
      h('div', { class: 'bench' },
        h('section', { class: 'editor-pane' }, h('label', { for: id, class: 'visually-hidden' }, T.qualifierText), h('div', { class: 'editor-stack' }, this.backdrop, this.text)),
        h('section', { class: 'findings-pane' }, this.summary, this.findings)),
      h('section', { class: 'section' }, h('h2', {}, T.judged), this.items));
    context.guardLeaving(async () => !this.changed() || confirm(T.leaveUnsaved));
  }

  changed() {
    return this.node.isConnected && this.text.value !== this.savedText;
  }

  async open(name) {
    const files = await helperGet('files').then(({ body }) => body.files, () => []);
    this.file.replaceChildren(h('option', { value: '' }, T.pasteNew), ...files.map((file) => h('option', { value: file, selected: file === name }, file)));
    if (name) {
      const { body, etag } = await helperGet('file', { name });
      this.text.value = this.savedText = body.text;
      this.etag = etag;
      this.name.value = name;
      this.name.readOnly = true;
    } else {
      this.text.value = this.savedText = TEMPLATE;
      this.name.value = 'NewObject.json';
    }
    this.savedText = this.text.value;
    await this.check();
  }

  typed() {
    clearTimeout(this.timer);
    this.message.hidden = true;
    paintUnderlines(this.backdrop, this.text.value, []);
    this.timer = setTimeout(() => this.check(), TYPING_PAUSE);
    this.showState();
  }

  showState() {
    const changed = this.text.value !== this.savedText || this.etag === null;
    this.state.textContent = changed ? T.unsaved : T.unchanged;
    this.state.className = `badge ${changed ? 'warn' : 'good'}`;
    this.saveButton.disabled = !changed || this.faulty === true;
  }

  draft() {
    return { name: this.name.value, text: this.text.value, table: this.table.value };
  }

  async check() {
    const run = ++this.run;
    try {
      const { body } = await helperSend('POST', 'validate', null, this.draft());
      if (run !== this.run) return;
      this.faulty = body.faulty;
      this.showFindings(body.issues);
      this.showState();
      if (body.faulty) {
        this.items.replaceChildren(h('p', { class: 'hint' }, T.mendFirst));
        return;
      }
      if (this.name.value === 'catalog.json') return this.items.replaceChildren();
      const judged = await helperSend('POST', 'judge', null, this.draft());
      if (run === this.run) this.showItems(judged.body);
    } catch (error) {
      if (run === this.run) this.items.replaceChildren(h('p', { class: 'notice error' }, error.message));
    }
  }

  showFindings(issues) {
    this.issues = issues;
    const counted = (severity) => issues.filter((issue) => issue.severity === severity).length;
    this.summary.textContent = T.findingCount(counted('error'), counted('warning'), counted('info'));
    paintUnderlines(this.backdrop, this.text.value, issues);
    this.backdrop.scrollTop = this.text.scrollTop;
    this.backdrop.scrollLeft = this.text.scrollLeft;
    this.findings.replaceChildren(issues.length === 0 ? h('p', { class: 'hint' }, T.noFindings) : h('ul', { class: 'plain' }, issues.map((issue) =>
      h('li', { class: `finding ${issue.severity}` }, h('span', { class: `badge ${issue.severity}` }, T.severity[issue.severity] ?? issue.severity), ' ',
        issue.line ? h('button', { type: 'button', class: 'link', onclick: () => this.goTo(issue) }, T.line(issue.line, issue.column)) : null,
        h('p', {}, issue.message), issue.remedy ? h('p', { class: 'hint' }, issue.remedy) : null, h('code', { class: 'code-word' }, issue.code)))));
  }

  goTo(issue) {
    const span = spanOf(this.text.value, issue);
    this.text.focus();
    this.text.setSelectionRange(span.begin, span.end);
    this.text.scrollTop = Math.max(0, (issue.line - 4) * parseFloat(getComputedStyle(this.text).lineHeight));
  }

  showItems(result) {
    const count = (text, kind) => h('span', { class: `badge big ${kind}` }, text);
    this.items.replaceChildren(...[
      h('p', {}, count(T.takes(result.takenCount), 'good'), ' ', count(T.leavesOut(result.leftOutCount), 'warn'), ' ', h('span', { class: 'hint' }, T.judgedIn(result.table), '. ', T.looked(result.scanned, result.complete))),
      result.taken.length ? [h('h3', {}, T.takenHeading), takenTable(result)] : null,
      result.reasons.length ? [h('h3', {}, T.leftOutHeading), h('ul', { class: 'plain reasons' }, result.reasons.map((reason) =>
        h('li', {}, h('code', {}, reason.condition), h('span', { class: 'badge' }, numberText(String(reason.count)))))), leftOutTable(result)] : null,
    ].flat().filter(Boolean));
  }

  async save() {
    const headers = this.etag === null ? { 'If-None-Match': '*' } : { 'If-Match': this.etag };
    this.message.hidden = false;
    this.message.className = 'notice';
    try {
      const { etag } = await helperSend('PUT', 'file', { name: this.name.value }, { name: this.name.value, text: this.text.value }, headers);
      this.etag = etag;
      this.savedText = this.text.value;
      this.message.textContent = T.savedFile(this.name.value);
      this.showState();
    } catch (error) {
      this.message.className = 'notice error';
      this.message.textContent = error.status === 422 ? T.notSaved : error.message;
      if (error.body?.issues) this.showFindings(error.body.issues.filter((issue) => issue.severity === 'error'));
    }
    announce(this.message.textContent);
  }
}

export async function workbenchView(context) {
  if (!context.model.mayUseWorkbench) {
    return h('div', { class: 'view' }, h('h1', { tabindex: '-1' }, T.workbench), h('p', { class: 'notice error' }, T.workbenchForbidden));
  }
  const bench = new Workbench(context);
  await bench.open(context.address.get('file'));
  return bench.node;
}
