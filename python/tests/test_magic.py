"""``%%cuda`` in a shell of IPython."""

import shutil

import numpy as np
import pytest
from conftest import PTX_TWICE

IPython = pytest.importorskip("IPython", reason="needs IPython")

import warpwise as ww  # noqa: E402
from warpwise import _magic  # noqa: E402


@pytest.fixture
def shell():
    from IPython.testing.globalipapp import start_ipython
    from IPython import get_ipython

    shell = start_ipython() or get_ipython()
    shell.run_line_magic("load_ext", "warpwise")
    return shell


def test_names_of_kernels_are_found():
    source = "__global__ void one(int* x) {}\n__global__ __launch_bounds__(128) void two() {}\n"
    assert _magic.entries(source) == ["one", "two"]


def test_a_kernel_takes_variables_of_the_notebook(shell, compiler, capsys):
    shell.user_ns["xs"] = np.arange(8, dtype=np.int32)
    shell.run_cell_magic(
        "cuda", "twice -g 1 -b 8 xs 8 --check", "__global__ void twice(int* x, int n) { x[threadIdx.x] *= 2; }\n"
    )
    assert shell.user_ns["xs"].tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
    shell.run_cell_magic(
        "cuda", "say -g 1 -b 2", '#include <cstdio>\n__global__ void say() { printf("thread %d\\n", threadIdx.x); }\n'
    )
    assert "thread 1" in capsys.readouterr().out
    shell.run_cell_magic("cuda", "", "__global__ void kept(int* x) { x[0] = 7; }\n")
    shell.user_ns["kept"][1, 1](shell.user_ns["xs"])
    assert shell.user_ns["xs"][0] == 7


PROGRAM = r"""
#include <cstdio>

__global__ void fill(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i;
}

int main() {
    int* device;
    int host[8];
    cudaMalloc(&device, sizeof host);
    fill<<<1, 8>>>(device, 8);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    printf("the last is %d\\n", host[7]);
    cudaFree(device);
}
"""


def test_whole_programs_run_on_the_virtual_gpu(shell, capsys):
    if shutil.which("nvcc") is None:
        pytest.skip("needs nvcc")
    shell.run_cell_magic("cuda", "--check", PROGRAM)
    assert "the last is 7" in capsys.readouterr().out
    found = ww.run_program(PROGRAM.replace("if (i < n) ", "").replace("<<<1, 8>>>", "<<<1, 64>>>"), check=True)
    assert any(finding["kind"] == "out_of_bounds" for finding in found.findings)
    with pytest.raises(RuntimeError, match="wrong"):
        ww.run_program("int main() { return wrong; }\n")


def test_mistakes_are_told(shell):
    with pytest.raises(ValueError, match="name the kernel"):
        _magic.run(shell, "", "int x;\n")
    with pytest.raises(ValueError, match="no variable 'nowhere'"):
        _magic._value("nowhere", {})
    assert PTX_TWICE
