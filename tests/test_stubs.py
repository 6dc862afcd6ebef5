"""The committed types of the compiled core are those of the core."""

import runpy
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "make_stubs.py"


def test_stub_is_up_to_date() -> None:
    tool = runpy.run_path(str(TOOL))
    assert tool["render"]() == tool["STUB"].read_text(encoding="utf-8"), "run `make stubs`"
