#!/usr/bin/env python3
"""Asks ptxas whether it takes what warpwise_ptx::link makes.

    scripts/ptxas/link.py [--ptxas PATH] [SET ...]

A SET is a list of PTX files with commas between them. Without any, the objects in crates/ptx/tests/link are linked, and
every file of crates/ptx/tests/in that ptxas takes by itself is linked with an empty module. ptxas needs no GPU; it comes
from pip: see mutants.py.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCH = "sm_90a"
EMPTY = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry none_of_them() { ret; }\n"


def accepts(ptxas, path, folder):
    command = [ptxas, f"-arch={ARCH}", str(path), "-o", str(folder / "out.cubin")]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def default_sets(ptxas, folder):
    objects = ROOT / "crates/ptx/tests/link"
    yield sorted(objects.glob("*.ptx"))
    empty = folder / "empty.ptx"
    empty.write_text(EMPTY)
    for path in sorted((ROOT / "crates/ptx/tests/in").glob("*.ptx")):
        # A version that an older assembler knows too.
        copy = folder / path.name
        copy.write_text(re.sub(r"^\.version .*", ".version 9.0", path.read_text(), flags=re.M))
        if accepts(ptxas, copy, folder)[0]:
            yield [copy, empty]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxas", default=shutil.which("ptxas"), help="where ptxas is, if it is not in PATH")
    parser.add_argument("sets", nargs="*", help="files to link, with commas between them")
    options = parser.parse_args()
    if not options.ptxas:
        parser.error("ptxas is not in PATH: give --ptxas PATH")
    subprocess.run(["cargo", "build", "-q", "-p", "warpwise-ptx", "--example", "link"], cwd=ROOT, check=True)
    linker = ROOT / "target/debug/examples/link"
    refused = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sets = [list(map(pathlib.Path, text.split(","))) for text in options.sets]
        for files in sets or default_sets(options.ptxas, folder):
            names = ", ".join(path.name for path in files)
            done = subprocess.run([linker, *files], capture_output=True, text=True)
            linked = folder / "linked.ptx"
            linked.write_text(done.stdout)
            taken, said = accepts(options.ptxas, linked, folder) if done.returncode == 0 else (False, done.stderr)
            print(f"{'taken' if taken else 'refused'}: {names}")
            if not taken:
                refused += 1
                print(said, file=sys.stderr)
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
