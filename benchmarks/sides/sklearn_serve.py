"""scikit-learn's pipeline behind starlette and uvicorn, as a side of benchmarks/serve.py."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import uvicorn
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
labels, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
pipeline = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LogisticRegression())
pipeline.fit(texts, labels)


async def predict(request: Request) -> JSONResponse:
    """As linnet serve answers it."""
    shares = pipeline.predict_proba([(await request.json())["text"]])[0]
    best = int(shares.argmax())
    answer = {"label": pipeline.classes_[best], "probability": float(shares[best])}
    return JSONResponse({"model": "banking", "answer": answer})


# By name, as uvicorn does where it opens the port: or else answers wait for acknowledgements.
listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
listening.bind(("127.0.0.1", 0))
listening.listen(1000)
print(f"serving on http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
app = Starlette(routes=[Route("/predict", predict, methods=["POST"])])
config = uvicorn.Config(app, log_config=None, access_log=False)
uvicorn.Server(config).run(sockets=[listening])
