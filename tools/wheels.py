"""Wheels for Linux, for this Python and for other processors: `make wheels`.

The compiler is clang as zig ships it, a package from PyPI that knows the interfaces of glibc since 2.17
and of other processors; so the wheels run wherever there is a glibc of the last ten years. From Python
3.12 on one wheel serves all versions (nanobind's stable ABI); for 3.11 there is one of its own.
What comes out is checked: by auditwheel, and for its size.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build" / "wheels" / sys.implementation.cache_tag  # of this Python, beside others
GLIBC = "2.17"
LARGEST = 4_000_000  # bytes


@dataclass(frozen=True)
class Target:
    """A kind of machine."""

    processor: str

    @property
    def triple(self) -> str:
        """As zig calls it."""
        return f"{self.processor}-linux-gnu.{GLIBC}"

    @property
    def platform(self) -> str:
        """As wheels call it."""
        return f"manylinux_{GLIBC.replace('.', '_')}_{self.processor}"

    @property
    def baseline(self) -> str:
        """The oldest processor of the kind, not the one that compiles."""
        return self.processor if self.processor == "x86_64" else "generic"


TARGETS = {name: Target(name) for name in ("x86_64", "aarch64")}


def script(name: str, *command: str) -> Path:
    """CMake wants a program, not a command with arguments."""
    path = BUILD / "bin" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec {" ".join(command)} "$@"\n')
    path.chmod(0o755)
    return path


def headers() -> Path:
    """Those of this Python in one folder; Debian has the configuration in one named for the machine.

    It says how large types are: the same on all the targets.
    """
    found, folder = Path(sysconfig.get_paths()["include"]), BUILD / "include"
    shutil.copytree(found, folder, dirs_exist_ok=True)
    of_machine = found.parent / sysconfig.get_config_var("MULTIARCH") / found.name / "pyconfig.h"
    if of_machine.is_file():
        shutil.copy(of_machine, folder)
    return folder


def build(target: Target) -> Path:
    """A wheel, in a folder of its own."""
    folder = BUILD / target.processor
    shutil.rmtree(folder, ignore_errors=True)
    zig = [sys.executable, "-m", "ziglang"]
    compiler = script(
        f"c++-{target.processor}", *zig, "c++", "-target", target.triple, f"-mcpu={target.baseline}"
    )
    settings = {
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": target.processor,
        "CMAKE_CXX_COMPILER": str(compiler),
        "CMAKE_AR": str(script("ar", *zig, "ar")),
        "CMAKE_RANLIB": str(script("ranlib", *zig, "ranlib")),
        "CMAKE_SKIP_RPATH": "ON",
        "Python_EXECUTABLE": sys.executable,
        "Python_INCLUDE_DIR": str(headers()),
        "LINNET_WERROR": "ON",
    }
    suffix = sysconfig.get_config_var("EXT_SUFFIX").replace(os.uname().machine, target.processor)
    environment = {
        **os.environ,
        "_PYTHON_HOST_PLATFORM": f"linux-{target.processor}",
        "SETUPTOOLS_EXT_SUFFIX": suffix,
        "SKBUILD_BUILD_DIR": str(folder / "objects"),
    }
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    command += [f"--config-settings=cmake.define.{name}={value}" for name, value in settings.items()]
    command += ["--config-settings=install.strip=false", "-w", str(folder), str(ROOT)]
    subprocess.run(command, check=True, env=environment)
    (wheel,) = folder.glob("*.whl")
    return wheel


def small(wheel: Path) -> Path:
    """The same, if it is."""
    size = wheel.stat().st_size
    if size > LARGEST:
        raise SystemExit(f"{wheel.name} has {size:,} bytes, more than {LARGEST:,}")
    return wheel


def tagged(wheel: Path, target: Target, place: Path) -> Path:
    """The wheel under the name of what it runs on, if auditwheel agrees."""
    audit = [sys.executable, "-m", "auditwheel", "repair", "--plat", target.platform, "--only-plat"]
    subprocess.run([*audit, "-w", str(wheel.parent / "audited"), str(wheel)], check=True)
    (audited,) = (wheel.parent / "audited").glob("*.whl")
    place.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(small(audited), place))


def main() -> None:
    """Builds and checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("processors", nargs="*", metavar="x86_64|aarch64")
    parser.add_argument("-w", "--place", type=Path, default=ROOT / "dist")
    given = parser.parse_args()
    for name in given.processors or TARGETS:
        if name not in TARGETS:
            parser.error(f"{name}: wheels are made for {', '.join(TARGETS)}")
        found = tagged(build(TARGETS[name]), TARGETS[name], given.place)
        sys.stdout.write(f"{found}: {found.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
