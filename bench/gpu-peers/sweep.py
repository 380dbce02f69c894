"""Ours over many sizes: the time per element must not jump from one size to the next."""

import functools

import numpy as np
import torch

from rows import host, random

# Steps of a stencil in one call.
STEPS = 40

# Sides of images, grids and matrices: powers of two, their neighbours, and sizes in between.
SIDES = sorted(
    {side + more for power in range(5, 14) for side in [1 << power] for more in (-1, 0, 1, side // 4, side // 2)}
    - {8192 + 2048, 8192 + 4096}
)


def vectors(ours):
    sizes = [n for power in range(10, 31) for n in ((1 << power) - 1, 1 << power, (1 << power) + 1, 3 << (power - 1))]
    sizes = sorted(set(sizes)) + [1 << 31, (1 << 31) + 12345, 1 << 32]
    # The longest vector of a type; the others are its beginnings.
    longest = functools.lru_cache(maxsize=1)(lambda kind: host(random(kind, sizes[-1] + 1)))

    def masked(width):
        weights = np.full(width, 1 / width, np.float32)
        return f"convolve1d_f32 {width} weights", 1 << 30, (weights, width)

    for name, limit, more in [
        ("sum_i32", 1 << 32, ()),
        ("scan_i32", 1 << 31, ()),
        ("sum_f32", 1 << 32, ()),
        ("scan_f32", 1 << 31, ()),
        masked(5),
        masked(129),
        ("histogram_u8", 1 << 32, ()),
    ]:
        function = name.split()[0]

        def make(n, first, function=function, more=more):
            kind = function.split("_")[1]
            return lambda: ours.work(function, longest(kind)[: first + n], n, None, first, *more)

        points = []
        for n in (n for n in sizes if n <= limit):
            points.append((str(n), n, make(n, 0)))
            if n & (n - 1) == 0:
                points.append((f"{n} at an odd address", n, make(n, 1)))
        yield name, points


def squares(ours):
    def image(side):
        return host(torch.rand(side, side, device="cuda"))

    def filtered(side):
        return ours.work("filter_f32", image(side), side, None, np.full((5, 5), 0.04, np.float32), 5)

    def product(side):
        return ours.work("matmul_f32", image(side), image(side), side, side, side, None)

    def heat(side):
        grids = [host(torch.rand(side, side, dtype=torch.float64, device="cuda")) for _ in range(2)]
        work = ours.work("heat_f64", *grids, side, None, STEPS)
        work.kept = grids
        return work

    def radiator(side):
        return ours.work("radiator_f32", side, None, STEPS)

    for name, make, dimensions in [
        ("filter_f32", filtered, 2),
        ("heat_f64", heat, 2),
        ("radiator_f32", radiator, 2),
        ("matmul_f32", product, 3),
    ]:
        yield name, [(f"{side}^2", side**dimensions, functools.partial(make, side)) for side in SIDES]


def sweep_rows(ours):
    """Names, and for each of them points: a label, elements (or products), and a function that makes the work."""
    return [*vectors(ours), *squares(ours)]
