"""Kills a server under a mixed load, again and again; nothing that it acknowledged may be missing, nothing may be there in
part, and the indexes must agree: usage: kill_test.py SOURCE_DIR TABLECAST SHIM

A cycle ends by SIGKILL, or under the shim (tests/store/power_loss_shim.cc) by a loss of power at a random write or sync,
or after a sync or write that failed. TABLECAST_LONG_TESTS=1 runs 500 cycles of SIGKILL and 100 of each other kind,
else a few; TABLECAST_KILL_CYCLES sets the number of the first kind, TABLECAST_SEED the random numbers.
"""
import http.client
import json
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from served import Served

source, tablecast, shim = sys.argv[1], sys.argv[2], sys.argv[3]
whole = os.environ.get('TABLECAST_LONG_TESTS') == '1'
kills = int(os.environ.get('TABLECAST_KILL_CYCLES', '500' if whole else '4'))
others = 100 if whole else 2
seed = int(os.environ.get('TABLECAST_SEED', '1'))
WRITERS, KEYS = 6, 12
JSON = {'Content-Type': 'application/json'}
GONE = None
catalog = str(pathlib.Path(source) / 'examples/order-management/catalog')


class Writer(threading.Thread):
    """Owns some orders, each with one line. `known`: what the last answer said of an order, (number, customer) or GONE;
    `open`: what it may be as well, because a request got no answer."""

    def __init__(self, number):
        super().__init__()
        self.number, self.random = number, random.Random(seed * 1000 + number)
        self.known = {str(700000 + number * 1000 + key): GONE for key in range(KEYS)}
        self.open = {}
        self.etags = {}
        self.acknowledged, self.refused, self.faults = 0, 0, []
        self.counter = 0

    def begin(self, port, stop, kind):
        super().__init__()
        self.port, self.stop, self.kind = port, stop, kind
        self.start()

    def send(self, connection, method, path, body, headers=None):
        connection.request(method, '/odata/' + path, json.dumps(body) if body is not None else None, {**JSON, **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()

    def step(self, connection):
        order = self.random.choice([order for order in self.known if order not in self.open] or [None])
        if order is None:
            return self.stop.wait(0.01)
        self.counter += 1
        now, new = self.known[order], (self.counter, f'K-{self.random.randrange(5)}')
        part = lambda i, method, url, body: {'id': str(i), 'atomicityGroup': 'g', 'method': method, 'url': url,
                                             'headers': {'content-type': 'application/json'}, **({'body': body} if body else {})}
        if now is GONE:
            self.open[order] = new
            status, headers, body = self.send(connection, 'POST', 'Orders', {
                'pk': order, 'TOTAL': new[0], 'CUSTOMER': new[1], 'NOTE': 'n' * self.random.randrange(128),
                'Lines': [{'sk': 'products#1', 'QUANTITY': new[0]}]})
            good = status == 201
        elif self.random.randrange(5) == 0:
            new = self.open[order] = GONE
            parts = [part(1, 'DELETE', f"Orders('{order}')", None), part(2, 'DELETE', f"OrderItems('{order}-1')", None)]
            status, headers, body = self.send(connection, 'POST', '$batch', {'requests': parts})
            good = status == 200 and all(answer['status'] == 204 for answer in json.loads(body)['responses'])
        elif self.random.randrange(8) == 0:
            # A change set whose second part is refused: nothing of it may stay.
            parts = [part(1, 'PATCH', f"Orders('{order}')", {'TOTAL': -1}), part(2, 'PATCH', f"OrderItems('{order}-1')", {'QUANTITY': 'x'})]
            status, headers, body = self.send(connection, 'POST', '$batch', {'requests': parts})
            new = now
            good = status == 200 and all(answer['status'] >= 400 for answer in json.loads(body)['responses'])
        else:
            self.open[order] = new
            parts = [part(1, 'PATCH', f"Orders('{order}')", {'TOTAL': new[0], 'CUSTOMER': new[1]}),
                     part(2, 'PATCH', f"OrderItems('{order}-1')", {'QUANTITY': new[0]})]
            status, headers, body = self.send(connection, 'POST', '$batch', {'requests': parts})
            good = status == 200 and all(answer['status'] == 204 for answer in json.loads(body)['responses'])
        statuses = [answer['status'] for answer in json.loads(body)['responses']] if status == 200 else [status]
        if good:
            self.known[order] = new
            self.acknowledged += 1
            self.open.pop(order, None)
        elif any(code in (500, 503, 507) for code in statuses):
            # Refused by a store that could not write: the order is as it was. Only a sync that failed may have reached the
            # disk all the same: then both states are allowed behind the restart, and the order is left alone until then.
            self.refused += 1
            self.stop.wait(0.01)
            if self.kind != 'sync':
                self.open.pop(order, None)
        else:
            self.faults.append(f'order {order}, {now} -> {new}: {status} {body[:400]}')
            self.open.pop(order, None)

    def run(self):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=30)
        while not self.stop.is_set():
            try:
                self.step(connection)
            except (OSError, http.client.HTTPException):
                return  # the open request stays open
        connection.close()

    def check(self, served):
        connection = http.client.HTTPConnection('127.0.0.1', served.port, timeout=30)
        for order in self.known:
            status, _, body = served.request('GET', f"Orders('{order}')?$expand=Lines", connection=connection)
            if status == 404:
                state = GONE
                line = served.request('GET', f"OrderItems('{order}-1')", connection=connection)[0]
                whole_state = line == 404
            else:
                record = json.loads(body)
                state = (int(float(record['TOTAL'])), record['CUSTOMER'])
                lines = [int(float(line['QUANTITY'])) for line in record['Lines']]
                whole_state = lines == [state[0]]
            allowed = [self.known[order]] + ([self.open[order]] if order in self.open else [])
            if not whole_state:
                self.faults.append(f'order {order} is there in part: {status} {body[:400]}')
            if state not in allowed:
                self.faults.append(f'order {order}: is {state}, may be {allowed}')
            self.known[order] = state
        self.open.clear()


def readers(served, stop, faults, lost):
    connection = http.client.HTTPConnection('127.0.0.1', served.port, timeout=30)
    paths = ['Orders/$count', "Orders?$filter=CUSTOMER%20eq%20'K-1'&$orderby=ORDERDATE%20desc&$top=20", 'OrderItems?$top=50']
    try:
        while not stop.is_set():
            for path in paths:
                status, _, body = served.request('GET', path, connection=connection)
                if 'store-needs-reopen' in body:
                    lost.append(status)
                elif status != 200:
                    faults.append(f'{path}: {status} {body[:300]}')
    except (OSError, http.client.HTTPException):
        pass


def doctor(served, faults, cycle, baseline):
    done = subprocess.run([tablecast, 'doctor', '--store', served.store, '--catalog', catalog], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    findings = done.stdout.decode().split('\n', 1)[1]  # behind the line of counts
    if baseline is None:
        return findings
    if done.returncode not in (0, 1) or findings != baseline:
        faults.append(f'cycle {cycle}: doctor: {done.stdout.decode()[:600]}')


chance = random.Random(seed)
faults, stopped = [], 0
cycles = ['kill'] * kills + [kind for kind in ('power', 'sync', 'write') for _ in range(others)]
counts = {}
writers = [Writer(number) for number in range(WRITERS)]
served = Served(source, tablecast, 'order-management')
baseline = doctor(served, [], 0, None)  # the example has items that nobody claims, on purpose
began = time.time()
for cycle, kind in enumerate(cycles):
    env = dict(os.environ)
    if kind != 'kill':
        name = {'power': 'LOSE_AT', 'sync': 'FAIL_SYNC_AT', 'write': 'FAIL_WRITE_AT'}[kind]
        env.update({'LD_PRELOAD': shim, f'TABLECAST_SHIM_{name}': str(chance.randrange(1, 300)), 'TABLECAST_SHIM_SEED': str(cycle)})
    served.env = env
    try:
        served.start()
        alive = True
    except RuntimeError as error:
        alive = kind == 'kill'  # under the shim the fault may come at the start
        if alive:
            faults.append(f'cycle {cycle}: {error}')
    if alive:
        stop, lost = threading.Event(), []
        for writer in writers:
            writer.begin(served.port, stop, kind)
        reader = threading.Thread(target=readers, args=(served, stop, faults, lost))
        reader.start()
        deadline = time.time() + chance.uniform(0.05, 0.8) + (0.5 if kind != 'kill' else 0)
        while time.time() < deadline and served.process.poll() is None:
            time.sleep(0.005)
        if lost:
            # The write that failed was that of the store's head: nothing is answered any more, and the server ends by
            # itself for its supervisor to start it again.
            stop.set()
            stopped += 1
            try:
                if kind != 'write' or served.process.wait(15) != 3:
                    faults.append(f'cycle {cycle}: lost its store and ended with {served.process.returncode}')
            except subprocess.TimeoutExpired:
                faults.append(f'cycle {cycle}: lost its store and did not end')
        served.process.kill()
        stop.set()
        for writer in writers:
            writer.join()
        reader.join()
        served.process.wait()
    doctor(served, faults, cycle, baseline)
    served.env = None
    served.start()
    for writer in writers:
        writer.check(served)
        faults += [f'cycle {cycle} ({kind}): {fault}' for fault in writer.faults]
        writer.faults.clear()
    served.kill()
    counts[kind] = counts.get(kind, 0) + 1
    if faults or cycle % 50 == 49:
        print(f'{cycle + 1} cycles, {sum(writer.acknowledged for writer in writers):,} acknowledged', flush=True)
    if faults:
        break
acknowledged, refused = sum(writer.acknowledged for writer in writers), sum(writer.refused for writer in writers)
served.folder.cleanup()
print(f'{counts}: {acknowledged:,} writes acknowledged, {refused} refused by failing writes and syncs, {stopped} stops for a head that could not be written, {len(faults)} faults, '
      f'{time.time() - began:.0f} s')
for fault in faults[:20]:
    print(fault)
sys.exit(1 if faults or acknowledged < 10 * len(cycles) / 2 else 0)
