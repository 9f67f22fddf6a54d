"""The command lines of programs beside docmt."""

import shlex
import shutil

from docmt.base.checks import BadValue, in_schema, need
from docmt.base.errors import UserError, quoted

# A command line: a list of words, or a text in which words are quoted as in a shell. No shell runs it.
CommandLine = tuple[str, ...] | str


@in_schema(pattern=r"\S", minItems=1)
def need_command(name: str, value: CommandLine) -> None:
    """Raise BadValue unless `value` is a command line of at least one word."""
    expected = "the words of a command, as a list or as a text whose quotes are closed"
    try:
        words = words_of(value)
    except ValueError:
        words = ()
    need(bool(words) and bool(words[0]), name, value, expected)
    need(not any("\0" in word for word in words), name, value, expected)


def given_words(text: str, where: str) -> tuple[str, ...]:
    """Return the words of a command line that an option has; raise UserError, at `where`, for one without words."""
    try:
        need_command("", text)
    except BadValue as problem:
        raise UserError("not a command line", where=where, found=quoted(text), expected=problem.expected) from None
    return words_of(text)


def need_program(words: tuple[str, ...], where: str) -> None:
    """Raise UserError, at `where`, unless the first of the words names a program that can be run; no words are fine."""
    if words and shutil.which(words[0]) is None:
        raise UserError(
            "no program that can be run",
            where=where,
            found=quoted(words[0]),
            remedy="name a program by its path, from the folder of the Snakefile, or by a name in PATH",
        )


def words_of(command: CommandLine) -> tuple[str, ...]:
    """Return the words of a command line.

    >>> words_of("translate.py --name 'two words'")
    ('translate.py', '--name', 'two words')
    """
    return tuple(shlex.split(command)) if isinstance(command, str) else command
