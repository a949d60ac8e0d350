"""Well-known table designs from dump to related records: usage: designs.py SOURCE_DIR TABLECAST

tests/designs/NAME.jsonl is a dump; the first line of NAME.golden gives the options of its import. The rest is what `init` proposes
and what `validate --data` says of it. Every proposed relationship is then followed both ways by a query, and the records that
it leads to are compared with those that the items themselves name. TABLECAST_UPDATE_GOLDEN=1 rewrites the golden files.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

source, tablecast = pathlib.Path(sys.argv[1]), sys.argv[2]
update = os.environ.get('TABLECAST_UPDATE_GOLDEN') == '1'
failures = []


def run(*arguments, check=True):
    done = subprocess.run([tablecast, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, text=True,
                          env=dict(os.environ, NO_COLOR='1', LC_ALL='C.UTF-8', TZ='UTC'))
    if check and done.returncode:
        raise RuntimeError(f'{arguments}: exit {done.returncode}: {done.stdout}')
    return done.stdout


def follow(store, catalog, report):
    """Counts of records reached by each relationship, checked against the values of its columns."""
    for kind in report['objects']:
        for link in kind['relationships']:
            query = lambda what: json.loads(run('query', '--store', store, '--catalog', catalog, what))['value']
            parents = query(link['to'] + f"?$expand={link['inverse']}&$top=2000")
            children = query(kind['object'] + f"?$expand={link['name']}&$top=2000")
            what = f"{kind['object']}.{link['name']}"
            found = 0
            for child in children:
                value, parent = child[link['column']], child[link['name']]
                wanted = [p for p in parents if p[link['toColumn']] == value]
                if value is not None and len(wanted) > 1:
                    failures.append(f'{what}: {value} names several')
                if (parent or {}).get('ExternalId') != (wanted[0]['ExternalId'] if wanted else None):
                    failures.append(f"{what}: {child['ExternalId']} leads to {parent}")
                found += parent is not None
            for parent in parents:
                wanted = sorted(c['ExternalId'] for c in children if c[link['column']] == parent[link['toColumn']])
                if sorted(c['ExternalId'] for c in parent[link['inverse']]) != wanted:
                    failures.append(f"{what}: {parent['ExternalId']} has not the children {wanted}")
            if found != len(children) and found * 100 < len(children) * 80:
                failures.append(f'{what}: leads to {found} records for {len(children)}')
        for record in json.loads(run('query', '--store', store, '--catalog', catalog, kind['object'] + '?$top=2000'))['value']:
            key = record['ExternalId'].replace("'", "''").replace('%', '%25').replace('#', '%23').replace('/', '%2F').replace('+', '%2B')
            one = json.loads(run('query', '--store', store, '--catalog', catalog, f"{kind['object']}('{key}')"))
            if one['ExternalId'] != record['ExternalId']:
                failures.append(f"{kind['object']}: {record['ExternalId']} reads back as {one['ExternalId']}")


for dump in sorted((source / 'tests/designs').glob('*.jsonl')):
    golden = dump.with_suffix('.golden')
    want = golden.read_text()
    options = want.split('\n', 1)[0]
    with tempfile.TemporaryDirectory() as folder:
        store, catalog = f'{folder}/store', f'{folder}/catalog'
        run('import', '--store', store, *options.split(), str(dump))
        report = json.loads(run('init', '--store', store, '--format', 'json'))
        proposed = run('init', '--store', store, '--catalog', catalog)
        judged = run('validate', '--data', store, catalog, check=False)
        got = f'{options}\n\n{proposed}{judged}'.replace(folder + '/', '')
        follow(store, catalog, report)
    if got != want and update:
        golden.write_text(got)
    elif got != want:
        failures.append(golden.name + ' differs')
        subprocess.run(['diff', '-u', '--label', golden.name, '--label', 'printed now', str(golden), '-'], input=got.encode())
if failures:
    sys.exit('\n'.join(failures[:40]) + '\n(TABLECAST_UPDATE_GOLDEN=1 rewrites golden files)')
