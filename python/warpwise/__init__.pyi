"""Types of the package."""

import os
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, Literal, NamedTuple, final, overload

import numpy as np
import numpy.typing as npt

_Device = Literal["cpu", "emulator", "cuda", "auto"] | None
_Axis = int | tuple[int, ...] | None
_Given = npt.ArrayLike | str | Array

__version__: str
testing: ModuleType

@final
class Array:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def device(self) -> str: ...
    @property
    def address(self) -> int: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __len__(self) -> int: ...
    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]: ...
    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def numpy(self) -> npt.NDArray[Any]: ...
    def reshape(self, *shape: int) -> Array: ...
    def to(self, device: str) -> Array: ...

class HeatResult(NamedTuple):
    temperature: npt.NDArray[Any]
    iterations: int
    max_difference: float

class RadiatorResult(NamedTuple):
    values: npt.NDArray[Any]
    averages: npt.NDArray[Any]

class CompileError(ValueError): ...

class Table:
    records: list[dict[str, Any]]
    columns: list[str]
    title: str | None
    best: dict[str, Any]
    def __init__(
        self, records: Sequence[Mapping[str, Any]], title: str | None = None, columns: list[str] | None = None
    ) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    @overload
    def __getitem__(self, which: str) -> list[Any]: ...
    @overload
    def __getitem__(self, which: int) -> dict[str, Any]: ...
    def to_dict(self) -> dict[str, list[Any]]: ...
    def to_pandas(self) -> Any: ...
    def plot(
        self,
        x: str | None = None,
        y: str | None = None,
        by: str | None = None,
        ax: Any = None,
        logx: bool = True,
        logy: bool = True,
    ) -> Any: ...

class _Launcher:
    def __call__(self, *arguments: Any, **options: Any) -> Any: ...

class _Verb:
    def __getitem__(self, launch: tuple[Any, ...]) -> _Launcher: ...

class Kernel:
    file: str
    name: str
    signature: str
    parameters: list[dict[str, Any]]
    entries: list[str]
    device: str
    gpu: str
    def __init__(
        self,
        source: str | os.PathLike[str],
        name: str | None = None,
        *,
        device: str = "emulator",
        gpu: str = "h200",
        defines: Sequence[str] | Mapping[str, Any] = (),
        includes: Sequence[str | os.PathLike[str]] = (),
        debug: bool = False,
    ) -> None: ...
    def __getitem__(self, launch: tuple[Any, ...]) -> _Launcher: ...
    @property
    def source(self) -> str: ...
    @property
    def check(self) -> _Verb: ...
    @property
    def explain(self) -> _Verb: ...
    @property
    def counters(self) -> _Verb: ...
    @property
    def watch(self) -> _Verb: ...

def sum(
    a: _Given,
    /,
    axis: _Axis = None,
    dtype: npt.DTypeLike | None = None,
    out: npt.NDArray[Any] | None = None,
    keepdims: bool = False,
    *,
    device: _Device = None,
    variant: str | None = None,
    **variables: Any,
) -> Any: ...
def prod(
    a: _Given,
    /,
    axis: _Axis = None,
    dtype: npt.DTypeLike | None = None,
    out: npt.NDArray[Any] | None = None,
    keepdims: bool = False,
    *,
    device: _Device = None,
    variant: str | None = None,
    **variables: Any,
) -> Any: ...
def min(
    a: _Given,
    /,
    axis: _Axis = None,
    out: npt.NDArray[Any] | None = None,
    keepdims: bool = False,
    *,
    device: _Device = None,
    variant: str | None = None,
    **variables: Any,
) -> Any: ...
def max(
    a: _Given,
    /,
    axis: _Axis = None,
    out: npt.NDArray[Any] | None = None,
    keepdims: bool = False,
    *,
    device: _Device = None,
    variant: str | None = None,
    **variables: Any,
) -> Any: ...
def argmin(
    a: _Given,
    /,
    axis: _Axis = None,
    out: npt.NDArray[Any] | None = None,
    *,
    device: _Device = None,
    variant: str | None = None,
    **variables: Any,
) -> Any: ...
def argmax(
    a: _Given,
    /,
    axis: _Axis = None,
    out: npt.NDArray[Any] | None = None,
    *,
    device: _Device = None,
    variant: str | None = None,
    **variables: Any,
) -> Any: ...
def cumsum(
    a: _Given,
    /,
    axis: int | None = None,
    dtype: npt.DTypeLike | None = None,
    out: npt.NDArray[Any] | None = None,
    *,
    device: _Device = None,
    variant: str | None = None,
    **variables: Any,
) -> Any: ...
def scan(
    a: _Given,
    /,
    operator: Literal["sum", "prod", "min", "max"] = "sum",
    *,
    exclusive: bool = False,
    axis: int | None = None,
    out: npt.NDArray[Any] | None = None,
    device: _Device = None,
    variant: str | None = None,
    **variables: Any,
) -> Any: ...
def histogram(
    a: _Given,
    bins: int | Sequence[float] | str = 10,
    range: tuple[float, float] | None = None,
    density: bool = False,
    weights: npt.ArrayLike | None = None,
    *,
    by: Literal["range", "value", "modulo", "letter"] = "range",
    device: _Device = None,
    variant: str | None = None,
    **variables: Any,
) -> Any: ...
def bincount(
    x: npt.ArrayLike | Array,
    /,
    weights: npt.ArrayLike | None = None,
    minlength: int = 0,
    *,
    device: _Device = None,
    variant: str | None = None,
) -> npt.NDArray[Any]: ...
def matmul(
    a: npt.ArrayLike | Array,
    b: npt.ArrayLike | Array,
    /,
    out: npt.NDArray[Any] | None = None,
    *,
    device: _Device = None,
    variant: str | None = None,
) -> Any: ...
def convolve(
    a: npt.ArrayLike | Array,
    v: npt.ArrayLike,
    /,
    mode: Literal["full", "same", "valid"] = "full",
    *,
    border: Literal["zero", "replicate", "reflect", "wrap"] | None = None,
    out: npt.NDArray[Any] | None = None,
    device: _Device = None,
    variant: str | None = None,
) -> Any: ...
def filter2d(
    image: npt.ArrayLike | Array,
    kernel: npt.ArrayLike,
    /,
    border: Literal["zero", "replicate", "reflect", "wrap", "valid"] = "reflect",
    *,
    out: npt.NDArray[Any] | None = None,
    device: _Device = None,
    variant: str | None = None,
) -> Any: ...
def transpose(
    a: npt.ArrayLike | Array,
    /,
    axes: Sequence[int] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    device: _Device = None,
    variant: str | None = None,
) -> Any: ...
def compact(
    a: npt.ArrayLike | Array,
    condition: npt.ArrayLike | str | Array,
    /,
    *,
    device: _Device = None,
    variant: str | None = None,
    **variables: Any,
) -> Any: ...
def map(
    expression: str, /, *, out: npt.NDArray[Any] | None = None, device: _Device = None, **variables: Any
) -> Any: ...
def sort(
    a: npt.ArrayLike | Array,
    /,
    axis: int | None = None,
    *,
    descending: bool = False,
    out: npt.NDArray[Any] | None = None,
    device: _Device = None,
    variant: str | None = None,
) -> Any: ...
def argsort(
    a: npt.ArrayLike | Array,
    /,
    axis: int | None = None,
    *,
    descending: bool = False,
    out: npt.NDArray[Any] | None = None,
    device: _Device = None,
    variant: str | None = None,
) -> Any: ...
def unique(a: npt.ArrayLike | Array, /, return_counts: bool = False, *, device: _Device = None) -> Any: ...
def heat(
    temperature: npt.ArrayLike,
    conductivity: npt.ArrayLike,
    iterations: int = 100,
    threshold: float = 0.0,
    *,
    out: npt.NDArray[Any] | None = None,
    device: _Device = None,
    variant: str | None = None,
) -> HeatResult: ...
def radiator(
    rows: int,
    columns: int,
    iterations: int,
    *,
    preset: str | int = "2025",
    dtype: npt.DTypeLike = "float32",
    device: _Device = None,
    variant: str | None = None,
) -> RadiatorResult: ...
def asarray(a: Any, dtype: npt.DTypeLike | None = None, *, device: _Device = None) -> Array: ...
def from_dlpack(x: Any, /) -> Array: ...
def primitives() -> list[str]: ...
def ladder(name: str) -> Table: ...
def devices() -> Table: ...
def program() -> str: ...
def run_program(
    source: str | os.PathLike[str],
    *arguments: Any,
    check: bool | str | None = None,
    explain: bool = False,
    compiler: str | None = None,
) -> Any: ...
def bench(
    primitive: str,
    variant: str | Sequence[str] = "best",
    n: Any = None,
    *,
    size: Any = None,
    type: str | None = None,
    device: str | None = None,
    baseline: str | None = None,
    **options: Any,
) -> Table: ...
def sweep(
    primitive: str,
    variant: str,
    n: Any = None,
    *,
    block: Any = None,
    grid: Any = None,
    items: Any = None,
    size: Any = None,
    type: str | None = None,
    device: str | None = None,
    **options: Any,
) -> Table: ...
def explain(
    primitive: str,
    variant: str,
    n: Any = None,
    *,
    size: Any = None,
    type: str | None = None,
    gpu: str = "h200",
    **options: Any,
) -> Any: ...
def load_ipython_extension(shell: Any) -> None: ...
