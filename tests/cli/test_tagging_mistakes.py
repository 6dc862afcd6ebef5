"""Data, options and models that do not go with tagging are refused with the reason."""

import pytest

from .tagged_files import UD, write


@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("d.conll", "a X\nb\n\n", 1, "d.conll, line 2: 1 column where the lines before have 2"),
        ("d.conll", "", 1, "d.conll is empty"),
        ("d.conll", "\n\n", 1, "d.conll holds no tokens"),
        ("d.conll", "a\nb\n\nc\n", 1, "d.conll has no tags; the last column is the tag"),
        ("d.conllu", UD.replace("\tNOUN", ""), 1, "d.conllu, line 3: "),
        ("d.jsonl", '{"tokens": ["a", "b"], "tags": ["X"]}\n', 1, "d.jsonl, line 1: 2 tokens, but"),
        ("d.jsonl", '{"tokens": ["a"]}\n', 1, "d.jsonl has no tags"),
        ("d.jsonl", '{"text": "a b", "spans": [[0, 9, "X"]]}\n', 1, "d.jsonl, line 1: the span"),
        ("d.crfsuite", "X\ta:b\n", 1, "d.crfsuite, line 1: 'a:b' has no finite number"),
    ],
)
def test_data_that_cannot_be_used(run, tmp_path, name, content, code, words) -> None:
    file = write(tmp_path / name, content)
    got, output, said = run("train", file, "-o", tmp_path / "m.linnet", "--task", "tag")
    assert (got, output) == (code, "")
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert words in said
    assert not (tmp_path / "m.linnet").exists()


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--features", "nose"), 2, "--features nose: neither a recipe (pos, chunk, ner) nor a file"),
        (("--preset", "oracle"), 2, "--preset oracle: there are hmm, memm"),
        (("--order", "-1"), 2, "--order"),
        (("--order", "20"), 1, "GB: use a lower order"),
        (("--legal", "biology"), 2, "there is no scheme 'biology'"),
        (("--word", "1"), 2, "--word: for classifiers"),
        (("--calibration", "none"), 2, "--calibration: for classifiers"),
        (("--label", "nose"), 1, "train.conll has no column 'nose'"),
        (("--columns", "a,b"), 1, "tag"),
        (("--columns", "a,b,c,d"), 1, "train.conll has 3 columns, but their names are a, b, c, d"),
        (("--loss", "hinge", "--learner", "lbfgs"), 2, "lbfgs does not train with loss 'hinge'"),
        (("--local", "--order", "2"), 2, "order=1"),
        (("--dev", "nowhere.conll"), 1, "nowhere.conll"),
        (("--task", "classify"), 1, "train.conll"),
    ],
)
def test_mistakes_of_the_user(run, tagged, tmp_path, monkeypatch, options, code, words) -> None:
    monkeypatch.chdir(tagged)
    got, _, said = run("train", "train.conll", "-o", tmp_path / "m.linnet", "-q", *options)
    if options == ("--columns", "a,b"):  # names without the tag's are names
        assert got == 0, said
        return
    assert got == code, said
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert words in said


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("tag", "names.linnet", "wide.conll"), 1, "wide.conll, line 1: 4 columns, where the model"),
        (("tag", "names.linnet", "one.conll"), 1, "one.conll has no column 'pos', which the model"),
        (("tag", "names.linnet", "ragged.conll"), 1, "ragged.conll, line 2: 2 columns where"),
        (("tag", "names.linnet", "text.txt"), 1, "text.txt has no column 'pos'"),
        (("tag", "names.linnet", "a.crfsuite"), 1, "a.crfsuite has no column 'word'"),
        (("tag", "names.linnet", "nowhere.conll"), 1, "nowhere.conll"),
        (("tag", "names.linnet", "test.conll", "--format", "pdf"), 2, "--format pdf: formats of"),
        (("tag", "names.linnet", "test.conll", "--output-format", "pdf"), 2, "there are conll"),
        (("predict", "names.linnet", "test.conll", "--threshold", "0.5"), 2, "--threshold: for"),
        (("predict", "names.linnet", "test.conll", "-k", "2", "--proba"), 2, "leave out"),
        (("evaluate", "names.linnet", "two.conll"), 1, "two.conll has 2 columns, but"),
        (("evaluate", "names.linnet", "text.txt"), 1, "text.txt has no tags to compare with"),
        (("evaluate", "names.linnet", "test.conll", "--curve", "O"), 2, "--curve: for classifiers"),
        (("explain", "names.linnet", "--data", "two.conll", "A wren."), 2, "give one"),
    ],
)
def test_files_that_do_not_go_with_the_model(run, tagged, monkeypatch, arguments, code, words) -> None:
    monkeypatch.chdir(tagged)
    for name, text in {
        "wide.conll": "a NN O x\nb NN O x\n\n",
        "two.conll": "a NN\nb NN\n\n",
        "one.conll": "a\nb\n\n",
        "ragged.conll": "a NN O\nb NN\n\n",
        "text.txt": "A wren.",
        "a.crfsuite": "O\tw=a\n\n",
    }.items():
        write(tagged / name, text)
    got, output, said = run(*arguments)
    assert (got, output) == (code, ""), said
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert words in said


def test_a_classifier_is_no_tagger(run, data, models) -> None:
    code, _, said = run("tag", models / "birds.linnet", data / "birds-test.tsv")
    assert (code, "use linnet predict" in said) == (2, True)
    code, _, said = run("predict", models / "birds.linnet", data / "birds-test.tsv", "--unlabelled")
    assert (code, "--unlabelled: for taggers" in said) == (2, True)


def test_margins_are_no_probabilities(run, tagged, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    options = ("--preset", "perceptron", "--max-iter", 2)
    assert run("train", tagged / "train.conll", "-o", model, "-q", *options)[0] == 0
    code, _, said = run("tag", model, tagged / "test.conll", "--proba")
    assert (code, "margins, not probabilities" in said) == (2, True)
