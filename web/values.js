// Values of records as people read them. Exact text stays at hand in the title.

import { T } from './texts.js';
import { h, hidden } from './dom.js';
import { keySegment, setAddress } from './address.js';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export function dateText(iso) {
  const match = /^(-?\d{4,})-(\d\d)-(\d\d)$/.exec(iso);
  return match && MONTHS[match[2] - 1] ? `${Number(match[3])} ${MONTHS[match[2] - 1]} ${match[1]}` : iso;
}

export function instantText(iso) {
  const match = /^(-?\d{4,}-\d\d-\d\d)T(\d\d:\d\d)(?::(\d\d(?:\.\d+)?))?(Z|[+-]\d\d:\d\d)$/.exec(iso);
  if (!match) return iso;
  const seconds = match[3] && !/^00(\.0*)?$/.test(match[3]) ? `:${match[3]}` : '';
  return `${dateText(match[1])}, ${match[2]}${seconds} ${match[4] === 'Z' ? 'UTC' : match[4]}`;
}

// Groups the digits of a decimal text; never goes through a binary number.
export function numberText(text) {
  const match = /^(-?)(\d+)(\.\d+)?$/.exec(text);
  if (!match) return text;
  return match[1].replace('-', '−') + match[2].replace(/\B(?=(\d{3})+$)/g, ',') + (match[3] ?? '');
}

const symbols = new Map();
function currencySymbol(code) {
  if (!symbols.has(code)) {
    let symbol = code;
    try {
      symbol = new Intl.NumberFormat('en', { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' })
        .formatToParts(0).find((part) => part.type === 'currency').value;
    } catch { /* no ISO code: shown as it is */ }
    symbols.set(code, symbol);
  }
  return symbols.get(code);
}

export function moneyText(text, code) {
  const digits = /^-?\d+$/.test(text) ? text + '.00' : /^-?\d+\.\d$/.test(text) ? text + '0' : text;
  const symbol = currencySymbol(code);
  const grouped = numberText(digits);
  if (!/^−?\d/.test(grouped)) return `${grouped} ${code}`;
  return grouped.startsWith('−') ? `−${symbol}${grouped.slice(1)}` : symbol + (symbol.length > 2 ? ' ' : '') + grouped;
}

const jsonText = (value) => JSON.stringify(value, (key, inner) => key.startsWith('@') || key.includes('@') ? undefined : inner);

// Letters written from right to left, and characters that steer the direction.
const TWO_WAYS = /[\u0590-\u08FF\u200E\u200F\u202A-\u202E\u2066-\u2069\uFB1D-\uFDFF\uFE70-\uFEFC]|[\uD802\uD803\uD83A\uD83B]/;

export const isRightAligned = (field) => field.kind === 'number' && !field.collection;

function linkFor(field, text) {
  if (field.form === 'email' && /^[^\s@<>"]+@[^\s@<>"]+$/.test(text)) return 'mailto:' + encodeURIComponent(text).replace('%40', '@');
  if (field.form === 'phone' && /^[+\d][\d ()/.-]{2,}$/.test(text)) return 'tel:' + text.replace(/[^\d+]/g, '');
  if (field.form === 'url' && /^https?:\/\//i.test(text)) return text;
  return null;
}

// Keys and links are names: no separators in them.
const isIdentifier = (object, field) => field.immutable || Boolean(object?.linkOf(field.name)) || object?.keys.includes(field.name);

function scalar(object, field, value, record) {
  const text = typeof value === 'string' ? value : typeof value === 'object' ? jsonText(value) : String(value);
  switch (field.kind) {
    case 'boolean': return h('span', { class: `flag ${value ? 'yes' : 'no'}` }, value ? T.true : T.false);
    case 'instant': return h('time', { datetime: text, title: text }, instantText(text));
    case 'date': return h('time', { datetime: text, title: text }, dateText(text));
    case 'number': {
      const code = field.currency || (field.currencyPath && record?.[field.currencyPath]) || '';
      const shown = code ? moneyText(text, code) : (isIdentifier(object, field) ? text : numberText(text)) + (field.unit === '%' ? ' %' : '');
      return h('span', { class: 'number', title: code ? `${text} ${code}` : text }, shown);
    }
    case 'complex': return h('span', { class: 'members', title: text }, Object.entries(value).filter(([name]) => !name.includes('@')).map(([name, member]) =>
      h('span', { class: 'attribute' }, h('bdi', { class: 'attribute-name' }, name), h('bdi', {}, member === null ? T.null : plainText(member)))));
    default: {
      const href = linkFor(field, text);
      // Most cells are short and read one way: a text node is a third of the work of an element.
      const content = text.length > 40 || TWO_WAYS.test(text) ? h('bdi', { title: text.length > 40 ? text : null }, text) : document.createTextNode(text);
      return href ? h('a', { href, rel: 'noopener noreferrer' }, content) : content;
    }
  }
}

// One cell or definition: the value, null, or what does not convert.
export function renderValue(object, field, record, model) {
  const error = record[`${field.name}@tablecast.conversionError`] ?? record[`${field.name}@tablecast.v1.conversionError`];
  if (error) {
    return h('span', { class: 'bad', title: T.conversionErrorLong(error.stored, error.message) },
      h('span', { class: 'bad-mark', 'aria-hidden': 'true' }, '!'), h('bdi', {}, error.stored), hidden(` ${T.conversionError}: ${error.message}`));
  }
  const value = record[field.name];
  if (value === null || value === undefined) return h('span', { class: 'null' }, T.null);
  if (field.collection) {
    if (value.length === 0) return h('span', { class: 'null' }, '[ ]');
    return h('span', { class: 'list' }, value.map((element) =>
      h('span', { class: 'element' }, element === null ? T.null : scalar(object, field, element, record))));
  }
  const link = object?.linkOf(field.name);
  const target = link && model?.object(link.target);
  if (target && target.keys.length === 1 && link.constraints[field.name] === target.keys[0]) {
    return h('a', { href: setAddress(target) + keySegment(String(value), target.field(target.keys[0])?.type) }, scalar(object, field, value, record));
  }
  return scalar(object, field, value, record);
}

// Text of a value for CSV and comparisons.
export function plainText(value) {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? jsonText(value) : String(value);
}
