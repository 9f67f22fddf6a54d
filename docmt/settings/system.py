"""The settings of a system, and its entry for each corpus."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from docmt.base.checks import need, need_path
from docmt.base.parse import KINDS
from docmt.settings.data import ViewConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.external import ExternalConfig
from docmt.settings.models import READS_CHAINS, TransformerConfig
from docmt.settings.train import GROUPS, TrainConfig


@dataclass(frozen=True)
class SystemConfig:
    """The base of all systems; `kind` is that of a system whose settings do not say it.

    `text` names a preset under `texts` of config.yaml, by which translations are tokenised and scored.
    """

    kind: ClassVar[str] = "trained"

    name: str
    text: str

    @property
    def origin(self) -> str:
        """How the translations are made: "trained", or the key of `EXTERNAL` of an external system."""
        return self.kind


@dataclass(frozen=True)
class ExternalSystem(SystemConfig):
    """A system that docmt does not train: `source` says where its translations come from."""

    source: ExternalConfig
    kind: Literal["external"] = field(default="external", kw_only=True)

    @property
    def origin(self) -> str:
        """The key of `EXTERNAL` by which the study states the system."""
        return self.source.kind


@dataclass(frozen=True)
class TrainedSystem(SystemConfig):
    """A system that docmt trains: a named set of settings, with those that it inherits from the systems it extends.

    `init_from` names the system of the study from whose model training starts, and `init_corpus` is the corpus of that
    model where it is another corpus. Instead of `init_from` a system may have `pretrained`: the folder of an mBART,
    BART or BERT checkpoint from which training starts.
    """

    view: ViewConfig
    model: TransformerConfig
    train: TrainConfig
    decode: DecodeConfig
    init_from: str | None = None
    pretrained: str | None = None
    init_corpus: str | None = None

    def __post_init__(self) -> None:
        """Check that the view, the frame, the model and the start of training fit each other."""
        frame, window = self.model.frame, self.view.test.window
        overlaps = window is not None and window > 1  # a window of one sentence is the sentence view
        refused = {
            "wrapped where the test view is no window (only windows have a fallback for a wrong number of sentences)": (
                frame == "joined" and window is None
            ),
            "another frame where the test view is overlapping windows (their outputs cannot be combined)": (
                frame == "unmarked" and overlaps
            ),
            "joined where a transformer translates windows of several sentences": (
                frame != "joined" and self.model.kind == "transformer" and overlaps
            ),
        }
        for expected, is_refused in refused.items():
            need(not is_refused, "model.frame", frame, expected)
        kinds = ", ".join(READS_CHAINS)
        for part, cut in (("train", self.view.train), ("test", self.view.test)):
            need(
                cut.partial_copy is None or self.model.kind not in READS_CHAINS,
                f"view.{part}.partial_copy",
                cut.partial_copy,
                f"none for a model that reads lexical chains ({kinds}): a copied word is no repetition",
            )
        self._check_start()

    def _check_start(self) -> None:
        """Check that training starts from one model at most, and that settings which need such a model have one.

        Settings of transferred parameters, and of the new parameters beside them, need `init_from` or `pretrained`.
        """
        need(
            self.init_from is None or self.pretrained is None,
            "pretrained",
            self.pretrained,
            f"none beside init_from {self.init_from}: training starts from one model",
        )
        need_path("pretrained", self.pretrained)
        starts_anew = self.init_from is None and self.pretrained is None
        frozen_groups = [name for name in self.train.frozen if name in GROUPS]
        need(
            not (starts_anew and frozen_groups),
            "train.frozen",
            frozen_groups,
            "init_from or pretrained beside transferred or new (without it no parameter is transferred)",
        )
        for name in (name for group in GROUPS for name in self.train.settings_of_group(group)):
            value, expected = getattr(self.train, name), f"init_from or pretrained beside {name}"
            need(not starts_anew, f"train.{name}", value, f"{expected} (without it no parameter is transferred)")


SYSTEMS: dict[str, type[SystemConfig]] = {"trained": TrainedSystem, "external": ExternalSystem}  # The kinds of systems.

KINDS[SystemConfig] = ("kind of system", SYSTEMS)


@dataclass(frozen=True)
class Entry:
    """A system on a corpus.

    `folder` is the name of the system's folder in paths. `trained` is the name of the folder of the trained model: the
    system's folder, or the folder of the ancestor from which the system differs only in decoding; it is None for an
    external system. `scored` is the name of the folder of the scores: the system's folder, or `<system>@<study>` where
    another study scores the same system differently. `extends` is the name of the system that this system extends. Two
    entries have the same `settings_digest` where all of their settings are equal, including the settings of the systems
    whose models training starts from. `seeds` has the seed of each training, or of each file of an external system.
    """

    study: str
    corpus: str
    folder: str
    trained: str | None
    scored: str
    extends: str | None
    settings_digest: str
    seeds: tuple[int, ...]
    system: SystemConfig

    @property
    def has_model(self) -> bool:
        """Whether docmt trains the system, and so has its model."""
        return self.trained is not None

    @property
    def pretrained(self) -> str | None:
        """The folder of the checkpoint from which training starts; None without one, and without a training."""
        return self.system.pretrained if isinstance(self.system, TrainedSystem) else None
