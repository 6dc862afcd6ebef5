"""Ctrl-C in a process of its own."""

import signal
import subprocess
import sys
import time

from .. import processes


def interrupted(script: str, *arguments: object, after: float) -> str:
    """What a script prints that is interrupted so many seconds after it has said that it is ready."""
    child = processes.Process(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "ready"
        time.sleep(after)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    finally:
        child.kill()
    assert child.returncode == 0, err
    return out
