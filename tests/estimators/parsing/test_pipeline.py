"""From running text to all columns, learnt from one treebank."""

from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet import DependencyParser
from linnet.data import Trees, samples
from linnet.data.joined_sentences import join_trees
from linnet.data.sequences import token_strings
from linnet.data.surface import Surface, running_texts
from linnet.errors import DataError, RefusedError
from linnet.evaluation import shared_task_scores
from linnet.formats import format_trees, read_trees

TRAIN, TEST = samples.load_trees("rambles-train"), samples.load_trees("rambles-test")
TEXT = "The young farmer saw a heron.  A kite waited.\n\nIt sang. "
QUICK = {"tagger": "auto", "jackknife": 2, "max_iter": 2, "n_jobs": 1, "verbose": False}


@pytest.fixture(scope="module")
def parser() -> DependencyParser:
    return DependencyParser(**QUICK).fit(TRAIN)


def test_all_columns_of_running_text(parser) -> None:
    first, second, third = parser.parse([TEXT])
    assert first.form == ["The", "young", "farmer", "saw", "a", "heron", "."]
    assert first.lemma == ["the", "young", "farmer", "see", "a", "heron", "."]
    assert first.upos[:3] == ["DET", "ADJ", "NOUN"]
    assert len(first.head) == len(first.deprel) == 7
    assert first.head.count(0) == 1
    for tree in (first, second, third):
        assert [TEXT[b:e] for b, e in zip(tree.start, tree.end, strict=True)] == tree.form
    assert second.misc[-1] == r"SpacesAfter=\n\n"
    assert third.form == ["It", "sang", "."]


def test_the_text_comes_back(parser) -> None:
    parsed = parser.parse([TEXT, " What now? ", "Go"])
    assert Surface.of(parsed.sequences).text() == TEXT + " What now? " + "Go"
    assert running_texts(parsed.sequences)[0] == "The young farmer saw a heron.  A kite waited."


def test_from_text_to_nearly_the_gold_trees(parser) -> None:
    scores = shared_task_scores(TEST, parser.parse([" ".join(running_texts(TEST.sequences))]))
    assert scores["Tokens"].f1 > 0.99
    assert scores["Sentences"].f1 > 0.95
    assert scores["UPOS"].f1 > 0.95
    assert scores["Lemmas"].f1 > 0.95
    assert scores["LAS"].f1 > 0.9


def test_columns_that_are_there_are_kept_and_others_filled(parser, tmp_path: Path) -> None:
    blank = [["_"] * n for n in TEST.lengths.tolist()]
    made = tmp_path / "some.conllu"
    made.write_bytes(format_trees(TEST.with_columns(lemma=blank)))
    parsed = parser.parse_trees(made)
    assert parsed.column("upos") == TEST.column("upos")
    assert parsed.column("misc") == TEST.column("misc")
    right = np.mean([a == b for a, b in zip(*map(_lemmas, (parsed, TEST)), strict=True)])
    assert right > 0.95


def _lemmas(trees: Trees) -> list[str]:
    return token_strings(trees.columns["lemma"])


def test_a_file_holds_it_all(parser, tmp_path: Path) -> None:
    parser.save(tmp_path / "p.linnet")
    loaded = linnet.load(tmp_path / "p.linnet")
    assert list(loaded.taggers_) == list(parser.taggers_) == ["upos", "lemma"]
    assert not loaded.segmenter_.blanks_within
    assert format_trees(loaded.parse([TEXT])) == format_trees(parser.parse([TEXT]))
    small = parser.quantize(4)
    assert format_trees(small.parse(["A kite waited."])).startswith(b"# text = A kite waited.\n1\tA\t")


def test_what_is_left_out_is_not_learnt() -> None:
    bare = DependencyParser(**QUICK, without=["lemma", "tokens"]).fit(TRAIN.take(range(60)))
    assert list(bare.taggers_) == ["upos"]
    assert bare.segmenter_ is None
    assert "lemma" not in bare.parse([TEXT]).columns
    with pytest.raises(ValueError, match="without: 'lemmas' is none of feats, lemma, tokens"):
        DependencyParser(**QUICK, without="lemmas").fit(TRAIN)
    with pytest.raises(RefusedError, match="only tagger='auto' learns"):
        DependencyParser(without="lemma").fit(TRAIN)


def test_few_sentences_are_cut_by_rules() -> None:
    few = DependencyParser(**QUICK).fit(TRAIN.take(range(30)))
    assert few.segmenter_ is None
    assert "tokens of running text: rules, since there are fewer than 50 sentences" in str(few.choice_)
    assert len(few.parse(["A kite waited. It sang."])) == 2


def test_one_sentence_to_a_text(parser) -> None:
    assert len(parser.cut_texts(["A kite waited. It sang.", "It sang."], by_text=True)) == 2
    few = DependencyParser(**QUICK, without="tokens").fit(TRAIN.take(range(60)))
    assert few.cut_texts(["A kite waited. It sang.", " ", "Go"], by_text=True).column("form") == [
        ["A", "kite", "waited", ".", "It", "sang", "."],
        ["Go"],
    ]


@pytest.mark.parametrize(
    "text", ["x" * 10_000, "שלום עולם. مرحبا", "鳥が鳴く。Yes", "\ud800\x00 a", "﻿A kite."]
)
def test_strange_texts(parser, text: str) -> None:
    parsed = parser.parse([text])
    kept = text.encode(errors="replace").decode()
    assert Surface.of(parsed.sequences).text() == kept
    assert (parsed.heads >= 0).all()


def test_a_sentence_that_is_too_long_is_refused_with_what_to_do(parser) -> None:
    with pytest.raises(DataError, match="max_words"):
        parser.parse(["a " * 500_000])


def test_a_treebank_with_an_empty_form_is_refused(tmp_path: Path) -> None:
    bad = tmp_path / "bad.conllu"
    bad.write_bytes(
        format_trees(TRAIN).replace(b"\tfarmer\tfarmer\t", "\t\u00a0\tfarmer\t".encode(), 1)
    )
    with pytest.raises(DataError, match=r"bad.conllu, line 3: the form is empty"):
        DependencyParser(**QUICK).fit(read_trees(bad))


def test_several_files_keep_their_multiword_tokens(tmp_path: Path) -> None:
    cells = ("1-2 zum _ _ _ _ _ _ _ _", "1 zu _ ADP _ _ 2 case _ _", "2 dem _ DET _ _ 0 root _ _")
    rows = "\n".join(line.replace(" ", "\t") for line in cells) + "\n\n"
    (tmp_path / "a.conllu").write_text("# newpar\n" + rows, encoding="utf-8")
    (tmp_path / "b.conllu").write_text("# newpar\n" + rows * 2, encoding="utf-8")
    one = read_trees(tmp_path / "a.conllu")
    both = join_trees([one, read_trees(tmp_path / "b.conllu")])
    assert Surface.of(both.sequences).forms == ["zum"] * 3
    assert running_texts(both.sequences) == ["zum", "zum zum"]
    assert len(both) == 3


GENDERS = {"der": "Masc", "die": "Fem", "Hahn": "Masc", "Gans": "Fem", "singt": None}


def with_features() -> Trees:
    """Articles and nouns that agree; *die Gans singt*."""
    rows = [["der", "Hahn", "singt"], ["die", "Gans", "singt"], ["der", "Hahn"], ["die", "Gans"]] * 20
    tags = [["DET", "NOUN", "VERB"][: len(row)] for row in rows]
    kinds = [["ART", "NN", "VVFIN"][: len(row)] for row in rows]
    feats = [["_" if GENDERS[w] is None else f"Gender={GENDERS[w]}" for w in row] for row in rows]
    heads = [[2, 3, 0] if len(row) == 3 else [2, 0] for row in rows]
    names = [["det", "nsubj", "root"] if len(row) == 3 else ["det", "root"] for row in rows]
    words = Trees.from_lists(rows, heads, names)
    return words.with_columns(upos=tags, xpos=kinds, feats=feats)


@pytest.fixture(scope="module")
def of_features() -> DependencyParser:
    return DependencyParser(**QUICK, without="tokens").fit(with_features())


def test_whole_analyses_go_together(of_features, tmp_path: Path) -> None:
    of_features.save(tmp_path / "p.linnet")
    columns = with_features().columns
    cells = (token_strings(columns[name]) for name in ("upos", "xpos", "feats"))
    shown = {*zip(*cells, strict=True)}
    for parser in (of_features, linnet.load(tmp_path / "p.linnet")):
        (tree,) = parser.parse(["die Gans singt"])
        assert tree.upos == ["DET", "NOUN", "VERB"]
        assert tree.feats == ["Gender=Fem", "Gender=Fem", "_"]
        (tree,) = parser.parse(["der Hans denkt die Ganter"])
        assert {*zip(tree.upos, tree.xpos, tree.feats, strict=True)} <= shown


def test_features_go_with_tags_that_are_given(of_features) -> None:
    words = Trees.from_lists([["die", "Gans", "der"]], None).with_columns(
        upos=[["DET", "VERB", "NOUN"]]
    )
    (tree,) = of_features.parse_trees(words)
    assert tree.upos == ["DET", "VERB", "NOUN"]
    assert tree.xpos == ["ART", "VVFIN", "NN"]
    assert tree.feats[1] == "_"
    assert tree.feats[2] != "_"
    unknown = words.with_columns(upos=[["DET", "INTJ", "NOUN"]])
    assert of_features.parse_trees(unknown)[0].upos == ["DET", "INTJ", "NOUN"]


def test_a_dictionary_of_whole_analyses() -> None:
    told = {
        "Gans": [("VERB",)],
        "der": [("_", "_", "Gender=Fem")],
        "Hahn": [("NOUN", "_", "Gender=Fem")],
    }
    settings = QUICK | {"without": "tokens"}
    held = DependencyParser(**settings, dictionary=told).fit(with_features())
    (tree,) = held.parse(["der Hahn Gans"])
    assert tree.feats == ["Gender=Fem", "Gender=Fem", "_"]
    assert tree.upos[1:] == ["NOUN", "VERB"]
    with pytest.raises(DataError, match="'Hahn': none of its analyses is one that a word of the data"):
        DependencyParser(**settings, dictionary={"Hahn": [("VERB", "_", "Gender=Masc")]}).fit(
            with_features()
        )


def test_a_dictionary_is_kept_to(tmp_path: Path) -> None:
    lines = "heron\tVERB\nheron\tADJ\n\nsaw\t_\t_\n"
    (tmp_path / "forms.tsv").write_text(lines, encoding="utf-8")
    free = DependencyParser(**QUICK, without=["lemma", "tokens"]).fit(TRAIN.take(range(60)))
    held = DependencyParser(
        **QUICK, without=["lemma", "tokens"], dictionary=tmp_path / "forms.tsv"
    ).fit(TRAIN.take(range(60)))
    held.quantize(8).save(tmp_path / "p.linnet")
    for parser in (held, linnet.load(tmp_path / "p.linnet")):
        (tree,) = parser.parse(["The heron saw a kite."])
        assert tree.upos[1] in ("VERB", "ADJ")
        assert tree.upos[2] == "VERB"
    assert free.parse(["The heron saw a kite."])[0].upos[1] == "NOUN"


@pytest.mark.parametrize(
    ("dictionary", "said"),
    [
        ({"heron": [("BIRD",)]}, "dictionary of 'heron': the data have no upos 'BIRD'"),
        ({"heron": [("NOUN", "NN")]}, "dictionary: it has xpos, which the data do not show"),
        ({"heron": "NOUN"}, "dictionary of 'heron': a list of"),
        ({"heron": [()]}, "is no \\(upos, xpos, feats\\)"),
        (7, "dictionary must be"),
    ],
)
def test_a_dictionary_that_does_not_fit_is_refused(dictionary, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        DependencyParser(**QUICK, dictionary=dictionary).fit(TRAIN.take(range(60)))


def test_a_line_of_a_dictionary_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "forms.tsv").write_text("heron\tNOUN\nkite NOUN\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"forms.tsv, line 2: a line of a dictionary"):
        DependencyParser(**QUICK, dictionary=tmp_path / "forms.tsv").fit(TRAIN)
    (tmp_path / "forms.tsv").write_text("\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"forms.tsv names no form"):
        DependencyParser(**QUICK, dictionary=tmp_path / "forms.tsv").fit(TRAIN)
    with pytest.raises(RefusedError, match="dictionary: only taggers of tagger='auto'"):
        DependencyParser(dictionary={}).fit(TRAIN)


def _with_many_xpos(trees: Trees) -> Trees:
    """Kinds of xpos that go by the word: its tag and its first letters."""
    pairs = zip(trees.column("upos"), trees.column("form"), strict=True)
    made = [[f"{t}-{w[:2].lower()}" for t, w in zip(*each, strict=True)] for each in pairs]
    return trees.with_columns(xpos=made)


def test_many_kinds_of_xpos_are_found_with_features(tmp_path: Path) -> None:
    train, test = _with_many_xpos(TRAIN), _with_many_xpos(TEST)
    assert len({*token_strings(train.columns["xpos"])}) > 100
    settings = QUICK | {"without": "tokens"}
    sorts = [["Kind=A" if tag == "NOUN" else "_" for tag in tags] for tags in train.column("upos")]
    featured = train.with_columns(feats=sorts)
    for trees, whole in ((train, "xpos"), (featured, "feats")):
        parser = DependencyParser(**settings).fit(trees)
        assert list(parser.taggers_) == ["upos", whole, "lemma"]
        assert "xpos" not in parser.model_.columns
        parser.quantize(8).save(tmp_path / "many.linnet")
        loaded = linnet.load(tmp_path / "many.linnet")
        bare = test.with_columns(xpos=[["_"] * n for n in test.lengths.tolist()])
        found = loaded.parse_trees(bare)
        pairs = zip(*(token_strings(t.columns["xpos"]) for t in (found, test)), strict=True)
        assert np.mean([a == b for a, b in pairs]) > 0.8
        kept = loaded.parse_trees(test)  # what is given stays
        assert token_strings(kept.columns["xpos"]) == token_strings(test.columns["xpos"])
        again = loaded.parse_trees(test, retag=True)
        cells = zip(*(token_strings(again.columns[name]) for name in ("upos", "xpos")), strict=True)
        assert all(xpos.startswith(upos) for upos, xpos in cells)  # one analysis


def test_a_dictionary_holds_for_xpos_that_are_found_with_features() -> None:
    train = _with_many_xpos(TRAIN)
    form = token_strings(train.columns["form"])[1]
    upos, xpos = (token_strings(train.columns[name])[-2] for name in ("upos", "xpos"))
    parser = DependencyParser(**QUICK, without="tokens", dictionary={form: [(upos, xpos)]}).fit(train)
    found = parser.parse_trees([[form]])
    assert (found.column("upos"), found.column("xpos")) == ([[upos]], [[xpos]])
    with pytest.raises(DataError, match="have no xpos 'new'"):
        DependencyParser(**QUICK, without="tokens", dictionary={form: [(upos, "new")]}).fit(train)


def test_a_parser_learns_from_predicted_tags_and_from_those_of_the_data() -> None:
    settings = {"max_iter": 3, "n_jobs": 1, "verbose": False}
    parser = DependencyParser(tagger="auto", jackknife=2, without="tokens", **settings).fit(TRAIN)
    assert any("and from those of the data" in told for told in parser.why_)
    assert parser.record_.data["sentences"] == len(TRAIN)
    assert parser.score(TEST) > 0.8
    alone = DependencyParser(tagger="auto", jackknife=0, without="tokens", **settings).fit(TRAIN)
    assert any("the parser learns from those of the data" in told for told in alone.why_)


def test_both_forms_of_trees() -> None:
    from linnet.estimators.parsing.input import in_both_forms

    few = TRAIN.take(range(3))
    other = few.with_columns(upos=[["X"] * n for n in few.lengths.tolist()])
    both = in_both_forms(other, few)
    assert both.column("upos") == [*other.column("upos"), *few.column("upos")]
    assert both.column("form") == few.column("form") * 2
    assert both.head_lists() == few.head_lists() * 2
