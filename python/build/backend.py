"""Builds the package: the program and the libraries of the virtual GPU with cargo, then the wheel with maturin."""

import os
import pathlib
import shutil
import subprocess
import sysconfig

import maturin

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = "warpwise"
LIBRARIES = [f"libwarpwise_{name}.so" for name in ("driver", "cudart12", "cudart13", "witness")]


def refuse_free_threading():
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise SystemExit("warpwise does not support free-threaded builds of Python: use one with the lock")


def build_program():
    """Puts the program and its libraries into the package."""
    # Both at once, so that what they share is compiled once.
    command = ["cargo", "build", "--release", "--package", "warpwise-cli", "--package", "warpwise-python"]
    environment = {key: value for key, value in os.environ.items() if key != "CARGO_BUILD_TARGET"}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "release"
    folder = ROOT / "python" / "warpwise" / "bin"
    folder.mkdir(exist_ok=True)
    for name in [PROGRAM, *LIBRARIES]:
        found = next((path for path in (target / name, target / "deps" / name) if path.is_file()), None)
        if found is None:
            raise SystemExit(f"cargo did not build {name}")
        shutil.copy2(found, folder / name)


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def get_requires_for_build_editable(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    refuse_free_threading()
    build_program()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    refuse_free_threading()
    build_program()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    return maturin.build_sdist(sdist_directory, config_settings)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    refuse_free_threading()
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel
