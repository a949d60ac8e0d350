"""Import, export, import, export: the two exports are the same to the byte, in each format: usage: round_trip.py TABLECAST

Random items of all ten types with odd names and values, for keys of all three types. DynamoDB JSON also brings every value back
as it was given (numbers by value, sets without order). Plain JSON and CSV lose types by their nature, but only once.
"""
import base64
import decimal
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

tablecast = sys.argv[1]
seed = int(os.environ.get('TABLECAST_SEED', '20260101'))
rng = random.Random(seed)
ITEMS = 4000 if os.environ.get('TABLECAST_LONG_TESTS') else 400
decimal.getcontext().prec = 200

NAMES = ['a', 'a.b', '#x', ':y', 'with blank', ' ', 'ünï', '名', '😀', 'quote"d', 'comma,semi;tab\tpipe|', 'line\nbreak', 'carriage\rreturn',
         'Item', 'Items', 'S', 'N', 'M', 'L', 'Records', 'Responses', 'Keys', 'Metadata', 'DataModel', 'Table', 'PutRequest', 'null', 'NaN',
         'nul\0inside', '\ufeffmark', "apostrophe's", '{brace}', '[0]', '\\', '/', 'x' * 300]
TEXTS = ['', ' ', ' blanks ', '\0', 'a\0b', '"', '""', "'", ',', ';', '\t', '\r', '\n', '\r\n', 'two\nlines', '\\', '\\n', '\u2028', '\uffff',
         '\ufeffmark', '😀', 'é', 'e\u0301', '<&>', '=1+1', '-1', '1e3', 'true', 'null', '2024-02-29', '{"a":1}', '[1]', '\x7f', '\x1f', 'x' * 5000]
NUMBERS = ['0', '-0', '0.0', '1', '-1', '+1', '1.10', '.5', '1e3', '1E+3', '-17.4E37', '9' * 38, '-' + '9' * 38, '0.' + '0' * 129 + '1', '1e125',
           '-1e125', '9.9999999999999999999999999999999999999E+125', '-9.9999999999999999999999999999999999999E+125', '1e-130', '-1E-130',
           '0001.2300', '123456789012345678901234567890.12345678', '1437136300', '3.14159']
BYTES = [b'', b'\0', b'\xff', bytes(range(256)), b'=', b'text', b'\r\n', b'"']


def fail(message):
    sys.exit(f'round_trip (seed {seed}): {message}')


def value(depth=0):
    kinds = ['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS'] + (['M', 'L'] * 2 if depth < 4 else [])
    kind = rng.choice(kinds)
    text = lambda: rng.choice(TEXTS) if rng.random() < 0.7 else ''.join(chr(rng.choice([rng.randrange(32, 127), rng.randrange(160, 0xD800)])) for _ in range(rng.randrange(12)))
    number = lambda: rng.choice(NUMBERS) if rng.random() < 0.5 else f"{rng.choice(['', '-'])}{rng.randrange(10 ** rng.randrange(1, 39))}e{rng.randrange(-80, 80)}"
    octets = lambda: rng.choice(BYTES) if rng.random() < 0.5 else rng.randbytes(rng.randrange(20))
    b64 = lambda b: base64.b64encode(b).decode()
    if kind == 'S': return {'S': text()}
    if kind == 'N': return {'N': number()}
    if kind == 'B': return {'B': b64(octets())}
    if kind == 'BOOL': return {'BOOL': rng.random() < 0.5}
    if kind == 'NULL': return {'NULL': True}
    if kind == 'SS': return {'SS': sorted({text() for _ in range(rng.randrange(1, 5))}, key=lambda _: rng.random())}
    if kind == 'BS': return {'BS': sorted({b64(octets()) for _ in range(rng.randrange(1, 5))}, key=lambda _: rng.random())}
    if kind == 'NS':
        by_value = {}
        for _ in range(rng.randrange(1, 5)):
            n = number()
            by_value[decimal.Decimal(n) + 0] = n
        return {'NS': list(by_value.values())}
    if kind == 'L': return {'L': [value(depth + 1) for _ in range(rng.randrange(4))]}
    return {'M': {rng.choice(NAMES): value(depth + 1) for _ in range(rng.randrange(4))}}


def deep(levels):
    inner = {'S': 'bottom'}
    for level in range(levels):
        inner = {'M': {'d': inner}} if level % 2 else {'L': [inner]}
    return inner


def canonical(v):
    (tag, inner), = v.items()
    if tag == 'N': return tag, decimal.Decimal(inner).normalize() + 0
    if tag == 'NS': return tag, sorted(decimal.Decimal(n).normalize() + 0 for n in inner)
    if tag in ('SS', 'BS'): return tag, sorted(inner)
    if tag == 'L': return tag, [canonical(e) for e in inner]
    if tag == 'M': return tag, {name: canonical(e) for name, e in inner.items()}
    return tag, inner


def key(kind, n):
    if kind == 'S': return {'S': rng.choice(TEXTS[1:])[:900] + str(n)}
    if kind == 'N': return {'N': rng.choice(['', '-']) + str(n) + rng.choice(['', '.5', 'e20', 'e-30'])}
    return {'B': base64.b64encode(rng.choice(BYTES) + str(n).encode()).decode()}


def run(*arguments):
    done = subprocess.run([tablecast, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    return done.returncode, done.stdout, done.stderr.decode()


def must(*arguments):
    code, out, error = run(*arguments)
    if code != 0:
        fail(f'{arguments}: exit {code}: {error}')
    return out


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    for kind in 'SNB':
        items = {}
        for n in range(1, ITEMS + 1):
            item = {'pk': key(kind, n), 'sk': key(rng.choice('S'), n)}
            item.update({name: value() for name in rng.sample(NAMES, rng.randrange(6))})
            if n % 50 == 0:
                item['deep'] = deep(30)
            items[str(canonical(item['pk'])) + str(item['sk'])] = item
        options = ['--table', 'Odd', '--partition-key', f'pk:{kind}', '--sort-key', 'sk']
        dump = work / f'{kind}.jsonl'
        dump.write_text(''.join(json.dumps(i) + '\n' for i in items.values()))
        must('import', '--store', work / f'{kind}0', *options, dump)
        for form, suffix in (('dynamodb-json', 'jsonl'), ('json', 'jsonl'), ('csv', 'csv')):
            where = f'{kind} key, {form}'
            export = lambda store: must('export', '--store', store, '--table', 'Odd', '--format', form)
            first = export(work / f'{kind}0')
            file = work / f'{kind}-{form}.{suffix}'
            file.write_bytes(first)
            store = work / f'{kind}-{form}'
            code, _, error = run('import', '--store', store, *options, file)
            if form == 'json' and kind == 'B':
                # Plain JSON has no binary: its text is no key of type B, and that is said.
                if code != 2 or 'Type mismatch for key pk expected: B actual: S' not in error:
                    fail(f'{where}: exit {code}: {error}')
                continue
            if code != 0:
                fail(f'{where}: exit {code}: {error}')
            second = export(store)
            if first != second:
                lines = [(a, b) for a, b in zip(first.split(b'\n'), second.split(b'\n')) if a != b]
                fail(f'{where}: {len(first)} and {len(second)} bytes, first difference {lines[:1]}')
            if form == 'dynamodb-json':
                got = {}
                for line in first.decode().split('\n')[:-1]:
                    item = json.loads(line)['Item']
                    got[str(canonical(item['pk'])) + str(item['sk'])] = {name: canonical(v) for name, v in item.items()}
                want = {k: {name: canonical(v) for name, v in i.items()} for k, i in items.items()}
                if got != want:
                    wrong = [k for k in want if got.get(k) != want[k]]
                    fail(f'{where}: {len(wrong)} items changed, {wrong[:1]}: {got.get(wrong[0])} for {want[wrong[0]]}')
