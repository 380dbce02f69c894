#!/usr/bin/env python3
"""Checks the Python package: builds its wheel, installs it, runs its tests and notebooks.

    check.py [--wheel FILE] [--only STEP,STEP]

Steps, in order:

    wheel      build the wheel with pip, into target/python
    abi        what the native module asks of Python is in the stable ABI of 3.10
    plain      the tests, in an environment with nothing but NumPy and pytest
    tests      the tests, with everything that they can use
    notebooks  the notebooks, from top to bottom, in their own folder of target/python

Everything lies in target/python, and is used again. Exit status: 0 all good, 1 something is wrong.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import time
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = ROOT / "target" / "python"
TESTS = ROOT / "python" / "tests"
EXTRA = ["scipy", "hypothesis", "pandas", "matplotlib", "ipython", "ipykernel", "nbclient", "nbformat"]
NVRTC = ["nvidia-cuda-nvrtc-cu12==12.9.86", "nvidia-cuda-runtime-cu12==12.9.79"]
STEPS = ["wheel", "abi", "plain", "tests", "notebooks"]


def run(command, **options):
    print("+", *map(str, command), flush=True)
    subprocess.run(list(map(str, command)), check=True, **options)


def environment(name, packages):
    """A virtual environment with these packages; its interpreter."""
    folder = HOME / name
    python = folder / "bin" / "python"
    mark = folder / "packages.txt"
    if not mark.exists() or mark.read_text().split("\n") != packages:
        venv.create(folder, clear=True, with_pip=True)
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])
        mark.write_text("\n".join(packages))
    return python


def build():
    """The wheel."""
    python = environment("build", ["maturin>=1.9,<2"])
    wheels = HOME / "wheels"
    for old in wheels.glob("*.whl"):
        old.unlink()
    command = [python, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    paths = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    run([*command, "--no-build-isolation", "--wheel-dir", wheels, ROOT], env={**os.environ, "PATH": paths})


def wheel(given):
    found = [pathlib.Path(given)] if given else sorted((HOME / "wheels").glob("*.whl"))
    if len(found) != 1:
        sys.exit("there is no wheel: leave out --only, or name one with --wheel")
    return found[0]


def install(python, file):
    run(
        [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--force-reinstall",
            file,
        ]
    )


def tests(python, **more):
    # From another folder, so that the installed package is tested and not the sources.
    scratch = HOME / "scratch"
    scratch.mkdir(exist_ok=True)
    command = [python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--rootdir", TESTS, TESTS]
    run(command, cwd=scratch, env={**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": str(scratch), **more})


def notebooks(python):
    code = """
import pathlib, sys
import nbformat
from nbclient import NotebookClient

for file in sorted(pathlib.Path(sys.argv[1]).glob("*.ipynb")):
    notebook = nbformat.read(file, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    out = pathlib.Path(sys.argv[2]) / file.name
    nbformat.write(notebook, out)
    pictures = sum("image/png" in o.get("data", {}) for c in notebook.cells for o in c.get("outputs", []))
    print(f"{file.name}: {len(notebook.cells)} cells, {pictures} pictures", flush=True)
"""
    out = HOME / "notebooks"
    out.mkdir(exist_ok=True)
    run(
        [python, "-m", "ipykernel", "install", "--prefix", python.parent.parent, "--name", "python3"],
        stdout=subprocess.DEVNULL,
    )
    run(
        [python, "-c", code, ROOT / "python" / "notebooks", out],
        cwd=out,
        env={**os.environ, "MPLBACKEND": "", "VIRTUAL_ENV": str(HOME / "full")},
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wheel", help="an installed wheel is tested instead of a new one")
    parser.add_argument("--only", help=f"some of {', '.join(STEPS)}")
    arguments = parser.parse_args()
    wanted = (
        arguments.only.split(",") if arguments.only else [s for s in STEPS if not (s == "wheel" and arguments.wheel)]
    )
    unknown = set(wanted) - set(STEPS)
    if unknown:
        sys.exit(f"--only: there is no step {sorted(unknown)[0]}: use some of {', '.join(STEPS)}")
    HOME.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    if "wheel" in wanted:
        build()
    file = wheel(arguments.wheel)
    if "abi" in wanted:
        python = environment("audit", ["abi3audit"])
        run([python, "-m", "abi3audit", "--strict", "--assume-minimum-abi3", "3.10", file])
    if "plain" in wanted:
        python = environment("plain", ["numpy", "pytest"])
        install(python, file)
        plain = {key: "" for key in ("CI", "VIRTUAL_ENV", "WARPWISE_PROGRAM")}
        tests(python, **plain)
    if {"tests", "notebooks"} & set(wanted):
        python = environment("full", ["numpy", "pytest", *EXTRA, *NVRTC])
        install(python, file)
        if "tests" in wanted:
            # The compiler of whole programs, if `cargo xtask programs --install` has put it there.
            nvcc = [str(path) for path in ROOT.glob("target/nvcc-13/lib/python3*/site-packages/nvidia/cu13/bin")]
            paths = os.pathsep.join([*nvcc, os.environ["PATH"]])
            tests(python, CI="1", VIRTUAL_ENV=str(HOME / "full"), PATH=paths)
        if "notebooks" in wanted:
            notebooks(python)
    print(f"the Python package is good ({time.monotonic() - begun:.0f} s)")


if __name__ == "__main__":
    main()
