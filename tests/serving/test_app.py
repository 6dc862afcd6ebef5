"""The server's answers are those of the models, whoever asks, and what is no question is refused."""

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linnet
from linnet.data.samples import load
from linnet.errors import DataError
from linnet.serving.limits import Limits
from linnet.serving.models import Models

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

from linnet.serving.app import application

from .sightings import sightings

TEXTS, LABELS = load("birds-test")


@pytest.fixture
def client(birds: Path, names: Path, trees: Path, phrases: Path) -> Iterator[Any]:
    app = application(Models([str(path) for path in (birds, names, trees, phrases)]))
    with TestClient(app) as client:
        yield client


def test_labels_are_the_models(client: Any, birds: Path) -> None:
    model = linnet.load(birds)
    answer = client.post("/predict", json={"texts": TEXTS}).json()
    assert answer["model"] == "birds"
    assert [one["label"] for one in answer["answers"]] == model.predict(TEXTS).tolist()
    best = model.predict_proba(TEXTS).max(axis=1)
    assert [one["probability"] for one in answer["answers"]] == pytest.approx(best.tolist())


@pytest.mark.parametrize("kernel", ["gaussian", "gappy length=2", "subset_tree"])
def test_machines_with_kernels_are_asked(kernel: str, tmp_path: Path) -> None:
    texts = ["(S (N linnet) (V sings))", "(S (N wren) (V sings))", "(S (N linnet))", "(S (N wren))"]
    model = linnet.KernelSVM(kernel, 10.0).fit(texts, ["linnet", "wren", "linnet", "wren"])
    model.save(tmp_path / "m.linnet")
    with TestClient(application(Models([str(tmp_path / "m.linnet")]))) as client:
        answers = client.post("/predict", json={"texts": texts}).json()["answers"]
        assert [one["label"] for one in answers] == ["linnet", "wren", "linnet", "wren"]
        told = client.post("/explain", json={"text": texts[0]}).json()["answer"]
        assert told["shares"][0]["shown"] == texts[0]


def test_one_text_has_one_answer(client: Any, birds: Path) -> None:
    answer = client.post("/predict", json={"text": TEXTS[0], "top": 3}).json()["answer"]
    best = answer["best"]
    assert answer["label"] == best[0]["label"]
    assert len(best) == 3
    shares = linnet.load(birds).predict_proba([TEXTS[0]])[0]
    assert [one["probability"] for one in best] == pytest.approx(sorted(shares, reverse=True)[:3])


def test_explanations_sum_to_scores(client: Any) -> None:
    answer = client.post("/explain", json={"text": TEXTS[0]}).json()["answer"]
    sums = [sum(column) for column in zip(*(p["contributions"] for p in answer["pieces"]), strict=True)]
    added = [bias + total for bias, total in zip(answer["bias"], sums, strict=True)]
    assert added == pytest.approx(answer["scores"])


def test_tags_of_texts_and_of_words(client: Any, names: Path) -> None:
    text = "Martin Okoye saw a linnet at York. A wren sang."
    answer = client.post("/tag", json={"model": "names", "text": text}).json()["answer"]
    tagger = linnet.load(names)
    assert [t for s in answer["sentences"] for t in s["tags"]] == tagger.predict([text])[0]
    spans = [(s["start"], s["end"], s["label"]) for one in answer["sentences"] for s in one["spans"]]
    assert spans == [(s.start, s.end, s.label) for s in tagger.spans(text)]
    words = answer["sentences"][0]["tokens"]
    again = client.post("/tag", json={"model": "names", "sentence": words}).json()["answer"]
    assert again["tags"] == answer["sentences"][0]["tags"]
    told = client.post("/explain", json={"model": "names", "text": text}).json()["answer"]
    assert [t["tag"] for t in told["sentences"][0]["tokens"]] == again["tags"]


def test_trees(client: Any, trees: Path) -> None:
    text = "The young farmer walks home."
    answer = client.post("/parse", json={"model": "trees", "text": text}).json()["answer"]
    heads, relations = linnet.load(trees).predict([text])[0]
    assert answer["sentences"][0]["heads"] == heads
    assert answer["sentences"][0]["relations"] == relations


def test_text_is_cut_as_the_parser_cuts_it(client: Any, trees: Path) -> None:
    text = "She doesn't sing."  # of which rules would make five words
    answer = client.post("/parse", json={"model": "trees", "text": text}).json()["answer"]
    (sentence,) = answer["sentences"]
    (tree,) = linnet.load(trees).parse([text])
    assert sentence["tokens"] == tree.form == ["She", "doesn't", "sing", "."]
    assert (sentence["tags"], sentence["lemmas"]) == (tree.upos, tree.lemma)
    told = client.post("/explain", json={"model": "trees", "text": text}).json()["answer"]
    assert told["sentences"][0]["words"] == tree.form


def test_trees_of_phrases(client: Any, phrases: Path) -> None:
    asked = {"model": "phrases", "sentences": [["the", "owl", "sings", "in", "town"], ["owl"]]}
    answers = client.post("/parse", json=asked).json()["answers"]
    found = linnet.load(phrases).predict(asked["sentences"])
    assert [one["tree"] for one in answers] == [tree.one_line() for tree in found]


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/predict", b"{", 400, "no JSON"),
        ("/predict", b"[" * 100_000, 400, "nested"),
        ("/predict", b"[]", 400, "object"),
        ("/predict", b"\xff\xfe", 400, "no JSON"),
        ("/predict", b"{}", 422, "give one of"),
        ("/predict", b'{"text": "a", "texts": []}', 422, "give one of"),
        ("/predict", b'{"text": 1}', 422, "no string"),
        ("/predict", b'{"texts": "ab"}', 422, "a list"),
        ("/predict", b'{"sentences": ["ab"]}', 422, "list of words"),
        ("/predict", b'{"sentences": [["ab"]]}', 422, "classifier"),
        ("/predict", b'{"text": "a", "top": 0}', 422, "top"),
        ("/predict", b'{"text": "a", "model": "x"}', 422, "none called"),
        ("/predict", b'{"text": "a", "txet": "x"}', 422, "'txet'"),
        ("/tag", b'{"text": "a"}', 422, "classifier"),
        ("/nothing", b"", 404, "not served"),
    ],
)
def test_what_is_no_question_is_refused(
    client: Any, path: str, body: bytes, status: int, said: str
) -> None:
    answer = client.post(path, content=body)
    assert answer.status_code == status
    assert said in answer.json()["error"]
    assert client.post("/predict", json={"text": TEXTS[0]}).status_code == 200


def test_any_string_is_a_text(client: Any) -> None:
    odd = ["", " ", "\ud800", "\x00", "\u202e\u200b", "<script>", "x" * 100_000, "\x1b[31m"]
    for action, model in (("predict", "birds"), ("explain", "birds"), ("tag", "names"),
                          ("explain", "names"), ("parse", "trees")):  # fmt: skip
        answer = client.post(f"/{action}", content=json.dumps({"texts": odd, "model": model}))
        assert answer.status_code == 200, answer.text
        assert len(answer.json()["answers"]) == len(odd)


def test_limits(birds: Path) -> None:
    app = application(Models([str(birds)]), Limits(max_bytes=1000, max_texts=2))
    with TestClient(app) as client:
        assert client.post("/predict", json={"texts": ["a", "b", "c"]}).status_code == 413
        assert client.post("/predict", json={"text": "a" * 1000}).status_code == 413
        assert client.post("/predict", content=iter([b"a" * 600] * 2)).status_code == 413
        assert client.post("/predict", json={"texts": ["a", "b"]}).status_code == 200
        assert app.state.service.bodies.held == 0


def test_an_answer_that_takes_too_long(birds: Path, monkeypatch: Any) -> None:
    import threading

    go_on = threading.Event()
    app = application(Models([str(birds)]), Limits(seconds=0.05))
    monkeypatch.setattr(app.state.service.batcher, "_answer", lambda *_: go_on.wait(60) and [{}])
    with TestClient(app) as client:
        answer = client.post("/predict", json={"text": "a"})
        go_on.set()
    assert answer.status_code == 504
    assert "0.05 seconds" in answer.json()["error"]


def test_a_token_is_required_where_there_is_one(birds: Path) -> None:
    with TestClient(application(Models([str(birds)]), token="secret")) as client:
        for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "secret"}):
            assert client.post("/predict", json={"text": "a"}, headers=headers).status_code == 401
            assert client.get("/metrics", headers=headers).status_code == 401
        right = {"authorization": "Bearer secret"}
        assert client.post("/predict", json={"text": "a"}, headers=right).status_code == 200
        assert client.get("/health").json() == {"status": "ok"}


def test_a_file_that_is_renamed_over_is_loaded(birds: Path, tmp_path: Path, monkeypatch: Any) -> None:
    import linnet.serving.models as room

    monkeypatch.setattr(room, "LOOK_AGAIN", 0.0)
    served, other = tmp_path / "served.linnet", tmp_path / "other.linnet"
    served.write_bytes(birds.read_bytes())
    with TestClient(application(Models([str(served)]))) as client:

        def label() -> str:
            found: str = client.post("/predict", json={"text": "what bird"}).json()["answer"]["label"]
            return found

        def eventually(key: str, wanted: Any) -> Any:
            for _ in range(2000):
                found = client.get("/models").json()["models"][0][key]
                if wanted(found):
                    return found
            raise AssertionError(key)

        before = label()
        other.write_bytes(b"no model")
        os.replace(other, served)
        assert "served.linnet" in eventually("problem", bool)
        assert label() == before
        linnet.TextClassifier().fit(["yes yes", "no no"] * 5, ["YES", "NO"] * 5).save(other)
        os.replace(other, served)
        assert eventually("replaced", bool) == 1
        assert label() in ("YES", "NO")


def test_concurrent_requests_share_calls_and_keep_their_answers(birds: Path) -> None:
    import httpx2

    model = linnet.load(birds)
    app = application(Models([str(birds)]), Limits(waiting=10_000))
    right = model.predict(TEXTS).tolist()

    async def ask() -> list[Any]:
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
            several = [client.post("/predict", json={"text": text}) for text in TEXTS]
            refused = [client.post("/tag", json={"text": text}) for text in TEXTS[:5]]
            return await asyncio.gather(*several, *refused)

    found = asyncio.run(ask())
    app.state.service.batcher.stop()
    answers, refused = found[: len(TEXTS)], found[len(TEXTS) :]
    assert [one.json()["answer"]["label"] for one in answers] == right
    assert {one.status_code for one in refused} == {422}
    assert app.state.service.batcher.calls < len(TEXTS)


def test_more_than_can_wait_are_told_to_come_again(birds: Path) -> None:
    app = application(Models([str(birds)]), Limits(waiting=1))
    app.state.service.waiting = 1
    with TestClient(app) as client:
        answer = client.post("/predict", json={"text": "a"})
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "1"
        app.state.service.waiting = 0
        assert client.post("/predict", json={"text": "a"}).status_code == 200


def test_metrics_count(client: Any) -> None:
    client.post("/predict", json={"texts": ["a", "b"]})
    client.post("/predict", content=b"{")
    text = client.get("/metrics").text
    assert 'linnet_requests_total{path="/predict",status="200"} 1' in text
    assert 'linnet_requests_total{path="/predict",status="400"} 1' in text
    assert "linnet_texts_total 2" in text
    assert 'linnet_request_seconds_bucket{le="+Inf"} 2' in text
    assert "linnet_request_seconds_count 2" in text


def test_the_description_names_what_is_there(client: Any) -> None:
    told = client.get("/openapi.json").json()
    assert told["openapi"].startswith("3.")
    for path, methods in told["paths"].items():
        for method in methods:
            assert client.request(method.upper(), path, json={"text": "a b"}).status_code in (200, 422)
    schema = told["components"]["schemas"]["Asked"]["properties"]
    assert schema["model"]["enum"] == ["birds", "names", "trees", "phrases"]


def test_models_that_cannot_be_asked_are_refused(birds: Path, tmp_path: Path) -> None:
    import numpy as np

    path = tmp_path / "rows.linnet"
    linnet.LinearClassifier().fit(np.eye(4), [0, 1, 0, 1]).save(path)
    with pytest.raises(DataError, match="not asked about texts"):
        Models([str(path)])
    with pytest.raises(DataError, match="two models"):
        Models([str(birds), str(birds)])
    assert list(Models([str(birds), f"b={birds}"]).served) == ["birds", "b"]


def test_it_may_be_a_part_of_another_application(birds: Path) -> None:
    from starlette.applications import Starlette
    from starlette.routing import Mount

    inner = application(Models([str(birds)]))
    with TestClient(Starlette(routes=[Mount("/birds", app=inner)])) as client:
        told = client.post("/birds/predict", json={"text": TEXTS[0]}).json()
        assert told["answer"]["label"] == linnet.load(birds).predict(TEXTS[:1])[0]
        assert client.get("/birds/health").status_code == 200
        assert client.post("/birds/nothing", json={}).status_code == 404
    inner.state.service.batcher.stop()


def test_sets_of_labels_are_the_models(sets: Path) -> None:
    model, (texts, _) = linnet.load(sets), sightings("test", 1)
    with TestClient(application(Models([str(sets)]))) as client:
        answers = client.post("/predict", json={"texts": texts, "top": 2}).json()["answers"]
        told = client.post("/explain", json={"text": texts[0]}).json()["answer"]
    names, chances = model.classes_.tolist(), model.predict_proba(texts)
    assert [tuple(one["labels"]) for one in answers] == model.predict(texts)
    for one, row in zip(answers, chances, strict=True):
        assert one["probabilities"] == pytest.approx([row[names.index(k)] for k in one["labels"]])
        assert one["best"][0]["probability"] == pytest.approx(row.max())
    assert told == json.loads(json.dumps(model.explain(texts[0]).to_dict()))
