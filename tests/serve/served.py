"""A running `tablecast serve` for tests: an example's items in a store of its own, requests over HTTP."""
import http.client
import json
import pathlib
import re
import subprocess
import tempfile
import time


class Served:
    def __init__(self, source, tablecast, example, config=None, flags=(), catalog=None, env=None):
        self.source, self.tablecast = pathlib.Path(source), tablecast
        self.folder = tempfile.TemporaryDirectory()
        self.work = pathlib.Path(self.folder.name)
        self.catalog = str(catalog or self.source / 'examples' / example / 'catalog')
        self.store = str(self.work / 'store')
        self.flags, self.env = list(flags), env
        if config is not None:
            (self.work / 'server.json').write_text(json.dumps(config))
            self.flags += ['--config', str(self.work / 'server.json')]
        subprocess.run([str(self.source / 'scripts/import_example.sh'), tablecast, example, self.store], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *unused):
        self.stop()
        self.folder.cleanup()

    def start(self):
        out = open(self.work / 'out', 'wb')
        error = open(self.work / 'err', 'ab')
        self.process = subprocess.Popen([self.tablecast, 'serve', '--store', self.store, '--catalog', self.catalog,
                                         '--port', '0', *self.flags], stdout=out, stderr=error, env=self.env)
        for _ in range(600):
            found = re.search(r'http://[^/]*:(\d+)', (self.work / 'out').read_text())
            if found:
                self.port = int(found.group(1))
                return
            if self.process.poll() is not None:
                raise RuntimeError('serve stopped: ' + self.errors())
            time.sleep(0.05)
        raise RuntimeError('serve does not answer: ' + self.errors())

    def errors(self):
        return (self.work / 'err').read_text()

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(60)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def request(self, method, path, body=None, headers=None, connection=None):
        """(status, headers, body text)"""
        own = connection is None
        connection = connection or http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)
        sent = {'Content-Type': 'application/json'} if body is not None else {}
        sent.update(headers or {})
        text = body if isinstance(body, (bytes, str, type(None))) else json.dumps(body)
        connection.request(method, '/odata/' + path if not path.startswith('/') else path,
                           text.encode() if isinstance(text, str) else text, sent)
        answer = connection.getresponse()
        out = answer.status, answer.headers, answer.read().decode()
        if own:
            connection.close()
        return out
