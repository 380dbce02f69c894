#!/usr/bin/env python3
"""Checks warpwise on an NVIDIA GPU: right results, the same bits as the emulator, clean under compute-sanitizer, times.

    check.py [--warpwise PROGRAM] [--wheel FILE] [--only STEP,STEP] [--out FOLDER]

Needs Python 3.8 or newer, an NVIDIA driver, and the warpwise program (`cargo build --release`). compute-sanitizer is
used if it is installed (PATH, or the CUDA toolkit's folder). Steps, in order:

    devices       what the GPU is, and how fast it copies
    selftest      every variant, type and operator against the reference
    large         more than 2^31 elements (20 GiB of host and GPU memory)
    differential  every launch on emulator and GPU, memory compared bit by bit
    micro         the micro-PTX files of this repository against the values that they state
    memcheck, racecheck, synccheck, initcheck
                  compute-sanitizer on every variant at small sizes
    python        the tests of the Python package from a wheel (--wheel), with PyTorch and CuPy if they are there
    times         stage times of the applications, and the benchmark of every primitive's variants

Prints the end of each step's output, and finally a table. With --out, the whole output of every step is
written there. Exit status: 0 all good, 1 something is wrong, 2 nothing can be checked.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ["memcheck", "racecheck", "synccheck", "initcheck"]
# Checks of a variant under compute-sanitizer, which makes kernels many times slower.
FEW = "24"


def sanitizer():
    """compute-sanitizer's path, if it is installed."""
    found = shutil.which("compute-sanitizer")
    places = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    for place in filter(None, places):
        path = pathlib.Path(place) / "bin" / "compute-sanitizer"
        found = found or (str(path) if path.exists() else None)
    return found


def listed(warpwise):
    """What the program has: every primitive's name, and its types."""
    done = subprocess.run([warpwise, "list", "--json"], stdout=subprocess.PIPE, check=True)
    return {entry["name"]: entry["types"] for entry in json.loads(done.stdout)["primitives"]}


def steps(warpwise, wheel):
    """Names and commands; None if a step cannot run here."""
    primitives = listed(warpwise) if pathlib.Path(warpwise).exists() else {}
    selftest = [warpwise, "selftest", "--device"]
    yield "devices", [[warpwise, "devices", "--measure"]]
    yield "selftest", [selftest + ["cuda", "--full"]]
    yield "large", [selftest + ["cuda", "--large"]]
    yield "differential", [selftest + ["both", "--full"]]
    yield "micro", [[sys.executable, str(ROOT / "scripts/gpu/micro.py")]]
    tool = sanitizer()
    for name in TOOLS:
        # A kernel that faults on purpose is among the checks of the device; naming the primitives leaves those out.
        small = selftest + ["cuda", "--few", FEW, "--plain-memory"] + list(primitives)
        yield name, [[tool, "--tool", name, "--error-exitcode", "9"] + small] if tool else None
    python = [sys.executable, str(ROOT / "scripts/gpu/python.py")]
    yield "python", [python + [wheel]] if wheel else None
    bench = [warpwise, "bench", "--device", "cuda", "--variant", "all"]
    yield "times", [
        [warpwise, "heat", "-n", "4096", "-m", "4096", "-i", "200", "--device", "cuda"],
        [warpwise, "radiator", "-n", "4096", "-m", "4096", "-p", "100", "-c", "-t", "--device", "cuda"],
        *(bench[:2] + [name] + bench[2:] for name, types in primitives.items() if types),
    ]


def run(name, commands, out):
    """Runs the commands of a step and returns the outcome."""
    if commands is None:
        return "not installed"
    log = []
    outcome = "good"
    for command in commands:
        print("$ " + " ".join(pathlib.Path(command[0]).name if i == 0 else part for i, part in enumerate(command)))
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        log.append(done.stdout)
        lines = done.stdout.splitlines()
        print("\n".join(lines[-40:]), flush=True)
        if done.returncode != 0:
            outcome = f"exit status {done.returncode}"
    if out:
        (out / f"{name}.txt").write_text("\n".join(log))
    return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warpwise", default=str(ROOT / "target/release/warpwise"), help="the program to check")
    parser.add_argument("--wheel", help="a wheel of the Python package, for the step python")
    parser.add_argument("--only", help="steps, separated by commas")
    parser.add_argument("--out", type=pathlib.Path, help="a folder for the whole output of every step")
    arguments = parser.parse_args()
    if not pathlib.Path(arguments.warpwise).exists() and arguments.only != "python":
        print(f"{arguments.warpwise} does not exist: build it with `cargo build --release`, or give --warpwise PROGRAM")
        return 2
    every = list(steps(arguments.warpwise, arguments.wheel))
    wanted = arguments.only.split(",") if arguments.only else [name for name, _ in every]
    unknown = set(wanted) - {name for name, _ in every}
    if unknown:
        print(f"--only: there is no step {', '.join(sorted(unknown))}: use some of {', '.join(n for n, _ in every)}")
        return 2
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
    table = []
    for name, commands in every:
        if name in wanted:
            print(f"\n== {name}", flush=True)
            started = time.monotonic()
            outcome = run(name, commands, arguments.out)
            table.append((name, outcome, time.monotonic() - started))
    print()
    for name, outcome, took in table:
        print(f"{name:<14}{outcome:<18}{took:>8.1f} s")
    return 0 if all(outcome in ("good", "not installed") for _, outcome, _ in table) else 1


if __name__ == "__main__":
    sys.exit(main())
