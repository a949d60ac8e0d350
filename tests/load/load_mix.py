"""A mix of requests from many connections against one server: every answer is checked, memory is watched.

usage: load_mix.py SOURCE_DIR TABLECAST
TABLECAST_LONG_TESTS=1 runs 600 seconds with 512 connections and 1,000 slow ones beside them, else 6 seconds with 64
and 50. One request in twenty is malformed. It fails on any answer that was not asked for, on a server that grows, and
when slow connections keep others from being served; the latencies are printed, never judged.
"""
import asyncio
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

root, tablecast = pathlib.Path(sys.argv[1]), sys.argv[2]
whole = os.environ.get('TABLECAST_LONG_TESTS') == '1'
seconds = float(os.environ.get('TABLECAST_LOAD_SECONDS', '600' if whole else '6'))
connections = 512 if whole else 64
slow_connections = 1000 if whole else 50
GROWTH = 64 << 20  # bytes of private memory above the warmed-up server

soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))


def get(path, statuses=frozenset({200}), head=''):
    return (f'GET {path} HTTP/1.1\r\nHost: h\r\n{head}\r\n'.encode(), statuses, True)


def write(method, path, body, statuses):
    body = body.encode()
    head = f'{method} {path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n'
    return (head.encode() + body, statuses, True)


def valid():
    order = random.randint(1001, 1060)
    kind = random.randrange(20)
    if kind < 6:
        return get(f"/odata/Orders('{order}')", {200, 404})
    if kind < 8:
        return get(f"/odata/Orders('{order}')?$expand=Lines($expand=Product)", {200, 404})
    if kind < 11:
        return get('/odata/Orders?$top=20&$count=true')
    if kind < 13:
        return get("/odata/Orders?$filter=contains(CUSTOMER,'C-10')%20eq%20true&$orderby=ORDERDATE%20desc&$top=10")
    if kind == 13:
        return get('/odata/OrderItems/$count')
    if kind == 14:
        return get('/odata/$metadata', {200}, 'Accept-Encoding: gzip\r\n')
    if kind == 15:
        return get('/odata/Orders?$apply=groupby((STATUS),aggregate(TOTAL%20with%20sum%20as%20S))')
    if kind == 16:
        return get('/healthz')
    if kind == 17:
        return get('/odata/Nosuch', {404})
    if kind == 18:
        return get('/odata/Orders?$filter=NOSUCH%20eq%201', {400})
    return write('PATCH', f"/odata/Orders('{order}')", json.dumps({'NOTE': f'n{random.randrange(1000)}'}),
                 {200, 204, 404, 412, 503})


MALFORMED = [
    (b'GET /odata/Orders HTTP/1.1\r\nContent-Length: x\r\nHost: h\r\n\r\n', {400}),
    (b'GET /odata/Orders HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\nHost: h\r\n\r\n', {400}),
    (b'GET /odata/Orders HTTP/9.9\r\nHost: h\r\n\r\n', {400, 505}),
    (b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', {400}),
    (b'GET /odata/Orders?$filter=%zz HTTP/1.1\r\nHost: h\r\n\r\n', {400}),
    (b'POST /odata/Orders HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{"a', {400}),
    (b'POST /odata/$batch HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/mixed\r\nContent-Length: 2\r\n\r\n--', {400}),
    (b'POST /odata/Orders HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n',
     {400}),
    (b'GET /odata/Orders HTTP/1.1\r\nHost: h\r\nX: a\x00b\r\n\r\n', {400}),
    (b'BREW /odata/Orders HTTP/1.1\r\nHost: h\r\n\r\n', {400, 405, 501}),
]

done, faults, latencies = {}, [], []


def fault(text):
    if len(faults) < 20:
        faults.append(text)


async def answer(reader):
    head = await reader.readuntil(b'\r\n\r\n')
    status = int(head.split(b' ', 2)[1])
    length = re.search(rb'\r\ncontent-length: *(\d+)', head, re.I)
    closes = re.search(rb'\r\nconnection: *close', head, re.I) is not None
    body = b''
    if re.search(rb'\r\ntransfer-encoding: *chunked', head, re.I):
        while True:
            size = int(await reader.readuntil(b'\r\n'), 16)
            body += (await reader.readexactly(size + 2))[:-2]
            if size == 0:
                break
    elif length:
        body = await reader.readexactly(int(length.group(1)))
    return status, head, body, closes


async def worker(port, until):
    reader = writer = None
    while time.monotonic() < until:
        try:
            if writer is None:
                reader, writer = await asyncio.open_connection('127.0.0.1', port, limit=1 << 22)
            if random.random() < 0.05:
                request, statuses = random.choice(MALFORMED)
                well_formed = False
            else:
                request, statuses, well_formed = valid()
            begin = time.monotonic()
            writer.write(request)
            status, head, body, closes = await asyncio.wait_for(answer(reader), 60)
            latencies.append(time.monotonic() - begin)
            done[status] = done.get(status, 0) + 1
            # Load shedding is an answer that is asked for when it says when to come back.
            shed = status == 503 and b'retry-after' in head.lower()
            if status not in statuses and not shed:
                fault(f'{status} for {request[:90]!r}: {body[:200]!r}')
            elif status == 200 and b'application/json' in head and b'content-encoding' not in head.lower():
                json.loads(body)
            if closes or not well_formed:
                writer.close()
                writer = None
        except (ConnectionError, asyncio.IncompleteReadError) as broken:
            # A keep-alive connection may be closed between two requests, never during an answer.
            if isinstance(broken, asyncio.IncompleteReadError) and broken.partial:
                fault(f'an answer was cut: {broken.partial[:90]!r}')
            done['closed'] = done.get('closed', 0) + 1
            writer = None
        except asyncio.TimeoutError:
            fault(f'no answer in 60 s: {request[:90]!r}')
            writer = None
        except ValueError as bad:
            fault(f'an answer is no JSON: {bad}')
    if writer is not None:
        writer.close()


async def slow(port, until):
    """Sends a head byte by byte, as far as it is let."""
    while time.monotonic() < until:
        try:
            _, writer = await asyncio.open_connection('127.0.0.1', port)
            for byte in b'GET /odata/Orders HTTP/1.1\r\nHost: h\r\nX-Slow: ' + b'a' * 4096:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(1)
                if time.monotonic() >= until:
                    break
            writer.close()
        except OSError:
            await asyncio.sleep(0.5)


def private_bytes(pid):
    status = pathlib.Path(f'/proc/{pid}/status').read_text()
    return int(re.search(r'RssAnon:\s+(\d+) kB', status).group(1)) << 10


async def watch(pid, until, samples):
    while time.monotonic() < until:
        await asyncio.sleep(0.5)
        samples.append(private_bytes(pid))


async def main():
    with tempfile.TemporaryDirectory() as folder:
        example = root / 'examples/order-management'
        subprocess.run([tablecast, 'import', '--store', f'{folder}/store', '--table', 'OrderManagement', '--partition-key',
                        'pk', '--sort-key', 'sk', str(example / 'items.jsonl')], check=True, capture_output=True)
        server = subprocess.Popen([tablecast, 'serve', '--store', f'{folder}/store', '--catalog', str(example / 'catalog'),
                                   '--port', '0'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = None
        for line in server.stdout:
            found = re.search(r'http://127\.0\.0\.1:(\d+)', line)
            if found:
                port = int(found.group(1))
                break
        try:
            begin = time.monotonic()
            until, samples = begin + seconds, []
            await asyncio.gather(*(worker(port, until) for _ in range(connections)),
                                 *(slow(port, until) for _ in range(slow_connections)), watch(server.pid, until, samples))
            alive = server.poll() is None
        finally:
            server.terminate()
            code = server.wait(30)
        warm = samples[len(samples) // 6]
        grown = max(samples[len(samples) // 6:]) - warm
        latencies.sort()
        answers = len(latencies)
        print(f'{answers} answers in {seconds:.0f} s over {connections} connections, {slow_connections} slow ones beside')
        print('by status: ' + ', '.join(f'{status}: {count}' for status, count in sorted(done.items(), key=str)))
        if answers:
            print(f'latency with this client on the same cores: median {latencies[answers // 2] * 1e3:.1f} ms, '
                  f'p99 {latencies[answers * 99 // 100] * 1e3:.1f} ms, max {latencies[-1] * 1e3:.1f} ms')
        print(f'RssAnon {warm >> 20} MB warmed up, {grown / (1 << 20):+.1f} MB at most after')
        if not alive or code != 0:
            fault(f'the server ended by itself or badly: {code}')
        if grown > GROWTH:
            fault(f'private memory grew by {grown >> 20} MB')
        if not answers or done.get(200, 0) < answers / 2:
            fault('most requests were not served')
    print('\n'.join(faults) or 'every answer was one that was asked for')
    return bool(faults)


sys.exit(asyncio.run(main()))
