#!/usr/bin/env python3
"""No field is lost at a client without a warning before: client_types.py SOURCE_DIR TABLECAST.

For each example and each client: every published property has a type that the client's table of types takes, or
`validate --client` names the property; and every value of the answers has the JSON form and the size that its type says.
"""

import json
import re
import subprocess
import sys
import tempfile
from decimal import Decimal

# What each client takes (documentation of the makers); anything else is dropped or shown otherwise.
TYPES = {
    "salesforce": {"Edm.Boolean", "Edm.Byte", "Edm.Date", "Edm.DateTimeOffset", "Edm.Decimal", "Edm.Double", "Edm.Guid",
                   "Edm.Int16", "Edm.Int32", "Edm.Int64", "Edm.SByte", "Edm.Single", "Edm.String"},
    "dataverse": {"Edm.Boolean", "Edm.DateTimeOffset", "Edm.Decimal", "Edm.Double", "Edm.Guid", "Edm.Int32", "Edm.Int64",
                  "Edm.String"},
    "powerbi": {"Edm.Boolean", "Edm.Byte", "Edm.Date", "Edm.DateTimeOffset", "Edm.Decimal", "Edm.Double", "Edm.Duration",
                "Edm.Guid", "Edm.Int16", "Edm.Int32", "Edm.Int64", "Edm.SByte", "Edm.Single", "Edm.String",
                "Edm.TimeOfDay"},
}
faults = []


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout + done.stderr if "validate" in command else done.stdout


def properties(kind):
    return {name: value for name, value in kind.items() if name[0] not in "$@" and value.get("$Kind") != "NavigationProperty"}


def check_value(where, value, prop, types):
    if value is None:
        if not prop.get("$Nullable"):
            faults.append(f"{where}: null, though not nullable")
        return
    kind = prop.get("$Type", "Edm.String")
    if prop.get("$Collection"):
        if not isinstance(value, list):
            faults.append(f"{where}: no array")
            return
        for element in value:
            check_value(where, element, {**prop, "$Collection": False}, types)
        return
    short = kind.split(".")[-1]
    if short in types:
        for name, member in properties(types[short]).items():
            if name in value:
                check_value(f"{where}/{name}", value[name], member, types)
        return
    if kind in ("Edm.Decimal", "Edm.Int32", "Edm.Int64", "Edm.Double"):
        if isinstance(value, bool) or not isinstance(value, (Decimal, int)):
            faults.append(f"{where}: {value!r} is no number")
            return
        digits = Decimal(value).normalize().as_tuple()
        scale = prop.get("$Scale", "variable")
        if kind == "Edm.Decimal" and scale != "variable" and -digits.exponent > scale:
            faults.append(f"{where}: {value} has more than {scale} places")
        if kind == "Edm.Decimal" and len(digits.digits) > prop.get("$Precision", 38):
            faults.append(f"{where}: {value} has more digits than its precision")
        if kind == "Edm.Int32" and not -2**31 <= value < 2**31:
            faults.append(f"{where}: {value} is no Int32")
        return
    if kind == "Edm.Boolean":
        if not isinstance(value, bool):
            faults.append(f"{where}: {value!r} is no Boolean")
        return
    if not isinstance(value, str):
        faults.append(f"{where}: {value!r} is no text")
    elif kind == "Edm.DateTimeOffset" and not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", value):
        faults.append(f"{where}: {value!r} is no DateTimeOffset")
    elif kind == "Edm.String" and len(value) > prop.get("$MaxLength", 0):
        faults.append(f"{where}: {len(value)} characters, MaxLength {prop.get('$MaxLength')}")


def check_example(source, program, example, work):
    store, catalog = f"{work}/{example}", f"{source}/examples/{example}/catalog"
    subprocess.run([f"{source}/scripts/import_example.sh", program, example, store], check=True, capture_output=True)
    schema = json.loads(run(program, "metadata", "--store", store, "--catalog", catalog, "--format", "json"))
    space = next(value for name, value in schema.items() if name[0] != "$" and name != "tablecast.v1")
    types = {name: value for name, value in space.items() if isinstance(value, dict) and value.get("$Kind") in ("EntityType", "ComplexType")}
    entities = {name: value for name, value in types.items() if value["$Kind"] == "EntityType"}
    count = 0
    for client, taken in TYPES.items():
        report = run(program, "validate", catalog, "--data", store, "--client", client, "--format", "json")
        for entity, kind in entities.items():
            for name, prop in properties(kind).items():
                count += 1
                lost = prop.get("$Collection") or prop.get("$Type", "Edm.String") not in taken
                lost = lost and not (client == "powerbi" and prop.get("$Type") != "Edm.Binary")  # tables and records are columns there
                told = f"{entity}.{name}`" in report or f'"fields.{name}"' in report or f'"columns.{name}"' in report
                if lost and not told:
                    faults.append(f"{example}: {client} does not take {entity}.{name}, and validate does not say so")
                if prop.get("$Type", "Edm.String") == "Edm.String" and "$MaxLength" not in prop:
                    faults.append(f"{example}: {entity}.{name} has no MaxLength: Salesforce cuts it at 128")
                if prop.get("$Type") == "Edm.Decimal" and "$Precision" not in prop:
                    faults.append(f"{example}: {entity}.{name} has no Precision")
    for entity, kind in entities.items():
        answer = json.loads(run(program, "query", "--store", store, "--catalog", catalog, f"{entity}?$top=200&$count=true"), parse_float=Decimal)
        if not answer["value"]:
            faults.append(f"{example}: {entity} has no rows")
        for row in answer["value"]:
            for name, prop in properties(kind).items():
                if name not in row:
                    faults.append(f"{example}: a row of {entity} lacks {name}")
                else:
                    check_value(f"{example}: {entity}.{name}", row[name], prop, types)
    return count


def main():
    source, program = sys.argv[1], sys.argv[2]
    with tempfile.TemporaryDirectory() as work:
        total = sum(check_example(source, program, example, work) for example in ("order-management", "customers", "bookshop"))
    for fault in sorted(set(faults)):
        print(fault)
    print(f"{total} fields and clients checked, {len(set(faults))} faults")
    return 1 if faults or total == 0 else 0


sys.exit(main())
