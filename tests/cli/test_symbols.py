"""Rows of symbols on the command line: memories, decision lists and rules of tables."""

import json

import pytest

import linnet
from linnet import BrillClassifier, DecisionList, MemoryClassifier

ROWS = [[a, b, c] for a in ("red", "green") for b in ("round", "long") for c in ("small", "big")]
LABELS = ["apple", "melon", "chili", "pepper", "lime", "melon", "bean", "cucumber"]
NAMES = ["colour", "shape", "size"]


def written(path, rows, labels, mark=","):
    lines = [mark.join([*NAMES, "fruit"])]
    lines += [mark.join([*row, label]) for row, label in zip(rows, labels, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def table(tmp_path):
    return written(tmp_path / "fruit.csv", ROWS * 2, LABELS * 2)


def as_dicts():
    return [dict(zip(NAMES, row, strict=True)) for row in ROWS]


@pytest.mark.parametrize(
    ("preset", "same"),
    [
        ("memory", MemoryClassifier()),
        ("memory metric=mvdm weights=information_gain decay=inverse k=2",
         MemoryClassifier(2, "mvdm", "information gain", "inverse")),
        ("memory weights=1,2,0.5", MemoryClassifier(weights=[1.0, 2.0, 0.5])),
        ("memory algorithm=igtree", MemoryClassifier(algorithm="igtree")),
        ("decision-list conjunctions=2 alpha=0.5", DecisionList(conjunctions=2, alpha=0.5)),
        ("brill conjunctions=2 min_score=1", BrillClassifier(conjunctions=2, min_score=1)),
    ],
)  # fmt: skip
def test_it_is_the_model_of_python(run, table, tmp_path, preset, same):
    path = tmp_path / "m.linnet"
    given = ("--task", "symbols", "--preset", preset, "--label", "fruit")
    code, _, said = run("train", table, "-o", path, *given, "--dev", table)
    assert code == 0, said
    assert "16 rows of 3 columns, 7 labels" in said
    assert "accuracy" in said
    same.fit(as_dicts() * 2, LABELS * 2)
    loaded = linnet.load(path)
    settings = {k: v for k, v in same.get_params().items() if k != "n_jobs"}
    assert {k: v for k, v in loaded.get_params().items() if k != "n_jobs"} == settings
    guesses = same.predict(as_dicts()).tolist()
    code, output, _ = run("predict", path, table)
    assert (code, output.splitlines()) == (0, guesses * 2)
    code, output, _ = run("evaluate", path, table, "--json")
    assert code == 0
    right = sum(a == b for a, b in zip(guesses, LABELS, strict=True)) / len(LABELS)
    assert json.loads(output)["metrics"]["accuracy"] == pytest.approx(right)
    code, output, _ = run("explain", path, "--data", table, "--json")
    assert code == 0
    assert [json.loads(line)["label"] for line in output.splitlines()] == guesses * 2
    assert run("inspect", path)[0] == 0


def test_columns_are_found_by_name_and_votes_are_shown(run, table, tmp_path):
    path = tmp_path / "m.linnet"
    given = ("--task", "symbols", "--label", "fruit", "--preset", "memory")
    assert run("train", table, "-o", path, *given, "--neighbors", "2")[0] == 0
    assert linnet.load(path).k == 2
    other = tmp_path / "other.csv"
    other.write_text("size;fruit;shape;colour\nsmall;?;round;red\n", encoding="utf-8")
    code, output, _ = run("predict", path, other, "--proba")
    assert code == 0
    label, share = output.split()
    assert label == "apple"
    assert 0 < float(share) <= 1
    other.write_text("size,shape\nsmall,round\n", encoding="utf-8")
    code, _, said = run("predict", path, other)
    assert code == 1
    assert "other.csv has no column 'colour', which the model looks at" in said


def test_tables_without_a_header_and_with_tabs(run, tmp_path):
    path = tmp_path / "rows.tsv"
    path.write_text("".join("\t".join([*r, c]) + "\n" for r, c in zip(ROWS, LABELS, strict=True)))
    given = ("--task", "symbols", "--preset", "memory", "--no-header", "--label", "4")
    assert run("train", path, "-o", tmp_path / "m.linnet", *given)[0] == 0
    code, output, _ = run("predict", tmp_path / "m.linnet", path, "--no-header")
    assert (code, output.splitlines()) == (0, LABELS)


@pytest.mark.parametrize(
    "mistake", ["a,b\n1,2,3\n", "a,a,label\n1,2,3\n", "", "label,a\n", 'a,b\n"1,2\n']
)
def test_tables_that_are_none_are_refused_with_their_line(run, tmp_path, mistake):
    path = tmp_path / "bad.csv"
    path.write_text(mistake)
    given = ("--task", "symbols", "--preset", "memory")
    code, _, said = run("train", path, "-o", tmp_path / "m.linnet", *given)
    assert code == 1
    assert "bad.csv" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "--preset says what learns: of rows of symbols there are memory, decision-list, brill"),
        (("--preset", "crf"), "--preset crf: of rows of symbols there are"),
        (("--preset", "memory", "-C", "3"), "-C: --preset memory optimises nothing"),
        (("--preset", "memory nose=3"), "--preset memory has no setting 'nose=3'; those it has: "),
        (("--preset", "memory k=2", "--neighbors", "3"), "--neighbors and k= of --preset are one"),
        (("--preset", "brill max_rules=2", "--max-iter", "3"), "--max-iter and max_rules= of --preset"),
        (("--preset", "decision-list", "--neighbors", "3"), "of --preset memory only"),
        (("--preset", "memory metric=cosine"), "metric must be one of overlap, mvdm"),
        (("--preset", "memory", "--label", "nose"), "no column 'nose'"),
        (("--preset", "memory", "--word", "1"), "--word: for classifiers and regressors"),
    ],
)  # fmt: skip
def test_what_it_knows_nothing_of(run, table, tmp_path, options, message):
    label = () if "--label" in options else ("--label", "fruit")
    code, _, said = run(
        "train", table, "-o", tmp_path / "m.linnet", "--task", "symbols", *label, *options
    )
    assert code in (1, 2)
    assert message in said
    assert not (tmp_path / "m.linnet").exists()


def test_commands_that_know_no_rows_of_symbols_say_so(run, table, tmp_path):
    path = tmp_path / "m.linnet"
    MemoryClassifier().fit(as_dicts(), LABELS).save(path)
    for command in (
        ("curve", table, "--task", "symbols"),
        ("quantize", path, "-o", tmp_path / "q.linnet"),
        ("serve", path),
        ("explain", path, "red round"),
        ("predict", path, table, "--top", "2"),
    ):
        code, _, said = run(*command)
        assert code in (1, 2), command
        assert said.startswith(("Error: ", "Usage: "))
        assert "Traceback" not in said


def test_settings_of_texts_and_sentences(run, data, tagged, tmp_path):
    path = tmp_path / "m.linnet"
    code, _, said = run(
        "train", data / "birds-test.tsv", "-o", path, "--preset", "memory vote=equal k=3", "-q"
    )
    assert code == 0, said
    assert (linnet.load(path).vote, linnet.load(path).k) == ("equal", 3)
    preset = "memory window=1 metric=overlap weights=none columns=word"
    code, _, said = run("train", tagged / "train.conll", "-o", path, "--preset", preset, "-q")
    assert code == 0, said
    loaded = linnet.load(path)
    assert (loaded.window, loaded.metric, loaded.columns) == (1, "overlap", ["word"])
    preset = "memory algorithm=igtree k=1 metric=overlap"
    assert run("train", tagged / "train.conll", "-o", path, "--preset", preset, "-q")[0] == 0
    assert linnet.load(path).algorithm == "igtree"
    preset = "brill min_score=4 max_rules=3"
    assert run("train", tagged / "train.conll", "-o", path, "--preset", preset, "-q")[0] == 0
    assert (linnet.load(path).min_score, linnet.load(path).max_rules) == (4, 3)
    code, _, said = run("train", tagged / "train.conll", "-o", path, "--preset", "hmm smoothing=1")
    assert code == 2
    assert "--preset hmm: 'smoothing=1' is no part of it" in said


@pytest.fixture
def many(tmp_path):
    """Colours and shapes decide together; sizes do not matter, and labels are wrong now and then."""
    import random

    draw = random.Random(0)
    rows = [[draw.choice(values) for values in (("red", "green", "blue"), ("round", "long"), "SML")]
            for _ in range(240)]  # fmt: skip
    labels = ["apple" if (c == "red") != (s == "long") else "pear" if c == "blue" else "bean"
              for c, s, _ in rows]  # fmt: skip
    labels[::20] = ["pear"] * len(labels[::20])
    return written(tmp_path / "many.csv", rows, labels)


@pytest.mark.parametrize(
    ("preset", "more", "settings"),
    [
        ("memory metric=overlap,mvdm", ("--neighbors", "1,3"),
         [{"metric": m, "k": k} for m in ("overlap", "mvdm") for k in (1, 3)]),
        ("memory k=1,5", (), [{"k": 1}, {"k": 5}]),
        ("memory weights=1,2,0.5", (), [{"k": k} for k in (1, 3, 5, 9)]),
        ("memory algorithm=igtree", (),
         [{"weights": w} for w in ("gain ratio", "information gain", "chi-square")]),
        ("memory weights=none,chi-square k=3", (), [{"weights": w} for w in ("none", "chi-square")]),
        ("decision-list conjunctions=1,2", (), [{"conjunctions": 1}, {"conjunctions": 2}]),
        ("decision-list", (), [{"alpha": a} for a in (0.01, 0.1, 1.0)]),
        ("brill conjunctions=2", ("--max-iter", "1,20"), [{"max_rules": 1}, {"max_rules": 20}]),
    ],
)  # fmt: skip
def test_settings_are_tuned(run, many, tmp_path, preset, more, settings):
    path = tmp_path / "m.linnet"
    given = ("--task", "symbols", "--label", "fruit", "--preset", preset, *more, "--folds", "3")
    code, output, said = run("tune", many, *given, "-o", path, "--json")
    assert code == 0, said
    told = json.loads(output)
    assert [row["settings"] for row in told["rows"]] == settings
    assert told["best"]["dev"] == max(row["dev"] for row in told["rows"])
    loaded = linnet.load(path)
    assert {name: getattr(loaded, name) for name in told["best"]["settings"]} == told["best"][
        "settings"
    ]
    code, output, said = run("evaluate", path, many, "--json")
    assert code == 0, said
    assert json.loads(output)["metrics"]["accuracy"] > 0.4


def test_a_score_is_that_of_the_model_trained(run, many, tmp_path):
    """On the data of --dev."""
    lines = many.read_text().splitlines()
    train, dev = tmp_path / "train.csv", tmp_path / "dev.csv"
    train.write_text("\n".join(lines[:160]) + "\n")
    dev.write_text("\n".join([lines[0], *lines[160:]]) + "\n")
    given = ("--task", "symbols", "--label", "fruit", "--preset", "decision-list conjunctions=1,2")
    code, output, said = run("tune", train, *given, "--dev", dev, "--json")
    assert code == 0, said
    for row in json.loads(output)["rows"]:
        path = tmp_path / "m.linnet"
        one = f"decision-list conjunctions={row['settings']['conjunctions']}"
        assert run("train", train, *given[:4], "--preset", one, "-o", path, "-q")[0] == 0
        code, told, _ = run("evaluate", path, dev, "--json")
        assert json.loads(told)["metrics"]["accuracy"] == pytest.approx(row["dev"])


def test_who_is_best_of_rows(run, many, tmp_path):
    code, output, said = run(
        "compare", many, "--task", "symbols", "--label", "fruit", "--all", "--json"
    )
    assert code == 0, said
    rows = {row["name"]: row for row in json.loads(output)["models"]}
    assert {"memory, overlap", "IGTree", "decision list of pairs", "rules", "naive Bayes"} <= {*rows}
    assert rows["memory, overlap"]["accuracy"] > 0.85 > rows["decision list"]["accuracy"]
    assert rows["memory, overlap"]["probabilities"]
    assert not rows["IGTree"]["probabilities"]
    code, output, said = run("compare", many, "--task", "symbols", "--label", "fruit")
    assert code == 0, said
    assert "rules of pairs" in said  # left out, which is told
    assert "rules of pairs" not in output
    assert "3 columns, 8 values" in output
    test = written(tmp_path / "test.csv", [["red", "round", "S"]], ["apple"])
    code, output, said = run(
        "compare", many, "--task", "symbols", "--label", "fruit", "--test", test, "--model", "IGTree"
    )
    assert code == 0, said
    assert "240 examples to learn from, 1 to score on" in output
    code, _, said = run("compare", many, "--task", "symbols", "--label", "fruit", "--word", "1")
    assert code == 2
    assert "--word: for classifiers and regressors" in said


def test_python_compares_and_tunes_rows():
    rows, labels = as_dicts() * 6, LABELS * 6
    compared = linnet.compare(rows, labels, task="symbols", models=["memory, overlap"])
    assert compared[0].accuracy > 0.8
    found = linnet.tune(MemoryClassifier(), {"k": [1, 3]}, rows, labels, folds=2)
    assert len(found.result.rows) == 2
    with pytest.raises(ValueError, match="features are of texts"):
        linnet.compare(rows, labels, task="symbols", features=linnet.TextFeatures())
    with pytest.raises(linnet.errors.DataError, match="48 rows, and y 3 labels"):
        linnet.tune(MemoryClassifier(), None, rows, labels[:3])
    with pytest.raises(AttributeError, match="a tree gives one label"):
        _ = MemoryClassifier(algorithm="igtree").fit(rows, labels).predict_proba


def test_lists_and_memories_of_texts_and_sentences_are_tuned(run, data, tagged, tmp_path):
    path = tmp_path / "m.linnet"
    preset = ("--preset", "memory vote=equal,similarity", "--neighbors", "1,5", "--word", "1")
    code, output, said = run("tune", data / "birds-train.tsv", *preset, "-o", path, "--json")
    assert code == 0, said
    assert len(json.loads(output)["rows"]) == 4
    best = json.loads(output)["best"]["settings"]
    assert (linnet.load(path).vote, linnet.load(path).k) == (best["vote"], best["k"])
    for preset, count in (("memory window=1", 4), ("brill min_score=2,4", 2)):
        code, output, said = run(
            "tune", tagged / "train.conll", "--preset", preset, "--folds", "2", "-o", path, "--json"
        )
        assert code == 0, said
        rows = json.loads(output)["rows"]
        assert len(rows) == count
        (name,) = rows[0]["settings"]
        assert getattr(linnet.load(path), name) == json.loads(output)["best"]["settings"][name]
    code, _, said = run("tune", data / "birds-train.tsv", "--neighbors", "3")
    assert code == 2
    assert "--neighbors: of --preset memory only" in said
