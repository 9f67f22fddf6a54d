"""Commands of `docmt`, called in this process as people and the workflow call them."""

from click.testing import Result
from typer.testing import CliRunner

from docmt.cli.commands import build


def invoke(*arguments: object, text: bytes | str = "") -> Result:
    """Return the outcome of a command line, with `text` as standard input; raise the exception that ended it."""
    result = CliRunner().invoke(build(), [str(argument) for argument in arguments], input=text)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def succeed(*arguments: object, text: bytes | str = "") -> Result:
    """Return the outcome of a command line that ends with status 0."""
    result = invoke(*arguments, text=text)
    assert result.exit_code == 0, result.output
    return result


def output(*arguments: object, text: bytes | str = "") -> str:
    """Return what a command prints on standard output; it ends with status 0."""
    return succeed(*arguments, text=text).stdout
