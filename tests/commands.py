"""The commands of Linnet, called within the process of the tests."""

from click.testing import CliRunner

from linnet.cli import main


def command(*arguments: object) -> tuple[int, str, str]:
    """Its exit code, what it printed, what it said on stderr; it never ends with a traceback."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr
