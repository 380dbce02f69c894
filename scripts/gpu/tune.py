#!/usr/bin/env python3
"""Looks for launch geometry that is better than the library's own on this machine's GPU, at all sizes.

    tune.py [--warpwise PROGRAM] [--gain PERCENT] [PRIMITIVE ...]

Sweeps the production rungs of every primitive (`warpwise sweep`) at a small, a middle and a large size. A geometry is
accepted if it is faster than the rung's own by the gain (3 %) at one size at least and slower by 1 % at none, and the
same holds when everything is measured again: times of a few microseconds vary by more than that. Prints all times, and
at the end a table in the format of crates/tuning/src/tuning.toml.
"""

import argparse
import json
import subprocess
import sys

VECTORS = [["-n", size] for size in ("2^18", "2^22", "2^26")]
IMAGES = [["--size", size] for size in ("500x500", "2000x2000", "6000x6000")]
# Primitive, rung, types, sizes.
RUNGS = [
    ("vecadd", "gpu-vec4", ["i32", "f32", "f64"], VECTORS),
    ("reduce", "gpu-10-posted", ["i32", "f32", "f64"], VECTORS),
    ("scan", "gpu-8-gather", ["i32", "f32", "f64"], VECTORS),
    ("histogram", "gpu-6-pipelined", ["u8", "f32"], VECTORS),
    ("convolve1d", "gpu-4-register", ["i32", "f32", "f64"], VECTORS),
    ("convolve2d", "gpu-7-structured", ["u8", "f32"], IMAGES),
    ("heat", "gpu-5-passes", ["f64", "f32"], IMAGES),
]


def sweep(warpwise, primitive, rung, kind, size):
    """The GPU's name, and milliseconds by block; None is the rung's own geometry."""
    command = [warpwise, "sweep", primitive, rung, "--type", kind, "--device", "cuda", "--json", *size]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip() or f"{' '.join(command)}: exit status {done.returncode}")
    found = json.loads(done.stdout)
    times = {result.get("block"): result["score"] for result in found["results"] if result["ok"]}
    return found["device"]["gpu"], times


def measure(warpwise, primitive, rung, kind, sizes):
    """The same for all sizes, printed."""
    measured = []
    for size in sizes:
        gpu, times = sweep(warpwise, primitive, rung, kind, size)
        measured.append(times)
        line = "  ".join(f"{block or 'own'} {ms * 1e3:.1f}" for block, ms in times.items())
        print(f"{primitive} {rung} {kind} {size[-1]}: {line} us", flush=True)
    return gpu, measured


def better(sizes, gain):
    """Blocks that are better over all sizes than the rung's own geometry, the best first."""
    blocks = set.intersection(*(set(times) for times in sizes)) - {None}
    ratios = {block: [times[None] / times[block] for times in sizes] for block in blocks}
    good = {block: own for block, own in ratios.items() if min(own) >= 0.99 and max(own) >= 1 + gain / 100}
    return sorted(good, key=lambda block: -sum(good[block]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--warpwise", default="target/release/warpwise", help="the program")
    parser.add_argument("--gain", type=float, default=3, help="gain in percent that is worth an entry (3)")
    parser.add_argument("primitives", nargs="*", help="primitives (all)")
    options = parser.parse_args()
    entries = []
    for primitive, rung, kinds, sizes in RUNGS:
        if options.primitives and primitive not in options.primitives:
            continue
        for kind in kinds:
            gpu, measured = measure(options.warpwise, primitive, rung, kind, sizes)
            found = better(measured, options.gain)
            if found:
                _, again = measure(options.warpwise, primitive, rung, kind, sizes)
                found = [block for block in found if block in better(again, options.gain)]
            if found:
                fields = {"gpu": gpu, "primitive": primitive, "variant": rung, "type": kind}
                lines = [f'{name} = "{value}"' for name, value in fields.items()] + [f"block = {found[0]}"]
                entries.append("\n".join(["[[tuned]]", *lines]))
    print("\n" + ("\n\n".join(entries) if entries else "nothing is better than the library's own geometry"))


if __name__ == "__main__":
    main()
