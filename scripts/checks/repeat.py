#!/usr/bin/env python3
"""Checks that findings are the same bytes every time: all kernels with defects, again and again, on one core and on all.

    repeat.py [--warpwise PROGRAM] [--runs N] [--only TEXT]

Makes a launch file of the collection in crates/simt/tests/defects and runs `warpwise check` on it with SARIF and JSON,
with one launch at a time and with eight, on one core of this machine and on all of them. Times and counters are left out
of the comparison. Exit status: 0 always the same, 1 a difference, 2 nothing to run.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFECTS = ROOT / "crates" / "simt" / "tests" / "defects"
TIME_LIMIT = 5  # Seconds; every kernel that ends does so in far less.


def headers(source):
    """The cases of a file: the lines above each kernel that start with `//:`, and the kernel's name."""
    lines, found = [], []
    for line in source.read_text().splitlines():
        if line.startswith("//:"):
            text = line[3:]
            if text.startswith("   ") and lines:
                lines[-1] += " " + text.strip()
            else:
                lines.append(text.strip())
        elif lines and "__global__" in line:
            names = re.findall(r"(\w+)\s*\(", line.replace("__launch_bounds__(", ""))
            if names:
                found.append((names[-1] if names[0] == "extern" else names[0], lines))
                lines = []
    return found


def cases(only):
    """Tables of a launch file."""
    for source in sorted(DEFECTS.glob("*/*.cu")):
        for kernel, lines in headers(source):
            open_case = None
            for line in [*lines, "correct the end"]:
                word, _, rest = line.partition(" ")
                if word in ("defect", "correct"):
                    if open_case and only in open_case["name"]:
                        yield open_case
                    name = f"{source.parent.name}/{source.stem} {kernel}: {rest}"
                    open_case = {"name": name, "file": str(source.with_suffix(".ptx")), "kernel": kernel, "args": []}
                elif word == "arg":
                    open_case["args"].append(rest)
                elif word in ("grid", "shared", "cluster"):
                    words = line.split()
                    open_case.update({k: v for k, v in zip(words[::2], words[1::2])})


def launch_file(tables):
    text, seen = [], set()
    for table in tables:
        table = dict(table)
        while table["name"] in seen:
            table["name"] += "'"
        seen.add(table["name"])
        text.append("[[launch]]")
        for key, value in table.items():
            text.append(f"{key} = {int(value) if key == 'shared' else json.dumps(value)}")
        text.append("")
    return "\n".join(text), len(seen)


def findings(text):
    """A report without times and counters: how often a block asks again for what another has done depends on timing."""
    text = re.sub(r'"(seconds|ms|time_ms)": ?[-+.\de]+', '"time": 0', text)
    return re.sub(r'"counters": ?{[^{}]*}', '"counters": {}', text)


def difference(one, other):
    """The first place where two texts differ, with a little of what is around it."""
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return [text[max(0, at - 80) : at + 80].replace("\n", " ") for text in (one, other)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warpwise", default=str(ROOT / "target" / "release" / "warpwise"))
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--only", default="", help="cases whose file, kernel or words contain this")
    arguments = parser.parse_args()
    text, count = launch_file(cases(arguments.only))
    if not count:
        print("no such case")
        return 2
    cores = sorted(os.sched_getaffinity(0))
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "defects.toml")
        file.write_text(text)
        for form in ("sarif", "json"):
            first = None
            for run in range(arguments.runs):
                some, jobs = (cores[:1], "1") if run % 3 == 0 else (cores, "1") if run % 3 == 1 else (cores, "8")
                command = [arguments.warpwise, "check", str(file), "--format", form, "--jobs", jobs]
                # One of the kernels waits for ever.
                command += ["--time-limit", str(TIME_LIMIT)]
                done = subprocess.run(
                    command,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    check=False,
                    preexec_fn=lambda some=some: os.sched_setaffinity(0, some),
                )
                if done.returncode not in (0, 1):
                    print(done.stderr)
                    return 2
                output = findings(done.stdout)
                first = first or output
                if output != first:
                    different += 1
                    a, b = difference(first, output)
                    print(f"{form}, run {run}, {len(some)} cores, {jobs} at a time:\n  {a}\n  {b}", flush=True)
            print(f"{form}: {count} cases, {arguments.runs} runs, {len(first)} bytes", flush=True)
    print("always the same" if not different else f"{different} runs differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
