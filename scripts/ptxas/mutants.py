#!/usr/bin/env python3
"""Compares the verdicts of warpwise's PTX reader and of ptxas on damaged PTX files.

    scripts/ptxas/mutants.py [--count 20000] [--ptxas PATH] [--report FILE]

It takes the PTX files of the repository that ptxas accepts, changes one thing in each copy (an operand, a modifier, a
type, a register, a state space, a label, a directive) and asks both whether the copy is well formed. The seed is fixed,
so the same files give the same copies. ptxas needs no GPU; without a CUDA toolkit it comes from pip:

    pip install nvidia-cuda-nvcc-cu12

and lies in nvidia/cuda_nvcc/bin/ptxas among the installed packages.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import mutations

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCH = "sm_90a"
# Memory for ptxas; some files declare billions of registers.
MEMORY = 2 << 30
# How many verdicts are asked for before they are kept.
CHUNK = 500
# Larger files take ptxas long and add no instructions of a new kind.
LARGEST = 24_000
# What ptxas says when it objects to something else than syntax and types; opcodes that the emulator does not know are
# left to the executor.
OTHER = re.compile(
    r"requires \.target|not supported on \.target|requires PTX ISA|32-Bit ABI|is not supported (on|for) |too much|"
    r"Not a name of any known instruction|out of range|Internal error|Memory allocation|Unsupported \.version|deprecated|unresolved extern|does not support"
)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1, help="of the choice of mutants")
    parser.add_argument("--ptxas", default=shutil.which("ptxas"), help="where ptxas is, if it is not in PATH")
    parser.add_argument("--reader", type=pathlib.Path, help="a built example 'verdicts' of warpwise-ptx")
    parser.add_argument("--report", type=pathlib.Path, help="where to write the disagreements")
    parser.add_argument("--data", type=pathlib.Path, help="where to write mutants with the verdicts of ptxas, for tests")
    parser.add_argument("--keep", type=int, default=600, help="how many of them")
    parser.add_argument("--cache", type=pathlib.Path, help="a file that keeps the verdicts of ptxas between runs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes of ptxas at a time")
    options = parser.parse_args()
    if not options.ptxas:
        sys.exit("ptxas is not in PATH: name it with --ptxas, or run 'pip install nvidia-cuda-nvcc-cu12'")
    return options


def judge(ptxas, path):
    """The first message of ptxas, or None if it accepts the file."""
    command = [ptxas, f"-arch={ARCH}", "-O0", "-o", "/dev/null", path]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        return "Internal error: takes too long"
    if done.returncode == 0:
        return None
    messages = re.findall(r"(?:error|fatal)\s*: (.*)", done.stderr + done.stdout)
    return messages[0].strip() if messages else (done.stderr + done.stdout).strip()[:200] or "Internal error: no message"


def normal(text):
    """The text for one target, so that instructions are not refused for the GPU they need."""
    text = re.sub(r"^\s*\.version.*$", ".version 8.8", text, flags=re.M)
    return re.sub(r"^\s*\.target.*$", f".target {ARCH}", text, flags=re.M)


def judge_all(options, folder, texts):
    paths = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.ptx"
        path.write_text(text)
        paths.append(path)
    kept = json.loads(options.cache.read_text()) if options.cache and options.cache.exists() else {}
    keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    new = [number for number, key in enumerate(keys) if key not in kept]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for start in range(0, len(new), CHUNK):
            chunk = new[start:start + CHUNK]
            verdicts = pool.map(lambda number: judge(options.ptxas, paths[number]), chunk)
            kept.update(zip((keys[number] for number in chunk), verdicts))
            if options.cache:
                options.cache.write_text(json.dumps(kept))
    verdicts = [kept[key] for key in keys]
    command = [options.reader] if options.reader else [
        "cargo", "run", "--quiet", "-p", "warpwise-ptx", "--example", "verdicts"]
    names = "".join(f"{path}\n" for path in paths)
    done = subprocess.run(command, input=names, capture_output=True, text=True, check=True, cwd=ROOT)
    ours = [None if line == "accepted" else line for line in done.stdout.splitlines()]
    for path in paths:
        path.unlink()
    return list(zip(verdicts, ours, strict=True))


def sources(options, folder):
    """The PTX files of the repository that ptxas accepts, by name."""
    listed = subprocess.run(["git", "ls-files", "*.ptx"], capture_output=True, text=True, check=True, cwd=ROOT)
    texts = {}
    for name in sorted(listed.stdout.split()):
        text = (ROOT / name).read_text(errors="replace")
        if len(text) <= LARGEST and "fuzz/" not in name:
            texts[name] = normal(text)
    verdicts = judge_all(options, folder, list(texts.values()))
    wrong = [(name, ours) for name, (theirs, ours) in zip(texts, verdicts) if theirs is None and ours is not None]
    for name, ours in wrong:
        print(f"{name}: ptxas accepts it, but {ours}")
    return {name: text for (name, text), (theirs, _) in zip(texts.items(), verdicts) if theirs is None}


def main():
    options = arguments()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = sources(options, folder)
        mutants = mutations.mutants(files, options.count, random.Random(options.seed))
        verdicts = judge_all(options, folder, [mutant.text for mutant in mutants])
    rows = [(mutant, *verdict) for mutant, verdict in zip(mutants, verdicts)]
    elsewhere = [row for row in rows if row[1] and OTHER.search(row[1])]
    judged = [row for row in rows if not (row[1] and OTHER.search(row[1]))]
    differ = [row for row in judged if (row[1] is None) != (row[2] is None)]
    lenient = sum(row[2] is None for row in differ)
    refused = sum(row[1] is not None for row in judged)
    agreement = 100 * (1 - len(differ) / max(1, len(judged)))
    summary = (
        f"{len(rows)} mutants of {len({row[0].file for row in rows})} files: {len(elsewhere)} refused by ptxas for other "
        f"reasons than syntax and types; of the other {len(judged)}, ptxas refuses {refused}. The reader agrees on "
        f"{agreement:.2f} %, accepts {lenient} that ptxas refuses, and refuses {len(differ) - lenient} that it accepts."
    )
    print(summary)
    if options.report:
        write_report(options.report, summary, differ)
    if options.data:
        write_data(options, judged)


def write_report(path, summary, differ):
    groups = collections.defaultdict(list)
    for mutant, theirs, ours in differ:
        reason = theirs or f"accepted; the reader: {ours.split(': ', 1)[-1]}"
        groups[mutations.general(reason)].append((mutant, theirs, ours))
    with path.open("w") as out:
        out.write(summary + "\n")
        for reason, group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
            out.write(f"\n{len(group)}  {reason}\n")
            for mutant, theirs, ours in group:
                out.write(f"    {mutant.file}:{mutant.line}  {mutant.after}  [{mutant.kind}]\n")
                out.write(f"        ptxas: {theirs or 'accepted'}; reader: {ours or 'accepted'}\n")


def write_data(options, judged):
    """A sample of the mutants on which both agree, one a line: file, number of the line, verdict, the line."""
    agreed = [row for row in judged if (row[1] is None) == (row[2] is None) and row[0].file.startswith("crates/simt/tests/micro/")]
    chosen = random.Random(options.seed).sample(agreed, min(options.keep, len(agreed)))
    with options.data.open("w") as out:
        for mutant, theirs, _ in sorted(chosen, key=lambda row: (row[0].file, row[0].line, row[0].after)):
            out.write("\t".join([mutant.file, str(mutant.line), theirs or "accepted", mutant.after]) + "\n")


if __name__ == "__main__":
    main()
