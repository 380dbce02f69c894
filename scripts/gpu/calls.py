#!/usr/bin/env python3
"""Runs the table of driver calls on a driver and compares the codes it returns with those of the table.

    calls.py [TABLE] [--library libcuda.so.1]

Needs Python 3.8 or newer and an NVIDIA driver, or any library with its interface. TABLE is the one of this repository
(crates/driver/tests/calls.txt) unless given; its comments say what a line means.

Prints every line that gave something else than it says, and a total. Exit status: 0 all equal, 1 a difference, 2 no
driver or no table.
"""

import argparse
import ctypes
import pathlib
import struct
import sys

TABLE = pathlib.Path(__file__).resolve().parents[2] / "crates/driver/tests/calls.txt"


def number(text):
    return int(text, 0)


def split(call):
    """Words, of which strings, structs and arrays are one each."""
    words, word, depth, quoted = [], "", 0, False
    for c in call:
        if c == '"':
            quoted = not quoted
        elif c in "{[" and not quoted:
            depth += 1
        elif c in "}]" and not quoted:
            depth -= 1
        if c == " " and depth == 0 and not quoted:
            words.append(word)
            word = ""
        else:
            word += c
    return [word for word in words + [word] if word]


class Run:
    def __init__(self, library):
        self.library = library
        self.variables = {}
        self.texts = {}
        self.kept = []

    def keep(self, data):
        buffer = ctypes.create_string_buffer(bytes(data), len(data))
        self.kept.append(buffer)
        return ctypes.addressof(buffer)

    def argument(self, word):
        if word == "null":
            return 0
        if word.startswith('"'):
            return self.keep(word.strip('"').encode() + b"\0")
        if word.startswith("&"):
            kind, name = word[1:].split(":")
            variable = self.variables.setdefault(name, ctypes.c_uint64(0))
            if kind != "u64":
                variable.value &= 0xFFFFFFFF
            return ctypes.addressof(variable)
        if word.startswith("$"):
            name, _, more = word[1:].partition("+")
            return self.variables[name].value + number(more or "0")
        if word.startswith("@"):
            return self.keep(self.texts[word[1:]].encode() + b"\0")
        if word.startswith("buffer:"):
            return self.keep(bytes(number(word[7:])))
        if word.startswith("{"):
            data = b""
            for field in word[1:-1].split(","):
                kind, value = field.split()
                size = 4 if kind == "u32" else 8
                data += bytes(-len(data) % size)
                data += struct.pack("<Q", self.argument(value) & (1 << 64) - 1)[:size]
            return self.keep(data + bytes(-len(data) % 8))
        if word.startswith("["):
            items = split(word[1:-1].replace(",", " "))
            return self.keep(b"".join(struct.pack("<Q", self.argument(item)) for item in items))
        return number(word)

    def line(self, line):
        """What is wrong with a line, or nothing."""
        call, _, checks = line.partition(" => ")
        codes, name, *words = split(call)
        try:
            function = getattr(self.library, name)
        except AttributeError:
            return f"there is no {name}"
        function.restype = ctypes.c_uint32
        arguments = [ctypes.c_uint64(self.argument(word) & (1 << 64) - 1) for word in words]
        code = function(*arguments)
        if str(code) not in codes.split("|"):
            return f"returned {code}"
        for check in checks.split():
            operator = next(o for o in ("==", "!=", ">=") if o in check)
            name, wanted = check.split(operator)
            value, wanted = self.variables[name].value, number(wanted)
            if not {"==": value == wanted, "!=": value != wanted, ">=": value >= wanted}[operator]:
                return f"{name} is {value}"
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", nargs="?", type=pathlib.Path, default=TABLE)
    parser.add_argument("--library", default="libcuda.so.1")
    options = parser.parse_args()
    try:
        run = Run(ctypes.CDLL(options.library))
        lines = options.table.read_text().split("\n")
    except OSError as error:
        print(f"calls.py: {error}", file=sys.stderr)
        return 2
    calls = wrong = at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("text "):
            end = lines.index("end", at)
            run.texts[line[5:]] = "\n".join(lines[at:end])
            at = end + 1
        elif line and not line.startswith("#"):
            calls += 1
            why = run.line(line)
            if why:
                wrong += 1
                print(f"line {at}: {why}\n    {line}", flush=True)
    print(f"{calls} calls, {wrong} different")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
