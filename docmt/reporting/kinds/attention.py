"""Maps of attention: a row of shaded target pieces per occurrence of a chain's word, or per latent variable.

Paper: lexical chains (Lyu et al. 2022). Figure 4 has the attention from the words of a chain to the tokens of their
target sentences; Figure 6 has the similarity of each decoding step to the latent variables of its sentence. The numbers
are from the file that `docmt inspect` writes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from docmt.base.columns import INSIDE
from docmt.base.tables import read_arrow
from docmt.kinds.attention import AttentionFigure
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results

MOST_OCCURRENCES = 6
"""The largest number of rows of a map for one chain; a map has the first occurrences of the chain."""

MOST_CHAINS = 8
"""The largest number of rows of a map of latent variables; a map has the first latent variables of its sentence."""


@dataclass(frozen=True)
class Shade:
    """A number between 0 and 1, and the darkness of its cell, from 0 (white) to 1."""

    value: float
    dark: float


@dataclass(frozen=True)
class Strip:
    """A row of a map: a source piece, the number of its sentence from 1, and a shade for each target piece."""

    piece: str
    sentence: int
    outputs: tuple[str, ...]
    shades: tuple[Shade, ...]

    @property
    def lowest(self) -> float:
        """The smallest number of the row."""
        return min(shade.value for shade in self.shades)

    @property
    def highest(self) -> float:
        """The largest number of the row."""
        return max(shade.value for shade in self.shades)


@dataclass(frozen=True)
class InsideMaps:
    """The maps of a system on one dev document: soft alignment (eq. 8), cross-attention, and similarity (eq. 17).

    `alignment` and `attention` have a row per occurrence of a chain's word. `similarity` has a row per latent variable
    of one sentence, all with the target pieces of this sentence. `alignment` and `similarity` are empty for a model
    without latent variables.
    """

    corpus: str
    system: str
    seed: int
    document: str
    source_language: str
    target_language: str
    alignment: tuple[Strip, ...]
    attention: tuple[Strip, ...]
    similarity: tuple[Strip, ...]


def content(_: str, item: AttentionFigure, results: Results) -> PieceContent:
    """Return the maps of alignment and attention of the item's system, and their cells as flat records."""
    maps = inside_maps(results, item.corpus, item.system)
    strips: dict[str, tuple[Strip, ...]] = {"alignment": maps.alignment, "attention": maps.attention} if maps else {}
    return PieceContent(maps, (row for kind, rows in strips.items() for row in strip_records(kind, rows)))


def inside_maps(results: Results, corpus: str, system: str) -> InsideMaps | None:
    """Read the maps of a system with its first seed.

    The result is None where `docmt inspect` has not run, or where its document has no chain.
    """
    run = results.first(corpus, system)
    file = run.translations / "inside.arrow"
    rows = read_arrow(file, INSIDE).to_pylist() if file.exists() else []
    if not rows:
        return None
    return InsideMaps(
        corpus,
        run.entry.system.name,
        run.seed,
        rows[0]["document"],
        results.language(corpus, "source"),
        results.language(corpus, "target"),
        alignment=tuple(_chain(rows, "alignment")),
        attention=tuple(_chain(rows, "attention")),
        similarity=tuple(_similarity(rows)),
    )


def _chain(rows: list[dict], weights: str) -> Iterator[Strip]:
    """Yield a row for each of the first MOST_OCCURRENCES occurrences of the longest chain, shaded by the weights.

    `weights`: the column of inside.arrow with the weights. Of equally long chains the first one is chosen.
    """
    chain = Counter(row["chain"] for row in rows).most_common(1)[0][0]
    for row in [row for row in rows if row["chain"] == chain][:MOST_OCCURRENCES]:
        if row[weights] is not None:
            yield _strip(row, tuple(Shade(value, value) for value in row[weights]))


def _similarity(rows: list[dict]) -> Iterator[Strip]:
    """Yield a row for each of the first MOST_CHAINS latent variables of the sentence with the most latent variables.

    Of several such sentences the first one is chosen. The shades are from white, for the smallest number of the map, to
    the darkest, for the largest.
    """
    if rows[0]["similarity"] is None:
        return
    # The order is reversed, since a mapping keeps the last of equal keys: here the first occurrence of each chain.
    variables = {(row["sentence"], row["chain"]): row for row in reversed(rows)}
    sentence = Counter(sorted(number for number, _ in variables)).most_common(1)[0][0]
    chosen = sorted((row for (number, _), row in variables.items() if number == sentence), key=lambda row: row["place"])
    chosen = chosen[:MOST_CHAINS]
    values = [value for row in chosen for value in row["similarity"]]
    low, high = min(values), max(values)  # where both are equal, the divisor below is 1
    for row in chosen:
        yield _strip(row, tuple(Shade(value, (value - low) / (high - low or 1)) for value in row["similarity"]))


def strip_records(kind: str, strips: Iterable[Strip]) -> Iterator[dict]:
    """Yield every cell of a map as a flat record, for JSON and CSV; `kind`: the map's name, such as "attention"."""
    for number, strip in enumerate(strips):
        for place, (output, shade) in enumerate(zip(strip.outputs, strip.shades, strict=True)):
            names = {"kind": kind, "row": number, "piece": strip.piece, "sentence": strip.sentence}
            yield {**names, "place": place, "output": output, "value": shade.value}


def _strip(row: dict, shades: tuple[Shade, ...]) -> Strip:
    """Return a row of a map from a row of inside.arrow and its shades."""
    return Strip(row["piece"], row["sentence"] + 1, tuple(row["outputs"]), shades)
