"""Kernels of one's own."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import PTX_RACE, PTX_TWICE

import warpwise as ww
from warpwise._kernel import KernelError


def test_arrays_are_changed_in_place(twice):
    for xs in (np.arange(100, dtype=np.int32), np.arange(200, dtype=np.int32)[::2], np.arange(100).astype(">i4")):
        expected = xs * 2
        run = twice[4, 32](xs, len(xs))
        np.testing.assert_array_equal(xs, expected)
        assert run.ok and run.counters.warp_instructions > 0 and run.time_ms > 0
    assert twice.entries == ["twice"] and len(twice.parameters) == 2


def test_checks_find_what_is_wrong(twice, race):
    xs = np.zeros(64, np.int32)
    clean = twice.check[2, 32](xs, 64)
    assert clean and clean.ok and not clean.findings and (xs == 0).all()
    found = race.check[1, 64](xs)
    assert not found and not found.ok and {f["kind"] for f in found.findings} == {"race"}
    assert "race" in str(found) and "race" in found._repr_html_() and (xs == 0).all()
    assert found.to_dict()["findings"] == found.findings
    assert found.sarif["runs"][0]["results"][0]["ruleId"]
    # More threads than elements.
    beyond = twice.check[4, 32](xs, 128)
    assert any(f["kind"] == "out_of_bounds" for f in beyond.findings)
    only = twice.check[2, 32](xs, 64, checks="races,memory")
    assert only.to_dict()["checks"] == ["races", "memory"] or set(only.to_dict()["checks"]) == {"races", "memory"}


def test_a_kernel_that_fails_says_so(twice):
    with pytest.raises(KernelError, match="launch_limit|1024"):
        twice[1, 2048](np.zeros(4, np.int32), 4)
    with pytest.raises(KernelError, match="out_of_bounds"):
        twice[1, 32](np.zeros(4, np.int32), 32)
    with pytest.raises(TypeError, match="takes 2 arguments, 1 given"):
        twice[1, 4](np.zeros(4, np.int32))
    with pytest.raises(TypeError, match="not a whole number"):
        twice[1, 4](np.zeros(4, np.int32), 1.5)
    with pytest.raises(TypeError, match="grid, block"):
        twice[1]
    frozen = np.zeros(4, np.int32) + 1
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        twice[1, 4](frozen, 4)
    with pytest.raises(FileNotFoundError):
        ww.Kernel("nowhere.cu")
    with pytest.raises(ww.CompileError, match="line 5|:5"):
        ww.Kernel(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n  mov.u32 %r1, 5;\n}\n")


def test_counters_explanations_and_pages(twice):
    xs = np.arange(1024, dtype=np.int32)
    counters = twice.counters[4, 256](xs, 1024)
    assert counters["global_load_requests"] == 32 and counters.global_load_sectors == 128
    assert "global_load_requests" in repr(counters) and (xs == np.arange(1024)).all()
    explained = twice.explain[4, 256](xs, 1024)
    assert explained.estimated_us > 0 and explained.diagnoses and str(explained)
    assert twice.explain[4, 256](xs, 1024, gpu="rtx-3090").to_dict()["gpu"] == "rtx-3090"
    watched = twice.watch[1, 32](xs, 32, warps=0)
    assert watched.page.lstrip().lower().startswith("<!doctype html") and "iframe" in watched._repr_html_()
    with pytest.raises(TypeError, match="no option 'colour'"):
        twice.watch[1, 32](xs, 32, colour=1)


def test_frames_of_pandas(twice, race):
    pytest.importorskip("pandas", reason="needs pandas")
    xs = np.zeros(64, np.int32)
    assert set(race.check[1, 64](xs).to_pandas()["kind"]) == {"race"}
    frame = twice.counters[2, 32](xs, 64).to_pandas()
    assert "barriers" in frame["counter"].tolist()
    assert len(ww.ladder("reduce").to_pandas()) == len(ww.ladder("reduce"))
    assert len(twice.explain[2, 32](xs, 64).to_pandas()) > 0


def test_budgets_and_cleanliness(twice, race):
    xs = np.zeros(64, np.int32)
    ww.testing.assert_clean(twice, 2, 32, xs, 64)
    with pytest.raises(AssertionError, match="race is not clean"):
        ww.testing.assert_clean(race, 1, 64, xs)
    ww.testing.assert_clean(race, 1, 64, xs, allow=["race"])
    ww.testing.assert_counters(twice, 2, 32, xs, 64, global_load_sectors=8, barriers=0, global_load_requests=(2, 2))
    with pytest.raises(AssertionError, match="global_load_sectors is 8, and may be 7"):
        ww.testing.assert_counters(twice, 2, 32, xs, 64, global_load_sectors=7)
    with pytest.raises(ValueError, match="no counter"):
        ww.testing.assert_counters(twice, 2, 32, xs, 64, wrong=7)


def test_the_plugin_writes_sarif(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import numpy as np, warpwise as ww\n"
        f"RACE = {PTX_RACE!r}\nTWICE = {PTX_TWICE!r}\n"
        "def test_race():\n    ww.testing.assert_clean(ww.Kernel(RACE), 1, 64, np.zeros(64, np.int32))\n"
        "def test_twice():\n    ww.testing.assert_clean(ww.Kernel(TWICE), 2, 32, np.zeros(64, np.int32), 64)\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--warpwise-sarif",
        "out.sarif",
        "test_it.py",
    ]
    command[3:3] = [] if _installed() else ["-p", "warpwise._pytest"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    log = json.loads((tmp_path / "out.sarif").read_text())
    assert log["version"] == "2.1.0" and {r["ruleId"] for r in log["runs"][0]["results"]} == {"race"}


def _installed():
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        distribution("warpwise")
    except PackageNotFoundError:
        return False
    return True


def test_cuda_sources_are_compiled(compiler):
    source = "__global__ void add(const float* x, float* y, int n, double s) {\n"
    source += "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = x[i] + s;\n}\n"
    add = ww.Kernel(source, "add")
    x, y = np.arange(10, dtype=np.float32), np.zeros(10, np.float32)
    for _ in range(3):
        add[1, 32](x, y, 10, 0.5)
    np.testing.assert_array_equal(y, x + 0.5)
    assert add.explain[1, 32](x, y, 10, 1).lines
    with pytest.raises(ww.CompileError, match=r"kernel\.cu:2|line 2"):
        ww.Kernel("__global__ void k(int* x) {\n    x[0] = wrong;\n}\n")
    with pytest.raises(ValueError, match="float"):
        add[1, 32](x.astype(np.int32), y, 10, 1)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals of POSIX")
def test_ctrl_c_ends_a_kernel_that_does_not():
    forever = ww.Kernel(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry forever() {\nagain:\n    bra again;\n}\n"
    )
    main = threading.get_ident()
    # A process that was started in the background ignores Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Thread(target=lambda: (time.sleep(0.5), signal.pthread_kill(main, signal.SIGINT))).start()
        with pytest.raises(KeyboardInterrupt):
            forever[1, 32](time_limit=60.0)
    finally:
        signal.signal(signal.SIGINT, before)
    with pytest.raises(KernelError, match="timeout"):
        forever[1, 32](max_instructions=100_000)
