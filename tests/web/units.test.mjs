// The page's modules without a browser: addresses, filters, numbers, CSV.

import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.location = { origin: 'http://localhost' };
globalThis.document = { addEventListener() {}, createElement: () => ({ setAttribute() {}, append() {} }) };
globalThis.Node = class {};
const { Address, keySegment, pathParts } = await import('../../web/address.js');
const { buildFilter, parseFilter, BadLiteral } = await import('../../web/filters.js');
const { csvOf } = await import('../../web/export.js');
const { dateText, instantText, moneyText, numberText } = await import('../../web/values.js');
const { nextOrder, parseOrder } = await import('../../web/table.js');
const { spanOf } = await import('../../web/workbench_view.js');

const field = (name, kind, more = {}) => ({ name, kind, collection: false, complex: null, allowed: [], form: '', ...more });
const OBJECT = (() => {
  const fields = [field('NAME', 'text'), field('TOTAL', 'number'), field('PAID', 'boolean'), field('AT', 'instant'), field('DAY', 'date'), field('TAGS', 'text', { collection: true })];
  return { fields, field: (name) => fields.find((one) => one.name === name) ?? null };
})();

test('addresses keep their options readable and canonical', () => {
  const address = Address.parse("/odata/Orders?%24filter=NAME%20eq%20'a%26b'&TOP=3&x=1+2");
  assert.equal(address.get('$filter'), "NAME eq 'a&b'");
  assert.equal(address.get('$top'), '3');
  assert.equal(address.get('x'), '1 2');
  assert.equal(address.toString(), "/odata/Orders?$filter=NAME%20eq%20'a%26b'&$top=3&x=1%202");
  assert.equal(Address.parse(address.toString()).toString(), address.toString());
});

test('a page token goes when anything else changes', () => {
  const address = Address.parse('/odata/Orders?$skiptoken=abc&$orderby=NAME');
  assert.equal(address.with({ $filter: "NAME eq 'x'" }).get('$skiptoken'), null);
  assert.equal(address.with({ $select: 'NAME', $skiptoken: 'abc' }).get('$skiptoken'), 'abc');
  assert.equal(address.with({ $orderby: null, $skiptoken: null }).toString(), '/odata/Orders');
});

test('links of a proxy lead to this host', () => {
  assert.equal(Address.parse('https://crm.example.com/odata/Orders?$skiptoken=x').toString(), '/odata/Orders?$skiptoken=x');
});

test('keys survive their trip through an address', () => {
  for (const key of ['a/b', "it's", 'per%cent%20', '?#[]@!$&()*+,;=', 'ü — 日本', '"><svg>', ' ', "''", '..']) {
    const segment = keySegment(key, 'Edm.String');
    assert.doesNotMatch(segment, /[/?#<>" ]/);
    assert.equal(pathParts(`/odata/Set${segment}`)[1].text, key);
    assert.equal(new URL(`http://x/odata/Set${segment}`).pathname, `/odata/Set${segment}`);
  }
  assert.equal(keySegment('01234567-89ab-cdef-0123-456789abcdef', 'Edm.Guid'), '(01234567-89ab-cdef-0123-456789abcdef)');
  assert.equal(keySegment("x') or true", 'Edm.Guid'), "('x'')%20or%20true')");
});

test('conditions become a filter and come back', () => {
  const conditions = [
    { field: OBJECT.field('NAME'), operator: 'contains', value: "O'Neil and sons" },
    { field: OBJECT.field('NAME'), operator: 'ne', value: ' and ' },
    { field: OBJECT.field('TOTAL'), operator: 'ge', value: '12.50' },
    { field: OBJECT.field('PAID'), operator: 'eq', value: 'true' },
    { field: OBJECT.field('AT'), operator: 'lt', value: '2024-03-05T08:30:00Z' },
    { field: OBJECT.field('DAY'), operator: 'null', value: '' },
    { field: OBJECT.field('TAGS'), operator: 'any', value: 'new' },
  ];
  const text = buildFilter(conditions);
  assert.equal(text, "contains(tolower(NAME),tolower('O''Neil and sons')) and NAME ne ' and ' and TOTAL ge 12.50 and PAID eq true"
    + " and AT lt 2024-03-05T08:30:00Z and DAY eq null and TAGS/any(x:x eq 'new')");
  assert.deepEqual(parseFilter(text, OBJECT), conditions);
});

test('filters beyond a list of conditions stay text', () => {
  for (const text of ["NAME eq 'a' or NAME eq 'b'", 'TOTAL add 1 gt 3', 'not (TOTAL gt 1)', 'UNKNOWN eq 1', "contains(NAME,'x')", "NAME eq 'open", 'TOTAL gt x']) {
    assert.equal(parseFilter(text, OBJECT), null, text);
  }
  assert.deepEqual(parseFilter('', OBJECT), []);
});

test('a value that does not read is no filter', () => {
  for (const [name, value] of [['TOTAL', '1,5'], ['TOTAL', '1) or (1 eq 1'], ['AT', 'soon'], ['DAY', '2024-3-5'], ['TOTAL', '']]) {
    assert.throws(() => buildFilter([{ field: OBJECT.field(name), operator: 'eq', value }]), BadLiteral);
  }
});

test('numbers are grouped without losing a digit', () => {
  assert.equal(numberText('12345678901234567890123456789012345678'), '12,345,678,901,234,567,890,123,456,789,012,345,678');
  assert.equal(numberText('-1234.5000'), '−1,234.5000');
  assert.equal(numberText('0.00001'), '0.00001');
  assert.equal(numberText('INF'), 'INF');
  assert.equal(moneyText('123456789012345678.45', 'EUR'), '€123,456,789,012,345,678.45');
  assert.equal(moneyText('-7', 'USD'), '−$7.00');
  assert.equal(moneyText('5.5', '<b>'), '<b> 5.50');
});

test('dates read as people write them', () => {
  assert.equal(dateText('2024-02-09'), '9 Feb 2024');
  assert.equal(instantText('2024-02-29T23:59:59.123456789Z'), '29 Feb 2024, 23:59:59.123456789 UTC');
  assert.equal(instantText('2024-02-29T08:30:00Z'), '29 Feb 2024, 08:30 UTC');
  assert.equal(instantText('no date'), 'no date');
});

test('sorting goes up, down, away', () => {
  assert.equal(nextOrder([], 'A', false), 'A');
  assert.equal(nextOrder(parseOrder('A'), 'A', false), 'A desc');
  assert.equal(nextOrder(parseOrder('A desc'), 'A', false), '');
  assert.equal(nextOrder(parseOrder('A desc'), 'B', true), 'A desc,B');
  assert.equal(nextOrder(parseOrder('A desc,B'), 'C', false), 'C');
});

test('CSV quotes what needs it and defuses formulas in text', () => {
  const fields = [field('A', 'text'), field('N', 'number')];
  assert.equal(csvOf(fields, [{ A: 'x,"y"\n', N: '-5' }, { A: '=1+1', N: null }, { A: null, N: '1.50' }]),
    'A,N\r\n"x,""y""\n",-5\r\n\'=1+1,\r\n,1.50\r\n');
});

test('findings are found again in a text with characters beyond 16 bits', () => {
  const text = '{\n  "😀": "x"\n}';
  assert.deepEqual(spanOf(text, { line: 2, column: 8, endLine: 2, endColumn: 11 }), { begin: 10, end: 13 });
  assert.equal(text.slice(10, 13), '"x"');
  assert.equal(spanOf(text, { line: 0 }), null);
});
