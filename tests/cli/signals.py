"""Commands that get a signal while they are at work."""

import subprocess
import sys
import time

from .. import processes

PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def interrupted(number: int, code: int, *arguments: object) -> bytes:
    """What a command says that gets a signal when it is at work; a busy machine needs longer."""
    command = [sys.executable, "-m", "linnet.cli", *map(str, arguments)]
    for seconds in (1, 3, 9):
        with processes.Process(command, **PIPES) as process:
            time.sleep(seconds)
            assert process.poll() is None, process.stderr.read()
            process.send_signal(number)
            got, said = process.wait(30), process.stderr.read()
            assert process.stdout.read() == b""
        if got == code:
            break
    assert got == code, said
    return said
