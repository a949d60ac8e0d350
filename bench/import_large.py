"""Imports generated items through a pipe and samples the memory: usage: import_large.py BIN_FOLDER TABLECAST FOLDER [GIGABYTES]

BIN_FOLDER holds generate_orders and dump_parse. Within one run, so that the ratios mean something on a busy machine:
the disk's write rate (a file with fdatasync) and parsing alone (dump_parse, over a tenth of as many items) before and
after the import; processor seconds beside wall-clock ones, since only they mean something when others compute too. Prints one JSON object; needs about three times the size free in FOLDER.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

bench, tablecast, folder = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
gigabytes = float(sys.argv[4]) if len(sys.argv) > 4 else 10
ITEM_BYTES = 139  # on average
folder.mkdir(parents=True, exist_ok=True)
sample, store = folder / 'sample.jsonl', folder / 'store'
shutil.rmtree(store, ignore_errors=True)


def generate(size, **where):
    return subprocess.Popen([bench / 'generate_orders', str(int(size / ITEM_BYTES))], **where)


def disk_rate():
    block = os.urandom(1 << 24)
    path = folder / 'rate'
    began = time.monotonic()
    with open(path, 'wb', buffering=0) as out:
        for _ in range(64):
            out.write(block)
        os.fdatasync(out.fileno())
    took = time.monotonic() - began
    path.unlink()
    return 64 * len(block) / took


def parse_rate():
    """Bytes a second, and a processor second."""
    process = subprocess.Popen([bench / 'dump_parse', sample, 'pk', 'sk'], stdout=subprocess.PIPE)
    done = json.loads(process.stdout.read())
    usage = os.wait4(process.pid, 0)[2]
    parse_cpu.append(done['bytes'] / (usage.ru_utime + usage.ru_stime))
    return done['bytes'] / done['milliseconds'] * 1000


def rss_anon(pid):
    for line in pathlib.Path(f'/proc/{pid}/status').read_text().splitlines():
        if line.startswith('RssAnon:'):
            return int(line.split()[1]) * 1024
    return 0


with open(sample, 'wb') as out:
    if generate(gigabytes * 1e8, stdout=out).wait() != 0:
        sys.exit('generate_orders failed')
parse_cpu = []
disk, parse = [disk_rate()], [parse_rate()]
generator = generate(gigabytes * 1e9, stdout=subprocess.PIPE)
importing = subprocess.Popen([tablecast, 'import', '--store', store, '--table', 'Orders', '--partition-key', 'pk', '--sort-key', 'sk',
                              '--summary', 'json', '-'], stdin=generator.stdout, stdout=subprocess.PIPE)
samples = []
over = threading.Event()


def watch():
    while not over.wait(0.25):
        try:
            samples.append(rss_anon(importing.pid))
        except FileNotFoundError:
            return


threading.Thread(target=watch, daemon=True).start()
began = time.monotonic()
summary = json.loads(importing.stdout.read())
_, code, usage = os.wait4(importing.pid, 0)
cpu = usage.ru_utime + usage.ru_stime
took = time.monotonic() - began
over.set()
if generator.wait() != 0:
    sys.exit('generate_orders failed')
given = summary['bytes']
disk.append(disk_rate())
parse.append(parse_rate())
stored = sum(f.stat().st_blocks * 512 for f in store.rglob('*') if f.is_file())
shutil.rmtree(store)
sample.unlink()
rate = given / took
given_by_cpu = given / cpu
print(json.dumps({
    'exit': code, 'bytes': given, 'summary': summary, 'seconds': round(took, 1),
    'maxRssAnonMiB': round(max(samples) / 2 ** 20, 1), 'samples': len(samples), 'bytesPerSecond': round(rate),
    'storeBytes': stored, 'storeOverDump': round(stored / given, 3),
    'diskBytesPerSecond': [round(r) for r in disk], 'parseBytesPerSecond': [round(r) for r in parse],
    'cpuSeconds': round(cpu, 1), 'parseBytesPerCpuSecond': [round(r) for r in parse_cpu],
    'importOverParseByCpu': round(given_by_cpu / (sum(parse_cpu) / 2), 3),
    'importOverParse': round(rate / (sum(parse) / 2), 3), 'importOverDisk': round(rate / (sum(disk) / 2), 3)}, indent=1))
