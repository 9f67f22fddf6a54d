"""A finding of a check: something that is wrong or doubtful, or a fact that was checked."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from docmt.base.errors import UserError
from docmt.base.foreign import explained

Level = Literal["error", "warning", "fact"]
"""error: a run would fail, or not do what is asked. warning: a run goes on without something, or may fail later. fact:
what was checked and is right, or what no check can see."""


@dataclass(frozen=True)
class Finding:
    """A finding: what is wrong, where, what was found, what was expected, and what to do; as a UserError says it.

    `area`: the name of the check, which groups findings. A fact has `what` alone.
    """

    area: str
    level: Level
    what: str
    where: str | None = None
    found: str | None = None
    expected: str | None = None
    remedy: str | None = None

    @property
    def text(self) -> str:
        """The message: a line, and up to two more for facts and remedy."""
        facts = {"found": self.found, "expected": self.expected, "remedy": self.remedy}
        return UserError(self.what, where=self.where, **facts).text()


class Area:
    """Makes the findings of one area."""

    def __init__(self, name: str) -> None:
        """Name the area."""
        self.name = name

    def error(self, what: str, **parts: str | None) -> Finding:
        """Return an error; `parts` are those of a finding."""
        return Finding(self.name, "error", what, **parts)

    def warning(self, what: str, **parts: str | None) -> Finding:
        """Return a warning; `parts` are those of a finding."""
        return Finding(self.name, "warning", what, **parts)

    def fact(self, what: str) -> Finding:
        """Return a fact."""
        return Finding(self.name, "fact", what)

    def of(self, problem: UserError, level: Level = "error") -> Finding:
        """Return the finding with the parts of a UserError."""
        return Finding(self.name, level, problem.what, problem.where, problem.found, problem.expected, problem.remedy)

    def collected(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield findings; a UserError or an error of the system that ends them becomes the last one."""
        try:
            yield from findings
        except Exception as problem:
            error = explained(problem)
            if error is None:
                raise
            yield self.of(error)


def once(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings without repetitions: one file may be found wrong by several checks."""
    seen: dict[tuple[str, str | None, str | None], Finding] = {}
    for finding in findings:
        seen.setdefault((finding.what, finding.where, finding.found), finding)
    return list(seen.values())
