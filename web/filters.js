// $filter as a list of conditions, both ways. What a list cannot say stays text.

import { T } from './texts.js';

const OPERATORS = {
  text: ['contains', 'eq', 'ne', 'startswith', 'endswith', 'null', 'notnull'],
  number: ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'null', 'notnull'],
  boolean: ['eq', 'null', 'notnull'],
  guid: ['eq', 'ne', 'null', 'notnull'],
  instant: ['ge', 'lt', 'gt', 'le', 'eq', 'null', 'notnull'],
  date: ['ge', 'lt', 'gt', 'le', 'eq', 'null', 'notnull'],
  time: ['ge', 'lt', 'gt', 'le', 'eq', 'null', 'notnull'],
  binary: ['null', 'notnull'],
};

export function operatorsFor(field) {
  if (field.collection) return field.complex ? [] : ['any'];
  return OPERATORS[field.kind] ?? [];
}

export const needsValue = (operator) => operator !== 'null' && operator !== 'notnull';

export class BadLiteral extends Error {}

function literal(field, text) {
  switch (field.kind) {
    case 'number':
      if (!/^-?\d+(\.\d+)?$/.test(text.trim())) throw new BadLiteral(T.badNumber);
      return text.trim();
    case 'boolean': return text === 'true' ? 'true' : 'false';
    case 'instant': {
      const trimmed = text.trim();
      if (/^-?\d{4,}-\d\d-\d\d$/.test(trimmed)) return `${trimmed}T00:00:00Z`;
      const match = /^(-?\d{4,}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.exec(trimmed);
      if (!match) throw new BadLiteral(T.isoInstant);
      return match[1] + (match[2] ?? ':00') + (match[3] ?? 'Z');
    }
    case 'date':
      if (!/^-?\d{4,}-\d\d-\d\d$/.test(text.trim())) throw new BadLiteral(T.isoDate);
      return text.trim();
    case 'time':
      if (!/^\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text.trim())) throw new BadLiteral(T.isoTime);
      return text.trim().length === 5 ? text.trim() + ':00' : text.trim();
    case 'guid': return text.trim();
    default: return `'${text.replaceAll("'", "''")}'`;
  }
}

function conditionText({ field, operator, value }) {
  const name = field.name;
  switch (operator) {
    case 'null': return `${name} eq null`;
    case 'notnull': return `${name} ne null`;
    case 'contains': return `contains(tolower(${name}),tolower(${literal(field, value)}))`;
    case 'startswith': case 'endswith': return `${operator}(${name},${literal(field, value)})`;
    case 'any': return `${name}/any(x:x eq ${literal(field, value)})`;
    default: return `${name} ${operator} ${literal(field, value)}`;
  }
}

export const buildFilter = (conditions) => conditions.map(conditionText).join(' and ');

// Parts between " and " outside of quotes.
function conjuncts(text) {
  const parts = [];
  let quoted = false;
  let start = 0;
  for (let i = 0; i < text.length; ++i) {
    if (text[i] === "'") quoted = !quoted;
    if (!quoted && text.startsWith(' and ', i)) {
      parts.push(text.slice(start, i));
      i += 4;
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

const unquote = (text) => /^'.*'$/s.test(text) ? text.slice(1, -1).replaceAll("''", "'") : text;

function parseCondition(text, object) {
  const forms = [
    [/^contains\(tolower\((\w+)\),tolower\(('(?:[^']|'')*')\)\)$/s, 'contains'],
    [/^startswith\((\w+),('(?:[^']|'')*')\)$/s, 'startswith'],
    [/^endswith\((\w+),('(?:[^']|'')*')\)$/s, 'endswith'],
    [/^(\w+)\/any\(x:x eq (.+)\)$/s, 'any'],
    [/^(\w+) eq null$/, 'null'],
    [/^(\w+) ne null$/, 'notnull'],
    [/^(\w+) (?:eq|ne|lt|le|gt|ge) (.+)$/s, null],
  ];
  for (const [pattern, operator] of forms) {
    const match = pattern.exec(text);
    if (!match) continue;
    const field = object.field(match[1]);
    if (!field) return null;
    return { field, operator: operator ?? text.slice(match[1].length + 1, match[1].length + 3), value: unquote(match[2] ?? '') };
  }
  return null;
}

// The conditions of a filter that a list can show, [] for none, null when only text can.
export function parseFilter(text, object) {
  if (!text) return [];
  const conditions = conjuncts(text).map((part) => parseCondition(part, object));
  if (conditions.some((condition) => condition === null || !operatorsFor(condition.field).includes(condition.operator))) return null;
  try {
    return buildFilter(conditions) === text ? conditions : null;
  } catch {
    return null;
  }
}

export const describe = ({ field, operator, value }) =>
  `${field.name} ${T.operators[operator]}${needsValue(operator) ? ` “${value}”` : ''}`;
