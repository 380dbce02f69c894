#!/usr/bin/env python3
"""Runs the tests of the Python package on this machine, from a wheel: `python.py WHEEL`.

Nothing is installed: the wheel is unpacked into a folder. Needs NumPy; PyTorch and CuPy are used if they are there, and
so is pytest. Without pytest only the tests of arrays on the GPU run.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

TESTS = pathlib.Path(__file__).resolve().parents[2] / "python" / "tests"


def main():
    if len(sys.argv) != 2:
        print("which wheel? python.py target/python/wheels/warpwise-....whl")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(sys.argv[1]).extractall(folder)
        for program in pathlib.Path(folder, "warpwise", "bin").iterdir():
            program.chmod(0o755)
        environment = {**os.environ, "PYTHONPATH": folder}
        command = [sys.executable, str(TESTS / "test_gpu.py")]
        if importlib.util.find_spec("pytest"):
            # The plugin of the package is found by what the wheel says of itself.
            quiet = ["-q", "-rs", "-p", "no:cacheprovider"]
            command = [sys.executable, "-m", "pytest", *quiet, str(TESTS)]
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
