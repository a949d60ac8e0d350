// OData addresses as the page shows and shares them: a path and options in their order, each option readable.

export const ROOT = '/odata/';

const decode = (text) => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};
// Encodes what a query needs and leaves the rest readable.
const encode = (text) => encodeURIComponent(text).replace(/%(24|27|28|29|2C|3A|2F|40|3B|2A)/g, decodeURIComponent);

// "$filter", whatever its case, with or without the dollar; custom options stay.
const SYSTEM = new Set(['filter', 'select', 'orderby', 'top', 'skip', 'count', 'search', 'expand', 'skiptoken', 'apply',
  'compute', 'format', 'deltatoken', 'levels', 'index', 'schemaversion', 'id']);
function canonical(name) {
  const bare = name.replace(/^\$/, '').toLowerCase();
  return SYSTEM.has(bare) ? '$' + bare : name;
}

export class Address {
  constructor(path, options = []) {
    this.path = path;
    this.options = options;
  }

  // From "/odata/Orders?$top=3", or an absolute link of the service, whose host may be a proxy's.
  static parse(text) {
    const url = new URL(text, location.origin);
    const options = url.search.slice(1).split('&').filter(Boolean).map((part) => {
      const at = part.indexOf('=');
      return at < 0 ? [canonical(decode(part)), ''] : [canonical(decode(part.slice(0, at))), decode(part.slice(at + 1))];
    });
    return new Address(url.pathname, options);
  }

  get(name) {
    return this.options.find(([key]) => key === name)?.[1] ?? null;
  }

  // Another address: options by name set, or dropped where the value is null. A page's token belongs to its
  // filter and order, so it goes when anything else changes.
  with(changes) {
    const next = this.options.filter(([key]) => !(key in changes) && (key !== '$skiptoken' || '$skiptoken' in changes));
    for (const [key, value] of Object.entries(changes)) {
      if (value !== null && value !== '') next.push([key, value]);
    }
    return new Address(this.path, next);
  }

  at(path) {
    return new Address(path, this.options);
  }

  toString() {
    const query = this.options.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&');
    return this.path + (query ? '?' + query : '');
  }
}

const GUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

export const keySegment = (key, type) => type === 'Edm.Guid' && GUID.test(key) ? `(${key})`
  : `('${encodeURIComponent(key.replaceAll("'", "''")).replaceAll('%27', "'")}')`;

export const setAddress = (object) => ROOT + encodeURIComponent(object.name);

// Address of one record of `object` from its published values, or null when the key is not among them.
export function recordAddress(object, record) {
  const name = object.keys[0];
  const key = record[name];
  if (key === null || key === undefined) return null;
  return setAddress(object) + keySegment(String(key), object.field(name)?.type);
}

// What stands in the path as people read it: ["Orders", "1012", "Lines"].
export function pathParts(path) {
  return path.slice(ROOT.length).split('/').filter(Boolean).flatMap((segment) => {
    const at = segment.indexOf('(');
    if (at < 0) return [{ text: decode(segment), end: segment }];
    const key = decode(segment.slice(at + 1, -1)).replace(/^'(.*)'$/s, '$1').replaceAll("''", "'");
    return [{ text: decode(segment.slice(0, at)), end: segment.slice(0, at) }, { text: key, end: segment, key: true }];
  });
}
