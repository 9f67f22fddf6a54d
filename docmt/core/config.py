"""The settings' schema: what can be set, of which type, with which default, and what excludes what.

Frozen dataclasses, one a section of a system. The metadata of a field is its line in the manual; a test holds
`config.yaml` to it. Checks of single values and impossible pairs stand in `__post_init__` and raise `BadValue`;
`docmt.core.parse` turns that into a message with file, line and path.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

SPLITS = ("train", "dev", "test")
"""Parts of a corpus."""


class BadValue(ValueError):
    """A value that its type allows and its meaning does not: the field, what was found, what is expected."""

    def __init__(self, name: str, found: object, expected: str) -> None:
        super().__init__(f"{name}: found {found!r}, expected {expected}")
        self.name, self.found, self.expected = name, found, expected


def need(condition: bool, name: str, found: object, expected: str) -> None:
    if not condition:
        raise BadValue(name, found, expected)


def setting(default: Any, about: str) -> Any:
    """A field with its line in the manual."""
    return field(default=default, metadata={"about": about})


@dataclass(frozen=True)
class TextConfig:
    """Stage 2: from raw sentences to subword pieces."""

    case: Literal["keep", "lower", "truecase"] = setting("keep", "keep the case, lower it, or truecase (Moses)")
    chinese: Literal["jieba", "characters"] = setting("jieba", "how Chinese is segmented; other languages: Moses")
    bpe: Literal["joint", "separate"] = setting("joint", "one set of merges and one vocabulary, or one a side")
    merges: int = setting(30000, "BPE merge operations (a side, if separate)")
    threshold: int = setting(0, "pieces rarer than this in training are left out of the vocabulary")

    def __post_init__(self) -> None:
        need(self.merges >= 0, "merges", self.merges, "0 or more")
        need(self.threshold >= 0, "threshold", self.threshold, "0 or more")


@dataclass(frozen=True)
class CutConfig:
    """How a document becomes segments: exactly one of window, max_tokens, max_sentences is set."""

    window: int | None = setting(None, "k: every k consecutive sentences (k-to-k); 1 is the sentence view")
    max_tokens: int | None = setting(None, "instances: packed while the sum of max(source, target) + 2 stays below it")
    max_sentences: int | None = setting(None, "sub-documents of at most so many consecutive sentences")
    openings: bool = setting(False, "training windows: also the first 1, 2, ... k-1 sentences of each document")

    def __post_init__(self) -> None:
        chosen = self._chosen()
        need(len(chosen) == 1, "view", chosen or "nothing", "exactly one of window, max_tokens, max_sentences")
        name, size = next(iter(chosen.items()))
        need(size >= 1, name, size, "1 or more")
        need(not self.openings or (self.window or 0) > 1, "openings", True, "false where no window of 2 or more is cut")

    @property
    def name(self) -> str:
        """As it stands in paths: `window3`, `window3.openings`, `tokens512`, `sentences20`."""
        ((kind, size),) = self._chosen().items()
        return f"{kind.removeprefix('max_')}{size}{'.openings' if self.openings else ''}"

    def _chosen(self) -> dict[str, int]:
        sizes = {"window": self.window, "max_tokens": self.max_tokens, "max_sentences": self.max_sentences}
        return {kind: size for kind, size in sizes.items() if size is not None}


@dataclass(frozen=True)
class ViewConfig:
    """Stage 3: the cut of training documents, and that of dev and test where it differs."""

    train: CutConfig
    test: CutConfig

    def __post_init__(self) -> None:
        need(not self.test.openings, "test.openings", True, "false (test windows all have k sentences, where they can)")

    @property
    def name(self) -> str:
        return self.train.name if self.train == self.test else f"{self.train.name}+{self.test.name}"


@dataclass(frozen=True)
class TransformerConfig:
    """`transformer`: the sentence model and, by its view, concatenation."""

    kind: Literal["transformer"] = setting("transformer", "the architecture; names of docmt.models.MODELS")
    encoder_layers: int = setting(6, "layers of the encoder")
    decoder_layers: int = setting(6, "layers of the decoder")
    width: int = setting(512, "d: width of the hidden states")
    inner: int = setting(2048, "width of the feed-forward layers inside")
    heads: int = setting(8, "attention heads; divides the width")
    dropout: float = setting(0.1, "after embeddings and sublayers")
    attention_dropout: float = setting(0.0, "on attention weights")
    activation_dropout: float = setting(0.0, "inside the feed-forward layers")
    norm: Literal["post", "pre"] = setting("post", "layer norm after the residual (Vaswani et al. 2017) or before")
    embeddings: Literal["shared", "target", "separate"] = setting(
        "shared", "one table for all, one for target and output, or three; shared needs joint BPE"
    )
    frame: Literal["wrapped", "joined"] = setting(
        "wrapped", "<s> a </s> <s> b </s> with a forced number of sentences, or a <sep> b </s> with a free one"
    )

    def __post_init__(self) -> None:
        for name in ("encoder_layers", "decoder_layers", "width", "inner", "heads"):
            need(getattr(self, name) >= 1, name, getattr(self, name), "1 or more")
        for name in ("dropout", "attention_dropout", "activation_dropout"):
            need(0 <= getattr(self, name) < 1, name, getattr(self, name), "at least 0 and below 1")
        need(self.width % self.heads == 0, "heads", self.heads, f"a divisor of width {self.width}")
        need(self.width % 2 == 0, "width", self.width, "an even number (sine and cosine positions)")


@dataclass(frozen=True)
class GTransformerConfig(TransformerConfig):
    """`g_transformer`: group attention in all layers, combined with global attention in the top ones."""

    kind: Literal["g_transformer"] = setting("g_transformer", "")
    combined_layers: int = setting(2, "K: top layers whose attention combines group and global (section 4.2)")
    encoder_self_combined_layers: int | None = setting(None, "K of encoder self-attention, where it differs")
    decoder_self_combined_layers: int | None = setting(None, "K of decoder self-attention, where it differs")
    cross_combined_layers: int | None = setting(None, "K of cross-attention, where it differs")

    def __post_init__(self) -> None:
        super().__post_init__()
        need(self.frame == "wrapped", "frame", self.frame, "wrapped (a group is a sentence between <s> and </s>)")
        for name, layers in self.combined().items():
            limit = self.encoder_layers if name.startswith("encoder") else self.decoder_layers
            need(0 <= layers <= limit, name, layers, f"0 to {limit}, the number of layers")

    def combined(self) -> dict[str, int]:
        """Combined layers by the name of their field, with `combined_layers` filled in."""
        names = ("encoder_self_combined_layers", "decoder_self_combined_layers", "cross_combined_layers")
        own = {name: getattr(self, name) for name in names}
        return {name: self.combined_layers if k is None else k for name, k in own.items()}


ModelConfig = TransformerConfig | GTransformerConfig
MODEL_CONFIGS: dict[str, type[TransformerConfig]] = {
    "transformer": TransformerConfig,
    "g_transformer": GTransformerConfig,
}
"""Settings by `model.kind`; a new architecture adds a line here and one in `docmt.models.MODELS`."""


@dataclass(frozen=True)
class TrainConfig:
    """Stage 5: batches, optimiser, schedule, stop and checkpoint rules."""

    tokens_per_update: int = setting(4096, "target tokens of one update, whatever the number of devices")
    batch_tokens: int = setting(4096, "target tokens computed at once on one device (memory, not results)")
    label_smoothing: float = setting(0.1, "mass spread evenly over the vocabulary")
    beta1: float = setting(0.9, "Adam")
    beta2: float = setting(0.98, "Adam")
    epsilon: float = setting(1e-8, "Adam")
    weight_decay: float = setting(0.0, "Adam, decoupled")
    clip_norm: float = setting(0.0, "largest norm of the gradient; 0 = not clipped")
    schedule: Literal["inverse_sqrt", "noam", "constant"] = setting(
        "inverse_sqrt", "peak `lr` after the warm-up; or factor * width^-0.5 * min(n^-0.5, n * warmup^-1.5); or flat"
    )
    lr: float = setting(5e-4, "peak learning rate (inverse_sqrt, constant)")
    lr_new: float | None = setting(None, "of parameters that `init_from` lacks; none = lr")
    lr_taken: float | None = setting(None, "of parameters taken from `init_from`; none = lr")
    noam_factor: float = setting(1.0, "factor of the Noam schedule")
    warmup_updates: int = setting(4000, "updates of linear warm-up")
    word_dropout: float = setting(0.0, "share of source and target input words replaced by <mask>")
    word_dropout_epochs: int | None = setting(None, "word dropout ends after so many epochs; none = never")
    max_updates: int | None = setting(None, "stop after so many updates; none = no limit")
    max_epochs: int | None = setting(None, "stop after so many passes; none = no limit")
    patience: int | None = setting(10, "stop after so many validations without a better dev loss; none = never")
    validate_every_updates: int | None = setting(None, "none = once an epoch")
    save_every_updates: int = setting(1000, "checkpoints to resume from")
    checkpoint: Literal["best", "last", "average"] = setting("best", "which weights the model gets, by dev loss")
    average: int = setting(5, "how many of the last validations' weights are averaged (checkpoint: average)")
    precision: Literal["auto", "fp32", "bf16"] = setting("auto", "auto = bf16 on GPUs that have it, else fp32")

    def __post_init__(self) -> None:
        for name in ("tokens_per_update", "batch_tokens", "save_every_updates", "average"):
            need(getattr(self, name) >= 1, name, getattr(self, name), "1 or more")
        for name in ("max_updates", "max_epochs", "patience", "validate_every_updates", "word_dropout_epochs"):
            value = getattr(self, name)
            need(value is None or value >= 1, name, value, "1 or more, or none")
        for name in ("label_smoothing", "word_dropout", "beta1", "beta2"):
            need(0 <= getattr(self, name) < 1, name, getattr(self, name), "at least 0 and below 1")
        for name in ("lr", "lr_new", "lr_taken", "noam_factor", "epsilon"):
            value = getattr(self, name)
            need(value is None or value > 0, name, value, "above 0")
        for name in ("warmup_updates", "clip_norm", "weight_decay"):
            need(getattr(self, name) >= 0, name, getattr(self, name), "0 or more")
        need(
            any(rule is not None for rule in (self.max_updates, self.max_epochs, self.patience)),
            "max_updates",
            None,
            "a stop rule: one of max_updates, max_epochs, patience",
        )
        need(
            self.schedule != "noam" or (self.lr_new is None and self.lr_taken is None),
            "schedule",
            self.schedule,
            "inverse_sqrt or constant beside lr_new or lr_taken (noam has no peak rate to set)",
        )


@dataclass(frozen=True)
class DecodeConfig:
    """Stage 6: beam search. The strategy follows from the model's frame and the test view."""

    beam: int = setting(5, "hypotheses kept for each segment; 1 is greedy")
    length_penalty: Literal["average", "gnmt", "none"] = setting(
        "average", "score / length^alpha, score / ((5 + length) / 6)^alpha, or the plain sum of log-probabilities"
    )
    length_alpha: float = setting(1.0, "alpha of the length penalty")
    max_length_a: float = setting(1.2, "longest translation of a sentence: a * source pieces + b")
    max_length_b: int = setting(10, "see max_length_a")
    batch_tokens: int = setting(4096, "source tokens decoded at once (memory and speed, not results)")

    def __post_init__(self) -> None:
        need(self.beam >= 1, "beam", self.beam, "1 or more")
        need(self.batch_tokens >= 1, "batch_tokens", self.batch_tokens, "1 or more")
        need(self.length_alpha >= 0, "length_alpha", self.length_alpha, "0 or more")
        need(self.max_length_a >= 0, "max_length_a", self.max_length_a, "0 or more")
        need(self.max_length_b >= 1, "max_length_b", self.max_length_b, "1 or more")


@dataclass(frozen=True)
class SystemConfig:
    """A named set of choices, with everything that it extends filled in.

    `text` names a preset of config.yaml's `texts`; `init_from` names the system (same study, same corpus) whose
    model training starts from.
    """

    name: str
    text: str
    view: ViewConfig
    model: ModelConfig
    train: TrainConfig
    decode: DecodeConfig
    init_from: str | None = None

    def __post_init__(self) -> None:
        multi = self.view.test.window is None or self.view.test.window > 1
        joined = self.model.frame == "joined"
        need(
            not (joined and self.view.test.window is None),
            "model.frame",
            "joined",
            "wrapped where the test view is not a window (only windows have a fallback for a free number of sentences)",
        )
        need(
            joined or self.model.kind != "transformer" or not multi or self.view.test.window is None,
            "model.frame",
            self.model.frame,
            "joined where a transformer translates windows of several sentences",
        )
        need(
            self.init_from is not None or (self.train.lr_taken is None and self.train.lr_new is None),
            "train.lr_taken",
            self.train.lr_taken if self.train.lr_taken is not None else self.train.lr_new,
            "init_from beside lr_taken or lr_new (without it no parameter is taken)",
        )
