"""Running text is cut as the treebank cuts it, and comes back to the character."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from linnet.data import Sequences, samples
from linnet.data.sequences import token_strings
from linnet.data.surface import Surface, running_texts
from linnet.errors import DataError
from linnet.estimators.segmenting.learning import (
    FEWEST,
    PIECE,
    Labelled,
    SeenWhole,
    character_tagger,
    in_lower_case,
    in_pieces,
    training_texts,
    why_rules,
)
from linnet.estimators.segmenting.segmenter import Segmenter
from linnet.formats import read_trees

QUICK = {"n_jobs": 1, "verbose": False}
NAMES = ["Anna", "Ben", "Cleo", "Dora", "Emil"]


def conllu(sentences: list[list[tuple[str, list[str], str]]]) -> str:
    """Tokens are (form, words, MISC)."""
    lines = []
    for i, tokens in enumerate(sentences):
        lines.append(f"# sent_id = {i}")
        n = 0
        for form, words, misc in tokens:
            if words != [form]:
                lines.append(f"{n + 1}-{n + len(words)}\t{form}" + "\t_" * 7 + f"\t{misc}")
            for word in words:
                n += 1
                own = misc if words == [form] else "_"
                lines.append(f"{n}\t{word}" + "\t_" * 7 + f"\t{own}")
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def german(tmp_path_factory) -> tuple[Sequences, Segmenter]:
    """Names that go *zum* (zu dem) *Markt* or *ins* (in das) *Dorf*, and what they *gibt's* there."""
    rows = []
    for k in range(120):
        name = NAMES[k % 5]
        place = [("zum", ["zu", "dem"], "_"), ("Markt", ["Markt"], "SpaceAfter=No")]
        if k % 3 == 0:
            place = [("ins", ["in", "das"], "_"), ("Dorf", ["Dorf"], "SpaceAfter=No")]
        told = [(name, [name], "_"), ("geht", ["geht"], "_"), *place, (".", ["."], "_")]
        if k % 4 == 0:
            told = [
                ("Dort", ["Dort"], "_"),
                ("gibt's", ["gibt", "'s"], "_"),
                (name, [name], "SpaceAfter=No"),
            ]
            told.append(("!", ["!"], "_"))
        rows.append(told)
    path = tmp_path_factory.mktemp("german") / "g.conllu"
    path.write_text(conllu(rows), encoding="utf-8")
    sentences = read_trees(path, labelled=False).sequences
    made = Segmenter.learnt(sentences, QUICK)
    assert isinstance(made, Segmenter)
    return sentences, made


def test_what_was_learnt_from_is_cut_as_it_was(german) -> None:
    sentences, segmenter = german
    texts, _ = training_texts(sentences, Surface.of(sentences))
    found = segmenter.segment(texts)
    assert token_strings(found.columns["form"]) == token_strings(sentences.columns["form"])
    assert found.offsets.tolist() == sentences.offsets.tolist()
    assert Surface.of(found).forms == Surface.of(sentences).forms


def test_multiword_tokens_are_lines_before_their_words(german) -> None:
    _, segmenter = german
    found = segmenter.segment(["Emil geht zum Markt. Dort gibt's Dora!"])
    assert found.column("form") == [
        ["Emil", "geht", "zu", "dem", "Markt", "."],
        ["Dort", "gibt", "'s", "Dora", "!"],
    ]
    lines = token_strings(found.aside.lines)
    assert lines[0] == "# text = Emil geht zum Markt."
    assert lines[1].split("\t")[:2] == ["3-4", "zum"]
    assert lines[3].split("\t")[:2] == ["2-3", "gibt's"]
    assert found.spans[2].tolist() == found.spans[3].tolist() == [10, 13]
    assert found.column("misc")[0] == ["_", "_", "_", "_", "SpaceAfter=No", "_"]
    assert found.column("misc")[1][-1] == "SpaceAfter=No"


ANYTHING = st.text(max_size=60) | st.text(" \n\tab.'zumZ…。日\\|\xa0\u2028", max_size=60)


@settings(max_examples=150, deadline=None)
@given(st.lists(ANYTHING, max_size=3))
@example(["  a \n\n \n b", "", " \n"])
@example(["\ufeffzum\x00\x1c'"])
def test_text_comes_back_to_the_character(german, texts: list[str]) -> None:
    _, segmenter = german
    found = segmenter.segment(texts)
    kept = [text for text in texts if text.strip()]
    assert Surface.of(found).text() == "".join(kept)
    assert not any(len(form.split()) > 1 for form in Surface.of(found).forms)  # as in the treebank
    assert len(found.spans) == found.tokens
    for (begin, end), i in zip(
        found.spans.tolist(), np.repeat(found.documents, found.lengths).tolist(), strict=True
    ):
        assert texts[i][begin:end].strip() == texts[i][begin:end] != ""


def test_blanks_within_tokens_are_learnt(tmp_path) -> None:
    """Numbers such as 10 000, which are one token."""
    rows = [[("Anna", ["Anna"], "_"), (f"{k} 000", [f"{k} 000"], "_")] for k in range(10, 99)]
    rows += [[("Ben", ["Ben"], "SpaceAfter=No"), ("!", ["!"], "_")]]
    (tmp_path / "n.conllu").write_text(conllu(rows), encoding="utf-8")
    sentences = read_trees(tmp_path / "n.conllu", labelled=False).sequences
    segmenter = Segmenter.learnt(sentences, QUICK)
    assert isinstance(segmenter, Segmenter)
    assert segmenter.blanks_within
    assert segmenter.packed().blanks_within
    assert "55 000" in Surface.of(segmenter.segment(["Anna 55 000"])).forms


def test_blank_lines_end_paragraphs_and_sentences(german) -> None:
    _, segmenter = german
    found = segmenter.segment(["Emil geht\n \nDora geht"])
    assert found.column("form") == [["Emil", "geht"], ["Dora", "geht"]]
    lines = token_strings(found.aside.lines)
    assert lines.count("# newpar") == 2
    assert found.column("misc")[0][1] == r"SpacesAfter=\n\s\n"


def test_languages_without_blanks(tmp_path) -> None:
    words = ["鳥", "が", "鳴く", "。"]
    others = ["犬", "は", "走る", "。"]
    rows = [[(w, [w], "SpaceAfter=No") for w in (words if k % 2 else others)] for k in range(80)]
    (tmp_path / "j.conllu").write_text(conllu(rows), encoding="utf-8")
    sentences = read_trees(tmp_path / "j.conllu", labelled=False).sequences
    segmenter = Segmenter.learnt(sentences, QUICK)
    assert isinstance(segmenter, Segmenter)
    assert segmenter.segment(["鳥は走る。犬が鳴く。"]).column("form") == [
        ["鳥", "は", "走る", "。"],
        ["犬", "が", "鳴く", "。"],
    ]


def test_rules_cut_where_a_treebank_shows_too_little(tmp_path) -> None:
    few = samples.load_trees("rambles-train").take(range(FEWEST - 1)).sequences
    assert "fewer than" in str(Segmenter.learnt(few, QUICK))
    blank = [[(w, [w], "_") for w in ("a", "bird", ".")] for _ in range(FEWEST)]
    (tmp_path / "b.conllu").write_text(conllu(blank), encoding="utf-8")
    told = Segmenter.learnt(read_trees(tmp_path / "b.conllu", labelled=False).sequences, QUICK)
    assert "SpaceAfter=No" in str(told)


def test_empty_forms_are_refused_with_their_line(tmp_path) -> None:
    (tmp_path / "e.conllu").write_text("1\t\u00a0" + "\t_" * 8 + "\n\n", encoding="utf-8")
    sentences = read_trees(tmp_path / "e.conllu", labelled=False).sequences
    with pytest.raises(DataError, match="line 1: the form is empty"):
        why_rules(sentences, Surface.of(sentences))


@pytest.mark.parametrize("text", ["x" * 10_000, "ab, " * 2000, "שלום עולם. مرحبا", "Emil שלום 鳥が"])
def test_long_words_and_mixed_scripts(german, text: str) -> None:
    _, segmenter = german
    assert Surface.of(segmenter.segment([text])).text() == text


BARE = "\t_" * 7
CAPITALS = f"# newpar\n1\tAnna{BARE}\t_\n2\tgeht{BARE}\tSpaceAfter=No\n3\t.{BARE}\t_\n\n"


def capital_sentences(tmp_path, text=CAPITALS):
    path = tmp_path / "capitals.conllu"
    path.write_text(text * 60)
    return read_trees(path).sequences


def test_one_of_four_texts_is_learnt_from_in_lower_case_too(tmp_path):
    sentences = capital_sentences(tmp_path)
    found = Labelled.of(sentences, Surface.of(sentences))
    assert found.originals == 60
    assert found.source[60:].tolist() == list(range(3, 60, 4))
    marks = found.data.column("mark")
    assert "".join(marks[0]) == " Anna geht."
    assert "".join(marks[60]) == " anna geht."
    tags = found.data.tags()
    assert tags[60] == tags[0] == list("SIIIBIIIB")


def test_where_sentences_begin_without_capitals_there_is_nothing_to_lower(tmp_path):
    sentences = capital_sentences(tmp_path, CAPITALS.replace("Anna", "anna").replace("geht", "Geht"))
    found = Labelled.of(sentences, Surface.of(sentences))
    assert len(found.data) == found.originals == 60


def test_lower_case_has_as_many_characters():
    assert in_lower_case("İSTANBUL Straße ΣΑΣ") == "İstanbul straße σασ"
    assert in_lower_case("ΣΑΣ") == "σας"


def test_chains_are_pieces_that_begin_with_tokens_and_see_their_whole_text(tmp_path):
    sentences = capital_sentences(tmp_path, CAPITALS.replace("# newpar\n", ""))
    data = Labelled.of(sentences, Surface.of(sentences)).data
    pieces = in_pieces(data)
    assert len(pieces) == len(data)  # ten sentences of nine characters
    long = replace(data, offsets=np.array([0, data.tokens]))
    pieces = in_pieces(long)
    assert (pieces.lengths < PIECE + 9).all()
    assert len(pieces) == -(-data.tokens // PIECE)
    first = pieces.labels.codes[pieces.offsets[:-1]]
    assert not np.isin([pieces.labels.names[k] for k in first], ["I", "W"]).any()
    templates = ["mark[-4] mark[4]"]
    whole, cut = SeenWhole(templates=templates), SeenWhole(templates=templates)
    assert np.array_equal(whole.fit_rows(long).indices, cut.fit_rows(pieces).indices)


def test_few_passes_over_many_characters_are_meant(tmp_path, recwarn):
    assert character_tagger({}, 1_000_000).max_iter < character_tagger({}, 1000).max_iter
    sentences = capital_sentences(tmp_path)
    assert isinstance(Segmenter.learnt(sentences, QUICK), Segmenter)
    assert not recwarn.list


def test_without_capitals_sentences_end_at_marks_all_the_same():
    train, test = samples.load_trees("rambles-train"), samples.load_trees("rambles-test")
    segmenter = Segmenter.learnt(train.sequences, QUICK)
    text = " ".join(running_texts(test.sequences))
    plain = segmenter.segment([text.lower()])
    assert len(plain) > 0.95 * len(segmenter.segment([text]))


HOSTILE = {
    "controls": "Emil\0 geht\x01 \x1b[31mzum\x7f Markt.",
    "ends of lines": "Emil geht.\r\nDora\rgeht.\u2028Emil\u2029geht\u0085.\x0b\x0c",
    "byte order mark": "\ufeffEmil geht.\ufeff Dora geht.",
    "invisible": "\u200bEmil\u2060 \u202egeht\u202c. \u200b",
    "joined": "e" + "\u0301" * 3000 + " 👨\u200d👩\u200d👧",
    "half a character": "Emil \ud800 geht.",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_there_to_the_character(german, name: str) -> None:
    _, segmenter = german
    text = HOSTILE[name]
    found = segmenter.segment([text])
    whole = text.encode(errors="replace").decode()
    assert Surface.of(found).text() == whole
    assert [form for form in found.column("form")[0] if not form.strip()] == []


def test_a_long_line_takes_one_place_for_each_of_its_characters(german, monkeypatch) -> None:
    _, segmenter = german
    seen = []
    tag = type(segmenter.tagger).tag
    monkeypatch.setattr(
        type(segmenter.tagger), "tag", lambda self, data: seen.append(data.tokens) or tag(self, data)
    )
    line = "Emil geht zum Markt. " * 5000
    found = segmenter.segment([line])
    assert seen == [len(line.replace(" ", ""))]
    assert Surface.of(found).text() == line
