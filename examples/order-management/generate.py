"""Writes items.jsonl, the data of this example: orders, their lines and products in one table.

usage: python3 generate.py > items.jsonl
Deterministic: the same file on every run. Prices are whole cents throughout, so totals are exact.
"""
import datetime
import json
import random

rng = random.Random(20240219)

CATEGORIES = {
    'Espresso': ['Ristretto Blend', 'Napoli Dark', 'Crema Classica', 'Forte No. 7', 'Decaf Notte',
                 'Single Origin Huila', 'Monsooned Malabar', 'House Espresso'],
    'Filter': ['Yirgacheffe', 'Sidamo Natural', 'Kenya AA', 'Guatemala Antigua', 'Costa Rica Honey',
               'Sumatra Mandheling', 'Breakfast Roast', 'Decaf Filter'],
    'Equipment': ['Hand Grinder', 'Burr Grinder 54 mm', 'Gooseneck Kettle', 'Scale 0.1 g', 'Moka Pot 3 cups',
                  'French Press 1 l', 'Dripper Size 02', 'Tamper 58 mm'],
    'Accessories': ['Paper Filters 100', 'Milk Jug 0.6 l', 'Cleaning Brush', 'Descaler 250 ml', 'Knock Box',
                    'Dosing Cup', 'Travel Mug', 'Latte Art Pen'],
    'Tea': ['Darjeeling First Flush', 'Assam TGFOP', 'Sencha', 'Jasmine Pearls', 'Earl Grey',
            'Rooibos Vanilla', 'Peppermint', 'Masala Chai'],
}
# In cents.
PRICE_RANGES = {'Espresso': (650, 2400), 'Filter': (690, 2600), 'Equipment': (1900, 24900), 'Accessories': (290, 3900),
                'Tea': (450, 1900)}
CITIES = [('Hamburg', 'DE', '20095'), ('München', 'DE', '80331'), ('Wien', 'AT', '1010'), ('Zürich', 'CH', '8001'),
          ('Kraków', 'PL', '31-000'), ('Łódź', 'PL', '90-001'), ('Paris', 'FR', '75001'), ('Besançon', 'FR', '25000'),
          ('København', 'DK', '1050'), ('Malmö', 'SE', '211 18')]
STREETS = ['Hauptstraße', 'Lindenweg', 'Am Markt', 'Rue du Port', 'Storgatan', 'ul. Długa']
STATUSES = ['OPEN', 'PAID', 'SHIPPED', 'DELIVERED', 'CANCELLED']


def cents(value):
    """123450 -> '1234.5': DynamoDB's normal form keeps no trailing zeros."""
    whole, part = divmod(value, 100)
    return f'{whole}.{part:02d}'.rstrip('0').rstrip('.')


def put(item):
    print(json.dumps({'Item': item}, ensure_ascii=False, separators=(',', ':')))


products = []
for category, names in CATEGORIES.items():
    for name in names:
        low, high = PRICE_RANGES[category]
        products.append((str(len(products) + 1), name, category, rng.randrange(low, high, 5)))
for code, name, category, price in products:
    item = {'pk': {'S': code}, 'sk': {'S': 'PRODUCT'}, 'NAME': {'S': name}, 'CATEGORY': {'S': category},
            'PRICE': {'N': cents(price)}, 'INSTOCK': {'BOOL': rng.random() < 0.85},
            'SUPPLIER': {'S': f'supplier{1 + int(code) % 7}@example.com'}}
    if rng.random() < 0.5:
        item['TAGS'] = {'SS': sorted(rng.sample(['bio', 'fair', 'new', 'gift', 'sale', 'vegan'], rng.randint(1, 3)))}
    put(item)

start = datetime.datetime(2024, 1, 2, 8, 0, 0)
for number in range(1001, 1221):
    start += datetime.timedelta(minutes=rng.randrange(7, 2900), seconds=rng.randrange(60))
    customer = f'C-{100 + rng.randrange(60)}'
    city, country, postcode = rng.choice(CITIES)
    lines = rng.sample(products, rng.randint(1, 7))
    if number == 1012 and products[0] not in lines:
        lines[0] = products[0]  # the line 1012-1 that the documentation speaks of
    total = 0
    for code, name, _, price in lines:
        quantity = rng.randint(1, 12)
        total += price * quantity
        put({'pk': {'S': str(number)}, 'sk': {'S': 'products#' + code}, 'PRODUCTNAME': {'S': name},
             'PRICE': {'N': cents(price)}, 'QUANTITY': {'N': str(quantity)},
             'LINETOTAL': {'N': cents(price * quantity)}})
    order = {'pk': {'S': str(number)}, 'sk': {'S': 'ORDER'}, 'CUSTOMER': {'S': customer},
             'ORDERDATE': {'S': start.strftime('%Y-%m-%dT%H:%M:%SZ')}, 'STATUS': {'S': rng.choice(STATUSES)},
             'TOTAL': {'N': cents(total)}, 'LINECOUNT': {'N': str(len(lines))},
             'SHIPTO': {'M': {'street': {'S': f'{rng.choice(STREETS)} {rng.randint(1, 90)}'}, 'city': {'S': city},
                              'postcode': {'S': postcode}, 'country': {'S': country}}}}
    if rng.random() < 0.2:
        order['NOTE'] = {'S': rng.choice(['Leave with the neighbour', 'Ring twice', 'Gift: no invoice, please'])}
    put(order)

# Items that belong to none of the three objects: other record types live in the same table.
put({'pk': {'S': 'CUSTOMER#C-104'}, 'sk': {'S': 'PROFILE'}, 'NAME': {'S': 'Café Central'}, 'SINCE': {'S': '2019-05-01'}})
put({'pk': {'S': 'CUSTOMER#C-117'}, 'sk': {'S': 'PROFILE'}, 'NAME': {'S': 'Rösterei Nord'}, 'SINCE': {'S': '2021-11-15'}})
put({'pk': {'S': 'DRAFT-1'}, 'sk': {'S': 'ORDER'}, 'CUSTOMER': {'S': 'C-104'}, 'TOTAL': {'N': '12.5'}})
put({'pk': {'S': 'COUNTER'}, 'sk': {'S': 'ORDERS'}, 'LAST': {'N': '1220'}})
