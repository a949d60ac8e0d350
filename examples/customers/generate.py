"""Writes items.jsonl, the data of this example: customers with embedded addresses and credentials.

usage: python3 generate.py > items.jsonl
Deterministic. One item a customer: creating, updating or fetching one is one item operation.
"""
import base64
import json
import random

rng = random.Random(7)
FIRST = ['Ada', 'Björn', 'Chloé', 'Dmitri', 'Eszter', 'Fatima', 'Grzegorz', 'Hanako', 'Ines', 'João', 'Kaja', 'Liv']
LAST = ['Nowak', 'Müller', 'Lefèvre', 'Øster', 'Silva', 'Kovács', 'Tanaka', 'Haddad', 'Berg', 'Rossi']
CITIES = [('Gdańsk', 'PL'), ('Köln', 'DE'), ('Nantes', 'FR'), ('Ålesund', 'NO'), ('Porto', 'PT'), ('Szeged', 'HU')]

for n in range(1, 61):
    first, last = rng.choice(FIRST), rng.choice(LAST)
    addresses = []
    for k in range(rng.randint(0, 3)):
        city, country = rng.choice(CITIES)
        addresses.append({'M': {'addressId': {'S': f'A{k + 1}'}, 'kind': {'S': ['HOME', 'WORK', 'OTHER'][k]},
                                'street': {'S': f'Street {rng.randint(1, 200)}'}, 'city': {'S': city},
                                'country': {'S': country}, 'preferred': {'BOOL': k == 0}}})
    ascii_name = f'{first}.{last}'.lower().encode('ascii', 'ignore').decode()
    item = {'customerId': {'S': f'C{n:04d}'}, 'firstName': {'S': first}, 'lastName': {'S': last},
            'email': {'S': f'{ascii_name}@example.com'}, 'phone': {'S': f'+48 58 {rng.randint(1000000, 9999999)}'},
            'createdAt': {'N': str(1437136300 + n * 86400)}, 'creditLimit': {'N': str(rng.randrange(0, 5000, 250))},
            'newsletter': {'BOOL': rng.random() < 0.4}, 'addresses': {'L': addresses},
            'password': {'M': {'hash': {'B': base64.b64encode(rng.randbytes(24)).decode()},
                               'salt': {'B': base64.b64encode(rng.randbytes(8)).decode()}}}}
    print(json.dumps({'Item': item}, ensure_ascii=False, separators=(',', ':')))
