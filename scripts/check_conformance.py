#!/usr/bin/env python3
"""Compares the table of docs/conformance.md with the tests of tests/conformance: check_conformance.py ROOT.

Every clause 1..N has one row; a row with MUST or MUST NOT names exactly one test; each named test exists, carries the
number of its row, and each test that is named after a clause is in one row. A SHOULD without a test says why.
"""

import pathlib
import re
import sys


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    faults = []
    tests = {}
    for path in sorted((root / "tests/conformance").glob("odata_*_test.cc")):
        for suite, name in re.findall(r"^TEST\((OData\w+), (C\d\d_\w+)\)", path.read_text(), re.M):
            full = f"{suite}.{name}"
            if full in tests:
                faults.append(f"{path.name}: {full} is there twice")
            tests[full] = path.name
    rows = {}
    for line in (root / "docs/conformance.md").read_text().splitlines():
        match = re.match(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", line)
        if match:
            number, _, word, _, shown = (part.strip() for part in match.groups())
            if int(number) in rows:
                faults.append(f"clause {number} has two rows")
            rows[int(number)] = (word, shown)
    if sorted(rows) != list(range(1, 65)):
        faults.append(f"the rows are not the clauses 1 to 64: {sorted(rows)}")
    named = set()
    for number, (word, shown) in rows.items():
        names = re.findall(r"`(OData\w+\.\w+)`", shown)
        if "MUST" in word and len(names) != 1:
            faults.append(f"clause {number} is a MUST and names {len(names)} tests")
        if not names and not shown.startswith("missing: "):
            faults.append(f"clause {number} names no test and does not say what is missing")
        for name in names:
            named.add(name)
            if name not in tests:
                faults.append(f"clause {number}: there is no test {name}")
            if not re.search(rf"\.C{number:02}_", name):
                faults.append(f"clause {number}: {name} carries another number")
    for name in sorted(set(tests) - named):
        faults.append(f"{tests[name]}: {name} is in no row of docs/conformance.md")
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults:
        print(f"{len(rows)} clauses, {len(named)} tests")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
