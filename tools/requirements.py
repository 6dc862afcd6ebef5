"""Prints what Linnet depends on, one requirement a line, with the extras that are named."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
wanted = [*project["dependencies"], *(line for name in sys.argv[1:] for line in extras[name])]
sys.stdout.writelines(f"{line}\n" for line in wanted)
