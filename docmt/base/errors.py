"""The exception for mistakes that users can correct, and functions that format its messages."""

import difflib
from collections.abc import Collection, Iterable
from pathlib import Path

USER_MISTAKE = 2  # Exit status of `docmt` (and of the workflow's planning) for a mistake that the user can correct.
TRY_AGAIN = 75  # Exit status where the same command may succeed when it is run again (EX_TEMPFAIL of sysexits).
INTERRUPTED = 130  # Exit status after Ctrl-C, as shells report it: 128 + SIGINT.


class UserError(Exception):
    """An error that the user can correct: what is wrong, where, what was found, what was expected, what to do.

    A UserError is raised only where data enters the program: files, settings, downloads, arguments. The command line
    prints its message without a traceback and exits with `status`: 2 (`USER_MISTAKE`), or 75 (`TRY_AGAIN`) where
    running the command again may help.
    """

    others: "tuple[UserError, ...]" = ()  # Further mistakes in the same value, for those who list all.
    tells_all = False  # Whether the message of this error is printed with those of `others`.

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        found: object = None,
        expected: object = None,
        remedy: str | None = None,
        status: int = USER_MISTAKE,
    ) -> None:
        """Store the parts of the message.

        `what` says what is wrong, `where` names the file, line or setting, `remedy` says what to do. `found` and
        `expected` are converted to text.
        """
        self.what, self.where, self.remedy, self.status = what, where, remedy, status
        self.found = None if found is None else str(found)
        self.expected = None if expected is None else str(expected)
        super().__init__(self.text())

    @property
    def file_stem(self) -> str:
        """The name, without its ending, of the file that `where` names."""
        return Path((self.where or "").partition(" ")[0].partition(":")[0]).stem

    def text(self) -> str:
        """Return the message: one line, and up to two further lines for facts and remedy."""
        lines = [f"{printable(self.where, breaks='')}: {self.what}" if self.where else self.what]
        facts = [
            f"{name} {value}"
            for name, value in (("found", self.found), ("expected", self.expected))
            if value is not None
        ]
        if facts:
            lines.append("  " + "; ".join(facts))
        if self.remedy:
            lines.append(f"  {self.remedy}")
        return printable("\n".join(lines))


MOST_TOLD = 20  # The largest number of mistakes that are told at once.


def messages(problem: UserError) -> list[str]:
    """Return the message of an error, or of all where it `tells_all`, in the order of files and lines."""
    problems = sorted((problem, *problem.others), key=_line_of) if problem.tells_all else [problem]
    more = len(problems) - MOST_TOLD
    left = [f"and {more} more; `docmt preflight` lists all of them"] if more > 0 else []
    return [*(str(one) for one in problems[:MOST_TOLD]), *left]


def _line_of(problem: UserError) -> tuple[str, int]:
    file, _, rest = (problem.where or "").partition(" ")[0].partition(":")
    return file, int(rest) if rest.isdecimal() else 0


def printable(text: str, breaks: str = "\n") -> str:
    """Escape the characters that a terminal would interpret or cannot print, but not those in `breaks`."""
    # A message may quote the bytes of any file.
    if text.replace("\n", "").isprintable() and (breaks or "\n" not in text):
        return text
    return "".join(
        character if character.isprintable() or character in breaks else ascii(character)[1:-1] for character in text
    )


LONGEST_COMPARED = 200  # The number of characters of a name that are compared with the valid names.
LONGEST_VALUE = 60  # The largest number of characters of a value that a message has in full.


def quoted(value: object) -> str:
    """Return a value as quoted text on one line, with escaped characters; a text over `LONGEST_VALUE` is shortened."""
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 4]}...{text[-1]} ({len(text)} characters)"


def in_line(value: object) -> object:
    """Return a value for a message; a text that is empty, long or not printable is `quoted`."""
    fits = not isinstance(value, str) or (value.isprintable() and 0 < len(value) <= LONGEST_VALUE)
    return value if fits else quoted(value)


SIMILAR, VERY_SIMILAR = 0.6, 0.8  # Shares of equal characters, as `difflib` counts them.


def similar(name: str, valid: Iterable[str], least: float = SIMILAR) -> str | None:
    """Return the most similar valid name, whatever its case, or None where none is similar."""
    folded = {one.lower(): one for one in sorted(valid)}
    # The comparison takes quadratic time, and a name of thousands of characters resembles none.
    close = difflib.get_close_matches(str(name)[:LONGEST_COMPARED].lower(), folded, n=1, cutoff=least)
    return folded[close[0]] if close else None


def nearest(name: str, valid: Iterable[str]) -> str:
    """Return the remedy for a misspelt name: the most similar valid name, or the list of all valid names."""
    valid = sorted(valid)
    close = similar(name, valid)
    return f"did you mean {close!r}?" if close else "valid: " + (", ".join(valid) or "none")


def install(*extras: str) -> str:
    """Return the remedy for packages that are missing: the command that installs docmt with extras, in its clone."""
    # A study folder, where a run may have stopped, has no `pins.txt`.
    wanted = f".[{','.join(extras)}]" if extras else "."
    return f"in docmt's clone: pip install -c pins.txt -e '{wanted}'"


def check_known(what: str, name: object, known: Collection[str], where: str | None = None) -> None:
    """Raise UserError, with the most similar valid name, unless `name` is one of `known`."""
    if not isinstance(name, str) or name not in known:
        raise UserError(f"unknown {what}", where=where, found=in_line(name), remedy=nearest(str(name), known))
