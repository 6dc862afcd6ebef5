"""An engine in place of Ray, for tests: its workers are in this process, and share nothing with it."""

import pickle
from collections.abc import Iterator
from typing import Any

from linnet import engines
from linnet.engines.local import LocalWorkers


class Far(engines.Local):
    """Workers that are made of what was pickled, as on other machines."""

    name = "far"
    far = True

    def start(self, make: Any, parts: Any, threads: int = 1) -> LocalWorkers:
        """Here, of copies."""
        return super().start(*pickle.loads(pickle.dumps((make, parts))), threads)

    def in_order(self, call: Any, items: Any) -> Iterator[Any]:
        """Here, of copies."""
        for item in items:
            found, of = pickle.loads(pickle.dumps((call, item)))
            yield pickle.loads(pickle.dumps(found(*of)))
