"""Where readers and checks report what is wrong with a corpus: reading stops at the first, validating collects all."""

from dataclasses import dataclass, field

from docmt.base.errors import UserError


class Problems:
    """Each problem ends the reading, as a UserError."""

    def report(self, what: str, *, where: str, **facts: object) -> None:
        """`what` is the kind of problem, `facts` are those of UserError; whoever reports goes on as well as he can."""
        raise UserError(what, where=where, **facts)

    def warn(self, what: str, *, where: str, found: object) -> None:
        """What a corpus may have, though it is rarely meant."""


@dataclass
class Kind:
    """All problems of a kind: how many, and the first ones as shown."""

    count: int = 0
    shown: list[str] = field(default_factory=list)


@dataclass
class CollectedProblems(Problems):
    """Keeps at most so many problems of each kind, and counts the rest."""

    at_most: int
    problems: dict[str, Kind] = field(default_factory=dict)
    warnings: dict[str, Kind] = field(default_factory=dict)

    def report(self, what: str, *, where: str, **facts: object) -> None:
        self._keep(self.problems, what, where, **facts)

    def warn(self, what: str, *, where: str, found: object) -> None:
        self._keep(self.warnings, what, where, found=found)

    def _keep(self, kinds: dict[str, Kind], what: str, where: str, **facts: object) -> None:
        kind = kinds.setdefault(what, Kind())
        kind.count += 1
        if kind.count <= self.at_most:
            told = [f"{name} {facts[name]}" for name in ("found", "expected") if facts.get(name) is not None]
            kind.shown.append(": ".join([where, *(["; ".join(told)] if told else [])]))
