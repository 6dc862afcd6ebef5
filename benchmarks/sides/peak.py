"""Peak memory of this process alone: what a parent reads of a child may be the parent's own."""

from pathlib import Path


def peak() -> float:
    """MB, from the system's high-water mark."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
