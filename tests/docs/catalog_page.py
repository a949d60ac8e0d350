"""Checks docs/catalog.md: usage: catalog_page.py SOURCE_DIR TABLECAST

- Every option that schema/ knows of a catalog, an object, a field, a relationship or a child is named on the page.
- The files that it shows (behind `<!-- file: NAME -->`) load without a fault over the items that it shows, and each query
  behind `<!-- query: REQUEST -->` answers what is printed there.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

source, tablecast = pathlib.Path(sys.argv[1]), sys.argv[2]
page = (source / 'docs/catalog.md').read_text()
failures = []

catalog = json.loads((source / 'schema/catalog.schema.json').read_text())
qualifier = json.loads((source / 'schema/qualifier.schema.json').read_text())
named = set(re.findall(r'[\w*]+', ' '.join(re.findall(r'`[^`\n]+`', re.sub(r'^```.*?^```', '', page, flags=re.S | re.M)))))
options = set(catalog['properties'])
options |= set(catalog['properties']['accessPatterns']['additionalProperties']['properties'])
options |= set(qualifier['properties']) - {'columns', 'tableName', 'keyColumns'}  # docs/qualifiers.md has these
for name in ('field', 'relationship', 'child', 'ext_object', 'ext_externalId'):
    options |= set(qualifier['$defs'][name]['properties'])
options |= set(qualifier['$defs']['ext_indexes']['items']['properties'])
options |= set(qualifier['$defs']['field']['properties']['type']['enum'])
if missing := sorted(options - named):
    failures.append('docs/catalog.md does not name: ' + ', '.join(missing))

with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    (work / 'catalog').mkdir()
    files = re.findall(r'<!-- file: (\S+) -->\n```\w+\n(.*?)^```', page, re.S | re.M)
    for name, text in files:
        (work / ('' if name.endswith('.jsonl') else 'catalog') / name).write_text(text)

    def run(*words):
        return subprocess.run([tablecast, *words], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=60, env=dict(os.environ, NO_COLOR='1'))

    queries = re.findall(r'<!-- query: (.*?) -->\n```json\n(.*?)```', page, re.S)
    if len(files) < 4 or not queries:
        failures.append('the page shows no example any more')
    for words in (['import', '--store', 'store', '--table', 'Hospital', '--partition-key', 'PK', '--sort-key', 'SK', 'items.jsonl'],
                  ['validate', 'catalog', '--data', 'store']):
        if (done := run(*words)).returncode != 0:
            failures.append(f'{words[0]} exits {done.returncode}\n{done.stdout}')
    for request, want in queries:
        got = run('query', '--store', 'store', '--catalog', 'catalog', request).stdout
        if got.strip() != want.strip():
            failures.append(f'{request} answers\n{got}')
print('\n'.join(failures) or f'{len(options)} options are named, {len(files)} files and {len(queries)} query are as written')
sys.exit(bool(failures))
