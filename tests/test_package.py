"""The package's own promises: its version and its public names."""

import tomllib
from pathlib import Path

import linnet

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def test_version_is_that_of_the_project() -> None:
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    assert linnet.__version__ == project["version"]


def test_types_are_part_of_the_package() -> None:
    folder = Path(linnet.__file__).parent
    assert (folder / "py.typed").is_file()
    assert (folder / "_core.pyi").is_file()
    checked = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["tool"]["mypy"]["files"]
    assert "examples/typed.py" in checked  # a program of a user, by `make lint`


def test_public_names_are_sorted_and_exist() -> None:
    names = list(getattr(linnet, "__all__", []))
    assert names == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert [name for name in names if not hasattr(linnet, name)] == []
