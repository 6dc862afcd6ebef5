"""Timing side by side: interleaved runs, medians, CPU time beside wall time."""

from __future__ import annotations

import argparse
import datetime
import platform
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import one_thread  # noqa: F401

import linnet

Section = Callable[[Path, int], str]  # a folder for files and how many runs; a table


@dataclass
class Timing:
    """Medians over the runs, and what the last run returned."""

    wall: float
    cpu: float
    result: Any


def once(run: Callable[[], Any]) -> Timing:
    """Time one run."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = run()
    return Timing(time.perf_counter() - wall, time.process_time() - cpu, result)


def interleaved(runs: dict[str, Callable[[], Any]], repeats: int) -> dict[str, Timing]:
    """Run all in turn, `repeats` times over, so that a noisy minute hits every side."""
    timings: dict[str, list[Timing]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            timings[name].append(once(run))
    return {
        name: Timing(median(t.wall for t in ts), median(t.cpu for t in ts), ts[-1].result)
        for name, ts in timings.items()
    }


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def run_sections(benchmark: str, sections: dict[str, Section], about: str) -> None:
    """The sections that the command line asks for, each with a folder for its files."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=sections)
    parser.add_argument("--write", action="store_true", help="into benchmarks/README.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, section in sections.items():
            if arguments.only in (None, name):
                print(f"\n## {name}", flush=True)
                found = section(Path(folder), arguments.repeats)
                if arguments.write:
                    write_sections({f"{benchmark} {name}": found})


def write_sections(sections: dict[str, str]) -> None:
    """Put the tables into benchmarks/README.md, between their markers."""
    path = Path(__file__).with_name("README.md")
    text = path.read_text(encoding="utf-8")
    cpu = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        )
        if Path("/proc/cpuinfo").exists()
        else iter([platform.processor()]),
        "",
    )
    python = f"Python {platform.python_version()}, Linnet {linnet.__version__}"
    stamp = f"{datetime.date.today()}, {cpu}, {python}"
    for name, body in sections.items():
        block = f"<!-- {name} -->\n{stamp}\n\n{body}\n<!-- /{name} -->"
        text = re.sub(f"<!-- {name} -->.*<!-- /{name} -->", lambda _, b=block: b, text, flags=re.S)
    path.write_text(text, encoding="utf-8")
