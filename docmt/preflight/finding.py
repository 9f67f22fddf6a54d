"""A finding of a check: something that is wrong or doubtful, or a fact that was checked."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from docmt.base.errors import UserError
from docmt.base.foreign import explained

Level = Literal["error", "warning", "fact"]
"""error: a run would fail, or not do what is asked. warning: a run goes on without something, or may fail later. fact:
what was checked and is right, or what no check can see."""


@dataclass(frozen=True)
class RunFinding:
    """A finding about a run, with its message: what is wrong, where, what was found and expected, and what to do.

    `area`: the name of the check, which groups findings. The message of a fact says what was checked.
    """

    area: str
    level: Level
    message: UserError

    @property
    def text(self) -> str:
        """The message: a line, and up to two more for facts and remedy."""
        return self.message.text()

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON object with each part of its message."""
        parts = ("what", "where", "found", "expected", "remedy")
        return {"area": self.area, "level": self.level, **{part: getattr(self.message, part) for part in parts}}


class Area:
    """Makes the findings of one area."""

    def __init__(self, name: str) -> None:
        """Name the area."""
        self.name = name

    def error(self, what: str, **parts: str | None) -> RunFinding:
        """Return an error; `parts` are those of a UserError."""
        return self.of(UserError(what, **parts))

    def warning(self, what: str, **parts: str | None) -> RunFinding:
        """Return a warning; `parts` are those of a UserError."""
        return self.of(UserError(what, **parts), "warning")

    def fact(self, what: str) -> RunFinding:
        """Return a fact."""
        return self.of(UserError(what), "fact")

    def of(self, problem: UserError, level: Level = "error") -> RunFinding:
        """Return the finding with the message of a UserError."""
        return RunFinding(self.name, level, problem)

    def collected(self, findings: Iterable[RunFinding]) -> Iterator[RunFinding]:
        """Yield findings; a UserError or an error of the system that ends them becomes the last one."""
        try:
            yield from findings
        except Exception as problem:
            error = explained(problem)
            if error is None:
                raise
            yield self.of(error)


def once(findings: Iterable[RunFinding]) -> list[RunFinding]:
    """Return findings without repetitions: one file may be found wrong by several checks."""
    seen: dict[tuple[str, str | None, str | None], RunFinding] = {}
    for finding in findings:
        seen.setdefault((finding.message.what, finding.message.where, finding.message.found), finding)
    return list(seen.values())
