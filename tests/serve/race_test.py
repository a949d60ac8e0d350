"""32 clients of a running server at once: If-Match loses no update, a unique field admits exactly one.

usage: race_test.py SOURCE_DIR TABLECAST
"""
import http.client
import json
import os
import pathlib
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from served import Served

source, tablecast = sys.argv[1], sys.argv[2]
CLIENTS, ROUNDS = 32, 50 if os.environ.get('TABLECAST_LONG_TESTS') == '1' else 3
model = pathlib.Path(source) / 'tests/service/catalogs/write-model'


def at_once(served, body):
    barrier, out = threading.Barrier(CLIENTS), [None] * CLIENTS

    def run(client):
        connection = http.client.HTTPConnection('127.0.0.1', served.port, timeout=60)
        connection.connect()
        barrier.wait()
        out[client] = body(client, lambda *request: served.request(*request, connection=connection))
        connection.close()
    threads = [threading.Thread(target=run, args=(client,)) for client in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return out


def count_up(client, send):
    conflicts = done = 0
    while done < ROUNDS:
        _, headers, body = send('GET', "Orders('500')")
        total = int(float(json.loads(body)['Total']))
        status = send('PATCH', "Orders('500')", {'Total': total + 1}, {'If-Match': headers['ETag']})[0]
        assert status in (204, 412), status
        done, conflicts = done + (status == 204), conflicts + (status == 412)
    return conflicts


served = Served(source, tablecast, 'customers', catalog=model / 'catalog')
subprocess.run([tablecast, 'import', '--store', served.store, '--table', 'Things', '--partition-key', 'pk', '--sort-key', 'sk',
                str(model / 'items.jsonl')], check=True, stdout=subprocess.DEVNULL)
with served:
    assert served.request('POST', 'Orders', {'pk': '500', 'Total': 0})[0] == 201
    conflicts = at_once(served, count_up)
    total = served.request('GET', "Orders('500')/Total/$value")[2]
    assert int(float(total)) == CLIENTS * ROUNDS, total
    assert sum(conflicts) > 0
    for number in range(ROUNDS):
        statuses = at_once(served, lambda client, send: send('POST', 'Orders', {'pk': str(1000 + 100 * number + client), 'Code': f'c{number}'})[0])
        assert sorted(statuses) == [201] + [409] * (CLIENTS - 1), statuses
print(f'{CLIENTS} clients, {CLIENTS * ROUNDS} updates by If-Match with {sum(conflicts)} conflicts, none lost')
