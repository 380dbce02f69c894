"""Kernels in tests: no findings, and counters within a budget.

>>> from warpwise.testing import assert_clean, assert_counters  # doctest: +SKIP
>>> assert_clean(kernel, 4, 256, x, y, 1000)  # doctest: +SKIP
>>> assert_counters(kernel, 4, 256, x, y, 1000, shared_load_conflicts=0, global_load_sectors=(0, 512))  # doctest: +SKIP
"""

from __future__ import annotations

# Findings of this process, for the pytest plugin.
_seen: list = []


def assert_clean(kernel, grid, block, *arguments, shared=0, checks="all", allow=(), **options):
    """Fails if checks of a launch find something that is not of a kind in ``allow``. Returns what they found."""
    __tracebackhide__ = True
    report = kernel.check[grid, block, shared](*arguments, checks=checks, **options)
    _seen.append(report)
    wrong = [finding for finding in report.findings if finding["kind"] not in allow]
    if wrong:
        raise AssertionError(f"{kernel.name} is not clean\n{report}")
    return report


def assert_counters(kernel, grid, block, *arguments, shared=0, options=None, **budget):
    """Fails if a counter of a launch is not what it may be: a number is the most, a pair is the least and the most.

    Returns the counters.
    """
    __tracebackhide__ = True
    counters = kernel.counters[grid, block, shared](*arguments, **(options or {}))
    over = []
    for name, limit in budget.items():
        if name not in counters:
            raise ValueError(f"there is no counter {name!r}: there are {', '.join(counters)}")
        least, most = limit if isinstance(limit, tuple) else (0, limit)
        if not least <= counters[name] <= most:
            over.append(f"{name} is {counters[name]}, and may be {most if least == 0 else f'{least} to {most}'}")
    if over:
        raise AssertionError(f"{kernel.name} is over its budget: {'; '.join(over)}")
    return counters
