"""All that one page looks at: a model, data, a pool, decisions; each view asks for its part."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from linnet.errors import DataError
from linnet.serving.look.decisions import Decisions
from linnet.serving.look.exporting import forms_of
from linnet.serving.look.judged import MOST, Judged
from linnet.serving.look.judged_phrases import JudgedPhrases
from linnet.serving.look.judged_sets import JudgedSets
from linnet.serving.look.judged_tags import JudgedTags
from linnet.serving.look.judged_trees import JudgedTrees
from linnet.serving.look.labelling import asked_label, labels_of
from linnet.serving.look.suspects import Search
from linnet.serving.look.teaching import Teaching
from linnet.serving.look.teaching_tags import TeachingTags
from linnet.serving.look.teaching_trees import TeachingTrees
from linnet.serving.look.trying import tried
from linnet.serving.look.weights import Weights, margins

PARSERS = ("parse", "trees")
Told = dict[str, Any]
Asked = Mapping[str, Any]


@dataclass
class Looked:
    """What was given to be looked at."""

    model: Any
    name: str = "model"
    texts: Sequence[str] = ()  # of the data, with labels
    labels: Sequence[Any] | None = None  # strings, or sets of strings
    beside: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    pool: Sequence[Any] = ()  # without labels; of taggers and parsers, sentences as lists of words
    train: tuple[Sequence[str], Sequence[Any]] | None = None
    rival: Any = None
    tagged: Any = None  # of taggers, the data: sentences with tags
    train_tagged: Any = None  # and what they learnt from
    trees: Any = None  # of parsers, the data: sentences with trees, `Trees` or `Brackets`
    train_trees: Any = None  # and what they learnt from
    decisions: str = "linnet.decisions.jsonl"


class Session:
    """The state of a page; one request at a time changes it."""

    def __init__(self, looked: Looked) -> None:
        self.looked = looked
        self.lock = threading.RLock()
        self.decisions = Decisions(looked.decisions)

    # ------------------------------------------------------------------ the rooms of the page

    @cached_property
    def judged(self) -> Judged | JudgedTags | JudgedTrees | JudgedPhrases:
        """Errors."""
        given = self.looked
        if given.tagged is not None:
            return JudgedTags(given.model, given.tagged, given.rival)
        if given.trees is not None:
            judge = JudgedPhrases if given.model.task == "trees" else JudgedTrees
            return judge(given.model, given.trees, given.rival)
        if given.labels is None:
            raise DataError("there are no texts with labels: linnet look MODEL DATA")
        train = None if given.train is None else given.train[0]
        kind = JudgedSets if given.model.several_ else Judged
        return kind(given.model, given.texts, given.labels, given.beside, given.rival, train)

    @cached_property
    def teaching(self) -> Teaching | TeachingTags | TeachingTrees:
        """Teach."""
        given = self.looked
        if not given.pool:
            raise DataError("there are no texts to label: linnet look MODEL --pool FILE")
        if given.model.task == "tag":
            return TeachingTags(given.model, given.pool, self.decisions, given.train_tagged)
        if given.model.task in PARSERS:
            return TeachingTrees(given.model, given.pool, self.decisions, given.train_trees)
        return Teaching(given.model, given.pool, self.decisions, given.train)

    @cached_property
    def weights(self) -> Weights:
        """Weights."""
        return Weights(self.looked.model)

    @cached_property
    def search(self) -> Search:
        """For labels that look wrong: the longest to compute, once, while others are answered."""
        return Search(self.looked.model, self.looked.texts, self.labels)

    @cached_property
    def labels(self) -> list[Any]:
        """Of the data: a label, or a set of labels, of each text."""
        given = self.looked
        if given.labels is None:
            raise DataError("there are no texts with labels: linnet look MODEL DATA")
        return labels_of(given.labels, given.model.several_)

    def close(self) -> None:
        """Nobody looks any more."""
        if "search" in self.__dict__:
            self.search.stop()
        if isinstance(teaching := self.__dict__.get("teaching"), TeachingTrees):
            teaching.stop()
        self.decisions.close()

    # ------------------------------------------------------------------ what is asked

    def about(self, _: Asked) -> Told:
        """Which model, which data, and which views there are."""
        model, given = self.looked.model, self.looked
        classify = model.task == "classify"
        views = ["try"]
        if given.tagged is not None or given.trees is not None:
            views.append("errors")
        if classify and given.labels is not None:
            views += ["errors", "labels"]
        if given.pool and (model.task in ("tag", *PARSERS) or classify):
            views.append("teach")
        return {
            "name": given.name,
            "task": model.task,
            "kind": type(model).__name__,
            "labels": [str(label) for label in model.classes_.tolist()][:2000],
            "probable": model.no_probabilities() is None,
            "why": model.why_,
            "views": [*views, "weights"],
            "texts": len(given.texts),
            "pool": len(given.pool),
            "several": classify and model.several_,
            "rival": given.rival is not None,
            "example": self._example(),
            "decisions": given.decisions,
            "exports": forms_of(model.task),
        }

    def _example(self) -> str:
        """Something to begin with."""
        given = self.looked
        first: Any = next(iter(given.texts or given.pool), "")
        return (first if isinstance(first, str) else " ".join(first))[:500]

    def attempt(self, asked: Asked) -> Told:
        """Try."""
        return tried(self.looked.model, _string(asked, "text"), asked)

    def errors(self, asked: Asked) -> Told:
        """Errors: one of its parts."""
        part, judged = asked.get("part", "overview"), self.judged
        if isinstance(judged, JudgedSets):
            if part == "label":
                return judged.of_label(_string(asked, "label"), _string(asked, "how"))
            if part == "thresholds":
                chosen = asked.get("thresholds")
                return judged.thresholds(chosen if isinstance(chosen, dict) else {})
        if part == "cell":
            return judged.cell(_string(asked, "gold"), _string(asked, "guess"))
        if part == "slices":
            return {"slices": judged.slices(_string(asked, "word"))}
        if part == "rival":
            return judged.beside_rival
        if not isinstance(judged, Judged):
            if part != "overview":
                raise DataError(f"errors of taggers and parsers have no part {part!r:.80}")
            return judged.overview
        if part == "curves":
            return judged.curves(_string(asked, "label"))
        if part == "repeated":
            return judged.repeated
        return judged.overview

    def doubts(self, asked: Asked) -> Told:
        """Labels that look wrong, with what was decided of them; or how far the search has come."""
        suspects = self.search.rows()
        if suspects is None:
            return {"progress": self.search.share}
        decided = {one.place: one.label for one in self.decisions.standing("labels")}
        texts = self.looked.texts
        first = asked.get("first") or 0
        if not isinstance(first, int) or first < 0:
            raise DataError("first: a number is wanted, of the first row to be told")
        rows = [
            row | {"text": texts[row["place"]][:5000], "decided": decided.get(row["place"])}
            for row in suspects[first : first + MOST]
        ]
        return {"rows": rows, "all": len(suspects), "decided": len(decided)}

    def settle(self, asked: Asked) -> Told:
        """Accept, keep or change one; or take the last decision back."""
        if asked.get("undo"):
            standing = self.decisions.standing("labels")
            if standing:
                self.decisions.add(undone=standing[-1].number, view="labels")
            return {"undone": standing[-1].place if standing else None}
        place, label = asked.get("place"), asked_label(asked, self.looked.model.several_)
        texts, labels = self.looked.texts, self.labels
        if not isinstance(place, int) or not 0 <= place < len(texts) or label is None:
            raise DataError("place and label are wanted, of a text of the data")
        self.decisions.add(
            text=texts[place], label=label, view="labels", place=place, was=labels[place]
        )
        return {"place": place, "label": label, "decided": len(self.decisions.standing("labels"))}

    def teach(self, asked: Asked) -> Told:
        """The queue; before it is told, a decision may be made or taken back."""
        teaching = self.teaching
        if asked.get("learn"):
            teaching.learn(anew=True)
        elif asked.get("undo"):
            teaching.undo()
        elif "place" in asked:
            if not isinstance(asked["place"], int):
                raise DataError("place is a number")
            if isinstance(teaching, TeachingTrees) and asked.get("redraw"):
                return teaching.redrawn(asked["place"], asked)
            if isinstance(teaching, (TeachingTags, TeachingTrees)):
                teaching.decide(asked["place"], asked)
            else:
                label = asked_label(asked, teaching.several)
                teaching.decide(asked["place"], label, _string(asked, "note")[:2000])
        return teaching.told(_string(asked, "order") or None)

    def rules(self, asked: Asked) -> Told:
        """Weak labels of Teach: rules are added, removed, learnt from or not; and told."""
        if not isinstance(self.teaching, Teaching):
            raise DataError("rules are for labels of texts")
        return self.teaching.rule(asked)

    def listed(self, asked: Asked) -> Told:
        """Weights."""
        try:
            self.weights.rows  # noqa: B018
        except DataError as error:
            return {"none": str(error)}
        return self.weights.told(
            _string(asked, "search"),
            _string(asked, "label"),
            _string(asked, "family"),
            _string(asked, "order") or "largest",
        )

    def record(self, _: Asked) -> Told:
        """How it was trained: settings, curves, what theory says."""
        record = self.looked.model.record_
        told = record.as_dict()
        return {
            "settings": {name: told[name] for name in ("loss", "learner", "penalty", "structure", "C")},
            "stopped": told["stopped"],
            "curves": record.columns(),
            "facts": {k: v for k, v in told["facts"].items() if isinstance(v, (int, float, str))},
            "diagnostics": {
                k: v for k, v in told["diagnostics"].items() if isinstance(v, (int, float, str))
            },
            "data": {k: v for k, v in told["data"].items() if isinstance(v, (int, float, str))},
            "why": self.looked.model.why_,
            "margins": self._margins,
        }

    @cached_property
    def _margins(self) -> Told | None:
        """Of the texts that were trained on, or of the data, if there are some."""
        given = self.looked
        if given.train is not None:
            return margins(given.model, *given.train, "the texts that were trained on")
        if given.labels is not None:
            return margins(given.model, given.texts, given.labels, "the data")
        return None


def _string(asked: Asked, name: str) -> str:
    found = asked.get(name, "")
    if found is None:
        return ""
    if not isinstance(found, str):
        raise DataError(f"{name}: a string is wanted")
    return found


VIEWS: dict[str, Callable[[Session, Asked], Told]] = {
    "about": Session.about,
    "try": Session.attempt,
    "errors": Session.errors,
    "labels": Session.doubts,
    "settle": Session.settle,
    "teach": Session.teach,
    "rules": Session.rules,
    "weights": Session.listed,
    "record": Session.record,
}
