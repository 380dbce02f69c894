"""Kernels of one's own, run, checked, counted, explained and watched."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile

import numpy as np

from . import _native
from ._reports import Check, Counters, Explanation, Run, Watch

TYPES = {
    "bool": "u8",
    "uint8": "u8",
    "int8": "i8",
    "uint16": "u16",
    "int16": "i16",
    "uint32": "u32",
    "int32": "i32",
    "uint64": "u64",
    "int64": "i64",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
}


class CompileError(ValueError):
    """A kernel that does not compile; the message shows the line."""


class KernelError(RuntimeError):
    """A kernel that was stopped or could not be launched; ``report`` says where and why."""

    def __init__(self, report):
        super().__init__(str(report))
        self.report = report


def _shape(what, value):
    """Three numbers of one, two or three."""
    numbers = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    try:
        numbers = [int(number.__index__()) for number in numbers]
    except AttributeError:
        raise TypeError(f"{what}: {value!r} is not a whole number or a tuple of them") from None
    if not 1 <= len(numbers) <= 3 or any(not 0 <= number < 2**32 for number in numbers):
        raise ValueError(f"{what}: {value!r} has not one to three numbers from 0 to 2^32 - 1")
    return numbers + [1] * (3 - len(numbers))


class Launcher:
    """What a kernel does with arguments once its grid and blocks are chosen."""

    def __init__(self, kernel, verb, grid, block, shared=0):
        self._kernel, self._verb = kernel, verb
        self._shape = (_shape("grid", grid), _shape("block", block), int(shared))

    def __call__(self, *arguments, **options):
        return self._kernel._do(self._verb, self._shape, arguments, options)


class Verb:
    """One thing that can be done with a launch: ``kernel.check[grid, block](arguments)``."""

    def __init__(self, kernel, verb):
        self._kernel, self._verb = kernel, verb

    def __getitem__(self, launch):
        if not isinstance(launch, tuple) or not 2 <= len(launch) <= 3:
            raise TypeError("a launch is kernel[grid, block] or kernel[grid, block, shared_bytes]")
        return Launcher(self._kernel, self._verb, *launch)

    def __repr__(self):
        return f"{self._kernel!r}.{self._verb}[grid, block](arguments)"


class Kernel:
    """A kernel of CUDA C++ or PTX: a file, or the text itself.

    ``kernel[grid, block](x, y, 5)`` runs it, on the emulator unless ``device="cuda"`` is given. Arrays of NumPy are its
    buffers, and are changed in place; numbers get the type of the parameter. In the same form, ``check`` looks for races
    and bad accesses, ``counters`` counts, ``explain`` says what costs time, and ``watch`` shows every step; these change
    nothing. A third number in the brackets is dynamic shared memory, in bytes.

    >>> import numpy as np, warpwise as ww
    >>> twice = ww.Kernel('''
    ... .version 7.0
    ... .target sm_70
    ... .address_size 64
    ... .visible .entry twice(.param .u64 xs) {
    ...     .reg .b32 %r<3>; .reg .b64 %d<4>;
    ...     mov.u32 %r1, %tid.x;
    ...     mul.wide.u32 %d1, %r1, 4;
    ...     ld.param.u64 %d2, [xs];
    ...     add.s64 %d3, %d2, %d1;
    ...     ld.global.u32 %r2, [%d3];
    ...     add.s32 %r2, %r2, %r2;
    ...     st.global.u32 [%d3], %r2;
    ...     ret;
    ... }''')
    >>> xs = np.arange(4, dtype=np.int32)
    >>> run = twice[1, 4](xs)
    >>> xs.tolist(), run.counters.global_load_requests
    ([0, 2, 4, 6], 1)
    """

    def __init__(self, source, name=None, *, device="emulator", gpu="h200", defines=(), includes=(), debug=False):
        self._folder = None
        text = os.fspath(source)
        if "\n" not in text and "{" not in text:
            if not os.path.isfile(text):
                raise FileNotFoundError(f"there is no file {text}: give a .cu or .ptx file, or the text of a kernel")
            self.file = text
        else:
            self._folder = tempfile.TemporaryDirectory(prefix="warpwise-")
            is_ptx = ".version" in text and ".entry" in text
            self.file = os.path.join(self._folder.name, "kernel.ptx" if is_ptx else "kernel.cu")
            pathlib.Path(self.file).write_text(text, encoding="utf-8")
        self.device, self.gpu, self.debug = device, gpu, bool(debug)
        self.defines = (
            [f"{key}={value}" for key, value in defines.items()] if isinstance(defines, dict) else list(defines)
        )
        self.includes = [os.fspath(folder) for folder in includes]
        _find_compiler()
        try:
            views = _native.inspect_file(self.file, name, gpu, self.defines, self.includes, self.debug)
        except ValueError as error:
            raise CompileError(self._told(error)) from None
        kernels = json.loads(views["json"])["kernels"]
        self.entries = [kernel["name"] for kernel in kernels]
        if name is None and len(kernels) != 1:
            raise ValueError(f"name: the source has {len(kernels)} kernels: name one of {', '.join(self.entries)}")
        wanted = [kernel for kernel in kernels if name in (None, kernel["name"], kernel["symbol"])]
        if not wanted:
            raise ValueError(f"name: there is no kernel {name!r}: there are {', '.join(self.entries)}")
        self.name, self.signature, self.parameters = (wanted[0][key] for key in ("name", "signature", "parameters"))

    @property
    def source(self):
        """The text."""
        return pathlib.Path(self.file).read_text(encoding="utf-8", errors="replace")

    def __repr__(self):
        return f"<Kernel {self.signature or self.name}>"

    def __getitem__(self, launch):
        return Verb(self, "run")[launch]

    @property
    def check(self):
        """Looks for mistakes: ``kernel.check[grid, block](arguments, checks="all")``."""
        return Verb(self, "check")

    @property
    def explain(self):
        """Says what costs time on a GPU: ``kernel.explain[grid, block](arguments, gpu="h200")``."""
        return Verb(self, "explain")

    @property
    def counters(self):
        """Counts what a profiler would count: ``kernel.counters[grid, block](arguments)``."""
        return Verb(self, "counters")

    @property
    def watch(self):
        """Shows every step of some warps: ``kernel.watch[grid, block](arguments, warps=(0, 3))``."""
        return Verb(self, "watch")

    def _told(self, error):
        """A message without the folder that nobody has asked for."""
        return str(error).replace(f"{self._folder.name}{os.sep}", "") if self._folder else str(error)

    def _do(self, verb, shape, arguments, options):
        known = {"device", "gpu", "time_limit", "max_instructions", "cooperative", "cluster", "symbols"}
        known |= {"check": {"checks"}, "watch": {"blocks", "warps", "steps"}}.get(verb, set())
        unknown = set(options) - known
        if unknown:
            raise TypeError(f"{verb} has no option {sorted(unknown)[0]!r}: it has {', '.join(sorted(known))}")
        grid, block, shared = shape
        device = options.get("device") or (self.device if verb == "run" else "emulator")
        launch = {
            "file": self.file,
            "entry": self.name,
            "grid": grid,
            "block": block,
            "shared": shared,
            "cooperative": bool(options.get("cooperative", False)),
            "cluster": _shape("cluster", options["cluster"]) if options.get("cluster") else None,
            "device": device,
            "gpu": options.get("gpu") or self.gpu,
            "checks": _checks(options.get("checks", "all")) if verb == "check" else "none",
            "time_limit": float(options.get("time_limit", 60.0)),
            "max_instructions": options.get("max_instructions"),
            "defines": self.defines,
            "includes": self.includes,
            "debug": self.debug,
            "symbols": [f"{key}={value}" for key, value in (options.get("symbols") or {}).items()],
        }
        if len(arguments) != len(self.parameters):
            takes = f"{len(self.parameters)} argument{'s' * (len(self.parameters) != 1)}"
            raise TypeError(f"{self.name} takes {takes}, {len(arguments)} given: {self.signature or self.name}")
        values = [_value(value, parameter, i) for i, (value, parameter) in enumerate(zip(arguments, self.parameters))]
        try:
            if verb in ("run", "counters"):
                views, contents = _native.run_kernel(launch, values)
            else:
                chosen = [_index(one) for one in _blocks(options.get("blocks", ()))]
                more = (chosen, _warps(options.get("warps")), options.get("steps")) if verb == "watch" else ()
                views, contents = _native.study_kernel(verb, launch, values, *more), ()
        except ValueError as error:
            raise ValueError(self._told(error)) from None
        views = {key: self._told(text) for key, text in views.items()}
        if verb == "check":
            return Check(views)
        if verb == "explain":
            return Explanation(views)
        if verb == "watch":
            return Watch(views)
        report = Run(views)
        if verb == "run":
            for index, content in contents:
                _write_back(arguments[index], content, index)
            if report.printed:
                print(report.printed, end="" if report.printed.endswith("\n") else "\n")
        if not report.ok:
            raise KernelError(report)
        return report if verb == "run" else report.counters


def _checks(value):
    return value if isinstance(value, str) else ",".join(value)


def _blocks(value):
    return (
        [value]
        if isinstance(value, int) or (isinstance(value, tuple) and all(isinstance(i, int) for i in value) and value)
        else value
    )


def _index(value):
    numbers = list(value) if isinstance(value, (tuple, list)) else [value]
    return numbers + [0] * (3 - len(numbers))


def _warps(value):
    return (value, value) if isinstance(value, int) else value


def _value(value, parameter, index):
    """An argument for the laboratory: a type with bytes, or text."""
    arg = parameter.get("arg", "")
    what = f"argument {index} ({parameter.get('name') or 'unnamed'})"
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, bytearray)):
        return f"bytes={bytes(value).hex()}"
    if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0):
        if isinstance(value, np.ndarray):
            array = value
        else:
            wanted = {code: name for name, code in TYPES.items() if name != "bool"}.get(arg.partition("[")[0])
            array = np.asarray(value, wanted)
        kind = array.dtype.newbyteorder("=")
        if kind.name not in TYPES:
            raise TypeError(f"{what}: arrays of {array.dtype} are not supported: use {', '.join(TYPES)}")
        return TYPES[kind.name], np.ascontiguousarray(array, kind).tobytes()
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.item()
    if "[" in arg:
        raise TypeError(f"{what}: the kernel takes a pointer, so it needs an array, not {value!r}")
    kind, _, rest = arg.partition("=")
    if rest != "VALUE":
        raise TypeError(
            f"{what}: the kernel takes {parameter.get('type') or parameter.get('ptx_type')}: give its bytes"
        )
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, float) and not kind.startswith(("f", "bf")):
        if not value.is_integer():
            raise TypeError(
                f"{what}: {value} is not a whole number, and the kernel takes {parameter.get('type') or kind}"
            )
        value = int(value)
    if not isinstance(value, (int, float)):
        raise TypeError(f"{what}: {type(value).__name__} is neither an array nor a number")
    return f"{kind}={value!r}"


def _write_back(array, content, index):
    if not isinstance(array, np.ndarray):
        return
    after = np.frombuffer(content, array.dtype.newbyteorder("=")).reshape(array.shape)
    if array.flags.writeable:
        array[...] = after
    elif array.tobytes() != after.astype(array.dtype).tobytes():
        raise ValueError(f"argument {index}: the kernel writes to an array that is read-only: copy it")


def _find_compiler():
    """The compiler that pip installed into this environment is found, whatever started this process."""
    import sys

    if sys.prefix != sys.base_prefix:
        os.environ.setdefault("VIRTUAL_ENV", sys.prefix)
