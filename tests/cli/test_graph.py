"""``linnet graph``: a file is asked without programming."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from linnet.cli import main

LIGHTS = """network lights {
}
variable state { type discrete [ 2 ] { broken, works }; }
variable north { type discrete [ 2 ] { red, green }; }
variable east { type discrete [ 2 ] { red, green }; }
probability ( state ) { table 0.25, 0.75; }
probability ( north | state ) { (broken) 1, 0; (works) 0.5, 0.5; }
probability ( east | state, north ) {
  (broken, red) 1, 0; (broken, green) 1, 0; (works, red) 0, 1; (works, green) 1, 0;
}
"""


@pytest.fixture
def network(tmp_path: Path) -> Path:
    path = tmp_path / "lights.bif"
    path.write_text(LIGHTS)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["graph", *map(str, arguments)])


def test_queries(network: Path) -> None:
    result = run("query", network, "--given", "north=red", "--of", "state,east")
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "variable\tvalue\tp",
        "state\tbroken\t0.4",
        "state\tworks\t0.6",
        "east\tred\t0.4",
        "east\tgreen\t0.6",
    ]
    result = run("query", network, "--given", "north=red,east=red", "--json")
    found = json.loads(result.output)
    assert found["marginals"] == {"state": {"broken": 1.0, "works": 0.0}}
    assert found["exact"]
    result = run("query", network, "--of", "north,east", "--joint")
    assert "red\tgreen\t0.375" in result.output.splitlines()
    result = run("query", network, "--of", "north,east", "--joint", "--json")
    assert json.loads(result.output)["joint"][0] == {
        "values": {"north": "red", "east": "red"},
        "p": 0.25,
    }


def test_beliefs_are_not_called_exact(network: Path) -> None:
    found = json.loads(run("query", network, "--beliefs", "--json").output)
    assert found["exact"] is False


def test_best(network: Path) -> None:
    result = run("best", network, "--given", "north=green")
    assert result.output.splitlines()[1:] == ["state\tworks", "north\tgreen", "east\tred"]
    rows = run("best", network, "-k", 3, "--of", "state").output.splitlines()
    assert rows[0] == "state\tlog score"
    assert sorted(row.split("\t")[0] for row in rows[1:]) == ["broken", "works", "works"]
    found = json.loads(run("best", network, "-k", 9, "--json").output)
    assert len(found["best"]) == 3
    given = ["--given", "north=green", "--json"]
    assert run("best", network, "--beliefs", *given).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--given", "north"], "wants VARIABLE=VALUE"),
        (["--given", "north=blue"], "has no value 'blue'; it has red, green"),
        (["--given", "south=red"], "there is no variable 'south'"),
        (["--given", "north=red,north=green"], "tells north twice"),
        (["--of", "south"], "there is no variable 'south'"),
        (["--joint"], "--joint needs --of"),
        (["--of", ","], "--of names no variable"),
        (["--of", "north,north"], "--of names a variable twice"),
        (["-k", "2"], "-k is for 'best'"),
        (["--given", "state=broken,north=green"], "no assignment is possible"),
    ],
)
def test_mistakes(network: Path, arguments: list[str], why: str) -> None:
    result = run("query", network, *arguments)
    assert result.exit_code in (1, 2)
    assert why in result.output
    assert "Traceback" not in result.output


def test_uai_files_have_numbers_for_names(tmp_path: Path) -> None:
    path = tmp_path / "graph.uai"
    path.write_text("MARKOV 2 2 2 1 2 0 1 4 1 2 3 4")
    result = run("query", path, "--given", "0=1", "--of", "1")
    assert result.output.splitlines()[1:] == ["1\t0\t0.428571", "1\t1\t0.571429"]


def test_evidence_in_a_file(network: Path, tmp_path: Path) -> None:
    evidence = tmp_path / "lights.uai.evid"
    evidence.write_text("1 1 0\n")  # north is red
    for action in (["query"], ["best"], ["query", "--joint"]):
        rest = [*action[1:], "--of", "state,east", "--json"]
        told = run(action[0], network, "--evidence", evidence, *rest)
        assert told.exit_code == 0
        assert told.output == run(action[0], network, "--given", "north=red", *rest).output
    both = run("query", network, "--evidence", evidence, "--given", "east=red", "--json")
    assert json.loads(both.output)["marginals"] == {"state": {"broken": 1.0, "works": 0.0}}


def test_mistakes_in_evidence(network: Path, tmp_path: Path) -> None:
    evidence = tmp_path / "lights.uai.evid"
    evidence.write_text("1 1 7\n")
    for arguments, why in (
        (["--evidence", evidence], "lights.uai.evid, line 1: variable 1 has no value 7"),
        (["--evidence", tmp_path / "none.evid"], "none.evid does not exist"),
    ):
        result = run("query", network, *arguments)
        assert result.exit_code == 1
        assert why in result.output
    evidence.write_text("1 1 0\n")
    result = run("query", network, "--evidence", evidence, "--given", "north=green")
    assert result.exit_code == 2
    assert "--given tells north, and --evidence has told it" in result.output
    assert "standard input" in run("query", "-", "--format", "bif", "--evidence", "-").output
    evidence.write_text("2 0 0 1 1\n")  # broken, and green
    assert "no assignment is possible" in run("query", network, "--evidence", evidence).output


def test_joint_probabilities_keep_their_digits_in_json(tmp_path: Path) -> None:
    path = tmp_path / "third.uai"
    path.write_text("MARKOV 1 3 1 1 0 3 1 1 1")
    found = json.loads(run("query", path, "--of", "0", "--joint", "--json").output)
    assert [one["p"] for one in found["joint"]] == pytest.approx([1 / 3] * 3, rel=1e-15)


def ring(n: int) -> str:
    """Neighbours differ; of an odd ring some pair cannot."""
    pairs = "".join(f"2 {i} {(i + 1) % n}\n" for i in range(n))
    return f"MARKOV\n{n}\n" + "2 " * n + f"\n{n}\n{pairs}" + "4 0 1 1 0\n" * n


def test_beliefs_without_a_possible_assignment_are_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "ring.uai"
    path.write_text(ring(3))
    result = run("best", path, "--beliefs", "--json")
    assert result.exit_code == 1
    assert "no possible assignment; leave --beliefs out" in result.output
    assert "no assignment is possible" in run("best", path).output


def test_tables_too_large_are_told_in_words_of_the_command(tmp_path: Path) -> None:
    path, n = tmp_path / "all.uai", 64
    pairs = [f"2 {i} {j}" for i in range(n) for j in range(i)]
    tables = "\n".join(["4 2 1 1 3"] * len(pairs))
    sizes = " ".join(["2"] * n)
    path.write_text(f"MARKOV {n} {sizes} {len(pairs)} " + "\n".join(pairs) + f"\n{tables}\n")
    for action in (["query"], ["best", "-k", "2"], ["query", "--joint", "--of", "0,1"]):
        result = run(action[0], path, *action[1:])
        assert result.exit_code == 1
        assert "over 64 variables: 0, 1, 2" in result.output
        assert "or take --beliefs" in result.output
        assert "max_entries" not in result.output
