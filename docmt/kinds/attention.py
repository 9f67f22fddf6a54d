"""Figures of attention to lexical chains: a row of shaded target pieces per occurrence of a chain's word.

The maps of a chain show its longest chain. Of equally long chains they show the one whose weights are most on words,
since weights on punctuation say nothing of where a word's translation is. A map whose rows have their largest weights
on punctuation is not drawn; the page says so, and the files of the item have its numbers.

Figures of latent variables (`latent.py`) have rows of the same form. Paper: lexical chains (Lyu et al. 2022). Figure 4
has the attention from the words of a chain to the tokens of their target sentences; Figure 6 has the similarity of each
decoding step to the latent variables of its sentence. The numbers are from the file that `docmt inspect` writes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from docmt.base.checks import needed, setting
from docmt.reporting.item import KIND, Checks, FigureConfig, PieceContent, SystemOnCorpus
from docmt.reporting.plots import collapsed
from docmt.reporting.results import Results
from docmt.settings.models import READS_CHAINS

MOST_OCCURRENCES = 6  # The largest number of rows of a map for one chain; a map has the first occurrences of the chain.

# The largest number of rows of a map of latent variables; a map has the first latent variables of its sentence.
MOST_CHAINS = 8


@dataclass(frozen=True, kw_only=True)
class InsideFigure(FigureConfig):
    """A figure of quantities inside the model of one system, which `docmt inspect` writes."""

    system: str = needed("name of the study's system")

    def systems_of(self, corpora: Sequence[str]) -> Iterator[SystemOnCorpus]:
        """Yield the one system of the figure, on the figure's corpus."""
        yield self.corpus, self.system

    def reads(self) -> list[str]:
        """Return the inputs of the figure: the output of `docmt inspect`, and the logged values of the training."""
        return ["curves", "inside"]

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError where the study does not have the system on the figure's corpus."""
        super().check(checks, path)
        checks.system(self.system, self.corpus, (*path, "system"))
        checks.model(self.system, (*path, "system"))


@dataclass(frozen=True, kw_only=True)
class AttentionFigure(InsideFigure):
    """A figure of a model's attention between a repeated source word and its translations."""

    kind: Literal["attention"] = setting("attention", KIND)

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError where the base class does, and where the model of the system reads no lexical chains."""
        super().check(checks, path)
        kind = checks.systems[self.system].model.kind
        what, description = "not a system that reads lexical chains", f"{self.system}, model.kind {kind}"
        checks.require(kind in READS_CHAINS, what, description, (*path, "system"), " or ".join(READS_CHAINS))

    def content(self, name: str, results: Results) -> PieceContent:
        """Return the maps of alignment and attention of the item's system, and their cells as flat records."""
        maps = inside_maps(results, self.corpus, self.system)
        names = ("alignment", "attention") if maps else ()
        return PieceContent(maps, (row for kind in names for row in strip_records(kind, getattr(maps, kind))))


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

    @classmethod
    def of(cls, row: dict, shades: Iterable[Shade]) -> "Strip":
        """Return a row of a map from a row of inside.arrow and its shades."""
        return cls(row["piece"], row["sentence"] + 1, tuple(row["outputs"]), tuple(shades))

    @property
    def lowest(self) -> float:
        """The smallest number of the row."""
        return min(shade.value for shade in self.shades)

    @property
    def on_words(self) -> float:
        """The share of the row's weights that is on pieces with a letter or a digit, from 0 to 1."""
        pairs = list(zip(self.outputs, self.shades, strict=True))
        words = sum(shade.value for piece, shade in pairs if is_word(piece))
        return words / (sum(shade.value for _, shade in pairs) or 1)

    @property
    def highest(self) -> float:
        """The largest number of the row."""
        return max(shade.value for shade in self.shades)


@dataclass(frozen=True)
class InsideMaps:
    """The maps of a system on one dev document: soft alignment (eq. 8), cross-attention, and similarity (eq. 17).

    `alignment` and `attention` have a row per occurrence of a chain's word. `similarity` has a row per latent variable
    of one sentence, all with the target pieces of this sentence. `alignment` and `similarity` are empty for a model
    without latent variables. `collapsed`: sentences about a posterior that has collapsed.
    """

    corpus: str
    system: str
    seed: int
    document: str
    alignment: tuple[Strip, ...]
    attention: tuple[Strip, ...]
    similarity: tuple[Strip, ...]
    collapsed: tuple[str, ...] = ()

    @property
    def is_alignment_on_words(self) -> bool:
        """Whether the map of alignment shows words: its rows have more than half of their weights on words."""
        return bool(self.alignment) and fmean(strip.on_words for strip in self.alignment) > 0.5


def is_word(piece: str) -> bool:
    """Return whether a piece has a letter or a digit; special pieces such as `</s>` are no words."""
    return not (piece.startswith("<") and piece.endswith(">")) and any(map(str.isalnum, piece))


def inside_maps(results: Results, corpus: str, system: str) -> InsideMaps | None:
    """Read the maps of a system with its first seed; None where `docmt inspect` has not run, or found no chain."""
    from docmt.base.columns import INSIDE
    from docmt.base.tables import read_arrow

    run = results.first(corpus, system)
    file = run.inside / "inside.arrow"
    rows = read_arrow(file, INSIDE).to_pylist() if file.exists() else []
    if not rows:
        return None
    return InsideMaps(
        corpus,
        run.entry.system.name,
        run.seed,
        rows[0]["document"],
        alignment=tuple(_chain(rows, "alignment")),
        attention=tuple(_chain(rows, "attention")),
        similarity=tuple(_similarity(rows)),
        collapsed=tuple(collapsed([run])),
    )


def _chain(rows: list[dict], weights: str) -> Iterator[Strip]:
    """Yield a row for each of the first occurrences of the most telling chain."""
    chain = _most_telling(rows)
    for row in [row for row in rows if row["chain"] == chain][:MOST_OCCURRENCES]:
        if row[weights] is not None:
            yield _weights(row, weights)


def _most_telling(rows: list[dict]) -> int:
    """Return the number of the longest chain; of equally long chains, that whose attention is most on words."""
    chains: dict[int, list[dict]] = {}
    for row in rows:
        chains.setdefault(row["chain"], []).append(row)

    def tells(chain: int) -> tuple[int, float]:
        return len(chains[chain]), fmean(_weights(row, "attention").on_words for row in chains[chain])

    return max(chains, key=tells)


def _weights(row: dict, weights: str) -> Strip:
    """Return a row of a map whose shades are weights; `weights`: the column of inside.arrow that has them."""
    return Strip.of(row, (Shade(value, value) for value in row[weights]))


def _similarity(rows: list[dict]) -> Iterator[Strip]:
    """Yield a row for each of the first latent variables of the first sentence that has the most of them."""
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
        # White is the smallest number of the map; the darkest shade is the largest.
        yield Strip.of(row, (Shade(value, (value - low) / (high - low or 1)) for value in row["similarity"]))


def strip_records(kind: str, strips: Iterable[Strip]) -> Iterator[dict]:
    """Yield every cell of a map as a flat record, for JSON and CSV; `kind`: the map's name, such as "attention"."""
    for number, strip in enumerate(strips):
        for place, (output, shade) in enumerate(zip(strip.outputs, strip.shades, strict=True)):
            names = {"kind": kind, "row": number, "piece": strip.piece, "sentence": strip.sentence}
            yield {**names, "place": place, "output": output, "value": shade.value}
