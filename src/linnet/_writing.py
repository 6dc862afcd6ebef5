"""The one way in which Linnet writes a file: all of it or nothing."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import re
import secrets
import signal
import stat
import tempfile
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows, where nothing is locked or swept
    fcntl = None  # type: ignore[assignment]

BUFFER = 1 << 20
UNFINISHED = re.compile(r"\.linnet-[0-9a-f]{16}")
STREAM = re.compile(r"/dev/(stdout|stderr|fd/\d+)|/proc/(self|\d+)/fd/\d+")
ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of ``path`` when the block has ended well.

    It does so as a whole, once it is on the disk. Until then, and if anything goes wrong, whatever was
    there stays. An exception, Ctrl-C or SIGTERM remove what has been written; what a killed process has
    left is removed by the next one that writes into the folder. Links go on leading to the file, which
    keeps its owner and permissions. Pipes and devices are written as they are.
    """
    there = _present(path)
    if _is_stream(path, there):
        with _file(os.open(path, os.O_WRONLY | os.O_APPEND), path) as file:
            yield file
        return
    name = os.path.realpath(path)
    folder = os.path.dirname(name)
    _check_writable(path, folder, there is not None)
    _sweep(folder)
    temporary = os.path.join(folder, f".linnet-{secrets.token_hex(8)}")
    with _cleaning_up():
        try:
            with _file(_opened(temporary, there), path) as file:
                yield file
                file.flush()
                with _naming(path):
                    os.fsync(file.fileno())
                if fcntl is not None:  # as long as it is locked, or others would sweep it
                    os.replace(temporary, name)
            if fcntl is None:  # pragma: no cover - an open file cannot be renamed there
                os.replace(temporary, name)
        except BaseException:  # Ctrl-C too
            with contextlib.suppress(FileNotFoundError):
                os.remove(temporary)
            raise
    _sync_folder(folder)


@contextlib.contextmanager
def scratch(folder: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file without a name, to write and to read again.

    Nothing is left of it, whatever ends the block or the process. Errors name the folder.
    """
    with _naming(folder):
        unnamed = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
    file = io.BufferedRandom(_Raw(os.dup(unnamed.fileno()), folder, "r+b"), BUFFER)
    try:
        yield file
    finally:
        with unnamed, contextlib.suppress(OSError):  # what is left to write is thrown away
            file.close()


def packed(file: BinaryIO) -> gzip.GzipFile:
    """Gzip into a file; without name and time in its head, the same data give the same bytes."""
    return gzip.GzipFile("", "wb", fileobj=file, mtime=0)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the OSError that `replacing` would, before work is begun that could not be saved."""
    there = _present(path)
    if there is not None and stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(errno.EISDIR, "Is a directory", os.fspath(path))
    if not _is_stream(path, there):
        _check_writable(path, os.path.dirname(os.path.realpath(path)), there is not None)


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether `replacing` would make a file, and not write into a pipe or a device."""
    return not _is_stream(path, _present(path))


def _present(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _is_stream(path: str | os.PathLike[str], there: os.stat_result | None) -> bool:
    """What is written as it goes: pipes, devices, and whatever a shell has opened."""
    if there is None:
        return False
    return not stat.S_ISREG(there.st_mode) or STREAM.fullmatch(os.fspath(path)) is not None


def _check_writable(path: str | os.PathLike[str], folder: str, there: bool) -> None:
    """A file that may not be written is not replaced either, though the folder would allow it."""
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "No such directory", folder)
    if there and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "No file may be made in its folder", os.fspath(path))


@contextlib.contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Errors of writing name the file, as those of opening do."""
    try:
        yield
    except OSError as error:
        error.filename = os.fspath(path)
        raise


class _Raw(io.FileIO):
    """A file whose errors have its name."""

    def __init__(self, descriptor: int, path: str | os.PathLike[str], mode: str = "wb") -> None:
        super().__init__(descriptor, mode)
        self.path = path

    def write(self, data: Any) -> int | None:  # type: ignore[override]
        """As any file."""
        with _naming(self.path):
            return super().write(data)


def _file(descriptor: int, path: str | os.PathLike[str]) -> io.BufferedWriter:
    return io.BufferedWriter(_Raw(descriptor, path), BUFFER)


def _opened(temporary: str, there: os.stat_result | None) -> int:
    """A new file, locked as long as it is open, with the owner and the permissions of the old one.

    Without an old one they are those of any new file: 0o666 less the umask.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(temporary, flags, 0o666 if there is None else 0o600)
    try:
        if there is not None:
            mine = os.fstat(descriptor)
            if (mine.st_uid, mine.st_gid) != (there.st_uid, there.st_gid):
                with contextlib.suppress(PermissionError):
                    os.chown(temporary, there.st_uid, there.st_gid)
            os.chmod(temporary, stat.S_IMODE(there.st_mode))
        if fcntl is not None:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink == 0:  # swept in the moment before it was locked
            os.close(descriptor)
            return _opened(temporary, there)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _sweep(folder: str) -> None:
    """Remove what killed processes have left unfinished: files of ours that nobody holds locked."""
    if fcntl is None:  # pragma: no cover
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if UNFINISHED.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    _remove_unlocked(entry.path)


def _remove_unlocked(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        found = os.fstat(descriptor)
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.remove(path)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _cleaning_up() -> Iterator[None]:
    """Signals that would end the process at once do so after the block has cleaned up.

    Whoever has handlers of their own keeps them; and only the main thread may set any.
    """
    got: list[int] = []

    def interrupt(number: int, _: Any) -> None:
        if not got:
            got.append(number)
            raise KeyboardInterrupt

    ours = []
    if threading.current_thread() is threading.main_thread():
        ours = [number for number in ENDINGS if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
        if got:
            os.kill(os.getpid(), got[0])


def _sync_folder(folder: str) -> None:
    """So that the new name, too, outlives a power cut."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
