"""The refresh recipe of docs/operations.md against a server: usage: refresh.py SOURCE_DIR TABLECAST

A full export makes a store, an incremental one goes into it while it is served, a later full one takes its place. A damaged
or incomplete export, an interrupted run and a second run at once leave the store in use as it was.
"""
import base64
import fcntl
import gzip
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

root, tablecast = pathlib.Path(sys.argv[1]), sys.argv[2]
script = root / 'packaging/refresh.sh'
options = ['--table', 'OrderManagement', '--partition-key', 'pk', '--sort-key', 'sk']


def fail(message):
    raise SystemExit(f'refresh: {message}')


def expect(what, got, want):
    if got != want:
        fail(f'{what}: {got}, wanted {want}')


def product(n, name):
    return {'pk': {'S': str(n)}, 'sk': {'S': 'PRODUCT'}, 'NAME': {'S': name}}


def export(folder, name, lines, promise=None):
    """An export as S3 holds it: two data files, their manifest, its summary."""
    entries = []
    data = folder / 'AWSDynamoDB' / name / 'data'
    data.mkdir(parents=True)
    for part in range(2):
        text = ''.join(json.dumps(line) + '\n' for line in lines[part::2])
        packed = gzip.compress(text.encode())
        (data / f'{name}{part}.json.gz').write_bytes(packed)
        entries.append({'itemCount': text.count('\n'), 'md5Checksum': base64.b64encode(hashlib.md5(packed).digest()).decode(),
                        'etag': 'x-1', 'dataFileS3Key': f'nightly/AWSDynamoDB/{name}/data/{name}{part}.json.gz'})
    (data.parent / 'manifest-files.json').write_text(''.join(json.dumps(e) + '\n' for e in entries))
    (data.parent / 'manifest-summary.json').write_text(json.dumps({
        'version': '2020-06-30', 'exportTime': '2024-02-01T00:00:00Z', 'itemCount': len(lines) if promise is None else promise,
        'outputFormat': 'DYNAMODB_JSON', 'manifestFilesS3Key': f'nightly/AWSDynamoDB/{name}/manifest-files.json'}))
    return folder


class Server:
    """What `systemctl restart` would restart: it serves whatever store the link names when it starts."""

    def __init__(self, link):
        self.link, self.process = link, None

    def restart(self):
        self.stop()
        self.process = subprocess.Popen([tablecast, 'serve', '--store', str(self.link), '--catalog',
                                         str(root / 'examples/order-management/catalog'), '--port', '0'],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = next(int(m[1]) for line in self.process.stdout if (m := re.search(r'http://127\.0\.0\.1:(\d+)', line)))

    def stop(self):
        if self.process is None:
            return
        self.process.terminate()
        if self.process.wait(60) != 0:
            fail('the server does not end cleanly')
        self.process = None

    def products(self):
        with urllib.request.urlopen(f'http://127.0.0.1:{self.port}/odata/Products?$count=true&$select=ExternalId,NAME') as answer:
            page = json.load(answer)
        expect('count and rows', page['@odata.count'], len(page['value']))
        return {row['ExternalId']: row['NAME'] for row in page['value']}


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    link = work / 'store'
    server = Server(link)

    def refresh(mode, of, code=0):
        done = subprocess.run([script, mode, link, of, *options], capture_output=True, text=True, timeout=120,
                              env=dict(os.environ, TABLECAST=tablecast))
        expect(f'exit of {mode} {of.name} ({done.stdout}{done.stderr})', done.returncode, code)
        return done.stdout + done.stderr

    try:
        if 'begin with a full export' not in refresh('incremental', export(work / 'early', '01', []), 1):
            fail('an incremental export needs a store')
        refresh('full', export(work / 'full1', '02', [{'Item': product(n, 'one')} for n in range(60)]))
        server.restart()
        first = {str(n): 'one' for n in range(60)}
        expect('first full export', server.products(), first)

        change = lambda n, name: {'Metadata': {'WriteTimestampMicros': {'N': '1'}}, 'Keys': {'pk': {'S': str(n)}, 'sk': {'S': 'PRODUCT'}},
                                  **({'NewImage': product(n, name)} if name else {})}
        changes = [change(n, 'two') for n in range(50, 70)] + [change(n, None) for n in range(10)]
        said = refresh('incremental', export(work / 'changes', '03', changes))
        expect('what it says', said, 'refresh: 03 is applied: 30 changes, 10 deleted\n')
        changed = {str(n): 'two' if n >= 50 else 'one' for n in range(10, 70)}
        expect('served at once', server.products(), changed)
        expect('once only', refresh('incremental', work / 'changes'), 'refresh: 03 is applied already\n')

        # Exports that are not whole.
        bad = export(work / 'bad', '04', [{'Item': product(n, 'bad')} for n in range(9)])
        data = next((bad / 'AWSDynamoDB/04/data').iterdir())
        whole = data.read_bytes()
        data.write_bytes(whole[:-3] + b'abc')
        refresh('full', bad, 1)
        data.unlink()
        refresh('full', bad, 1)
        refresh('full', export(work / 'short', '05', [{'Item': product(1, 'bad')}], promise=2), 1)
        twice = export(work / 'twice', '06', [{'Item': product(1, 'bad')}, {'Item': product(1, 'bad')}])
        if 'were read and 1 written' not in refresh('full', twice, 1):
            fail('an export that names an item twice is no table')
        (work / 'no-summary').mkdir()
        refresh('full', work / 'no-summary', 1)
        with open(f'{link}.stores/lock', 'w') as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            refresh('full', work / 'full1', 1)
        expect('nothing of them is visible', server.products(), changed)
        expect('stores on disk', sorted(p.name for p in pathlib.Path(f'{link}.stores').iterdir() if p.is_dir()), ['02'])

        refresh('full', export(work / 'full2', '07', [{'Item': product(n, 'three')} for n in range(30)]))
        expect('the old store until the restart', server.products(), changed)
        server.restart()
        expect('second full export', server.products(), {str(n): 'three' for n in range(30)})
        expect('once only', refresh('full', work / 'full2'), 'refresh: 07 is in use already\n')
        refresh('full', export(work / 'full3', '08', [{'Item': product(1, 'four')}]))
        expect('the one before is kept', sorted(p.name for p in pathlib.Path(f'{link}.stores').iterdir() if p.is_dir()), ['07', '08'])
    finally:
        server.stop()
