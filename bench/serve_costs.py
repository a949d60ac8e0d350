"""What a served store costs beside its answers: usage: serve_costs.py TABLECAST STORE CATALOG TABLE

Prints a table: a new request while 200 idle keep-alive connections are open, the server's CPU while they idle, and an
export of the whole table (first byte, growth of private memory). The store is only read.
"""
import http.client
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import threading
import time

tablecast, store, catalog, table = sys.argv[1:]


def private_kib(pid):
    return int(re.search(r'RssAnon:\s+(\d+) kB', pathlib.Path(f'/proc/{pid}/status').read_text()).group(1))


def cpu_seconds(pid):
    fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def row(what, seen):
    print(f'| {what} | {seen} |', flush=True)


print('| what | seen |\n|---|--:|')
server = subprocess.Popen([tablecast, 'serve', '--store', store, '--catalog', catalog, '--port', '0'],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
try:
    port = next(int(found.group(1)) for line in server.stdout if (found := re.search(r'http://127\.0\.0\.1:(\d+)', line)))
    idle = []
    for _ in range(200):
        connection = http.client.HTTPConnection('127.0.0.1', port)
        connection.request('GET', '/odata/Orders?$top=1')
        connection.getresponse().read()
        idle.append(connection)
    times = []
    for _ in range(50):
        begin = time.perf_counter()
        fresh = http.client.HTTPConnection('127.0.0.1', port)
        fresh.request('GET', '/odata/Orders?$top=1')
        fresh.getresponse().read()
        times.append((time.perf_counter() - begin) * 1e3)
        fresh.close()
    row('new connection and request beside 200 idle connections, median (max)', f'{statistics.median(times):.2f} ms ({max(times):.2f} ms)')
    before = cpu_seconds(server.pid)
    time.sleep(5)
    row('CPU of the server with 200 idle connections', f'{(cpu_seconds(server.pid) - before) / 5:.1%} of a core')
finally:
    server.terminate()
    server.wait()

begin = time.perf_counter()
export = subprocess.Popen([tablecast, 'export', '--store', store, '--table', table], stdout=subprocess.PIPE)
export.stdout.read(1)
first = (time.perf_counter() - begin) * 1e3
start, most = private_kib(export.pid), 0


def watch():
    global most
    while export.poll() is None:
        try:
            most = max(most, private_kib(export.pid))
        except (OSError, AttributeError):
            return
        time.sleep(0.01)


watcher = threading.Thread(target=watch)
watcher.start()
lines = size = 0
while chunk := export.stdout.read(1 << 20):
    lines += chunk.count(b'\n')
    size += len(chunk)
export.wait()
watcher.join()
row(f'export of {lines} items ({size >> 20} MiB): first byte, process start included', f'{first:.1f} ms')
row('growth of private memory from the first byte to the last', f'{max(0, most - start) / 1024:.1f} MiB')
