"""`lines`: aligned plain text, a sentence a line, with a line between documents."""

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest

from docmt.core.catalogue import LinesConfig, SidesConfig
from docmt.core.config import SPLITS
from docmt.core.errors import UserError
from docmt.corpus.inputs import Document, Inputs, Reading, place

Pair = tuple[str, str]


def read_aligned_lines(config: LinesConfig, inputs: Inputs) -> Reading:
    """Documents are named `<split>1`, `<split>2`, ...; a boundary at a file's start or end counts for nothing.

    Raises UserError for files of unequal length, a boundary on one side only, and two boundaries in a row.
    """
    changed: Counter[str] = Counter()
    return Reading(_documents(config, inputs, changed), changed=changed)


def _documents(config: LinesConfig, inputs: Inputs, changed: Counter[str]) -> Iterator[Document]:
    for split in SPLITS:
        if split not in config.splits:
            continue
        sides = config.splits[split]
        shown = place(config.archive, sides.source)
        for number, (first, pairs) in enumerate(_runs(config, inputs, sides), 1):
            kept = _kept(config, pairs, changed)
            if kept:
                source, target = zip(*kept, strict=True)
                yield Document(split, f"{split}{number}", source, target, f"{shown}:{first}")


def _kept(config: LinesConfig, pairs: list[Pair], changed: Counter[str]) -> list[Pair]:
    if not config.drop_empty:
        return pairs
    kept = [pair for pair in pairs if all(pair)]
    changed["pairs dropped: a side is empty"] += len(pairs) - len(kept)
    changed["documents dropped: nothing of them is left"] += not kept
    return kept


def _runs(config: LinesConfig, inputs: Inputs, sides: SidesConfig) -> Iterator[tuple[int, list[Pair]]]:
    """The pairs between two boundaries, and the number of their first line."""
    boundary = "" if config.between == "blank" else config.between
    pairs: list[Pair] = []
    first = 1
    for number, pair in enumerate(_aligned(config, inputs, sides), 1):
        if boundary not in pair:
            pairs.append(pair)
            continue
        if pair != (boundary, boundary):
            side = sides.source if pair[0] == boundary else sides.target
            raise UserError("document boundary on one side only", where=f"{place(config.archive, side)}:{number}")
        if not pairs and number > 1:
            raise UserError("empty document", where=f"{place(config.archive, sides.source)}:{number}")
        if pairs:
            yield first, pairs
        pairs, first = [], number + 1
    if pairs:
        yield first, pairs


def _aligned(config: LinesConfig, inputs: Inputs, sides: SidesConfig) -> Iterator[Pair]:
    source, target = (inputs.lines(config.archive, name) for name in (sides.source, sides.target))
    for number, (left, right) in enumerate(zip_longest(source, target), 1):
        if left is None or right is None:
            names = (sides.source, sides.target) if left is None else (sides.target, sides.source)
            short, long = (place(config.archive, name) for name in names)
            lines = number + sum(1 for _ in (target if left is None else source))
            found, expected = f"{number - 1} lines", f"{lines} lines, as in {long}"
            raise UserError("the two sides have unequal numbers of lines", where=short, found=found, expected=expected)
        yield left.strip(), right.strip()
