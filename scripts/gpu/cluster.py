#!/usr/bin/env python3
"""Runs every primitive of `warpwise-cluster` on the GPUs of this machine: `cluster.py PROGRAM [--ranks 1,2,3]`.

What ranks on GPUs write, or print where they write nothing, must be what one rank on the CPU does, byte for byte; for the
radiator, whose rungs round differently, what one rank on a GPU does. Ranks may share a GPU. `--mpirun` is what starts ranks.
"""

import argparse
import json
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile

# The words after the program, and the file that holds the result; without one, what is printed counts.
CASES = {
    "reduce i64 sum": ("reduce -n 3000017 --type i64", None),
    "reduce f32 argmin": ("reduce -n 3000017 --type f32 --op argmin", None),
    "scan u32 sum": ("scan -n 3000017 --type u32 --out OUT/scan.npy", "scan.npy"),
    "histogram u8": ("histogram -n 3000017 --type u8 --modulo 64", None),
    "compact f64": ("compact -n 3000017 --type f64 --greater 0.25 --out OUT/compact.npy", "compact.npy"),
    "sort u32": ("sort -n 3000017 --type u32 --out OUT/sort.npy", "sort.npy"),
    "sort f64 descending": ("sort -n 3000017 --type f64 --descending --out OUT/down.npy", "down.npy"),
    "matmul f32": ("matmul 1031 517 773 --type f32 --out OUT/matmul.npy", "matmul.npy"),
    "matmul f64": ("matmul 300 1021 411 --type f64 --out OUT/matmul64.npy", "matmul64.npy"),
    "transpose f32": ("transpose OUT/matrix-f32.npy --out OUT/transposed.npy", "transposed.npy"),
    "transpose u8": ("transpose OUT/matrix-u8.npy --out OUT/transposed8.npy", "transposed8.npy"),
    "transpose f64, one row": ("transpose OUT/row-f64.npy --out OUT/column.npy", "column.npy"),
    "heat f64": ("heat --size 1021x517 -i 100 -e 0 --out OUT/heat", "heat/temperature.npy"),
    "heat f32 until calm": ("heat --size 333x200 -i 5000 -e 0.4 --type f32 --out OUT/calm", "calm/temperature.npy"),
    "radiator f32": ("radiator --size 517x1021 -i 50 --out OUT/radiator", "radiator/radiator.npy"),
    "radiator f64": ("radiator --size 64x3000 -i 20 --type f64 --out OUT/radiator64", "radiator64/radiator.npy"),
}


def write_matrix(path, kind, size, rows, columns):
    """A .npy file of bytes that differ, with rows and columns of elements of that many bytes."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    # Exponents stay small: no element is NaN, so that bytes say all.
    cells = bytes((i * 7 + i // 251) % 63 for i in range(rows * columns * size))
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + cells)


def run(words, mpirun, ranks, program, device, folder):
    """The result of one case."""
    arguments, file = words
    arguments = [word.replace("OUT", str(folder)) for word in shlex.split(arguments)]
    start = [*shlex.split(mpirun), "-n", str(ranks), program]
    done = subprocess.run(
        [*start, *arguments, "--device", device, "--json"], capture_output=True, text=True, check=False, timeout=300
    )
    if done.returncode != 0:
        return f"status {done.returncode}: {done.stderr.strip()[-400:]}"
    if file is None:
        printed = json.loads(done.stdout)
        printed.pop("ranks")
        return json.dumps(printed)
    result = (folder / file).read_bytes()
    (folder / file).unlink()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="warpwise-cluster, built with --features mpi")
    parser.add_argument("--device", default="cuda", help="cuda, or emulator to try the script (default: cuda)")
    parser.add_argument("--ranks", default="1,2,3", help="numbers of ranks (default: 1,2,3)")
    parser.add_argument("--mpirun", default="mpirun --oversubscribe --allow-run-as-root", help="what starts ranks")
    given = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_matrix(folder / "matrix-f32.npy", "<f4", 4, 1031, 517)
        write_matrix(folder / "matrix-u8.npy", "|u1", 1, 700, 1999)
        write_matrix(folder / "row-f64.npy", "<f8", 8, 1, 5000)
        for name, words in CASES.items():
            alone = given.device if name.startswith("radiator") else "cpu"
            expected = run(words, given.mpirun, 1, given.program, alone, folder)
            verdicts = []
            for ranks in given.ranks.split(","):
                found = run(words, given.mpirun, ranks, given.program, given.device, folder)
                same = found == expected and not str(found).startswith("status")
                verdicts.append(f"{ranks}: {'same' if same else 'DIFFERENT'}")
                if not same:
                    failed += 1
                    if isinstance(found, str):
                        print(found[:400], file=sys.stderr)
            print(f"{name:<24} " + ", ".join(verdicts), flush=True)
    print("all results are the same" if failed == 0 else f"{failed} results differ")
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
