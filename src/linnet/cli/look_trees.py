"""Files of trees for ``linnet look``: gold trees, pools of sentences, trees that were decided."""

from __future__ import annotations

from typing import Any

import click

Rows = list[dict[str, Any]]


class Arcs:
    """Of a dependency parser."""

    def __init__(self, model: Any, given: dict[str, Any]) -> None:
        self.model, self.given = model, given

    def gold(self, path: str) -> Any:
        """Trees to compare with."""
        from linnet.cli.tasks.parse.data import read_gold, tell_unseen
        from linnet.serving.look.judged_trees import check_gold

        trees = read_gold(path, self.given, "many")
        check_gold(trees)
        tell_unseen(self.model, trees)
        return trees

    def train(self, path: str) -> Any:
        """Trees that it learnt from."""
        from linnet.cli.tasks.parse.data import read_gold

        return read_gold(path, self.given, self.model.roots)

    def pool(self, path: str) -> list[list[str]]:
        """Words of sentences."""
        from linnet.cli.tasks.parse.data import batches

        return [
            words
            for _, trees in batches(self.model, path, self.given)
            for words in trees.column("form")
        ]

    def decided(self, path: str) -> Rows:
        """Whole trees of a file become decisions."""
        from linnet.cli.tasks.parse.data import read_gold

        trees = read_gold(path, self.given | {"quiet": True}, self.model.roots)
        rows = zip(trees.column("form"), trees.head_lists(), trees.relation_lists(), strict=True)
        found = [
            _row(words, {"heads": heads, "relations": names})
            for words, heads, names in rows
            if None not in names and -1 not in heads and words
        ]
        if not found:
            raise click.UsageError(
                f"--import {path}: no sentence has a head and a relation for each word"
            )
        return found


class Phrases:
    """Of a parser of phrases."""

    def __init__(self, model: Any, given: dict[str, Any]) -> None:
        self.model, self.given = model, given

    def gold(self, path: str) -> Any:
        """Trees to compare with."""
        from linnet.serving.look.judged_phrases import check_brackets

        trees = self.train(path)
        check_brackets(trees)
        return trees

    def train(self, path: str) -> Any:
        """Trees that it learnt from."""
        from linnet.cli.tasks.trees.data import read_gold

        return read_gold(path, self.given)

    def pool(self, path: str) -> list[list[str]]:
        """Words of sentences, without traces."""
        from linnet.cli.tasks.trees.data import batches
        from linnet.data.brackets import Brackets
        from linnet.serving.look.phrase_models import texts_of

        parts = batches(path, self.given)
        cleaned = (part.cleaned() if isinstance(part, Brackets) else part for part in parts)
        return [words for part in cleaned for words in texts_of(part)]

    def decided(self, path: str) -> Rows:
        """Trees of a file become decisions, as parsers learn from them."""
        found = [
            _row(
                list(tree.words),
                {"brackets": [list(span) for span in tree.spans()], "tags": list(tree.tags)},
            )
            for tree in self.train(path).cleaned()
            if len(tree)
        ]
        if not found:
            raise click.UsageError(f"--import {path}: there are no trees")
        return found


def _row(words: list[str], tree: dict[str, Any]) -> dict[str, Any]:
    return {"text": " ".join(words), "words": words, "tree": tree}
