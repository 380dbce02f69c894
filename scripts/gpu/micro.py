#!/usr/bin/env python3
"""Runs the micro-PTX files on an NVIDIA GPU and compares with the values they state.

    micro.py [FOLDER | FILE.ptx ...] [--json REPORT.json] [--jobs N] [--timeout SECONDS]

Needs Python 3.8 or newer and an NVIDIA driver (libcuda.so.1, or nvcuda.dll); no toolkit and no packages. Runs on
GPU 0 (choose another with CUDA_VISIBLE_DEVICES). FOLDER is the one with the micro files of this repository unless
given. Each file is a PTX module; comments that start with `//:` state a launch and its outcome.

Prints a line for every value that differs, the compiler's log for a module that does not load, and a total. An entry
is skipped if it needs a newer GPU, or if it is meant to end in a fault. Exit status: 0 all equal, 1 a difference
or an error, 2 no GPU or no files.
"""

import argparse
import concurrent.futures
import ctypes
import json
import pathlib
import re
import struct
import subprocess
import sys

POISON = 0xA5
SIZES = {"u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "u64": 8, "i64": 8,
         "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
# exponent bits, fraction bits
FORMATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}


# The files.

def bits_of(kind, text):
    """The bits of one value as a file writes it."""
    mask = (1 << 8 * SIZES[kind]) - 1
    if text.startswith("0x"):
        return int(text, 16)
    if kind == "f32":
        return struct.unpack("<I", struct.pack("<f", float(text)))[0]
    if kind == "f64":
        return struct.unpack("<Q", struct.pack("<d", float(text)))[0]
    return int(text) & mask


def values_of(kind, text):
    """A list of bits; None for anything, "nan" for any NaN."""
    values = []
    for item in text.split(","):
        item, _, count = item.strip().partition("*")
        value = {"nan": "nan", "_": None}[item] if item in ("nan", "_") else bits_of(kind, item)
        values += [value] * int(count or 1)
    return values


def pack(kind, values):
    return b"".join(value.to_bytes(SIZES[kind], "little") for value in values)


def unpack(kind, data):
    size = SIZES[kind]
    return [int.from_bytes(data[at:at + size], "little") for at in range(0, len(data), size)]


def argument(text):
    """("scalar" or "buffer", type, bytes)"""
    kind, equals, value = text.partition("=")
    if equals:
        return "scalar", kind, pack(kind, [bits_of(kind, value)])
    kind, length, fill = re.fullmatch(r"(\w+)\[(\d+)\]:(.*)", text).groups()
    length = int(length)
    if fill == "uninit":
        return "buffer", kind, bytes([POISON]) * (length * SIZES[kind])
    if fill.startswith("list:"):
        values = values_of(kind, fill[5:])
        assert len(values) == length, f"{len(values)} values for a buffer of {length}"
    else:
        values = {"zeros": lambda: [0] * length, "ones": lambda: [bits_of(kind, "1")] * length,
                  "iota": lambda: [bits_of(kind, str(i)) for i in range(length)]}[fill]()
    return "buffer", kind, pack(kind, values)


def three(text):
    return ([int(part) for part in text.split(",")] + [1, 1])[:3]


def new_case(sm):
    return {"entry": "", "grid": [1, 1, 1], "block": [1, 1, 1], "shared": 0, "sm": sm, "arguments": [],
            "expectations": [], "fault": None}


def take(case, directive):
    words = directive.split()
    if not words:
        return
    if words[0] in ("grid", "block"):
        for name, sizes in zip(words[::2], words[1::2]):
            case[name] = three(sizes)
    elif words[0] in ("shared", "sm"):
        case[words[0]] = int(words[1])
    elif words[0] == "arg":
        case["arguments"].append(argument(words[1]))
    elif words[0] == "fault":
        case["fault"] = words[1]
    elif words[0] == "expect":
        index, kind = int(words[1]), words[2]
        if words[3] == "iota":
            values = list(range(len(case["arguments"][index][2]) // SIZES[kind]))
        else:
            values = values_of(kind, "".join(words[3:]))
        case["expectations"].append({"argument": index, "type": kind, "values": values, "tolerance": ("exact", 0)})
    elif words[0] in ("ulp", "abs", "rel"):
        for stated in case["expectations"]:
            if stated["argument"] == int(words[1]):
                stated["tolerance"] = (words[0], float(words[2]))
    else:
        raise ValueError(f"unknown word {words[0]}")


def cases_of(text):
    """All launches of a file: `//:` lines belong to the entry below them, those above `.version` to every entry."""
    cases, directive, sm = [], "", 0
    case = new_case(sm)
    for line in text.splitlines():
        if line.startswith("//:  "):
            directive += line[3:].strip()
            continue
        take(case, directive)
        directive = line[3:].strip() if line.startswith("//:") else ""
        if line.startswith(".version"):
            sm = case["sm"]
        entry = re.search(r"\.entry\s+([\w$]+)", line)
        if entry and not line.startswith("//"):
            case["entry"] = entry.group(1)
            cases.append(case)
            case = new_case(sm)
    return cases


# Comparing.

def real(kind, bits):
    exponent_bits, fraction_bits = FORMATS[kind]
    magnitude = bits & ~(1 << exponent_bits + fraction_bits)
    exponent, fraction = magnitude >> fraction_bits, magnitude & (1 << fraction_bits) - 1
    bias = (1 << exponent_bits - 1) - 1
    if exponent == (1 << exponent_bits) - 1:
        size = float("nan") if fraction else float("inf")
    elif exponent == 0:
        size = fraction * 2.0 ** -fraction_bits * 2.0 ** (1 - bias)
    else:
        size = (1 + fraction * 2.0 ** -fraction_bits) * 2.0 ** (exponent - bias)
    return size if magnitude == bits else -size


def rank(kind, bits):
    magnitude = bits & ~(1 << sum(FORMATS[kind]))
    return magnitude if magnitude == bits else -magnitude


def accepts(kind, stated, got, tolerance):
    if stated is None or stated == got:
        return True
    if kind not in FORMATS:
        return False
    value = real(kind, got)
    if stated == "nan":
        return value != value
    target = real(kind, stated)
    if value != value or target != target:
        return False
    how, bound = tolerance
    if how == "ulp":
        return abs(rank(kind, stated) - rank(kind, got)) <= bound
    if how == "abs":
        return abs(value - target) <= bound
    return how == "rel" and abs(target) != float("inf") and abs(value - target) <= bound * abs(target)


def hexadecimal(kind, value):
    return value if isinstance(value, str) else f"0x{value:0{2 * SIZES[kind]}x}"


def differences(case, after):
    """A line for every value that differs from the stated one; `after` maps argument numbers to bytes."""
    lines = []
    outputs = {stated["argument"] for stated in case["expectations"]}
    for stated in case["expectations"]:
        kind, number, values = stated["type"], stated["argument"], stated["values"]
        results = unpack(kind, after[number])
        if len(results) != len(values):
            lines.append(f"argument {number}: {len(values)} values stated for {len(results)}")
            continue
        for index, (value, got) in enumerate(zip(values, results)):
            if accepts(kind, value, got, stated["tolerance"]):
                continue
            inputs = "".join(
                f", argument {other} is {hexadecimal(input_kind, unpack(input_kind, data)[index])}"
                for other, (role, input_kind, data) in enumerate(case["arguments"])
                if role == "buffer" and other not in outputs and len(data) == len(values) * SIZES[input_kind])
            lines.append(f"argument {number}[{index}]: expected {hexadecimal(kind, value)}, "
                         f"got {hexadecimal(kind, got)}{inputs}")
    return lines


# The GPU.

class CudaError(Exception):
    pass


class Cuda:
    """The driver's functions that a launch needs, on GPU 0."""

    def __init__(self):
        name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
        try:
            self.driver = ctypes.CDLL(name)
        except OSError as error:
            raise CudaError(f"no NVIDIA driver: {error}") from error
        self.call("cuInit", 0)
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.sm = 10 * self.attribute(device, 75) + self.attribute(device, 76)
        text = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", text, 256, device)
        self.name = text.value.decode()
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.cuda = f"{version.value // 1000}.{version.value % 1000 // 10}"
        self.device = device

    def open(self):
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)

    def attribute(self, device, number):
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), number, device)
        return value.value

    def call(self, function, *arguments):
        status = getattr(self.driver, function)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.driver.cuGetErrorString(status, ctypes.byref(text))
            raise CudaError(f"{function}: {text.value.decode() if text.value else status}")

    def load(self, ptx):
        log = ctypes.create_string_buffer(16384)
        # CU_JIT_ERROR_LOG_BUFFER and its size
        options = (ctypes.c_int * 2)(5, 6)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        module = ctypes.c_void_p()
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), ctypes.c_char_p(ptx), 2, options, values)
        except CudaError as error:
            raise CudaError(f"{error}\n{log.value.decode(errors='replace')}".strip()) from error
        return module

    def launch(self, module, case):
        """Runs one entry; returns every buffer's bytes by argument number."""
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, case["entry"].encode())
        buffers, cells = {}, []
        for number, (role, _, data) in enumerate(case["arguments"]):
            if role == "scalar":
                cells.append(ctypes.create_string_buffer(data, 8))
                continue
            pointer = ctypes.c_uint64()
            self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(len(data)))
            self.call("cuMemcpyHtoD_v2", pointer, data, ctypes.c_size_t(len(data)))
            buffers[number] = (pointer, len(data))
            cells.append(pointer)
        addresses = (ctypes.c_void_p * max(len(cells), 1))(*(ctypes.addressof(cell) for cell in cells))
        self.call("cuLaunchKernel", function, *case["grid"], *case["block"], case["shared"], None, addresses, None)
        self.call("cuCtxSynchronize")
        after = {}
        for number, (pointer, length) in buffers.items():
            data = ctypes.create_string_buffer(length)
            self.call("cuMemcpyDtoH_v2", data, pointer, ctypes.c_size_t(length))
            self.call("cuMemFree_v2", pointer)
            after[number] = data.raw
        return after


def run_file(path):
    """The results of one file's entries, for a process of its own."""
    text = pathlib.Path(path).read_text()
    results = []
    try:
        cases = cases_of(text)
        cuda = Cuda()
        wanted = [case for case in cases if case["sm"] <= cuda.sm and not case["fault"]]
        for case in cases:
            if case not in wanted:
                why = f"meant to end in the fault {case['fault']}" if case["fault"] else f"needs sm_{case['sm']}"
                results.append({"entry": case["entry"], "outcome": "skipped", "lines": [why]})
        if wanted:
            cuda.open()
            module = cuda.load(text.encode() + b"\0")
        for case in wanted:
            lines = differences(case, cuda.launch(module, case))
            results.append({"entry": case["entry"], "outcome": "failed" if lines else "passed", "lines": lines})
    except (CudaError, ValueError, AssertionError, AttributeError, KeyError) as error:
        results.append({"entry": "", "outcome": "failed", "lines": str(error).splitlines() or [repr(error)]})
    return results


def run_apart(path, seconds):
    command = [sys.executable, __file__, "--child", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        return json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return [{"entry": "", "outcome": "failed", "lines": [f"not over after {seconds} s"]}]
    except json.JSONDecodeError:
        return [{"entry": "", "outcome": "failed", "lines": done.stderr.strip().splitlines()[-3:] or ["died"]}]


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=pathlib.Path, metavar="FOLDER or FILE")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every outcome here")
    parser.add_argument("--jobs", type=int, default=4, help="files at a time (4)")
    parser.add_argument("--timeout", type=float, default=20, help="seconds for one file (20)")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        json.dump(run_file(options.child), sys.stdout)
        return 0
    roots = options.paths or [here.parent.parent / "crates/simt/tests/micro"]
    files = [path for root in roots for path in (sorted(root.rglob("*.ptx")) if root.is_dir() else [root])]
    if not files:
        print("no .ptx files found", file=sys.stderr)
        return 2
    try:
        cuda = Cuda()
    except CudaError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{cuda.name}, sm_{cuda.sm}, driver for CUDA {cuda.cuda}, {len(files)} files")
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    report = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = pool.map(lambda path: run_apart(path, options.timeout), files)
        for path, results in zip(files, outcomes):
            name = "/".join(path.parts[-2:])
            for result in results:
                counts[result["outcome"]] += 1
                if result["outcome"] == "failed":
                    for line in result["lines"]:
                        print(f"{name} {result['entry'] or '(whole file)'}: {line}")
                report.append({"file": name, **result})
    print(f"{counts['passed']} passed, {counts['failed']} failed, "
          f"{counts['skipped']} skipped (needs newer GPU, or meant to fault)")
    if options.json:
        document = {"schema": 1, "device": cuda.name, "sm": cuda.sm, "cuda": cuda.cuda, **counts, "results": report}
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
