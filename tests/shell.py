"""A shell in which `linnet` and `python3` are those under test."""

import os
import subprocess
import sys
from pathlib import Path

import linnet

from . import processes

SOURCE = Path(linnet.__file__).resolve().parents[1]


def shell(*arguments: str, tools: Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `sh` in a folder; `tools` gets the two commands and is first on the path."""
    for command, words in (("linnet", "-m linnet.cli "), ("python3", "")):
        file = tools / command
        file.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}"$@"\n', encoding="utf-8")
        file.chmod(0o755)
    return processes.run(
        ["sh", *arguments],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env=os.environ
        | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(SOURCE)}
        | {"PYTHONIOENCODING": "utf-8"},
    )
