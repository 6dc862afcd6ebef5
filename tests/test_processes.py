"""The helpers that start processes, and that all tests use them."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from . import processes

TESTS = Path(__file__).parent
SIGNAL = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"


def test_ctrl_c_reaches_children_of_a_suite_in_the_background() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does with `&`
    try:
        plain = subprocess.run(
            [sys.executable, "-c", SIGNAL], stdout=subprocess.PIPE, check=True, timeout=60
        )
        ours = processes.run([sys.executable, "-c", SIGNAL], stdout=subprocess.PIPE)
        with processes.Process([sys.executable, "-c", SIGNAL], stdout=subprocess.PIPE) as child:
            told = child.stdout.read()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert (plain.stdout, ours.stdout, told) == (b"False\n", b"True\n", b"True\n")


def test_no_process_outlives_its_time() -> None:
    endless = [sys.executable, "-c", "import time; time.sleep(100)"]
    started = time.monotonic()
    with processes.Process(endless, limit=0.2) as child:
        assert child.wait() == -signal.SIGKILL
    with pytest.raises(subprocess.TimeoutExpired):
        processes.run(endless, limit=0.2)
    assert time.monotonic() - started < 50


def test_tests_start_processes_by_these_helpers_alone() -> None:
    direct = re.compile(r"subprocess\.(run|Popen|call|check_call|check_output)\(|os\.(system|popen)\(")
    files = [path for path in TESTS.rglob("*.py") if "processes" not in path.name]
    assert len(files) > 100
    assert [path.name for path in files if direct.search(path.read_text(encoding="utf-8"))] == []
