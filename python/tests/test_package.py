"""The package itself: what importing it does, its program, its types."""

import ast
import inspect
import os
import pathlib
import subprocess
import sys

import pytest

import warpwise as ww


def python(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, **environment}
    )


def test_importing_imports_little_and_opens_no_gpu():
    code = "import sys, warpwise; print('numpy' in sys.modules, 'pandas' in sys.modules)"
    code += "; print(any('libcuda' in line for line in open('/proc/self/maps')))"
    assert python("-c", code).stdout.split() == ["False", "False", "False"]


def test_the_command_line_is_a_module():
    done = python("-m", "warpwise", "list", "--json")
    assert done.returncode == 0 and '"reduce"' in done.stdout, done.stderr
    wrong = python("-m", "warpwise", "reduce", "/nowhere.npy")
    assert wrong.returncode == 2 and "/nowhere.npy" in wrong.stderr


def test_the_program_has_its_libraries():
    from warpwise._program import path

    folder = pathlib.Path(path()).parent
    for name in ("driver", "cudart12", "cudart13", "witness"):
        library = f"libwarpwise_{name}.so"
        assert (folder / library).is_file() or (folder / "deps" / library).is_file()


def test_everything_public_is_documented_and_typed():
    stub = pathlib.Path(ww.__file__).with_name("__init__.pyi")
    tree = ast.parse(stub.read_text())
    stated = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for name in ww.__all__:
        value = getattr(ww, name)
        assert inspect.getdoc(value), name
        assert name in stated or name == "testing", f"{name} is not in __init__.pyi"


@pytest.mark.parametrize(
    "module", ["warpwise", "warpwise._general", "warpwise._arrays", "warpwise._reports", "warpwise._kernel"]
)
def test_examples_in_docstrings(module):
    import doctest
    import importlib

    loaded = importlib.import_module(module)
    names = {name: getattr(ww, name) for name in ww.__all__ if name != "testing"} if module == "warpwise" else None
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    if names is None:
        tests = finder.find(loaded)
    else:
        tests = [
            doctest.DocTestParser().get_doctest(inspect.getdoc(value), {}, name, None, 0)
            for name, value in names.items()
        ]
    tried = sum(runner.run(test).attempted for test in tests)
    assert tried > 0 and runner.failures == 0


def test_benchmarks_are_tables():
    table = ww.bench("reduce", ["cpu-seq", "cpu-par"], n=[1000, 4000], device="cpu", time_limit=0.01)
    assert len(table) == 4 and set(table["variant"]) == {"cpu-seq", "cpu-par"} and all(table["ok"])
    swept = ww.sweep("reduce", "gpu-3-sequential", n=4096, block=[64, 128], device="emulator")
    assert swept.best["block"] in (64, 128) and "block" in swept.columns
    with pytest.raises(RuntimeError, match="no variant|there is no"):
        ww.bench("reduce", "gpu-99", n=10)
    assert "h200" in ww.devices()["name"]


def test_tables_are_plotted():
    matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib")
    matplotlib.use("agg")
    ax = ww.bench("vecadd", ["cpu-seq", "cpu-par"], n=[1000, 4000], device="cpu", time_limit=0.01).plot()
    assert len(ax.lines) == 2 and ax.get_xlabel() == "n" and ax.get_ylabel() == "gb/s"
