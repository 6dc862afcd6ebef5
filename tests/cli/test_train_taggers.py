"""Training, scoring, choosing and looking inside taggers from the command line."""

import json

import pytest

import linnet
from linnet.data import samples
from linnet.evaluation import span_counts
from linnet.model import VotedChain

from .tagged_files import UD, first, sentences, write


def test_training_tells_what_it_chose(run, tagged, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    code, output, said = run(
        "train", tagged / "train.conll", "-o", model, "--dev", tagged / "test.conll"
    )
    assert (code, output) == (0, "")
    lines = said.splitlines()
    assert lines[0].startswith("300 sentences, 3,701 tokens, 7 tags, ")
    assert "  features: the recipe 'ner'" in lines
    assert "  loss: logistic" in lines
    assert "  tags keep to iob2" in lines
    accuracy, f1 = (float(part.split()[-2]) for part in lines[-1].split(","))
    assert 99 < accuracy <= 100
    assert 97 < f1 <= 100
    loaded = linnet.load(model)
    assert loaded.record_.data["layout"] == ["word", "pos", "tag"]
    X, y = samples.load_tagged("sightings-test")
    assert 100 * loaded.score(X, y) == pytest.approx(accuracy, abs=0.01)


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (("--preset", "hmm"), {"loss": "joint_likelihood"}),
        (("--preset", "memm", "-C", "3"), {"normalisation": "local", "C": 3.0}),
        (("--local",), {"normalisation": "local"}),
        (("--segments", "--longest", "9"), {"segments": True, "longest": 9}),
        (("--preset", "perceptron", "--max-iter", "3"), {"loss": "perceptron", "max_iter": 3}),
        (("--order", "0"), {"order": 0}),
        (("--order", "2", "--max-iter", "99", "--tol", "0.1"), {"order": 2}),
        (("--order", "3", "--learner", "perceptron", "--max-iter", "2"), {"order": 3}),
        (("--loss", "logistic", "--penalty", "l1", "--learner", "owlqn"), {"penalty": "l1"}),
        (("--ends", "--legal", "none", "--seed", "4"), {"ends": True, "legal": None}),
        (("--legal", "bilou", "--features", "chunk"), None),
    ],
)
def test_settings_reach_the_tagger(run, tagged, tmp_path, options, settings) -> None:
    few = first(tagged / "train.conll", 60, tmp_path)
    model = tmp_path / "m.linnet"
    code, _, said = run("train", few, "-o", model, *options)
    if settings is None:  # the data are no such spans
        assert (code, model.exists()) == (2, False) or "bilou" in said
        return
    assert code == 0, said
    loaded = linnet.load(model)
    assert {name: getattr(loaded, name) for name in settings} == settings


def test_a_tagger_that_votes_is_saved(run, tagged, tmp_path) -> None:
    model, train = tmp_path / "m.linnet", tagged / "train.conll"
    assert run("train", train, "-o", model, "-q", "--learner", "voted")[0] == 0
    loaded = linnet.load(model)
    assert isinstance(loaded.model_, VotedChain)
    assert loaded.score(*samples.load_tagged("sightings-test")) > 0.99
    for command in (("inspect", model), ("quantize", model, "-o", tmp_path / "q.linnet")):
        code, _, said = run(*command)
        assert code == 2
        assert "votes" in said
    code, _, said = run("train", train, "-o", model, "-q", "--learner", "voted", "--order", "0")
    assert code == 2
    assert "use order=1" in said


def test_templates_of_crfpp_are_read_as_they_are(run, tagged, tmp_path) -> None:
    template = write(tmp_path / "template", "U00:%x[0,0]\nU01:%x[-1,1]/%x[0,1]\nB\n")
    model = tmp_path / "m.linnet"
    assert run("train", tagged / "train.conll", "-o", model, "-q", "--features", template)[0] == 0
    assert "U00:Robin" in set(linnet.load(model).get_feature_names_out())


def test_columns_and_the_tag_may_be_named(run, tagged, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    options = ("--columns", "token,pos,name", "--label", "pos", "--features", "pos")
    assert run("train", tagged / "train.conll", "-o", model, "-q", *options)[0] == 0
    assert "NNP" in linnet.load(model).classes_
    code, output, _ = run("tag", model, tagged / "test.conll")
    assert code == 0
    first_one = sentences(output)[0]
    assert [row[1] for row in first_one] == [row[3] for row in first_one]
    text = write(tmp_path / "t.txt", "A wren sang.")
    assert sentences(run("tag", model, text)[1])[0][0] == ["A", "DT"]
    assert run("explain", model, "A wren sang.")[0] == 0


def test_a_tagger_goes_on(run, tagged, tmp_path) -> None:
    few = first(tagged / "train.conll", 40, tmp_path)
    some, more = tmp_path / "some.linnet", tmp_path / "more.linnet"
    assert run("train", few, "-o", some, "-q", "--preset", "perceptron")[0] == 0
    test = tagged / "test.conll"
    code, _, said = run("train", tagged / "train.conll", "-o", more, "--from", some, "--dev", test)
    assert code == 0, said
    assert f"went on from {some}" in said
    X, y = samples.load_tagged("sightings-test")
    assert linnet.load(more).score(X, y) > linnet.load(some).score(X, y)
    code, _, said = run("train", few, "-o", more, "--from", some, "-C", "2")
    assert (code, "keeps what it was made with" in said) == (2, True)
    code, _, said = run("train", few, "-o", more, "--from", tagged / "train.conll")
    assert (code, "no model file" in said) == (1, True)


# Scoring


def test_the_report_says_what_the_functions_say(run, tagged) -> None:
    code, output, _ = run("evaluate", tagged / "names.linnet", tagged / "test.conll", "--json")
    assert code == 0
    told = json.loads(output)
    X, gold = samples.load_tagged("sightings-test")
    guess = linnet.load(tagged / "names.linnet").predict(X)
    found = span_counts(gold, guess)
    for name, value in found.report().items():
        assert told["spans"][name] == value, name
    assert told["token_accuracy"]["value"] == pytest.approx(found.token_accuracy)
    assert told["errors"] == sum(
        a != b for one, other in zip(gold, guess, strict=True) for a, b in zip(one, other, strict=True)
    )
    counts = told["confusion"]["counts"]
    assert sum(map(sum, counts)) == told["tokens"]
    assert told["sentence_accuracy"]["value"] == pytest.approx(
        sum(a == b for a, b in zip(gold, guess, strict=True)) / len(gold)
    )
    for scores in (told["token_accuracy"], told["spans"]["f1_interval"]):
        assert scores["low"] <= scores["value"] <= scores["high"]
    weak = tagged / "weak.linnet"
    run("train", tagged / "train.conll", "-o", weak, "-C", "0.001", "--features", "pos")
    code, output, _ = run("evaluate", weak, tagged / "test.conll")
    for words in ("F1 of spans", "PERSON", "Confusions: gold tag by guess", "taken for"):
        assert words in output


def test_tags_never_seen_are_told_and_count_as_errors(run, tagged, tmp_path) -> None:
    changed = (tagged / "test.conll").read_text("utf-8").replace("-PLACE", "-LAKE")
    file = write(tmp_path / "lake.conll", changed)
    code, output, _ = run("evaluate", tagged / "names.linnet", file)
    assert code == 0
    assert "never seen in training: B-LAKE (64 tokens, all errors)" in output
    told = json.loads(run("evaluate", tagged / "names.linnet", file, "--json")[1])
    by_type = {row["type"]: row["f1"] for row in told["spans"]["per_type"]}
    assert by_type["LAKE"] == by_type["PLACE"] == 0 < by_type["BIRD"]
    said = run("train", tagged / "train.conll", "-o", tmp_path / "m.linnet", "--dev", file)[2]
    assert "has tags never seen in training: B-LAKE, I-LAKE" in said


def test_texts_taken_for_tags_are_noted(run, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    texts = "".join(f"wren\tA wren, seen on day {day}.\n" for day in range(30))
    code, _, said = run("train", write(tmp_path / "d.tsv", texts), "--task", "tag", "-o", model)
    assert code == 0
    assert (
        "has 30 tags for 30 tokens; is something else taken for the tag? The first one is 'A w" in said
    )


def test_plain_tags_have_no_spans(run, tmp_path) -> None:
    file = write(tmp_path / "d.conllu", UD * 3)
    model = tmp_path / "m.linnet"
    assert run("train", file, "-o", model, "-q")[0] == 0
    told = json.loads(run("evaluate", model, file, "--json")[1])
    assert "spans" not in told
    text = write(tmp_path / "t.txt", "A linnet sings.")
    assert sentences(run("tag", model, text)[1]) == [
        [["A", "DET"], ["linnet", "NOUN"], ["sings", "VERB"], [".", "PUNCT"]]
    ]
    assert run("tag", model, text, "--output-format", "spans")[0] == 2


def test_two_taggers_against_each_other(run, tagged) -> None:
    told = json.loads(
        run(
            "evaluate",
            tagged / "names.linnet",
            tagged / "test.conll",
            "--against",
            tagged / "names.linnet",
            "--json",
        )[1]
    )
    rows = {row["metric"]: row for row in told["against"]["differences"]}
    assert {*rows} == {"token_accuracy", "f1"}
    assert all(row["difference"]["value"] == 0 and row["p"] == 1 for row in rows.values())
    args = ("evaluate", tagged / "names.linnet", tagged / "test.conll")
    code, output, _ = run(*args, "--against", tagged / "words.linnet")
    assert code == 0
    assert "p (bootstrap)" in output


# Choosing


def test_tune(run, tagged, tmp_path) -> None:
    few = first(tagged / "train.conll", 90, tmp_path)
    best = tmp_path / "best.linnet"
    options = ("-C", "0.01,1", "--features", "pos,ner", "--folds", 2, "-o", best)
    code, output, said = run("tune", few, *options, "--json")
    assert code == 0, said
    told = json.loads(output)
    assert told["metric"] == "f1"
    assert [row["settings"] for row in told["rows"]] == [
        {"features": f, "C": c} for f in ("pos", "ner") for c in (0.01, 1.0)
    ]
    assert told["best"]["dev"] == max(row["dev"] for row in told["rows"])
    assert told["best"]["settings"]["C"] == 1
    assert run("evaluate", best, tagged / "test.conll")[0] == 0
    options = ("--dev", tagged / "test.conll", "--learner", "dual,lbfgs", "-C", "1")
    code, output, _ = run("tune", few, *options, "--metric", "accuracy")
    assert code == 0
    assert "← best" in output
    assert "lbfgs" in output
    assert run("tune", few, "--metric", "brier")[0] == 2


def test_compare(run, tagged) -> None:
    chosen = [part for name in ("HMM", "CRF", "perceptron") for part in ("--model", name)]
    options = ("--test", tagged / "test.conll", *chosen)
    code, output, said = run("compare", tagged / "train.conll", *options, "--json")
    assert code == 0, said
    rows = {row["name"]: row for row in json.loads(output)["models"]}
    assert {*rows} == {"HMM", "CRF", "perceptron"}
    assert all(row["f1"] > 0.9 for row in rows.values())
    assert rows["CRF"]["probabilities"]
    assert not rows["perceptron"]["probabilities"]
    code, output, _ = run("compare", tagged / "train.conll", "--model", "perceptron")
    assert code == 0
    assert "240 sentences to learn from, 60 to score on" in output
    assert run("compare", tagged / "train.conll", "--model", "oracle")[0] == 2


def test_compare_with_untagged_sentences(run, tagged, tmp_path) -> None:
    few = first(tagged / "train.conll", 40, tmp_path)
    names = (
        "CRF",
        "with untagged sentences",
        "classes of words",
        "self-training",
        "entropy regularisation",
    )
    chosen = [part for name in names for part in ("--model", name)]
    options = ("--test", tagged / "test.conll", "--unlabeled", tagged / "train.conll", "--json")
    code, output, said = run("compare", few, *options, *chosen)
    assert code == 0, said
    assert "has tags, which are not looked at" in said
    rows = {row["name"]: row for row in json.loads(output)["models"]}
    assert list(rows) == list(names)
    assert all(row["f1"] > 0.5 and row["nonzero"] > 0 for row in rows.values()), rows
    assert all(row["probabilities"] for row in rows.values())
    parameters = [row["parameter"] for row in rows.values()]
    assert parameters == ["C", None, "C", "unlabeled_weight", "unlabeled_weight"]
    code, _, said = run("compare", few, "--model", "self-training")
    assert code == 2
    assert "no model is called 'self-training'" in said


# Looking inside


def test_inspect_and_explain(run, tagged, tmp_path) -> None:
    code, output, _ = run("inspect", tagged / "names.linnet", "--top", 2, "--label", "B-BIRD")
    assert code == 0
    for words in ("tagger", "iob2", "B-BIRD ", "transitions", " → "):
        assert words in output
    told = json.loads(run("inspect", tagged / "names.linnet", "--json")[1])
    assert told["columns"] == ["word", "pos", "tag"]
    assert len(told["weights"]["tags"]) == 7
    code, output, _ = run("explain", tagged / "words.linnet", "Robin saw a barn owl.", "--json")
    assert code == 0
    (record,) = (json.loads(line) for line in output.splitlines())
    assert [token["tag"] for token in record["tokens"]][3:5] == ["B-BIRD", "I-BIRD"]
    contributions = [t["value"] * t["weight"] for token in record["tokens"] for t in token["terms"]]
    assert sum(contributions) == pytest.approx(record["score"], rel=1e-5)
    few = first(tagged / "test.conll", 2, tmp_path)
    code, output, _ = run("explain", tagged / "names.linnet", "--data", few, "--json")
    assert (code, output.count("\n")) == (0, 2)
    assert run("explain", tagged / "names.linnet", "A wren.")[0] == 2
    page = tmp_path / "page.html"
    assert run("explain", tagged / "words.linnet", "A wren.", "--html", page)[0] == 0
    assert "wren" in page.read_text("utf-8")


def test_quantize(run, tagged, tmp_path) -> None:
    small = tmp_path / "small.linnet"
    assert run("quantize", tagged / "names.linnet", "-o", small)[0] == 0
    assert small.stat().st_size < (tagged / "names.linnet").stat().st_size
    told = json.loads(run("evaluate", small, tagged / "test.conll", "--json")[1])
    assert told["spans"]["f1"] > 0.97


def test_the_grid_knows_chains(run) -> None:
    cell = ("--structure", "chain", "--loss", "logistic", "--learner", "lbfgs", "--penalty", "l2")
    assert run("grid", *cell) == (0, "yes\n", "")
