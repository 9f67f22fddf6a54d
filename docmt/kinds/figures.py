"""Figures of a study, and the passages that it shows with their translations, as it states them."""

from dataclasses import dataclass, field
from typing import Any, Literal

from docmt.base.checks import need, setting
from docmt.base.parse import KINDS

Curved = Literal[
    "train_loss",
    "dev_loss",
    "dev_nll",
    "dev_perplexity",
    "kl",
    "cross_attention_entropy",
    "encoder_self_attention_entropy",
    "decoder_self_attention_entropy",
]
"""What a training tells while it goes on."""


@dataclass(frozen=True)
class Shown:
    """A system under the name that it has in a figure or a passage."""

    system: str
    label: str = setting("", "what it is called; its own name where it is left out")

    @property
    def name(self) -> str:
        return self.label or self.system


@dataclass(frozen=True)
class Axis:
    """The horizontal axis of a figure of points."""

    label: str
    unit: str = setting("", "in what it is measured")
    log: bool = setting(False, "whether it is logarithmic")


@dataclass(frozen=True)
class Series:
    """A line of a figure of points: at which number stands which system, and what was published there."""

    label: str
    points: dict[float, str] = field(default_factory=dict)
    published: dict[float, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        need(bool(self.points or self.published), "points", "nothing", "points, or published ones")


@dataclass(frozen=True)
class PositionSeries:
    """A line of a figure by position: a system that translates windows, what was published by position, or both."""

    label: str
    system: str | None = setting(None, "name of the study's system; none for a line that is only published")
    published: dict[float, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        need(self.system is not None or bool(self.published), "system", None, "a system, or published values")


@dataclass(frozen=True)
class Level:
    """A published number that is of no position: a horizontal line."""

    label: str
    published: Any


@dataclass(frozen=True, kw_only=True)
class FigureConfig:
    """What all figures state."""

    title: str
    corpus: str
    kind: str = setting("points", "points, positions, curves, attention, latent or cases")
    caption: str = setting("", "below the figure")
    paper: str = setting("", "which figure of the paper it is")
    note: str = setting("", "such as that other points of the paper's are not digitised")


@dataclass(frozen=True, kw_only=True)
class PointsFigure(FigureConfig):
    """Metrics, a panel each, against a number that differs between systems: mean and range over seeds."""

    kind: Literal["points"] = "points"
    metrics: tuple[str, ...]
    x: Axis
    series: tuple[Series, ...]

    def __post_init__(self) -> None:
        need(bool(self.metrics), "metrics", "nothing", "one metric or more")
        numbers = [number for one in self.series for number in (*one.points, *one.published)]
        below = [number for number in numbers if number <= 0]
        need(not self.x.log or not below, "x.log", True, f"false, or no point at {below}")


@dataclass(frozen=True, kw_only=True)
class PositionsFigure(FigureConfig):
    """A BLEU score of sentences by the position j at which windows translate them."""

    kind: Literal["positions"] = "positions"
    metric: str = setting("s-BLEU", "a BLEU score over sentences")
    series: tuple[PositionSeries, ...]
    levels: tuple[Level, ...] = setting((), "published numbers of no position")


@dataclass(frozen=True, kw_only=True)
class CurvesFigure(FigureConfig):
    """What trainings tell while they go on: losses together, everything else in a panel of its own."""

    kind: Literal["curves"] = "curves"
    systems: tuple[Shown, ...]
    values: tuple[Curved, ...]
    x: Literal["updates", "tokens"] = setting("updates", "updates, or the target tokens that these are of")

    def __post_init__(self) -> None:
        need(bool(self.values), "values", "nothing", "one value or more")


@dataclass(frozen=True, kw_only=True)
class AttentionFigure(FigureConfig):
    """Where a model looks for the translations of a repeated word."""

    kind: Literal["attention"] = "attention"
    system: str


@dataclass(frozen=True, kw_only=True)
class LatentFigure(FigureConfig):
    """How similar each step of decoding is to the latent variables of its sentence."""

    kind: Literal["latent"] = "latent"
    system: str


@dataclass(frozen=True, kw_only=True)
class CasesFigure(FigureConfig):
    """Documents with repeated words that a system and its baseline translate differently."""

    kind: Literal["cases"] = "cases"
    baseline: str
    system: str
    show: Literal["different", "overcorrected"] = setting(
        "different",
        "documents on whose words only one of the two is consistent, or words that the system translates in one way "
        "and the reference in several",
    )


FIGURES: dict[str, type[FigureConfig]] = {
    "points": PointsFigure,
    "positions": PositionsFigure,
    "curves": CurvesFigure,
    "attention": AttentionFigure,
    "latent": LatentFigure,
    "cases": CasesFigure,
}
"""By `kind`."""
KINDS[FigureConfig] = ("kind of figure", FIGURES)


@dataclass(frozen=True)
class PassageDocument:
    """Sentences that no corpus need have; published translations by the label of a system."""

    source: tuple[str, ...]
    reference: tuple[str, ...] = ()
    published: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        need(bool(self.source) and all(map(str.strip, self.source)), "source", self.source, "sentences, none empty")


@dataclass(frozen=True)
class PassageConfig:
    """Passages that systems of a corpus translate."""

    title: str
    corpus: str
    systems: tuple[Shown, ...]
    documents: tuple[PassageDocument, ...]
    caption: str = setting("", "below the passages")
    paper: str = setting("", "where the published translations stand")
    note: str = setting("", "a footnote")
