"""The settings of the manual."""

import tomllib
from pathlib import Path

_project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))

project = "Linnet"
author = "The Linnet developers"
copyright = f"2026, {author}"  # noqa: A001
release = _project["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
nitpicky = True
nitpick_ignore_regex = [("py:class", ".*")]  # docstrings describe settings in words
autodoc_typehints = "none"

html_theme = "furo"
html_title = f"Linnet {release}"
