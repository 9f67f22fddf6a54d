"""What trained models do with lexical chains, as maps: a row of shaded pieces a word, or a latent variable.

Paper: lexical chains (Lyu et al. 2022), Figure 4 (from the words of a chain to the tokens of their target sentences)
and Figure 6 (each step of decoding to the latent variables of its sentence). `docmt inspect` made the numbers.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from docmt.base.columns import INSIDE, read_arrow
from docmt.kinds.attention import AttentionFigure
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results

MOST_OCCURRENCES = 6
"""Of a chain's members, the first."""

MOST_CHAINS = 8
"""Of a sentence's latent variables, the first."""


@dataclass(frozen=True)
class Shade:
    """A number between 0 and 1, and how dark it is drawn, likewise."""

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
        return min(shade.value for shade in self.shades)

    @property
    def highest(self) -> float:
        return max(shade.value for shade in self.shades)


@dataclass(frozen=True)
class InsideMaps:
    """Of a system and one dev document. From words of a chain: `aligned` by eq. 8, `attended` by cross-attention.

    `asked`, of latent variables, has the same target pieces in every row. It and `aligned` are empty where the model
    has no latent variables.
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
    one = inside_maps(results, item.corpus, item.system)
    strips: dict[str, tuple[Strip, ...]] = {"alignment": one.alignment, "attention": one.attention} if one else {}
    return PieceContent(one, (row for kind, rows in strips.items() for row in strip_records(kind, rows)))


def inside_maps(results: Results, corpus: str, system: str) -> InsideMaps | None:
    """What was seen of a system with its first seed; none where nobody looked, or its document has no chain."""
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
        similarity=tuple(_asked(rows)),
    )


def _chain(rows: list[dict], weights: str) -> Iterator[Strip]:
    """The longest chain, the first of such; as dark as the weight is large."""
    chain = Counter(row["chain"] for row in rows).most_common(1)[0][0]
    for row in [row for row in rows if row["chain"] == chain][:MOST_OCCURRENCES]:
        if row[weights] is not None:
            yield _strip(row, tuple(Shade(value, value) for value in row[weights]))


def _asked(rows: list[dict]) -> Iterator[Strip]:
    """The sentence with the most chains, the first of such; from the map's smallest number to its largest."""
    if rows[0]["similarity"] is None:
        return
    variables = {(row["sentence"], row["chain"]): row for row in reversed(rows)}
    sentence = Counter(sorted(number for number, _ in variables)).most_common(1)[0][0]
    shown = sorted((row for (number, _), row in variables.items() if number == sentence), key=lambda row: row["place"])
    shown = shown[:MOST_CHAINS]
    values = [value for row in shown for value in row["similarity"]]
    low, high = min(values), max(values)
    for row in shown:
        yield _strip(row, tuple(Shade(value, (value - low) / (high - low or 1)) for value in row["similarity"]))


def strip_records(kind: str, strips: Iterable[Strip]) -> Iterator[dict]:
    """Every shade as a flat record, for JSON and CSV; `kind` is what the numbers are."""
    for number, strip in enumerate(strips):
        for place, (output, shade) in enumerate(zip(strip.outputs, strip.shades, strict=True)):
            names = {"kind": kind, "row": number, "piece": strip.piece, "sentence": strip.sentence}
            yield {**names, "place": place, "output": output, "value": shade.value}


def _strip(row: dict, shades: tuple[Shade, ...]) -> Strip:
    return Strip(row["piece"], row["sentence"] + 1, tuple(row["outputs"]), shades)
