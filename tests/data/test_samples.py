"""The bundled samples load, and are what their grammar writes."""

import runpy
from pathlib import Path

import pytest

from linnet.data import samples
from linnet.formats import format_trees, read_trees

TOOL = Path(__file__).parents[2] / "tools" / "make_samples.py"
FOLDER = Path(samples.__file__).parent  # as installed
SIZES = {"birds-train": 1200, "birds-test": 400, "verse-train": 600, "verse-test": 200}


def test_the_grammar_writes_the_committed_files_byte_for_byte() -> None:
    tool = runpy.run_path(str(TOOL))
    for name, text in tool["render"]().items():
        assert (FOLDER / name).read_bytes() == text.encode(), "run `make samples`"


@pytest.mark.parametrize("name", samples.NAMES)
def test_load(name: str) -> None:
    texts, labels = samples.load(name)
    assert len(texts) == len(labels) == SIZES[name]
    birds = {"heron", "linnet", "magpie", "owl", "swift", "wren"}
    assert set(labels) == (birds if name.startswith("birds") else {"poem", "weather"})
    assert all(text.endswith(".") and "{" not in text for text in texts)


@pytest.mark.parametrize("kind", ["birds", "verse"])
def test_no_text_is_both_trained_on_and_tested(kind: str) -> None:
    train, _ = samples.load(f"{kind}-train")
    test, _ = samples.load(f"{kind}-test")
    assert len({*train, *test}) == len(train) + len(test)


def test_tagged_sentences() -> None:
    train, test = samples.load_tagged("sightings-train"), samples.load_tagged("sightings-test")
    assert (len(train[0]), len(test[0])) == (300, 100)
    seen = {str(sentence) for sentence in train[0]}
    assert not seen & {str(sentence) for sentence in test[0]}
    tags = {tag for sentence in train[1] for tag in sentence}
    assert tags == {"O", *(f"{p}-{t}" for p in "BI" for t in ("BIRD", "PERSON", "PLACE"))}
    for sentence, line in zip(*test, strict=True):
        assert len(sentence) == len(line)
        assert sentence[0][0] == "``" or not sentence[0][0][0].islower()
    words: dict[str, set[str]] = {}
    for sentence, line in zip(*train, strict=True):
        for (word, _), tag in zip(sentence, line, strict=True):
            words.setdefault(tag[2:], set()).add(word.lower())
    assert {"robin", "heron"} <= words["BIRD"] & words["PERSON"] & words["PLACE"]  # context decides


def test_trees() -> None:
    train, test = samples.load_trees("rambles-train"), samples.load_trees("rambles-test")
    assert (len(train), len(test)) == (300, 100)
    seen = {str(sentence) for sentence in train.column("form")}
    assert not seen & {str(sentence) for sentence in test.column("form")}
    assert set(test.relations.names) <= set(train.relations.names)
    told = train.statistics()
    assert 10 < told["nonprojective_sentences"] < 40
    assert train.complete
    assert {"PUNCT", "NOUN", "VERB"} <= {tag for tags in train.column("upos") for tag in tags}
    for words in train.column("form"):
        assert not words[0][0].islower()
        assert words[-1] in ".?!"


def test_the_treebank_is_conllu() -> None:
    folder = Path(samples.__file__).parent
    for name in samples.TREES:
        read = read_trees(folder / f"{name}.conllu", labelled=True)
        loaded = samples.load_trees(name)
        assert read.head_lists() == loaded.head_lists()
        assert read.relation_lists() == loaded.relation_lists()
        assert read.column("lemma") == loaded.column("lemma")
        assert format_trees(read) == (folder / f"{name}.conllu").read_bytes()
        assert read.sequences.aside is not None
    assert b"\tdidn't\t" in (folder / "rambles-train.conllu").read_bytes()


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no sample is called 'bats'.*birds-train"):
        samples.load("bats")
    with pytest.raises(ValueError, match=r"no sample is called 'bats'.*sightings-train"):
        samples.load_tagged("bats")
    with pytest.raises(ValueError, match=r"no sample is called 'bats'.*rambles-train"):
        samples.load_trees("bats")
