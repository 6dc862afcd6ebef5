"""Requests a second and their times: linnet serve, and scikit-learn's pipeline behind starlette.

All threads of a server have one core, and whoever asks has another. Texts are those of banking77, one
to a request. The peak is that of 16 connections which ask as fast as they are answered; times are those
at half of it, counted from the moment at which a request was due. `hostile` sends 10,000 broken
requests and tells the memory.
"""

from __future__ import annotations

import json
import os
import re
import select
import socket
import subprocess
import sys
import time
from pathlib import Path

import measure
from corpora import data_folder, read

import linnet

SECONDS, CONNECTIONS = 3.0, 16
SIDE = Path(__file__).parent / "sides" / "sklearn_serve.py"


def peers(folder: Path, repeats: int) -> str:
    """Both servers, by turns."""
    labels, texts = read(data_folder() / "banking77" / "train.tsv")
    model = linnet.TextClassifier(n_jobs=1).fit(texts, labels)
    model.save(folder / "banking.linnet")
    requests = [_request(text) for text in read(data_folder() / "banking77" / "test.tsv")[1]]
    sides = {
        "linnet serve": ["-m", "linnet", "serve", str(folder / "banking.linnet"), "--port", "0"],
        "scikit-learn, starlette": [str(SIDE), str(data_folder() / "banking77" / "train.tsv")],
    }
    found: dict[str, list[list[float]]] = {name: [] for name in sides}
    for _ in range(repeats):
        for name, command in sides.items():
            with _Server(command) as server:
                _asked(server.port, requests, None, 0.5)
                times = _asked(server.port, requests, None, SECONDS)
                peak = len(times) / SECONDS
                half = sorted(_asked(server.port, requests, peak / 2, SECONDS))
                found[name].append([peak, _at(half, 0.5), _at(half, 0.99)])
    rows = []
    for name, runs in found.items():
        peak, p50, p99 = (sorted(column)[len(runs) // 2] for column in zip(*runs, strict=True))
        rows.append([name, f"{peak:.0f}", f"{1000 * p50:.2f}", f"{1000 * p99:.2f}"])
    out = measure.table(["", "requests/s", "p50 at half, ms", "p99 at half, ms"], rows)
    print(out)
    return out


def hostile(folder: Path, _: int) -> str:
    """10,000 requests that mean no good."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.serving.hostile import GOOD, attack, post

    from linnet.data.samples import load

    linnet.TextClassifier(n_jobs=1).fit(*load("birds-train")).save(folder / "birds.linnet")
    command = ["-m", "linnet", "serve", str(folder / "birds.linnet"), "--port", "0", "--timeout", "2"]
    with _Server(command) as server:
        before = server.memory()
        attack(server.port, 10_000)
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(post(GOOD))
            answered = b" 200 " in client.recv(1000)
        rows = [[f"{before:.0f}", f"{server.memory():.0f}", "yes" if answered else "no"]]
    out = measure.table(["MB before", "MB after 10,000", "still serving"], rows)
    print(out)
    return out


def _request(text: str) -> bytes:
    body = json.dumps({"text": text}).encode()
    return b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


def _at(times: list[float], share: float) -> float:
    return times[min(len(times) - 1, int(share * len(times)))]


class _Server:
    """A process with a core of its own."""

    def __init__(self, command: list[str]) -> None:
        everywhere = set(range(os.cpu_count() or 1))
        os.sched_setaffinity(0, {max(everywhere)})  # which the server inherits, for all of its threads
        self.process = subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.PIPE, text=True, env=os.environ
        )
        assert self.process.stdout is not None
        found = re.search(r":(\d+)\s*$", self.process.stdout.readline())
        assert found is not None
        self.port = int(found[1])
        os.sched_setaffinity(0, everywhere - {max(everywhere)} or everywhere)

    def memory(self) -> float:
        """Megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1000  # type: ignore[index]

    def __enter__(self) -> _Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()


def _asked(port: int, requests: list[bytes], rate: float | None, seconds: float) -> list[float]:
    """Times of answers; ``rate`` requests a second, or as many as there can be."""
    clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(CONNECTIONS)]
    for client in clients:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    waiting = select.epoll()
    by_number = {client.fileno(): client for client in clients}
    for number in by_number:
        waiting.register(number, select.EPOLLIN)
    free, due, times, sent = list(by_number), {}, [], 0
    parts = dict.fromkeys(by_number, b"")
    begin = now = time.perf_counter()
    while now - begin < seconds or due:
        while free and now - begin < seconds:
            at = now if rate is None else begin + sent / rate
            if at > now:
                break
            number = free.pop()
            by_number[number].sendall(requests[sent % len(requests)])
            due[number] = at
            sent += 1
        pause = 0.0 if rate is not None else 1.0
        for number, _ in waiting.poll(pause):
            parts[number] += by_number[number].recv(65536)
            if not _complete(parts[number]):
                continue
            parts[number] = b""
            times.append(time.perf_counter() - due.pop(number))
            free.append(number)
        now = time.perf_counter()
    for client in clients:
        client.close()
    return times


def _complete(answer: bytes) -> bool:
    """Head and body come one after the other."""
    assert answer.startswith(b"HTTP/1.1 200"), answer[:200]
    head, end, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    return bool(end) and length is not None and len(body) == int(length[1])


if __name__ == "__main__":
    measure.run_sections("serve", {"peers": peers, "hostile": hostile}, __doc__)
