"""Clients that mean no good: broken requests, cut and slow connections, floods of bytes."""

import random
import socket
from contextlib import suppress

GOOD = b'{"text": "a wren in the hedge"}'


def post(body: bytes, path: str = "/predict", headers: str = "", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"POST {path} HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {size}\r\n\r\n".encode() + body


def bad_request(chance: random.Random) -> bytes:
    """Some bytes to send."""
    kind = chance.randrange(12)
    if kind == 0:
        return chance.randbytes(chance.randrange(200))
    if kind == 1:
        return post(GOOD[: chance.randrange(len(GOOD))])
    if kind == 2:
        return post(GOOD, length=chance.choice([10**3, 10**6 + 1, 10**30]))
    if kind == 3:
        return post(b"[" * chance.randrange(20_000))
    if kind == 4:
        return post(GOOD, path="/" + "a" * chance.randrange(5000))
    if kind == 5:
        return post(GOOD, headers=f"X: {'y' * chance.randrange(80_000)}\r\n")
    if kind == 6:
        return post(b'{"text": ' + b"9" * chance.randrange(10_000) + b"}")
    if kind == 7:
        return b"POST /predict HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" + GOOD
    if kind == 8:
        return post(GOOD, path="/../../etc/passwd")
    if kind == 9:
        return post(b'{"text": "\\ud800\\u0000' + chance.randbytes(20).hex().encode() + b'"}')
    if kind == 10:
        return b"GET /metrics HTTP/9.9\r\n\r\n"
    flipped = bytearray(post(GOOD))
    for _ in range(3):
        flipped[chance.randrange(len(flipped))] = chance.randrange(256)
    return bytes(flipped)


def attack(port: int, requests: int, seed: int = 0, open_at_once: int = 50) -> None:
    """Send them; some are cut off at once, some stay open, and some are listened to."""
    chance = random.Random(seed)
    left: list[socket.socket] = []
    for _ in range(requests):
        client = socket.create_connection(("127.0.0.1", port), timeout=10)
        with suppress(OSError):
            client.sendall(bad_request(chance))
            if chance.random() < 0.3:
                client.settimeout(0.02)
                client.recv(1000)
        if chance.random() < 0.1:
            left.append(client)
            if len(left) > open_at_once:
                left.pop(chance.randrange(len(left))).close()
        else:
            client.close()
    for client in left:
        client.close()
