"""An option that is given nothing, as by a shell whose variable is not set, is refused by name."""

import click
import pytest
from click.testing import CliRunner

from linnet.cli import COMMANDS, main

OPTIONS = [
    (name, param.opts[0])
    for name in COMMANDS
    if (command := main.get_command(click.Context(main), name)) is not None
    for param in command.params
    if isinstance(param, click.Option) and not param.is_flag
]


@pytest.mark.parametrize(("name", "option"), OPTIONS, ids=map(" ".join, OPTIONS))
def test_nothing_is_not_none(name: str, option: str) -> None:
    result = CliRunner().invoke(main, [name, option, ""])
    assert result.exit_code == 2
    assert option in result.output.splitlines()[-1]


def test_files_have_names() -> None:
    for name in ("train", "predict", "evaluate", "inspect", "explain", "graph"):
        result = CliRunner().invoke(main, [name, *["query"] * (name == "graph"), "", "-o", "x"])
        assert result.exit_code == 2
        assert "Traceback" not in result.output
    result = CliRunner().invoke(main, ["train", "", "-o", "x.linnet"])
    assert "a file is wanted, and nothing is said" in result.output
