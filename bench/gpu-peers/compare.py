"""Ours and theirs on one GPU, in turns, on the same data, in one process: see `bench/gpu-peers/run`.

Data is made on the GPU by PyTorch; CUB, cuBLAS and PyTorch work on it there, and ours on a copy. Every row first checks
that both sides compute the same. Then the sides take turns: a turn is a number of calls, each timed
on the GPU's clock from before its first launch until after its last. A row prints the median of each side, how far
apart the turns' medians were (as noise), and the ratio of the two medians. The table of ratios comes last.
"""

import argparse
import ctypes
import statistics
import sys

import numpy as np
import torch

from rows import all_rows
from sweep import sweep_rows


class Ours:
    """The library: calls on data in the GPU's memory."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def work(self, name, *arguments, variant=None):
        function = getattr(self.library, name)
        function.restype = ctypes.c_void_p
        made = function(*[convert(argument) for argument in arguments])
        if not made:
            sys.exit(f"{name}: ours failed")
        return Work(self.library, made)

    def copy_rates(self, size):
        rates = (ctypes.c_double * 3)()
        if self.library.copy_rates(ctypes.c_uint64(size), rates):
            sys.exit("ours cannot copy")
        return list(rates)


class Work:
    def __init__(self, library, handle):
        self.library, self.handle = library, ctypes.c_void_p(handle)
        # These must live as long as the work.
        self.kept = None

    def times(self, calls):
        times = (ctypes.c_double * calls)()
        if self.library.work_time(self.handle, ctypes.c_size_t(calls), times):
            sys.exit("ours failed")
        return list(times)

    def result(self, like):
        out = np.empty_like(like)
        if self.library.work_result(self.handle, ctypes.c_size_t(out.nbytes), ctypes.c_void_p(out.ctypes.data)):
            sys.exit("ours failed")
        return out

    def free(self):
        self.library.work_free(self.handle)
        if isinstance(self.kept, Work):
            self.kept.free()


class Peers:
    """CUB and cuBLAS: functions that make and time a number of calls."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def timer(self, name, *arguments):
        function = getattr(self.library, name)
        ready = [convert(argument) for argument in arguments]

        def times(calls):
            out = (ctypes.c_double * calls)()
            if function(*ready, ctypes.c_size_t(calls), out):
                sys.exit(f"{name} failed")
            return list(out)

        return times


def convert(argument):
    if argument is None:
        return ctypes.c_void_p(None)
    if isinstance(argument, torch.Tensor):
        return ctypes.c_void_p(argument.data_ptr())
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    if isinstance(argument, str):
        return ctypes.c_char_p(argument.encode())
    if isinstance(argument, float):
        return ctypes.c_double(argument)
    return ctypes.c_size_t(argument)


def calls_for(milliseconds):
    """Calls that take about a tenth of a second, and not too few."""
    return int(min(200, max(5, 100 / max(milliseconds, 1e-3))))


def measure(sides, turns):
    """The medians of every turn, for each side."""
    counts = [calls_for(statistics.median(side(3)[1:])) for side in sides]
    medians = [[] for _ in sides]
    for _ in range(turns):
        for side, count, found in zip(sides, counts, medians):
            side(2)
            found.append(statistics.median(side(count)))
    return medians


def spread(medians):
    return (max(medians) / min(medians) - 1) * 100


def time_text(milliseconds):
    return f"{milliseconds * 1e3:.1f} us" if milliseconds < 0.1 else f"{milliseconds:.3f} ms"


def print_table(head, lines):
    widths = [max(len(line[i]) for line in [head] + lines) for i in range(len(head))]
    for number, line in enumerate([head] + lines):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")


def compare(rows, turns):
    lines, missed = [], 0
    for row in rows:
        ours, theirs, note = row.make()
        if row.computed is not None:
            (mine,), peer = measure([ours.times], turns), row.computed
            noise = f"{spread(mine):.0f} %"
        else:
            mine, peers = measure([ours.times, theirs], turns)
            peer, noise = statistics.median(peers), f"{spread(mine):.0f}, {spread(peers):.0f} %"
        mine = statistics.median(mine)
        ours.free()
        torch.cuda.empty_cache()
        ratio = peer / mine
        holds = ratio >= row.bar
        missed += not holds
        bar = "" if row.bar == 0 else f"{row.bar:g}" + ("" if holds else " missed")
        rate = f"{row.work / mine / 1e6:.0f} {row.unit}"
        cells = [row.name, row.peer, time_text(peer), time_text(mine), rate, noise, f"{ratio:.2f}", bar, note]
        print("  ".join(cells), flush=True)
        lines.append(cells)
    print()
    print_table(["work", "peer", "peer's time", "ours", "ours, rate", "spread", "ratio", "at least", "note"], lines)
    print(f"\n{len(lines) - missed} of {len(lines)} rows hold")


def sweep(rows, turns):
    """Time per element over sizes: none may be much above that of its neighbours."""
    lines = []
    for name, points in rows:
        before = None
        worst = (0, "")
        for label, n, make in points:
            work = make()
            (medians,) = measure([work.times], turns)
            work.free()
            time = statistics.median(medians)
            if before is not None:
                # A call has a fixed cost, so more elements may take as long as fewer, but not less.
                expected = before[2] * (n / before[1] if n > before[1] * 1.01 else 1)
                step = max(time / expected, before[2] / time)
                worst = max(worst, (step, f"from {before[0]} to {label}"))
            before = (label, n, time)
            lines.append([name, label, time_text(time), f"{time * 1e6 / n:.4f} ns"])
        print(f"{name}: largest step {worst[0]:.2f}, {worst[1]}", flush=True)
    print()
    print_table(["work", "n", "time", "an element"], lines)


def main():
    parser = argparse.ArgumentParser(prog="bench/gpu-peers/run", description="Times ours and theirs in turns.")
    parser.add_argument("--ours", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--peers", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--turns", type=int, default=5, help="turns of each side (5)")
    parser.add_argument("--list", action="store_true", help="print the rows and stop")
    parser.add_argument("--sweep", action="store_true", help="time ours over many sizes instead")
    parser.add_argument("rows", nargs="*", help="parts of the names of rows (all rows)")
    options = parser.parse_args()
    ours, peers = Ours(options.ours), Peers(options.peers)

    def wanted(name):
        return not options.rows or any(part in name for part in options.rows)

    rows = [row for row in all_rows(ours, peers) if wanted(row.name)]
    if options.list:
        print("\n".join(row.name for row in rows))
        return
    torch.manual_seed(torch.seed())
    print(f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}, PyTorch {torch.__version__}")
    if options.sweep:
        sweep([row for row in sweep_rows(ours) if wanted(row[0])], options.turns)
    else:
        compare(rows, options.turns)


if __name__ == "__main__":
    main()
