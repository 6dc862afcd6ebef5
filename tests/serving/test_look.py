"""What the page shows is what models say; who does not know its address sees nothing."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.data.samples import load
from linnet.errors import DataError

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from linnet.serving.look.app import page_files
from linnet.serving.look.removal import smallest_removal, without, words_of
from linnet.serving.look.session import Looked
from linnet.serving.look.suspects import out_of_sample, ranked

from .asking import Asking

TEXTS, LABELS = load("birds-test")


@pytest.fixture
def page(birds: Path, tmp_path: Path) -> Iterator[Asking]:
    train = load("birds-train")
    looked = Looked(
        linnet.load(birds),
        "birds",
        TEXTS,
        LABELS,
        {"odd": [len(text) % 2 for text in TEXTS]},
        pool=load("birds-train")[0][:100],
        train=train,
        rival=linnet.load(birds),
        decisions=str(tmp_path / "decisions.jsonl"),
    )
    asking = Asking(looked)
    with asking.client:
        yield asking


def test_nobody_guesses_the_address(page: Asking) -> None:
    client = page.client
    assert client.get("/s3cret/").status_code == 200
    for path in ("/", "/s3cret2/", "/other/main.js", "/s3cret/../pyproject.toml", "/s3cret/none.js"):
        assert client.get(path).status_code == 404, path
    assert client.post("/other/api/about", content="{}").status_code == 404
    assert client.get("/s3cret/", headers={"host": "evil.example"}).status_code == 404
    assert client.get("/s3cret/", headers={"sec-fetch-site": "cross-site"}).status_code == 403


def test_the_page_is_small_and_asks_nobody_else(page: Asking) -> None:
    assert sum(map(len, page_files().values())) <= 150_000
    for name, content in page_files().items():
        text = content.decode()
        found = [word for word in text.replace('"', " ").replace("'", " ").split() if "//" in word]
        outside = [word for word in found if word.startswith(("http:", "https:", "//"))]
        assert all("www.w3.org" in word or word == "//" for word in outside), (name, outside)
        answer = page.client.get(f"/s3cret/{name}")
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "document.write"):
        assert not any(forbidden in content.decode() for content in page_files().values())


def test_try_says_what_the_model_says(page: Asking, birds: Path) -> None:
    model = linnet.load(birds)
    told = page("try", text=TEXTS[0])
    shares = dict(zip(model.classes_.tolist(), model.predict_proba(TEXTS[:1])[0], strict=True))
    assert {one["label"]: one["probability"] for one in told["labels"]} == pytest.approx(shares)
    why = told["explained"]
    assert "".join(run for run, _ in why["runs"]) == TEXTS[0]
    spread = sum(len(run) * value for run, value in why["runs"])
    assert spread + why["bias"] == pytest.approx(why["score"])
    k = int(np.flatnonzero(model.classes_ == why["label"])[0])
    assert why["score"] == pytest.approx(model.decision_function(TEXTS[:1])[0, k])


def test_struck_words_are_gone(page: Asking, birds: Path) -> None:
    told = page("try", text=TEXTS[0], struck=[0, 2])
    left = without(TEXTS[0], words_of(TEXTS[0]), {0, 2})
    shares = linnet.load(birds).predict_proba([left])[0]
    assert told["labels"][0]["probability"] == pytest.approx(shares.max())
    assert told["before"] is not None


def test_the_smallest_removal_is_the_smallest(birds: Path) -> None:
    """Against all sets of words, in the order of their sizes."""
    model = linnet.load(birds)
    tried = 0
    for text in TEXTS[:40]:
        words = " ".join(text.split()[:7])
        spans = words_of(words)
        found = smallest_removal(model, words, spans)
        label = model.predict([words])[0]
        sizes = [
            size
            for size in range(1, len(spans) + 1)
            for each in itertools.combinations(range(len(spans)), size)
            if model.predict([without(words, spans, each)])[0] != label
        ][:1]
        assert (found is None) == (not sizes)
        if found is not None:
            assert found["smallest"]
            assert len(found["words"]) == sizes[0]
            assert model.predict([without(words, spans, found["words"])])[0] == found["label"] != label
            tried += 1
    assert tried > 20


def test_long_texts_hang_on_words_too(birds: Path) -> None:
    """What is found turns the label, and no word of it can be put back."""
    model = linnet.load(birds)
    text = " ".join(TEXTS[:20])
    spans = words_of(text)
    assert len(spans) > 200
    found = smallest_removal(model, text, spans)
    label = model.predict([text])[0]
    assert found is not None
    assert not found["smallest"]
    struck = set(found["words"])
    assert model.predict([without(text, spans, struck)])[0] == found["label"] != label
    for k in struck:
        assert model.predict([without(text, spans, struck - {k})])[0] == label
    with pytest.raises(DataError, match="too long"):
        smallest_removal(model, "word " * 30_000, words_of("word " * 30_000))


def test_two_labels_explain_both_sides(tmp_path: Path) -> None:
    model = linnet.TextClassifier().fit(*load("verse-train"))
    page = Asking(Looked(model, decisions=str(tmp_path / "d.jsonl")))
    text = load("verse-test")[0][0]
    one, other = (page("try", text=text, label=label)["explained"] for label in model.classes_.tolist())
    assert one["score"] == pytest.approx(-other["score"])
    assert other["score"] == pytest.approx(float(model.decision_function([text])[0]))


def test_errors_agree_with_scikit_learn(page: Asking, birds: Path) -> None:
    from sklearn.metrics import accuracy_score, confusion_matrix, f1_score

    model = linnet.load(birds)
    guess = model.predict(TEXTS)
    told = page("errors")
    assert told["metrics"]["accuracy"] == pytest.approx(accuracy_score(LABELS, guess))
    assert told["metrics"]["macro_f1"] == pytest.approx(f1_score(LABELS, guess, average="macro"))
    matrix = confusion_matrix(LABELS, guess, labels=told["confusion"]["labels"])
    assert told["confusion"]["counts"] == matrix.tolist()
    i, j = np.argwhere(matrix * (1 - np.eye(len(matrix), dtype=int)))[0]
    gold, said = told["confusion"]["labels"][i], told["confusion"]["labels"][j]
    cell = page("errors", part="cell", gold=gold, guess=said)
    assert cell["all"] == matrix[i, j]
    assert {(one["gold"], one["guess"]) for one in cell["texts"]} == {(gold, said)}
    assert all(one["because"] for one in cell["texts"])
    sure = model.predict_proba(TEXTS).max(axis=1)
    half = told["curves"]["points"][50]
    assert half["coverage"] == pytest.approx(float((sure >= 0.5).mean()))
    assert half["precision"] == pytest.approx(float((guess == np.array(LABELS))[sure >= 0.5].mean()))
    assert sum(row["texts"] for row in told["curves"]["reliability"]) == len(TEXTS)


def test_thresholds_of_a_label_agree_with_scikit_learn(page: Asking, birds: Path) -> None:
    from sklearn.metrics import precision_score, recall_score

    model = linnet.load(birds)
    shares = model.predict_proba(TEXTS)[:, list(model.classes_).index("owl")]
    gold = np.array(LABELS) == "owl"
    told = page("errors", part="curves", label="owl")
    for k in (10, 50, 90):
        row, said = told["points"][k], shares >= told["points"][k]["threshold"]
        assert row["threshold"] == pytest.approx(k / 100)
        assert row["precision"] == pytest.approx(precision_score(gold, said))
        assert row["recall"] == pytest.approx(recall_score(gold, said))
        assert row["coverage"] == pytest.approx(said.mean())
    bins = told["reliability"]
    assert sum(row["texts"] * row["right"] for row in bins) == pytest.approx(gold.sum())
    assert "no label" in page("errors", 422, part="curves", label="emu")["error"]


def test_slices_cover_the_data(page: Asking) -> None:
    rows = page("errors", part="slices", word="the")["slices"]
    by = {row["name"]: row for row in rows}
    assert by["contains the"]["texts"] + by.get("without the", {"texts": 0})["texts"] == len(TEXTS)
    assert by["odd = 0"]["texts"] + by["odd = 1"]["texts"] == len(TEXTS)
    lengths = [row["texts"] for row in rows if "characters" in row["name"]]
    assert sum(lengths) == len(TEXTS)
    assert all(row["low"] <= row["right"] <= row["high"] for row in rows)


def test_repetitions_and_rival(page: Asking) -> None:
    told = page("errors", part="repeated")
    assert told["trained_on"]["all"] >= 0
    assert all(pair["share"] >= 0.8 for pair in told["pairs"])
    assert page("errors", part="rival")["all"] == 0


def test_planted_mistakes_are_found(birds: Path) -> None:
    """Most of the labels that were changed on purpose are among the first."""
    texts, labels = load("birds-train")
    random = np.random.default_rng(0)
    wrong = set(random.choice(len(texts), 60, replace=False).tolist())
    names = sorted(set(labels))
    given = [
        names[(names.index(label) + 1) % len(names)] if i in wrong else label
        for i, label in enumerate(labels)
    ]
    shares, known = out_of_sample(linnet.load(birds), texts, given)
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(texts)))
    rows = ranked(shares, known, given)
    first = rows[:60]
    assert sum(row["place"] in wrong for row in first) >= 45
    right = [row for row in first if row["place"] in wrong]
    assert np.mean([row["suggested"] == labels[row["place"]] for row in right]) > 0.9


def test_labels_are_settled_and_taken_back(page: Asking) -> None:
    row = page("labels")["rows"][0]
    assert row["decided"] is None
    page("settle", place=row["place"], label=row["suggested"])
    assert page("labels")["rows"][0]["decided"] == row["suggested"]
    assert page("settle", undo=True)["undone"] == row["place"]
    assert page("labels")["rows"][0]["decided"] is None
    assert page("settle", undo=True)["undone"] is None
    assert "wanted" in page("settle", 422, place=10**6, label="owl")["error"]


@pytest.mark.parametrize("order", ["mixture", "least sure", "most telling", "random"])
def test_the_queue_holds_each_text_once(page: Asking, order: str) -> None:
    told = page("teach", order=order)
    assert told["left"] == 100
    queue = page.app.state.page.session.teaching.queue(order)
    assert sorted(queue) == list(range(100))


def test_the_mixture_shows_each_order_in_its_turn(page: Asking) -> None:
    """One text is shown at a time, so that the first ones of four queues are a mixture."""
    teaching, turns = page.app.state.page.session.teaching, []
    for _ in range(4):
        first = {order: teaching.queue(order)[0] for order in ("least sure", "most telling", "random")}
        shown = page("teach", order="mixture")["texts"][0]["place"]
        turns.append([order for order, place in first.items() if place == shown])
        page("teach", place=shown, label="owl")
    assert "least sure" in turns[0]
    assert "most telling" in turns[1]
    assert "random" in turns[3]


def test_least_sure_is_least_sure(page: Asking, birds: Path) -> None:
    told = page("teach", order="least sure")
    pool = load("birds-train")[0][:100]
    shares = np.sort(linnet.load(birds).predict_proba(pool), axis=1)
    assert told["texts"][0]["place"] == int(np.argmin(shares[:, -1] - shares[:, -2]))


@pytest.mark.parametrize("refits", [True, False])
@pytest.mark.parametrize("which", [linnet.TextDecisionList, linnet.TextBrill])
def test_lists_and_rules_have_all_views(which: Any, refits: bool, tmp_path: Path) -> None:
    """Lines that decided in place of weights; learnt anew from all texts, or not at all."""
    texts, labels = (part[:200] for part in load("birds-train"))
    model = which().fit(texts, labels)
    train = (texts, labels) if refits else None
    pool = ["a zonk here", "a zonk there", "zonk and zonk"]
    path = str(tmp_path / "d.jsonl")
    page = Asking(Looked(model, "list", TEXTS, LABELS, pool=pool, train=train, decisions=path))
    told = page("try", text=TEXTS[0])
    assert told["explained"] is None
    assert told["unexplained"] == str(model.explain(TEXTS[0]))
    assert page("errors")["errors"] == sum(model.predict(TEXTS) != np.array(LABELS))
    assert "none" in page("weights")
    for _ in range(2):
        told = page("teach", order="random")
        told = page("teach", place=told["texts"][0]["place"], label="zonk")
    assert told["decided"] == 2
    assert bool(told["cannot"]) != refits
    assert ("zonk" in told["labels"]) == refits


@pytest.mark.parametrize("refits", [True, False])
def test_teaching_changes_the_model(birds: Path, tmp_path: Path, refits: bool) -> None:
    """A label that the model never knew is learnt from a few texts; undone, it is forgotten."""
    pool = [f"the zonk bird number {word}" for word in ("one", "two", "three", "four", "five", "six")]
    train = load("birds-train") if refits else None
    looked = Looked(linnet.load(birds), pool=pool, train=train, decisions=str(tmp_path / "d.jsonl"))
    page = Asking(looked)
    for _ in range(5):
        told = page("teach")
        told = page("teach", place=told["texts"][0]["place"], label="zonk", note="sure")
    assert told["left"] == 1
    assert told["texts"][0]["labels"][0]["label"] == "zonk"
    assert told["counts"] == {"zonk": 5}
    assert told["last"][0]["note"] == "sure"
    sure = [one["probability"] for one in told["texts"][0]["labels"]]
    assert None not in sure
    assert sum(sure) == pytest.approx(1.0)
    again = Asking(looked)
    assert again("teach")["decided"] == 5
    for _ in range(5):
        told = page("teach", undo=True)
    assert told["left"] == 6
    assert "zonk" not in told["labels"]


def test_exports(page: Asking) -> None:
    place = page("teach")["texts"][0]["place"]
    page("teach", place=place, label="owl")
    place = page("teach")["texts"][0]["place"]
    page("teach", place=place, label=None)
    tsv = page.client.get("/s3cret/export/decisions.tsv")
    label, _, text = tsv.text.rstrip("\n").partition("\t")
    assert label == "owl"
    assert text in load("birds-train")[0]
    assert json.loads(page.client.get("/s3cret/export/decisions.jsonl").text)["label"] == "owl"
    assert page.client.get("/s3cret/export/decisions.conll").text.endswith(" owl\n\n")
    assert page.client.get("/s3cret/export/decisions.exe").status_code == 404


def test_weights_are_searched(page: Asking, birds: Path) -> None:
    told = page("weights", search="GORSE", label="linnet", order="strongest")
    assert all("gorse" in row[1] for row in told["rows"])
    assert {row[0] for row in told["rows"]} == {"linnet"}
    sizes = [abs(row[2]) for row in told["rows"]]
    assert sizes == sorted(sizes, reverse=True)
    best = linnet.load(birds).inspect(1).to_dict()["linnet"]["features"][0]
    first = page("weights", label="linnet")["rows"][0]
    assert first[1] == best["name"]
    assert first[2] == pytest.approx(best["weight"])
    assert {row[3] for row in page("weights", family="chars_wb")["rows"]} == {"chars_wb"}
    assert page("record")["settings"]["loss"] == linnet.load(birds).record_.loss


def test_pinned_tags_hold(names: Path, tmp_path: Path) -> None:
    model = linnet.load(names)
    page = Asking(Looked(model, decisions=str(tmp_path / "d.jsonl")))
    text = "Martin Okoye saw a linnet. A wren sang."
    free = page("try", text=text)
    assert [t["tag"] for s in free["sentences"] for t in s["tokens"]] == model.predict([text])[0]
    held = page("try", text=text, pinned=[[0, 0, "O"], [1, 1, "B-PLACE"]])
    assert held["sentences"][0]["tokens"][0]["tag"] == "O"
    assert held["sentences"][1]["tokens"][1]["tag"] == "B-PLACE"
    assert held["sentences"][0]["best"][0][0] == [t["tag"] for t in held["sentences"][0]["tokens"]]
    chance = dict(held["sentences"][0]["tokens"][0]["chances"])
    assert chance["O"] == pytest.approx(1.0)
    assert page("weights", search="wren")["rows"]


def test_pinned_heads_hold(trees: Path, tmp_path: Path) -> None:
    page = Asking(Looked(linnet.load(trees), decisions=str(tmp_path / "d.jsonl")))
    text = "The young farmer walked home."
    heads = page("try", text=text)["sentences"][0]["heads"]
    other = next(h for h in (2, 4, 5) if h != heads[2] and h != 3)
    held = page("try", text=text, pinned=[[0, 2, other]])["sentences"][0]
    assert held["heads"][2] == other
    assert held["pinned"] == [2]
    assert held["best"][0][0] == held["heads"]
    assert page("try", text="She doesn't sing.")["sentences"][0]["words"][1] == "doesn't"
    assert "root" in page("try", 422, text=text, pinned=[[0, 0, 0], [0, 1, 0]])["error"]


def test_margins_of_arcs_are_those_of_the_best_other_trees(tmp_path: Path) -> None:
    """Against the trees in which one head is forbidden, found by their scores."""
    parser = linnet.DependencyParser(tagger="auto", loss="hinge")
    parser.fit(linnet.data.samples.load_trees("rambles-train").take(list(range(40))))
    page = Asking(Looked(parser, decisions=str(tmp_path / "d.jsonl")))
    text = "The farmer walked home."
    told = page("try", text=text)["sentences"][0]
    assert told["chances"] is None
    trees = linnet.data.Trees.from_texts([text])
    several = parser.predict(trees, k=200)[0]
    best = several[0][2]
    for k, row in enumerate(told["leads"]):
        other = max(score for heads, _, score in several if heads[k] != told["heads"][k])
        assert row["lead"] == pytest.approx(best - other, rel=1e-5, abs=1e-5)
        seconds = [heads[k] for heads, _, score in several if score == pytest.approx(other)]
        assert row["second"] in seconds


def test_pinned_brackets_hold(phrases: Path, tmp_path: Path) -> None:
    page = Asking(Looked(linnet.load(phrases), decisions=str(tmp_path / "d.jsonl")))
    text = "the owl sings in town"
    free = page("try", text=text)["sentences"][0]
    held = page("try", text=text, pinned=[[0, 1, 3, "NP"]])["sentences"][0]
    assert [1, 3, "NP"] in held["brackets"]
    assert [1, 3, "NP"] not in free["brackets"]
    gone = page("try", text=text, forbidden=[[0, *free["brackets"][1]]])["sentences"][0]
    assert free["brackets"][1] not in gone["brackets"]
    assert "none" in page("weights")


@pytest.mark.parametrize("view", ["try", "errors", "labels", "settle", "teach", "weights"])
@pytest.mark.parametrize("body", [b"[]", b"{", b'{"text": 3, "label": [], "search": {}}', b"\xff"])
def test_nonsense_is_refused(page: Asking, view: str, body: bytes) -> None:
    answer = page.client.post(f"/s3cret/api/{view}", content=body)
    assert answer.status_code in (200, 400, 422)


def test_views_without_their_data_say_so(birds: Path, tmp_path: Path) -> None:
    page = Asking(Looked(linnet.load(birds), decisions=str(tmp_path / "d.jsonl")))
    assert page("about")["views"] == ["try", "weights"]
    for view in ("errors", "labels", "teach"):
        assert "linnet look MODEL" in page(view, 422)["error"]


def test_margins_below_zero_are_errors(birds: Path, tmp_path: Path) -> None:
    model = linnet.load(birds)
    page = Asking(Looked(model, texts=TEXTS, labels=LABELS, decisions=str(tmp_path / "d.jsonl")))
    told = page("record")["margins"]
    assert told["below"] == int((model.predict(TEXTS) != np.array(LABELS)).sum())
    assert sum(row["texts"] for row in told["bins"]) == told["texts"] == len(TEXTS)
    verse = linnet.TextClassifier().fit(*load("verse-train"))
    texts, labels = load("verse-test")
    page = Asking(Looked(verse, texts=texts, labels=labels, decisions=str(tmp_path / "e.jsonl")))
    wrong = int((verse.predict(texts) != np.array(labels)).sum())
    assert page("record")["margins"]["below"] == wrong


@pytest.mark.parametrize("made", [linnet.KernelSVM("gaussian"), linnet.TextNeighbors()])
def test_who_has_no_weights_of_words_is_told(made: Any) -> None:
    model = made.fit(["a linnet", "a wren"] * 4, ["linnet", "wren"] * 4)
    with pytest.raises(DataError, match="no weights of words to look at"):
        model.look(browser=False)
