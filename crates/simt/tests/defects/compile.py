#!/usr/bin/env python3
"""Compiles the .cu files of this collection to the .ptx files beside them.

    compile.py PLACE            writes what has changed
    compile.py --check PLACE    fails if a .ptx is not what its .cu compiles to

PLACE is a folder that holds NVRTC 12.0 and CUDA's headers somewhere below it, as for ../kernels/compile.py. A file is
compiled for compute_70 unless it has a line `//: arch ARCHITECTURE`.
"""

import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
sys.dont_write_bytecode = True

from compile import Nvrtc  # noqa: E402 (the folder has to be named first)

COMPILER = "nvrtc-12.0"
ARCHITECTURE = re.compile(r"^//: arch (\w+)$", re.MULTILINE)


def main():
    check = sys.argv[1:2] == ["--check"]
    places = sys.argv[1 + check :]
    if len(places) != 1 or places[0].startswith("-"):
        sys.exit(__doc__)
    nvrtc = Nvrtc(pathlib.Path(places[0]).resolve())
    if nvrtc.name != COMPILER:
        sys.exit(f"this is {nvrtc.name}; the collection is compiled with {COMPILER}")
    os.chdir("/")
    stale = []
    sources = sorted(HERE.glob("*/*.cu"))
    for source in sources:
        arch = ARCHITECTURE.search(source.read_text())
        try:
            text = nvrtc.compile(source, arch.group(1) if arch else "compute_70")
        except RuntimeError as error:
            sys.exit(f"{source.parent.name}/{source.name}: {error}")
        target = source.with_suffix(".ptx")
        if not target.exists() or target.read_text() != text:
            stale.append(f"{target.parent.name}/{target.name}")
            if not check:
                target.write_text(text)
    if check and stale:
        sys.exit(f"not up to date: {', '.join(stale)}")
    print(f"{len(sources)} files, {len(stale)} written")


if __name__ == "__main__":
    main()
