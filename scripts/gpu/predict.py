#!/usr/bin/env python3
"""Measures kernels on an NVIDIA GPU, and holds the estimates of `warpwise explain` against the measurements.

    predict.py measure FILE.cu ... [--out TIMES.csv]     median times on GPU 0, by events
    predict.py estimate FILE.cu ... [--gpu NAME] [--warpwise PROGRAM] [--out ESTIMATES.csv]
    predict.py times [TABLE.csv] [--warpwise PROGRAM] [--out TIMES.csv]     rungs of the library on GPU 0
    predict.py rungs TIMES.csv [--gpu NAME] [--warpwise PROGRAM] [--only WORD] [--out ESTIMATES.csv]
    predict.py compare ESTIMATES.csv TIMES.csv [--brief]     the first may be other TIMES, too
    predict.py causes [FILE.cu TIMES.csv] [--gpu NAME] [--warpwise PROGRAM]
    predict.py published [TABLE ...] [--warpwise PROGRAM] [--rows]

The kernels are those of the folder `predict` beside this file: `fit.cu` has the ones that parameters of the model were
fitted to, `judge.cu`, the files of `more` and `ordinary.cu` those that judge it,
`causes.cu` and `more-causes.cu` pairs of kernels with and without one planted cause of slowness;
`h200-rungs.csv` has times of the library's own rungs. A line `//: NAME ENTRY grid X[,Y[,Z]] block X[,Y[,Z]] ARGUMENT ...`
states a launch, with arguments as `warpwise run` takes them; `restore` gives each launch its data anew, `times N` is a
row of N launches.

`published` holds estimates against the published tables of `bench --like`: the order of rows and how far off they are.

`measure` needs a driver, nvcc and NumPy; `estimate` needs no GPU. A launch is timed alone, after others of the same
kernel, behind a kernel that keeps the GPU busy until everything is queued: times have no host in them.
"""

import argparse
import csv
import ctypes
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TYPES = {"u8": "u1", "i8": "i1", "u16": "u2", "i16": "i2", "u32": "u4", "i32": "i4", "u64": "u8", "i64": "i8",
         "f32": "f4", "f64": "f8"}
HOLD = r"""
extern "C" __global__ void hold(unsigned long long ns) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - start < ns);
}
"""


def number(text):
    base, power, exponent = text.partition("^")
    return int(base) ** int(exponent) if power else int(float(text))


def three(text):
    return ([number(part) for part in text.split(",")] + [1, 1])[:3]


def launches(path):
    """The launches that a file states."""
    for line in pathlib.Path(path).read_text().splitlines():
        if not line.startswith("//: "):
            continue
        words = line[4:].split()
        launch = {"name": words[0], "entry": words[1], "restore": "restore" in words, "times": "1"}
        for at, word in enumerate(words):
            if word in ("grid", "block", "times"):
                launch[word] = words[at + 1]
        launch["arguments"] = [w for w in words if "=" in w or "[" in w]
        yield launch


# Measuring.

class Gpu:
    """The few calls of the driver that are needed."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        context, device = ctypes.c_void_p(), ctypes.c_int()
        self("cuInit", 0)
        self("cuDeviceGet", ctypes.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self("cuCtxSetCurrent", context)

    def __call__(self, name, *arguments):
        error = getattr(self.cuda, name)(*arguments)
        if error:
            raise SystemExit(f"{name} returned {error}")

    def module(self, image):
        module = ctypes.c_void_p()
        self("cuModuleLoadData", ctypes.byref(module), image)
        return module

    def function(self, module, name):
        function = ctypes.c_void_p()
        self("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def buffer(self, data):
        at = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(max(data.nbytes, 16)))
        self("cuMemcpyHtoD_v2", at, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes))
        return at

    def launch(self, function, grid, block, values):
        list_of = (ctypes.c_void_p * max(len(values), 1))(*[ctypes.addressof(v) for v in values])
        self("cuLaunchKernel", function, *grid, *block, 0, None, list_of, None)

    def event(self):
        event = ctypes.c_void_p()
        self("cuEventCreate", ctypes.byref(event), 0)
        return event


def argument(gpu, text, buffers):
    import numpy as np
    if "[" not in text:
        kind, value = text.split("=")
        value = float(value) if kind[0] == "f" else number(value)
        names = {"u32": ctypes.c_uint32, "u64": ctypes.c_uint64, "i32": ctypes.c_int32, "f32": ctypes.c_float,
                 "f64": ctypes.c_double}
        return names[kind](value)
    kind, length, fill = re.fullmatch(r"(\w+)\[([^\]]+)\]:(.*)", text).groups()
    length, kind = number(length), TYPES[kind]
    if fill == "iota":
        data = np.arange(length, dtype=kind)
    elif fill.startswith("random"):
        low, high = (float(x) for x in fill.split(":")[1:])
        source = np.random.default_rng(1 + len(buffers))
        data = source.uniform(low, high, length).astype(kind) if kind[0] == "f" else \
            source.integers(int(low), int(high) + 1, length).astype(kind)
    else:
        data = np.full(length, {"zeros": 0, "ones": 1}[fill], dtype=kind)
    at = gpu.buffer(data)
    buffers.append((at, data))
    return at


def compile_to_image(path, options):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "image.fatbin"
        subprocess.run(["nvcc", *options, "-fatbin", "-o", str(out), str(path)], check=True)
        return out.read_bytes()


def measure(files, out, arch, times=15):
    gpu = Gpu()
    with tempfile.NamedTemporaryFile("w", suffix=".cu") as helper:
        helper.write(HOLD)
        helper.flush()
        hold = gpu.function(gpu.module(compile_to_image(helper.name, [f"-arch={arch}"])), "hold")
    start, end = gpu.event(), gpu.event()
    rows = []
    for path in files:
        module = gpu.module(compile_to_image(path, [f"-arch={arch}"]))
        for launch in launches(path):
            buffers = []
            values = [argument(gpu, text, buffers) for text in launch["arguments"]]
            function = gpu.function(module, launch["entry"])
            grid, block = three(launch["grid"]), three(launch["block"])
            taken = []
            for turn in range(times + 2):
                if launch["restore"]:
                    for at, data in buffers:
                        gpu("cuMemcpyHtoD_v2", at, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes))
                gpu.launch(hold, [1] * 3, [1] * 3, [ctypes.c_uint64(60000)])
                gpu("cuEventRecord", start, None)
                for _ in range(int(launch["times"])):
                    gpu.launch(function, grid, block, values)
                gpu("cuEventRecord", end, None)
                gpu("cuEventSynchronize", end)
                ms = ctypes.c_float()
                gpu("cuEventElapsedTime", ctypes.byref(ms), start, end)
                taken.append(ms.value * 1e3)
            for at, _ in buffers:
                gpu("cuMemFree_v2", at)
            rows.append((launch["name"], f"{statistics.median(taken[2:]):.2f}"))
            print(",".join(rows[-1]), flush=True)
    if out:
        with open(out, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("kernel", "us"), *rows])


# Estimating.

def estimate(files, out, gpu, program):
    rows = []
    for path in files:
        for launch in launches(path):
            if launch["times"] != "1":
                continue
            report = explained(path, launch, gpu, program)
            if not report:
                continue
            rows.append((launch["name"], f"{report['estimated_us']:.2f}", report.get("bound", "")))
            print(",".join(rows[-1]), flush=True)
    if out:
        with open(out, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("kernel", "us", "bound"), *rows])


def explained(path, launch, gpu, program):
    """What `explain` says of a launch; nothing if it says that it cannot."""
    command = [program, "explain", str(path), "--entry", launch["entry"], "--grid", launch["grid"],
               "--block", launch["block"], "--gpu", gpu, "--json"]
    for text in launch["arguments"]:
        command += ["--arg", text]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"{launch['name']}: {done.stderr.strip()}", file=sys.stderr)
        return None
    return json.loads(done.stdout)


def causes(path, times, gpu, program):
    """Whether the first diagnosis names the cause, and how what it would save compares with what it saves."""
    measured = {row["kernel"]: float(row["us"]) for row in table(times)}
    named = near = 0
    pairs = [launch for launch in launches(path) if not launch["name"].endswith("-without")]
    print("| cause | first diagnosis | time left, as estimated | as measured | ratio |")
    print("| --- | --- | ---: | ---: | ---: |")
    for launch in pairs:
        report = explained(path, launch, gpu, program)
        if not report:
            continue
        first = report["diagnoses"][0]
        # Percentages are of the kernel's time, measurements have the launch in them.
        kernel = sum(k["estimated"]["us"] for k in report["kernels"])
        left = 1 - first["estimated_percent"] / 100 * kernel / report["estimated_us"]
        real = measured[launch["name"] + "-without"] / measured[launch["name"]]
        named += first["subject"] == launch["name"].partition(".")[0]
        near += max(left / real, real / left) <= 1.5
        print(f"| {launch['name']} | {first['subject']} | {100 * left:.0f} % | {100 * real:.0f} % | {left / real:.2f} |",
              flush=True)
    print(f"\n{named} of {len(pairs)} causes come first, {near} savings within 1.5 x")


# Kernels that prepare what a simulation works on, or take it out: measurements are of the steps alone.
BESIDE = re.compile(r"radiator_start_|heat_pad_|heat_unpad_|heat_\d_\w+_(lay|cells)_")
# Microseconds that the library takes on the host for a launch, beside launching.
LIBRARY = 1.5


def of_steps(report):
    """The estimate of a rung without the kernels beside its steps."""
    kernels = [k for k in report["kernels"] if not BESIDE.match(k["kernel"])]
    if len(kernels) == len(report["kernels"]) or not all("figures" in k for k in kernels):
        return report["estimated_us"]

    def after(kernel):
        figures, each = kernel["figures"], kernel["estimated"]["us"] / kernel["launches"]
        return max(figures["next_launch_us"], figures["host_launch_us"] + LIBRARY - each)

    alone = sum(k["estimated"]["us"] + k["launches"] * after(k) for k in kernels)
    return alone + kernels[0]["figures"]["launch_us"] - after(kernels[0])


def data_of(row):
    """Arguments for the data of a row."""
    size = ["--size", row["size"]] if "x" in row["size"] else ["-n", row["size"]]
    steps = ["--iterations", row["iterations"]] if row["iterations"] else []
    return ["--type", row["type"], *size, *steps]


def times(path, out, program):
    """Times of the rungs that a table has, measured again on a GPU."""
    rows = []
    for row in table(path):
        command = [program, "bench", row["primitive"], "--variant", row["variant"], *data_of(row), "--device", "cuda",
                   "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{rung_name(row)}: {done.stderr.strip()}", file=sys.stderr)
            continue
        us = 1e3 * json.loads(done.stdout)["results"][0]["median_ms"]
        rows.append({**row, "us": f"{us:.2f}"})
        print(",".join(rows[-1].values()), flush=True)
    if out:
        with open(out, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def rungs(path, out, gpu, program, only):
    """Estimates of the rungs that a table of times has."""
    rows = []
    for row in table(path):
        name = rung_name(row)
        if only and only not in name:
            continue
        command = [program, "explain", row["primitive"], row["variant"], *data_of(row), "--gpu", gpu, "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{name}: {done.stderr.strip()}", file=sys.stderr)
            continue
        report = json.loads(done.stdout)
        rows.append((name, f"{of_steps(report):.2f}", report.get("bound", "")))
        print(",".join(rows[-1]), flush=True)
    if out:
        with open(out, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("kernel", "us", "bound"), *rows])


def published(names, program, rows):
    """Estimates of published tables: the order of rows that differ by more than a tenth, and the distance."""
    listed = subprocess.run([program, "bench", "--like", "list"], capture_output=True, text=True, check=True).stdout
    print("| table | GPU | rows | ways in order | sizes in order | median error | rows that miss by more than 1.5 x |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    everything, ordered, pairs = [], [0, 0], [0, 0]
    for name in names or [line.split()[0] for line in listed.splitlines()]:
        command = [program, "bench", "--like", name, "--device", "emulator", "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 1) or not done.stdout:
            print(f"{name}: {done.stderr.strip()}", file=sys.stderr)
            continue
        results = [r for r in json.loads(done.stdout)["results"] if r.get("estimated") and not r.get("fails")]
        if not results:
            continue
        right, of = zip(*(in_order(found) for found in pairs_of(results)))
        ratios = [r["estimated"]["ms"] / r["published_ms"] for r in results]
        missing = [r for r, ratio in zip(results, ratios) if max(ratio, 1 / ratio) > 1.5]
        error = 100 * statistics.median(abs(ratio - 1) for ratio in ratios)
        gpu = results[0]["estimated"]["device"]
        assumed = " (assumed)" if results[0]["estimated"].get("assumed") else ""
        orders = " | ".join(f"{right[kind]} of {of[kind]}" if of[kind] else "" for kind in range(2))
        print(f"| {name} | {gpu}{assumed} | {len(results)} | {orders} | {error:.0f} % | {len(missing)} |", flush=True)
        if rows:
            for row, ratio in zip(results, ratios):
                size = row.get("size") or row.get("n")
                print(f"    {row['published_as']} {size} {row.get('input', '')} {row['type']}: published "
                      f"{row['published_ms']:.4g} ms, estimated {row['estimated']['ms']:.4g} ms, {ratio:.2f}",
                      flush=True)
        everything += ratios
        ordered, pairs = [[a + b for a, b in zip(*both)] for both in ((ordered, right), (pairs, of))]
    if everything:
        near = sum(max(r, 1 / r) <= 1.5 for r in everything)
        middle = statistics.median(abs(r - 1) for r in everything)
        print(f"\n{len(everything)} rows: median error {100 * middle:.0f} %, "
              f"{100 * near / len(everything):.0f} % within 1.5 x, {ordered[0]} of {pairs[0]} ways and {ordered[1]} of "
              f"{pairs[1]} sizes in order")


def pairs_of(results):
    """Pairs of rows: ways to do the same, and sizes of the same way that follow each other."""
    def problem(row):
        return tuple(str(row.get(key)) for key in ("n", "size", "rows", "cols", "type", "input"))

    def way(row):
        return tuple(str(row.get(key)) for key in ("variant", "block", "grid", "finish", "type", "input"))

    ways = [(a, b) for at, b in enumerate(results) for a in results[:at] if problem(a) == problem(b)]
    sizes, latest = [], {}
    for row in results:
        if way(row) in latest and problem(row) != problem(latest[way(row)]):
            sizes.append((latest[way(row)], row))
        latest[way(row)] = row
    return ways, sizes


def in_order(found):
    """How many of these pairs are estimated in the order that was published, of those that differ by more than a tenth."""
    clear = [(a, b) for a, b in found
             if max(a["published_ms"], b["published_ms"]) > 1.1 * min(a["published_ms"], b["published_ms"])]
    right = [(a, b) for a, b in clear
             if (a["published_ms"] < b["published_ms"]) == (a["estimated"]["ms"] < b["estimated"]["ms"])]
    return len(right), len(clear)


def table(path):
    """The rows of a file of comma-separated values; lines that start with # are remarks."""
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def rung_name(row):
    return f"{row['primitive']} {row['variant']} {row['size']}"


def ranks(values):
    order = sorted(range(len(values)), key=lambda at: values[at])
    return {at: rank for rank, at in enumerate(order)}


def correlation(pairs):
    """Spearman's rank correlation."""
    left, right = ranks([a for a, _ in pairs]), ranks([b for _, b in pairs])
    n = len(pairs)
    return 1 - 6 * sum((left[at] - right[at]) ** 2 for at in range(n)) / (n * (n * n - 1))


def compare(estimates, times, brief=False):
    """Estimate against measurement, kernel by kernel, and how far apart they are over all."""
    estimated, measured = ({row.get("kernel") or rung_name(row): row for row in table(path)} for path in (estimates, times))
    ladders = {}
    errors = []
    if not brief:
        print("| kernel | measured us | estimated us | ratio | bound |\n| --- | ---: | ---: | ---: | --- |")
    for name, row in measured.items():
        if name not in estimated:
            continue
        real, guess = float(row["us"]), float(estimated[name]["us"])
        errors.append(guess / real)
        if "variant" in row:
            ladders.setdefault((row["primitive"], row["size"]), []).append((real, guess))
        if not brief:
            print(f"| {name} | {real:.1f} | {guess:.1f} | {guess / real:.2f} | {estimated[name].get('bound', '')} |")
    off = [abs(ratio - 1) for ratio in errors]
    near = sum(max(r, 1 / r) <= 1.5 for r in errors)
    print(f"\n{len(errors)} kernels: median error {100 * statistics.median(off):.1f} %, "
          f"{100 * near / len(errors):.0f} % within 1.5 x")
    for (primitive, size), pairs in ladders.items():
        if len(pairs) > 2:
            print(f"{primitive} {size}: rank correlation {correlation(pairs):.2f} over {len(pairs)} rungs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("measure", "estimate"):
        sub = verbs.add_parser(verb)
        sub.add_argument("files", nargs="*", default=[HERE / "predict/fit.cu", HERE / "predict/judge.cu"])
        sub.add_argument("--out")
        if verb == "measure":
            sub.add_argument("--arch", default="sm_90")
        else:
            sub.add_argument("--gpu", default="h200")
            sub.add_argument("--warpwise", default="warpwise")
    sub = verbs.add_parser("times")
    sub.add_argument("table", nargs="?", default=HERE / "predict/h200-rungs.csv")
    sub.add_argument("--warpwise", default="warpwise")
    sub.add_argument("--out")
    sub = verbs.add_parser("rungs")
    sub.add_argument("times")
    sub.add_argument("--gpu", default="h200")
    sub.add_argument("--warpwise", default="warpwise")
    sub.add_argument("--only")
    sub.add_argument("--out")
    sub = verbs.add_parser("compare")
    sub.add_argument("estimates")
    sub.add_argument("times")
    sub.add_argument("--brief", action="store_true")
    sub = verbs.add_parser("causes")
    sub.add_argument("file", nargs="?", default=HERE / "predict/causes.cu")
    sub.add_argument("times", nargs="?", default=HERE / "predict/h200-causes.csv")
    sub.add_argument("--gpu", default="h200")
    sub.add_argument("--warpwise", default="warpwise")
    sub = verbs.add_parser("published")
    sub.add_argument("tables", nargs="*")
    sub.add_argument("--warpwise", default="warpwise")
    sub.add_argument("--rows", action="store_true")
    arguments = parser.parse_args()
    if arguments.verb == "causes":
        causes(arguments.file, arguments.times, arguments.gpu, arguments.warpwise)
    elif arguments.verb == "published":
        published(arguments.tables, arguments.warpwise, arguments.rows)
    elif arguments.verb == "measure":
        measure(arguments.files, arguments.out, arguments.arch)
    elif arguments.verb == "estimate":
        estimate(arguments.files, arguments.out, arguments.gpu, arguments.warpwise)
    elif arguments.verb == "times":
        times(arguments.table, arguments.out, arguments.warpwise)
    elif arguments.verb == "rungs":
        rungs(arguments.times, arguments.out, arguments.gpu, arguments.warpwise, arguments.only)
    else:
        compare(arguments.estimates, arguments.times, arguments.brief)


if __name__ == "__main__":
    main()
