#!/usr/bin/env python3
"""Compiles the .cu files of this folder to ptx/nvrtc-MAJOR.MINOR/ARCH/NAME.ptx.

    compile.py PLACE [PLACE ...]

A PLACE is a folder that holds an NVRTC library and CUDA's headers somewhere below it, such as a Python environment
with the packages nvidia-cuda-nvrtc and nvidia-cuda-runtime (and nvidia-cuda-cccl, for CUDA 13). The oldest of
compute_52, compute_75 and compute_90 that a library does not know is left out.

Headers are handed over by name, not by folder, and the compiler runs in the root folder, which it puts before every
name: so no path of this machine ends up in the PTX.
"""

import ctypes
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ARCHITECTURES = ("compute_52", "compute_75", "compute_90")


class Nvrtc:
    """One version of the compiler and the headers beside it."""

    def __init__(self, place):
        found = sorted(place.rglob("libnvrtc.so.*"))
        if not found:
            sys.exit(f"no libnvrtc.so below {place}")
        for builtins in found[0].parent.glob("libnvrtc-builtins.so.*"):
            ctypes.CDLL(str(builtins), ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(str(found[0]))
        self.headers = place
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.check(self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
        self.name = f"nvrtc-{major.value}.{minor.value}"

    def check(self, status):
        if status:
            self.library.nvrtcGetErrorString.restype = ctypes.c_char_p
            raise RuntimeError(self.library.nvrtcGetErrorString(status).decode())

    def architectures(self):
        count = ctypes.c_int()
        self.check(self.library.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
        known = (ctypes.c_int * count.value)()
        self.check(self.library.nvrtcGetSupportedArchs(known))
        return [arch for arch in ARCHITECTURES if int(arch.split("_")[1]) in known]

    def find(self, name):
        """A header's text by the name it is included under."""
        for path in sorted(self.headers.rglob(pathlib.Path(name).name)):
            if path.as_posix().endswith("/include/" + name) or path.as_posix().endswith("/include/cccl/" + name):
                return path.read_text()
        raise RuntimeError(f"no header {name} below {self.headers}")

    def compile(self, source, arch):
        """PTX text; adds headers one by one as the compiler asks for them."""
        headers = {}
        while True:
            program = ctypes.c_void_p()
            names = (ctypes.c_char_p * len(headers))(*(name.encode() for name in headers))
            texts = (ctypes.c_char_p * len(headers))(*(text.encode() for text in headers.values()))
            self.check(self.library.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), source.name.encode(),
                                                       len(headers), texts, names))
            options = [f"--gpu-architecture={arch}".encode(), b"-lineinfo", b"-std=c++17"]
            status = self.library.nvrtcCompileProgram(program, len(options),
                                                      (ctypes.c_char_p * len(options))(*options))
            if status == 0:
                return self.text(program, "PTX")
            log = self.text(program, "ProgramLog")
            missing = re.search(r'(?:could not|cannot) open source file "([^"]+)"', log)
            if not missing or missing.group(1) in headers:
                raise RuntimeError(log)
            headers[missing.group(1)] = self.find(missing.group(1))

    def text(self, program, what):
        size = ctypes.c_size_t()
        self.check(getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        buffer = ctypes.create_string_buffer(size.value)
        self.check(getattr(self.library, f"nvrtcGet{what}")(program, buffer))
        return buffer.value.decode()


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    places = [pathlib.Path(place).resolve() for place in sys.argv[1:]]
    os.chdir("/")
    for nvrtc in map(Nvrtc, places):
        for arch in nvrtc.architectures():
            folder = HERE / "ptx" / nvrtc.name / arch
            folder.mkdir(parents=True, exist_ok=True)
            for source in sorted(HERE.glob("*.cu")):
                try:
                    (folder / source.with_suffix(".ptx").name).write_text(nvrtc.compile(source, arch))
                except RuntimeError as error:
                    sys.exit(f"{nvrtc.name} {arch} {source.name}: {error}")
            print(f"{nvrtc.name} {arch}")


if __name__ == "__main__":
    main()
