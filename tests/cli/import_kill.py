"""Kills `tablecast import` with SIGKILL at random moments and goes on with --resume: usage: import_kill.py TABLECAST SHIM

Nothing may be lost or doubled, and the counts of the last summary must be those of an import that nobody disturbed. Then
the same under a full disk and a failing sync (the preloaded shim SHIM) at many events. TABLECAST_LONG_TESTS widens both.
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

tablecast, shim = sys.argv[1], sys.argv[2]
long_run = bool(os.environ.get('TABLECAST_LONG_TESTS'))
ITEMS = 120_000
seed = int(os.environ.get('TABLECAST_SEED', '20260101'))
rng = random.Random(seed)


def fail(message):
    sys.exit(f'import_kill (seed {seed}): {message}')


def importing(store, dump, *more):
    return [tablecast, 'import', '--store', str(store), '--table', 'Orders', '--partition-key', 'pk', '--sort-key', 'sk',
            '--summary', 'json', *more, str(dump)]


def run(command, **extra):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, **extra)


def exported(store):
    done = run([tablecast, 'export', '--store', str(store), '--table', 'Orders'])
    if done.returncode != 0:
        fail(f'export: {done.stderr.decode()}')
    return done.stdout


def counts(summary):
    return {name: summary[name] for name in ('read', 'written', 'replaced', 'deleted', 'rejected', 'tables')}


def write_dump(path, items):
    """Items in random order, one in ten written twice and one in twenty deleted again: every count is at work."""
    with open(path, 'w') as out:
        for i in range(items):
            n = rng.randrange(items)
            item = {'pk': {'S': f'p{n // 4}'}, 'sk': {'S': f's{n % 4}'}, 'n': {'N': str(i)}, 't': {'S': 'x' * (n % 90)}}
            if i % 20 == 0:
                request = {'DeleteRequest': {'Key': {'pk': item['pk'], 'sk': item['sk']}}}
            else:
                request = {'PutRequest': {'Item': item}}
            out.write(('{"Orders":[' if i == 0 else ',') + json.dumps(request, separators=(',', ':')) + '\n')
        out.write(']}\n')


def resumed(store, dump):
    """Goes on until the import is done. A run that was killed before its first commit has nothing to resume."""
    done = run(importing(store, dump, '--resume'))
    if done.returncode == 2 and b'no import was interrupted' in done.stderr:
        done = run(importing(store, dump))
    if done.returncode != 0:
        fail(f'the import that goes on ends with {done.returncode}: {done.stderr.decode()}')
    return counts(json.loads(done.stdout))


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    dump = work / 'dump.json'
    write_dump(dump, ITEMS)
    began = time.monotonic()
    whole = run(importing(work / 'whole', dump))
    took = time.monotonic() - began
    if whole.returncode != 0:
        fail(whole.stderr.decode())
    want, want_counts = exported(work / 'whole'), counts(json.loads(whole.stdout))
    kills = resumes = 0
    for round_ in range(80):
        # Kills hit where they hit: a few more rounds until enough of them left something to resume.
        if round_ >= (60 if long_run else 6) and kills >= 5 and resumes >= 2:
            break
        store = work / f'killed{round_}'
        more = []
        for _ in range(rng.randrange(1, 5)):
            # Any moment, most of them in the later part, where batches are committed.
            process = subprocess.Popen(importing(store, dump, *more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(timeout=took * (rng.random() if rng.random() < 0.3 else rng.uniform(0.55, 1)))
                if process.returncode == 0:
                    break
                if process.returncode != 2 or not more:
                    fail(f'an import that was not killed ended with {process.returncode}')
                more = []  # killed before its first commit: there is nothing to resume
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
                more = ['--resume']
        done = run(importing(store, dump, '--resume'))
        if done.returncode == 0:
            resumes += 1
            if counts(json.loads(done.stdout)) != want_counts:
                fail(f'round {round_}: counts {counts(json.loads(done.stdout))}, undisturbed {want_counts}')
        elif b'no import was interrupted' in done.stderr:
            if run(importing(store, dump)).returncode != 0:
                fail(f'round {round_}: the import does not run again')
        else:
            fail(f'round {round_}: {done.stderr.decode()}')
        if exported(store) != want:
            fail(f'round {round_}: the table is not that of an undisturbed import')
    if kills < 5 or resumes < 2:
        fail(f'only {kills} kills and {resumes} resumed imports: the test shows nothing')

    # A full disk, a failing sync and a power loss at one event after the other, until an import meets none.
    small = work / 'small.json'
    write_dump(small, 3_000)
    reference = run(importing(work / 'small', small))
    small_want, small_counts = exported(work / 'small'), counts(json.loads(reference.stdout))
    faults = {}
    for fault, reason in (('FAIL_WRITE_AT', b'disk-full'), ('FAIL_SYNC_AT', b'disk-error'), ('LOSE_AT', None)):
        at, met = 1, 0
        while True:
            store = work / f'{fault}{at}'
            done = run(importing(store, small), env=dict(os.environ, LD_PRELOAD=shim, **{f'TABLECAST_SHIM_{fault}': str(at)}))
            if done.returncode == 0:
                break
            met += 1
            if reason is not None and done.returncode != 3:
                fail(f'{fault} {at}: exit {done.returncode}, wanted 3: {done.stderr.decode()}')
            if reason is not None and not done.stderr.startswith(b'tablecast: import: '):
                fail(f'{fault} {at}: {done.stderr.decode()}')
            got = resumed(store, small)
            if got != small_counts:
                fail(f'{fault} {at}: counts {got}, undisturbed {small_counts}')
            if exported(store) != small_want:
                fail(f'{fault} {at}: the table is not that of an undisturbed import')
            at += 1 if long_run or at < 12 else 4
        if met == 0:
            fail(f'{fault}: no fault was met')
        faults[fault] = met
    print(f'{kills} kills, {resumes} resumed imports; faults met: {faults}')
