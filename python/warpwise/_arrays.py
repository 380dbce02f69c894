"""Arrays in, in whatever form they come: NumPy, lists, expressions, arrays on a device."""

from __future__ import annotations

import numpy as np

from . import _native
from ._native import Array, Formula

# Types that are computed in a wider one.
WIDER = {
    "bool": "uint8",
    "int8": "int32",
    "int16": "int32",
    "uint8": "int32",
    "uint16": "uint32",
    "int32": "int64",
    "uint32": "int64",
    "float16": "float32",
    "float32": "float64",
}


def prepared(name, a, allowed, narrow=False, exact=False):
    """A dense array in one of the allowed types: the array itself if it is one."""
    kind = a.dtype.newbyteorder("=")
    if kind.name == "longlong":
        kind = np.dtype(np.int64)
    if narrow and kind.name not in allowed and kind.kind in "iu":
        kind = np.dtype("uint32" if kind.kind == "u" else "int32")
    while kind.name not in allowed:
        wider = None if exact and kind.kind != "f" and kind.itemsize > 2 else WIDER.get(kind.name)
        if wider is None:
            raise TypeError(f"{name} of {a.dtype} is not supported: convert it to one of {', '.join(allowed)}")
        kind = np.dtype(wider)
    dense = np.ascontiguousarray(a, kind)
    if not dense.flags.aligned:
        dense = dense.copy()
    return dense if dense.ndim == a.ndim else dense.reshape(a.shape)


def is_device_array(a):
    """Whether an object says that its elements are on a CUDA device."""
    if isinstance(a, (np.ndarray, list, tuple, int, float)):
        return False
    if hasattr(a, "__cuda_array_interface__"):
        return True
    where = getattr(a, "__dlpack_device__", None)
    return where is not None and where()[0] == 2


def asarray(a, dtype=None, *, device=None):
    """An array on a device: "cpu", "emulator" or "cuda". What is on the GPU already (CuPy, PyTorch) is not copied.

    >>> import warpwise as ww
    >>> ww.asarray([1, 2, 3], device="emulator").device
    'emulator'
    """
    if isinstance(a, Array):
        return a if device in (None, a.device) else a.to(device)
    if is_device_array(a):
        made = from_cuda(a)
        return made if device in (None, "cuda") else made.to(device)
    host = np.asarray(a, dtype)
    kinds = ("bool", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64")
    return _native.upload(prepared("asarray", host, kinds), device or "cpu")


def from_cuda(a):
    """An array of another package on the GPU, without a copy; its stream is waited for."""
    if hasattr(a, "__dlpack__"):
        # It says on which stream the last work is; PyTorch's array interface does not.
        return from_dlpack(a)
    described = a.__cuda_array_interface__
    kind = np.dtype(described["typestr"])
    shape = tuple(described["shape"])
    strides = described.get("strides")
    if strides is not None and np.prod(shape) and tuple(strides) != _strides(shape, kind.itemsize):
        raise ValueError("the array on the GPU is not contiguous: make a contiguous copy of it")
    if described.get("mask") is not None:
        raise ValueError("the array on the GPU has a mask: fill it first")
    # Without a stream there is nothing to wait for, says version 3; before that, the default stream was meant.
    stream = described.get("stream", 1 if described.get("version", 0) < 3 else None)
    return _native.import_cuda(a, described["data"][0], list(shape), kind.name, stream)


def _strides(shape, size):
    strides = []
    for n in reversed(shape):
        strides.append(size)
        size *= n
    return tuple(reversed(strides))


def from_dlpack(x, /):
    """An array of another package, through DLPack: on the GPU without a copy, on the CPU with one.

    >>> import numpy as np, warpwise as ww
    >>> ww.from_dlpack(np.array([1.0, 2.0])).numpy()
    array([1., 2.])
    """
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"from_dlpack: {type(x).__name__} has no __dlpack__")
    on_gpu = x.__dlpack_device__()[0] == 2
    # The work of the other package is put before that of the default stream, which is waited for.
    capsule = x.__dlpack__(stream=1) if on_gpu else x.__dlpack__()
    return _native.import_dlpack(capsule)


def formula(text, variables, device=None):
    """An expression of the arrays and numbers that its names stand for."""
    arrays, constants = {}, []
    for name, value in variables.items():
        if isinstance(value, Array) or is_device_array(value):
            arrays[name] = asarray(value)
        elif isinstance(value, (int, float, np.number, np.bool_)) or np.ndim(value) == 0:
            number = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
            constants.append((name, int(number) if isinstance(number, bool) else number))
        else:
            arrays[name] = np.asarray(value)
    if not arrays:
        raise ValueError(f"the expression {text!r} needs an array: give one by its name, as in x=array")
    if len(arrays) > 2:
        raise ValueError(f"an expression takes one or two arrays, not {len(arrays)}: {', '.join(arrays)}")
    names = list(arrays)
    if "y" in names and names[-1] != "y" or names[0] != "x" and "x" in names:
        names.reverse()
    if names == ["y"]:
        # The other operand is not used.
        names, arrays = ["x", "y"], {"x": arrays["y"], "y": arrays["y"]}
    given = [arrays[name] for name in names]
    if not any(isinstance(one, Array) for one in given) and len(given) == 2 and given[0].shape != given[1].shape:
        given = list(np.broadcast_arrays(*given))
    kinds = ("bool", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64")
    given = [one if isinstance(one, Array) else prepared("an expression", one, kinds) for one in given]
    return Formula(text, names, given, constants)
