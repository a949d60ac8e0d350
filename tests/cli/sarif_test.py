"""SARIF as `validate` prints it, against the published JSON Schema of SARIF 2.1.0.

usage: sarif_test.py SOURCE_DIR TABLECAST
The schema comes with the npm package that tests/clients/package.json pins. Needs Debian's python3-jsonschema.
"""
import copy
import json
import pathlib
import subprocess
import sys

import jsonschema

root, tablecast = pathlib.Path(sys.argv[1]), sys.argv[2]
schema_file = root / 'tests/clients/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'
if not schema_file.exists():
    sys.exit('the SARIF schema is missing: npm ci --prefix tests/clients')
schema = json.loads(schema_file.read_text())
judge = jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())


def log_of(*arguments):
    done = subprocess.run([tablecast, 'validate', '--format', 'sarif', *arguments], cwd=root / 'tests/diagnostics',
                          stdout=subprocess.PIPE, timeout=60)
    return done.returncode, json.loads(done.stdout)


corpus = sorted(path.name for path in (root / 'tests/diagnostics').glob('*.json'))
status, faults = log_of(*corpus)
clean_status, clean = log_of(str(root / 'examples/order-management/catalog'))
failures = [] if (status, clean_status) == (2, 0) else [f'exit status {status} and {clean_status}']
for name, log in {'corpus': faults, 'example': clean}.items():
    failures += [f'{name}: {"/".join(map(str, error.absolute_path))}: {error.message}' for error in judge.iter_errors(log)]

results = faults['runs'][0]['results']
rules = {rule['id'] for rule in faults['runs'][0]['tool']['driver']['rules']}
if {result['ruleId'] for result in results} != rules or len(results) < len(corpus):
    failures.append('rules and results do not agree')
for result in results:
    region = result['locations'][0]['physicalLocation'].get('region', {})
    if region.get('startLine', 0) < 1 or region.get('startColumn', 0) < 1:
        failures.append(f'no place: {result}')

# The schema is one that refuses.
for spoil in (lambda log: log.update(version='2.0.0'), lambda log: log['runs'][0].pop('tool'),
              lambda log: log['runs'][0]['results'][0].update(level='fatal')):
    broken = copy.deepcopy(faults)
    spoil(broken)
    if judge.is_valid(broken):
        failures.append('the schema lets a broken log pass')

print('\n'.join(failures[:20]) or f'{len(results)} results of {len(rules)} rules are SARIF 2.1.0')
sys.exit(bool(failures))
