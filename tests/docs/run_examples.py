"""Runs the examples of README.md and docs/: usage: run_examples.py SOURCE_DIR TABLECAST

- A block behind `<!-- test: COMMAND ARGS -->` must be exactly what `tablecast COMMAND` prints over the example
  order-management (`query` and `explain` get its store and catalog).
- Lines of sh blocks that begin with `tablecast ` or `curl ` are run, in order, in a folder that holds what they
  name: `dump.json.gz`, `data/order-management`, `examples/`, `catalog`, `store`. They must succeed. curl asks a server started here.
- Fenced blocks behind `<!-- not run: WHY -->` are left alone.
"""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

source, tablecast = pathlib.Path(sys.argv[1]), sys.argv[2]
failures = []
ran = 0


def run(command, cwd, **extra):
    return subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **extra)


def blocks(text):
    """(comment or '', language, body, line) of every fenced block."""
    for m in re.finditer(r'(?:<!-- (.*?) -->\s*\n)?^```(\w*)\n(.*?)^```', text, re.S | re.M):
        yield m[1] or '', m[2], m[3], text[:m.start(2)].count('\n') + 1


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    (work / 'bin').mkdir()
    (work / 'bin' / 'tablecast').symlink_to(tablecast)
    (work / 'examples').symlink_to(source / 'examples')
    items = (source / 'examples/order-management/items.jsonl').read_bytes()
    (work / 'dump.json.gz').write_bytes(gzip.compress(items))
    env = dict(os.environ, PATH=f"{work / 'bin'}:{os.environ['PATH']}", NO_COLOR='1')
    (work / 'data').mkdir()
    subprocess.run([source / 'scripts/import_example.sh', tablecast, 'order-management', work / 'data/order-management'],
                   check=True, stdout=subprocess.DEVNULL)
    over = ['--store', 'data/order-management', '--catalog', 'examples/order-management/catalog']
    server = subprocess.Popen([tablecast, 'serve', *over, '--port', '0'], cwd=work, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    try:
        port = None
        deadline = time.time() + 60
        while port is None and time.time() < deadline:
            m = re.search(r'http://[^:]+:(\d+)/', server.stdout.readline())
            port = m and m[1]
        for page in [source / 'README.md', *sorted((source / 'docs').glob('*.md'))]:
            for comment, language, body, line in blocks(page.read_text()):
                where = f'{page.relative_to(source)}:{line}'
                if comment.startswith('not run:'):
                    continue
                if comment.startswith('test:'):
                    words = comment[5:].strip().split(' ', 1)
                    command = [tablecast, words[0], *(over if words[0] in ('query', 'explain') else []), *words[1:]]
                    done = run(command, work, env=env)
                    ran += 1
                    if done.returncode != 0 or done.stdout.decode().strip() != body.strip():
                        failures.append(f'{where}: `{" ".join(words)}` printed\n{done.stdout.decode()}{done.stderr.decode()}')
                elif language == 'sh':
                    joined = body.replace('\\\n', ' ')
                    for command in joined.splitlines():
                        command = re.sub(r'\s+#.*$', '', command.strip())
                        if not command.startswith(('tablecast ', 'curl ')) or re.match(r'tablecast serve\b', command):
                            continue
                        if command.startswith('curl '):
                            command = command.replace('127.0.0.1:8080', f'127.0.0.1:{port}').replace('curl ', 'curl -sf ', 1)
                        done = run(['bash', '-c', command], work, env=env)
                        ran += 1
                        if done.returncode not in (0, 1) or (command.startswith('curl') and done.returncode != 0):
                            failures.append(f'{where}: `{command}` exits {done.returncode}\n{done.stderr.decode()}')
    finally:
        server.terminate()
        server.wait()
print('\n'.join(failures) or f'{ran} examples are as written')
sys.exit(bool(failures) or ran == 0)
