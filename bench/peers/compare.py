"""Ours and theirs, in turns, on the same data, in one process: see `bench/peers/run`.

Every row first checks that both sides compute the same. Then the sides take turns: a turn lasts a
tenth of a second, or one call, and its time is that of its shortest call. Between turns nothing runs for a moment, so
that waiting threads of one side do not disturb the other: those of OpenBLAS keep a core busy for 2^28 clock ticks
after a product, which is an eighth of a second at 2.1 GHz. A row prints the shortest time of each side, how much the
other turns were above it (the median, as noise), and the ratio of the two shortest times.
"""

import argparse
import os
import platform
import statistics
import sys
import time

import cv2
import numexpr
import numpy as np
import scipy
import scipy.ndimage
import scipy.signal

from library import Library

RNG = np.random.default_rng(1)
LENGTH = 1 << 26


class Row:
    def __init__(self, name, what, peer, bar, make):
        self.name, self.what, self.peer, self.bar, self.make = name, what, peer, bar, make


def same(ours, theirs, tolerance):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if tolerance == 0:
        return np.array_equal(ours, theirs)
    error = np.abs(ours.astype(np.float64) - theirs) / np.maximum(np.abs(theirs), 1.0)
    return bool(np.max(error) <= tolerance)


def random(kind, shape):
    if kind == "f32":
        return RNG.random(shape, dtype=np.float32) * 2 - 1
    if kind == "f64":
        return RNG.random(shape) * 2 - 1
    if kind == "u8":
        return RNG.integers(0, 256, shape, dtype=np.uint8)
    return RNG.integers(-(2**31), 2**31, shape, dtype=np.int32)


DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32}


def reduction(ours, name, kind):
    def make():
        xs = random(kind, LENGTH)
        theirs = {
            "sum": lambda: np.sum(xs, dtype=DTYPES[kind]),
            "min": lambda: np.min(xs),
            "max": lambda: np.max(xs),
            "argmax": lambda: np.argmax(xs),
        }[name]
        found = np.zeros(1, np.int64 if name == "argmax" else DTYPES[kind])

        def check():
            ours.bind(f"{name}_{kind}", xs, LENGTH, found)()
            if (name, kind) == ("sum", "f32"):
                return same(found[0], np.sum(xs, dtype=np.float64), 1e-4)
            return same(found[0], theirs(), 0)

        return ours.bind(f"{name}_{kind}", xs, LENGTH, None), theirs, check

    return make


def scan(ours, kind, into):
    def make():
        xs = random(kind, LENGTH)
        out = np.empty_like(xs)

        def check():
            ours.bind(f"scan_{kind}", xs, LENGTH, out)()
            # NumPy adds floats one by one: the reference is the sum in higher precision.
            truth = np.cumsum(xs, dtype=np.float64 if kind == "f32" else np.int32)
            return same(out, truth, 1e-5 * LENGTH**0.5 if kind == "f32" else 0)

        if into:
            return ours.bind(f"scan_into_{kind}", xs, LENGTH, out), lambda: np.cumsum(xs, dtype=xs.dtype, out=out), check
        return ours.bind(f"scan_{kind}", xs, LENGTH, None), lambda: np.cumsum(xs, dtype=xs.dtype), check

    return make


def vecadd(ours, into):
    def make():
        a, b = random("f32", LENGTH), random("f32", LENGTH)
        out = np.empty_like(a)

        def check():
            ours.bind("vecadd_f32", a, b, LENGTH, out)()
            return same(out, a + b, 0)

        if into:
            return ours.bind("vecadd_into_f32", a, b, LENGTH, out), lambda: np.add(a, b, out=out), check
        return ours.bind("vecadd_f32", a, b, LENGTH, None), lambda: a + b, check

    return make


def variance(ours, function):
    def make():
        xs = random("f32", LENGTH)
        found = np.zeros(1, np.float32)

        def check():
            ours.bind(function, xs, LENGTH, found)()
            return same(found[0], np.var(xs.astype(np.float64)), 1e-5)

        return ours.bind(function, xs, LENGTH, None), lambda: np.var(xs), check

    return make


def expression(ours, peer, into):
    def make():
        xs, ys, a = random("f32", LENGTH), np.abs(random("f32", LENGTH)), 0.25
        out = np.empty_like(xs)

        def check():
            ours.bind("expression_f32", xs, ys, LENGTH, a, out)()
            return same(out, (xs - np.float32(a)) ** 2 + np.sqrt(ys), 0)

        theirs = {
            ("NumPy", False): lambda: (xs - np.float32(a)) ** 2 + np.sqrt(ys),
            ("numexpr", False): lambda: numexpr.evaluate("(xs - 0.25)**2 + sqrt(ys)", {"xs": xs, "ys": ys}),
            ("numexpr", True): lambda: numexpr.evaluate("(xs - 0.25)**2 + sqrt(ys)", {"xs": xs, "ys": ys}, out=out),
        }[peer, into]
        if into:
            return ours.bind("expression_into_f32", xs, ys, LENGTH, a, out), theirs, check
        return ours.bind("expression_f32", xs, ys, LENGTH, a, None), theirs, check

    return make


def exponential(ours):
    def make():
        xs = random("f32", LENGTH)
        out = np.empty_like(xs)

        def check():
            ours.bind("exp_into_f32", xs, LENGTH, out)()
            return same(out, np.exp(xs), 2.5e-7)

        return ours.bind("exp_into_f32", xs, LENGTH, out), lambda: np.exp(xs, out=out), check

    return make


def sort(ours, kind, places):
    def make():
        n = 1 << 24
        keys = RNG.integers(0, 2**64, n, dtype=np.uint64) if kind == "u64" else random(kind, n)
        found = np.zeros(n, np.uint32) if places else np.empty_like(keys)
        name = f"argsort_{kind}" if places else f"sort_{kind}"

        def theirs():
            return np.argsort(keys) if places else np.sort(keys)

        def check():
            ours.bind(name, keys, n, found)()
            # NumPy's places of equal keys are in any order, ours in that of the input.
            return same(found, np.argsort(keys, kind="stable"), 0) if places else same(found, theirs(), 0)

        return ours.bind(name, keys, n, None), theirs, check

    return make


def sums_by_key(ours):
    def make():
        n = 1 << 24
        # Runs of 32 on average.
        keys = np.cumsum(RNG.integers(0, 32, n) == 0, dtype=np.int32)
        values = random("f32", n)
        found = np.zeros(n, np.float32)

        def theirs():
            starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
            return keys[starts], np.add.reduceat(values, starts)

        def check():
            ours.bind("sum_by_key_f32", keys, values, n, found)()
            truth = theirs()[1]
            return same(found[: truth.size], truth, 1e-5)

        return ours.bind("sum_by_key_f32", keys, values, n, None), theirs, check

    return make


def segmented_sum(ours):
    def make():
        n = 1 << 24
        xs = random("f32", n)
        # No segment is empty: NumPy has no sum of nothing there.
        places = np.unique(RNG.integers(1, n, n // 100)).astype(np.uint64)
        offsets = np.concatenate([[0], places, [n]]).astype(np.uint64)
        starts = offsets[:-1].astype(np.int64)
        found = np.zeros(starts.size, np.float32)

        def theirs():
            return np.add.reduceat(xs, starts)

        def check():
            ours.bind("segmented_sum_f32", xs, n, offsets, offsets.size, found)()
            return same(found, theirs(), 1e-5)

        return ours.bind("segmented_sum_f32", xs, n, offsets, offsets.size, None), theirs, check

    return make


def top_k(ours):
    def make():
        n, k = 1 << 24, 100
        xs = random("f32", n)
        found = np.zeros(k, np.float32)

        def theirs():
            return np.sort(np.partition(xs, n - k)[n - k :])[::-1]

        def check():
            ours.bind("top_k_f32", xs, n, k, found)()
            return same(found, theirs(), 0)

        return ours.bind("top_k_f32", xs, n, k, None), theirs, check

    return make


def unique(ours):
    def make():
        n = 1 << 22
        xs = random("i32", n)
        found = np.full(n, 1, np.int32)

        def theirs():
            return np.unique(xs)

        def check():
            ours.bind("unique_i32", xs, n, found)()
            truth = theirs()
            # No more than that, either.
            return same(found[: truth.size], truth, 0) and bool((found[truth.size :] == 1).all())

        return ours.bind("unique_i32", xs, n, None), theirs, check

    return make


def histogram(ours, one_value):
    def make():
        side = 8000
        xs = np.full((side, side), 77, np.uint8) if one_value else random("u8", (side, side))
        found = np.zeros(256, np.uint64)

        def theirs():
            return cv2.calcHist([xs], [0], None, [256], [0, 256])

        def check():
            ours.bind("histogram_u8", xs, xs.size, found)()
            # OpenCV counts in f32.
            return same(found, np.bincount(xs.ravel(), minlength=256), 0) and same(found, theirs().ravel(), 1e-6)

        return ours.bind("histogram_u8", xs, xs.size, None), theirs, check

    return make


def transpose(ours, into):
    def make():
        side = 8192
        a = random("f32", (side, side))
        out = np.empty_like(a)
        mine = ours.bind("transpose_into_f32" if into else "transpose_f32", a, side, side, out)

        def check():
            mine()
            return same(out, a.T, 0)

        if into:
            return mine, lambda: np.copyto(out, a.T), check
        return ours.bind("transpose_f32", a, side, side, None), lambda: np.ascontiguousarray(a.T), check

    return make


def compact(ours, by_mask):
    def make():
        xs = random("f32", LENGTH)
        # Half of the elements are below; the mask says of each whether it is.
        limit, found = 0.0, np.full_like(xs, np.nan)
        mask = xs < limit
        name, which = ("compact_by_mask_f32", mask) if by_mask else ("compact_f32", limit)

        def theirs():
            return xs[mask] if by_mask else xs[xs < limit]

        def check():
            ours.bind(name, xs, LENGTH, which, found)()
            truth = theirs()
            # No more than that, either.
            return same(found[: truth.size], truth, 0) and bool(np.isnan(found[truth.size :]).all())

        return ours.bind(name, xs, LENGTH, which, None), theirs, check

    return make


def matmul(ours, kind, m, n, k):
    def make():
        a, b = random(kind, (m, k)), random(kind, (k, n))
        c, d = np.empty((m, n), a.dtype), np.empty((m, n), a.dtype)

        def theirs():
            return np.matmul(a, b, out=d)

        mine = ours.bind(f"matmul_{kind}", a, b, m, n, k, c)

        def check():
            mine()
            return same(c, theirs(), (1e-5 if kind == "f32" else 1e-12) * k**0.5)

        return mine, theirs, check

    return make


def filter2d(ours, kind):
    def make():
        side = 5000
        image = random(kind, (side, side))
        rings = np.minimum(np.minimum(np.arange(5), 4 - np.arange(5))[:, None], np.minimum(np.arange(5), 4 - np.arange(5)))
        weights = ((rings + 1) / 35).astype(np.float32)
        found = np.empty_like(image)

        def theirs():
            return cv2.filter2D(image, -1, weights, borderType=cv2.BORDER_REPLICATE)

        def check():
            ours.bind(f"filter_{kind}", weights, 5, image, side, side, found)()
            # Bytes may round the other way if a sum is close to a half.
            return same(found, theirs(), 1e-5 if kind == "f32" else 1)

        return ours.bind(f"filter_{kind}", weights, 5, image, side, side, None), theirs, check

    return make


def convolve1d(ours, width, peer):
    def make():
        n = 1 << 24
        xs = random("f32", n)
        half = np.arange(1, width // 2 + 2, dtype=np.float32)
        mask = np.concatenate([half, half[-2::-1]])
        mask = (mask / mask.sum()).astype(np.float32)
        found = np.empty_like(xs)
        theirs = {
            "convolve": lambda: np.convolve(xs, mask, "same"),
            "ndimage": lambda: scipy.ndimage.correlate1d(xs, mask, mode="constant"),
            "oaconvolve": lambda: scipy.signal.oaconvolve(xs, mask, "same"),
        }[peer]

        def check():
            ours.bind("convolve1d_f32", mask, width, xs, n, found)()
            return same(found, theirs(), 1e-5 * width**0.5)

        return ours.bind("convolve1d_f32", mask, width, xs, n, None), theirs, check

    return make


def heat(ours, stencils, side, steps):
    def make():
        temperature, conductivity = RNG.random((side, side)) * 100, RNG.random((side, side))
        a, b = np.empty_like(temperature), np.empty_like(temperature)
        # Far below the change of a step, so that all are taken; both sides compute the largest change of each.
        threshold = 1e-9
        both = temperature, conductivity, side, side, steps, threshold
        theirs = stencils.bind("heat", *both, b)

        def check():
            ours.bind("heat_f64", *both, a)()
            return theirs() == steps and same(a, b, 1e-12 * (9 * steps) ** 0.5)

        return ours.bind("heat_f64", *both, None), theirs, check

    return make


def radiator(ours, stencils, side, steps):
    def make():
        a, b = np.empty((side, side), np.float32), np.empty((side, side), np.float32)
        theirs = stencils.bind("radiator", side, side, steps, b)

        def check():
            ours.bind("radiator_f32", side, side, steps, a)()
            return theirs() == steps and same(a, b, 1e-5 * (5 * steps) ** 0.5)

        return ours.bind("radiator_f32", side, side, steps, None), theirs, check

    return make


def all_rows(ours, stencils):
    rows = []
    for kind in ["f32", "i32"]:
        for name in ["sum", "min", "max", "argmax"]:
            rows.append(Row(f"{name} {kind} 2^26", "the value", f"NumPy {name}", 1.8, reduction(ours, name, kind)))
    for kind in ["f32", "i32"]:
        rows.append(Row(f"scan {kind} 2^26", "a new array", "NumPy cumsum", 4.0, scan(ours, kind, False)))
        rows.append(Row(f"scan {kind} 2^26 into", "into an array", "NumPy cumsum(out=)", 4.0, scan(ours, kind, True)))
    rows.append(Row("vecadd f32 2^26", "a new array", "NumPy a + b", 1.8, vecadd(ours, False)))
    rows.append(Row("vecadd f32 2^26 into", "into an array", "NumPy add(out=)", 1.8, vecadd(ours, True)))
    formula = "(x - a)**2 + sqrt(y)"
    rows.append(Row("expression f32 2^26", f"{formula}, a new array", "NumPy", 4.0, expression(ours, "NumPy", False)))
    rows.append(Row("expression f32 2^26 fused", formula, "numexpr", 1.0, expression(ours, "numexpr", False)))
    rows.append(
        Row("expression f32 2^26 into", f"{formula}, into an array", "numexpr", 1.0, expression(ours, "numexpr", True))
    )
    rows.append(Row("exp f32 2^26 into", "into an array", "NumPy exp(out=)", 1.0, exponential(ours)))
    rows.append(Row("variance f32 2^26", "in one pass", "NumPy var", 6.0, variance(ours, "variance_f32")))
    by_expression = variance(ours, "variance_by_expression_f32")
    rows.append(Row("variance f32 2^26 by expression", "sum of (x - mean)**2", "NumPy var", 4.0, by_expression))
    rows.append(Row("histogram u8 8000^2 random", "the counts", "OpenCV calcHist", 1.5, histogram(ours, False)))
    rows.append(Row("histogram u8 8000^2 one value", "the counts", "OpenCV calcHist", 3.0, histogram(ours, True)))
    for kind in ["f32", "i32", "u64"]:
        rows.append(Row(f"sort {kind} 2^24", "a new array", "NumPy sort", 1.5, sort(ours, kind, False)))
    for kind in ["f32", "i32", "u64"]:
        rows.append(Row(f"argsort {kind} 2^24", "places of 32 bits", "NumPy argsort", 6.0, sort(ours, kind, True)))
    rows.append(Row("sums by key f32 2^24", "runs of about 32", "NumPy add.reduceat", 1.0, sums_by_key(ours)))
    rows.append(Row("segmented sum f32 2^24", "of about 100", "NumPy add.reduceat", 1.0, segmented_sum(ours)))
    rows.append(Row("top_k f32 2^24", "the 100 largest", "NumPy partition", 1.0, top_k(ours)))
    rows.append(Row("unique i32 2^22", "a new array", "NumPy unique", 20.0, unique(ours)))
    rows.append(Row("transpose f32 8192^2", "a new array", "NumPy contiguous a.T", 6.0, transpose(ours, False)))
    rows.append(Row("transpose f32 8192^2 into", "into an array", "NumPy copyto(a.T)", 6.0, transpose(ours, True)))
    rows.append(Row("compact f32 2^26 half", "a new array", "NumPy xs[xs < limit]", 6.0, compact(ours, False)))
    rows.append(Row("compact f32 2^26 half by mask", "a new array", "NumPy xs[mask]", 6.0, compact(ours, True)))
    shapes = [(n, n, n) for n in (512, 1024, 2048, 4096)]
    shapes += [(513, 513, 513), (1000, 777, 1023), (2047, 3001, 1999), (4096, 64, 4096), (64, 4096, 4096)]
    shapes += [(16, 4096, 4096), (1, 4096, 4096), (4096, 1, 4096)]
    for kind in ["f32", "f64"]:
        for m, n, k in shapes:
            size = f"{m}" if m == n == k else f"{m}x{n}x{k}"
            rows.append(Row(f"matmul {kind} {size}", "into an array", "NumPy matmul(out=)", 1.0, matmul(ours, kind, m, n, k)))
    for kind in ["f32", "u8"]:
        rows.append(Row(f"filter 5x5 {kind} 5000^2", "a new image", "OpenCV filter2D", 2.0, filter2d(ours, kind)))
    for width in [7, 31]:
        peers = {"convolve": "NumPy convolve", "ndimage": "SciPy correlate1d", "oaconvolve": "SciPy oaconvolve"}
        for peer, label in peers.items():
            name = f"convolve1d f32 2^24 width {width} {peer}"
            rows.append(Row(name, "a new array", label, 5.0, convolve1d(ours, width, peer)))
    for side in [1000, 4096]:
        rows.append(Row(f"heat f64 {side}^2 200", "200 steps", "OpenMP C", 2.0, heat(ours, stencils, side, 200)))
    rows.append(Row("radiator f32 2048^2 100", "100 steps", "OpenMP C", 3.0, radiator(ours, stencils, 2048, 100)))
    return rows


def turn(work, pause):
    time.sleep(pause)
    best = float("inf")
    begin = time.perf_counter()
    while best == float("inf") or time.perf_counter() - begin < 0.1:
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def measure(row, turns, pause):
    ours, theirs, check = row.make()
    if not check():
        sys.exit(f"{row.name}: the two sides do not compute the same")
    times = [[], []]
    for _ in range(turns):
        for side, work in zip(times, [ours, theirs]):
            side.append(turn(work, pause))
    return times


def noise(times):
    return (statistics.median(times) / min(times) - 1) * 100


def time_text(seconds):
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.3f} s"


def machine():
    model = "unknown processor"
    flags = ""
    with open("/proc/cpuinfo", encoding="ascii") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
            if line.startswith("flags"):
                flags = line
    simd = "AVX-512" if " avx512f" in flags else "AVX2" if " avx2" in flags else "SSE2"
    asked = os.environ.get("WARPWISE_SIMD")
    return (
        f"{len(os.sched_getaffinity(0))} cores, {model}, {simd}" + (f" (ours: {asked})" if asked else "") + "; "
        f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, OpenCV {cv2.__version__}, "
        f"numexpr {numexpr.__version__}"
    )


def main():
    parser = argparse.ArgumentParser(prog="bench/peers/run", description="Times ours and theirs in turns.")
    parser.add_argument("--ours", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--stencils", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--turns", type=int, default=5, help="turns of each side (5)")
    parser.add_argument("--pause", type=float, default=0.15, help="seconds of rest before a turn (0.15)")
    parser.add_argument("--list", action="store_true", help="print the rows and stop")
    parser.add_argument("--markdown", action="store_true", help="print a table for a document")
    parser.add_argument("rows", nargs="*", help="parts of the names of rows (all rows)")
    options = parser.parse_args()
    rows = all_rows(Library(options.ours), Library(options.stencils))
    rows = [row for row in rows if not options.rows or any(part in row.name for part in options.rows)]
    if options.list:
        print("\n".join(row.name for row in rows))
        return
    if not rows:
        sys.exit(f"no row has {' or '.join(options.rows)} in its name: --list prints all")
    print(machine())
    if options.markdown:
        print("| work | measured | peer | peer's time | ours | ratio | at least |\n| --- | --- | --- | --- | --- | --- | --- |")
    for row in rows:
        ours, theirs = measure(row, max(options.turns, 1), options.pause)
        ratio = min(theirs) / min(ours)
        verdict = "" if ratio >= row.bar else " missed"
        cells = [f"{time_text(min(times))} +{noise(times):.0f} %" for times in (theirs, ours)]
        if options.markdown:
            print(f"| {row.name} | {row.what} | {row.peer} | {cells[0]} | {cells[1]} | {ratio:.2f} | {row.bar}{verdict} |", flush=True)
        else:
            print(f"{row.name:<40} {row.peer:<20} {cells[0]:>18}  ours {cells[1]:>18}  {ratio:6.2f} x  (at least {row.bar}){verdict}", flush=True)


main()
