"""What BLEU compares line by line, in each unit: sentences, documents, the packed instances of a view."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from docmt.base.errors import UserError
from docmt.scoring.bleu import FAMILIES, Family
from docmt.scoring.inputs import Lines, References, Stream, Translations, runs

UNITS = {"s": "sentences", "d": "documents", "i": "instances"}


@dataclass(frozen=True)
class Pairing:
    """Lines of a translation and their references.

    `names` are those of the lines, by which two systems' lines are known to be of the same sentences; `unit` is what
    a signature ends with.
    """

    hypotheses: Sequence[str]
    references: tuple[Stream, ...]
    names: tuple[str, ...]
    unit: str


def family_pairings(
    translations: Translations, references: References, lines: Lines
) -> Iterator[tuple[str, Family, str, Pairing]]:
    """For every family and unit: (its name, family, unit, what it compares).

    `lines`: what a line of the translations is; where it is a document there are no other units. Raises UserError for
    a document of which no reference is whole.
    """
    raw = pairings(translations.raw, references.raw, references, lines)
    tokenized = pairings(translations.tokenized, references.tokenized, references, lines)
    for name, family in FAMILIES.items():
        for unit, pairing in (raw if family.raw else tokenized).items():
            yield name, family, unit, pairing


def pairings(
    hypotheses: Sequence[str], streams: tuple[Stream, ...], references: References, lines: Lines
) -> dict[str, Pairing]:
    """By unit. Sentences are named by their numbers; only documents and instances that are known have a pairing."""
    found = {}
    if lines == "sentences":
        found["s"] = Pairing(hypotheses, streams, tuple(map(str, range(len(hypotheses)))), "s")
    if references.documents is not None:
        joined = join(hypotheses, references.documents) if lines == "sentences" else hypotheses
        found["d"] = _joined_pairing(joined, streams, references.documents, "d|documents:{}")
    if references.instances is not None and lines == "sentences":
        names = references.instances.names
        unit = f"i|view:{references.instances.view}|instances:{{}}"
        found["i"] = _joined_pairing(join(hypotheses, names), streams, names, unit)
    return found


def join(lines: Stream, groups: Sequence[str]) -> list[str | None]:
    """The sentences of each group, which is named beside each of them, as one line, joined by a space.

    None where one of them is none.
    """
    pairs = zip(groups, lines, strict=True)
    joined = [[line for _, line in group] for _, group in groupby(pairs, key=lambda pair: pair[0])]
    return [None if None in group else " ".join(group) for group in joined]


def join_references(streams: tuple[Stream, ...], groups: Sequence[str]) -> tuple[Stream, ...]:
    """Each stream joined; a group has a stream's reference where all of its sentences have it.

    Raises UserError for a group of which no reference is whole.
    """
    joined = tuple(join(stream, groups) for stream in streams)
    for name, *lines in zip(runs(groups), *joined, strict=True):
        if all(line is None for line in lines):
            raise UserError(
                "no reference has all sentences of a document",
                where=f"document {name!r}",
                expected="one reference at least that is whole",
            )
    return joined


def _joined_pairing(
    hypotheses: Sequence[str], streams: tuple[Stream, ...], groups: Sequence[str], unit: str
) -> Pairing:
    names = tuple(runs(groups))
    return Pairing(hypotheses, join_references(streams, groups), names, unit.format(len(names)))
