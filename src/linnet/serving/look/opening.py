"""The page of a model that is in memory: ``model.look(texts, labels)``."""

from __future__ import annotations

import threading
import webbrowser
from html import escape
from typing import Any

import uvicorn

from linnet.data.sequences import Sequences, token_strings
from linnet.errors import DataError
from linnet.estimators.parsing.input import read_parsed
from linnet.estimators.phrases.input import read_treebank
from linnet.estimators.running_text import are_texts
from linnet.estimators.tagging.fitted import read_sentences
from linnet.estimators.text.targets import is_table, read_targets
from linnet.serving.answering import check_looked
from linnet.serving.look.app import look_application
from linnet.serving.look.judged_phrases import check_brackets
from linnet.serving.look.judged_trees import check_gold
from linnet.serving.look.labelling import check_rival, labels_of
from linnet.serving.look.phrase_models import texts_of
from linnet.serving.look.running import HOST
from linnet.serving.look.session import Looked
from linnet.serving.running import bound


class Opened:
    """A page that is being served by a thread; `close` ends it."""

    def __init__(self, looked: Looked, port: int, browser: bool) -> None:
        self._listening = bound(HOST, port)
        app = look_application(looked)
        self.address = f"http://{HOST}:{self._listening.getsockname()[1]}/{app.state.page.secret}/"
        config = uvicorn.Config(
            app, log_config=None, log_level="error", access_log=False, lifespan="on"
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run,
            kwargs={"sockets": [self._listening]},
            name="linnet-look",
            daemon=True,
        )
        self._thread.start()
        if browser:
            webbrowser.open(self.address)

    def close(self) -> None:
        """No more answers."""
        self._server.should_exit = True
        self._thread.join()
        self._listening.close()

    def __repr__(self) -> str:
        return f"look at {self.address}"

    def _repr_html_(self) -> str:
        address = escape(self.address, quote=True)
        return f'<a href="{address}" target="_blank" rel="noreferrer">{address}</a>'


def opened(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    pool: Any = None,
    train: tuple[Any, Any] | None = None,
    against: Any = None,
    decisions: str = "linnet.decisions.jsonl",
    port: int = 0,
    browser: bool = True,
) -> Opened:
    """Serve the page of a model in a thread, and open it."""
    check_looked(model, type(model).__name__)
    looked = Looked(model, type(model).__name__, rival=against, decisions=decisions)
    if model.task == "classify":
        _give_texts(looked, X, y, pool, train)
    elif model.task == "tag":
        _give_sentences(looked, X, y, pool, train)
    elif model.task == "parse":
        _give_trees(looked, X, y, pool, train)
    else:
        _give_phrases(looked, X, y, pool, train)
    if looked.train_trees is not None and not looked.pool:
        raise DataError("train: a parser is taught trees of a pool; give pool, too")
    if against is not None:
        if looked.labels is None and looked.tagged is None and looked.trees is None:
            raise DataError("against: two models are compared on X with y; give some")
        if against.task != model.task:
            raise DataError(f"against is a {type(against).__name__}, and this a {type(model).__name__}")
        check_rival(model, against, "against")
    return Opened(looked, port, browser)


def _give_texts(looked: Looked, X: Any, y: Any, pool: Any, train: Any) -> None:
    texts = _texts("X", X)
    if y is None:
        looked.pool = texts
    else:
        looked.texts, looked.labels = texts, _labels(looked, y)
        if len(looked.labels) != len(texts):
            raise DataError(f"X has {len(texts)} texts but y {len(looked.labels)} labels")
    looked.pool = _texts("pool", pool) or looked.pool
    if train is not None:
        looked.train = (_texts("train", train[0]), _labels(looked, train[1]))


def _labels(looked: Looked, y: Any) -> list[Any]:
    """As the model was fitted to them: one for each text, or sets, be it in a table of 0 and 1."""
    if not looked.model.several_:
        return list(labels_of(y, False))
    targets = read_targets(y, True, looked.model.classes_ if is_table(y) else None)
    return list(labels_of(targets.values(), True))


def _give_sentences(looked: Looked, X: Any, y: Any, pool: Any, train: Any) -> None:
    """As the tagger is fitted to them; without tags they are a pool, and so is running text."""
    if X is not None:
        data = _sentences(X, y)
        if data.labels is None:
            looked.pool = _words(looked.model, data)
        else:
            looked.tagged = data
    if pool is not None:
        looked.pool = _words(looked.model, _sentences(pool))
    if train is not None:
        looked.train_tagged = _sentences(*train) if isinstance(train, tuple) else _sentences(train)


def _give_trees(looked: Looked, X: Any, y: Any, pool: Any, train: Any) -> None:
    """As the parser is fitted to them; without heads they are a pool, and so is running text."""
    if X is not None:
        data = _parsed(looked.model, X, y)
        if y is None and not (data.heads >= 0).any():
            looked.pool = data.column("form")
        else:
            check_gold(data)
            looked.trees = data
    if pool is not None:
        looked.pool = _parsed(looked.model, pool).column("form")
    if train is not None:
        trees, heads = train if isinstance(train, tuple) else (train, None)
        looked.train_trees = read_parsed(trees, heads, looked.model.roots)
        check_gold(looked.train_trees)


def _parsed(model: Any, X: Any, y: Any = None) -> Any:
    if y is None and are_texts(X):
        return model.cut_texts(list(X))
    return read_parsed(X, y, roots="many")


def _give_phrases(looked: Looked, X: Any, y: Any, pool: Any, train: Any) -> None:
    """Trees, or sentences as lists of words, and running text, which are a pool."""
    if y is not None:
        raise DataError("y: the trees are those of X; leave out y")
    if X is not None:
        if _are_words(X):
            looked.pool = _pool_of_phrases(X)
        else:
            looked.trees = read_treebank(X)
            check_brackets(looked.trees)
    if pool is not None:
        looked.pool = _pool_of_phrases(pool)
    if train is not None:
        looked.train_trees = read_treebank(train)
        check_brackets(looked.train_trees)


def _are_words(X: Any) -> bool:
    """Sentences, and no trees."""
    if isinstance(X, Sequences) or are_texts(X):
        return True
    given = X if isinstance(X, list) else []
    return bool(given) and all(
        isinstance(one, list) and all(isinstance(word, str) for word in one) for one in given
    )


def _pool_of_phrases(X: Any) -> list[list[str]]:
    if isinstance(X, Sequences):
        return texts_of(X)
    if are_texts(X):
        return texts_of(Sequences.from_texts(X))
    return [list(words) for words in X] if _are_words(X) else texts_of(read_treebank(X).cleaned())


def _sentences(X: Any, y: Any = None) -> Sequences:
    return Sequences.from_texts(X) if y is None and are_texts(X) else read_sentences(X, y)


def _words(model: Any, data: Sequences) -> list[list[str]]:
    words = data.columns.get(model._word_name(), data.columns.get("word"))
    if words is None:
        raise DataError("sentences are to be lists of words, or running text")
    return data.by_sentence(token_strings(words))


def _texts(name: str, given: Any) -> list[str]:
    if given is None:
        return []
    if isinstance(given, str):
        raise DataError(f"{name} is a single text; pass a list of texts")
    found = list(given)
    if not all(isinstance(text, str) for text in found):
        raise DataError(f"{name} is to be a list of strings")
    return found
