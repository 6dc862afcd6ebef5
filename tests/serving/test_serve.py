"""The command: it listens where it is told to, survives bad clients, and stops when all is answered."""

import asyncio
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ..processes import Process, run
from .hostile import GOOD, attack, post

pytest.importorskip("uvicorn")

from linnet.serving.running import bound

LINNET = [sys.executable, "-m", "linnet"]


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[Any, int]]:
    """A server and its port."""
    process = Process(
        [*LINNET, "serve", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = process.stdout.readline()
        found = re.search(r":(\d+)$", said.strip())
        assert found, said + process.stderr.read()
        yield process, int(found[1])
    finally:
        process.kill()
        process.communicate()


def asked(port: int, body: bytes = GOOD, **headers: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", "/predict", body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def resident(process: Any) -> int:
    """Bytes of memory."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) * 1000


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory is read from /proc")
def test_hostile_requests_leave_it_serving(birds: Path) -> None:
    with serving(str(birds), "--timeout", "2") as (process, port):
        attack(port, 200)
        before = resident(process)
        attack(port, 2000, seed=1)
        status, answer = asked(port)
        assert status == 200
        assert answer["answer"]["label"] == "wren"
        assert resident(process) < before + 50_000_000
        assert process.poll() is None


def test_slow_clients_are_sent_away(birds: Path) -> None:
    with serving(str(birds), "--timeout", "0.5") as (_, port):
        silent = socket.create_connection(("127.0.0.1", port), timeout=60)
        headers = socket.create_connection(("127.0.0.1", port), timeout=60)
        headers.sendall(b"POST /predict HTTP/1.1\r\nHost: x\r\n")
        body = socket.create_connection(("127.0.0.1", port), timeout=60)
        body.sendall(post(GOOD, length=500))
        assert asked(port)[0] == 200
        assert silent.recv(100) == b""
        assert headers.recv(100) == b""
        assert b" 408 " in body.recv(1000)
        for client in (silent, headers, body):
            client.close()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_when_what_was_asked_is_answered(birds: Path, how: signal.Signals) -> None:
    with serving(str(birds)) as (process, port):
        client = socket.create_connection(("127.0.0.1", port), timeout=60)
        request = post(b'{"texts": ["a wren"]}', headers="Connection: close\r\n")
        client.sendall(request[:-5])
        time.sleep(0.3)
        process.send_signal(how)
        time.sleep(0.3)
        client.sendall(request[-5:])
        answer = b"".join(iter(lambda: client.recv(10_000), b""))
        client.close()
        assert b" 200 " in answer
        _, error = process.communicate(timeout=60)
        assert process.returncode in (0, -how)
        assert "Traceback" not in error


def test_answers_wait_for_no_acknowledgement() -> None:
    """So asyncio has it for sockets that say that they are of TCP."""

    async def asked() -> int:
        sent = []

        async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            sent.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = bound("127.0.0.1", 0)
        async with await asyncio.start_server(answer, sock=listening):
            reader, writer = await asyncio.open_connection(*listening.getsockname())
            await reader.read()
            writer.close()
        return sent[0]

    assert asyncio.run(asked()) != 0


def test_other_addresses_ask_for_a_token(birds: Path, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("0123456789abcdefgh\n")
    with serving(str(birds), "--host", "0.0.0.0", "--token-file", str(token)) as (_, port):
        assert asked(port)[0] == 401
        assert asked(port, Authorization="Bearer 0123456789abcdefgh")[0] == 200
    with serving(str(birds), "--host", "0.0.0.0") as (process, port):
        said = process.stderr.readline()
        made = said.removeprefix("token: ").strip()
        assert asked(port)[0] == 401
        assert asked(port, Authorization=f"Bearer {made}")[0] == 200


def test_mistakes_are_told_in_a_line(birds: Path, tmp_path: Path) -> None:
    short = tmp_path / "token"
    short.write_text("short")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for arguments, said in (
            ([str(tmp_path / "none.linnet")], "No such file"),
            ([str(birds), str(birds)], "two models"),
            ([str(birds), "--port", port], "nothing can listen"),
            ([str(birds), "--token-file", str(short)], "a token is"),
        ):
            found = run([*LINNET, "serve", *arguments], capture_output=True, text=True)
            assert found.returncode in (1, 2)
            assert said in found.stderr
            assert "Traceback" not in found.stderr


def test_help_does_not_import_the_server() -> None:
    code = "import sys; sys.argv = ['linnet', '--help']\nfrom linnet.cli import main\n"
    code += "try:\n    main()\nexcept SystemExit: pass\nassert 'starlette' not in sys.modules"
    assert run([sys.executable, "-c", code], capture_output=True).returncode == 0
