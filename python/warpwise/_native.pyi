"""The native module: what the package calls. Its public functions are typed where the package offers them."""

from typing import Any, final

from . import Array as Array

@final
class Formula:
    arrays: list[Any]
    dtype: str
    is_condition: bool
    def __new__(
        cls, text: str, names: list[str], arrays: list[Any], constants: list[tuple[str, Any]]
    ) -> Formula: ...

def __getattr__(name: str) -> Any: ...
