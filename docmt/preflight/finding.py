"""A finding of a check: something that is wrong or doubtful, or a fact that was checked."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from docmt.base.errors import UserError
from docmt.base.foreign import explained

Level = Literal["error", "warning", "fact"]
"""error: a run would fail, or not do what is asked. warning: a run goes on without something, or may fail later. fact:
what was checked and is right, or what no check can see."""


@dataclass(frozen=True)
class RunFinding:
    """A finding about a run, with its message; that of a fact says what was checked. `area`: what it is about."""

    level: Level
    message: UserError
    area: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON object with each part of its message."""
        parts = ("what", "where", "found", "expected", "remedy")
        return {"area": self.area, "level": self.level, **{part: getattr(self.message, part) for part in parts}}


def told(level: Level, what: str, **parts: str | None) -> RunFinding:
    """Return a finding; `parts` are those of a UserError."""
    return RunFinding(level, UserError(what, **parts))


def in_area(area: str, findings: Iterable[RunFinding]) -> Iterator[RunFinding]:
    """Yield findings with their area; a UserError or an error of the system that ends them becomes the last one."""
    try:
        for finding in findings:
            yield replace(finding, area=area)
    except Exception as problem:
        error = explained(problem)
        if error is None:
            raise
        yield RunFinding("error", error, area)


def once(findings: Iterable[RunFinding]) -> list[RunFinding]:
    """Return findings without repetitions: several checks may meet one wrong file."""
    seen: dict[tuple[str, str | None, str | None], RunFinding] = {}
    for finding in findings:
        seen.setdefault((finding.message.what, finding.message.where, finding.message.found), finding)
    return list(seen.values())
