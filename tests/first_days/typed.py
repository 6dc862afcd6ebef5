"""Commands as somebody types them in a folder."""

from pathlib import Path

from ..shell import shell


def typed(folder: Path, *lines: str) -> tuple[str, str]:
    """What they print, and what they say beside it; all of them succeed."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    done = shell("-ec", "\n".join(lines), tools=tools, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr
