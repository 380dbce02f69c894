"""Compiles one CUDA C++ file to PTX: nvrtc.py LIBRARY SOURCE NAME HEADER=INCLUDED_AS... -- OPTION...

SOURCE is read and compiled under NAME, the name that messages and line information use; every HEADER is passed along
under the name by which it is included. PTX goes to stdout, messages to stderr.
"""
import ctypes
import glob
import os
import sys

library, source, name, *rest = sys.argv[1:]
headers, options = rest[:rest.index("--")], rest[rest.index("--") + 1 :]
# NVRTC loads its built-in tables by bare name; loading them first makes that work from any folder.
for builtins in glob.glob(os.path.join(os.path.dirname(library), "libnvrtc-builtins.so*")):
    ctypes.CDLL(builtins, mode=ctypes.RTLD_GLOBAL)
nvrtc = ctypes.CDLL(library)


def check(status):
    if status != 0:
        nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
        sys.exit(f"NVRTC: {nvrtc.nvrtcGetErrorString(status).decode()}")


def strings(values):
    return (ctypes.c_char_p * len(values))(*[v.encode() for v in values])


def read(size_of, fill):
    size = ctypes.c_size_t()
    check(size_of(program, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    check(fill(program, text))
    return text.value.decode()


paths, included_as = zip(*(header.split("=", 1) for header in headers))
text = open(source, "rb").read()
texts, names = strings([open(path).read() for path in paths]), strings(included_as)
program = ctypes.c_void_p()
check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, name.encode(), len(paths), texts, names))
status = nvrtc.nvrtcCompileProgram(program, len(options), strings(options))
sys.stderr.write(read(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog))
check(status)
sys.stdout.write(read(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX))
