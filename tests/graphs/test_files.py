"""UAI and BIF: round trips, and a clear error for each mistake."""

import contextlib
import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.graphs.random_graphs import graphs

from linnet.errors import DataError
from linnet.formats.graphs import read_evidence, read_graph, write_graph
from linnet.graphs import FactorGraph

RAIN = """network weather {
  property made by hand;
}
// a comment
variable rain { type discrete [ 2 ] { yes, no }; }
variable wet { type discrete [ 3 ] { dry, damp, soaked }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( wet | rain ) {
  (yes) 0.1, 0.3, 0.6;
  default 0.8, 0.15, 0.05;
}
"""
UAI = "MARKOV\n2\n2 3\n2\n1 0\n2 0 1\n2\n0.2 0.8\n6\n0.1 0.3 0.6\n0.8 0.15 0.05\n"


@settings(max_examples=50, deadline=None)
@given(graphs())
def test_uai_there_and_back(tmp_path_factory, graph: FactorGraph) -> None:
    path = tmp_path_factory.mktemp("uai") / "graph.uai.gz"
    write_graph(graph, path)
    again = read_graph(path)
    for name in ("sizes", "starts", "members", "offsets", "entries"):
        np.testing.assert_array_equal(getattr(again.packed, name), getattr(graph.packed, name))


def test_bif_there_and_back(tmp_path) -> None:
    (tmp_path / "a.bif").write_text(RAIN)
    graph = read_graph(tmp_path / "a.bif")
    assert graph.names == ["rain", "wet"]
    assert graph.variables.domains[1] == ("dry", "damp", "soaked")
    np.testing.assert_allclose(graph.query(["wet"], {"rain": "yes"}), [0.1, 0.3, 0.6])
    np.testing.assert_allclose(graph.marginals()["wet"], [0.66, 0.18, 0.16])
    write_graph(graph, tmp_path / "b.bif")
    again = read_graph(tmp_path / "b.bif")
    assert again.variables.domains == graph.variables.domains
    np.testing.assert_array_equal(again.packed.entries, graph.packed.entries)
    write_graph(graph, tmp_path / "b.uai")
    assert (tmp_path / "b.uai").read_text().startswith("BAYES")
    np.testing.assert_allclose(read_graph(tmp_path / "b.uai").marginals()[1], [0.66, 0.18, 0.16])


def test_bif_holds_networks_alone(tmp_path) -> None:
    graph = FactorGraph().add_variables(2, 2).add_factors([[0, 1]], [[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(DataError, match="holds Bayesian networks"):
        write_graph(graph, tmp_path / "a.bif")
    spaced = FactorGraph.from_network({"a b": 2}, {"a b": ((), [0.5, 0.5])})
    with pytest.raises(DataError, match="cannot hold the variable 'a b'"):
        write_graph(spaced, tmp_path / "a.bif")


BAD_BIF = {
    "variable rain { type discrete [ 2 ] { yes, no }": "cut",
    "hello": "networks, variables and probabilities",
    RAIN.replace("{ yes, no }", "{ yes, yes }"): "line 5: variable 'rain' names a value twice",
    RAIN.replace("[ 3 ]", "[ 4 ]"): "line 6: variable 'wet' has 3 values, not 4",
    RAIN.replace("discrete [ 2 ]", "real"): "must be discrete",
    RAIN.replace("wet | rain", "wet | snow"): "line 8: there is no variable 'snow'",
    RAIN.replace("(yes)", "(maybe)"): r"line 9: .*\(maybe\) names no values",
    RAIN.replace("0.1, 0.3, 0.6", "0.1, 0.9"): "line 9: .* has 2 entries where 3 are wanted",
    RAIN.replace("0.1, 0.3, 0.6", "0.1, 0.3, 0.9"): "not to one",
    RAIN.replace("0.1, 0.3, 0.6", "0.1, 0.3, x"): "no number",
    RAIN.replace("0.1, 0.3, 0.6", "-0.1, 0.5, 0.6"): "negative",
    RAIN.replace("  default 0.8, 0.15, 0.05;\n", ""): "lacks rows",
    RAIN + "probability ( rain ) { table 0.2, 0.8; }": "line 12: there are two tables of 'rain'",
    RAIN + "variable rain { type discrete [ 1 ] { x }; }": "there are two variables 'rain'",
    RAIN.replace("probability ( rain ) { table 0.2, 0.8; }\n", ""): "variable 'rain' has no table",
    RAIN.replace(
        "( rain ) { table 0.2, 0.8; }", "( rain | wet ) { default 0.2, 0.8; }"
    ): "round in a circle",
}


@pytest.mark.parametrize(("text", "why"), BAD_BIF.items())
def test_mistakes_in_bif(tmp_path, text: str, why: str) -> None:
    (tmp_path / "a.bif").write_text(text)
    with pytest.raises(DataError, match=why) as caught:
        read_graph(tmp_path / "a.bif")
    assert "a.bif" in str(caught.value)


BAD_UAI = {
    "MARKOVIAN 1": "begins with MARKOV or BAYES",
    UAI[:20]: "cut",
    UAI[:-10]: "cut: factor 1 has 4 of 6 entries",
    UAI.replace("2 0 1", "2 0 2"): "line 6: factor 1 is over variable 2, which there is not",
    UAI.replace("2 0 1", "2 0 0"): "line 6: factor 1 is over a variable twice",
    UAI.replace("6\n0.1", "5\n0.1"): "line 9: factor 1 has 5 entries, but its variables have 6",
    UAI.replace("0.2 0.8", "0.2 -0.8"): "negative",
    UAI.replace("0.2 0.8", "0 0"): "only zeros",
    UAI.replace("0.2 0.8", "0.2 nan"): "not finite",
    UAI.replace("0.2 0.8", "0.2 x"): "no number",
    UAI.replace("2 3\n2", "2 0\n2"): "size of variable 1 must be a whole number, 1 or more",
    UAI.replace("2 3\n2", "2 999999\n2"): "more than the file has numbers",
    UAI + " 1": "more after the last table",
    UAI.replace("MARKOV", "BAYES").replace("2 0 1", "2 1 0"): "one table for each variable",
    "BAYES 1 2 1 1 0 2 0.2 0.9": r"P\(0 \| …\) sums to 1.1 somewhere",
    "MARKOV 0 1 0 1 3.0": "factor 0 is a constant, and there is no variable",
    "MARKOV 1 2 1 0 1 -3.0": "negative",
    "BAYES 2 2 2 2 2 0 1 2 1 0 4 .5 .5 .5 .5 4 .5 .5 .5 .5": "round in a circle",
}


@pytest.mark.parametrize(("text", "why"), BAD_UAI.items())
def test_mistakes_in_uai(tmp_path, text: str, why: str) -> None:
    (tmp_path / "a.uai").write_text(text)
    with pytest.raises(DataError, match=why) as caught:
        read_graph(tmp_path / "a.uai")
    assert "a.uai" in str(caught.value)


def test_constants_in_uai_are_part_of_the_product(tmp_path) -> None:
    (tmp_path / "a.uai").write_text("MARKOV 2 2 3 3 0 2 0 1 0  1 2.5  6 1 2 3 4 5 6  1 0.5")
    graph = read_graph(tmp_path / "a.uai")
    assert graph.log_partition() == pytest.approx(np.log(2.5 * 21 * 0.5))
    assert graph.best()[1] == pytest.approx(np.log(2.5 * 6 * 0.5))
    np.testing.assert_allclose(graph.marginals()[0], [6 / 21, 15 / 21])


def test_what_is_no_network_is_written_as_a_field(tmp_path) -> None:
    def head(graph: FactorGraph) -> str:
        write_graph(graph, tmp_path / "a.uai")
        again = read_graph(tmp_path / "a.uai")
        assert again.log_partition() == pytest.approx(graph.log_partition())
        return (tmp_path / "a.uai").read_text().split()[0]

    half = np.full((2, 2), 0.5)
    graph = FactorGraph().add_variables(2, 2).add_factors([[0]], [0.5, 0.5], conditional=True)
    assert head(graph) == "MARKOV"  # 1 has no table
    graph.add_factors([[0, 1]], half, conditional=True)
    assert head(graph) == "BAYES"
    graph.add_factors([[0, 1]], half, conditional=True)
    assert head(graph) == "MARKOV"  # 1 has two tables
    circle = FactorGraph().add_variables(2, 2).add_factors([[0, 1], [1, 0]], half, conditional=True)
    assert head(circle) == "MARKOV"


def test_comments_in_uai(tmp_path) -> None:
    (tmp_path / "a.uai").write_text(UAI)
    told = UAI.replace("MARKOV", "# made by 2 hands\n\n  # twice\nMARKOV # a field").replace(
        "\n6\n", "#\n6#\n"
    )
    (tmp_path / "b.uai").write_text(told + "# 1 2 3")
    plain, again = read_graph(tmp_path / "a.uai"), read_graph(tmp_path / "b.uai")
    np.testing.assert_array_equal(again.packed.members, plain.packed.members)
    np.testing.assert_array_equal(again.packed.entries, plain.packed.entries)
    for text, why in (
        (told.replace("2 0 1", "2 0 0"), "line 9: factor 1 is over a variable twice"),
        (told.replace("6#\n0.1", "5# or 6\n0.1"), "line 12: factor 1 has 5 entries"),
        (told.replace("0.8 0.15", "# 0.8 0.15"), "cut: factor 1 has 3 of 6 entries"),
        ("# MARKOV\n", "cut: the kind is missing"),
    ):
        (tmp_path / "b.uai").write_text(text)
        with pytest.raises(DataError, match=why):
            read_graph(tmp_path / "b.uai")


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(("uai", "bif")), st.integers(0, 2**32 - 1))
def test_damaged_files_are_read_or_refused(tmp_path_factory, kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = bytearray((UAI if kind == "uai" else RAIN).encode())
    for _ in range(int(rng.integers(1, 4))):
        at, how = int(rng.integers(len(data))), int(rng.integers(4))
        if how == 0:
            data[at] = int(rng.integers(256))
        elif how == 1:
            del data[at:]
        elif how == 2:
            del data[at : at + int(rng.integers(1, 9))]
        else:
            data[at:at] = bytes(rng.choice(list(b"{}()|;,0129 -.e\n"), 3).astype(np.uint8))
        data = data or bytearray(b"x")
    path = tmp_path_factory.getbasetemp() / f"damaged.{kind}"
    path.write_bytes(data)
    with contextlib.suppress(DataError):
        graph = read_graph(path)
        with contextlib.suppress(DataError):
            graph.marginals()


def test_other_files(tmp_path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        read_graph(tmp_path / "none.bif")
    with pytest.raises(ValueError, match="give format: uai, bif"):
        read_graph(tmp_path / "a.txt")
    with pytest.raises(ValueError, match="no format 'xml'"):
        read_graph(tmp_path / "a.txt", format="xml")
    (tmp_path / "a.txt").write_text(UAI)
    assert read_graph(tmp_path / "a.txt", format="uai").n_factors == 2
    (tmp_path / "empty.bif").write_text("")
    with pytest.raises(DataError, match="empty"):
        read_graph(tmp_path / "empty.bif")


THREE = "MARKOV 3 2 2 3 1 3 0 1 2 12 1 2 3 4 5 6 7 8 9 10 11 12"


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("2 1 0 2 1", {1: 0, 2: 1}),
        ("2\n1 0\n2 1\n", {1: 0, 2: 1}),
        ("1\n2 1 0 2 1\n", {1: 0, 2: 1}),  # as files had it once: the number of cases first
        ("1 2 2", {2: 2}),
        ("1\n2 2", {2: 2}),
        ("0", {}),
        ("1\n0\n", {}),
        ("# two of 3\n2 1 0 # the first\n2 1\n", {1: 0, 2: 1}),
        ("# cases:\n1 # one\n2 1 0 2 1\n", {1: 0, 2: 1}),
    ],
)
def test_evidence(tmp_path, text: str, known: dict[int, int]) -> None:
    (tmp_path / "a.uai").write_text(THREE)
    (tmp_path / "a.uai.evid").write_text(text)
    graph = read_graph(tmp_path / "a.uai")
    assert read_evidence(tmp_path / "a.uai.evid", graph) == known


def test_evidence_has_the_names_of_the_graph(tmp_path) -> None:
    (tmp_path / "rain.bif").write_text(RAIN)
    (tmp_path / "rain.evid.gz").write_bytes(gzip.compress(b"1 1 0"))
    graph = read_graph(tmp_path / "rain.bif")
    known = read_evidence(tmp_path / "rain.evid.gz", graph)
    assert known == {"wet": graph.variables.domains[1][0]}
    joint = graph.query(["rain", "wet"])[:, 0]
    np.testing.assert_allclose(graph.marginals(known)["rain"], joint / joint.sum())


BAD_EVIDENCE = {
    "two 1 0": "line 1: the number of observed variables must be a whole number, 0 or more, not 'two'",
    "1 0": "cut: the value of variable 0 is missing",
    "2 1 0": "cut: an observed variable is missing",
    "1 3 0": "there is no variable 3; the graph has 3",
    "2\n1 0\n1 1": "line 3: variable 1 is told twice",
    "1 1 2": "variable 1 has no value 2; it has 2, from 0",
    "1 1 -1": "the value of variable 1 must be a whole number",
    "1 1 0\n1": "line 2: there is more after the last value",
    "2\n1 0 0\n1 2 2": "line 3: there is more after the last value; one case of evidence is read",
    "# a comment\n\n1 1 2": "line 3: variable 1 has no value 2",
    "": "is empty",
}


@pytest.mark.parametrize(("text", "why"), BAD_EVIDENCE.items())
def test_mistakes_in_evidence(tmp_path, text: str, why: str) -> None:
    (tmp_path / "a.uai").write_text(THREE)
    (tmp_path / "a.evid").write_text(text)
    graph = read_graph(tmp_path / "a.uai")
    with pytest.raises(DataError, match=why) as caught:
        read_evidence(tmp_path / "a.evid", graph)
    assert "a.evid" in str(caught.value)
