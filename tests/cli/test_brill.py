"""Taggers by rules on the command line: what they are asked, and what they refuse."""

import pytest

from linnet import load


def test_rules_are_learnt_told_and_used(run, tagged, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    code, _, said = run(
        "train", tagged / "train.conll", "-o", model, "--preset", "brill", "--max-iter", "5"
    )
    assert code == 0
    assert "5 rules" in said
    first = load(model).rules_text_[0]
    assert first in run("inspect", model)[1]
    code, output, _ = run("evaluate", model, tagged / "test.conll")
    assert code == 0
    assert "token accuracy" in output
    code, output, _ = run("tag", model, tagged / "test.conll")
    assert code == 0
    assert len(output.split("\n\n")) >= 100


@pytest.mark.parametrize(
    ("command", "options", "words"),
    [
        ("train", ("-C", "3"), "-C: --preset brill learns rules"),
        ("train", ("--max-iter", "-1"), "--max-iter"),
        (
            "train",
            ("--features", "nose"),
            "neither a set of rule templates (fntbl37, brill24) nor a file",
        ),
        ("train", ("--shards", "2"), "--shards: --preset brill learns rules"),
        ("train", ("--engine", "local"), "--engine: --preset brill learns rules"),
        ("tune", ("-C", "1,2"), "-C: --preset brill learns rules"),
        ("tune", ("--features", "brill24,fntbl37"), "--features: with --preset brill there is one set"),
    ],
)
def test_what_rules_know_nothing_of(run, tagged, tmp_path, command, options, words) -> None:
    output = ("-o", tmp_path / "m.linnet") if command == "train" else ()
    code, _, said = run(command, tagged / "train.conll", *output, "--preset", "brill", *options)
    assert code != 0
    assert said.startswith(("Error: ", "Usage: "))
    assert words in said
    assert not (tmp_path / "m.linnet").exists()
