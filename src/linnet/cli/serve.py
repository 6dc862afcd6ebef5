"""``linnet serve``: models behind HTTP."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.options import Grouped, option
from linnet.cli.paths import Reads
from linnet.cli.quantize import Size

EXTRA = "needs the extra 'serve': pip install 'linnet[serve]'"


@click.command("serve", cls=Grouped)
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
@option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    metavar="N",
    help="where to listen; 0 is any port that is free",
)
@option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="H",
    help="of another address than the loopback, which asks for a token",
)
@option(
    "--token-file",
    type=Reads(),
    metavar="FILE",
    help="the token that requests must bring; without it one is made up where one is needed",
)
@option(
    "--max-bytes", type=Size(), default="1MB", show_default=True, metavar="SIZE", help="of a request"
)
@option(
    "--max-texts",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    metavar="N",
    help="of a request",
)
@option(
    "--timeout",
    type=click.FloatRange(min=0.01),
    default=10.0,
    show_default=True,
    metavar="S",
    help="seconds for a request to arrive, and for its answer",
)
@option(
    "--max-waiting",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    metavar="N",
    help="requests that are answered at a time; others are told to come again",
)
@option(
    "--threads",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="of one call of a model",
)
def command(models: tuple[str, ...], **given: Any) -> None:
    """Answer over HTTP, in JSON, by one model or several.

    MODEL is a file, or NAME=FILE. POST /predict {"texts": ["…"]} gives labels, tags or trees; /tag,
    /parse and /explain say what their names say; GET /health, /models, /metrics and /openapi.json are
    about the server. A file that is renamed over MODEL is loaded in its place. Ctrl-C answers what has
    been asked, and ends.
    """
    try:
        from linnet.serving.app import application
        from linnet.serving.running import LOOPBACK, bound, run
    except ModuleNotFoundError as error:
        raise click.ClickException(f"linnet serve {EXTRA} ({error.name} is missing)") from None
    from linnet.serving.limits import Limits
    from linnet.serving.models import Models

    limits = Limits(
        max_bytes=given["max_bytes"],
        max_texts=given["max_texts"],
        seconds=given["timeout"],
        waiting=given["max_waiting"],
    )
    host = given["host"]
    token = _token(given["token_file"], needed=host not in LOOPBACK)
    app = application(Models(models, given["threads"]), limits, token)
    with bound(host, given["port"]) as listening:
        port = listening.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host

        def ready() -> None:
            click.echo(f"serving {', '.join(app.state.service.models.served)} on http://{shown}:{port}")
            if token is not None and given["token_file"] is None:
                click.echo(f"token: {token}", err=True)

        run(app, listening, limits, ready)
    click.echo("stopped", err=True)


def _token(path: str | None, needed: bool) -> str | None:
    """As a file has it, or made up where one is needed."""
    import secrets
    import sys

    if path is None:
        return secrets.token_urlsafe(24) if needed else None
    source = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115
    with source as file:
        token = file.read(1001).decode(errors="replace").strip()
    if not 16 <= len(token) <= 1000 or not token.isascii() or not token.isprintable() or " " in token:
        raise click.UsageError(
            f"--token-file {path}: a token is 16 to 1000 characters of ASCII without blanks"
        )
    return token
