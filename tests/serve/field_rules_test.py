"""What a field must not hold is refused on every way to write it, by name, with nothing stored: usage: field_rules_test.py SOURCE_DIR TABLECAST"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from served import Served

source, tablecast = sys.argv[1], sys.argv[2]
model = pathlib.Path(source) / 'tests/service/catalogs/write-model'
failures = []
DIGITS = '1234567890' * 3 + '123456789'  # 39
# field, JSON of a bad value, the same as raw text or None, code that the answer may name
BAD = [
    ('Amount', DIGITS, DIGITS, 'value-out-of-range'),
    ('Amount', f'"{DIGITS}"', None, 'value-out-of-range'),
    ('Amount', '1E126', '1E126', 'value-out-of-range'),
    ('Amount', '1E-131', '1E-131', 'value-out-of-range'),
    ('Amount', '"x"', 'x', 'value-type'),
    ('Total', '1.001', '1.001', 'value-precision'),
    ('Total', '-1', '-1', 'value-out-of-range'),
    ('Total', '1000001', '1000001', 'value-out-of-range'),
    ('Note', '"' + 'ż' * 21 + '"', 'ż' * 21, 'value-too-long'),
    ('Status', '"NOPE"', 'NOPE', 'value-not-allowed'),
    ('Status', 'null', None, 'field-required'),
    ('Status', '""', None, 'field-required'),
    ('Tags', '[]', None, 'set-empty'),
    ('Body', '"' + 'x' * 410_000 + '"', 'x' * 410_000, 'item-too-large'),
]

with tempfile.TemporaryDirectory() as folder:
    catalog = pathlib.Path(folder) / 'catalog'
    shutil.copytree(model / 'catalog', catalog)
    orders = json.loads((catalog / 'Orders.json').read_text())
    orders['fields'].update({'Amount': {'column': 'amount', 'type': 'Number', 'precision': 38}, 'Body': {'column': 'body', 'type': 'LongText', 'length': 500000}})
    (catalog / 'Orders.json').write_text(json.dumps(orders))
    served = Served(source, tablecast, 'customers', catalog=catalog)
    subprocess.run([tablecast, 'import', '--store', served.store, '--table', 'Things', '--partition-key', 'pk', '--sort-key', 'sk',
                    str(model / 'items.jsonl')], check=True, stdout=subprocess.DEVNULL)
    with served:
        def items():
            return served.request('GET', 'Orders')[2], served.request('GET', 'Lines')[2]

        def refused(name, code, method, path, body, kind='application/json', batch=False):
            if batch:
                body = '{"requests":[{"id":"1","atomicityGroup":"g","method":"%s","url":"%s","headers":{"content-type":"application/json"},"body":%s}]}' % (method, path, body)
                method, path = 'POST', '$batch'
            before = items()
            status, _, answer = served.request(method, path, body, {'Content-Type': kind})
            told = json.loads(answer)['responses'][0]['status'] if batch and status == 200 else status
            if told not in (400, 409) or code not in answer or items() != before:
                failures.append(f'{name}: {method} {path[:60]}: {told} {answer[:300]}, stored: {items() != before}')

        for field, value, raw, code in BAD:
            name = f'{field} {value[:45]}'
            given = '{"%s":%s}' % (field, value)
            for batch in (False, True):
                refused(name, code, 'PATCH', "Orders('1')", given, batch=batch)
                refused(name, code, 'PUT', "Orders('1')", given, batch=batch)
                refused(name, code, 'PUT', "Orders('1')/" + field, '{"value":%s}' % value, batch=batch)
                # An empty array is what a missing set looks like: a new record may be sent with it.
                if code != 'set-empty' and not (field == 'Status' and value == 'null'):
                    refused(name, code, 'POST', 'Orders', '{"pk":"77","%s":%s}' % (field, value), batch=batch)
                    refused(name, code, 'PATCH', "Orders('77')", given, batch=batch)
                    refused(name, code, 'PUT', "Orders('77')", given, batch=batch)
            if raw is not None:
                refused(name, code, 'PUT', f"Orders('1')/{field}/$value", raw.encode(), 'text/plain')
        refused('required', 'field-required', 'DELETE', "Orders('1')/Status", None)
        # Of a child in a deep insert, and under its parent.
        for value, code in ((DIGITS, 'value-out-of-range'), ('1E126', 'value-out-of-range'), ('1E-131', 'value-out-of-range'), ('null', 'field-required')):
            refused('child', code, 'POST', 'Orders', '{"pk":"77","Lines":[{"lineNo":"1","Quantity":1},{"lineNo":"2","Quantity":%s}]}' % value)
            refused('child', code, 'POST', "Orders('1')/Lines", '{"lineNo":"7","Quantity":%s}' % value)
        # A key part that is empty.
        refused('empty key', '', 'POST', 'Orders', '{"pk":""}')
        refused('empty key', '', 'POST', 'Orders', '{"pk":null}')
        refused('empty key', '', 'POST', 'Lines', '{"pk":"","lineNo":"1","Quantity":1}')
        # Equal to the stored value after trimming: unchanged, whatever the field's rules say of it.
        assert served.request('PATCH', "Orders('1')", {'Note': 'n'})[0] == 204
        before = items()
        status = served.request('PATCH', "Orders('1')", {'ExternalId': '1', 'pk': '1 ', 'Status': ' OPEN ', 'Total': '12.300', 'Note': ' n ' + ' ' * 40})[0]
        if status != 204 or items() != before:
            failures.append(f'unchanged: {status}')
print('\n'.join(failures[:20]) or 'field rules: ok')
sys.exit(1 if failures else 0)
