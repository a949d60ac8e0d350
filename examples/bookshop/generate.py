"""Writes one items file per table of the bookshop: books, users, ratings, authors, book_authors, orders.

usage: python3 generate.py DIR
Deterministic. The tables are those of a relational bookshop, kept as items: numeric keys, and a rating is
found by the composite key (book_id, user_id).
"""
import datetime
import json
import pathlib
import random
import sys

rng = random.Random(11)
out = pathlib.Path(sys.argv[1])
TYPES = ['Magazine', 'Novel', 'Life', 'Arts', 'Comics', 'Education & Reference', 'Humanities & Social Sciences',
         'Science & Technology', 'Kids', 'Sports']
WORDS = ['Quiet', 'Harbour', 'Atlas', 'Winter', 'Garden', 'Copper', 'Letters', 'Ocean', 'Signal', 'Orchard']


def write(table, items):
    with open(out / f'{table}.jsonl', 'w') as f:
        for item in items:
            f.write(json.dumps({'Item': item}, ensure_ascii=False, separators=(',', ':')) + '\n')


def n(value):
    return {'N': str(value)}


def s(value):
    return {'S': value}


base = datetime.datetime(2023, 3, 1)
books, users, ratings, authors, book_authors, orders = [], [], [], [], [], []
for book in range(1, 81):
    price = rng.randrange(500, 6000)
    books.append({'id': n(book), 'title': s(f'{rng.choice(WORDS)} {rng.choice(WORDS)}'), 'type': s(rng.choice(TYPES)),
                  'published_at': s((base + datetime.timedelta(days=book * 5)).strftime('%Y-%m-%dT00:00:00Z')),
                  'stock': n(rng.randint(0, 200)), 'price': n(f'{price / 100:.2f}'.rstrip('0').rstrip('.'))})
for user in range(1, 101):
    users.append({'id': n(user), 'nickname': s(f'reader{user}'), 'balance': n(f'{rng.randrange(0, 100000) / 100:.2f}'.rstrip('0').rstrip('.'))})
for author in range(1, 31):
    authors.append({'id': n(author), 'name': s(f'Author {author}'), 'gender': n(author % 2), 'birth_year': n(1940 + author)})
for book in range(1, 81):
    for author in rng.sample(range(1, 31), rng.randint(1, 2)):
        book_authors.append({'book_id': n(book), 'author_id': n(author)})
    for user in rng.sample(range(1, 101), rng.randint(2, 12)):
        rated = base + datetime.timedelta(seconds=rng.randrange(0, 86400 * 300))
        ratings.append({'book_id': n(book), 'user_id': n(user), 'score': n(rng.randint(1, 5)),
                        'rated_at': s(rated.strftime('%Y-%m-%dT%H:%M:%SZ'))})
for order in range(1, 151):
    orders.append({'id': n(order), 'book_id': n(rng.randint(1, 80)), 'user_id': n(rng.randint(1, 100)),
                   'quality': n(rng.randint(1, 4)),
                   'ordered_at': s((base + datetime.timedelta(hours=order * 7)).strftime('%Y-%m-%dT%H:%M:%SZ'))})
for table, items in [('books', books), ('users', users), ('ratings', ratings), ('authors', authors),
                     ('book_authors', book_authors), ('orders', orders)]:
    write(table, items)
