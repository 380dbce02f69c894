#!/usr/bin/env python3
"""Compares the emulator's counters with those of an NVIDIA GPU.

    counters.py [--nvcc NVCC] [--ncu NCU] [--arch sm_90] [--csv REPORT.csv] [--only KERNEL ...]

Needs Python 3.8 or newer, nvcc and ncu (Nsight Compute) of a CUDA toolkit, and a GPU of compute capability 8.0 or
newer; no packages and no network. Compiles crates/simt/tests/counters/kernels.cu, launches it as launches.csv beside it
says under ncu, and prints what the GPU counted beside what the emulator counts (the columns of launches.csv, which
`cargo test -p warpwise-simt --test counters` checks the emulator against). Differences come last. Counters that have no
counterpart in the table, such as SASS instructions, go to REPORT.csv only.

Requests and sectors must be equal. Wavefronts and conflicts of shared memory may differ by 3 %, or by 3 % of the
requests' wavefronts where there are few: the hardware's count includes a little arbitration. Atomics and local memory
are printed but not judged: the compiler may merge the former and keep the latter in registers.

Exit status: 0 equal, 1 a difference, 2 no GPU, no toolkit or no permission.
"""

import argparse
import csv
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent.parent / "crates" / "simt" / "tests" / "counters"
BUFFER = 4 << 22

# Columns of launches.csv and the metrics that count the same event: judged exactly, within 3 %, or not at all.
EXACT = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
}
NEAR = {
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}
SHOWN = {
    "local_load_requests": "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
    "local_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "local_store_requests": "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
    "local_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "global_atomics": "smsp__inst_executed_op_global_atom.sum",
    "shared_atomics": "smsp__inst_executed_op_shared_atom.sum",
}
# Useful beside them, without a column to compare with.
BESIDE = ["smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__sass_branch_targets.sum",
          "smsp__sass_branch_targets_threads_divergent.sum", "smsp__inst_executed_op_global_red.sum",
          "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts.sum",
          "launch__registers_per_thread", "sm__maximum_warps_per_active_cycle_pct"]


def give_up(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def tool(name, given):
    """The path of a program of the toolkit."""
    places = [given] if given else [shutil.which(name), f"/usr/local/cuda/bin/{name}"]
    places += sorted(map(str, pathlib.Path("/opt/nvidia/nsight-compute").glob(f"*/{name}")), reverse=True)
    places += sorted(map(str, pathlib.Path("/usr/local").glob(f"cuda-*/bin/{name}")), reverse=True)
    for place in places:
        if place and (pathlib.Path(place).is_file() or shutil.which(place)):
            return place
    give_up(f"no {name} found: install a CUDA toolkit, or name the program with --{name}")


def architecture():
    """The architecture of GPU 0, as nvcc names it."""
    query = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", "--id=0"]
    try:
        found = subprocess.run(query, capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError) as error:
        give_up(f"cannot ask nvidia-smi for the GPU ({error}): name its architecture with --arch")
    if not found or not re.fullmatch(r"\d+\.\d+", found[0]):
        give_up("nvidia-smi names no GPU: is there one?")
    return "sm_" + found[0].replace(".", "")


def host(rows):
    """A program that makes every launch in order."""
    launches = "\n".join(
        f'    launch((const void *){row["kernel"]}, {row["grid"]}, dim3({row["block_x"]}, {row["block_y"]}), {row["k"]});'
        for row in rows)
    return f"""#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include "kernels.cu"

static void *in, *out;

static void check(cudaError_t status) {{
    if (status != cudaSuccess) {{
        fprintf(stderr, "%s\\n", cudaGetErrorString(status));
        exit(3);
    }}
}}

static void launch(const void *kernel, int grid, dim3 block, unsigned k) {{
    void *arguments[] = {{&in, &out, &k}};
    check(cudaLaunchKernel(kernel, dim3(grid), block, arguments, 0, 0));
    check(cudaDeviceSynchronize());
}}

int main() {{
    check(cudaMalloc(&in, {BUFFER}));
    check(cudaMalloc(&out, {BUFFER}));
    check(cudaMemset(in, 0, {BUFFER}));
    check(cudaMemset(out, 0, {BUFFER}));
{launches}
    return 0;
}}
"""


def profile(ncu, program, metrics):
    """ncu's output, or None if it does not know one of the metrics."""
    command = [ncu, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--target-processes",
               "all", "--metrics", ",".join(metrics), str(program)]
    done = subprocess.run(command, capture_output=True, text=True)
    said = done.stdout + done.stderr
    if "ERR_NVGPUCTRPERM" in said:
        give_up("ncu may not read the GPU's counters: run as root, or let the driver allow it "
                "(NVreg_RestrictProfilingToAdminUsers=0)")
    if "Failed to find metric" in said or "no metrics to collect" in said.lower():
        return None
    if done.returncode:
        give_up(f"{' '.join(command)}\nfailed:\n{said[-4000:]}")
    return done.stdout


def table_of(text):
    """ncu's table as a dictionary for each launch; lines of the program and of ncu come before it."""
    lines = text.splitlines()
    heads = [at for at, line in enumerate(lines) if line.startswith('"ID"')]
    if not heads:
        give_up(f"ncu printed no table:\n{text[-4000:]}")
    rows = list(csv.DictReader(io.StringIO("\n".join(lines[heads[0]:]))))
    return [row for row in rows if row["ID"].strip().isdigit()]


def number(cell):
    """A number as ncu writes it; None if it could not be measured."""
    try:
        return float((cell or "").replace(",", ""))
    except ValueError:
        return None


def whole(value):
    return "-" if value is None else f"{value:.0f}" if value == int(value) else f"{value:.2f}"


def agrees(column, ours, theirs, row):
    """Whether two counts agree as closely as the rules promise."""
    if column in EXACT:
        return ours == theirs
    if row["kernel"] == "copy_async" and column.startswith("shared_store"):
        # The emulator counts the shared side of cp.async as a store; hardware counts it in none of these metrics.
        return True
    if column in NEAR:
        kind = "load" if "load" in column else "store"
        slack = 0.03 * max(ours, float(row[f"shared_{kind}_wavefronts"]))
        return abs(ours - theirs) <= slack
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nvcc")
    parser.add_argument("--ncu")
    parser.add_argument("--arch")
    parser.add_argument("--csv", type=pathlib.Path, help="write everything that was measured")
    parser.add_argument("--only", nargs="+", help="these kernels")
    options = parser.parse_args()
    with open(TESTS / "launches.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if not options.only or row["kernel"] in options.only]
    if not rows:
        give_up("launches.csv has no such kernel")
    nvcc, ncu = tool("nvcc", options.nvcc), tool("ncu", options.ncu)
    arch = options.arch or architecture()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "main.cu").write_text(host(rows))
        shutil.copy(TESTS / "kernels.cu", folder)
        command = [nvcc, "-O3", f"-arch={arch}", "-o", str(folder / "launches"), str(folder / "main.cu")]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            give_up(f"{' '.join(command)}\nfailed:\n{done.stdout}{done.stderr}")
        done = subprocess.run([str(folder / "launches")], capture_output=True, text=True)
        if done.returncode:
            give_up(f"the kernels do not run here: {done.stderr.strip() or done.returncode}")
        text = None
        for extra in (list(SHOWN.values()) + BESIDE, list(SHOWN.values()), []):
            text = profile(ncu, folder / "launches", list(EXACT.values()) + list(NEAR.values()) + extra)
            if text is not None:
                break
        if text is None:
            give_up("ncu does not know the metrics of global and shared memory on this GPU")
    measured = table_of(text)
    if len(measured) != len(rows):
        give_up(f"{len(rows)} launches, but ncu measured {len(measured)}")
    same, different, report = [], [], []
    for row, gpu in zip(rows, measured):
        name = gpu.get("Kernel Name", "")
        if not name.startswith(row["kernel"]):
            give_up(f"expected {row['kernel']}, ncu measured {name}")
        for column, metric in {**EXACT, **NEAR, **SHOWN}.items():
            ours, theirs = int(row[column]), number(gpu.get(metric))
            if theirs is None or (ours == 0 and theirs == 0):
                continue
            line = (row["kernel"], row["k"], f'{row["grid"]}x{row["block_x"]}x{row["block_y"]}', column, str(ours),
                    whole(theirs), whole(theirs - ours))
            (same if agrees(column, ours, theirs, row) else different).append(line)
        beside = {metric: gpu.get(metric, "") for metric in list(EXACT.values()) + list(NEAR.values())
                  + list(SHOWN.values()) + BESIDE}
        report.append({**row, **beside})
    head = ("kernel", "k", "launch", "counter", "emulator", "GPU", "difference")
    widths = [max(len(line[at]) for line in [head] + same + different) for at in range(len(head))]

    def show(line):
        left = "  ".join(cell.ljust(width) for cell, width in zip(line[:4], widths))
        print(left + "  " + "  ".join(cell.rjust(width) for cell, width in zip(line[4:], widths[4:])))

    show(head)
    for line in same:
        show(line)
    if different:
        print("\nDifferent:")
        for line in different:
            show(line)
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(report[0]))
            writer.writeheader()
            writer.writerows(report)
    print(f"\n{arch}: {len(same)} counts agree, {len(different)} differ, in {len(rows)} launches")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
