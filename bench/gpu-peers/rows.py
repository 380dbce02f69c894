"""The rows of the comparison: data, both sides, a check that they compute the same, and the ratio to reach."""

import functools

import numpy as np
import torch

# Rungs of matmul that are compared with cuBLAS.
CUDA_CORES, SPLIT = "gpu-8-wide-tiles", "gpu-10-tensor-split"

DTYPES = {"i32": torch.int32, "f32": torch.float32, "f64": torch.float64, "u8": torch.uint8}


class Row:
    def __init__(self, name, peer, bar, work, unit, make, computed=None):
        """`work`: bytes or operations of a call, for the rate; `computed`: milliseconds of a peer that is not run."""
        self.name, self.peer, self.bar, self.work, self.unit = name, peer, bar, work, unit
        self.make, self.computed = make, computed


def random(kind, n):
    if kind in ("i32", "u8"):
        limit = 256 if kind == "u8" else 1000
        return torch.randint(0, limit, (n,), dtype=DTYPES[kind], device="cuda")
    return torch.rand(n, dtype=DTYPES[kind], device="cuda")


def host(tensor):
    return tensor.cpu().numpy()


def require(name, holds):
    if not holds:
        raise SystemExit(f"{name}: the two sides do not compute the same")


def torch_timer(call):
    def times(calls):
        found = []
        for _ in range(calls):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            call()
            end.record()
            end.synchronize()
            found.append(start.elapsed_time(end))
        return found

    return times


def sum_row(ours, peers, kind, n, bar, variant=None):
    name = f"sum {kind} {size(n)}" + (f" {variant}" if variant else "")

    def make():
        xs = random(kind, n)
        out = torch.empty(1, dtype=xs.dtype, device="cuda")
        work = ours.work(f"sum_{kind}", host(xs), n, variant, 0)
        theirs = peers.timer(f"cub_sum_{kind}", xs, out, n)
        theirs(1)
        found, truth = work.result(host(out))[0], host(out)[0]
        exact = float(xs.sum(dtype=torch.float64)) if kind != "i32" else truth
        require(name, found == truth if kind == "i32" else abs(float(found) - exact) <= 1e-4 * abs(exact))
        return work, theirs, "" if kind == "i32" else f"error {abs(float(found) / exact - 1):.0e}, CUB's {abs(float(truth) / exact - 1):.0e}"

    return Row(name, "CUB", bar, n * DTYPES[kind].itemsize, "GB/s", make)


def reproducible_row(ours, kind, n):
    """The sum that has the same bits everywhere, against the one in any order."""

    def make():
        xs = host(random(kind, n))
        work, fast = (ours.work(f"sum_{kind}", xs, n, variant, 0) for variant in ("gpu-11-fixed-tree", None))
        work.kept = fast
        return work, fast.times, ""

    return Row(f"sum {kind} {size(n)} reproducible", "ours, fast", 0.95, n * DTYPES[kind].itemsize, "GB/s", make)


def squares_rows(ours, n):
    """The sum of an expression, against our plain sum and against PyTorch."""

    def make(against):
        xs = random("f32", n)
        work = ours.work("squares_f32", host(xs), n, None, 0)
        exact = float((xs.double() ** 2).sum())
        found = float(work.result(np.zeros(1, np.float32))[0])
        require("sum of squares", abs(found - exact) <= 1e-4 * exact)
        if against == "PyTorch":
            return work, torch_timer(lambda: (xs * xs).sum()), ""
        work.kept = ours.work("sum_f32", host(xs), n, None, 0)
        return work, work.kept.times, ""

    name = f"sum of x*x f32 {size(n)}"
    plain = Row(name, "ours, plain sum", 0.95, n * 4, "GB/s", functools.partial(make, "ours"))
    return [plain, Row(f"{name} fused", "PyTorch (x*x).sum()", 2.5, n * 4, "GB/s", functools.partial(make, "PyTorch"))]


def scan_row(ours, peers, kind, n, bar):
    name = f"scan {kind} {size(n)}"

    def make():
        xs = random(kind, n)
        out = torch.empty_like(xs)
        work = ours.work(f"scan_{kind}", host(xs), n, None, 0)
        theirs = peers.timer(f"cub_scan_{kind}", xs, out, n)
        theirs(1)
        truth = host(out)
        found = work.result(truth)
        require(name, np.array_equal(found, truth) if kind == "i32" else np.allclose(found, truth, rtol=1e-3))
        return work, theirs, ""

    return Row(name, "CUB", bar, 2 * n * DTYPES[kind].itemsize, "GB/s", make)


def bytes_row(ours, peers, n, label, one_value, bar):
    name = f"histogram u8 {label} {'one value' if one_value else 'random'}"

    def make():
        xs = torch.full((n,), 77, dtype=torch.uint8, device="cuda") if one_value else random("u8", n)
        out = torch.zeros(256, dtype=torch.int32, device="cuda")
        work = ours.work("histogram_u8", host(xs), n, None, 0)
        theirs = peers.timer("cub_histogram_u8", xs, out, n)
        theirs(1)
        found = work.result(np.empty(256, np.uint64))
        require(name, np.array_equal(found, host(out).astype(np.uint64)))
        return work, theirs, ""

    return Row(name, "CUB", bar, n, "GB/s", make)


def floats_row(ours, peers, n, bins, bar):
    name = f"histogram f32 {bins} bins {size(n)}"

    def make():
        xs = random("f32", n)
        out = torch.zeros(bins, dtype=torch.int32, device="cuda")
        work = ours.work("histogram_f32", host(xs), n, None, bins)
        theirs = peers.timer("cub_histogram_f32", xs, out, n, bins)
        theirs(1)
        found, counted = work.result(np.empty(bins, np.uint64)), host(out).astype(np.int64)
        # Bins are computed differently: values at the edge of one may fall on the other side.
        apart = int(np.abs(found.astype(np.int64) - counted).sum())
        require(name, int(found.sum()) == n and apart <= n * 1e-4)
        return work, theirs, f"{apart} counted elsewhere" if apart else ""

    return Row(name, "CUB", bar, 4 * n, "GB/s", make)


def compact_row(ours, peers, n, bar):
    name = f"compact f32 half kept {size(n)}"

    def make():
        xs, limit = random("f32", n), 0.5
        out = torch.empty_like(xs)
        count = torch.zeros(1, dtype=torch.int32, device="cuda")
        work = ours.work("compact_f32", host(xs), n, None, limit)
        theirs = peers.timer("cub_select_f32", xs, out, count, n, limit)
        theirs(1)
        kept = int(count)
        truth = host(out[:kept])
        require(name, np.array_equal(work.result(truth), truth))
        return work, theirs, f"{kept / n:.3f} kept"

    # All are read, and half of them written.
    return Row(name, "CUB", bar, 4 * n + 2 * n, "GB/s", make)


def compact_where_row(ours, n):
    name = f"compact f32 where x < 0.5 {size(n)}"

    def make():
        xs = random("f32", n)
        work = ours.work("compact_where_f32", host(xs), n, None, 0.5)
        truth = host(xs[xs < 0.5])
        require(name, np.array_equal(work.result(truth), truth))
        return work, torch_timer(lambda: xs[xs < 0.5]), ""

    # All are read, and half of them written.
    return Row(name, "PyTorch x[x < 0.5]", 0, 6 * n, "GB/s", make)


def by_key_row(ours, peers, n, run, bits, bar):
    """Beside CUB with counts of 64 bits, which ours has, or of 32."""
    name = f"sums by key f32 {size(n)}, runs of {run}"

    def make():
        keys = (torch.arange(n, device="cuda") // run).to(torch.int32)
        values = torch.randint(0, 8, (n,), device="cuda").to(torch.float32)
        out_keys, out = torch.empty_like(keys), torch.empty_like(values)
        count = torch.zeros(1, dtype=torch.int32, device="cuda")
        work = ours.work("sums_by_key_f32", host(keys), host(values), n)
        theirs = peers.timer("cub_sums_by_key_f32" if bits == 64 else "cub_sums_by_key_32_f32", keys, values, out_keys, out, count, n)
        theirs(1)
        truth = host(out[: int(count)])
        require(name, np.array_equal(work.result(truth), truth))
        work.kept = keys, values, out_keys, out, count
        return work, theirs, ""

    # Keys and values are read; a key and a value are written for every run.
    peer = "CUB" if bits == 64 else "CUB, counts of 32 bits"
    return Row(name, peer, bar, 8 * n + 8 * (n // run), "GB/s", make)


def segmented_row(ours, peers, kind, n, each, bar):
    """Beside CUB with offsets of 32 bits for u32, and of 64, which ours has, for f32."""
    name = f"segmented sums {kind} {size(n)}, {each} each"
    signed, bits = {"u32": (torch.int32, 32), "f32": (torch.float32, 64)}[kind]

    def make():
        xs = torch.randint(0, 8, (n,), device="cuda").to(signed)
        segments = n // each
        offsets = torch.arange(segments + 1, device="cuda") * each
        theirs_offsets = offsets.to(torch.int32 if bits == 32 else torch.int64)
        out = torch.empty(segments, dtype=signed, device="cuda")
        work = ours.work(f"segmented_sums_{kind}", host(xs), n, host(offsets).astype(np.uint64), segments)
        theirs = peers.timer(f"cub_segmented_sums_{kind}", xs, theirs_offsets, out, segments)
        theirs(1)
        require(name, np.array_equal(work.result(host(out)), host(out)))
        work.kept = xs, theirs_offsets, out
        return work, theirs, ""

    peer = "CUB" if bits == 64 else "CUB, offsets of 32 bits"
    return Row(name, peer, bar, 4 * n, "GB/s", make)


def sort_row(ours, peers, kind, n, bar):
    """Keys of any bits, which PyTorch has as signed integers, or pairs of such keys and their numbers."""
    name = f"sort {kind} {size(n)}"
    signed = torch.int64 if kind == "u64" else torch.int32
    bits = 8 * signed.itemsize

    def make():
        keys = torch.randint(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1, (n,), dtype=signed, device="cuda")
        out = torch.empty_like(keys)
        if kind == "pairs":
            values, along = torch.arange(n, dtype=signed, device="cuda"), torch.empty_like(keys)
            theirs = peers.timer("cub_sort_pairs_u32", keys, values, along, out, n)
            work = ours.work("sort_pairs_u32", host(keys), host(values), n, None)
        else:
            theirs = peers.timer(f"cub_sort_{kind}", keys, out, n)
            work = ours.work(f"sort_{kind}", host(keys), n, None)
        theirs(1)
        require(name, np.array_equal(work.result(host(out)), host(out)))
        return work, theirs, ""

    # Everything is read and written once.
    return Row(name, "CUB", bar, 2 * n * signed.itemsize * (2 if kind == "pairs" else 1), "GB/s", make)


def transpose_rows(ours, peers, kind, rows, columns, bar):
    name = f"transpose {kind} " + (f"{rows}^2" if rows == columns else f"{rows} x {columns}")
    work = 2 * DTYPES[kind].itemsize * rows * columns
    copy_rate, *_ = ours.copy_rates(work // 2)

    def make(with_cublas):
        xs = random(kind, rows * columns).view(rows, columns)
        mine = ours.work(f"transpose_{kind}", host(xs), rows, columns, None)
        truth = xs.t().contiguous()
        require(name, np.array_equal(mine.result(host(truth)), host(truth)))
        if not with_cublas:
            return mine, None, ""
        out = torch.empty_like(truth)
        theirs = peers.timer("cublas_transpose_f32", xs, out, rows, columns)
        theirs(1)
        require(name, torch.equal(out, truth))
        return mine, theirs, ""

    found = [Row(name, "a copy", bar, work, "GB/s", lambda: make(False), work / copy_rate / 1e6)]
    if kind == "f32":
        found.append(Row(name, "cuBLAS", 1.0, work, "GB/s", lambda: make(True)))
    return found


def product_error(found, a, b, exact):
    """The largest error, in units of the last place of |A| |B|: the scale that bounds rounding."""
    scale = a.abs().double() @ b.abs().double()
    return float(((found.double() - exact).abs() / scale).max() * 2**24)


INPUTS = {
    "random": lambda n: (torch.randn(n, n, device="cuda"), torch.randn(n, n, device="cuda")),
    "scaled": lambda n: (
        torch.randn(n, n, device="cuda") * torch.exp2(torch.randint(-40, 40, (n, 1), device="cuda")),
        torch.randn(n, n, device="cuda") * torch.exp2(torch.randint(-40, 40, (1, n), device="cuda")),
    ),
    "cancelling": lambda n: cancelling(n),
}


def cancelling(n):
    a, b = torch.randn(n, n, device="cuda"), torch.randn(n, n, device="cuda")
    a[:, 1::2] = a[:, ::2] * (1 + 2e-4 * torch.randn_like(a[:, ::2]))
    b[1::2] = -b[::2]
    return a, b


def matmul_row(ours, peers, n, bar, variant=None, tf32=False):
    name = f"matmul f32 {n}" + (f" {variant}" if variant else "")

    def make():
        notes = []
        for label, inputs in INPUTS.items() if n <= 8192 else [("random", INPUTS["random"])]:
            a, b = inputs(n)
            c = torch.empty_like(a)
            theirs = peers.timer("cublas_matmul_f32", a, b, c, n, n, n, int(tf32))
            theirs(1)
            work = ours.work("matmul_f32", host(a), host(b), n, n, n, variant)
            exact = a.double() @ b.double()
            found = torch.from_numpy(work.result(host(c))).cuda()
            errors = [product_error(found, a, b, exact), product_error(c, a, b, exact)]
            notes.append(f"{label} {errors[0]:.2g}, {errors[1]:.2g}")
            if label == "random":
                kept, timer = work, theirs
            else:
                work.free()
        return kept, timer, "errors: " + "; ".join(notes)

    return Row(name, "cuBLAS TF32" if tf32 else "cuBLAS", bar, 2 * n**3, "GFLOP/s", make)


def without_tf32(times):
    """Calls of PyTorch that convolve in f32; by default it uses TF32."""

    def timed(calls):
        with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
            return times(calls)

    return timed


def convolve1d_row(ours, width, n):
    name = f"convolve1d f32 {width} weights {size(n)}"

    def make():
        xs, weights = random("f32", n), random("f32", width)
        work = ours.work("convolve1d_f32", host(xs), n, None, 0, host(weights), width)
        found = []

        def theirs():
            found[:] = [torch.nn.functional.conv1d(xs[None, None], weights[None, None], padding=width // 2)]

        timer = without_tf32(torch_timer(theirs))
        timer(1)
        require(name, np.allclose(work.result(host(xs)), host(found[0][0, 0]), rtol=1e-5))
        return work, timer, ""

    return Row(name, "PyTorch conv1d", 0, 2 * 4 * n, "GB/s", make)


def few_row(ours, peers, m, n, k, bar):
    """Few elements, or rows, with long sums."""
    name = f"matmul f32 {m} x {k} x {n}"

    def make():
        a, b = torch.randn(m, k, device="cuda"), torch.randn(k, n, device="cuda")
        c = torch.empty(m, n, device="cuda")
        theirs = peers.timer("cublas_matmul_f32", a, b, c, m, n, k, 0)
        theirs(1)
        work = ours.work("matmul_f32", host(a), host(b), m, n, k, None)
        found, exact = torch.from_numpy(work.result(host(c))).cuda(), a.double() @ b.double()
        errors = [product_error(found, a, b, exact), product_error(c, a, b, exact)]
        return work, theirs, f"errors: random {errors[0]:.2g}, {errors[1]:.2g}"

    return Row(name, "cuBLAS", bar, 2 * m * n * k, "GFLOP/s", make)


def doubles_row(ours, peers, m, n, k, bar):
    name = f"matmul f64 {n}" if m == n == k else f"matmul f64 {m} x {k} x {n}"

    def make():
        a, b = (torch.randn(*shape, dtype=torch.float64, device="cuda") for shape in [(m, k), (k, n)])
        c = torch.empty(m, n, dtype=torch.float64, device="cuda")
        theirs = peers.timer("cublas_matmul_f64", a, b, c, m, n, k)
        theirs(1)
        work = ours.work("matmul_f64", host(a), host(b), m, n, k, None)
        require(name, np.allclose(work.result(host(c)), host(c), rtol=0, atol=1e-12 * k))
        return work, theirs, ""

    return Row(name, "cuBLAS", bar, 2 * m * n * k, "GFLOP/s", make)


def filter_row(ours, side, bar):
    name = f"filter 5x5 f32 {side}^2"
    work = 2 * 4 * side * side
    rings = np.minimum(np.minimum(np.arange(5), 4 - np.arange(5))[:, None], np.minimum(np.arange(5), 4 - np.arange(5)))
    weights = ((rings + 1) / 35).astype(np.float32)
    pixels = functools.cache(lambda: torch.rand(side, side, device="cuda"))
    copy_rate, *_ = ours.copy_rates(4 * side * side)

    def make(with_torch):
        image = pixels()
        mine = ours.work("filter_f32", host(image), side, None, weights, 5)
        kernel = torch.from_numpy(weights).cuda()[None, None]

        def theirs():
            return torch.nn.functional.conv2d(image[None, None], kernel, padding=2)

        # PyTorch convolves in TF32 by default.
        require(name, np.allclose(mine.result(host(image)), host(theirs()[0, 0]), rtol=2e-3))
        return mine, torch_timer(theirs) if with_torch else None, ""

    return [
        Row(name, "PyTorch conv2d", bar, work, "GB/s", lambda: make(True)),
        Row(name, "85 % of its copy", 1.0, work, "GB/s", lambda: make(False), work / copy_rate / 1e6 / 0.85),
    ]


def heat_row(ours, side, steps, bar, copy_rate):
    work = 2 * 8 * side * side * steps

    def make():
        temperature = torch.rand(side, side, dtype=torch.float64, device="cuda") * 100
        conductivity = torch.rand(side, side, dtype=torch.float64, device="cuda")
        kept = host(temperature), host(conductivity)
        made = ours.work("heat_f64", kept[0], kept[1], side, None, steps)
        made.kept = kept
        return made, None, ""

    return Row(f"heat f64 {side}^2 {steps} steps", "a step a launch at copy speed", bar, work, "GB/s", make, work / copy_rate / 1e6)


def radiator_row(ours, side, steps, bar, copy_rate):
    work = 2 * 4 * side * side * steps
    name = f"radiator f32 {side}^2 {steps} steps"

    def make():
        return ours.work("radiator_f32", side, None, steps), None, ""

    return Row(name, "a step a launch at copy speed", bar, work, "GB/s", make, work / copy_rate / 1e6)


def host_rows(ours, rates):
    """End to end from and to host memory: it should take as long as the longest of the three stages."""
    n = 1 << 28
    up, down = rates

    def vectors():
        a, b = host(random("f32", n)), host(random("f32", n))
        work = ours.work("vecadd_host_f32", a, b, n, None)
        work.kept = a, b
        require("vecadd", np.array_equal(work.result(a), a + b))
        return work, torch_timer(lambda: (on_gpu(a) + on_gpu(b)).cpu()), ""

    def sums():
        xs = host(random("f32", n))
        work = ours.work("scan_host_f32", xs, n, None)
        work.kept = xs
        return work, torch_timer(lambda: on_gpu(xs).cumsum(0).cpu()), ""

    def pixels():
        image, weights = host(random("f32", n)), np.full((5, 5), 0.04, np.float32)
        work = ours.work("filter_host_f32", image, side, None, weights, 5)
        work.kept = image, weights
        return work, None, ""

    def products():
        a, b = host(random("f32", n)), host(random("f32", n))
        work = ours.work("matmul_host_f32", a, b, side, None)
        work.kept = a, b
        found, rows = work.result(a).reshape(side, side)[::1111], a.reshape(side, side)[::1111]
        require("matmul", np.allclose(found, rows @ b.reshape(side, side), rtol=1e-3, atol=1e-2 * side**0.5))
        return work, None, ""

    def on_gpu(array):
        return torch.from_numpy(array).cuda()

    size_ms, side = 4 * n / 1e6, 1 << 14
    return [
        Row("vecadd f32 2^28 host to host", "PyTorch", 0, 12 * n, "GB/s", vectors),
        Row("scan f32 2^28 host to host", "PyTorch", 0, 8 * n, "GB/s", sums),
        Row("vecadd f32 2^28 host to host", "its uploads alone", 0, 12 * n, "GB/s", vectors, 2 * size_ms / up),
        Row("scan f32 2^28 host to host", "its slower copy alone", 0, 8 * n, "GB/s", sums, size_ms / min(up, down)),
        Row("filter f32 16384^2 host to host", "its slower copy alone", 0, 8 * n, "GB/s", pixels, size_ms / min(up, down)),
        Row("matmul f32 16384 host to host", "its uploads alone", 0, 2 * side**3, "GFLOP/s", products, 2 * size_ms / up),
    ]


def size(n):
    power = n.bit_length() - 1
    return f"2^{power}" if n == 1 << power else str(n)


def all_rows(ours, peers):
    copy, up, down = ours.copy_rates(1 << 30)
    print(f"a copy moves {copy:.0f} GB/s (read plus written), uploads {up:.1f}, downloads {down:.1f}")
    rows = []
    for kind in ["i32", "f32", "f64"]:
        for power, bar in [(16, 1.5), (20, 1.5), (24, 1.05), (28, 1.1), (30, 1.0), (32, 1.0)]:
            if (kind, power) != ("f64", 32):
                rows.append(sum_row(ours, peers, kind, 1 << power, bar))
    for kind in ["f32", "f64"]:
        rows += [reproducible_row(ours, kind, 1 << power) for power in [16, 20, 24, 28]]
    rows += squares_rows(ours, 1 << 28)
    for kind in ["i32", "f32"]:
        for power, bar in [(20, 1.3), (24, 1.3), (28, 1.25), (30, 1.25)]:
            rows.append(scan_row(ours, peers, kind, 1 << power, bar))
    for n, label, bar in [(8000 * 8000, "8000^2", 1.5), (1 << 30, "2^30", 1.6)]:
        rows.append(bytes_row(ours, peers, n, label, False, bar))
        rows.append(bytes_row(ours, peers, n, label, True, 1.0))
    rows.append(floats_row(ours, peers, 1 << 28, 1000, 6.0))
    for power, bar in [(20, 1.5), (24, 1.4), (28, 1.35)]:
        rows.append(compact_row(ours, peers, 1 << power, bar))
    rows += [compact_where_row(ours, 1 << power) for power in [20, 24, 28]]
    rows.append(by_key_row(ours, peers, 1 << 28, 37, 64, 1.7))
    rows.append(by_key_row(ours, peers, 1 << 28, 37, 32, 0))
    # CUB takes longer for u32; beside its f32, reads alone at the memory's speed would be 2.4 times as fast.
    rows += [segmented_row(ours, peers, kind, 1 << 28, 1000, 2.4) for kind in ["u32", "f32"]]
    for power, bar in [(16, 2.0), (20, 1.3), (24, 1.0), (28, 1.0)]:
        rows.append(sort_row(ours, peers, "u32", 1 << power, bar))
    for kind in ["u64", "pairs"]:
        rows += [sort_row(ours, peers, kind, 1 << power, 1.0) for power in [16, 20, 24, 27]]
    for kind, shape, bar in [
        ("f32", (8192, 8192), 0.92),
        ("f32", (8191, 8193), 0.92),
        ("f64", (8192, 8192), 0.92),
        ("u8", (8192, 8192), 0),
    ]:
        rows += transpose_rows(ours, peers, kind, *shape, bar)
    for n in [1024, 2048, 4096, 8192, 16384]:
        rows.append(matmul_row(ours, peers, n, 0.95, CUDA_CORES))
    for n in [4096, 8192, 16384]:
        rows.append(matmul_row(ours, peers, n, 1.8, SPLIT))
    rows += [matmul_row(ours, peers, n, 0) for n in [128, 256, 512, 1000]]
    rows += [few_row(ours, peers, *shape, 1.1) for shape in [(64, 64, 4096), (1, 4096, 4096)]]
    for n, bar in [(256, 0), (1024, 0), (1500, 0), (2048, 0), (3000, 0), (4096, 1.0)]:
        rows.append(doubles_row(ours, peers, n, n, n, bar))
    rows.append(doubles_row(ours, peers, 256, 256, 4096, 0))
    rows += [convolve1d_row(ours, width, 1 << 26) for width in [5, 129]]
    for side in [5000, 10000]:
        rows += filter_row(ours, side, 30.0)
    rows.append(heat_row(ours, 4096, 200, 1.5, copy))
    rows.append(radiator_row(ours, 15360, 100, 4.0, copy))
    rows += host_rows(ours, (up, down))
    return rows
