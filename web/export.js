// JSON and CSV of what is seen. CSV is made here from the answers, so that it has the columns shown.

import { T } from './texts.js';
import { announce, h } from './dom.js';
import { getData } from './api.js';
import { Address } from './address.js';
import { plainText } from './values.js';

const MOST_RECORDS = 100000;

function cell(field, record) {
  let text = plainText(record[field.name]);
  // A spreadsheet would run a text that begins like a formula.
  if ((field.kind === 'text' || field.collection || field.complex) && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvOf = (fields, records) => [fields.map((field) => field.name).join(','),
  ...records.map((record) => fields.map((field) => cell(field, record)).join(','))].join('\r\n') + '\r\n';

function save(name, text) {
  const url = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }));
  h('a', { href: url, download: name }).click();  // outside of the document: no listener there is told
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

async function wholeWalk(address, fields, progress, stopped) {
  const records = [];
  let next = address.with({ $skiptoken: null }).toString();
  while (next && !stopped() && records.length < MOST_RECORDS) {
    const { body } = await getData(next, 2000);
    records.push(...body.value);
    progress(records.length);
    const link = body['@odata.nextLink'];
    const parsed = link ? Address.parse(link) : null;
    next = parsed ? parsed.toString() : null;
  }
  return { records, complete: !next };
}

// The entries of the export menu. `name` is the file's stem.
export function exportEntries({ address, fields, records, name, body }) {
  const note = h('p', { class: 'hint', role: 'status' });
  let stop = false;
  const stopButton = h('button', { type: 'button', class: 'button quiet', hidden: true, onclick: () => { stop = true; } }, T.stop);
  const all = h('button', { type: 'button', class: 'menu-item', 'data-action': 'csv-all', onclick: async () => {
    stop = false;
    stopButton.hidden = false;
    try {
      const walked = await wholeWalk(address, fields, (count) => { note.textContent = T.csvRunning(count); }, () => stop);
      save(`${name}.csv`, csvOf(fields, walked.records));
      note.textContent = (walked.complete ? T.csvDone : T.csvStopped)(walked.records.length);
    } catch (error) {
      note.textContent = error.message;
    }
    stopButton.hidden = true;
    announce(note.textContent);
  } }, T.csvAll);
  return [
    h('a', { class: 'menu-item', href: address.with({ $format: 'json', $skiptoken: address.get('$skiptoken') }).toString(), 'data-action': 'json' }, T.jsonHere),
    body ? h('button', { type: 'button', class: 'menu-item', 'data-action': 'csv-page', onclick: () => save(`${name}.csv`, csvOf(fields, records)) }, T.csvPage) : null,
    body ? all : null, note, stopButton,
  ];
}
