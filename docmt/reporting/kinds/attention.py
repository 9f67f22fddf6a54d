"""Maps of attention to lexical chains: a row of shaded pieces per word, or per latent variable.

Paper: lexical chains (Lyu et al. 2022), Figure 4 (from the words of a chain to the tokens of their target sentences)
and Figure 6 (each step of decoding to the latent variables of its sentence). `docmt inspect` writes the numbers.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from docmt.base.columns import INSIDE, read_arrow
from docmt.kinds.attention import AttentionFigure
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results

MOST_OCCURRENCES = 6
"""The most occurrences of a chain in a map; the first ones are taken."""

MOST_CHAINS = 8
"""The most latent variables of a sentence in a map; the first ones are taken."""


@dataclass(frozen=True)
class Shade:
    """A number between 0 and 1, and the darkness of its cell, from 0 (white) to 1."""

    value: float
    dark: float


@dataclass(frozen=True)
class Strip:
    """A row of a map: a source piece with the number of its sentence, and a shade for each target piece."""

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
    """The maps of a system on one dev document: `alignment` by eq. 8, `attention` by cross-attention.

    Both have a row per word of a chain. `similarity` has a row per latent variable, all with the same target pieces. It
    and `alignment` are empty where the model has no latent variables.
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
    """Return the maps of alignment and attention of the item's system."""
    maps = inside_maps(results, item.corpus, item.system)
    strips: dict[str, tuple[Strip, ...]] = {"alignment": maps.alignment, "attention": maps.attention} if maps else {}
    return PieceContent(maps, (row for kind, rows in strips.items() for row in strip_records(kind, rows)))


def inside_maps(results: Results, corpus: str, system: str) -> InsideMaps | None:
    """Read the maps of a system with its first seed.

    They are none where `docmt inspect` has not run, or its document has no chain.
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
    """Yield a row for each occurrence of the longest chain (the first of equally long ones), shaded by its weights."""
    chain = Counter(row["chain"] for row in rows).most_common(1)[0][0]
    for row in [row for row in rows if row["chain"] == chain][:MOST_OCCURRENCES]:
        if row[weights] is not None:
            yield _strip(row, tuple(Shade(value, value) for value in row[weights]))


def _similarity(rows: list[dict]) -> Iterator[Strip]:
    """Yield a row for each latent variable of the sentence with the most chains (the first of several).

    The shades range from the smallest number of the map to the largest.
    """
    if rows[0]["similarity"] is None:
        return
    # Reversed, so that of several occurrences of a chain the first one stays.
    variables = {(row["sentence"], row["chain"]): row for row in reversed(rows)}
    sentence = Counter(sorted(number for number, _ in variables)).most_common(1)[0][0]
    chosen = sorted((row for (number, _), row in variables.items() if number == sentence), key=lambda row: row["place"])
    chosen = chosen[:MOST_CHAINS]
    values = [value for row in chosen for value in row["similarity"]]
    low, high = min(values), max(values)  # equal where all numbers are: then nothing is divided
    for row in chosen:
        yield _strip(row, tuple(Shade(value, (value - low) / (high - low or 1)) for value in row["similarity"]))


def strip_records(kind: str, strips: Iterable[Strip]) -> Iterator[dict]:
    """Yield every shade as a flat record, for JSON and CSV; `kind`: the name of the numbers."""
    for number, strip in enumerate(strips):
        for place, (output, shade) in enumerate(zip(strip.outputs, strip.shades, strict=True)):
            names = {"kind": kind, "row": number, "piece": strip.piece, "sentence": strip.sentence}
            yield {**names, "place": place, "output": output, "value": shade.value}


def _strip(row: dict, shades: tuple[Shade, ...]) -> Strip:
    """Return a row of a map from a row of inside.arrow."""
    return Strip(row["piece"], row["sentence"] + 1, tuple(row["outputs"]), shades)
