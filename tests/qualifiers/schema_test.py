"""The published JSON Schemas against the examples and the corpus of faults.

usage: schema_test.py SOURCE_DIR
Every example validates; every corpus file whose pinned findings name a structural error is refused.
Needs Debian's python3-jsonschema.
"""
import json
import pathlib
import re
import sys

import jsonschema

root = pathlib.Path(sys.argv[1])
# Errors of shape, which a schema can see; the others need formulas, patterns or the table.
STRUCTURAL = {'not-an-object', 'missing-columns', 'unknown-option', 'wrong-type', 'unknown-type', 'unknown-presence',
              'values-empty', 'definition-missing', 'definition-empty', 'empty-name', 'duplicate-name',
              'virtual-without-values', 'virtual-with-column-name', 'unknown-word', 'number-range', 'missing-option'}
STRING = r'"(?:[^"\\]|\\.)*"'


def read(path):
    """JSON with comments and trailing commas, as the reader takes it."""
    text = path.read_text(encoding='utf-8-sig')
    text = re.sub(STRING + r'|//[^\n]*|/\*.*?\*/', lambda m: m[0] if m[0][0] == '"' else ' ', text, flags=re.S)
    text = re.sub(STRING + r'|,(?=\s*[}\]])', lambda m: m[0] if m[0][0] == '"' else '', text)
    return json.loads(text)


schemas = {path.name: json.loads(path.read_text()) for path in (root / 'schema').glob('*.schema.json')}
for schema in schemas.values():
    jsonschema.Draft202012Validator.check_schema(schema)


def validator(name):
    resolver = jsonschema.RefResolver(name, schemas[name], store=schemas)
    return jsonschema.Draft202012Validator(schemas[name], resolver=resolver)


qualifier, catalog = validator('qualifier.schema.json'), validator('catalog.schema.json')
failures = []
examples = sorted((root / 'examples').glob('*/catalog/*.json'))
for path in examples:
    judge = catalog if path.name == 'catalog.json' else qualifier
    failures += [f'{path}: {error.message}' for error in judge.iter_errors(read(path))]

refused = 0
for golden in sorted((root / 'tests/golden/diagnostics').glob('*.golden')):
    structural = [code for code in re.findall(r': error: .*\[([a-z-]+)\]$', golden.read_text(), flags=re.M) if code in STRUCTURAL]
    if not structural:
        continue
    path = root / 'tests/diagnostics' / (golden.name.removesuffix('.golden') + '.json')
    if qualifier.is_valid(read(path)):
        failures.append(f'{path}: the schema lets {structural} pass')
    refused += 1

print('\n'.join(failures) or f'{len(examples)} examples valid, {refused} structural faults refused')
sys.exit(bool(failures) or refused < 25 or len(examples) < 10)
