"""The audit log of a running server: usage: audit_log_test.py SOURCE_DIR TABLECAST"""
import base64
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from served import Served

source, tablecast = sys.argv[1], sys.argv[2]
hashed = subprocess.run([tablecast, 'hash-password'], input=b'correct horse battery\n', stdout=subprocess.PIPE, check=True)


def basic(name, password='correct horse battery'):
    return {'Authorization': 'Basic ' + base64.b64encode(f'{name}:{password}'.encode()).decode()}


def config(**log):
    user = {'passwordHash': hashed.stdout.decode().strip()}
    return {
        'auth': {
            'roles': {'editor': {'read': True, 'create': True, 'update': True, 'delete': True, 'explain': True},
                      'reader': {'read': True}},
            'users': [dict(user, name='ann', role='editor'), dict(user, name='bob', role='reader')]},
        'auditLog': dict({'file': 'audit.jsonl'}, **log)}


def lines(served, name='audit.jsonl'):
    return [json.loads(line) for line in (served.work / name).read_text().splitlines()]


def brief(line):
    return ' '.join(str(line.get(key, '-')) for key in ('part', 'principal', 'verb', 'object', 'record', 'outcome', 'status', 'reason'))


def same(got, want):
    assert got == want, f'\n got {got!r}\nwant {want!r}'


with Served(source, tablecast, 'order-management', config()) as served:
    ann, bob = basic('ann'), basic('bob')
    # A deep insert: a line for the order and one for each child.
    status, headers, body = served.request('POST', 'Orders', {
        'pk': '9001', 'CUSTOMER': 'SECRET-CUSTOMER', 'TOTAL': 3,
        'Lines': [{'sk': 'products#1', 'QUANTITY': 1}, {'sk': 'products#2', 'QUANTITY': 2}]}, ann)
    same(status, 201)
    request_id = headers['X-Request-Id']
    got = lines(served)
    same([brief(line) for line in got], ['- ann create Orders 9001 done - -', '- ann create OrderItems 9001-1 done - -',
                                         '- ann create OrderItems 9001-2 done - -'])
    assert all(line['id'] == request_id and line['address'] == '127.0.0.1' and line['path'] == 'Orders' for line in got), got
    assert {'pk', 'CUSTOMER', 'TOTAL'} <= set(got[0]['fields']), got[0]
    assert 'QUANTITY' in got[1]['fields'], got[1]
    assert abs(time.time() - time.mktime(time.strptime(got[0]['time'][:19], '%Y-%m-%dT%H:%M:%S')) + time.timezone) < 100, got[0]

    # Changes, no change, refusals of every kind.
    seen = len(got)
    etag = headers['ETag']
    same(served.request('PATCH', "Orders('9001')", {'TOTAL': 4, 'CUSTOMER': 'SECRET-CUSTOMER'}, ann)[0], 204)
    same(served.request('PATCH', "Orders('9001')", {'TOTAL': 4}, ann)[0], 204)
    same(served.request('PATCH', "Orders('9001')", {'TOTAL': 5}, dict(ann, **{'If-Match': etag}))[0], 412)
    same(served.request('PATCH', "Orders('9001')", {'TOTAL': 5}, bob)[0], 403)
    same(served.request('PUT', "Orders('9001')/TOTAL/$value", '6', dict(ann, **{'Content-Type': 'text/plain'}))[0], 204)
    same(served.request('DELETE', "Orders('9001')/TOTAL", None, ann)[0], 204)
    same(served.request('POST', 'Orders', {'pk': '9001', 'CUSTOMER': 'x'}, ann)[0], 409)
    same(served.request('POST', 'Orders', 'no json', ann)[0], 400)
    same(served.request('POST', 'Nothing', {}, ann)[0], 404)
    same(served.request('DELETE', "OrderItems('9001-2')", None, ann)[0], 204)
    same(served.request('DELETE', "OrderItems('9001-2')", None, ann)[0], 404)
    same(served.request('POST', 'Orders', {'pk': '9002', 'CUSTOMER': 'x'}, basic('ann', 'wrong password'))[0], 401)
    same(served.request('POST', 'Orders/$query', '$top=1', dict(ann, **{'Content-Type': 'text/plain'}))[0], 200)
    got = lines(served)[seen:]
    same([brief(line) for line in got], [
        '- ann update Orders 9001 done - -', '- ann update Orders 9001 unchanged - -',
        '- ann update Orders 9001 refused 412 etag-mismatch', '- bob update Orders 9001 refused 403 update-forbidden',
        '- ann update Orders 9001 done - -', '- ann update Orders 9001 done - -',
        '- ann create Orders - refused 409 key-exists', f"- ann create Orders - refused 400 {got[7].get('reason')}",
        f"- ann create - - refused 404 {got[8].get('reason')}", '- ann delete OrderItems 9001-2 done - -',
        '- ann delete OrderItems 9001-2 refused 404 record-not-found'])
    same(got[0]['fields'], ['TOTAL'])
    same(got[2]['fields'], ['TOTAL'])
    same(got[4]['fields'], ['TOTAL'])

    # Batches: parts by their ids; a change set that fails is told as undone.
    seen += len(got)
    def part(number, body, url, method='PATCH', group=None):
        out = {'id': number, 'method': method, 'url': url, 'headers': {'content-type': 'application/json'}, 'body': body}
        return dict(out, atomicityGroup=group) if group else out
    same(served.request('POST', '$batch', {'requests': [
        part('a', {'TOTAL': 10}, "Orders('9001')", group='g'), part('b', {'QUANTITY': 7}, "OrderItems('9001-1')", group='g'),
        part('c', {'TOTAL': 11}, "Orders('9001')")]}, ann)[0], 200)
    same(served.request('POST', '$batch', {'requests': [
        part('a', {'TOTAL': 12}, "Orders('9001')", group='g'), part('b', {'QUANTITY': 'x'}, "OrderItems('9001-1')", group='g'),
        part('c', {'TOTAL': 13}, "Orders('9001')", group='g')]}, ann)[0], 200)
    got = lines(served)[seen:]
    same([brief(line) for line in got], [
        'a ann update Orders 9001 done - -', 'b ann update OrderItems 9001-1 done - -', 'c ann update Orders 9001 done - -',
        'a ann update Orders 9001 rolledBack - -', f"b ann update OrderItems 9001-1 refused 400 {got[4].get('reason')}"])

    # Neither values nor secrets.
    text = (served.work / 'audit.jsonl').read_text()
    for secret in ('SECRET-CUSTOMER', 'battery', 'Basic'):
        assert secret not in text, secret

    # Rotated from outside: SIGHUP opens a new file.
    (served.work / 'audit.jsonl').rename(served.work / 'audit.moved')
    served.process.send_signal(signal.SIGHUP)
    for _ in range(200):
        if (served.work / 'audit.jsonl').exists():
            break
        time.sleep(0.05)
    same(served.request('PATCH', "Orders('9001')", {'TOTAL': 21}, ann)[0], 204)
    same(len(lines(served)), 1)
    same(oct(os.stat(served.work / 'audit.jsonl').st_mode & 0o777 & ~0o640), '0o0')

# Rotation by size, with so many kept; values when asked for.
with Served(source, tablecast, 'customers', config(maxBytes=4096, keep=2, values=True)) as served:
    ann = basic('ann')
    same(served.request('POST', 'Customers', {'customerId': 'C9000', 'LastName': 'Łoś', 'Addresses': [
        {'addressId': 'A1', 'city': 'Kraków'}]}, ann)[0], 201)
    got = lines(served)
    same([brief(line) for line in got], ['- ann create Customers C9000 done - -', '- ann create CustomerAddresses C9000-A1 done - -'])
    same(got[0]['fields']['LastName'], 'Łoś')
    same(got[1]['fields']['city'], 'Kraków')
    for i in range(60):
        same(served.request('PATCH', "Customers('C9000')", {'Phone': str(i)}, ann)[0], 204)
    names = sorted(path.name for path in served.work.glob('audit.jsonl*'))
    same(names, ['audit.jsonl', 'audit.jsonl.1', 'audit.jsonl.2'])
    assert all(path.stat().st_size <= 4096 for path in served.work.glob('audit.jsonl*'))
    kept = [line['fields']['Phone'] for name in reversed(names) for line in lines(served, name)]
    same(kept, [str(i) for i in range(60 - len(kept), 60)])  # no line lost at the seams

# A log that cannot be written: the write stands, the loss is told once and counted.
with Served(source, tablecast, 'customers', config(), flags=['--audit-log', '/dev/full']) as served:
    ann = basic('ann')
    for i in range(3):
        same(served.request('PATCH', "Customers('C0001')", {'Phone': str(i)}, ann)[0], 204)
    assert '"Phone":"2"' in served.request('GET', "Customers('C0001')", None, ann)[2]
    same(served.errors().count('the audit log loses lines'), 1)
    assert 'No space left on device' in served.errors(), served.errors()
    metrics = served.request('GET', '/metrics', None, ann)[2]
    assert 'tablecast_audit_lines_total{result="lost"} 3' in metrics, metrics

# A log that cannot be opened: no start.
done = subprocess.run([tablecast, 'serve', '--store', '/nowhere', '--catalog', '/nowhere', '--audit-values'],
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
assert done.returncode == 2 and b'--audit-log' in done.stderr, done
print('audit log: ok')
