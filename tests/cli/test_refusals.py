"""Options are named as they were typed; who has no probabilities says what to train in its place."""

import pytest

import linnet

TREES = "1\tLinnets\tlinnet\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsing\tsing\tVERB\t_\t_\t0\troot\t_\t_\n\n"
ROWS = [["red", "round"], ["red", "long"], ["green", "round"], ["green", "long"]] * 3
FRUIT = ["apple", "pepper", "lime", "cucumber"] * 3


@pytest.fixture(scope="module")
def made(run, data, tagged, tmp_path_factory):
    """A model of each method without probabilities."""
    folder = tmp_path_factory.mktemp("refusals")
    texts, sentences = data / "birds-test.tsv", tagged / "train.conll"
    given = {
        "rules": (texts, "--preset", "brill", "--max-iter", "3"),
        "list": (texts, "--preset", "decision-list"),
        "machine": (texts, "--kernel", "linear"),
        "dual": (texts, "--kernel", "linear", "--learner", "perceptron"),
        "mapped": (texts, "--map", "conjunctions", "--loss", "hinge", "--word", "1"),
        "pairs": (texts, "--map", "conjunctions", "--multiclass", "pairs", "--word", "1"),
        "margins": (texts, "--loss", "hinge", "--calibration", "none"),
        "tag-rules": (sentences, "--preset", "brill", "--max-iter", "3"),
        "tag-memory": (sentences, "--preset", "memory"),
        "tag-margins": (sentences, "--preset", "svm"),
    }
    for name, (source, *options) in given.items():
        code, _, said = run("train", source, *options, "-o", folder / f"{name}.linnet", "-q")
        assert code == 0, said
    linnet.MemoryClassifier(algorithm="igtree").fit(ROWS, FRUIT).save(folder / "tree.linnet")
    linnet.DecisionList().fit(ROWS, FRUIT).save(folder / "row-list.linnet")
    linnet.TextRegressor().fit(["a", "b b", "c"], [1.0, 2.0, 3.0]).save(folder / "numbers.linnet")
    (folder / "trees.conllu").write_text(TREES * 30)
    given = ("--task", "parse", "--loss", "hinge", "--max-iter", "1", "-q")
    code, _, said = run("train", folder / "trees.conllu", *given, "-o", folder / "tree-margins.linnet")
    assert code == 0, said
    (folder / "texts.txt").write_text("a small bird\n")
    (folder / "rows.csv").write_text("x0,x1\nred,round\n")
    return folder


@pytest.mark.parametrize(
    ("name", "source", "why"),
    [
        ("rules", "texts.txt", "rules give no probabilities; train without --preset"),
        ("list", "texts.txt", "a decision list gives no probabilities; train without --preset"),
        ("machine", "texts.txt", "scores of a machine with a kernel are margins"),
        ("dual", "texts.txt", "train without --kernel"),
        ("mapped", "texts.txt", "margins, not probabilities; train with --loss logistic\n"),
        ("pairs", "texts.txt", "(--multiclass pairs) are no probabilities; train with --multiclass"),
        ("margins", "texts.txt", "--loss logistic, or for one label per text with --calibration auto"),
        ("numbers", "texts.txt", "a regressor predicts one number"),
        ("tag-rules", "texts.txt", "rules give no probabilities; train with --preset crf"),
        ("tag-memory", "texts.txt", "neighbours vote for single tags"),
        ("tag-margins", "texts.txt", "train with --loss logistic (a CRF)"),
        ("tree", "rows.csv", "a tree of values gives one answer"),
        ("row-list", "rows.csv", "a decision list gives no probabilities; train with --preset memory"),
        ("tree-margins", "trees.conllu", "margins, not probabilities; train with --loss logistic"),
    ],
)
def test_what_has_no_probabilities_says_what_has(run, made, name: str, source: str, why: str) -> None:
    for spelt in ("--proba", "--probabilities"):
        code, output, said = run("predict", made / f"{name}.linnet", made / source, spelt)
        assert (code, output) == (2, "")
        assert said.startswith(f"Error: {spelt}: ")
        assert why in said
        for python in ("loss=", "calibration=", "algorithm=", "use TextClassifier", "use CRF"):
            assert python not in said


@pytest.mark.parametrize(
    ("command", "spelt"),
    [
        (("tag", "tag-rules.linnet", "texts.txt", "-k", "2"), "-k"),
        (("tag", "tag-rules.linnet", "texts.txt", "-k2"), "-k"),
        (("tag", "tag-rules.linnet", "texts.txt", "--top", "2"), "--top"),
        (("tag", "tag-rules.linnet", "texts.txt", "--top=2"), "--top"),
        (("predict", "rules.linnet", "texts.txt", "--top", "2", "--threshold", "0.5"), "--top"),
        (("predict", "numbers.linnet", "texts.txt", "-k", "2"), "-k"),
        (("predict", "row-list.linnet", "rows.csv", "--top", "2"), "--top"),
        (("train", "trees.conllu", "-o", "m", "--task", "parse", "--tag-names", "a"), "--tag-names"),
        (("train", "trees.conllu", "-o", "m", "--task", "parse", "--label-names", "a"),
         "--label-names"),
        (("train", "rows.csv", "-o", "m", "--task", "symbols", "--no-punctuation"), "--no-punctuation"),
        (("train", "rows.csv", "-o", "m", "--task", "symbols", "--punctuation"), "--punctuation"),
    ],
)  # fmt: skip
def test_an_option_is_named_as_it_was_typed(run, made, command: tuple[str, ...], spelt: str) -> None:
    name, *rest = command
    files = [made / one if "." in one and not one.startswith("-") and one[0].isalpha() else one
             for one in rest]  # fmt: skip
    code, _, said = run(name, *files)
    assert code == 2
    assert said.startswith(f"Error: {spelt}"), said


@pytest.mark.parametrize("name", ["rules", "machine", "numbers", "tag-rules", "tag-margins"])
def test_nothing_in_a_file_is_a_mistake_everywhere(run, made, tmp_path, name: str) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    model = made / f"{name}.linnet"
    for command in (("predict", model, empty), ("explain", model, "--data", empty)):
        assert run(*command) == (1, "", f"Error: {empty} is empty\n")


def test_of_sentences_and_trees_too(run, made, tmp_path) -> None:
    for name, content, told in (
        ("empty.conll", "", "is empty"),
        ("blank.conll", "\n\n", "holds no sentences"),
    ):
        path = tmp_path / name
        path.write_text(content)
        for command in ("tag", "predict"):
            code, output, said = run(command, made / "tag-rules.linnet", path)
            assert (code, output, said) == (1, "", f"Error: {path} {told}\n")
    empty = tmp_path / "empty.conllu"
    empty.write_text("")
    model = made / "tree-margins.linnet"
    for command in (("parse", model, empty), ("explain", model, "--data", empty)):
        assert run(*command) == (1, "", f"Error: {empty} is empty\n")
