"""Fails when a folder includes a header of a folder that its arrows do not allow.

usage: check_arrows.py SOURCE_DIR
The arrows are the TABLECAST_ARROWS_ lists of cmake/TablecastLibrary.cmake; third-party headers are
fenced to the folders named below.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
arrows = {m[1]: set(m[2].replace('"', '').split()) for m in re.finditer(
    r'set\(TABLECAST_ARROWS_(\w+)\s+([^)]*)\)', (root / 'cmake/TablecastLibrary.cmake').read_text())}
FENCES = {'lmdb.h': {'store'}, 'httplib.h': {'odata'}, 'curl/': {'connector'},
          'mysql': {'connector'}, 'mariadb/': {'connector'}, 're2/': {'formula', 'qualifiers'},
          'unicode/': {'formula', 'connector', 'base'}, 'rapidjson/': {'base'}, 'CLI/': {'cli'}}
KEPT_OUT_OF_HEADERS = ('rapidjson/', 'httplib.h', 'spdlog/', 'fmt/', 'CLI/', 'lmdb.h', 'pugixml', 'prometheus/')

bad = []
for folder, allowed in sorted(arrows.items()):
    for path in sorted((root / folder).rglob('*')):
        if path.suffix not in ('.h', '.cc'):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            m = re.match(r'\s*#include\s+["<]([^">]+)[">]', line)
            if not m:
                continue
            included = m[1]
            top = included.split('/')[0]
            where = f'{path.relative_to(root)}:{number}'
            if top in arrows and top != folder and top not in allowed:
                bad.append(f'{where}: {folder}/ may not include {top}/')
            for prefix, folders in FENCES.items():
                if included.startswith(prefix) and folder not in folders:
                    bad.append(f'{where}: {included} is fenced to {sorted(folders)}')
            if path.suffix == '.h' and included.startswith(KEPT_OUT_OF_HEADERS):
                bad.append(f'{where}: {included} stays out of headers')
print('\n'.join(bad) or f'arrows ok over {sorted(arrows)}')
sys.exit(bool(bad))
