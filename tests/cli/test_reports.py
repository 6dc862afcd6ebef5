"""Reports as files: complete without any other, with the figures that the command tells, as text."""

import itertools
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import linnet
from linnet.cli import main
from linnet.cli.reports.figures import Figure
from linnet.cli.reports.numbers import HIGH, LETTERS, WIDE, numbered
from linnet.data import samples
from linnet.evaluation import plain_held_out, span_counts
from linnet.formats import read_sequences, read_trees

FOLDER = Path(samples.__file__).parent


class Reader(HTMLParser):
    """Elements, what they ask for, and all text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.asked: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self.asked += [value for name, value in attrs if name in ("src", "href", "srcset", "action")]

    def handle_data(self, data: str) -> None:
        self.text += data


def run(*arguments: object) -> str:
    found = CliRunner().invoke(main, [str(word) for word in arguments])
    assert found.exit_code == 0, found.stderr
    return found.stdout


@pytest.fixture(scope="module")
def birds(tmp_path_factory: Any) -> Path:
    path: Path = tmp_path_factory.mktemp("models") / "birds.linnet"
    linnet.TextClassifier().fit(*samples.load("birds-train")).save(path)
    return path


def test_evaluate(birds: Path, tmp_path: Path) -> None:
    page, plot = tmp_path / "page.html", tmp_path / "plot.svg"
    test = FOLDER / "birds-test.tsv"
    told = json.loads(run("evaluate", birds, test, "--json", "--html", page, "--plot", plot))
    read = Reader(page.read_text(encoding="utf-8"))
    assert read.asked == []
    assert "script" not in read.tags
    assert read.tags.count("svg") == 3  # precision and recall, thresholds, reliability
    assert sum(row["texts"] for row in told["reliability"]) == told["examples"]
    assert f"{told['metrics']['accuracy']:.4f}" in read.text
    for error in told["worst_errors"]:
        assert error["text"] in read.text
    assert "<svg" in plot.read_text(encoding="utf-8")


def test_a_curve_needs_two_labels(tmp_path: Path) -> None:
    data = tmp_path / "one.tsv"
    for text, why in (
        ("wren\tA wren.\n" * 4, "has one label only (wren)"),
        ("wren\tA wren.\n" * 9 + "owl\tAn owl.\n", "of so few texts have one label only"),
    ):
        data.write_text(text)
        result = CliRunner().invoke(main, ["curve", str(data), "--held-out", "0.9"])
        assert result.exit_code == 1
        assert why in result.output


def test_compare_tune_train_and_curve(tmp_path: Path) -> None:
    data, page = FOLDER / "verse-train.tsv", tmp_path / "page.html"
    chosen = ("--model", "naive Bayes", "--model", "SVM")
    told = json.loads(run("compare", data, "--json", "--html", page, *chosen))
    read = Reader(page.read_text(encoding="utf-8"))
    assert all(model["name"] in read.text for model in told["models"])
    assert "svg" in read.tags
    run("tune", data, "-C", "0.1,1", "--folds", "2", "--html", page)
    assert "Score by C" in Reader(page.read_text(encoding="utf-8")).text
    run("train", data, "-o", tmp_path / "m.linnet", "--learner", "perceptron", "-q", "--html", page)
    read = Reader(page.read_text(encoding="utf-8"))
    assert "perceptron" in read.text
    model = linnet.load(tmp_path / "m.linnet")
    best = model.inspect(1).to_dict()
    for label in model.classes_:
        assert f"Largest weights of {label}" in read.text
    assert any(name in read.text for name in re.findall(r"'name': '([^']+)'", str(best)))
    told = json.loads(run("curve", data, "--points", 3, "--repeats", 1, "--json", "--html", page))
    assert [row["texts"] for row in told["sizes"]] == [120, 240, 480]
    assert all(0.5 < row["dev"] <= 1 for row in told["sizes"])
    assert told["sizes"][-1]["dev"] > 0.85
    assert "Learning curve" in Reader(page.read_text(encoding="utf-8")).text


@pytest.mark.parametrize(
    ("name", "metric", "given"),
    [("sightings-train.conll", "f1", []), ("rambles-train.conllu", "las", ["--task", "parse"])],
)
def test_curves_of_sentences(tmp_path: Path, name: str, metric: str, given: list[str]) -> None:
    """The last point is what a model gets that is trained on all that is not held out."""
    page = tmp_path / "page.html"
    told = json.loads(
        run("curve", FOLDER / name, *given, "--points", 2, "--repeats", 1, "--json", "--html", page)
    )
    assert told["metric"] == metric
    assert [row["sentences"] for row in told["sizes"]] == [120, 240]
    ((train, test),) = plain_held_out(300, 0.2, 0)
    if metric == "las":
        trees = read_trees(FOLDER / name, roots="one")
        score = linnet.DependencyParser().fit(trees.take(train)).score(trees.take(test))
    else:
        data = read_sequences(FOLDER / name)
        model, held = linnet.Tagger().fit(data.take(train)), data.take(test)
        score = span_counts(held.tags(), model.predict(held)).f1
    assert told["sizes"][-1]["dev"] == pytest.approx(score)
    assert "Learning curve" in Reader(page.read_text(encoding="utf-8")).text


def test_curves_refuse_what_they_would_not_look_at() -> None:
    for data, given, said in (
        ("verse-train.tsv", ["--numeric", "length"], "--numeric: learning curves"),
        ("sightings-train.conll", ["--text", "x"], "--text"),
        ("verse-train.tsv", ["--task", "regress"], "learning curves are of texts"),
    ):
        found = CliRunner().invoke(main, ["curve", str(FOLDER / data), *given])
        assert found.exit_code == 2
        assert said in found.stderr


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_plots(tmp_path: Path, ending: str) -> None:
    plot = tmp_path / f"plot.{ending}"
    run("tune", FOLDER / "verse-train.tsv", "-C", "0.1,1,10", "--folds", "2", "--plot", plot)
    begin = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert plot.read_bytes().startswith(begin)


def test_an_ending_that_says_nothing_is_refused_at_once(birds: Path, tmp_path: Path) -> None:
    found = CliRunner().invoke(
        main, ["evaluate", str(birds), "x.tsv", "--plot", str(tmp_path / "a.doc")]
    )
    assert found.exit_code == 2
    assert "ends in .png" in found.stderr


def test_hostile_texts_and_labels_are_text(tmp_path: Path) -> None:
    bad = "<script>alert(1)</script>"
    model, data, page = tmp_path / "m.linnet", tmp_path / "d.jsonl", tmp_path / "page.html"
    texts, labels = [f"{word} {bad} \u202e" for word in "abcdefgh"], [bad, "plain"] * 4
    linnet.TextClassifier().fit(texts, labels).save(model)
    rows = zip(texts, reversed(labels), strict=True)
    data.write_text("".join(json.dumps({"text": t, "label": y}) + "\n" for t, y in rows))
    run("evaluate", model, data, "--html", page)
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text
    assert bad in Reader(text).text
    assert "\u202e" not in text


def test_taggers_and_parsers_have_reports(tmp_path: Path) -> None:
    page, model = tmp_path / "page.html", tmp_path / "m.linnet"
    run("train", FOLDER / "sightings-train.conll", "-q", "-o", model, "--html", page)
    run("evaluate", model, FOLDER / "sightings-test.conll", "--html", page)
    assert re.search(r"BIRD", Reader(page.read_text(encoding="utf-8")).text)


def test_estimators_in_notebooks(birds: Path, tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    import urllib.request

    model = linnet.load(birds)
    assert "6 labels" in model._repr_html_()
    assert "TextClassifier" in linnet.TextClassifier(text="<b>")._repr_html_()
    assert "<b>" not in linnet.TextClassifier(text="<b>")._repr_html_()
    decisions = str(tmp_path / "decisions.jsonl")
    looked = model.look(*samples.load("birds-test"), decisions=decisions, browser=False)
    try:
        with urllib.request.urlopen(looked.address, timeout=60) as answer:
            assert b"<title>Linnet</title>" in answer.read()
        assert looked.address in looked._repr_html_()
    finally:
        looked.close()
    with pytest.raises(ValueError, match="single text"):
        model.look("a text", browser=False)


def test_numbers_of_points_cover_nothing() -> None:
    """Even where points lie upon each other; each is as near as there is room."""
    random = np.random.default_rng(0)
    points = {
        f"model {k}": [tuple(random.choice([0.1, 0.2, 0.21, 1.0], 2).tolist())] for k in range(12)
    }
    figure = Figure("Time", "seconds", "accuracy", points, named=True, powers=True)
    found = numbered(figure)
    assert {one.name: [(one.x, one.y)] for one in found} == points
    assert [one.y for one in found] == sorted((one.y for one in found), reverse=True)
    alone = numbered(Figure("Time", "", "", {"only": [(1.0, 2.0)]}, named=True))
    assert not alone[0].far
    xs, ys = np.log10([one.x for one in found]), np.array([one.y for one in found])
    u = WIDE * (xs - xs.min()) / np.ptp(xs) + [one.dx for one in found]
    v = HIGH * (ys - ys.min()) / np.ptp(ys) + [one.dy for one in found]
    for i, j in itertools.combinations(range(len(found)), 2):
        assert abs(u[i] - u[j]) >= LETTERS[0] or abs(v[i] - v[j]) >= LETTERS[1]


def test_wrong_cells_are_shaded(birds: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    told = json.loads(run("evaluate", birds, FOLDER / "birds-test.tsv", "--json", "--html", page))
    counts = np.array(told["confusion"]["counts"])
    red = page.read_text(encoding="utf-8").count("background:rgba(205,50,45")
    assert red == np.count_nonzero(counts * (1 - np.eye(*counts.shape, dtype=int)))


def test_evaluate_several_labels(tmp_path: Path) -> None:
    """What the page shows: yes and no of every label, what was said instead, thresholds, reasons."""
    texts, labels = samples.load("birds-test")
    both = [f"{a} {b}" for a, b in itertools.pairwise(texts)]
    sets = [sorted(pair) if i % 7 else [] for i, pair in enumerate(itertools.pairwise(labels))]
    model, data, page, plot = (tmp_path / name for name in ("m.linnet", "d.jsonl", "p.html", "p.svg"))
    linnet.TextClassifier().fit(both[:200], sets[:200]).save(model)
    rows = zip(both[200:], sets[200:], strict=True)
    data.write_text("".join(json.dumps({"text": a, "label": b}) + "\n" for a, b in rows))
    told = json.loads(run("evaluate", model, data, "--json", "--html", page, "--plot", plot))
    read = Reader(page.read_text(encoding="utf-8"))
    assert not read.asked
    for shown in (
        "Labels, yes or no", "Missed, and what was said instead", "Labels said from a threshold on",
        "Reliability", "the best of each label", told["worst_errors"][0]["label"],
        told["worst_errors"][0]["text"][:40], "nothing",
    ):  # fmt: skip
        assert shown in read.text, shown
    assert "Missed, and what was said instead" in plot.read_text(encoding="utf-8")
    assert told["worst_errors"][0]["because"]
    shown = run("evaluate", model, data)
    for words in ("Missed, and what was said instead", "each its best", "taken for"):
        assert words in shown


def test_evaluate_a_model_that_was_given_a_table(tmp_path: Path) -> None:
    """It would give tables, and is asked for its labels."""
    texts, labels = samples.load("birds-test")
    names = sorted(set(labels))
    table = np.array([[name == label for name in names] for label in labels], int)
    model = linnet.TextClassifier().fit(texts, table)
    model.save(tmp_path / "m.linnet")
    rows = zip(texts, labels, strict=True)
    (tmp_path / "d.tsv").write_text("".join(f"{names.index(label)}\t{text}\n" for text, label in rows))
    told = json.loads(run("evaluate", tmp_path / "m.linnet", tmp_path / "d.tsv", "--json"))
    assert told["metrics"]["accuracy"] == pytest.approx(model.score(texts, table))


def test_going_on_with_several_labels(tmp_path: Path) -> None:
    """Lines of one label are sets of one; sets are refused by who gives one label."""
    texts, labels = samples.load("birds-test")
    linnet.TextClassifier().fit(texts, [[label] for label in labels]).save(tmp_path / "sets.linnet")
    linnet.TextClassifier().fit(texts, labels).save(tmp_path / "one.linnet")
    rows = zip(labels[:200], texts, strict=False)
    known = "".join(f"__label__{label} {text}\n__label__emu emu\n" for label, text in rows)
    (tmp_path / "one.ft").write_text(known)
    (tmp_path / "two.ft").write_text(f"{known}__label__emu __label__owl emu owl\n")
    for data in ("one.ft", "two.ft"):
        run(
            "train",
            tmp_path / data,
            "--from",
            tmp_path / "sets.linnet",
            "-o",
            tmp_path / "n.linnet",
            "-q",
        )
        model = linnet.load(tmp_path / "n.linnet")
        assert model.predict(["emu"]) == [("emu",)]
        assert model.score(texts, [[label] for label in labels]) > 0.8
    given = (
        "train",
        tmp_path / "two.ft",
        "--from",
        tmp_path / "one.linnet",
        "-o",
        tmp_path / "x.linnet",
    )
    found = CliRunner().invoke(main, [str(word) for word in given])
    assert found.exit_code != 0
    assert "several labels to a text, the model one" in found.stderr
