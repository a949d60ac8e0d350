"""Writes a C++ source file that holds the bytes of the browsing page's files.

usage: embed_files.py OUTPUT FILE...
The names are the files' base names. Their common version is a hash over all names and bytes, so that
an address that contains it may be cached for ever.
"""
import hashlib
import pathlib
import sys

MEDIA_TYPES = {'.html': 'text/html;charset=utf-8', '.css': 'text/css;charset=utf-8',
               '.js': 'text/javascript;charset=utf-8', '.svg': 'image/svg+xml'}
PLAIN = {byte: chr(byte) for byte in range(0x20, 0x7F) if chr(byte) not in '"\\?'}


def literal(data):
    """C++ string literals, one a source line; octal escapes end after three digits, hex ones do not."""
    lines = data.splitlines(keepends=True) or [b'']
    return '\n'.join('    "' + ''.join(PLAIN.get(b, f'\\{b:03o}') for b in line) + '"' for line in lines)


def main():
    output, *names = sys.argv[1:]
    files = sorted((pathlib.Path(name) for name in names), key=lambda path: path.name)
    version = hashlib.sha256()
    entries = []
    for path in files:
        data = path.read_bytes()
        version.update(path.name.encode() + b'\0' + str(len(data)).encode() + b'\0' + data)
        etag = hashlib.sha256(data).hexdigest()[:32]
        entries.append(f'  {{"{path.name}", "{MEDIA_TYPES[path.suffix]}", "{etag}", std::string_view(\n'
                       f'{literal(data)},\n    {len(data)})}},\n')
    text = ('// Made by cmake/embed_files.py from web/. Do not edit.\n#include "odata/web_files.h"\n\n'
            '#include <array>\n\nnamespace tablecast {\n\nnamespace {\n'
            f'constexpr std::array<WebFile, {len(entries)}> kFiles = {{{{\n{"".join(entries)}}}}};\n'
            '}  // namespace\n\n'
            'std::span<const WebFile> WebFiles() { return kFiles; }\n'
            f'std::string_view WebVersion() {{ return "{version.hexdigest()[:16]}"; }}\n\n'
            '}  // namespace tablecast\n')
    pathlib.Path(output).write_text(text, encoding='ascii')


main()
