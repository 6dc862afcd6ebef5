"""Texts with several labels each: what the page shows is what models say, and sets stay sets."""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as reference

import linnet
from linnet.errors import DataError
from linnet.formats import read
from linnet.serving.look.decisions import Decisions
from linnet.serving.look.labelling import asked_label, leads
from linnet.serving.look.removal import smallest_removal, without, words_of
from linnet.serving.look.suspects import out_of_sample, ranked_sets

from .asking import Asking, Looked
from .sightings import sightings

TEXTS, LABELS = sightings("test", 1)
TRAIN = sightings("train")
POOL = TRAIN[0][:200]


@pytest.fixture
def page(sets: Path, tmp_path: Path) -> Iterator[Asking]:
    rest = tuple(part[200:] for part in TRAIN)
    weak = linnet.TextClassifier().fit(TRAIN[0][200:300], TRAIN[1][200:300])
    looked = Looked(
        linnet.load(sets), "sets", TEXTS, LABELS, {"odd": [len(text) % 2 for text in TEXTS]},
        pool=POOL, train=rest, rival=weak, decisions=str(tmp_path / "decisions.jsonl"),
    )  # fmt: skip
    asking = Asking(looked)
    with asking.client:
        yield asking


def flags(model: Any, sets: Any) -> Any:
    return np.array([[name in one for name in model.classes_] for one in sets])


# ---------------------------------------------------------------------- errors


def test_all_views_are_there(page: Asking) -> None:
    told = page("about")
    assert told["views"] == ["try", "errors", "labels", "teach", "weights"]
    assert told["several"]


def test_errors_agree_with_scikit_learn(page: Asking, sets: Path) -> None:
    model = linnet.load(sets)
    gold, said = flags(model, LABELS), flags(model, model.predict(TEXTS))
    told = page("errors")
    assert told["metrics"]["accuracy"] == pytest.approx(reference.accuracy_score(gold, said))
    for average in ("micro", "macro"):
        expected = reference.f1_score(gold, said, average=average)
        assert told["metrics"][f"{average}_f1"] == pytest.approx(expected)
        interval = told["intervals"][f"{average}_f1"]
        assert interval["low"] < expected < interval["high"]
    tables = reference.multilabel_confusion_matrix(gold, said)
    for row, ((neither, too_many), (missed, right)) in zip(told["per_label"], tables, strict=True):
        found = [row[k] for k in ("neither", "too_many", "missed", "right")]
        assert found == [neither, too_many, missed, right]
    assert told["errors"] == (gold != said).any(axis=1).sum()


@pytest.mark.parametrize("how", ["right", "missed", "too many", "neither"])
def test_every_number_of_a_label_opens_its_texts(page: Asking, how: str) -> None:
    (row,) = (row for row in page("errors")["per_label"] if row["label"] == "owl")
    told = page("errors", part="label", label="owl", how=how)
    assert told["all"] == row[how.replace(" ", "_")] > 0
    for one in told["texts"]:
        assert ("owl" in one["gold"]) == (how in ("right", "missed"))
        assert ("owl" in one["guess"]) == (how in ("right", "too many"))
        assert one["about"] == "owl"
        assert one["how"] == how
    assert any(one["because"] for one in told["texts"])
    assert "wanted" in page("errors", 422, part="label", label="owl", how="odd")["error"]


def test_every_cell_of_what_was_said_instead_opens_its_texts(page: Asking) -> None:
    told = page("errors")["instead"]
    names, seen = told["labels"], 0
    for (i, missed), (j, extra) in product(enumerate(names), enumerate(names)):
        if not (times := told["counts"][i][j]):
            continue
        cell = page("errors", part="cell", gold=missed, guess=extra)
        assert cell["all"] == times
        for one in cell["texts"]:
            lacks, has = set(one["gold"]) - set(one["guess"]), set(one["guess"]) - set(one["gold"])
            assert missed in lacks if missed else not lacks
            assert extra in has if extra else not has
        seen += 1
    assert seen > 5


def test_reasons_are_of_the_label_they_are_about(page: Asking, sets: Path) -> None:
    model = linnet.load(sets)
    told = page("errors", part="label", label="owl", how="missed")["texts"][0]
    why = model.explain(told["text"])
    y = why.labels.index("owl")
    shares: dict[str, float] = {}
    for piece in why.pieces:
        shares[piece.name] = shares.get(piece.name, 0.0) - float(piece.contributions[y])
    best = max(shares, key=lambda name: shares[name])
    assert told["because"][0]["share"] == pytest.approx(shares[best])


def test_curves_of_all_labels_and_of_one(page: Asking, sets: Path) -> None:
    model = linnet.load(sets)
    gold, chances = flags(model, LABELS), model.predict_proba(TEXTS)
    point = page("errors", part="curves", label="")["points"][30]
    said = chances >= point["threshold"]
    assert point["precision"] == pytest.approx(reference.precision_score(gold, said, average="micro"))
    assert point["f1"] == pytest.approx(reference.f1_score(gold, said, average="micro"))
    assert point["coverage"] == pytest.approx(said.any(axis=1).mean())
    assert point["each"] == pytest.approx(said.sum(axis=1).mean())
    k = model.classes_.tolist().index("owl")
    told = page("errors", part="curves", label="owl")
    point, said = told["points"][30], chances[:, k] >= told["points"][30]["threshold"]
    assert point["recall"] == pytest.approx(reference.recall_score(gold[:, k], said))
    bins = told["reliability"]
    assert sum(row["texts"] * row["right"] for row in bins) == pytest.approx(gold[:, k].sum())


def test_thresholds_that_are_chosen_give_what_is_told(page: Asking, sets: Path) -> None:
    told = page("errors", part="thresholds", thresholds={"owl": 0.3, "wren": 0.8})
    model = linnet.load(sets)
    model.thresholds = {"owl": 0.3, "wren": 0.8}
    gold, said = flags(model, LABELS), flags(model, model.predict(TEXTS))
    figures = told["figures"]["chosen"]
    assert figures["micro_f1"] == pytest.approx(reference.f1_score(gold, said, average="micro"))
    assert figures["accuracy"] == pytest.approx(reference.accuracy_score(gold, said))
    best = told["figures"]
    assert best["best"]["macro_f1"] >= best["now"]["macro_f1"]
    model.thresholds = {row["label"]: row["best"] for row in told["rows"]}
    said = flags(model, model.predict(TEXTS))
    assert best["best"]["macro_f1"] == pytest.approx(reference.f1_score(gold, said, average="macro"))
    assert "number" in page("errors", 422, part="thresholds", thresholds={"owl": "x"})["error"]


def test_slices_repetitions_and_a_second_model(page: Asking) -> None:
    rows = page("errors", part="slices", word="the")["slices"]
    by = {row["name"]: row["texts"] for row in rows}
    assert by["no labels"] == 60
    assert by["no labels"] + by["1 label"] + by["2 labels"] + by["3 labels"] == len(TEXTS)
    assert by["odd = 0"] + by["odd = 1"] == len(TEXTS)
    pairs = page("errors", part="repeated")["pairs"]
    assert all(pair["same"] == (pair["labels"][0] == pair["labels"][1]) for pair in pairs)
    told = page("errors", part="rival")
    assert {row["metric"] for row in told["differences"]} == {"accuracy", "micro_f1", "macro_f1"}
    assert all(one["other"] != one["guess"] for one in told["texts"])
    assert told["all"] > 0


# ---------------------------------------------------------------------- labels that look wrong


def test_planted_mistakes_are_found(sets: Path) -> None:
    """Labels that were taken away or added, among the first, as far as texts are clear at all."""
    texts, labels = TRAIN
    random, names = np.random.default_rng(0), sorted({name for one in labels for name in one})
    wrong = {int(i): names[random.integers(len(names))] for i in random.choice(len(texts), 60, False)}
    given = [tuple(sorted({*one} ^ {wrong[i]})) if i in wrong else one for i, one in enumerate(labels)]
    rows = ranked_sets(*out_of_sample(linnet.load(sets), texts, given), given)
    first = [row for row in rows[:60] if row["place"] in wrong]
    assert len(first) >= 36
    mended = [tuple(row["suggested"]) == labels[row["place"]] for row in first]
    assert np.mean(mended) > 0.8
    for row in rows:
        turned = {*row["label"]} ^ {*row["suggested"]}
        assert turned == {one["label"] for one in row["doubts"]}
        assert all(one["set"] == (one["label"] in row["label"]) for one in row["doubts"])
        least = min(one["probable"] if one["set"] else 1 - one["probable"] for one in row["doubts"])
        assert row["given"] == pytest.approx(least)


def test_a_label_that_nobody_can_judge_is_not_doubted(sets: Path) -> None:
    """It occurs once, so that who judges it has never seen it."""
    texts, labels = (part[:100] for part in TRAIN)
    given = [*labels[:-1], (*labels[-1], "emu")]
    shares, names = out_of_sample(linnet.load(sets), texts, given)
    assert np.isnan(shares[-1, names.tolist().index("emu")])
    rows = ranked_sets(shares, names, given)
    assert all(one["label"] != "emu" for row in rows if row["place"] == 99 for one in row["doubts"])


def test_sets_are_settled_and_taken_back(page: Asking, tmp_path: Path) -> None:
    row = page("labels")["rows"][0]
    for label in (row["suggested"], row["label"], []):
        page("settle", place=row["place"], label=label)
        assert page("labels")["rows"][0]["decided"] == label
    assert page("settle", undo=True)["undone"] == row["place"]
    assert "list of strings" in page("settle", 422, place=row["place"], label=[3])["error"]
    assert "sets of labels" in page("settle", 422, place=row["place"], label="owl")["error"]
    line = json.loads((tmp_path / "decisions.jsonl").read_text().splitlines()[0])
    assert line["label"] == row["suggested"]
    assert line["was"] == row["label"]


# ---------------------------------------------------------------------- teaching


def test_leads_are_of_the_two_best_sets() -> None:
    """Against all sets there are."""
    chances = np.random.default_rng(0).random((20, 4))
    for row, lead in zip(chances, leads(chances, True), strict=True):
        sets = sorted(
            np.prod(np.where(has, row, 1 - row)) for has in product((False, True), repeat=len(row))
        )
        assert lead == pytest.approx(sets[-1] - sets[-2])


def test_least_sure_is_least_sure(page: Asking, sets: Path) -> None:
    told = page("teach", order="least sure")
    chances = linnet.load(sets).predict_proba(POOL)
    assert told["texts"][0]["place"] == int(np.argmin(leads(chances, True)))
    guess = linnet.load(sets).predict([POOL[told["texts"][0]["place"]]])[0]
    assert told["texts"][0]["guess"] == list(guess)


@pytest.mark.parametrize("order", ["mixture", "least sure", "most telling", "random"])
def test_the_queue_holds_each_text_once(page: Asking, order: str) -> None:
    page("teach", order=order)
    assert sorted(page.app.state.page.session.teaching.queue(order)) == list(range(200))


@pytest.mark.parametrize("refits", [True, False])
def test_teaching_sets_changes_the_model(sets: Path, tmp_path: Path, refits: bool) -> None:
    """A label that the model never knew, together with one it knows; and no label at all."""
    words = ("one", "two", "three", "four", "five")
    pool = [f"the zonk hooted and hissed, number {word}" for word in words]
    looked = Looked(
        linnet.load(sets), pool=[*pool, "nothing"], decisions=str(tmp_path / "d.jsonl"),
        train=TRAIN if refits else None,
    )  # fmt: skip
    page = Asking(looked)
    for _ in range(5):
        told = page("teach")
        first = told["texts"][0]
        label = [] if first["text"] == "nothing" else ["zonk", "owl"]
        told = page("teach", place=first["place"], label=label)
    assert told["left"] == 1
    assert told["cannot"] == ""
    assert "zonk" in told["labels"]
    teaching = page.app.state.page.session.teaching
    k = told["labels"].index("zonk")
    assert teaching.chances[:5, k].min() > teaching.chances[5, k]
    again = Asking(looked)
    assert again("teach")["decided"] == 5
    for _ in range(5):
        told = page("teach", undo=True)
    assert told["left"] == 6
    assert "zonk" not in told["labels"]


def test_a_few_decisions_do_not_make_a_model_forget(sets: Path, tmp_path: Path) -> None:
    model = linnet.load(sets)
    looked = Looked(model, pool=POOL, decisions=str(tmp_path / "d.jsonl"))
    page = Asking(looked)
    for _ in range(20):
        place = page("teach")["texts"][0]["place"]
        page("teach", place=place, label=list(TRAIN[1][place]))
    taught = page.app.state.page.session.teaching.model
    assert taught.score(TEXTS, LABELS) > model.score(TEXTS, LABELS) - 0.05


def test_exports_and_imports_keep_sets(page: Asking, tmp_path: Path) -> None:
    made = []
    for label in (["owl", "wren"], [], ["heron"]):
        first = page("teach")["texts"][0]
        page("teach", place=first["place"], label=label)
        made.append((label, first["text"]))
    for form in ("tsv", "jsonl"):
        path = tmp_path / f"exported.{form}"
        path.write_bytes(page.client.get(f"/s3cret/export/decisions.{form}").content)
        found = read(path, multilabel=True)
        assert list(zip(found.labels.values(), found.texts, strict=True)) == made
    kept = [one.label for one in Decisions(str(tmp_path / "decisions.jsonl")).standing("teach")]
    assert kept == [tuple(label) for label, _ in made]
    first = page("teach")["texts"][0]
    page("teach", place=first["place"], label=["a,b"])
    answer = page.client.get("/s3cret/export/decisions.tsv")
    assert answer.status_code == 422
    assert "commas" in answer.json()["error"]


def test_rules_add_labels_to_what_the_model_says(page: Asking) -> None:
    told = page("rules", kind="words", rule="gorse", label="emu")
    assert told["covered"] > 0
    told = page("rules", kind="words", rule="gorse, bird", label="owl")
    assert told["conflicts"] == 0
    assert told["example"] is None
    page("rules", learn=True)
    assert "emu" in page("teach")["labels"]
    place = next(i for i, text in enumerate(POOL) if "gorse" in text)
    page("teach", place=place, label=["emu", "owl"])
    rows = page("rules")["rows"]
    assert [(row["decided"], row["right"]) for row in rows] == [(1, 1), (1, 1)]


def test_decisions_of_the_other_kind_are_refused(sets: Path, birds: Path, tmp_path: Path) -> None:
    """A set is no label; one label is a set of one."""
    for label, model, decided in ((("owl", "wren"), birds, None), ("owl", sets, 1)):
        path = str(tmp_path / f"{decided}.jsonl")
        decisions = Decisions(path)
        decisions.add(text="It hooted.", label=label)
        decisions.close()
        page = Asking(Looked(linnet.load(model), pool=POOL, decisions=path))
        told = page("teach", 200 if decided else 422)
        if decided:
            assert told["decided"] == decided
        else:
            assert "--decisions" in told["error"]


@pytest.mark.parametrize(
    "asked", [{"label": 3}, {"label": [""]}, {"label": {"a": 1}}, {"label": "owl"}]
)
def test_what_is_no_set_is_refused(asked: Any) -> None:
    with pytest.raises(DataError):
        asked_label(asked, True)
    assert asked_label({"label": ["b", "a", "b"]}, True) == ("a", "b")
    assert asked_label({}, True) is None
    with pytest.raises(DataError, match="string, or null"):
        asked_label({"label": ["owl"]}, False)


# ---------------------------------------------------------------------- trying, and what else there is


def test_the_smallest_removal_changes_the_set(sets: Path) -> None:
    model, tried = linnet.load(sets), 0
    for text in TEXTS[:30]:
        words = " ".join(text.split()[:7])
        spans = words_of(words)
        found = smallest_removal(model, words, spans)
        (before,) = model.predict([words])
        if found is not None:
            (after,) = model.predict([without(words, spans, found["words"])])
            assert after != before
            assert found["label"] == (", ".join(after) or "no label")
            for k in found["words"]:
                left = without(words, spans, set(found["words"]) - {k})
                assert model.predict([left])[0] == before
            tried += 1
    assert tried > 10


def test_try_tells_which_labels_are_said(page: Asking, sets: Path) -> None:
    (said,) = linnet.load(sets).predict(TEXTS[:1])
    told = page("try", text=TEXTS[0])
    assert told["said"] == list(said)
    assert told["answer"] == ", ".join(said)


def test_margins_below_zero_are_errors(page: Asking, sets: Path) -> None:
    texts, labels = (part[200:] for part in TRAIN)
    told = page("record")["margins"]
    model = linnet.load(sets)
    assert told["below"] == sum(a != b for a, b in zip(model.predict(texts), labels, strict=True))
    assert told["several"]


@pytest.mark.parametrize(
    "settings", [{"loss": "hinge"}, {"thresholds": {"owl": 0.9}}, {"learner": "perceptron"}]
)
def test_models_without_probabilities_or_with_thresholds(settings: Any, tmp_path: Path) -> None:
    model = linnet.TextClassifier(**settings).fit(*(part[:300] for part in TRAIN))
    page = Asking(Looked(model, "m", TEXTS, LABELS, decisions=str(tmp_path / "d.jsonl")))
    told = page("errors")
    gold, said = flags(model, LABELS), flags(model, model.predict(TEXTS))
    assert told["metrics"]["micro_f1"] == pytest.approx(reference.f1_score(gold, said, average="micro"))
    (row,) = (row for row in told["thresholds"]["rows"] if row["label"] == "owl")
    usual = 0.5 if "thresholds" in settings else 0.0
    assert row["now"] == settings.get("thresholds", {}).get("owl", usual)
    assert page("labels")["all"] > 0


def test_labels_given_as_a_table(tmp_path: Path) -> None:
    names = sorted({name for one in TRAIN[1] for name in one})
    tables = [
        np.array([[name in one for name in names] for one in sets], int) for sets in (TRAIN[1], LABELS)
    ]
    model = linnet.TextClassifier().fit(TRAIN[0], tables[0])
    opened = model.look(TEXTS, tables[1], decisions=str(tmp_path / "d.jsonl"), browser=False)
    opened.close()
    named = [tuple(str(names.index(name)) for name in one) for one in LABELS]
    page = Asking(Looked(model, "m", TEXTS, named, decisions=str(tmp_path / "d.jsonl")))
    assert page("errors")["metrics"]["accuracy"] == pytest.approx(model.score(TEXTS, tables[1]))


def test_one_label_and_sets_are_not_compared(sets: Path, birds: Path) -> None:
    one, several = linnet.load(birds), linnet.load(sets)
    with pytest.raises(DataError, match="gives one label to a text"):
        several.look(TEXTS, LABELS, against=one, browser=False)
    with pytest.raises(DataError, match="the model gives one"):
        one.look(TEXTS, LABELS, browser=False)
