"""One way to write: all of a file or nothing, whatever goes wrong, and nothing left behind."""

import errno
import gzip
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from linnet import _writing
from linnet._writing import check_writable, packed, replacing

from . import processes

LEFT = ".linnet-" + 16 * "0"

WRITER = """
import signal, sys
for number in (signal.SIGTERM, signal.SIGHUP):  # which nohup has ignored
    signal.signal(number, signal.SIG_DFL)
from linnet import _writing
from linnet._writing import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"new")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


def writer(path: Path) -> processes.Process:
    """A process that is in the middle of writing, until its standard input is closed."""
    process = processes.Process(
        [sys.executable, "-c", WRITER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout.readline() == b"writing\n"
    return process


def names(folder: Path) -> set[str]:
    return set(os.listdir(folder))


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == {"f"}


def half_written(path: Path, error: type) -> None:
    with replacing(path) as file:
        file.write(b"x" * (1 << 21))
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
def test_what_was_there_stays_if_anything_goes_wrong(tmp_path: Path, error: type) -> None:
    for path in (tmp_path / "old", tmp_path / "none"):
        (tmp_path / "old").write_bytes(b"old")
        with pytest.raises(error):
            half_written(path, error)
        assert names(tmp_path) == {"old"}
        assert (tmp_path / "old").read_bytes() == b"old"


def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    place.mkdir()
    link, target = tmp_path / "link", place / "target"
    target.write_bytes(b"old")
    target.chmod(0o600)
    link.symlink_to(target)
    with replacing(link) as file:
        assert [stat.S_IMODE(os.stat(place / n).st_mode) for n in names(place)] == [0o600, 0o600]
        file.write(b"new")
    assert link.is_symlink()
    assert (target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (b"new", 0o600)
    assert (names(tmp_path), names(place)) == ({"link", "elsewhere"}, {"target"})


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    os.chown(path, 1234, 2345)
    with replacing(path) as file:
        file.write(b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(0o444)
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda p, how: allowed(p, how) and Path(p) != path)  # as for root
    for attempt in (check_writable, lambda p: replacing(p).__enter__()):
        with pytest.raises(PermissionError) as caught:
            attempt(path)
        assert caught.value.filename == str(path)
    assert names(tmp_path) == {"f"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_that_end_a_process_remove_what_it_was_writing(tmp_path: Path, number: int) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    with writer(path) as process:
        assert len(names(tmp_path)) == 2
        process.send_signal(number)
        assert process.wait() == -number
    assert names(tmp_path) == {"f"}
    assert path.read_bytes() == b"old"


def test_what_a_killed_process_leaves_goes_with_the_next_writing(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    with writer(path) as process:
        process.kill()
    assert len(names(tmp_path)) == 2
    assert path.read_bytes() == b"old"
    with replacing(tmp_path / "g") as file:
        file.write(b"g")
    assert names(tmp_path) == {"f", "g"}


def test_what_others_are_writing_stays(tmp_path: Path) -> None:
    with writer(tmp_path / "f") as process:
        with replacing(tmp_path / "g") as file:
            file.write(b"g")
        assert len(names(tmp_path)) == 2
        process.stdin.close()
        assert process.wait() == 0
    assert (tmp_path / "f").read_bytes() == b"new"
    assert names(tmp_path) == {"f", "g"}


def test_only_files_of_ours_are_swept(tmp_path: Path) -> None:
    (tmp_path / LEFT).symlink_to(tmp_path / "target")
    (tmp_path / "target").write_bytes(b"kept")
    (tmp_path / LEFT.replace("0", "1")).mkdir()
    os.mkfifo(tmp_path / LEFT.replace("0", "2"))
    (tmp_path / ".linnet-notes").write_bytes(b"kept")
    before = names(tmp_path)
    with replacing(tmp_path / "f"):
        pass
    assert names(tmp_path) == before | {"f"}


def test_a_lost_race_with_a_sweep_is_run_again(tmp_path: Path, monkeypatch) -> None:
    """Another process sweeps between the opening of the file and its lock."""
    import fcntl

    locked, swept = fcntl.flock, []

    def flock(descriptor: int, how: int) -> None:
        if not swept:
            swept.extend(names(tmp_path))
            for name in swept:
                os.remove(tmp_path / name)
        locked(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    with replacing(tmp_path / "f") as file:
        file.write(b"new")
    assert len(swept) == 1
    assert (names(tmp_path), (tmp_path / "f").read_bytes()) == ({"f"}, b"new")


def test_nobody_sweeps_what_is_about_to_be_renamed(tmp_path: Path, monkeypatch) -> None:
    rename = os.replace

    def replace(old: str, new: str) -> None:
        _writing._sweep(str(tmp_path))  # as another process would
        rename(old, new)

    monkeypatch.setattr(os, "replace", replace)
    with replacing(tmp_path / "f") as file:
        file.write(b"new")
    assert (names(tmp_path), (tmp_path / "f").read_bytes()) == ({"f"}, b"new")


def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, hard))
    try:
        with pytest.raises(OSError, match="f") as caught, replacing(path) as file:
            file.write(bytes(1 << 21))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, str(path))
    assert (names(tmp_path), path.read_bytes()) == ({"f"}, b"old")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_device_is_told_with_its_name() -> None:
    with pytest.raises(OSError, match="/dev/full") as caught, replacing("/dev/full") as file:
        file.write(b"x")
    assert caught.value.errno == errno.ENOSPC


def test_pipes_are_written_as_they_are(tmp_path: Path) -> None:
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    with replacing(pipe) as file:
        file.write(b"through")
    reader.join()
    assert got == [b"through"]
    assert names(tmp_path) == {"pipe"}


def test_what_a_shell_has_opened_is_added_to(tmp_path: Path) -> None:
    code = (
        "from linnet._writing import replacing\n"
        "with replacing('/dev/stdout') as file: file.write(b'second')"
    )
    (tmp_path / "f").write_bytes(b"first ")
    with open(tmp_path / "f", "ab") as out:
        assert processes.run([sys.executable, "-c", code], stdout=out).returncode == 0
    assert (tmp_path / "f").read_bytes() == b"first second"


def test_packed_bytes_depend_on_the_data_alone(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with replacing(tmp_path / name) as file, packed(file) as pack:
            pack.write(b"data")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"data"


def test_other_threads_write_as_well(tmp_path: Path) -> None:
    """Signals are the main thread's: others do without."""
    done = []

    def write() -> None:
        with replacing(tmp_path / "f") as file:
            file.write(b"new")
        done.append(True)

    thread = threading.Thread(target=write)
    thread.start()
    thread.join()
    assert done
    assert (tmp_path / "f").read_bytes() == b"new"
