"""validate --watch judges again when a file changes: usage: watch_test.py TABLECAST"""
import pathlib
import subprocess
import sys
import tempfile
import threading

def write(file, text):
    """At once: a watch that looks in between would judge half a file."""
    new = file.with_suffix('.new')
    new.write_text(text)
    new.replace(file)


GOOD = '{"columns": {"pk": {"type": "S", "postFilter": "^[A-Z]+$"}}}'
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / 'Orders.json'
    file.write_text(GOOD)
    watch = subprocess.Popen([sys.argv[1], 'validate', '--watch', str(file)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True)
    stop = threading.Timer(60, watch.kill)  # a watch that prints nothing must not hang the test
    stop.start()

    def report():
        lines = []
        for line in watch.stdout:
            lines.append(line)
            if ' file, ' in line:
                break
        return ''.join(lines)

    try:
        first = report()
        write(file, GOOD.replace('postFilter', 'postfilter'))
        second = report()
        write(file, GOOD + '  ')
        third = report()
    finally:
        stop.cancel()
        watch.kill()
        watch.wait()
assert '1 file, 0 errors' in first, first
assert 'did you mean `postFilter`?' in second and '1 file, 1 error' in second, second
assert '1 file, 0 errors' in third, third
