"""``python -m tests.fuzz``: attack Linnet for some time, and keep what is found as small files."""

from __future__ import annotations

import secrets
import sys
import time
from collections import Counter
from pathlib import Path

import click

from .cases import Case, made
from .running import Finding, judged, run, verdict
from .shrinking import shrunk
from .table import KINDS, available

SLICE = 5.0  # seconds for one kind before the next has its turn
FOUND = Path("build/fuzz")


@click.command()
@click.option("--seconds", type=float, default=60.0, show_default=True)
@click.option("--seed", type=int, help="the same seed tries the same cases; one by chance otherwise")
@click.option("--only", type=click.Choice(list(KINDS)), multiple=True, help="kinds; all otherwise")
@click.option("--number", type=int, help="one case alone, of the kind --only")
@click.option("--file", type=click.Path(exists=True), help="a case that was kept, of the kind --only")
@click.option("--shrink", type=float, default=60.0, show_default=True, help="seconds for a finding")
def main(
    seconds: float,
    seed: int | None,
    only: tuple[str, ...],
    number: int | None,
    file: str | None,
    shrink: float,
) -> None:
    """Damaged files, hostile texts, degenerate fits, signals, full disks, little memory."""
    seed = secrets.randbelow(2**32) if seed is None else seed
    if number is not None or file is not None:
        kind = KINDS[only[0]]
        case = Case.from_bytes(Path(file).read_bytes()) if file else made(kind, seed, number or 0)
        what = judged(kind, case)
        click.echo(f"{case.name}: {what or 'nothing wrong'}")
        sys.exit(what is not None)
    click.echo(f"seed {seed}")
    findings = attack(seconds, seed, only or tuple(available()), shrink)
    sys.exit(findings > 0)


def attack(seconds: float, seed: int, kinds: tuple[str, ...], shrink: float) -> int:
    """All kinds in turn; how many findings there were."""
    end, tried, findings = time.monotonic() + seconds, Counter[str](), 0
    known, labels = set[str](), Counter[str]()
    while (left := end - time.monotonic()) > 0:
        for name in kinds:
            result = run(KINDS[name], seed, tried[name], seconds=min(SLICE, max(left, 0.1)))
            tried[name] += result.count
            labels += result.labels
            if result.finding is not None:
                findings += 1
                _keep(result.finding, seed, known, shrink)
    for name in kinds:
        click.echo(f"{tried[name]:>9,} {name}")
    for label in sorted(labels):
        click.echo(f"{labels[label]:>19,} {label}")
    click.echo(f"{sum(tried.values()):>9,} tried, {findings} found wrong")
    return findings


def _keep(finding: Finding, seed: int, known: set[str], shrink: float) -> None:
    """Told once for each way to go wrong, and kept as a small file."""
    told = f"{finding.kind} {verdict(finding.what)}"
    if told in known:
        return
    known.add(told)
    click.echo(
        f"\nFOUND {finding.kind}, {finding.case.name} "
        f"(--only {finding.kind} --seed {seed} --number {finding.number})\n{finding.what}"
    )
    case = shrunk(KINDS[finding.kind], finding.case, finding.what, shrink)
    FOUND.mkdir(parents=True, exist_ok=True)
    path = FOUND / f"{finding.kind}-{case.digest}"
    path.write_bytes(case.to_bytes())
    click.echo(f"{len(case.data)} bytes in {path}; once mended: mv {path} tests/fuzz/kept/\n")


if __name__ == "__main__":
    main()
