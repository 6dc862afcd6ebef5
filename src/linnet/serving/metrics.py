"""Counts and times of requests, in Prometheus' text format."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter

# Upper bounds of the classes of times, in seconds.
BOUNDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """What a server has done since it was started; kept by one thread, that of the event loop."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()  # by path and status
        self.texts = 0
        self.seconds = 0.0
        self.classes = [0] * (len(BOUNDS) + 1)

    def count(self, path: str, status: int, seconds: float, texts: int = 0) -> None:
        """One request."""
        self.requests[path, status] += 1
        self.texts += texts
        self.seconds += seconds
        self.classes[bisect_left(BOUNDS, seconds)] += 1

    def text(self, gauges: dict[str, tuple[str, float]]) -> str:
        """All of it; ``gauges`` are {name: (help, value)} that others know."""
        lines = [*_head("linnet_requests_total", "Requests by path and status.", "counter")]
        for (path, status), times in sorted(self.requests.items()):
            lines.append(f'linnet_requests_total{{path="{path}",status="{status}"}} {times}')
        lines += _head("linnet_texts_total", "Texts and sentences that were answered.", "counter")
        lines.append(f"linnet_texts_total {self.texts}")
        name = "linnet_request_seconds"
        lines += _head(name, "From the first byte of a request to its answer.", "histogram")
        below = 0
        for bound, times in zip((*BOUNDS, "+Inf"), self.classes, strict=True):
            below += times
            lines.append(f'{name}_bucket{{le="{bound}"}} {below}')
        lines += [f"{name}_sum {self.seconds:.6f}", f"{name}_count {below}"]
        for gauge, (about, value) in gauges.items():
            lines += [*_head(gauge, about, "gauge"), f"{gauge} {value:g}"]
        return "\n".join(lines) + "\n"


def _head(name: str, about: str, kind: str) -> list[str]:
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
