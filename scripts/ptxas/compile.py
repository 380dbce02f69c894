#!/usr/bin/env python3
"""Compiles the CUDA C++ of the tests and examples to PTX with NVRTC, for GPUs old and new, with and without -G.

    scripts/ptxas/compile.py LIBNVRTC FOLDER

LIBNVRTC is the path of libnvrtc.so.12 (pip install nvidia-cuda-nvrtc-cu12). The files in FOLDER are more texts for
mutants.py (`--compiled FOLDER`).
"""

import ctypes
import pathlib
import subprocess
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = [70, 75, 80, 86, 89, 90, 100, 120]
FOLDERS = ["crates/simt/tests/kernels", "crates/simt/tests/defects", "crates/simt/benches", "crates/cli/tests",
           "crates/gpu/tests", "crates/lab/tests", "examples"]


def compiler(library):
    for builtins in pathlib.Path(library).parent.glob("libnvrtc-builtins.so*"):
        ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(library)


def compile_text(nvrtc, text, name, options):
    """The PTX, or None if the text is not for NVRTC."""
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), name.encode(), 0, None, None)
    given = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    ptx = None
    if nvrtc.nvrtcCompileProgram(program, len(options), given) == 0:
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetPTX(program, buffer)
        ptx = buffer.value.decode()
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return ptx


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    nvrtc, out = compiler(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    command = ["git", "ls-files", *(f"{folder}/*.cu" for folder in FOLDERS)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    made = 0
    for name in sorted(set(listed.stdout.split())):
        # Two targets for each file: which ones depends on its name.
        first = zlib.crc32(name.encode()) % len(TARGETS)
        for number, debug in ((first, False), (first + 3, True)):
            target = TARGETS[number % len(TARGETS)]
            options = [f"--gpu-architecture=compute_{target}", "--std=c++17", "-G" if debug else "-lineinfo"]
            ptx = compile_text(nvrtc, (ROOT / name).read_text(), pathlib.Path(name).name, options)
            if ptx:
                stem = name.replace("/", "-").removesuffix(".cu")
                (out / f"{stem}.{target}{'.debug' if debug else ''}.ptx").write_text(ptx)
                made += 1
    print(f"{made} files in {out}")


if __name__ == "__main__":
    main()
