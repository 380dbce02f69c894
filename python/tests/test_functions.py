"""Results into arrays that are there, errors, simulations, ladders: what NumPy has no example of."""

import numpy as np
import pytest

import warpwise as ww


def test_out_is_written_and_returned():
    xs = np.arange(6, dtype=np.float64)
    for make in (lambda: np.empty(6), lambda: np.empty(12)[::2]):
        for function, expected in [(ww.cumsum, np.cumsum(xs)), (ww.scan, np.cumsum(xs)), (ww.sort, np.sort(xs))]:
            out = make()
            assert function(xs[::-1] if function is ww.sort else xs, out=out) is out
            np.testing.assert_array_equal(out, expected)
    place = np.zeros((), np.float64)
    assert ww.sum(xs, out=place) is place and place == 15
    product = np.empty((2, 2))
    assert ww.matmul(np.eye(2), np.ones((2, 2)), out=product) is product
    np.testing.assert_array_equal(product, np.ones((2, 2)))
    turned = np.empty((3, 2))
    assert ww.transpose(xs.reshape(2, 3), out=turned) is turned
    np.testing.assert_array_equal(turned, xs.reshape(2, 3).T)
    written = np.empty(6)
    assert ww.map("x + 1", x=xs, out=written) is written
    np.testing.assert_array_equal(written, xs + 1)


def test_dense_input_is_not_copied():
    """A call on 80 MB takes no memory to speak of."""
    import tracemalloc

    xs = np.ones(10_000_000)
    ww.sum(xs)
    tracemalloc.start()
    for array in (xs, xs.reshape(1000, -1), np.asfortranarray(xs.reshape(1000, -1))):
        tracemalloc.reset_peak()
        base = tracemalloc.get_traced_memory()[0]
        assert ww.sum(array) == xs.size and ww.max(array) == 1
        assert tracemalloc.get_traced_memory()[1] - base < 1_000_000
    tracemalloc.stop()


def test_mistakes_are_explained():
    with pytest.raises(ValueError, match="no elements"):
        ww.min([])
    with pytest.raises(TypeError, match="complex128.*convert"):
        ww.sum(np.zeros(2, complex))
    with pytest.raises(ValueError, match="column 4"):
        ww.sum("x +", x=np.zeros(2))
    with pytest.raises(ValueError, match="needs an array"):
        ww.sum("x + 1", x=3)
    with pytest.raises(TypeError, match="unexpected keyword"):
        ww.sum(np.zeros(2), wrong=3)
    with pytest.raises(ValueError, match="'emulator', 'cuda'|\"emulator\", \"cuda\""):
        ww.sum(np.zeros(2), device="moon")
    with pytest.raises(ValueError, match="no variant gpu-99"):
        ww.sum(np.zeros(2), variant="gpu-99")
    with pytest.raises(ValueError):
        ww.matmul(np.zeros((2, 3)), np.zeros((2, 3)))
    with pytest.raises((ValueError, IndexError)):
        ww.sum(np.zeros(3), axis=1)
    with pytest.raises(TypeError, match="convert the picture"):
        ww.filter2d(np.zeros((3, 3)), np.ones((3, 3)))
    with pytest.raises(ValueError, match="even|odd"):
        ww.filter2d(np.zeros((4, 4), np.float32), np.ones((2, 2)))
    with pytest.raises(ValueError, match="negative"):
        ww.bincount([-1])


def test_devices_and_variants_agree():
    rng = np.random.default_rng(3)
    xs = rng.integers(-1000, 1000, 5000).astype(np.int32)
    floats = rng.random(5000).astype(np.float32)
    for options in ({"device": "cpu"}, {"device": "emulator"}, {"variant": "gpu-3-sequential"}, {"variant": "cpu-seq"}):
        assert ww.sum(xs, **options) == xs.sum()
        assert ww.max(xs, **options) == xs.max()
        assert ww.argmin(floats, **{k: v for k, v in options.items() if v != "gpu-3-sequential"}) == floats.argmin()
    np.testing.assert_array_equal(ww.cumsum(xs, device="emulator"), np.cumsum(xs))
    np.testing.assert_array_equal(ww.sort(floats, variant="gpu-2-bitonic-shared"), np.sort(floats))
    np.testing.assert_array_equal(
        ww.histogram(xs % 16, by="modulo", bins=16, device="emulator"), np.bincount(xs % 16, minlength=16)
    )
    a, b = rng.integers(0, 3, (40, 50)).astype(np.float32), rng.integers(0, 2, (50, 20)).astype(np.float32)
    np.testing.assert_array_equal(ww.matmul(a, b, variant="gpu-3-tiled"), a @ b)
    np.testing.assert_array_equal(ww.transpose(a, device="emulator"), a.T)
    np.testing.assert_array_equal(ww.compact(xs, "x > 0", device="emulator"), xs[xs > 0])
    np.testing.assert_array_equal(ww.map("x * 2", x=xs, device="emulator"), xs * 2)
    assert ww.sum("x * x", x=xs.astype(np.int64), device="emulator") == (xs.astype(np.int64) ** 2).sum()


def test_arrays_stay_on_their_device():
    xs = np.arange(1000, dtype=np.float32)
    there = ww.asarray(xs, device="emulator")
    assert (there.device, there.shape, there.dtype, len(there)) == ("emulator", (1000,), np.float32, 1000)
    sums = ww.cumsum(there)
    assert isinstance(sums, ww.Array) and sums.device == "emulator"
    np.testing.assert_array_equal(np.asarray(sums), np.cumsum(xs))
    assert ww.sum(there) == xs.sum() and ww.argmax(there) == 999
    np.testing.assert_array_equal(ww.sort(ww.map("-x", x=there)).numpy(), np.sort(-xs))
    np.testing.assert_array_equal(ww.compact(there, "x > 990").numpy(), xs[xs > 990])
    square = ww.asarray(xs[:900].reshape(30, 30), device="emulator")
    np.testing.assert_allclose(
        ww.matmul(square, square).numpy(), xs[:900].reshape(30, 30) @ xs[:900].reshape(30, 30), rtol=1e-5
    )
    assert there.to("cpu").device == "cpu"
    with pytest.raises(BufferError, match="numpy"):
        there.__dlpack__()


def test_dlpack_both_ways():
    xs = np.arange(12, dtype=np.float64).reshape(3, 4)
    ours = ww.asarray(xs)
    assert ours.__dlpack_device__() == (1, 0)
    back = np.from_dlpack(ours)
    np.testing.assert_array_equal(back, xs)
    assert back.ctypes.data == ours.address, "nothing was copied"
    del ours
    np.testing.assert_array_equal(back, xs)
    np.testing.assert_array_equal(ww.from_dlpack(xs).numpy(), xs)
    with pytest.raises(ValueError, match="contiguous"):
        ww.from_dlpack(xs[:, ::2])


def test_heat_flows_and_is_conserved_nowhere_it_should_not():
    start = np.zeros((8, 12))
    start[0] = 1.0
    weights = np.full((8, 12), 0.5)
    plain, emulated = ww.heat(start, weights, 50), ww.heat(start, weights, 50, device="emulator")
    np.testing.assert_allclose(plain.temperature, emulated.temperature, rtol=1e-12)
    assert plain.iterations == 50 and 0 < plain.max_difference < 1
    assert (np.diff(plain.temperature.mean(axis=1)) < 0).all(), "it is warm at the top"
    early = ww.heat(start, weights, 10_000, threshold=1e-3)
    assert early.iterations < 10_000 and early.max_difference < 1e-3
    reference = start.copy()
    direct, diagonal = 0.25 * np.sqrt(2) / (np.sqrt(2) + 1), 0.25 / (np.sqrt(2) + 1)
    for _ in range(50):
        padded = np.vstack([start[:1], reference, start[-1:]])
        left, right = np.roll(padded, 1, axis=1), np.roll(padded, -1, axis=1)
        near = padded[:-2] + padded[2:] + left[1:-1] + right[1:-1]
        far = left[:-2] + left[2:] + right[:-2] + right[2:]
        reference = weights * reference + (1 - weights) * (direct * near + diagonal * far)
    np.testing.assert_allclose(plain.temperature, reference, rtol=1e-12)


def test_the_radiator_agrees_with_itself():
    plain = ww.radiator(6, 40, 20, dtype=np.float64)
    sequential = ww.radiator(6, 40, 20, dtype="float64", variant="cpu-seq")
    np.testing.assert_allclose(plain.values, sequential.values, rtol=1e-12)
    np.testing.assert_allclose(plain.averages, plain.values.mean(axis=1), rtol=1e-12)
    with pytest.raises(ValueError, match="2019, 2023, 2025"):
        ww.radiator(4, 4, 1, preset="1999")


def test_ladders_are_tables():
    table = ww.ladder("reduce")
    assert "gpu-3-sequential" in table["variant"] and table[0]["device"] == "cpu"
    assert "gpu-3-sequential" in repr(table) and "<table>" in table._repr_html_()
    with pytest.raises(ValueError, match="no primitive"):
        ww.ladder("nothing")
    assert set(ww.primitives()) >= {"reduce", "scan", "matmul"}


def test_tensors_outlive_the_interpreter():
    """What other packages keep to the very end is let go of without a crash."""
    import subprocess
    import sys

    code = "import numpy as np, warpwise as ww; kept = np.from_dlpack(ww.asarray([1.0])); other = ww.from_dlpack(np.ones(3))"
    done = subprocess.run(
        [sys.executable, "-c", code + "; import builtins; builtins.kept = kept; builtins.other = other"]
    )
    assert done.returncode == 0
