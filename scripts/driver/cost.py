#!/usr/bin/env python3
"""What a kernel costs through the driver library: processor time of `warpwise exec -- ./program` against that of
`warpwise run kernel.ptx`, for one kernel that only computes.

Runs alternate, each is measured by what the system says its processes used, and what a run with no rounds uses is
taken off. Prints the ratio of the medians, and that of each turn. Needs a C compiler (cc).

    cargo build --release -p warpwise-cli && scripts/driver/cost.py
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def processor_time(command):
    """Seconds of processor time that a command and its children use, and what it prints."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with process.stdout:
        output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, output


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warpwise", default=ROOT / "target/release/warpwise", help="the program to measure")
    parser.add_argument("--turns", type=int, default=7, help="turns, each with both ways (7)")
    parser.add_argument("--rounds", type=int, default=40000, help="rounds of the kernel's loop (40000)")
    parser.add_argument("--blocks", type=int, default=64)
    parser.add_argument("--threads", type=int, default=128)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "cost"
        subprocess.run(["cc", "-O1", "-w", HERE / "cost.c", "-o", program, "-ldl"], check=True)
        kernel, blocks, threads = HERE / "cost.ptx", str(options.blocks), str(options.threads)

        def run(rounds):
            cells = options.blocks * options.threads
            return [options.warpwise, "run", kernel, "--device", "emulator", "--grid", blocks, "--block", threads, "--json",
                    "--arg", f"u32[{cells}]:zeros", "--arg", f"u32={rounds}"]

        def execute(rounds):
            return [options.warpwise, "exec", "-q", "--", program, kernel, blocks, threads, str(rounds)]

        ways = {"run": run, "exec": execute}
        started = {way: [] for way in ways}
        worked = {way: [] for way in ways}
        for turn in range(options.turns):
            for way in sorted(ways, reverse=turn % 2 == 0):
                started[way].append(processor_time(ways[way](0))[0])
                worked[way].append(processor_time(ways[way](options.rounds))[0])
        start = {way: statistics.median(times) for way, times in started.items()}
        work = {way: statistics.median(times) - start[way] for way, times in worked.items()}
        for way in ways:
            print(f"{way:>4}: {work[way]:.2f} s of processor time for the kernel, {start[way]:.2f} s to start")
        each = ((b - start["exec"]) / (a - start["run"]) for a, b in zip(worked["run"], worked["exec"]))
        print(f"ratio of medians {work['exec'] / work['run']:.3f}; in turns " + " ".join(f"{r:.2f}" for r in each))


if __name__ == "__main__":
    main()
