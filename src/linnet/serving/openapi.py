"""The description of the server in OpenAPI's form."""

from __future__ import annotations

from typing import Any

from linnet.serving.limits import Limits

SUMMARIES = {
    "predict": "Labels of texts; tags and trees of taggers and parsers.",
    "tag": "Tags of the words of texts or sentences.",
    "parse": "Trees of the sentences of texts, or of sentences.",
    "explain": "What words and features add to the scores, exactly.",
}
REFUSALS = {
    "400": "The body is no JSON object.",
    "401": "The token is missing or wrong.",
    "408": "The request did not arrive in time.",
    "413": "The request is too large.",
    "422": "A field is missing, or is not what it should be.",
    "503": "The server is busy; try again.",
    "504": "The answer took too long.",
}


def described(limits: Limits, names: list[str], token: bool) -> dict[str, Any]:
    """OpenAPI 3.1."""
    paths: dict[str, Any] = {f"/{name}": {"post": _asked(name)} for name in SUMMARIES}
    paths |= {
        "/health": {"get": _got("Is it serving?")},
        "/models": {"get": _got("The models, what they answer, and files that could not be loaded.")},
        "/metrics": {"get": _got("Counts and times, in Prometheus' text format.", "text/plain")},
        "/openapi.json": {"get": _got("This description.")},
    }
    found: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "linnet serve", "version": "1"},
        "paths": paths,
        "components": {"schemas": {"Asked": _schema(limits, names)}},
    }
    if token:
        found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        found["security"] = [{"token": []}]
    return found


def _schema(limits: Limits, names: list[str]) -> dict[str, Any]:
    text, words = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    many = {"type": "array", "maxItems": limits.max_texts}
    return {
        "type": "object",
        "additionalProperties": False,
        "description": "One of text, texts, sentence and sentences, and what else is wanted.",
        "properties": {
            "text": text,
            "texts": many | {"items": text},
            "sentence": words,
            "sentences": many | {"items": words},
            "model": {"type": "string", "enum": names},
            "top": {"type": "integer", "minimum": 1},
        },
    }


def _asked(name: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Asked"}
    answers = {"200": {"description": "model, and answer or answers, in the order of what was asked."}}
    return {
        "summary": SUMMARIES[name],
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": answers | {status: {"description": why} for status, why in REFUSALS.items()},
    }


def _got(summary: str, kind: str = "application/json") -> dict[str, Any]:
    return {"summary": summary, "responses": {"200": {"description": summary, "content": {kind: {}}}}}
