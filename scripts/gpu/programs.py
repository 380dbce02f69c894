#!/usr/bin/env python3
"""Builds the whole programs of this repository with a CUDA toolkit, runs them on a GPU and compares their output.

    programs.py [NAME ...] [--nvcc NVCC | --built FOLDER] [--libraries FOLDER] [--json REPORT.json] [--jobs N]
                [--timeout SECONDS]

Needs Python 3.8 or newer, nvcc (on the path, or named) and an NVIDIA driver. A program is a file in tests/programs, or
a folder of files, and NAME.out beside it is what it must print. Uses GPU 0 (choose another with CUDA_VISIBLE_DEVICES).
A machine without a toolkit runs what `cargo xtask programs` has compiled elsewhere: --built names that folder
(target/programs-13), and --libraries one with NVIDIA's libcudart.so.13.

Prints a line for every program, and for one that fails what it was to print and what it printed. Exit status: 0 all
equal, 1 a difference, 2 no compiler or no programs.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests" / "programs"


def files_of(name):
    """The files to compile, the one with `main` first."""
    for ending in (".cu", ".c"):
        alone = FOLDER / (name + ending)
        if alone.exists():
            return [alone]
    files = [path for path in (FOLDER / name).iterdir() if path.suffix in (".cu", ".c")]
    return sorted(files, key=lambda path: (path.stem != "main", path.name))


def options_of(path):
    """The words after `// nvcc:`."""
    for line in path.read_text().splitlines():
        if line.startswith("// nvcc: "):
            return line[len("// nvcc: "):].split()
    return []


def compile_program(name, nvcc, program):
    """None, or what is wrong."""
    files = files_of(name)
    # Machine code for the GPU of this machine, unless the program states another; PTX is compiled by the driver.
    options = options_of(files[0])
    if any(option.startswith("-arch") for option in options):
        target = []
    else:
        target = ["-arch=compute_75"]
    command = [nvcc, *target, "-cudart", "shared", "-o", program, *files, *options]
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return "does not compile:\n" + made.stdout if made.returncode else None


def check(name, options, work):
    """None, or what is wrong."""
    expected = (FOLDER / (name + ".out")).read_text()
    program = pathlib.Path(options.built or work).resolve() / name
    problem = None if options.built else compile_program(name, options.nvcc, program)
    if problem:
        return problem
    environment = dict(os.environ)
    if options.libraries:
        others = environment.get("LD_LIBRARY_PATH")
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [os.path.abspath(options.libraries), others]))
    try:
        ran = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             timeout=options.timeout, check=False, cwd=work, env=environment)
    except OSError as error:
        return "does not start: {}".format(error)
    except subprocess.TimeoutExpired:
        return "did not end within {} s".format(options.timeout)
    if ran.stdout != expected or ran.returncode:
        return "status {}\nexpected:\n{}printed:\n{}{}".format(ran.returncode, expected, ran.stdout, ran.stderr)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="programs to run; all unless given")
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc", help="the compiler")
    parser.add_argument("--built", help="a folder with compiled programs")
    parser.add_argument("--libraries", help="a folder with libraries that programs need")
    parser.add_argument("--json", help="write a report to this file")
    parser.add_argument("--jobs", type=int, default=4, help="programs at a time")
    parser.add_argument("--timeout", type=float, default=120, help="seconds that a program may run")
    options = parser.parse_args()
    if not options.built and not shutil.which(options.nvcc):
        message = "no compiler at {}; name one with --nvcc, or compiled programs with --built"
        print(message.format(options.nvcc), file=sys.stderr)
        return 2
    names = options.names or sorted(path.stem for path in FOLDER.glob("*.out"))
    missing = [name for name in names if not (FOLDER / (name + ".out")).exists()]
    if missing or not names:
        print("no such program: {}".format(" ".join(missing) or FOLDER), file=sys.stderr)
        return 2
    report = {}
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {pool.submit(check, name, options, work): name for name in names}
        for run in concurrent.futures.as_completed(runs):
            name, problem = runs[run], run.result()
            report[name] = problem
            print("{}: {}".format(name, problem or "equal"), flush=True)
    failed = sorted(name for name, problem in report.items() if problem)
    print("{} programs, {} equal{}".format(len(names), len(names) - len(failed),
                                           "; not: " + " ".join(failed) if failed else ""))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(dict(sorted(report.items())), indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
