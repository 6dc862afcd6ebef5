"""Models that commands do not know are told so, without a traceback."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import linnet
from linnet.cli import main


@pytest.mark.parametrize("command", ["inspect", "predict", "parse", "explain"])
def test_a_grammar_parser_is_used_from_python(command: str, tmp_path: Path) -> None:
    grammar = linnet.Grammar.from_text("S -> 'linnets' [1.0]")
    linnet.GrammarParser(grammar).fit().save(tmp_path / "m.linnet")
    (tmp_path / "in.txt").write_text("linnets\n", encoding="utf-8")
    files = [str(tmp_path / "m.linnet"), *[str(tmp_path / "in.txt")] * (command != "inspect")]
    result = CliRunner().invoke(main, [command, *files])
    assert result.exit_code == 1
    assert "GrammarParser, which commands do not know yet" in result.output
