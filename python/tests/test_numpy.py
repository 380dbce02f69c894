"""Every function gives what NumPy or SciPy gives, over types, shapes, strides and sizes."""

import numpy as np
import pytest

import warpwise as ww

hypothesis = pytest.importorskip("hypothesis", reason="needs hypothesis")
from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
NUMBERS = INTEGERS + FLOATS
TOLERANCE = {"float16": 2e-3, "float32": 1e-4, "float64": 1e-10}


def elements(kind, finite=True):
    kind = np.dtype(kind)
    if kind.kind == "f":
        return st.floats(-1000, 1000, width=8 * kind.itemsize) if finite else st.floats(width=8 * kind.itemsize)
    return hnp.from_dtype(kind)


@st.composite
def strided(draw, kinds=NUMBERS, least=0, most=4, dimensions=3, finite=True):
    """Arrays in any layout: C's and Fortran's order, every other element, backwards."""
    kind = draw(st.sampled_from(kinds))
    shape = draw(
        hnp.array_shapes(
            min_dims=1, max_dims=dimensions, min_side=least, max_side=most * 4 if dimensions == 1 else most
        )
    )
    a = draw(hnp.arrays(kind, shape, elements=elements(kind, finite)))
    layout = draw(st.sampled_from(["C", "F", "every other", "backwards", "other bytes"]))
    if layout == "F":
        return np.asfortranarray(a)
    if layout == "every other":
        return np.repeat(a, 2, axis=-1)[..., ::2]
    if layout == "backwards":
        return a[..., ::-1]
    if layout == "other bytes":
        return a.astype(a.dtype.newbyteorder(">"))
    return a


def agree(ours, theirs):
    assert np.shape(ours) == np.shape(theirs)
    kind = np.asarray(theirs).dtype
    assert np.asarray(ours).dtype == kind.newbyteorder("="), (np.asarray(ours).dtype, kind)
    if kind.kind == "f":
        np.testing.assert_allclose(ours, theirs, rtol=TOLERANCE[kind.name], atol=TOLERANCE[kind.name] * 1000)
    else:
        np.testing.assert_array_equal(ours, theirs)


@given(strided(), st.data())
def test_sums_and_products(a, data):
    axis = data.draw(st.sampled_from([None, *range(-a.ndim, a.ndim)]))
    keep = data.draw(st.booleans())
    with np.errstate(all="ignore"):
        agree(ww.sum(a, axis=axis, keepdims=keep), np.sum(a, axis=axis, keepdims=keep))
        if a.dtype.kind != "f":
            agree(ww.prod(a, axis=axis, keepdims=keep), np.prod(a, axis=axis, keepdims=keep))


@given(strided(least=1, finite=False), st.data())
def test_extremes_and_their_places(a, data):
    axis = data.draw(st.sampled_from([None, *range(-a.ndim, a.ndim)]))
    for ours, theirs in [(ww.min, np.min), (ww.max, np.max), (ww.argmin, np.argmin), (ww.argmax, np.argmax)]:
        found, expected = ours(a, axis=axis), theirs(a, axis=axis)
        assert np.asarray(found).dtype == np.asarray(expected).dtype.newbyteorder("=")
        np.testing.assert_array_equal(found, expected)


@given(strided(), st.data())
def test_cumulative_sums(a, data):
    axis = data.draw(st.sampled_from([None, *range(-a.ndim, a.ndim)]))
    agree(ww.cumsum(a, axis=axis), np.cumsum(a, axis=axis))


@given(strided(kinds=["int32", "uint32", "int64", "uint64", "float32", "float64"], dimensions=1))
def test_scans(a):
    a = a.astype(a.dtype.newbyteorder("="))
    for name, ufunc in [("sum", np.add), ("prod", np.multiply), ("min", np.minimum), ("max", np.maximum)]:
        if name == "prod" and a.dtype.kind == "f":
            continue
        with np.errstate(all="ignore"):
            expected = ufunc.accumulate(a, dtype=a.dtype)
        agree(ww.scan(a, name), expected)
        shifted = ww.scan(a, name, exclusive=True)
        agree(shifted[1:], expected[:-1])


@given(strided(finite=False), st.data())
def test_sorting(a, data):
    axis = data.draw(st.sampled_from(range(-a.ndim, a.ndim)))
    found, expected = ww.sort(a, axis=axis), np.sort(a, axis=axis, kind="stable")
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == a.dtype
    if a.dtype.kind != "f" or not np.isnan(a).any():
        # Zeros of both signs are equal to NumPy, and -0 comes first here.
        places = ww.argsort(a, axis=axis)
        np.testing.assert_array_equal(np.take_along_axis(a, places, axis), expected)
        if a.dtype.kind != "f":
            np.testing.assert_array_equal(places, np.argsort(a, axis=axis, kind="stable"))


@given(strided(finite=False))
def test_unique(a):
    np.testing.assert_array_equal(ww.unique(a), np.unique(a))
    ours, theirs = ww.unique(a, return_counts=True), np.unique(a, return_counts=True)
    np.testing.assert_array_equal(ours[0], theirs[0])
    np.testing.assert_array_equal(ours[1], theirs[1])


@given(strided(least=1), st.integers(1, 30), st.data())
def test_histograms(a, bins, data):
    if a.dtype == np.float16:
        a = a.astype(np.float32)
    with np.errstate(all="ignore"):
        spread = float(a.max()) - float(a.min())
        if a.dtype.kind in "iu" and spread > 2**52:
            return
        ours, theirs = ww.histogram(a, bins), np.histogram(a, bins)
    np.testing.assert_array_equal(ours[1], theirs[1])
    np.testing.assert_array_equal(ours[0], theirs[0])
    low = data.draw(st.floats(-100, 100))
    window = (low, low + data.draw(st.floats(0.5, 100)))
    np.testing.assert_array_equal(ww.histogram(a, bins, window)[0], np.histogram(a, bins, window)[0])
    edges = np.unique(
        np.sort(data.draw(hnp.arrays(float, st.integers(2, 9), elements=st.floats(-50, 50), unique=True)))
    )
    if edges.size > 1:
        np.testing.assert_array_equal(ww.histogram(a, edges)[0], np.histogram(a, edges)[0])


@given(
    hnp.arrays(
        st.sampled_from(["uint8", "int32", "int64", "uint32"]), st.integers(0, 200), elements=st.integers(0, 100)
    ),
    st.integers(0, 150),
)
def test_bincount(x, least):
    agree(ww.bincount(x, minlength=least), np.bincount(x, minlength=least))


@given(st.data(), st.sampled_from(["float32", "float64", "int64"]))
def test_matmul(data, kind):
    m, k, n = (data.draw(st.integers(0, 9)) for _ in range(3))
    stack = data.draw(st.sampled_from([(), (2,), (3, 1)]))

    def matrix(rows, columns):
        a = data.draw(hnp.arrays(kind, (*stack, rows, columns), elements=st.integers(-9, 9)))
        return np.swapaxes(np.ascontiguousarray(np.swapaxes(a, -1, -2)), -1, -2) if data.draw(st.booleans()) else a

    a, b = matrix(m, k), matrix(k, n)
    agree(ww.matmul(a, b), np.matmul(a, b))
    if k and not stack:
        vector = data.draw(hnp.arrays(kind, k, elements=st.integers(-9, 9)))
        agree(ww.matmul(a, vector), a @ vector)
        agree(ww.matmul(vector, b), vector @ b)


@given(st.data(), st.sampled_from(["float32", "float64", "int32", "int64"]), st.sampled_from(["full", "same", "valid"]))
def test_convolutions(data, kind, mode):
    a = data.draw(hnp.arrays(kind, st.integers(1, 60), elements=st.integers(-9, 9)))
    v = data.draw(hnp.arrays(kind, st.integers(1, 20), elements=st.integers(-9, 9)))
    agree(ww.convolve(a, v, mode), np.convolve(a, v, mode))


BORDERS = [("zero", "constant"), ("replicate", "nearest"), ("reflect", "mirror"), ("wrap", "wrap")]


@pytest.mark.parametrize(("ours", "theirs"), BORDERS)
def test_borders_of_convolutions(ours, theirs):
    ndimage = pytest.importorskip("scipy.ndimage", reason="needs SciPy")
    rng = np.random.default_rng(1)
    for kind in ("float32", "float64"):
        a, v = rng.random(50).astype(kind), rng.random(7).astype(kind)
        np.testing.assert_allclose(ww.convolve(a, v, border=ours), ndimage.convolve1d(a, v, mode=theirs), rtol=1e-5)


@pytest.mark.parametrize(("ours", "theirs"), BORDERS)
def test_filters(ours, theirs):
    ndimage = pytest.importorskip("scipy.ndimage", reason="needs SciPy")
    rng = np.random.default_rng(2)
    kernel = rng.random((5, 3)).astype(np.float32)
    image = rng.random((40, 31)).astype(np.float32)
    np.testing.assert_allclose(
        ww.filter2d(image, kernel, ours), ndimage.correlate(image, kernel, mode=theirs), rtol=1e-4
    )
    np.testing.assert_allclose(
        ww.filter2d(image.T, kernel, ours), ndimage.correlate(image.T, kernel, mode=theirs), rtol=1e-4
    )
    picture = rng.integers(0, 256, (20, 24, 3), dtype=np.uint8)
    smooth = np.full((3, 3), 1 / 9)
    expected = np.stack(
        [ndimage.correlate(picture[..., i].astype(float), smooth, mode=theirs) for i in range(3)], axis=2
    )
    found = ww.filter2d(picture, smooth, ours)
    assert found.dtype == np.uint8 and np.abs(found - expected).max() <= 0.51
    valid = ww.filter2d(image, kernel, "valid")
    np.testing.assert_allclose(valid, ndimage.correlate(image, kernel)[2:-2, 1:-1], rtol=1e-4)


@given(strided(dimensions=3))
def test_transposes(a):
    found = ww.transpose(a)
    np.testing.assert_array_equal(found, np.transpose(a))
    assert found.flags.c_contiguous and found.dtype == a.dtype.newbyteorder("=") or a.dtype.byteorder == ">"


@given(strided(kinds=NUMBERS + ["bool"]), st.integers(-3, 3))
def test_compaction(a, number):
    mask = a > number
    agree(ww.compact(a, mask), a[mask].astype(a.dtype.newbyteorder("=")))
    if a.dtype.name in ("int32", "float32", "float64", "int64"):
        np.testing.assert_array_equal(ww.compact(a, f"x > {number}"), a[mask])
        np.testing.assert_array_equal(ww.compact(a, "x > t", t=number), a[mask])


@given(hnp.arrays("float64", st.integers(0, 300), elements=st.floats(-100, 100)))
def test_expressions(x):
    m = 3.5
    np.testing.assert_array_equal(ww.map("(x - m)**2", x=x, m=m), (x - m) ** 2)
    np.testing.assert_allclose(ww.sum("(x - m)**2", x=x, m=m), np.sum((x - m) ** 2), rtol=1e-12)
    assert ww.sum("x > m", x=x, m=m) == np.sum(x > m)
    np.testing.assert_array_equal(ww.map("a * b + 1", a=x, b=x[::-1]), x * x[::-1] + 1)
    np.testing.assert_array_equal(ww.map("2 * y", y=x), 2 * x)
    np.testing.assert_allclose(ww.cumsum("abs(x)", x=x), np.cumsum(np.abs(x)), rtol=1e-12)
    if x.size:
        assert ww.max("-x", x=x) == np.max(-x)
        assert ww.argmin("abs(x)", x=x) == np.argmin(np.abs(x))


@pytest.mark.parametrize("n", [0, 1, 10, 4097, 300_001, 3_000_017])
def test_large_and_small(n):
    rng = np.random.default_rng(n)
    xs = rng.standard_normal(n)
    agree(ww.sum(xs), np.sum(xs))
    np.testing.assert_allclose(ww.cumsum(xs), np.cumsum(xs), atol=1e-8)
    np.testing.assert_array_equal(ww.sort(xs), np.sort(xs))
    np.testing.assert_array_equal(ww.argsort(xs), np.argsort(xs, kind="stable"))
    numbers = rng.integers(0, 1000, n)
    np.testing.assert_array_equal(ww.bincount(numbers), np.bincount(numbers))
    np.testing.assert_array_equal(ww.unique(numbers), np.unique(numbers))
    np.testing.assert_array_equal(ww.compact(xs, xs > 0), xs[xs > 0])
    for kind in (np.uint16, np.int32, np.uint32):
        np.testing.assert_array_equal(ww.bincount(numbers.astype(kind)), np.bincount(numbers.astype(kind)))
    if n:
        np.testing.assert_array_equal(ww.histogram(xs, 50)[0], np.histogram(xs, 50)[0])
        # Edges of float32 are rounded, and decide.
        narrow = xs.astype(np.float32)
        np.testing.assert_array_equal(ww.histogram(narrow, 3000)[0], np.histogram(narrow, 3000)[0])
        assert ww.min(xs) == xs.min() and ww.argmax(xs) == xs.argmax()
