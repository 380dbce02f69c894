"""The PTX texts that mutants are made of."""

import pathlib
import re
import subprocess
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Larger modules take long and add nothing of a new kind: single kernels are cut out of them.
LARGEST = 40_000
KERNELS = 3
VERSION = "8.8"
# Files of the repository are read for one target, so that instructions are not refused for the GPU they need; compiled
# ones keep theirs.
TARGET = "sm_90a"
# One file in this many is kept aside, for mutants that nothing was tuned for.
ASIDE = 5


def all_texts(compiled):
    """The texts by name: files of the repository, and those in a folder."""
    listed = subprocess.run(["git", "ls-files", "*.ptx"], capture_output=True, text=True, check=True, cwd=ROOT)
    texts = {}
    for name in sorted(listed.stdout.split()):
        if name.startswith("fuzz/"):
            continue
        text = lean(name, for_target((ROOT / name).read_text(errors="replace"), TARGET))
        texts.update({name: text} if len(text) <= LARGEST else cut(name, text))
    for path in sorted(compiled.glob("*.ptx")) if compiled else []:
        name = f"compiled/{path.name}"
        text = lean(name, for_target(path.read_text(errors="replace"), None))
        texts.update({name: text} if len(text) <= LARGEST else cut(name, text))
    return {name: text for name, text in texts.items() if len(text) <= LARGEST}


def for_target(text, target):
    text = re.sub(r"^\s*\.version.*$", f".version {VERSION}", text, flags=re.M)
    return re.sub(r"^\s*\.target.*$", f".target {target}", text, flags=re.M) if target else text


def target_of(text):
    found = re.search(r"^\s*\.target\s+sm_(\w+)", text, flags=re.M)
    return found[1] if found else "90a"


def cut(name, text):
    """Some kernels of a large module, each with everything that is no kernel. Their debug information is left out."""
    text = without_sections(text)
    pieces = re.split(r"(?m)^(?=(?:\.visible |\.weak |// )*\.entry)", text)
    if len(pieces) == 1:
        return {name: text}
    kernels = []
    for piece in pieces[1:]:
        end = re.search(r"(?m)^\}\s*$", piece)
        if end:
            kernels.append(piece[:end.end()])
            pieces[0] += piece[end.end():]
    kernels = [kernel for kernel in kernels if len(kernel) + len(pieces[0]) <= LARGEST]
    step = max(1, len(kernels) // KERNELS)
    return {f"{name}#{at}": pieces[0] + kernels[at] for at in range(0, len(kernels), step)[:KERNELS]}


def lean(name, text):
    """Debug information is much and alike: a few files keep it."""
    return without_sections(text) if zlib.crc32(name.encode()) % 12 else text


def without_sections(text):
    text = re.sub(r"^\s*\.section[^{]*\{.*?^\s*\}\s*$", "", text, flags=re.M | re.S)
    return re.sub(r"^(\s*\.target\s+\w+),\s*debug", r"\1", text, flags=re.M)


def is_aside(name):
    return zlib.crc32(name.split("#")[0].encode()) % ASIDE == 0
