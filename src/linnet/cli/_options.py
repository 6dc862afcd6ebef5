"""Options that several commands share, and how they become settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def stack(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, shown in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


class Grouped(click.Command):
    """Options in the sections of the table below."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click does, once for each section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                sections.setdefault(SECTION.get(param.name or "", "Options"), []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)


class Lengths(click.ParamType):  # type: ignore[type-arg]
    """``2-5`` or ``1``: lengths of n-grams; ``none`` for no such features."""

    name = "lengths"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """A pair of whole numbers."""
        if value is None or isinstance(value, tuple):
            return value
        if value == "none":
            return "none"
        first, _, last = value.partition("-")
        try:
            pair = (int(first), int(last or first))
        except ValueError:
            pair = (0, 0)
        if not 1 <= pair[0] <= pair[1]:
            self.fail(f"{value!r} is no range of lengths; write 1, 1-2 or none", param, ctx)
        return pair


class Share(click.ParamType):  # type: ignore[type-arg]
    """A whole number of documents, or a share of them written with a point."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """An int, or a float."""
        if isinstance(value, (int, float)):
            return value
        try:
            return float(value) if "." in value else int(value)
        except ValueError:
            self.fail(
                f"{value!r} is neither a number of texts (2) nor a share of them (0.5)", param, ctx
            )


zero_based_option = click.option(
    "--zero-based", is_flag=True, default=None, help="svmlight counts features from 0, not from 1"
)
no_header_option = click.option(
    "--no-header", is_flag=True, default=None, help="the first line is an example (CSV, TSV)"
)

data_options = stack(
    click.option("--format", "format_", metavar="F", help="of DATA, where it cannot be told from it"),
    zero_based_option,
    no_header_option,
    click.option("--text", metavar="NAME", help="column of the text (CSV, JSONL, Parquet)"),
    click.option("--label", metavar="NAME", help="column of the label"),
    click.option("--numeric", metavar="NAME", multiple=True, help="a column of numbers as a feature"),
    click.option("--categorical", metavar="NAME", multiple=True, help="a column of kinds as features"),
)

feature_options = stack(
    click.option("--word", type=Lengths(), help="word n-grams, for instance 1-2"),
    click.option("--chars", type=Lengths(), help="character n-grams across words"),
    click.option("--chars-wb", type=Lengths(), help="character n-grams within words"),
    click.option("--skip", type=int, metavar="N", help="word pairs with up to so many words between"),
    click.option("--shape", is_flag=True, default=None, help="shapes of tokens: Xx, dd"),
    click.option(
        "--lead", type=int, metavar="N", help="n-grams of so many first tokens as features of their own"
    ),
    click.option(
        "--chars-first",
        type=int,
        metavar="N",
        help="character n-grams of so many first characters only",
    ),
    click.option("--lowercase/--keep-case", default=None, help="fold capital letters"),
    click.option("--punctuation/--no-punctuation", default=None, help="are marks tokens?"),
    click.option("--tokens", type=click.Choice(["unicode", "whitespace"]), help="what divides tokens"),
    click.option("--stop-words", metavar="FILE", help="'english', or a file of words, one per line"),
    click.option("--min-df", type=Share(), help="leave out n-grams of fewer texts"),
    click.option("--max-df", type=Share(), help="leave out n-grams of more texts"),
    click.option("--max-features", type=int, metavar="N", help="keep the n-grams of most texts"),
    click.option(
        "--tf", type=click.Choice(["binary", "count", "sublinear"]), help="of an n-gram in a text"
    ),
    click.option("--scale", type=click.Choice(["none", "idf", "nb"]), help="nb: log-count ratios"),
    click.option("--norm", type=click.Choice(["l2", "l1", "none"]), help="make texts of length one"),
    click.option("--elementwise", type=click.Choice(["none", "abs", "square"]), help="|x| or x·x"),
    click.option(
        "--statistics", metavar="S", multiple=True, help="punctuation, uppercase, digits, length"
    ),
    click.option(
        "--hash-bits", type=int, metavar="BITS", help="hash n-grams into 2^bits instead of keeping them"
    ),
)
FEATURES = (
    "word",
    "chars",
    "chars_wb",
    "skip",
    "shape",
    "lowercase",
    "punctuation",
    "tokens",
    "stop_words",
    "min_df",
    "max_df",
    "max_features",
    "tf",
    "scale",
    "norm",
    "elementwise",
    "statistics",
    "hash_bits",
    "lead",
    "chars_first",
    "numeric",
    "categorical",
)

seed_option = click.option(
    "--seed", type=int, metavar="N", default=0, show_default=True, help="of what is drawn by chance"
)

TASKS = ("classify", "tag", "parse")
task_option = click.option(
    "--task", type=click.Choice(TASKS), help="detected from DATA where it is not given"
)

learning_options = stack(
    click.option("--loss", metavar="L", default="auto", help="logistic, hinge, squared_hinge, …"),
    click.option("--learner", metavar="L", default="auto", help="dual, lbfgs, sgd, perceptron, …"),
    click.option("--penalty", metavar="P", default="auto", help="l2, l1, elasticnet or none"),
    click.option("-C", "C", type=float, metavar="X", help="strength of the data against the penalty"),
    click.option(
        "--alpha", type=float, metavar="X", help="strength of the penalty against the mean loss"
    ),
    click.option(
        "--l1-ratio", type=float, metavar="X", default=0.5, help="share of L1 in the elastic net"
    ),
    click.option("--average", is_flag=True, help="average all weight vectors (online learners)"),
    click.option("--max-iter", type=int, metavar="N", help="limit of passes"),
    click.option("--tol", type=float, metavar="X", help="relative gap or gradient to stop at"),
    click.option("--balanced", is_flag=True, help="weigh labels by the inverse of their number"),
    seed_option,
)

LEARNING = (
    "loss",
    "learner",
    "penalty",
    "C",
    "alpha",
    "l1_ratio",
    "average",
    "max_iter",
    "tol",
    "balanced",
    "calibration",
    "lexicon",
)

threads_option = click.option(
    "--threads",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    show_default=True,
    help="processor threads; they never change a result",
)
json_option = click.option("--json", "as_json", is_flag=True, help="everything, as one JSON object")

DATA = ("format_", "text", "label", "numeric", "categorical", "zero_based", "no_header", "to_format")
SECTION = (
    dict.fromkeys(FEATURES, "Features")
    | dict.fromkeys(LEARNING, "Learning")
    | dict.fromkeys(DATA, "Data")
)


def refuse_given(names: tuple[str, ...], reason: str) -> None:
    """Complain of the first of these options that was given."""
    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[-1]}: {reason}")


COLUMNS = ("numeric", "categorical", "statistics")


def text_features(given: dict[str, Any]) -> Any:
    """'auto' if nothing was said about n-grams, else exactly what was said."""
    from linnet.features import TextFeatures

    found = {name: given[name] for name in FEATURES if given.get(name) not in (None, ())}
    columns = {name: found.pop(name) for name in COLUMNS if name in found}
    for name in ("word", "chars", "chars_wb"):
        if found.get(name) == "none":
            found[name] = None
    if found.get("stop_words") not in (None, "english"):
        found["stop_words"] = _words(found["stop_words"])
    if not found:
        return "auto"  # with the columns beside the text
    return TextFeatures(**found, **columns)


def _words(path: str) -> list[str]:
    from linnet.errors import DataError

    try:
        with open(path, encoding="utf-8") as file:
            return file.read().split()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"stop words: {path} cannot be read: {error}") from None


def classifier(given: dict[str, Any]) -> Any:
    """The text classifier that the options describe."""
    from linnet.estimators import TextClassifier

    features = text_features(given)
    columns = {name: given.get(name, ()) for name in COLUMNS} if features == "auto" else {}
    return TextClassifier(
        features,
        given["loss"],
        given["learner"],
        given["penalty"],
        C="auto" if given["C"] is None else given["C"],
        alpha=given["alpha"],
        l1_ratio=given["l1_ratio"],
        average=given["average"],
        max_iter=given["max_iter"],
        tol="auto" if given["tol"] is None else given["tol"],
        class_weight="balanced" if given["balanced"] else None,
        random_state=given["seed"],
        n_jobs=given["threads"],
        **columns,
    )
