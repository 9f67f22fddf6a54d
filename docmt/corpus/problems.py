"""Where readers and checks report what is wrong with a corpus: reading stops at the first, validating collects all."""

from dataclasses import dataclass, field

from docmt.base.errors import UserError


class Problems:
    """Each problem ends the reading, as a UserError."""

    def report(
        self,
        what: str,
        *,
        where: str,
        found: object = None,
        expected: object = None,
        remedy: str | None = None,
    ) -> None:
        """`what` is the kind of problem; whoever reports goes on as well as he can after it."""
        raise UserError(what, where=where, found=found, expected=expected, remedy=remedy)

    def warn(self, what: str, *, where: str, found: object = None) -> None:
        """What a corpus may have, though it is rarely meant."""


@dataclass
class Kind:
    """All problems of a kind: how many, and the first ones as shown."""

    count: int = 0
    shown: list[str] = field(default_factory=list)


class CollectedProblems(Problems):
    """Keeps at most so many problems of each kind, and counts the rest."""

    def __init__(self, at_most: int) -> None:
        self.at_most = at_most
        self.problems: dict[str, Kind] = {}
        self.warnings: dict[str, Kind] = {}

    def report(
        self,
        what: str,
        *,
        where: str,
        found: object = None,
        expected: object = None,
        remedy: str | None = None,
    ) -> None:
        facts = [f"{name} {fact}" for name, fact in (("found", found), ("expected", expected)) if fact is not None]
        self._keep(self.problems, what, where, "; ".join(facts))

    def warn(self, what: str, *, where: str, found: object = None) -> None:
        self._keep(self.warnings, what, where, "" if found is None else f"found {found}")

    def _keep(self, kinds: dict[str, Kind], what: str, where: str, facts: str) -> None:
        kind = kinds.setdefault(what, Kind())
        kind.count += 1
        if kind.count <= self.at_most:
            kind.shown.append(f"{where}: {facts}" if facts else where)
