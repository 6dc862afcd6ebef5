"""Options of commands: what they are of, and which tasks have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from linnet._params import cores
from linnet.cli.paths import Reads, Writes, check_apart

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]
CLASSIFY, TAG, PARSE = ("classify",), ("tag",), ("parse",)
TREES = ("trees",)  # of phrases
REGRESS = ("regress",)
SYMBOLS = ("symbols",)  # in rows
TEXTS = (*CLASSIFY, *REGRESS)
PARSED = (*PARSE, *TREES)
SENTENCES = (*TAG, *PARSE, *TREES)


class TaskOption(click.Option):
    """An option that only some tasks have; None: all. `linnet.cli.tasks` refuses it for others."""

    def __init__(
        self,
        *arguments: Any,
        tasks: tuple[str, ...] | None = None,
        section: str = "Options",
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.tasks = tasks
        self.section = section

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """An empty one, as of a shell's variable that is not set, is not as good as none."""
        if value == "" or (isinstance(value, (list, tuple)) and "" in value):
            raise click.UsageError(
                f"{self.opts[0]}: nothing is said; give a value, or leave it out", ctx
            )
        return super().process_value(ctx, value)


def option(
    *names: str, tasks: tuple[str, ...] | None = None, section: str = "Options", **settings: Any
) -> Decorator:
    """As click's, with owners."""
    return click.option(*names, cls=TaskOption, tasks=tasks, section=section, **settings)


def stack(*options: Decorator) -> Decorator:
    """Several options as one decorator, shown in this order."""

    def decorate(command: Command) -> Command:
        for one in reversed(options):
            command = one(command)
        return command

    return decorate


TYPED = "linnet.typed"  # in the context of a command: its arguments, as they came


class Grouped(click.Command):
    """Options in sections; what is read is not written."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Which remember how they were spelt."""
        end = args.index("--") if "--" in args else len(args)
        ctx.meta[TYPED] = args[:end]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Once the files are known to be others."""
        check_apart(ctx)
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click does, once for each section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                sections.setdefault(getattr(param, "section", "Options"), []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)


def was_given(name: str) -> bool:
    """Was it said on the command line?"""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def refuse_given(names: tuple[str, ...], reason: str) -> None:
    """Complain of the first of these options that was given."""
    for param in click.get_current_context().command.params:
        if param.name in names and was_given(param.name or ""):
            raise click.UsageError(f"{spelt(param.name or '')}: {reason}")


def spelt(name: str) -> str:
    """An option as it was typed, ``-k`` or ``--top``; by its longest name where it was not."""
    context = click.get_current_context(silent=True)
    params = [] if context is None else context.command.params
    names = next(([*p.opts, *p.secondary_opts] for p in params if p.name == name), [])
    typed = [] if context is None else context.meta.get(TYPED, [])
    for said in typed:
        for one in names:
            long = one.startswith("--")
            if said == one or (long and said.startswith(f"{one}=")):
                return one
            if not long and said.startswith(one) and not said.startswith("--"):
                return one  # -k5
    return max(names, key=len, default=f"--{name.replace('_', '-')}")


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


class Values(click.ParamType):  # type: ignore[type-arg]
    """Values to try, separated by commas."""

    name = "values"

    def __init__(self, one: Any) -> None:
        self.one = click.types.convert_type(one)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """A list."""
        if isinstance(value, list):
            return value
        return [self.one.convert(part.strip(), param, ctx) for part in value.split(",")]


# ---------------------------------------------------------------------- data

format_option = option(
    "--format", "format_", metavar="F", section="Data", help="of DATA, where it cannot be told from it"
)
zero_based_option = option(
    "--zero-based",
    is_flag=True,
    default=None,
    tasks=TEXTS,
    section="Data",
    help="svmlight counts features from 0, not from 1",
)
no_header_option = option(
    "--no-header",
    is_flag=True,
    default=None,
    tasks=(*TEXTS, *SYMBOLS),
    section="Data",
    help="the first line is an example (CSV, TSV)",
)
text_option = option(
    "--text",
    metavar="NAME",
    tasks=TEXTS,
    section="Data",
    help="column of the text (CSV, JSONL, Parquet)",
)
label_option = option(
    "--label",
    metavar="NAME",
    tasks=(*TEXTS, *TAG, *SYMBOLS),
    section="Data",
    help="column of the label",
)
label_names_option = option(
    "--label-names",
    "--tag-names",
    "label_names",
    metavar="NAMES",
    tasks=(*CLASSIFY, *TAG),
    section="Data",
    help="of labels that are integers, in their order, with commas; or the file they are in",
)
missing_option = option(
    "--missing",
    metavar="HOW",
    tasks=(*TEXTS, *TAG),
    section="Data",
    help="error, skip, or by kind: text=skip,number=zero; of taggers the tag that stands for none",
)
data_options = stack(
    format_option,
    missing_option,
    zero_based_option,
    no_header_option,
    text_option,
    label_option,
    label_names_option,
    option(
        "--numeric",
        metavar="NAME",
        multiple=True,
        tasks=TEXTS,
        section="Data",
        help="a column of numbers as a feature",
    ),
    option(
        "--categorical",
        metavar="NAME",
        multiple=True,
        tasks=TEXTS,
        section="Data",
        help="a column of kinds as features",
    ),
)
columns_option = option(
    "--columns",
    metavar="NAMES",
    tasks=TAG,
    section="Tagging",
    help="names of the columns, with commas",
)
column_options = columns_option
roots_option = option(
    "--many-roots",
    is_flag=True,
    tasks=PARSE,
    section="Parsing",
    help="trees may have several roots",
)

# ---------------------------------------------------------------------- what all commands have

TASK_NAMES = (*CLASSIFY, *TAG, *PARSE, *TREES, *REGRESS, *SYMBOLS)
task_option = option(
    "--task", type=click.Choice(TASK_NAMES), help="detected from DATA where it is not given"
)
seed_option = option(
    "--seed",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    section="Learning",
    help="of what is drawn by chance",
)
threads_option = option(
    "--threads",
    type=click.IntRange(min=1),
    default=cores,
    metavar="N",
    help="processor threads; all cores if it is not said; they never change a result",
)


def _files(_: Any, __: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """What patterns stand for."""
    if len(names) < 2 and not any(sign in name for name in names for sign in "*?["):
        return names
    from linnet.formats import expanded

    return tuple(expanded(names))


files_argument = click.argument(
    "data", type=Reads(), metavar="DATA...", nargs=-1, required=False, callback=_files
)
stream_argument = click.argument(
    "data",
    type=Reads(),
    metavar="[DATA]...",
    nargs=-1,
    callback=lambda *given: _files(*given) or ("-",),
)
memory_options = stack(
    option(
        "--memory",
        metavar="SIZE",
        help="learn from files larger than memory, with no more than this, such as 500MB",
    ),
    option(
        "--cache",
        type=click.Path(file_okay=False),
        metavar="DIR",
        help="where rows and sentences are kept for the next time; without it they are gone at the end",
    ),
)
data_argument = click.argument("data", type=Reads(), metavar="DATA")
engine_option = option(
    "--engine",
    metavar="E",
    section="Scale",
    help="local, ray, or ray://host:port: where shards are worked on",
)
model_argument = click.argument("model", type=Reads(), metavar="MODEL")
json_option = option("--json", "as_json", is_flag=True, help="everything, as one JSON object")
output_option = option(
    "-o",
    "--output",
    type=Writes(),
    metavar="FILE",
    default="-",
    help="where to write; standard output",
)
into_option = option(
    "--into",
    metavar="DIR",
    section="Scale",
    help="answer many files, each into one of its name; those that are there are not made again",
)
piece_option = option(
    "--piece",
    metavar="SIZE",
    section="Scale",
    help="larger files are answered in pieces of about this size, such as 1GB; 64MB if it is not said",
)
