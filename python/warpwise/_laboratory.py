"""Experiments by the program of the package: ladders, benchmarks, sweeps, devices, whole programs."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import tempfile

from . import _native
from ._program import path as program
from ._progress import Progress
from ._reports import Explanation, Report, Table


class ProgramError(RuntimeError):
    """What the program has to say when it cannot do something."""


def call(*arguments, allowed=(0,), text=None):
    """Runs the program; what it prints."""
    done = subprocess.run([program(), *map(str, arguments)], capture_output=True, input=text, encoding="utf-8")
    if done.returncode not in allowed:
        raise ProgramError(done.stderr.strip().removeprefix("error: ") or f"warpwise ended with {done.returncode}")
    return done.stdout


def primitives():
    """The names of the primitives that have a ladder.

    >>> import warpwise as ww
    >>> "reduce" in ww.primitives()
    True
    """
    return _native.primitives()


def ladder(name):
    """The rungs of a primitive, from the plainest to the best, as a table.

    >>> import warpwise as ww
    >>> ww.ladder("reduce")["variant"][:3]
    ['cpu-seq', 'cpu-par', 'gpu-1-interleaved']
    """
    fields = ["variant", "device", "idea", "teaches"]
    return Table((dict(zip(fields, rung)) for rung in _native.ladder_of(name)), title=name, columns=fields)


def devices():
    """The GPUs of this machine, and those that the emulator knows, as a table: the device query.

    >>> import warpwise as ww
    >>> "h200" in ww.devices()["name"]
    True
    """
    found = json.loads(call("devices", "--json"))
    rows = [{"name": gpu.get("name"), "here": True, **gpu} for gpu in found["devices"]]
    rows += [{"name": gpu["name"], "here": False, **gpu} for gpu in found["emulated"]]
    return Table(rows, title=found.get("problem"))


def _listed(value):
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, range)):
        return ",".join(map(str, value))
    return str(value)


def _flags(options):
    flags = []
    for key, value in options.items():
        if value is None:
            continue
        name = "-n" if key == "n" else "--" + key.replace("_", "-")
        flags += [name, _listed(value)]
    return flags


def bench(primitive, variant="best", n=None, *, size=None, type=None, device=None, baseline=None, **options):
    """Times variants of a primitive; every one is verified first. A table with a record for each size and variant.

    ``n`` is a length, a list of them, or text such as "2^10..2^20". Other options are those of the command line:
    ``input="sorted"``, ``time_limit=1``.

    >>> import warpwise as ww
    >>> ww.bench("reduce", "cpu-par", n=1000, device="cpu", time_limit=0.01)["ok"]
    [True]
    """
    names = variant if isinstance(variant, (list, tuple)) else str(variant).split(",")
    if names == ["all"]:
        on = {"cpu": ["cpu"], "emulator": ["gpu"], "cuda": ["gpu"]}.get(device or "", ["cpu", "gpu"])
        names = [rung[0] for rung in _native.ladder_of(primitive) if rung[1] in on]
    flags = _flags({"n": n, "size": size, "type": type, "device": device, "baseline": baseline, **options})
    records, facts = [], {}
    with Progress(len(names), f"bench {primitive}") as progress:
        for name in names:
            try:
                report = json.loads(call("bench", primitive, "--variant", name, *flags, "--json", allowed=(0, 1)))
            except ProgramError:
                if len(names) == 1:
                    raise
                progress.step(name)
                continue
            facts = report["host"]
            records += report["results"]
            progress.step(name)
    if not records:
        raise ProgramError(f"none of the variants of {primitive} can run like this: {', '.join(names)}")
    table = Table(records, title=f"{primitive} on {records[0]['device']}")
    table.host = facts
    return table


def sweep(
    primitive, variant, n=None, *, block=None, grid=None, items=None, size=None, type=None, device=None, **options
):
    """Measures a rung with every launch geometry of the lists; on the emulator they are ranked by what was counted.

    >>> import warpwise as ww
    >>> ww.sweep("reduce", "gpu-3-sequential", n=4096, block=[64, 128], device="emulator").best["block"]
    64
    """
    given = {
        "n": n,
        "block": block,
        "grid": grid,
        "items": items,
        "size": size,
        "type": type,
        "device": device,
        **options,
    }
    report = json.loads(call("sweep", primitive, variant, *_flags(given), "--json"))
    fields = ["block", "grid", "items"]
    keys = [key for key in fields if any(key in record for record in report["results"])]
    rest = [key for key in dict.fromkeys(key for record in report["results"] for key in record) if key not in keys]
    table = Table(report["results"], title=f"{primitive} {variant}", columns=keys + rest)
    table.best = report["best"]
    return table


def explain(primitive, variant, n=None, *, size=None, type=None, gpu="h200", **options):
    """Why a rung of a ladder takes its time on a GPU, from a run on the emulator.

    >>> import warpwise as ww
    >>> ww.explain("reduce", "gpu-3-sequential", n=4096).estimated_us > 0
    True
    """
    flags = _flags({"n": n, "size": size, "type": type, "gpu": gpu, **options})
    views = {format: call("explain", primitive, variant, *flags, "--format", format) for format in ("json", "text")}
    return Explanation(views)


class ProgramRun(Report):
    """A run of a whole CUDA program on the virtual GPU."""

    def __init__(self, views, output, status):
        super().__init__(views)
        self.output, self.status = output, status

    @property
    def findings(self):
        """What checks found."""
        return self._data.get("findings", [])

    def __str__(self):
        return self.output.rstrip("\n")

    __repr__ = __str__


def run_program(source, *arguments, check=None, explain=False, compiler=None):
    """Compiles a whole CUDA program and runs it on the virtual GPU: its output, and what checks found.

    ``source`` is the text or a ``.cu`` file. Needs nvcc: the one of an installed CUDA, or ``pip install nvidia-cuda-nvcc``.
    """
    with tempfile.TemporaryDirectory(prefix="warpwise-") as folder:
        file = os.fspath(source)
        if "\n" in file or "{" in file:
            file = os.path.join(folder, "program.cu")
            pathlib.Path(file).write_text(os.fspath(source), encoding="utf-8")
        report = os.path.join(folder, "report.json")
        flags = ["--quiet", "--fail-on", "none", "--json", report]
        flags += ["--check", "all" if check is True else _listed(check)] if check else []
        flags += ["--explain"] if explain else []
        environment = dict(os.environ)
        if compiler:
            environment["PATH"] = f"{compiler}{os.pathsep}{environment.get('PATH', '')}"
        command = [program(), "exec", *flags, file, *(["--", *map(str, arguments)] if arguments else [])]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", env=environment)
        told = pathlib.Path(report).read_text(encoding="utf-8") if os.path.exists(report) else None
        if told is None:
            told = done.stderr.replace(f"{folder}{os.sep}", "").strip().removeprefix("error: ")
            raise ProgramError(told or "the program could not be run")
        views = {"json": told.replace(f"{folder}{os.sep}", ""), "text": done.stdout}
        return ProgramRun(views, done.stdout + done.stderr.replace(f"{folder}{os.sep}", ""), done.returncode)


__all__ = ["bench", "call", "devices", "explain", "ladder", "primitives", "program", "run_program", "sweep"]
