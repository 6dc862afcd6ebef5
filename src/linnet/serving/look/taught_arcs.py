"""Dependency trees that a person corrects: some heads and relations are pinned, others found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.joined_sentences import join_trees
from linnet.data.sequences import Sequences
from linnet.data.trees import Trees
from linnet.errors import DataError
from linnet.estimators.parsing.going_on import gone_on
from linnet.estimators.tagging.first import fit_taggers, make_taggers

Told = dict[str, Any]
Words = Sequence[Sequence[str]]
Pairs = list[tuple[Sequence[str], Told]]
REMINDED = 100  # trees


class Arcs:
    """Heads and relations, as lists with an entry for each word."""

    name = "arcs"

    def __init__(self, model: Any, pool: Words, train: Trees | None) -> None:
        self.first, self.pool, self.train = model, pool, train
        self.names = [str(name) for name in model.classes_.tolist()]
        self.roots = "one" if model.model_.single_root else "many"

    # ------------------------------------------------------------------ trees

    def trees(self, model: Any, sentences: Words) -> list[Told]:
        """Heads, relations, tags where there are some, and how probable heads are, if they are."""
        return self._told(model, sentences, None)

    def _told(self, model: Any, sentences: Words, known: Any) -> list[Told]:
        if not sentences:
            return []
        made = model.parse_trees(self._bare(sentences), known=known)
        tags = made.column("upos") if "upos" in made.columns else None
        probable = model.no_probabilities() is None
        shares = model.predict_proba(made, known=known) if probable else None
        rows = zip(made.head_lists(), made.relation_lists(), strict=True)
        return [
            {
                "heads": heads,
                "relations": relations,
                "tags": None if tags is None else tags[i],
                "sure": None
                if shares is None
                else [round(float(shares[i][k, h]), 4) for k, h in enumerate(heads)],
            }
            for i, (heads, relations) in enumerate(rows)
        ]

    def redrawn(self, model: Any, words: Sequence[str], asked: Mapping[str, Any]) -> Told:
        """Under heads and relations that are pinned: {"heads": {place: head}, "relations": …}.

        Where no tree of the model keeps to the heads, the others stay as ``tree`` has them.
        """
        size = len(words)
        heads = {int(k): h for k, h in _table(asked, "heads", size).items()}
        names = {int(k): str(r) for k, r in _table(asked, "relations", size).items()}
        for k, h in heads.items():
            if type(h) is not int or not 0 <= h <= size or h == k + 1:
                raise DataError(f"heads: {h!r:.20} is no head of word {k + 1} of {size}")
        known = [[heads.get(k) for k in range(size)]] if heads else None
        by_hand = ""
        try:
            told = self._told(model, [words], known)[0]
        except DataError as error:
            by_hand = str(error)
            told = self._by_hand(asked.get("tree"), words, heads)
        for k, name in names.items():
            told["relations"][k] = name
        return told | {"by_hand": by_hand}

    def _by_hand(self, tree: Any, words: Sequence[str], heads: Mapping[int, int]) -> Told:
        """The tree as it was with these heads, if that is a tree."""
        told = dict(self.checked(tree, words, partly=True)) | {"tags": None, "sure": None}
        told["heads"] = [heads.get(k, h) for k, h in enumerate(told["heads"])]
        self.checked(told, words)
        return told

    def checked(self, tree: Any, words: Sequence[str], partly: bool = False) -> Told:
        """A tree with a relation for each word."""
        heads, names = (tree.get(x) if isinstance(tree, dict) else None for x in ("heads", "relations"))
        size = len(words)
        if not _is_list(heads, size, int) or not _is_list(names, size, str):
            raise DataError(f"tree: {size} heads and {size} relations are wanted, one for each word")
        assert isinstance(heads, list)
        assert isinstance(names, list)
        if not partly:
            if not all(name.strip() and not set(name) & set("\t\r\n") for name in names):
                raise DataError("tree: a relation is empty, or has tabs or ends of lines in it")
            try:
                Trees.from_lists([list(words)], [heads], [names], roots=self.roots)
            except DataError as error:
                raise DataError(f"that is no tree: {error}") from None
        return {"heads": list(heads), "relations": list(names)}

    def line(self, tree: Told, words: Sequence[str]) -> str:
        """What is under the root, and how many words are under it."""
        parts = zip(words, tree["heads"], tree["relations"], strict=True)
        return ", ".join(
            f"{word} ← {words[h - 1] if h else 'root'} ({name})" for word, h, name in parts
        )[:300]

    def sure(self, model: Any, sentences: Words) -> NDArray[np.float64]:
        """The share of heads that is expected to be right; of margins, by those that are small."""
        trees = model.parse_trees(self._bare(sentences))
        bounds = trees.offsets[:-1]
        if model.no_probabilities() is None:
            each = np.concatenate(
                [
                    table[np.arange(len(heads)), heads]
                    for table, heads in zip(model.predict_proba(trees), trees.head_lists(), strict=True)
                ]
            )
        else:
            threads = model._threads()
            best, scores = model.model_.best(trees, threads)
            others, _, _ = model.model_.runners_up(trees, best, threads)
            each = np.clip(np.repeat(scores, trees.lengths) - others, 0.0, 1.0)
        return np.asarray(np.add.reduceat(each, bounds) / trees.lengths, np.float64)

    # ------------------------------------------------------------------ learning

    def go_on(self, base: Any, trees: Pairs) -> Any:
        """By steps over these and some that it knew."""
        taught = {tuple(words) for words, _ in trees}
        known = self._reminders
        others = [i for i, words in enumerate(known.column("form")) if tuple(words) not in taught]
        return gone_on(base, join_trees([known.take(others), self._made(trees)]))

    @cached_property
    def _reminders(self) -> Trees:
        """Trees that it was trained on, or of the pool as it parses them as it came."""
        if self.train is not None:
            places = np.random.default_rng(0).permutation(len(self.train))[:REMINDED]
            return self._bare_trees(self.train.take(places))
        return self._bare_trees(self.first.parse_trees(self._bare(self.pool[:REMINDED])))

    def refit(self, made: Pairs) -> Any:
        """The parser alone: its taggers stay, and it learns from tags of new ones, by folds."""
        columns = [name for name in self._tagged.columns if name not in ("word", "form")]
        new = self.first._tagged(self._made(made))
        new = self._bare_trees(new, columns)
        fresh = self.first.__sklearn_clone__().set_params(tagger=None, diagnostics=False)
        fresh.fit(join_trees([self._tagged, new]))
        fresh.set_params(tagger=self.first.tagger)
        fresh.taggers_, fresh.segmenter_ = self.first.taggers_, self.first.segmenter_
        return fresh

    @cached_property
    def _tagged(self) -> Trees:
        """What it was trained on, with tags by taggers that have not seen the sentence."""
        assert self.train is not None
        model, seen = self.first, [name for name in self.first.model_.columns if name != "form"]
        own = [name for name in seen if name in model.taggers_ and name in self.train.columns]
        train = model._tagged(self.train)  # with columns that the file has not
        settings = {"random_state": model.random_state, "n_jobs": model.n_jobs}
        folds, seed = model.jackknife, int(model.random_state)
        _, columns = fit_taggers(make_taggers("auto", own, settings), train.sequences, folds, seed)
        return self._bare_trees(train.with_columns(**columns), seen)

    # ------------------------------------------------------------------ forms

    def _bare(self, sentences: Words) -> Trees:
        return replace(Trees.from_lists([list(words) for words in sentences]), roots="many")

    def _made(self, trees: Pairs) -> Trees:
        words, each = [list(words) for words, _ in trees], [tree for _, tree in trees]
        heads, names = [tree["heads"] for tree in each], [tree["relations"] for tree in each]
        return Trees.from_lists(words, heads, names, roots=self.roots)

    def _bare_trees(self, trees: Trees, columns: Sequence[str] = ()) -> Trees:
        """With words and these columns alone, so that all are alike."""
        data = trees.sequences
        kept = dict.fromkeys(("word", "form"), data.columns["form"])
        kept |= {name: data.columns[name] for name in columns}
        return Trees(Sequences(kept, data.offsets), trees.heads, trees.relations, self.roots)


def _table(asked: Mapping[str, Any], name: str, size: int) -> dict[str, Any]:
    found = asked.get(name) or {}
    if not isinstance(found, dict) or not all(str(k).isdigit() and int(k) < size for k in found):
        raise DataError(f"{name}: an object of the numbers of words is wanted")
    return found


def _is_list(given: Any, size: int, kind: type) -> bool:
    return isinstance(given, list) and len(given) == size and all(type(x) is kind for x in given)
