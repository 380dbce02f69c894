"""``%%cuda`` in notebooks.

%%cuda [--check] [--explain] [--watch] [--device D] [--gpu NAME]
    a whole CUDA program: compiled and run on the virtual GPU; its output is shown
%%cuda KERNEL -g GRID -b BLOCK [--shared BYTES] [--check] [--explain] [--watch] ARGUMENT...
    kernels: one is launched, with variables of the notebook and numbers as arguments
"""

from __future__ import annotations

import argparse
import re
import shlex

from ._kernel import Kernel, KernelError

ENTRY = re.compile(
    r"__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)"
)


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ValueError(f"%%cuda: {message}\n{self.format_usage()}")


def parser():
    """The options of the magic."""
    options = _Parser(prog="%%cuda", add_help=False)
    options.add_argument("kernel", nargs="?")
    options.add_argument("arguments", nargs="*")
    options.add_argument("-g", "--grid")
    options.add_argument("-b", "--block")
    options.add_argument("--shared", type=int, default=0)
    for flag in ("check", "explain", "watch", "counters"):
        options.add_argument(f"--{flag}", action="store_true")
    options.add_argument("--device", default="emulator")
    options.add_argument("--gpu", default="h200")
    options.add_argument("--name", help="keep the kernel in this variable")
    return options


def register(shell):
    """Adds the magic to a shell, and names of kernels to what it completes."""

    def cuda(line, cell):
        return run(shell, line, cell)

    shell.register_magic_function(cuda, "cell", "cuda")
    if hasattr(shell, "Completer"):
        shell.set_hook("complete_command", complete, re_key=r"%%cuda")


def entries(text):
    """The names of the kernels in a source."""
    return list(dict.fromkeys(ENTRY.findall(text)))


def complete(_, event):
    """Names of the kernels in the cell, and the options."""
    cell = getattr(event, "text_until_cursor", "") or ""
    whole = getattr(event, "line", "") or cell
    return entries(whole) + ["--check", "--explain", "--watch", "--counters", "--grid", "--block", "--device", "--gpu"]


def _shape(what, text, names):
    if text is None:
        raise ValueError(f"%%cuda: --{what} is missing: say -{what[0]} 4 or -{what[0]} 4,4")
    value = _value(text, names) if "," not in text else tuple(_value(part, names) for part in text.split(","))
    return value


def _value(word, names):
    """A variable of the notebook, a number, or an argument in the laboratory's words."""
    if word in names:
        return names[word]
    try:
        return int(word, 0)
    except ValueError:
        pass
    try:
        return float(word)
    except ValueError:
        pass
    if "=" in word or "[" in word or ":" in word:
        return word
    raise ValueError(f"%%cuda: there is no variable {word!r} in this notebook")


def run(shell, line, cell):
    """What a cell does."""
    from IPython.display import display

    chosen = parser().parse_intermixed_args(shlex.split(line))
    if chosen.kernel is None and re.search(r"\bmain\s*\(", cell):
        return _program(chosen, cell, display)
    found = entries(cell)
    name = chosen.kernel or (found[0] if len(found) == 1 else None)
    if name is None:
        raise ValueError(f"%%cuda: name the kernel to launch: {', '.join(found) or 'there is none in the cell'}")
    names = shell.user_ns
    kernel = Kernel(cell if "\n" in cell else cell + "\n", name, gpu=chosen.gpu)
    if chosen.name:
        names[chosen.name] = kernel
    if chosen.grid is None and chosen.block is None and not chosen.arguments:
        names[kernel.name] = kernel
        return None
    launch = (_shape("grid", chosen.grid, names), _shape("block", chosen.block, names), chosen.shared)
    arguments = [_value(word, names) for word in chosen.arguments]
    if chosen.check:
        display(kernel.check[launch](*arguments))
    if chosen.explain:
        display(kernel.explain[launch](*arguments))
    if chosen.watch:
        display(kernel.watch[launch](*arguments))
    if chosen.counters:
        display(kernel.counters[launch](*arguments))
    try:
        kernel[launch](*arguments, device=chosen.device)
    except KernelError as error:
        if not chosen.check:
            raise
        print(f"not run to its end: {error.report.findings[0]['kind']}")
    return None


def _program(chosen, cell, display):
    from ._laboratory import run_program

    done = run_program(cell, check=chosen.check or None, explain=chosen.explain)
    print(done.output, end="" if done.output.endswith("\n") else "\n")
    if chosen.watch:
        raise ValueError("%%cuda: --watch is for a kernel with its arguments: %%cuda --watch KERNEL -g 4 -b 256 x y")
    return None
