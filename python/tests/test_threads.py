"""Many threads, many calls: nothing breaks, and nothing is kept."""

import gc
import os
import resource
import threading

import numpy as np

import warpwise as ww

XS = np.random.default_rng(5).random(3000)
SQUARE = XS[:900].reshape(30, 30)


def everything():
    """One call of each function; what they give, as one number."""
    image = SQUARE.astype(np.float32)
    return sum(
        float(np.sum(found))
        for found in [
            ww.sum(XS),
            ww.prod(XS[:5]),
            ww.min(XS),
            ww.max(XS),
            ww.argmin(XS),
            ww.argmax(XS),
            ww.cumsum(XS),
            ww.scan(XS, "max"),
            ww.histogram(XS, 20)[0],
            ww.bincount(np.arange(50)),
            ww.matmul(SQUARE, SQUARE),
            ww.convolve(XS, XS[:5]),
            ww.filter2d(image, np.ones((3, 3))),
            ww.transpose(SQUARE),
            ww.compact(XS, "x > 0.5"),
            ww.sort(XS),
            ww.argsort(XS),
            ww.unique(XS),
            ww.map("x * 2", x=XS),
            ww.heat(SQUARE, SQUARE, 3).temperature,
            ww.radiator(3, 20, 3).values,
            ww.sum("x * x", x=XS[::2]),
        ]
    )


def test_sixteen_threads_get_the_same():
    expected = everything()
    found, errors = [], []

    def work():
        try:
            for _ in range(20):
                found.append(everything())
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(16)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not errors and set(found) == {expected} and len(found) == 320


def test_the_interpreter_is_free_while_a_long_call_runs():
    xs = np.random.default_rng(1).random(4_000_000)
    done = threading.Event()

    def work():
        for _ in range(5):
            ww.sort(xs)
        done.set()

    threading.Thread(target=work).start()
    steps = 0
    while not done.is_set():
        steps += 1
    assert steps > 1000


def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_memory_stays_flat():
    """A million calls with WARPWISE_CALLS=1000000; a tenth of that otherwise."""
    calls = int(os.environ.get("WARPWISE_CALLS", "100000"))
    small = XS[:10].copy()
    numbers = np.arange(10)
    mask = small > 0.5

    def one():
        ww.sum(small)
        ww.cumsum(small)
        ww.sort(small)
        ww.argsort(small)
        ww.unique(small)
        ww.bincount(numbers)
        ww.compact(small, mask)
        ww.sum(small[::2])

    for _ in range(2000):
        one()
    gc.collect()
    before = memory()
    for _ in range(calls // 8):
        one()
    gc.collect()
    assert memory() - before < 4_000_000
