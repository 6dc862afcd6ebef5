"""Write the types of the compiled core, `src/linnet/_core.pyi`, as nanobind sees them."""

from pathlib import Path

from nanobind.stubgen import StubGen

from linnet import _core

STUB = Path(__file__).parents[1] / "src" / "linnet" / "_core.pyi"


def render() -> str:
    """Return the stub of the core as it is compiled now."""
    generator = StubGen(_core)
    generator.put(_core)
    return str(generator.get())


if __name__ == "__main__":
    STUB.write_text(render(), encoding="utf-8")
