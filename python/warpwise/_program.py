"""Where the program is."""

import os
import pathlib
import shutil


def path():
    """The program inside the package; ``WARPWISE_PROGRAM`` names another one."""
    named = os.environ.get("WARPWISE_PROGRAM")
    inside = pathlib.Path(__file__).with_name("bin") / "warpwise"
    if named:
        return named
    if inside.is_file():
        if not os.access(inside, os.X_OK):
            # Unpacked by something that keeps no permissions.
            inside.chmod(0o755)
        return str(inside)
    found = shutil.which("warpwise")
    if found is None:
        raise FileNotFoundError(f"the warpwise program is not in {inside.parent}: install the package again")
    return found
