#!/usr/bin/env python3
"""Holds `warpwise-cluster plan` against real runs on 1 to 8 ranks of this machine.

Rates and the network are measured first; the median difference of all predictions is printed last. On a machine that
does something else meanwhile the figures mean nothing.

    cargo build --release -p warpwise-cluster --features mpi
    scripts/cluster/plan.py target/release/warpwise-cluster
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile

# The problems of the example `overhead`, as they are planned and as they are run.
PROBLEMS = {
    "heat": ("heat --size 4096x4096 -i 64 -e 0", "heat --size 4096x4096 -i 64 -e 0"),
    "reduce": ("reduce -n 2^28", "reduce -n 2^28 --type f32"),
    "sort": ("sort -n 2^26", "sort -n 2^26 --type u32"),
    "matmul": ("matmul 4096 4096 4096", "matmul 4096 4096 4096 --type f32"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--mpirun", default="mpirun --oversubscribe --allow-run-as-root")
    parser.add_argument("--ranks", default="1,2,3,4,8")
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()

    def run(words):
        return subprocess.run(words.split(), check=True, capture_output=True, text=True).stdout

    def ranks(n, words):
        return json.loads(run(f"{options.mpirun} -n {n} {options.program} {words} --threads 1 --json"))

    def seconds(found):
        """What a run took without making its numbers and writing them."""
        if "simulate_s" in found:
            return found["simulate_s"]
        if "multiply_s" in found:
            return found["multiply_s"]
        return max(sum(rank["stages"][stage] for stage in ("compute_s", "exchange_s", "wait_s"))
                   for rank in found["ranks"])

    cores = os.cpu_count()
    with tempfile.TemporaryDirectory() as folder:
        rates = f"{folder}/rates.json"
        run(f"{options.program} plan --ranks 1 --save-rates {rates} heat --size 4096x4096 -i 32 -e 0")
        differences = []
        for n in map(int, options.ranks.split(",")):
            network = ranks(n, "network")["network"] if n > 1 else "latency=1us,bandwidth=10GB/s"
            for name, (planned, made) in PROBLEMS.items():
                words = f"plan --ranks {n} --cores {cores} --network {network} --rates {rates} --json {planned}"
                predicted = json.loads(run(f"{options.program} {words}"))["prediction"]["seconds"]
                found = statistics.median(seconds(ranks(n, made)) for _ in range(options.turns))
                differences.append(abs(predicted / found - 1))
                print(f"{name:<8} {n} ranks: predicted {predicted:.3f} s, found {found:.3f} s, "
                      f"{100 * (predicted / found - 1):+.0f} %", flush=True)
    print(f"median difference {100 * statistics.median(differences):.0f} %")


if __name__ == "__main__":
    main()
