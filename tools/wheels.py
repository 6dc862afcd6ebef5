"""Wheels for Linux and macOS, for this Python: `make wheels`.

The compiler is clang as zig ships it, a package from PyPI that knows macOS, other processors and the
interfaces of glibc since 2.17; so the wheels run wherever there is a glibc of the last ten years. From
Python 3.12 on one wheel serves all versions (nanobind's stable ABI); for 3.11 there is one of its own.
What comes out is checked: by auditwheel or by what the library asks of macOS, and for its size.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from pathlib import Path

import mach_o

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build" / "wheels" / sys.implementation.cache_tag  # of this Python, beside others
GLIBC = "2.17"
MACOS = "11.0"
LARGEST = 4_000_000  # bytes


@dataclass(frozen=True)
class Target:
    """A kind of machine that runs Linux."""

    processor: str
    system = "Linux"  # as CMake calls it

    @property
    def name(self) -> str:
        """As we call it."""
        return self.processor

    @property
    def triple(self) -> str:
        """As zig calls it."""
        return f"{self.processor}-linux-gnu.{GLIBC}"

    @property
    def platform(self) -> str:
        """As wheels call it."""
        return f"manylinux_{GLIBC.replace('.', '_')}_{self.processor}"

    @property
    def python(self) -> str:
        """As Python there calls it."""
        return f"linux-{self.processor}"

    @property
    def suffix(self) -> str:
        """Of the library, where it is for one Python."""
        return f".{sys.implementation.cache_tag}-{self.processor}-linux-gnu.so"

    @property
    def baseline(self) -> str:
        """The oldest processor of the kind, not the one that compiles."""
        return self.processor if self.processor == "x86_64" else "generic"

    def checked(self, wheel: Path) -> Path:
        """The wheel under the name of what it runs on, if auditwheel agrees."""
        place = wheel.parent / "audited"
        # The best there is: by name auditwheel knows the processor that it runs on, and no other.
        audit = [sys.executable, "-m", "auditwheel", "repair", "--plat", "auto", "--only-plat"]
        subprocess.run([*audit, "-w", str(place), str(wheel)], check=True)
        (audited,) = place.glob("*.whl")
        if self.platform not in audited.name:
            raise SystemExit(f"{audited.name} is not for {self.platform}")
        return audited


class Mac(Target):
    """One that runs macOS."""

    system = "Darwin"

    @property
    def name(self) -> str:
        """As we call it."""
        return f"macos-{self.processor}"

    @property
    def triple(self) -> str:
        """As zig calls it."""
        return f"{self.processor.replace('arm64', 'aarch64')}-macos.{MACOS}"

    @property
    def platform(self) -> str:
        """As wheels call it."""
        return self.python.replace("-", "_").replace(".", "_")

    @property
    def python(self) -> str:
        """As Python there calls it."""
        return f"macosx-{MACOS}-{self.processor}"

    @property
    def suffix(self) -> str:
        """Of the library, where it is for one Python."""
        return f".{sys.implementation.cache_tag}-darwin.so"

    @property
    def baseline(self) -> str:
        """The oldest processor of the kind."""
        return "x86_64" if self.processor == "x86_64" else "apple_m1"

    def checked(self, wheel: Path) -> Path:
        """The wheel, if its library asks for nothing but Python and what every Mac has."""
        with zipfile.ZipFile(wheel) as files:
            (name,) = (name for name in files.namelist() if name.endswith(".so"))
            library = mach_o.read(files.read(name))
        wrong = [name for name in library.from_anywhere if not name.startswith(("_Py", "__Py"))]
        wrong += [name for name in library.libraries if not name.startswith("/usr/lib/libSystem.")]
        if library.processor == "arm64" and not library.signed:
            wrong.append("no signature")
        found = library.processor, library.system, self.platform in wheel.name
        if wrong or found != (self.processor, tuple(map(int, MACOS.split("."))), True):
            raise SystemExit(f"{wheel.name} is not for {self.platform}: {library} {wrong}")
        return wheel


KINDS = (Target("x86_64"), Target("aarch64"), Mac("x86_64"), Mac("arm64"))
TARGETS = {target.name: target for target in KINDS}


# zig links no bundles, and reads no lists of what Python will bring: any library does, from anywhere.
WORDS = """for word; do
  shift
  case $word in
    -bundle) word=-dynamiclib ;;
    -Wl,@*darwin-ld*) word=-Wl,-undefined,dynamic_lookup ;;
  esac
  set -- "$@" "$word"
done
"""


def script(name: str, *command: str) -> Path:
    """CMake wants a program, not a command with arguments."""
    path = BUILD / "bin" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\n{WORDS}exec {" ".join(command)} "$@"\n')
    path.chmod(0o755)
    return path


def headers() -> Path:
    """Those of this Python in one folder; Debian has the configuration in one named for the machine.

    It says how large types are: the same on all the targets (pymacconfig.h corrects it for macOS).
    """
    found, folder = Path(sysconfig.get_paths()["include"]), BUILD / "include"
    shutil.copytree(found, folder, dirs_exist_ok=True)
    of_machine = found.parent / sysconfig.get_config_var("MULTIARCH") / found.name / "pyconfig.h"
    if of_machine.is_file():
        shutil.copy(of_machine, folder)
    return folder


def build(target: Target) -> Path:
    """A wheel, in a folder of its own, where only what changed is compiled again."""
    folder = BUILD / target.name
    for old in folder.glob("**/*.whl"):
        old.unlink()
    zig = [sys.executable, "-m", "ziglang"]
    compiler = script(
        f"c++-{target.name}", *zig, "c++", "-target", target.triple, f"-mcpu={target.baseline}"
    )
    settings = {
        "CMAKE_SYSTEM_NAME": target.system,
        "CMAKE_SYSTEM_PROCESSOR": target.processor,
        "CMAKE_CXX_COMPILER": str(compiler),
        "CMAKE_AR": str(script("ar", *zig, "ar")),
        "CMAKE_RANLIB": str(script("ranlib", *zig, "ranlib")),
        "CMAKE_INSTALL_NAME_TOOL": "true",  # wanted for macOS, where nothing is left for it to do
        "CMAKE_SKIP_RPATH": "ON",
        "Python_EXECUTABLE": sys.executable,
        "Python_INCLUDE_DIR": str(headers()),
        "LINNET_WERROR": "ON",
    }
    environment = {
        **os.environ,
        "_PYTHON_HOST_PLATFORM": target.python,
        "SETUPTOOLS_EXT_SUFFIX": target.suffix,
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


def main() -> None:
    """Builds and checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="|".join(TARGETS))
    parser.add_argument("-w", "--place", type=Path, default=ROOT / "dist")
    given = parser.parse_args()
    for name in given.targets or TARGETS:
        if name not in TARGETS:
            parser.error(f"{name}: wheels are made for {', '.join(TARGETS)}")
        target = TARGETS[name]
        wheel = small(target.checked(build(target)))
        given.place.mkdir(parents=True, exist_ok=True)
        shutil.copy(wheel, given.place)
        sys.stdout.write(f"{wheel.name}: {wheel.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
