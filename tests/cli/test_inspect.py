"""``linnet inspect``: what a model is made of."""

import json

import linnet
from linnet.data import samples


def test_everything_as_json(run, models) -> None:
    code, output, said = run("inspect", models / "birds.linnet", "--json", "--top", 5)
    assert (code, said) == (0, "")
    told = json.loads(output)
    texts, birds = samples.load("birds-train")
    assert told["kind"] == "text classifier"
    assert told["labels"] == sorted(set(birds))
    assert told["bytes"] == (models / "birds.linnet").stat().st_size
    assert told["data"]["texts"] == len(texts)
    assert told["features"]["number"] == linnet.load(models / "birds.linnet").features_.n_features
    assert told["chosen"]
    for row in told["weights"].values():
        weights = [feature["weight"] for feature in row["features"]]
        assert len(weights) == 5
        assert weights == sorted(weights, reverse=True)
    names = {feature["name"] for feature in told["weights"]["linnet"]["features"]}
    assert "gorse" in names


def test_a_table_for_people(run, models) -> None:
    code, output, _ = run("inspect", models / "verse.linnet", "--top", 3, "--label", "poem")
    assert code == 0
    assert "\x1b" not in output
    for words in ("text classifier", "squared_hinge", "chosen", "poem"):
        assert words in output
    assert "\nweather " not in output


def test_lines_in_a_pipe_end_where_their_words_do(run, models) -> None:
    for command in (("inspect",), ("evaluate", models / "birds-test.tsv")):
        _, output, _ = run(command[0], models / "birds.linnet", *command[1:])
        assert output.endswith("\n")
        assert not [line for line in output.splitlines() if line != line.rstrip()]


def test_weights_without_names(run, models, tmp_path) -> None:
    small = tmp_path / "small.linnet"
    assert run("quantize", models / "birds.linnet", "-o", small)[0] == 0
    assert "names of features were dropped" in run("inspect", small)[1]
    assert run("quantize", models / "birds.linnet", "-o", small, "--names")[0] == 0
    assert "gorse" in run("inspect", small)[1]


def test_numbers(run, tmp_path) -> None:
    (tmp_path / "d.svm").write_text("a 1:1\nb 2:1\n" * 9, encoding="utf-8")
    assert run("train", tmp_path / "d.svm", "-o", tmp_path / "m.linnet")[0] == 0
    told = json.loads(run("inspect", tmp_path / "m.linnet", "--json")[1])
    assert told["kind"] == "linear classifier"
    assert told["labels"] == ["a", "b"]
    assert told["weights"]["a"]["features"][0]["weight"] > 0


def test_mistakes_of_the_user(run, models) -> None:
    for arguments, code, words in (
        ((models / "nowhere.linnet",), 1, "nowhere.linnet: No such file"),
        ((models / "birds-test.tsv",), 1, "no model file"),
        ((models,), 1, "not a file"),
        ((models / "birds.linnet", "--label", "dodo"), 2, "--label dodo"),
        ((models / "birds.linnet", "--top", 0), 2, "--top"),
    ):
        got, output, said = run("inspect", *arguments)
        assert (got, output, words in said, said.count("\n")) == (code, "", True, 1)


def test_the_version_that_wrote_it(run, models, tagged) -> None:
    for model in (models / "birds.linnet", tagged / "names.linnet"):
        shown = run("inspect", model, "--top", 1)[1]
        assert f" Linnet {linnet.__version__}\n" in shown.partition("written by")[2]
        assert json.loads(run("inspect", model, "--json")[1])["written by"] in shown


def test_weights_in_python_are_those_of_the_command(run, models) -> None:
    weights = json.loads(run("inspect", models / "birds.linnet", "--json", "--top", 3)[1])["weights"]
    found = linnet.load(models / "birds.linnet").inspect(top=3)
    assert found.to_dict() == weights
    assert "gorse" in repr(found)
