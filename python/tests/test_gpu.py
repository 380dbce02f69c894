"""Arrays of PyTorch and CuPy on a GPU: in and out without a copy, their streams respected.

Runs with pytest, and also by itself where pytest is not installed: `python test_gpu.py`.
"""

import os
import sys

import numpy as np

import warpwise as ww

try:
    import pytest
except ImportError:
    pytest = None


def skip(why):
    if pytest is None:
        print(f"    skipped: {why}")
        raise SystemExit
    pytest.skip(why)


def package(name):
    if os.environ.get("WARPWISE_NO_GPU"):
        skip("WARPWISE_NO_GPU is set")
    try:
        ww.asarray([1.0], device="cuda")
    except RuntimeError as error:
        skip(f"needs a GPU: {error}")
    try:
        return __import__(name)
    except ImportError:
        skip(f"needs {name}")


def test_functions_agree_with_numpy():
    package("numpy")
    rng = np.random.default_rng(1)
    xs, numbers = rng.random(100_000).astype(np.float32), rng.integers(0, 1000, 100_000).astype(np.int32)
    assert abs(ww.sum(xs, device="cuda") - xs.sum(dtype=np.float64)) < 0.1
    assert ww.sum(numbers, device="cuda") == numbers.sum() and ww.argmax(xs, device="cuda") == xs.argmax()
    np.testing.assert_array_equal(ww.sort(xs, device="cuda"), np.sort(xs))
    np.testing.assert_array_equal(ww.cumsum(numbers, device="cuda"), np.cumsum(numbers))
    np.testing.assert_array_equal(ww.bincount(numbers, device="cuda"), np.bincount(numbers))
    a, b = rng.integers(0, 3, (300, 200)).astype(np.float32), rng.integers(0, 2, (200, 100)).astype(np.float32)
    np.testing.assert_array_equal(ww.matmul(a, b, device="cuda"), a @ b)
    np.testing.assert_array_equal(ww.transpose(a, device="cuda"), a.T)
    np.testing.assert_array_equal(ww.compact(xs, "x > 0.5", device="cuda"), xs[xs > 0.5])
    np.testing.assert_array_equal(ww.map("x * 2 + 1", x=xs, device="cuda"), xs * np.float32(2) + np.float32(1))
    assert ww.sum("x > 0.5", x=xs, device="cuda") == (xs > 0.5).sum()


def test_pytorch_without_a_copy():
    torch = package("torch")
    xs = torch.arange(1_000_000, dtype=torch.float32, device="cuda")
    ours = ww.asarray(xs)
    assert (ours.device, ours.address, ours.shape) == ("cuda", xs.data_ptr(), (1_000_000,))
    assert ww.sum(xs.double()) == 499999500000.0
    sums = ww.cumsum(ww.asarray(torch.ones(1000, dtype=torch.int64, device="cuda")))
    back = torch.from_dlpack(sums)
    assert back.data_ptr() == sums.address and back.is_cuda
    assert torch.equal(back.cpu(), torch.arange(1, 1001))
    again = torch.as_tensor(sums, device="cuda")
    assert again.data_ptr() == sums.address, "the CUDA array interface copies nothing either"
    # What is written there is seen here.
    xs += 1
    torch.cuda.synchronize()
    assert float(ww.max(ours)) == 1_000_000.0
    address = ours.address
    del xs
    assert ours.address == address and float(ww.min(ours)) == 1.0, "the memory is kept"
    del sums
    assert int(back.sum()) == 500500, "and so is ours"


def test_pytorch_streams():
    torch = package("torch")
    stream = torch.cuda.Stream()
    a = torch.rand(3000, 3000, device="cuda")
    with torch.cuda.stream(stream):
        for _ in range(5):
            xs = torch.zeros(1_000_000, device="cuda")
            for _ in range(10):
                a = a @ a
                a = a / a.norm()
            xs += 1
            assert float(ww.sum(xs)) == 1_000_000.0, "the work of the stream is waited for"


def test_cupy_without_a_copy():
    cupy = package("cupy")
    xs = cupy.arange(1_000_000, dtype=cupy.float32)
    ours = ww.asarray(xs)
    assert ours.address == xs.data.ptr
    np.testing.assert_array_equal(ww.sort(ww.map("-x", x=xs)).numpy(), np.arange(-999_999, 1, dtype=np.float32))
    result = ww.map("x + 1", x=xs)
    there = cupy.asarray(result)
    assert there.data.ptr == result.address
    assert cupy.from_dlpack(result).data.ptr == result.address
    assert int(there[-1]) == 1_000_000
    with cupy.cuda.Stream(non_blocking=True):
        ys = cupy.ones(1_000_000, dtype=cupy.float64)
        ys *= 3
        assert float(ww.sum(ys)) == 3_000_000.0
    matrix = cupy.random.rand(64, 32, dtype=cupy.float32)
    np.testing.assert_allclose(
        ww.matmul(matrix, ww.transpose(matrix)).numpy(), cupy.asnumpy(matrix @ matrix.T), rtol=1e-4
    )


def test_kernels_run_on_the_gpu():
    package("numpy")
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)
    text = open(os.path.join(here, "conftest.py")).read()
    source = text.split('PTX_TWICE = """')[1].split('"""')[0]
    xs = np.arange(1000, dtype=np.int32)
    run = ww.Kernel(source)[8, 128](xs, 1000, device="cuda")
    np.testing.assert_array_equal(xs, np.arange(1000) * 2)
    assert run.to_dict()["device"] == "cuda"


if __name__ == "__main__":
    failed = 0
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            print(name, flush=True)
            try:
                test()
            except SystemExit:
                continue
            except BaseException as error:
                failed += 1
                import traceback

                traceback.print_exc(limit=3)
                print(f"    FAILED: {error}")
    sys.exit(failed > 0)
