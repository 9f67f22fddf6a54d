"""The texts that metrics of lines compare: translations with their references, over sentences, documents or instances.

The unit says what a metric takes as one line: a sentence (s), a document (d) or a packed instance of a view (i).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from docmt.base.errors import UserError
from docmt.scoring.inputs import Lines, References, Stream, collapse_runs

UNITS = {"s": "sentences", "d": "documents", "i": "instances"}


@dataclass(frozen=True)
class Pairing:
    """The translations of a system with their references, as lines of one unit.

    `names` has the name of each line; lines of two systems with the same name translate the same sentences. `unit` is
    the end of the signature.
    """

    hypotheses: Sequence[str]
    references: tuple[Stream, ...]
    names: tuple[str, ...]
    unit: str


def pairings(
    hypotheses: Sequence[str], streams: tuple[Stream, ...], references: References, lines: Lines
) -> dict[str, Pairing]:
    """Return the pairing of each unit for which lines can be compared, by the letter of the unit.

    `lines` says whether a line of `hypotheses` is a sentence or a document. The names of sentences are their numbers,
    from 0. Unit d is left out where the documents are not known, and unit i where there are no instances. Where lines
    are documents, unit d is the only one.
    """
    by_unit = {}
    if lines == "sentences":
        by_unit["s"] = Pairing(hypotheses, streams, tuple(map(str, range(len(hypotheses)))), "s")
    if references.documents is not None:
        joined = join(hypotheses, references.documents) if lines == "sentences" else hypotheses
        by_unit["d"] = _joined_pairing(joined, streams, references.documents, "d|documents:{}")
    if references.instances is not None and lines == "sentences":
        names = references.instances.names
        # `_joined_pairing` fills the braces with the number of instances.
        unit = f"i|view:{references.instances.view}|instances:{{}}"
        by_unit["i"] = _joined_pairing(join(hypotheses, names), streams, names, unit)
    return by_unit


def join(lines: Stream, groups: Sequence[str]) -> list[str | None]:
    """Return one line for each group of lines, joined by spaces.

    `groups` has the name of the group of each line; the lines of a group are consecutive. The result is None for a
    group that has a line which is None.
    """
    pairs = zip(groups, lines, strict=True)
    joined = [[line for _, line in group] for _, group in groupby(pairs, key=lambda pair: pair[0])]
    return [None if None in group else " ".join(group) for group in joined]


def join_references(streams: tuple[Stream, ...], groups: Sequence[str]) -> tuple[Stream, ...]:
    """Return the references of groups of sentences, such as documents: each stream with the lines of a group joined.

    A group has a reference only where all of its sentences have the reference. Raises UserError for a group without any
    reference.
    """
    joined = tuple(join(stream, groups) for stream in streams)
    for name, *lines in zip(collapse_runs(groups), *joined, strict=True):
        if all(line is None for line in lines):
            raise UserError(
                "no reference has all sentences of a document",
                where=f"document {name!r}",
                expected="at least one reference that has all sentences",
            )
    return joined


def _joined_pairing(
    hypotheses: Sequence[str], streams: tuple[Stream, ...], groups: Sequence[str], unit: str
) -> Pairing:
    names = tuple(collapse_runs(groups))
    return Pairing(hypotheses, join_references(streams, groups), names, unit.format(len(names)))
