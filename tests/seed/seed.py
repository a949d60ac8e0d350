"""The example values of the data model's own documentation, from dump to export: usage: seed.py SOURCE_DIR TABLECAST

A nested document with a list of maps, the three sets, a mixed list, binary in base64, an epoch time, three ISO 8601 forms in one
attribute, both ends of both number ranges, strings that show byte order: through import, sync, $metadata, JSON bodies, filters,
orders, and the three export formats.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

root, tablecast = pathlib.Path(sys.argv[1]), sys.argv[2]
items = root / 'tests/seed/items.jsonl'
HIGHEST = '9' * 38 + '0' * 88        # 9.99...(38 nines) x 10^125
LOWEST = '0.' + '0' * 129 + '1'      # 1 x 10^-130
failures = []


def run(*arguments):
    done = subprocess.run([tablecast, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    if done.returncode != 0:
        raise SystemExit(f'seed: {arguments}: exit {done.returncode}: {done.stderr.decode()}')
    return done.stdout.decode()


def expect(what, got, want):
    if got != want:
        failures.append(f'{what}:\n  got    {got}\n  wanted {want}')


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    store, catalog = work / 'store', work / 'catalog'
    shutil.copytree(root / 'tests/seed/catalog', catalog)
    run('import', '--store', store, '--table', 'Samples', '--partition-key', 'id', items)
    query = lambda request: run('query', '--store', store, '--catalog', catalog, request)
    # Numbers keep their text: nothing here goes through a double.
    records = lambda request: json.loads(query(request), parse_float=str, parse_int=str)['value']
    ids = lambda options: ''.join(record['id'] for record in records(f'Samples?$select=id&{options}'))

    # sync: types from the data; written into the file they hold, and --check agrees.
    def inferred():
        text = run('sync', '--store', store, '--catalog', catalog)
        return {line.split()[0]: line.split()[2] for line in text.splitlines()[2:] if line.startswith('  ') and 'looks like' not in line}
    types = inferred()
    expect('types', types, {
        'Epoch': 'Number', 'EpochTime': 'DateTime', 'UnreadEmails': 'Number', 'id': 'Text(128)', 'Colours': 'Collection(Text(128))',
        'Doc': 'Complex', 'FavoriteThings': 'JsonText', 'Limit': 'Number', 'Moment': 'DateTime', 'Raw': 'Binary',
        'Readings': 'Collection(Number)', 'Weather': 'Collection(Binary)', 'Word': 'Text(128)'})
    run('sync', '--store', store, '--catalog', catalog, '--write')
    run('sync', '--store', store, '--catalog', catalog, '--check')
    expect('types after --write', inferred(), types)

    # $metadata
    schema = xml.fromstring(run('metadata', '--store', store, '--catalog', catalog))
    edm = '{http://docs.oasis-open.org/odata/ns/edm}'
    entity = schema.find(f".//{edm}EntityType[@Name='Samples']")
    document = schema.find(f".//{edm}ComplexType[@Name='Samples_Doc']")
    properties = lambda of: {p.get('Name'): p.get('Type') for p in of.findall(f'{edm}Property')}
    expect('$metadata', properties(entity), {
        'ExternalId': 'Edm.String', 'id': 'Edm.String', 'Epoch': 'Edm.Decimal', 'EpochTime': 'Edm.DateTimeOffset',
        'UnreadEmails': 'Edm.Decimal', 'Colours': 'Collection(Edm.String)', 'Doc': 'catalog.Samples_Doc',
        'FavoriteThings': 'Edm.String', 'Limit': 'Edm.Decimal', 'Moment': 'Edm.DateTimeOffset', 'Raw': 'Edm.Binary',
        'Readings': 'Collection(Edm.Decimal)', 'Weather': 'Collection(Edm.Binary)', 'Word': 'Edm.String'})
    expect('$metadata of the document', properties(document),
           {'Day': 'Edm.String', 'ItemsOnMyDesk': 'Edm.String', 'UnreadEmails': 'Edm.Decimal'})
    limit = entity.find(f"{edm}Property[@Name='Limit']")
    expect('precision', (limit.get('Precision'), limit.get('Scale')), ('38', 'variable'))

    # JSON body
    first = records('Samples?$top=1')[0]
    expect('body', {name: value for name, value in first.items() if not name.startswith('@')}, {
        'ExternalId': 'A', 'id': 'A', 'Epoch': '1437136300', 'EpochTime': '2015-07-17T12:31:40Z', 'UnreadEmails': '42',
        'Colours': ['Black', 'Green', 'Red'], 'Readings': ['-19', '3.14', '7.5', '42.2'], 'Weather': ['UmFpbnk', 'U25vd3k', 'U3Vubnk'],
        'Doc': {'Day': 'Monday', 'UnreadEmails': '42', 'ItemsOnMyDesk': '["Coffee Cup","Telephone",{"Erasers":{"Quantity":1},'
                '"Pencils":{"Quantity":2},"Pens":{"Quantity":3}}]'},
        'FavoriteThings': '["Cookies","Coffee",3.14159]', 'Raw': 'dGhpcyB0ZXh0IGlzIGJhc2U2NC1lbmNvZGVk',
        'Limit': HIGHEST, 'Moment': '2016-02-15T00:00:00Z', 'Word': 'a'})
    expect('raw bytes', query("Samples('A')/Raw/$value").strip(), 'this text is base64-encoded')
    expect('number ends', [r['Limit'] for r in records('Samples?$select=Limit')], [HIGHEST, f'-{LOWEST}', LOWEST, f'-{HIGHEST}', '0'])
    expect('moments', [r['Moment'] for r in records('Samples?$select=Moment&$top=3')],
           ['2016-02-15T00:00:00Z', '2015-12-21T17:42:34Z', '2015-03-11T12:27:06Z'])

    # Filters and orders
    for options, want in {
        '$filter=EpochTime eq 2015-07-17T12:31:40Z': 'A',
        '$filter=EpochTime gt 2015-07-17T12:31:40Z': '',
        '$filter=Epoch eq 1437136300': 'A',
        '$filter=Moment ne null&$orderby=Moment': 'CBA',                    # by instant, not by text
        '$filter=Moment lt 2016-01-01T00:00:00Z&$orderby=Moment desc': 'BC',
        '$filter=Moment eq 2015-03-11T12:27:06Z': 'C',
        '$orderby=Word': 'DEABC',                                           # A Z a z ¿: by bytes
        "$filter=Word gt 'z'": 'C',
        "$filter=Word lt 'a'&$orderby=Word": 'DE',
        '$orderby=Limit': 'DBECA',
        '$filter=Limit eq 9.9999999999999999999999999999999999999E%2B125': 'A',
        '$filter=Limit eq -9.9999999999999999999999999999999999999E%2B125': 'D',
        '$filter=Limit gt 0 and Limit lt 1E-129': 'C',
        '$filter=Limit lt 0 and Limit ge -1E-130': 'B',
        "$filter=Colours/any(c:c eq 'Green')": 'A',
        "$filter=Colours/any(c:c eq 'green')": '',
        '$filter=Readings/any(r:r eq -19.0)': 'A',
        '$filter=Readings/any(r:r gt 42.2)': '',
        "$filter=Weather/any(w:w eq binary'UmFpbnk=')": 'A',
        "$filter=Raw eq binary'dGhpcyB0ZXh0IGlzIGJhc2U2NC1lbmNvZGVk'": 'A',
        "$filter=Doc/Day eq 'Monday' and Doc/UnreadEmails eq 42 and UnreadEmails eq 42": 'A',
        "$filter=contains(FavoriteThings,'Coffee')": 'A',
        '$filter=Colours/$count eq 3 and Weather/$count eq 3 and Readings/$count eq 4': 'A',
    }.items():
        expect(options, ids(options), want)

    # Export: imported again and exported once more it is the same to the byte; every value is that of the dump.
    exported = run('export', '--store', store, '--table', 'Samples')
    (work / 'again.jsonl').write_text(exported)
    run('import', '--store', work / 'again', '--table', 'Samples', '--partition-key', 'id', work / 'again.jsonl')
    expect('export of the export', run('export', '--store', work / 'again', '--table', 'Samples'), exported)

    def plain(value):
        """Sets without order, numbers by their exact value."""
        (tag, inner), = value.items()
        if tag == 'N':
            return tag, {'9.' + '9' * 37 + 'E+125': HIGHEST, '-9.' + '9' * 37 + 'E+125': f'-{HIGHEST}', '1E-130': LOWEST,
                         '-1E-130': f'-{LOWEST}'}.get(inner, inner)
        if tag == 'M':
            return tag, {name: plain(member) for name, member in inner.items()}
        if tag == 'L':
            return tag, [plain(member) for member in inner]
        return tag, sorted(inner) if tag in ('SS', 'NS', 'BS') else inner

    read = lambda text: [{name: plain(value) for name, value in json.loads(line)['Item'].items()} for line in text.splitlines()]
    expect('exported values', read(exported), read(items.read_text()))
    rows = run('export', '--store', store, '--table', 'Samples', '--format', 'json').splitlines()
    expect('plain export', json.loads(rows[0], parse_int=str, parse_float=str)['Limit'], HIGHEST)
    expect('plain export keeps text', re.search('"Moment":"([^"]*)"', rows[2]).group(1), '20150311T122706Z')
    table = run('export', '--store', store, '--table', 'Samples', '--format', 'csv').splitlines()
    expect('csv header', table[0], 'id,Colours,Doc,Epoch,FavoriteThings,Limit,Moment,Raw,Readings,Weather,Word,kind')
    expect('csv row', table[3], f'C,,,,,{LOWEST},20150311T122706Z,,,,¿,sample')
    objects = run('export', '--store', store, '--catalog', catalog, '--object', 'Samples', '--format', 'json').splitlines()
    expect('export of the object', json.loads(objects[0])['EpochTime'], '2015-07-17T12:31:40Z')

if failures:
    sys.exit('\n'.join(failures))
