// Requests to the service. Numbers arrive as text (IEEE754Compatible), so that none loses a digit.

const ACCEPT = 'application/json;odata.metadata=minimal;IEEE754Compatible=true';
const CONTENT = 'application/json;IEEE754Compatible=true';

export class ApiError extends Error {
  constructor(status, body) {
    const error = body?.error ?? {};
    super(error.message || `HTTP ${status}`);
    this.status = status;
    this.code = error.code ?? '';
    this.target = error.target ?? '';
    this.details = Array.isArray(error.details) ? error.details : [];
    this.body = body;
  }
}

async function send(address, init) {
  let response;
  try {
    // Never from or into a cache: the same address is this page for the browser.
    response = await fetch(address, { cache: 'no-store', credentials: 'same-origin', ...init });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, null);
  }
  const text = await response.text();
  let body = text;
  if ((response.headers.get('Content-Type') ?? '').includes('json') && text !== '') {
    try {
      body = JSON.parse(text);
    } catch {
      throw new ApiError(response.status, null);
    }
  }
  if (!response.ok) throw new ApiError(response.status, typeof body === 'string' ? null : body);
  return { status: response.status, body: text === '' ? null : body, etag: response.headers.get('ETag') ?? '' };
}

export const get = (address, { prefer, signal } = {}) =>
  send(address, { signal, headers: { Accept: ACCEPT, ...(prefer ? { Prefer: prefer } : {}) } });

// OData data of an address: with the reasons of values that do not convert, at most `pageSize` records.
export function getData(address, pageSize) {
  const prefer = ['odata.include-annotations="tablecast.*"'];
  if (pageSize) prefer.push(`odata.maxpagesize=${pageSize}`);
  return get(address, { prefer: prefer.join(',') });
}

export const getCount = async (address) => Number((await send(address, { headers: { Accept: 'text/plain' } })).body);

export function change(method, address, value, etag) {
  const headers = { Accept: ACCEPT, Prefer: 'return=representation' };
  if (value !== undefined) headers['Content-Type'] = CONTENT;
  if (etag) headers['If-Match'] = etag;
  return send(address, { method, headers, body: value === undefined ? undefined : JSON.stringify(value) });
}

// The page's own helpers under /web/api/.
const helper = (name, query) => `/web/api/${name}` + (query ? '?' + new URLSearchParams(query).toString().replaceAll('+', '%20') : '');
export const helperGet = (name, query) => get(helper(name, query));
export const helperSend = (method, name, query, value, headers = {}) =>
  send(helper(name, query), { method, headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(value) });
