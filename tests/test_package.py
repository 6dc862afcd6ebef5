"""The package's own promises: its version and its public names."""

import tomllib
from pathlib import Path

import linnet

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def test_version_is_that_of_the_project() -> None:
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    assert linnet.__version__ == project["version"]


def test_public_names_are_sorted_and_exist() -> None:
    names = list(getattr(linnet, "__all__", []))
    assert names == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert [name for name in names if not hasattr(linnet, name)] == []
