"""A page without a browser: what its views are told."""

import json
import time
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

from linnet.serving.look.app import look_application
from linnet.serving.look.session import Looked


class Asking:
    """A page, and what its views are told."""

    def __init__(self, looked: Looked) -> None:
        self.app = look_application(looked, secret="s3cret")
        self.client = TestClient(self.app, base_url="http://127.0.0.1")

    def __call__(self, view: str, status: int = 200, **asked: Any) -> Any:
        while True:
            answer = self.client.post(f"/s3cret/api/{view}", content=json.dumps(asked))
            assert answer.status_code == status, answer.text
            told = answer.json()
            if "progress" not in told:
                return told
            time.sleep(0.02)
