"""Functions for any array and any choice: what is not dense, has another type, an axis, a device or a variant.

The native module calls these when it is not given a dense array and nothing else. They keep the rules of NumPy for types
and axes, and call the native module again with arrays that are prepared.
"""

from __future__ import annotations

import re
from collections import namedtuple

import numpy as np

from . import _native
from ._arrays import Array, Formula, asarray, formula, is_device_array, prepared

AxisError = getattr(np, "exceptions", np).AxisError
SCANNED = ("int32", "uint32", "int64", "uint64", "float32", "float64")
FLOATS = ("float32", "float64")
COUNTED = ("uint8", "int32", "uint32", "float32", "float64")
SUMMED = ("uint8", *SCANNED)
SORTED = ("uint8", "uint16", *SCANNED)

HeatResult = namedtuple("HeatResult", "temperature iterations max_difference")
HeatResult.__doc__ = (
    "Temperatures after the last step, how many steps there were, and the largest change of the last one."
)
RadiatorResult = namedtuple("RadiatorResult", "values averages")
RadiatorResult.__doc__ = "The values of the radiator, and the average of each row."


def _given(name, a, variables, device):
    """An array of NumPy, one on a device, or a formula."""
    if isinstance(a, str):
        return formula(a, variables or {}, device)
    if variables:
        raise TypeError(f"{name}() got an unexpected keyword argument {next(iter(variables))!r}")
    if isinstance(a, Array):
        return a
    return asarray(a) if is_device_array(a) else np.asarray(a)


def _native_order(a):
    """The array in the order of bytes of this machine."""
    return a if isinstance(a, (Array, Formula)) or a.dtype.isnative else a.astype(a.dtype.newbyteorder("="))


def _where(device, variant):
    """The device: kernels run on the emulator unless another device is named."""
    if device is None and variant is not None and str(variant).startswith("gpu"):
        return "emulator"
    return device


def _sum_type(name, dtype):
    """The type in which NumPy adds or multiplies."""
    if dtype.kind == "b" or (dtype.kind == "i" and dtype.itemsize < 8):
        return np.dtype(np.int64)
    if dtype.kind == "u" and dtype.itemsize < 8:
        return np.dtype(np.uint64)
    return dtype


def _into(out, result):
    if out is None:
        return result
    out[...] = result
    return out


def _cast(a, target):
    """Elements on a device in another type."""
    names = {"int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64", "float32": "f32", "float64": "f64"}
    return Formula(f"{names[target]}(x)", ["x"], [a], [])


def _reduce(name, a, axis, dtype, out, keepdims, device, variant, variables):
    a = _native_order(_given(name, a, variables, device))
    places = name.startswith("arg")
    adds = name in ("sum", "prod")
    device = _where(device, variant)
    if isinstance(a, Formula):
        if axis is not None or dtype is not None or keepdims:
            a = evaluated(a, None, device)
            device = None if isinstance(a, Array) else device
        else:
            is_condition, found_type = a.is_condition, np.dtype(a.dtype)
            if adds and not (name == "sum" and variant is None):
                target = _sum_type(name, found_type).name
                a = a if target == found_type.name else evaluated(a, None, device)
            elif not adds and found_type.name not in SCANNED:
                a = evaluated(a, None, device)
            if isinstance(a, Formula):
                result = _native.reduce_all(name, a, device, variant)
                return _into(out, np.int64(result) if is_condition and name == "sum" else result)
            device = None if isinstance(a, Array) else device
    if isinstance(a, Array):
        if axis not in (None, *((0, -1) if a.ndim == 1 else ())) or dtype is not None or keepdims:
            raise ValueError(
                f"axis: {name} of an array on a device is of all elements: leave out axis, dtype and keepdims"
            )
        kind = a.dtype
        target = _sum_type(name, kind).name if adds and not (name == "sum" and variant is None) else kind.name
        if not adds and target not in SCANNED:
            target = "int32"
        operand = a if target == kind.name else _cast(a, target)
        result = _native.reduce_all(name, operand, None if device == a.device else device, variant)
        return _into(out, kind.type(result) if not adds and not places else result)
    wanted = np.dtype(dtype) if dtype is not None else (_sum_type(name, a.dtype) if adds else a.dtype)
    if axis is None:
        if dtype is None and name == "sum" and variant is None:
            work = prepared(name, a, SUMMED)
        else:
            work = prepared(name, a.astype(wanted, copy=False), SCANNED)
        if work.ndim > 1 and not places:
            work = work.ravel(order="K")
        result = _native.reduce_all(name, work.ravel(), device, variant)
        result = result if places else wanted.type(result)
        if keepdims:
            result = np.reshape(result, (1,) * a.ndim)
        return _into(out, result)
    axes = tuple(sorted({_axis(one, a.ndim) for one in (axis if isinstance(axis, tuple) else (axis,))}))
    rest = [one for one in range(a.ndim) if one not in axes]
    shape = tuple(a.shape[one] for one in rest)
    moved = np.transpose(a.astype(wanted, copy=False), [*rest, *axes])
    count = int(np.prod([a.shape[one] for one in axes], dtype=np.int64))
    work = prepared(name, moved, SCANNED).reshape(int(np.prod(shape, dtype=np.int64)), count)
    found = np.empty(work.shape[0], np.int64 if places else work.dtype)
    _native.reduce_rows(name, work, found, device, variant)
    result = found.reshape(shape)
    result = result if places else result.astype(wanted, copy=False)
    if keepdims:
        result = result.reshape([1 if one in axes else a.shape[one] for one in range(a.ndim)])
    return _into(out, result if result.ndim or out is not None else result[()])


def _axis(axis, ndim):
    try:
        index = axis.__index__()
    except AttributeError:
        raise TypeError(f"axis: {axis!r} is not a number") from None
    if not -ndim <= index < ndim:
        raise AxisError(index, ndim)
    return index % ndim


def sum(a, axis, dtype, out, keepdims, device, variant, variables):
    return _reduce("sum", a, axis, dtype, out, keepdims, device, variant, variables)


def prod(a, axis, dtype, out, keepdims, device, variant, variables):
    return _reduce("prod", a, axis, dtype, out, keepdims, device, variant, variables)


def min(a, axis, out, keepdims, device, variant, variables):
    return _reduce("min", a, axis, None, out, keepdims, device, variant, variables)


def max(a, axis, out, keepdims, device, variant, variables):
    return _reduce("max", a, axis, None, out, keepdims, device, variant, variables)


def argmin(a, axis, out, device, variant, variables):
    return _reduce("argmin", a, axis, None, out, False, device, variant, variables)


def argmax(a, axis, out, device, variant, variables):
    return _reduce("argmax", a, axis, None, out, False, device, variant, variables)


def cumsum(a, axis, dtype, out, device, variant, variables):
    return _scan("cumsum", a, "sum", False, axis, dtype, out, device, variant, variables)


def scan(a, operator, exclusive, axis, out, device, variant, variables):
    return _scan("scan", a, operator, exclusive, axis, None, out, device, variant, variables)


def _scan(name, a, operator, exclusive, axis, dtype, out, device, variant, variables):
    a = _native_order(_given(name, a, variables, device))
    device = _where(device, variant)
    if isinstance(a, Formula):
        on_device = isinstance(a.arrays[0], Array)
        a = evaluated(a, None, device)
        device = None if isinstance(a, Array) and on_device else device
    if isinstance(a, Array):
        if dtype is not None or axis not in (None, 0, -1):
            raise ValueError(f"{name}: an array on a device is scanned as it is: leave out axis and dtype")
        target = _sum_type(name, a.dtype).name if name == "cumsum" else a.dtype.name
        return _native.scan_all(
            operator, exclusive, a if target == a.dtype.name else _cast(a, target), None, None, variant
        )
    wanted = np.dtype(dtype) if dtype is not None else (_sum_type(name, a.dtype) if name == "cumsum" else a.dtype)
    if axis is None:
        moved = a.ravel()
    else:
        moved = np.moveaxis(a, _axis(axis, a.ndim), -1)
    work = prepared(name, moved.astype(wanted, copy=False), SCANNED)
    rows = work.reshape(-1, work.shape[-1]) if work.size else work.reshape(0)
    straight = out is not None and axis is None and _native.is_plain(out) and out.dtype == work.dtype
    if straight and out.size != work.size:
        raise ValueError("out: it needs as many elements as the array: make the sizes match")
    found = out if straight else np.empty(work.shape, work.dtype)
    if rows.size:
        one = rows if rows.shape[0] > 1 else rows.reshape(-1)
        _native.scan_all(operator, exclusive, one, found.reshape(one.shape), device, variant)
    if straight:
        return out
    result = found.astype(wanted, copy=False)
    return _into(out, result if axis is None else np.moveaxis(result, -1, _axis(axis, a.ndim)))


def sort(a, axis, descending, out, device, variant):
    return _sorted("sort", a, axis, descending, out, device, variant)


def argsort(a, axis, descending, out, device, variant):
    return _sorted("argsort", a, axis, descending, out, device, variant)


def _sorted(name, a, axis, descending, out, device, variant):
    a = _given(name, a, None, device)
    device = _where(device, variant)
    by_place = name == "argsort"
    if isinstance(a, Array):
        if a.ndim != 1 or axis not in (None, 0, -1):
            raise ValueError("axis: an array on a device is sorted if it has one axis: reshape it")
        return _native.sort_buffer(a, by_place, descending, variant)
    if a.ndim == 0:
        raise AxisError(-1, 0)
    axis = _axis(-1 if axis is None else axis, a.ndim)
    moved = np.moveaxis(a, axis, -1)
    work = prepared(name, moved, SORTED)
    found = np.empty(work.shape, np.int64 if by_place else work.dtype)
    (_native.argsort_into if by_place else _native.sort_into)(work, found, descending, device, variant)
    result = found if by_place else found.astype(a.dtype, copy=False)
    result = np.moveaxis(result, -1, axis)
    return _into(out, result if out is not None or a.ndim == 1 else np.ascontiguousarray(result))


def unique(a, return_counts, device):
    a = _given("unique", a, None, device)
    kind = a.dtype
    work = a if isinstance(a, Array) else prepared("unique", a.ravel(), SORTED)
    elements, counts = _native.unique_counts(work, device)
    elements = elements.astype(kind, copy=False)
    return (elements, counts) if return_counts else elements


def map(expression, /, *, out=None, device=None, **variables):
    """What an expression gives for every element of the arrays given by name.

    >>> import numpy as np, warpwise as ww
    >>> ww.map("(x - m)**2", x=np.array([1.0, 5.0]), m=3.0)
    array([4., 4.])
    """
    return evaluated(formula(expression, variables, device), out, device)


def evaluated(given, out, device):
    """The elements of a formula in memory: where its arrays are."""
    if isinstance(given.arrays[0], Array):
        return _native.evaluate(given, None, None)
    shape = given.arrays[0].shape
    kind = np.dtype(bool) if given.is_condition else np.dtype(given.dtype)
    if out is None:
        out = np.empty(shape, kind)
        return _native.evaluate(given, out, device)
    if _native.is_plain(out) and out.dtype == kind and out.shape == shape:
        return _native.evaluate(given, out, device)
    out[...] = _native.evaluate(given, np.empty(shape, kind), device)
    return out


def histogram(
    a, bins=10, range=None, density=False, weights=None, *, by="range", device=None, variant=None, **variables
):
    """How many elements are in each bin.

    ``by="range"``, the default, is ``numpy.histogram``: counts, and the edges of the bins. ``by="value"`` counts the 256
    values of bytes, ``by="modulo"`` remainders of a division by ``bins``, and ``by="letter"`` the letters a-d, e-h, ..., y-z
    of a text (bytes or a string of ASCII). These return the counts alone.

    >>> import warpwise as ww
    >>> counts, edges = ww.histogram([1.0, 2.0, 2.5, 4.0], bins=3)
    >>> counts.tolist(), edges.tolist()
    ([1, 2, 1], [1.0, 2.0, 3.0, 4.0])
    >>> ww.histogram(b"a bad cafe", by="letter").tolist()
    [6, 2, 0, 0, 0, 0, 0]
    """
    if isinstance(a, str) and by == "letter":
        a = a.encode("ascii", "replace")
    if isinstance(a, (bytes, bytearray)):
        a = np.frombuffer(a, np.uint8)
    a = _given("histogram", a, variables, device)
    device = _where(device, variant)
    if isinstance(a, Formula):
        a = evaluated(a, None, None)
    on_device = isinstance(a, Array)
    if not on_device and a.dtype == bool:
        a = a.astype(np.uint8)
    if by != "range":
        if density or weights is not None or range is not None:
            raise ValueError(f"by: bins by {by} have neither range, density nor weights: leave them out")
        work = a if on_device else prepared("histogram", a.ravel(), COUNTED)
        return _native.count_by(work, by, int(bins) if by == "modulo" else 1, 0.0, 1.0, device, variant)
    if weights is not None:
        if on_device or device is not None or variant is not None:
            raise ValueError("weights: they are for arrays of NumPy on the CPU: leave out device and variant")
        return np.histogram(a, bins, range, density, weights)
    host = np.empty(0, a.dtype) if on_device else a.ravel()
    if range is None and not isinstance(bins, str) and np.ndim(bins) == 0 and a.size:
        range = (_native.min(a if on_device else host), _native.max(a if on_device else host))
    edges = np.histogram_bin_edges(host if isinstance(bins, str) else host[:0], bins, range)
    if on_device or device not in (None, "cpu") or variant is not None:
        if np.ndim(bins) != 0:
            raise ValueError("bins: a device counts bins of the same width: give their number and a range")
        low, high = float(edges[0]), float(edges[-1])
        work = a if on_device else prepared("histogram", host, COUNTED)
        counts = _native.count_by(work, "even", len(edges) - 1, low, high, device, variant)
        # The last bin has both its edges.
        counts[-1] += int(_native.sum("x == h", x=work, h=high))
    else:
        work = prepared("histogram", host, ("bool", *SORTED))
        counts = _native.count_between(work, edges.astype(np.float64).tolist(), np.ndim(bins) == 0)
    if density:
        return counts / np.diff(edges) / counts.sum(), edges
    return counts, edges


def bincount(x, weights, minlength, device, variant):
    given = _given("bincount", x, None, device)
    device = _where(device, variant)
    on_device = isinstance(given, Array)
    if not on_device:
        if given.ndim != 1:
            raise ValueError("x: bincount needs one axis: ravel the array")
        if given.size == 0:
            given = given.astype(np.int64)
    if given.dtype.kind not in "biu":
        raise TypeError(f"bincount of {given.dtype} is not supported: convert it to int64")
    if minlength < 0:
        raise ValueError("minlength: it is negative: use 0 or more")
    if weights is not None:
        if on_device or device is not None or variant is not None:
            raise ValueError("weights: they are for arrays of NumPy on the CPU: leave out device and variant")
        return np.bincount(given, weights, minlength)
    if given.size == 0:
        return np.zeros(minlength, np.int64)
    low, high = int(_native.min(given)), int(_native.max(given))
    if low < 0:
        raise ValueError("x: bincount counts numbers from 0: there is a negative one")
    bins = _larger(high + 1, minlength)
    if on_device or device is not None or variant is not None:
        work = given if on_device else prepared("bincount", given, ("uint8", "int32", "uint32"), narrow=True)
        counts = _native.count_by(work, "modulo", bins, 0.0, 1.0, device, variant)
    else:
        counts = _native.count_numbers(prepared("bincount", given.astype(np.int64, copy=False), ("int64",)), bins)
    return counts


def _larger(a, b):
    return a if a > b else b


def matmul(a, b, out, device, variant):
    a, b = _given("matmul", a, None, device), _given("matmul", b, None, device)
    device = _where(device, variant)
    if isinstance(a, Array) or isinstance(b, Array):
        home = a.device if isinstance(a, Array) else b.device
        a = a if isinstance(a, Array) else asarray(a, device=home)
        b = b if isinstance(b, Array) else asarray(b, device=home)
        return _native.matmul_buffer(a, b, variant)
    kind = np.result_type(a.dtype, b.dtype)
    if kind.kind != "f" or kind.itemsize > 8:
        if device is None and variant is None:
            return np.matmul(a, b, out=out)
        raise TypeError(f"matmul of {kind} is not supported on a device: convert it to float32 or float64")
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("matmul: a number is not a matrix: use * to multiply by it")
    work = np.dtype(np.float32) if kind.itemsize < 4 else kind
    left = a.astype(work, copy=False).reshape((1, -1) if a.ndim == 1 else a.shape)
    right = b.astype(work, copy=False).reshape((-1, 1) if b.ndim == 1 else b.shape)
    if left.shape[-1] != right.shape[-2]:
        raise ValueError(
            f"matmul: {a.shape} times {b.shape}: the last axis of the first and the one before the last of the second differ"
        )
    stack = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    shape = (*stack, left.shape[-2], right.shape[-1])
    final = (*stack, *(() if a.ndim == 1 else (shape[-2],)), *(() if b.ndim == 1 else (shape[-1],)))
    straight = out is not None and _native.is_plain(out) and out.dtype == work and out.shape == final
    if straight and (np.may_share_memory(out, a) or np.may_share_memory(out, b)):
        straight = False
    found = out.reshape(shape) if straight else np.empty(shape, work)
    left = np.broadcast_to(left, (*stack, *left.shape[-2:]))
    right = np.broadcast_to(right, (*stack, *right.shape[-2:]))
    for index in np.ndindex(stack):
        _native.matmul_into(_rows(left[index]), _rows(right[index]), found[index], device, variant)
    if straight:
        return out
    result = found.reshape(final).astype(kind, copy=False)
    return _into(out, result if final or out is not None else result[()])


def _rows(matrix):
    """A matrix whose rows or columns are in one piece."""
    size = matrix.itemsize
    down, right = matrix.strides
    rows, columns = matrix.shape
    direct = (right == size and down >= size * columns) or (down == size and right >= size * rows)
    aligned = down % size == 0 and right % size == 0 and matrix.flags.aligned and matrix.dtype.isnative
    return matrix if direct and aligned else np.ascontiguousarray(matrix)


def transpose(a, axes, out, device, variant):
    a = _given("transpose", a, None, device)
    device = _where(device, variant)
    if isinstance(a, Array):
        return _native.transpose_buffer(a, variant)
    same = axes is None or (a.ndim == 2 and tuple(one % 2 for one in axes) == (1, 0))
    if a.ndim != 2 or not same or a.dtype.itemsize not in (1, 4, 8) or a.dtype.kind not in "biuf" or a.dtype == np.int8:
        if device is not None or variant is not None:
            raise TypeError("transpose on a device: give two axes and a type of one, four or eight bytes")
        return _into(out, np.ascontiguousarray(np.transpose(a, axes)))
    if a.flags.f_contiguous and device is None and variant is None:
        return _into(out, a.T.copy())
    work = prepared("transpose", a, (a.dtype.name,))
    straight = out is not None and _native.is_plain(out) and out.dtype == work.dtype and out.shape == a.shape[::-1]
    straight = straight and not np.may_share_memory(out, a)
    found = out if straight else np.empty(a.shape[::-1], work.dtype)
    _native.transpose_into(work, found, device, variant)
    return found if straight else _into(out, found)


def convolve(a, v, mode, border, out, device, variant):
    a = _given("convolve", a, None, device)
    mask = np.atleast_1d(np.asarray(v))
    device = _where(device, variant)
    if border is not None:
        kind = np.result_type(a.dtype, mask.dtype)
        turned = np.ascontiguousarray(mask[::-1])
        if isinstance(a, Array):
            return _native.slide(a, turned.astype(a.dtype), border, None, None, variant)
        work = prepared("convolve", a.astype(kind, copy=False), ("int32", "float32", "float64"), exact=True)
        return _into(
            out, _native.slide(work, turned.astype(work.dtype), border, None, device, variant).astype(kind, copy=False)
        )
    if isinstance(a, Array):
        raise ValueError("border: the convolution of an array on a device is as long as the array: name its border")
    a = np.atleast_1d(a)
    if a.ndim > 1 or mask.ndim > 1:
        raise ValueError("convolve: arrays need one axis: ravel them, or use filter2d")
    if a.size == 0 or mask.size == 0:
        raise ValueError("convolve: an array is empty: give at least one element")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"mode: there is no mode {mode!r}: use 'full', 'same' or 'valid'")
    if mask.size > a.size:
        a, mask = mask, a
    kind = np.result_type(a.dtype, mask.dtype)
    width = mask.size + 1 - mask.size % 2
    if kind.name not in ("int32", "float32", "float64") or width > 129:
        if device is None and variant is None:
            return _into(out, np.convolve(a, mask, mode))
        raise TypeError("convolve on a device: use int32, float32 or float64, and a mask of at most 129 elements")
    turned = np.zeros(width, kind)
    turned[width - mask.size :] = mask[::-1]
    # With zeros around it, the array gives every product that there is.
    around = np.zeros(a.size + mask.size - 1, kind)
    around[width // 2 :][: a.size] = a
    found = _native.slide(around, turned, "zero", None, device, variant)
    if mode == "same":
        first = (mask.size - 1) // 2
        found = found[first : first + a.size]
    elif mode == "valid":
        found = found[mask.size - 1 : a.size]
    return _into(out, np.ascontiguousarray(found))


def filter2d(image, kernel, /, border="reflect", *, out=None, device=None, variant=None):
    """A picture filtered: every pixel is the weighted sum of those around it. The kernel is not turned around.

    Pictures have two axes, or three with the channels last, of ``uint8`` (rounded to the nearest level) or ``float32``.
    ``border`` is "zero", "replicate", "reflect" (the edge is not repeated), "wrap" or "valid".

    >>> import numpy as np, warpwise as ww
    >>> ww.filter2d(np.eye(3, dtype=np.float32), np.ones((3, 3)), border="zero").tolist()
    [[2.0, 2.0, 1.0], [2.0, 3.0, 2.0], [1.0, 2.0, 2.0]]
    """
    image = _given("filter2d", image, None, device)
    device = _where(device, variant)
    weights = np.ascontiguousarray(kernel, np.float32)
    if weights.ndim != 2:
        raise ValueError("kernel: it needs two axes")
    if isinstance(image, Array):
        return _native.filter_picture(image, weights, border, None, None, variant)
    if image.dtype not in (np.uint8, np.float32):
        raise TypeError(f"filter2d of {image.dtype} is not supported: convert the picture to uint8 or float32")
    if image.ndim == 3:
        layers = [
            filter2d(image[:, :, i], weights, border, device=device, variant=variant) for i in range(image.shape[2])
        ]
        return _into(out, np.stack(layers, axis=2))
    if image.ndim != 2:
        raise ValueError("image: a picture has two axes, or three with the channels last")
    work = prepared("filter2d", image, ("uint8", "float32"))
    straight = out is not None and _native.is_plain(out) and not np.may_share_memory(out, image)
    found = _native.filter_picture(work, weights, border, out if straight else None, device, variant)
    return found if straight else _into(out, found)


_RELATION = re.compile(r"\s*x\s*(==|!=|<|>)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")


def compact(a, condition, device, variant, variables):
    a = _given("compact", a, None, device)
    device = _where(device, variant)
    on_device = isinstance(a, Array)
    if isinstance(condition, str):
        simple = _RELATION.fullmatch(condition)
        number = float(simple[2]) if simple and not variables else None
        if simple and number is not None and a.dtype.name in ("int32", "uint32", "float32", "float64"):
            # A number that the type does not have is compared as the expression says.
            if float(a.dtype.type(number)) == number if a.dtype.kind == "f" else _fits(number, a.dtype):
                work = a if on_device else prepared("compact", a.ravel(), (a.dtype.name,))
                return _native.keep(work, None, simple[1], number, device, variant)
        mask = map(condition, x=a, device=None if on_device else device, **(variables or {}))
    else:
        mask = condition
    if on_device:
        return _native.keep(a, asarray(mask, device=a.device), "", 0.0, None, variant)
    mask = np.asarray(mask)
    if mask.shape != a.shape:
        raise ValueError(f"condition: its shape is {mask.shape}, that of the array is {a.shape}: make them match")
    mask = np.ascontiguousarray(mask != 0 if mask.dtype != bool else mask).ravel()
    flat = a.ravel()
    if a.dtype.name in ("int64", "uint64"):
        # Elements are moved as they are.
        flat = prepared("compact", flat, (a.dtype.name,))
        return _native.keep(flat.view(np.float64), mask, "", 0.0, device, variant).view(flat.dtype)
    if a.dtype.name in ("int32", "uint32", "float32", "float64"):
        return _native.keep(prepared("compact", flat, (a.dtype.name,)), mask, "", 0.0, device, variant)
    if device is not None or variant is not None:
        raise TypeError(f"compact of {a.dtype} on a device is not supported: convert it to int32 or float32")
    return _native_order(flat[mask])


def _fits(number, dtype):
    info = np.iinfo(dtype)
    return number == int(number) and info.min <= number <= info.max


def heat(temperature, conductivity, iterations=100, threshold=0.0, *, out=None, device=None, variant=None):
    """Heat that flows over a cylinder: temperatures after some steps, or once no cell changes by ``threshold``.

    Columns wrap around; beyond the first and the last row the temperatures are those at the start.

    >>> import numpy as np, warpwise as ww
    >>> start = np.zeros((4, 6)); start[0] = 1.0
    >>> done = ww.heat(start, np.full((4, 6), 0.5), iterations=10)
    >>> done.iterations, done.temperature.shape
    (10, (4, 6))
    """
    start = np.asarray(temperature)
    weights = np.asarray(conductivity)
    kind = np.dtype(np.float32) if start.dtype == np.float32 else np.dtype(np.float64)
    if start.ndim != 2:
        raise ValueError("temperature: it needs two axes")
    weights = np.broadcast_to(weights, start.shape)
    if iterations < 0:
        raise ValueError("iterations: it is negative: use 0 or more")
    start, weights = np.ascontiguousarray(start, kind), np.ascontiguousarray(weights, kind)
    found = np.empty(start.shape, kind)
    done, difference = _native.heat_into(
        start, weights, found, int(iterations), float(threshold), _where(device, variant), variant
    )
    return HeatResult(_into(out, found), done, difference)


def radiator(rows, columns, iterations, *, preset="2025", dtype="float32", device=None, variant=None):
    """The radiator of a course: rows of a heated pipe after some iterations, and the average of each row.

    >>> import warpwise as ww
    >>> ww.radiator(4, 32, 10).values.shape
    (4, 32)
    """
    kind = np.dtype(dtype).name
    values, averages = _native.radiate(
        int(rows), int(columns), int(iterations), str(preset), kind, _where(device, variant), variant
    )
    return RadiatorResult(values, averages)
