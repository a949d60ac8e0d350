"""`tablecast import` into a store that another process serves: usage: import_served.py SOURCE_DIR TABLECAST

Readers go on meanwhile, and at every moment a page and its count agree, both with each other and with what an import may
have committed; writes through the server go on too; the indexes of the server catch up by themselves. Shown for a load
larger than the change log keeps, for a small one with replacements and deletes, with --catalog, and with --atomic.
"""
import http.client
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

root, tablecast = pathlib.Path(sys.argv[1]), sys.argv[2]
example = root / 'examples/order-management'
keys = ['--table', 'OrderManagement', '--partition-key', 'pk', '--sort-key', 'sk']
BASE, ADDED = 1000, 800  # products; together on one page of at most 2,000
CUSTOMERS = 7


def fail(message):
    raise SystemExit(f'import_served: {message}')


def product(n, name='first'):
    return {'pk': {'S': str(n)}, 'sk': {'S': 'PRODUCT'}, 'NAME': {'S': name}, 'PRICE': {'N': '1'}}


def order(n, customer):
    return {'pk': {'S': str(n)}, 'sk': {'S': 'ORDER'}, 'CUSTOMER': {'S': f'C-{customer}'},
            'ORDERDATE': {'S': f'2024-01-{1 + n % 28:02}T00:00:00Z'}, 'STATUS': {'S': 'OPEN'}, 'TOTAL': {'N': str(n)}}


def write_lines(path, items):
    path.write_text(''.join(json.dumps(item) + '\n' for item in items))
    return path


class Client:
    def __init__(self, port):
        self.http = http.client.HTTPConnection('127.0.0.1', port, timeout=120)

    def ask(self, target, method='GET', body=None, **headers):
        self.http.request(method, '/odata/' + target, body, headers)
        answer = self.http.getresponse()
        text = answer.read()
        if answer.status >= 300:
            fail(f'{method} {target}: {answer.status} {text[:300]}')
        return json.loads(text) if text else None

    def products(self):
        """One answer, so one snapshot: its rows and its count must agree."""
        page = self.ask('Products?$count=true&$select=ExternalId,NAME', Prefer='odata.maxpagesize=2000')
        rows = {row['ExternalId']: row['NAME'] for row in page['value']}
        if len(rows) != len(page['value']):
            fail('a page shows a record twice')
        if page['@odata.count'] != len(rows):
            fail(f"count {page['@odata.count']} beside {len(rows)} rows")
        return rows

    def orders_of(self, customer):
        page = self.ask(f"Orders?$filter=CUSTOMER%20eq%20'C-{customer}'&$orderby=ORDERDATE%20desc&$count=true",
                        Prefer='odata.maxpagesize=2000')
        dates = [row['ORDERDATE'] for row in page['value']]
        if page['@odata.count'] != len(dates) or dates != sorted(dates, reverse=True):
            fail(f'orders of a customer: {len(dates)} rows, count {page["@odata.count"]}, sorted: {dates == sorted(dates, reverse=True)}')
        return len(dates)


def while_importing(client, store, arguments, moment):
    """Runs an import; calls `moment` over and over until it has ended, and once more. Returns how often."""
    process = subprocess.Popen([tablecast, 'import', '--store', str(store), *keys, '--summary', 'json', *map(str, arguments)],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    moments = 0
    while process.poll() is None:
        moment()
        moments += 1
    if process.returncode != 0:
        fail(f'import {arguments}: exit {process.returncode}')
    moment()
    return moments


def uses_index(store, request, path):
    return path in subprocess.run([tablecast, 'explain', '--store', str(store), '--catalog', str(example / 'catalog'), request],
                                  stdout=subprocess.PIPE, check=True, text=True).stdout


def wait_for_indexes(store):
    deadline = time.monotonic() + 60
    while not (uses_index(store, 'Products?$top=5', 'MembershipScan') and
               uses_index(store, "Orders?$filter=CUSTOMER eq 'C-1'&$orderby=ORDERDATE desc", 'DeclaredIndexRange')):
        if time.monotonic() > deadline:
            fail('the indexes do not catch up')
        time.sleep(0.2)


def check(client, store, work):
    numbers = range(1, 1 + BASE)
    # 1. More than the change log keeps, in several batches: filler of 4 KB that belongs to no object, products between it.
    added = [product(n) for n in range(BASE + 1, BASE + ADDED + 1)]
    filler = [{'pk': {'S': f'{BASE + 1 + i % ADDED}x{i}'}, 'sk': {'S': 'FILLER'}, 'text': {'S': 'x' * 4000}} for i in range(14000)]
    seen, patched = [], 0

    def growing():
        nonlocal patched
        rows = client.products()
        if not all(str(n) in rows for n in numbers):
            fail('a record that was there is gone meanwhile')
        if seen and len(rows) < seen[-1]:
            fail(f'{len(rows)} products after {seen[-1]}')
        seen.append(len(rows))
        if client.ask("Products('17')")['PRICE'] != patched + 1:
            fail('an acknowledged write is lost')
        patched += 1
        client.ask("Products('17')", 'PATCH', json.dumps({'PRICE': patched + 1}), **{'Content-Type': 'application/json'})
        if sum(client.orders_of(c) for c in range(CUSTOMERS)) != 700:
            fail('orders are missing meanwhile')

    walk = client.ask('Products?$select=ExternalId', Prefer='odata.maxpagesize=100')
    moments = while_importing(client, store, [write_lines(work / 'large.jsonl', added + filler)], growing)
    if moments < 2 or seen[-1] != BASE + ADDED:
        fail(f'{moments} moments, {seen[-1]} products in the end')
    walked = [row['ExternalId'] for row in walk['value']]
    while '@odata.nextLink' in walk:
        walk = client.ask(walk['@odata.nextLink'].split('/odata/')[-1], Prefer='odata.maxpagesize=100')
        walked += [row['ExternalId'] for row in walk['value']]
    if len(set(walked)) != len(walked) or not {str(n) for n in numbers} <= set(walked):
        fail('a walk over pages that spans the import misses or doubles a record')
    wait_for_indexes(store)
    growing()

    # 2. A few hundred replacements and deletes: one batch, all or nothing to a reader.
    requests = [{'PutRequest': {'Item': product(n, 'second')}} for n in range(100, 400)]
    requests += [{'DeleteRequest': {'Key': {'pk': {'S': str(n)}, 'sk': {'S': 'PRODUCT'}}}} for n in range(400, 500)]
    requests += [{'PutRequest': {'Item': order(5000 + i, 1)}} for i in range(700) if i % CUSTOMERS == 2]
    changes = work / 'changes.json'
    changes.write_text(json.dumps({'OrderManagement': requests}))

    def replaced():
        rows = client.products()
        state = (len(rows), sum(name == 'second' for name in rows.values()))
        if state not in ((BASE + ADDED, 0), (BASE + ADDED - 100, 300)):
            fail(f'half of a batch is visible: {state}')
        by_customer = [client.orders_of(c) for c in range(CUSTOMERS)]
        return state, by_customer

    while_importing(client, store, [changes], replaced)
    wait_for_indexes(store)
    if replaced() != ((BASE + ADDED - 100, 300), [100, 200, 0] + [100] * (CUSTOMERS - 3)):
        fail(f'after the small import: {replaced()}')

    # 3. With the catalog the import keeps the indexes itself: they are never behind.
    third = [product(n, 'third') for n in range(600, 700)]
    while_importing(client, store, ['--catalog', example / 'catalog', write_lines(work / 'third.jsonl', third)], client.products)
    if not uses_index(store, 'Products?$top=5', 'MembershipScan'):
        fail('an import with --catalog left the indexes behind')

    # 4. One transaction for the whole.
    extra = [product(n, 'fourth') for n in range(BASE + ADDED + 1, BASE + ADDED + 201)]

    def all_or_nothing():
        if len(client.products()) not in (BASE + ADDED - 100, BASE + ADDED + 100):
            fail('half of an atomic import is visible')

    while_importing(client, store, ['--atomic', write_lines(work / 'fourth.jsonl', extra)], all_or_nothing)
    wait_for_indexes(store)
    if len(client.products()) != BASE + ADDED + 100:
        fail('the atomic import is not there')
    print(f'{moments} moments during the large import, products seen: {sorted(set(seen))}')


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    base = [product(n) for n in range(1, BASE + 1)] + [order(5000 + i, i % CUSTOMERS) for i in range(700)]
    subprocess.run([tablecast, 'import', '--store', f'{folder}/store', *keys, str(write_lines(work / 'base.jsonl', base))],
                   check=True, capture_output=True)
    server = subprocess.Popen([tablecast, 'serve', '--store', f'{folder}/store', '--catalog', str(example / 'catalog'), '--port', '0'],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        port = next(int(found.group(1)) for line in server.stdout if (found := re.search(r'http://127\.0\.0\.1:(\d+)', line)))
        check(Client(port), work / 'store', work)
    finally:
        server.terminate()
        code = server.wait(60)
    if code != 0:
        fail(f'the server ends with {code}')
    doctor = subprocess.run([tablecast, 'doctor', '--store', f'{folder}/store'], capture_output=True, text=True)
    if doctor.returncode != 0:
        fail(f'doctor: {doctor.stdout}{doctor.stderr}')
