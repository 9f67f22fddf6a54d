"""The one exception that a user is meant to read."""

import difflib
from collections.abc import Collection, Iterable

USER_MISTAKE = 2
"""Exit status of `docmt` (and of the workflow's planning) for a mistake that the user can mend."""
TRY_AGAIN = 75
"""Exit status where the same command may do when it is run again (EX_TEMPFAIL)."""
INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it: 128 + SIGINT."""


class UserError(Exception):
    """What is wrong, where, what was found, what was expected, what to do.

    Raised at the borders only: files, settings, downloads, arguments. The command line prints it
    without a trace and exits with `status`: 2 (`USER_MISTAKE`), or 75 (`TRY_AGAIN`) where trying again helps.
    """

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
        self.what, self.where, self.remedy, self.status = what, where, remedy, status
        self.found = None if found is None else str(found)
        self.expected = None if expected is None else str(expected)
        super().__init__(self.text())

    def text(self) -> str:
        """The message as shown: one line, and up to two more where there is more to say."""
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


def printable(text: str, breaks: str = "\n") -> str:
    """What a terminal would act on, or cannot show, as escapes: what was found may be the bytes of any file."""
    if text.replace("\n", "").isprintable() and (breaks or "\n" not in text):
        return text
    return "".join(one if one.isprintable() or one in breaks else ascii(one)[1:-1] for one in text)


LONGEST_COMPARED = 200
LONGEST_SHOWN = 60
"""Characters of a name in a message."""


def quoted(value: object) -> str:
    """A value in a message, on one line: quoted, what cannot be printed escaped, cut where it is long."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 4]}...{text[-1]} ({len(text)} characters)"


def in_line(value: object) -> object:
    """Return a value for a message: a text that is empty, long or not printable is `quoted`."""
    fits = not isinstance(value, str) or (value.isprintable() and 0 < len(value) <= LONGEST_SHOWN)
    return value if fits else quoted(value)


def nearest(name: str, valid: Iterable[str]) -> str:
    """A remedy for a misspelt name: the nearest valid one, or the list of all."""
    valid = sorted(valid)
    # A name that is far too long is near to none, and would take long to compare.
    close = difflib.get_close_matches(str(name)[:LONGEST_COMPARED], valid, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    return "valid: " + (", ".join(valid) or "none")


def check_known(what: str, name: object, known: Collection[str], where: str | None = None) -> None:
    """Raises UserError, with the nearest valid name, unless `name` is one of `known`."""
    if not isinstance(name, str) or name not in known:
        raise UserError(f"unknown {what}", where=where, found=in_line(name), remedy=nearest(str(name), known))
