"""Data-parallel primitives on CPU and GPU, and a laboratory for CUDA kernels that needs no GPU.

>>> import numpy as np, warpwise as ww
>>> float(ww.sum(np.array([1.5, 2.5])))
4.0

Functions take arrays of NumPy and follow NumPy's rules; ``device="emulator"`` or ``"cuda"`` and ``variant=`` choose how.
``Kernel`` runs, checks, explains and watches a kernel of one's own. docs/python.md describes everything.
"""

from ._native import (
    Array,
    argmax,
    argmin,
    argsort,
    bincount,
    compact,
    convolve,
    cumsum,
    matmul,
    max,
    min,
    prod,
    scan,
    sort,
    sum,
    transpose,
)
from ._native import unique_elements as unique

__version__ = "0.1.0"

# Loaded when they are first used: importing the package imports nothing else, and opens no GPU.
_LATER = {
    "_general": ("HeatResult RadiatorResult filter2d heat histogram map radiator"),
    "_arrays": "asarray from_dlpack",
    "_kernel": "Kernel CompileError",
    "_reports": "Table",
    "_laboratory": "bench devices explain ladder primitives program run_program sweep",
}
_WHERE = {name: module for module, names in _LATER.items() for name in names.split()}

__all__ = sorted(
    [
        *_WHERE,
        "Array",
        "argmax",
        "argmin",
        "argsort",
        "bincount",
        "compact",
        "convolve",
        "cumsum",
        "matmul",
        "max",
        "min",
        "prod",
        "scan",
        "sort",
        "sum",
        "testing",
        "transpose",
        "unique",
    ]
)


def __getattr__(name):
    from importlib import import_module

    if name == "testing":
        return import_module(".testing", __name__)
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_WHERE[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return __all__


def load_ipython_extension(shell):
    """``%load_ext warpwise``: the cell magic ``%%cuda``."""
    from ._magic import register

    register(shell)
