"""Installs the wheel of this Python where there is nothing and runs the tests there: `make try-wheels`.

What the package needs comes as wheels, so that no compiler is called. A peer that tests compare with
may have to be compiled: where it cannot be it is left out, and so are its tests. Tests are copied
beside all that they read but the sources of the package: what they import is what was installed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
READ_BY_TESTS = ("tests", "docs", "examples", "benchmarks", "tools", "cpp", ".github")
# Held by `make test`: they compare a file of src with the tool that wrote it, or look for src itself.
OF_SOURCES = ("tests/test_pages.py::test_files_are_there", "tests/test_stubs.py")


def copied(place: Path) -> Path:
    """A tree without src."""
    for name in READ_BY_TESTS:
        ignored = shutil.ignore_patterns("__pycache__", "_build")
        shutil.copytree(ROOT / name, place / name, ignore=ignored)
    for file in [*ROOT.glob("*.md"), *ROOT.glob("*.t*"), ROOT / "Makefile", ROOT / "LICENSE"]:
        shutil.copy(file, place)
    return place


def installed(place: Path, wheels: Path) -> Path:
    """The Python of a new environment with the package, and then with what tests need."""
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"

    def pip(*words: str, check: bool = True) -> bool:
        command = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
        return subprocess.run(command, check=check).returncode == 0

    # The one that fits, by its path: elsewhere the name may be another project's.
    fitting = place / "wheel"
    pip(
        "download", "--no-deps", "--no-index", "--find-links", str(wheels), "-d", str(fitting), "linnet"
    )
    (wheel,) = fitting.glob("*.whl")
    sys.stdout.write(f"{wheel.name}\n")
    pip("install", "--only-binary", ":all:", str(wheel))
    needed = [sys.executable, str(ROOT / "tools" / "requirements.py"), "dev"]
    lines = subprocess.run(needed, check=True, capture_output=True, text=True).stdout.split()
    if not pip("install", *lines, check=False):
        lacking = [line for line in lines if not pip("install", line, check=False)]
        sys.stdout.write(f"cannot be installed here, left out: {', '.join(lacking)}\n")
    return python


def main() -> None:
    """Tests what is in a folder of wheels; further arguments are those of pytest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheels", type=Path)
    given, arguments = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        python = installed(place / "environment", given.wheels.resolve())
        tree = copied(place / "tree")
        whose = "import linnet._core as core; print(core.__file__)"
        subprocess.run([python, "-c", whose], check=True, cwd=tree)
        left_out = [f"--deselect={name}" for name in OF_SOURCES]
        found = subprocess.run([python, "-m", "pytest", *left_out, *arguments], check=False, cwd=tree)
    raise SystemExit(found.returncode)


if __name__ == "__main__":
    main()
