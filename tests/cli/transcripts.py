"""Golden transcripts of the program: usage: transcripts.py SOURCE_DIR TABLECAST

Each tests/golden/cli/NAME.golden is a session: lines that begin with `$ ` are run by bash in one folder a session,
what they print (standard output, then standard error) follows, then `[exit N]` unless N is 0. Other lines that begin
with `#` at the top are prose. `examples` is there, and `import-example NAME STORE` loads one. TABLECAST_UPDATE_GOLDEN=1 rewrites the answers.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

source, tablecast = pathlib.Path(sys.argv[1]), sys.argv[2]
update = os.environ.get('TABLECAST_UPDATE_GOLDEN') == '1'
failures = []
for golden in sorted((source / 'tests/golden/cli').glob('*.golden')):
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / 'bin').mkdir()
        (work / 'bin/tablecast').symlink_to(tablecast)
        (work / 'examples').symlink_to(source / 'examples')
        wrapper = work / 'bin/import-example'
        wrapper.write_text(f'#!/bin/sh\nexec {source}/scripts/import_example.sh tablecast "$@"\n')
        wrapper.chmod(0o755)
        env = dict(os.environ, PATH=f"{work / 'bin'}:{os.environ['PATH']}", NO_COLOR='1', LC_ALL='C.UTF-8', TZ='UTC')
        want = golden.read_text()
        prose, commands = [], []
        for line in want.splitlines():
            if line.startswith('$ '):
                commands.append(line[2:])
            elif not commands:
                prose.append(line)
        got = '\n'.join(prose) + ('\n' if prose else '')
        for command in commands:
            done = subprocess.run(['bash', '-c', command], cwd=work, env=env, timeout=120, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
            answer = done.stdout.decode() + done.stderr.decode()
            got += f'$ {command}\n{answer}' + ('' if answer.endswith('\n') or not answer else '\n')
            got += f'[exit {done.returncode}]\n' if done.returncode else ''
            got += '\n'
    got = got.rstrip('\n') + '\n'
    if got == want:
        continue
    if update:
        golden.write_text(got)
        continue
    failures.append(golden.name)
    subprocess.run(['diff', '-u', '--label', golden.name, '--label', 'printed now', str(golden), '-'], input=got.encode())
if failures:
    sys.exit('differ: ' + ', '.join(failures) + ' (TABLECAST_UPDATE_GOLDEN=1 rewrites them)')
