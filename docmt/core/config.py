"""The settings' schema: what can be set, of which type, with which default, and what excludes what.

Frozen dataclasses, one a section of a system. The metadata of a field is its line in the manual; a test holds
`config.yaml` to it. Checks of single values and impossible pairs stand in `__post_init__` and raise `BadValue`;
`docmt.core.parse` turns that into a message with file, line and path.
"""

from dataclasses import dataclass
from typing import Any, Literal

from docmt.core.architectures import READS_CHAINS, TransformerConfig
from docmt.core.checks import BadValue, need, need_between, need_path, setting

SPLITS = ("train", "dev", "test")
"""Parts of a corpus."""

MOST = 1_000_000_000
"""Of tokens, sentences and updates: more is a slip of the keyboard."""
MOST_BEAM = 1_000
MOST_RATE = 1e30
"""Single precision ends not far beyond."""
MOST_SEED = 2**63 - 1

Schedule = Literal["inverse_sqrt", "noam", "polynomial", "constant"]
GROUPS = ("new", "taken")
"""Parameters by what training starts from, `init_from` or `pretrained`: those that it lacks, and those that it has."""
OF_GROUPS = ("schedule", "lr", "warmup_updates")
"""Settings of training that a group may have for itself, as `lr_new` and `lr_taken`."""


def need_seeds(name: str, seeds: tuple[int, ...] | None) -> None:
    """One training each, in a folder that has the seed's number; none = those of somebody else."""
    need(seeds != (), name, "no seed", "at least one whole number")
    for number, seed in enumerate(seeds or ()):
        need_between(0, MOST_SEED, name, seed)
        need(seed not in seeds[:number], name, seed, "each seed once")


@dataclass(frozen=True)
class TextConfig:
    """Stage 2: from raw sentences to subword pieces."""

    case: Literal["keep", "lower", "truecase"] = setting("keep", "keep the case, lower it, or truecase (Moses)")
    chinese: Literal["jieba", "characters"] = setting("jieba", "how Chinese is segmented; other languages: Moses")
    normalise: bool = setting(False, "Moses' normalisation of punctuation before tokenising; not of Chinese")
    aggressive: bool = setting(False, "Moses cuts hyphens between letters too (-a: `well @-@ known`); not Chinese")
    bpe: Literal["joint", "separate"] = setting("joint", "one set of merges and one vocabulary, or one a side")
    merges: int = setting(30000, "BPE merge operations (a side, if separate)")
    threshold: int = setting(0, "pieces rarer than this in training are left out of the vocabulary")
    pretrained: str | None = setting(
        None,
        "folder with a tokenizer.json, whose pieces stand instead of all above but bpe and threshold; none = our own",
    )
    pretrained_sides: Literal["both", "source"] = setting("both", "which sides have these pieces (BERT: source)")
    learnt_on: str | None = setting(
        None, "corpus whose cases, merges and vocabularies (of this same preset) are taken; none = each learns its own"
    )

    def __post_init__(self) -> None:
        need_between(0, 10_000_000, "merges", self.merges)
        need_between(0, MOST, "threshold", self.threshold)
        need_path("pretrained", self.pretrained)
        need(self.learnt_on != "", "learnt_on", "''", "a corpus, or none")
        need(self.pretrained is None or self.learnt_on is None, "learnt_on", self.learnt_on, "none beside pretrained")
        only_source = self.pretrained_sides == "source"
        need(not only_source or self.pretrained is not None, "pretrained_sides", "source", "both where none has them")
        need(not only_source or self.bpe == "separate", "bpe", self.bpe, "separate beside pretrained_sides: source")
        if self.pretrained is not None and not only_source:
            why = "beside pretrained (its tokenizer does what the checkpoint was trained on)"
            need(self.case == "keep", "case", self.case, f"keep {why}")
            need(not self.normalise, "normalise", True, f"false {why}")
            need(not self.aggressive, "aggressive", True, f"false {why}")

    def takes_from(self, corpus: str) -> str | None:
        """The other corpus whose text a corpus takes; none where it learns its own."""
        return None if self.learnt_on == corpus else self.learnt_on

    def is_pretrained(self, side: str) -> bool:
        """Whether a side, "source" or "target", has the pieces of a pretrained checkpoint."""
        return self.pretrained is not None and (side == "source" or self.pretrained_sides == "both")


@dataclass(frozen=True)
class CutConfig:
    """How a document becomes segments: exactly one of window, max_tokens, max_sentences, documents is set."""

    window: int | None = setting(None, "k: every k consecutive sentences (k-to-k); 1 is the sentence view")
    max_tokens: int | None = setting(None, "instances: packed while the sum of max(source, target) + 2 stays below it")
    max_sentences: int | None = setting(None, "sub-documents of at most so many consecutive sentences")
    documents: bool = setting(False, "whole documents")
    openings: bool = setting(False, "training windows: also the first 1, 2, ... k-1 sentences of each document")
    partial_copy: float | None = setting(
        None, "training windows: missing context is filled with so much of the document's first sentence; none = not"
    )
    min_document_tokens: int | None = setting(None, "training documents of fewer source pieces are left out")
    min_document_sentences: int | None = setting(
        None, "training documents of fewer sentences are left out; 2 leaves out sentence pairs"
    )
    sample: int | None = setting(
        None, "so many of the training segments, drawn by chance, always the same; a smaller draw is part of a larger"
    )

    def __post_init__(self) -> None:
        chosen = self._chosen()
        need(
            len(chosen) == 1, "view", chosen or "nothing", "exactly one of window, max_tokens, max_sentences, documents"
        )
        name, size = next(iter(chosen.items()))
        need_between(1, 10_000 if name == "window" else MOST, name, size)
        for name, size in self.left_out_by().items():
            need_between(1, MOST, name, size, ", or none")
        has_context = (self.window or 0) > 1
        need(not self.openings or has_context, "openings", True, "false where no window of 2 or more is cut")
        if self.partial_copy is not None:
            need(has_context, "partial_copy", self.partial_copy, "none where no window of 2 or more is cut")
            need(0 < self.partial_copy <= 1, "partial_copy", self.partial_copy, "above 0 and at most 1, or none")
            need(not self.openings, "openings", True, "false beside partial_copy, which fills what openings lack")

    @property
    def name(self) -> str:
        """As it stands in paths: `documents`, `window3`, `window3.openings`, `window3.copy0.5`, `tokens512.min768`,
        `tokens512.min2sentences.sample20000`.
        """
        ((kind, size),) = self._chosen().items()
        name = kind if self.documents else f"{kind.removeprefix('max_')}{size}"
        copy = "" if self.partial_copy is None else f".copy{self.partial_copy:g}"
        named = {"min_document_tokens": ".min{}", "min_document_sentences": ".min{}sentences", "sample": ".sample{}"}
        left_out = "".join(named[name].format(size) for name, size in self.left_out_by().items())
        return f"{name}{'.openings' if self.openings else ''}{copy}{left_out}"

    def left_out_by(self) -> dict[str, int]:
        """What keeps documents or segments out, of training alone; empty where nothing does."""
        names = ("min_document_tokens", "min_document_sentences", "sample")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def _chosen(self) -> dict[str, int]:
        sizes = {"window": self.window, "max_tokens": self.max_tokens, "max_sentences": self.max_sentences}
        whole = {"documents": True} if self.documents else {}
        return {kind: size for kind, size in sizes.items() if size is not None} | whole


@dataclass(frozen=True)
class ViewConfig:
    """Stage 3: the cut of training documents, and that of dev and test where it differs."""

    train: CutConfig
    test: CutConfig

    def __post_init__(self) -> None:
        need(not self.test.openings, "test.openings", True, "false (test windows all have k sentences, where they can)")
        copied = self.test.partial_copy
        need(copied is None, "test.partial_copy", copied, "none (what is translated and scored is never made up)")
        for name, size in self.test.left_out_by().items():
            raise BadValue(f"test.{name}", size, "none (all of dev and test is translated): state it under view.train")

    @property
    def name(self) -> str:
        return self.train.name if self.train == self.test else f"{self.train.name}+{self.test.name}"


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
    schedule: Schedule = setting(
        "inverse_sqrt",
        "peak `lr` after the warm-up, then by the root; or factor * width^-0.5 * min(n^-0.5, n * warmup^-1.5); or from "
        "the peak to 0 at max_updates; or flat",
    )
    schedule_new: Schedule | None = setting(None, "of parameters that are new (see lr_new); none = schedule")
    schedule_taken: Schedule | None = setting(None, "of parameters that are taken (see lr_taken); none = schedule")
    lr: float = setting(5e-4, "peak learning rate (inverse_sqrt, polynomial, constant)")
    lr_new: float | None = setting(None, "of parameters that `init_from` or `pretrained` lacks; none = lr")
    lr_taken: float | None = setting(None, "of parameters taken from `init_from` or `pretrained`; none = lr")
    noam_factor: float = setting(1.0, "factor of the Noam schedule")
    warmup_updates: int = setting(4000, "updates of linear warm-up")
    warmup_updates_new: int | None = setting(None, "of parameters that are new; none = warmup_updates")
    warmup_updates_taken: int | None = setting(None, "of parameters that are taken; none = warmup_updates")
    decay_power: float = setting(1.0, "power of what is left of the updates (polynomial); 1 = a straight line")
    frozen: tuple[str, ...] = setting(
        (), "parameters that are not trained: `taken`, `new` (see lr_taken), or parts by name, such as encoder.0"
    )
    word_dropout: float = setting(0.0, "share of source and target input words replaced by <mask>")
    word_dropout_epochs: int | None = setting(None, "word dropout ends after so many epochs; none = never")
    max_updates: int | None = setting(None, "stop after so many updates; none = no limit")
    max_epochs: int | None = setting(None, "stop after so many passes; none = no limit")
    patience: int | None = setting(10, "stop after so many validations without a better one (select_by); none = never")
    select_by: Literal["loss", "bleu"] = setting(
        "loss", "which validation is better: by the dev loss, or by the BLEU of dev, which is then translated each time"
    )
    bleu_beam: int = setting(1, "hypotheses kept when dev is translated (select_by: bleu); 1 is greedy")
    validate_every_updates: int | None = setting(None, "none = once an epoch")
    validate_start: bool = setting(False, "also before the first update: the dev loss of what training starts from")
    save_every_updates: int = setting(1000, "checkpoints to resume from")
    checkpoint: Literal["best", "last", "average", "average_best"] = setting(
        "best", "which weights the model gets: of the best validation, the last, a mean of the last n, of the best n"
    )
    average: int = setting(5, "n: how many validations' weights are averaged (average, average_best)")
    precision: Literal["auto", "fp32", "bf16"] = setting("auto", "auto = bf16 on GPUs that have it, else fp32")

    def __post_init__(self) -> None:
        for name in ("tokens_per_update", "batch_tokens", "save_every_updates"):
            need_between(1, MOST, name, getattr(self, name))
        for name in ("average", "bleu_beam"):
            need_between(1, MOST_BEAM, name, getattr(self, name))
        for name in ("max_updates", "max_epochs", "patience", "validate_every_updates", "word_dropout_epochs"):
            need_between(1, MOST, name, getattr(self, name), ", or none")
        for name in ("label_smoothing", "word_dropout", "beta1", "beta2"):
            need(0 <= getattr(self, name) < 1, name, getattr(self, name), "at least 0 and below 1")
        for name in ("lr", "lr_new", "lr_taken", "noam_factor", "epsilon", "decay_power"):
            value = getattr(self, name)
            need(value is None or 0 < value <= MOST_RATE, name, value, f"above 0 and at most {MOST_RATE:g}")
        for name in ("warmup_updates", "warmup_updates_new", "warmup_updates_taken"):
            need_between(0, MOST, name, getattr(self, name))
        for name in ("clip_norm", "weight_decay"):
            need(getattr(self, name) >= 0, name, getattr(self, name), "0 or more")
        self._check_rules()
        for group in (None, *GROUPS):
            self._check_schedule(group)
        self._check_frozen()

    def of_group(self, name: str, group: str | None) -> Any:
        """The value of a setting for `new` or for `taken` parameters: their own, or else that of all."""
        own = getattr(self, f"{name}_{group}") if group else None
        return getattr(self, name) if own is None else own

    def own_settings(self, group: str) -> list[str]:
        """Names of the settings that are stated for a group."""
        names = [f"{name}_{group}" for name in OF_GROUPS]
        return [name for name in names if getattr(self, name) is not None]

    def _check_rules(self) -> None:
        need(
            any(rule is not None for rule in (self.max_updates, self.max_epochs, self.patience)),
            "max_updates",
            None,
            "a stop rule: one of max_updates, max_epochs, patience",
        )
        by_bleu = self.select_by == "bleu"
        need(by_bleu or self.bleu_beam == 1, "bleu_beam", self.bleu_beam, "1 where select_by is loss")

    def _check_schedule(self, group: str | None) -> None:
        """Of all parameters, or of a group."""
        schedule, warmup = self.of_group("schedule", group), self.of_group("warmup_updates", group)
        own = self.own_settings(group) if group else []
        need(
            schedule != "noam" or f"lr_{group}" not in own,
            f"schedule_{group}" if f"schedule_{group}" in own else "schedule",
            schedule,
            f"inverse_sqrt, polynomial or constant beside lr_{group} (noam has no peak rate to set)",
        )
        need(
            schedule != "constant" or f"warmup_updates_{group}" not in own,
            f"warmup_updates_{group}",
            warmup,
            "none where the schedule is constant",
        )
        need(
            schedule != "polynomial" or (self.max_updates or 0) > warmup,
            "max_updates",
            self.max_updates,
            f"more than warmup_updates {warmup} (polynomial falls from the warm-up's end to 0 there)",
        )

    def _check_frozen(self) -> None:
        need(all(self.frozen), "frozen", list(self.frozen), "names of parameters, or none at all: []")
        for group in GROUPS:
            for name in self.own_settings(group):
                value = getattr(self, name)
                need(group not in self.frozen, name, value, f"none where frozen names {group!r}")


@dataclass(frozen=True)
class DecodeConfig:
    """Stage 6: beam search. The strategy follows from the model's frame and the test view."""

    beam: int = setting(5, "hypotheses kept for each segment; 1 is greedy")
    length_penalty: Literal["average", "gnmt", "unified_dnmt", "none"] = setting(
        "average",
        "score / length^alpha, score / ((5 + length) / 6)^alpha, score / (5 + length / 6)^alpha (the code of "
        "unified-dnmt), or the plain sum of log-probabilities",
    )
    length_alpha: float = setting(1.0, "alpha of the length penalty")
    max_length_a: float = setting(1.2, "longest translation of a sentence: a * source pieces + b")
    max_length_b: int = setting(10, "see max_length_a")
    n_best: int = setting(0, "so many of each search's translations, with scores, in test.nbest.tsv; 0 = no such file")
    batch_tokens: int = setting(4096, "source tokens decoded at once (memory and speed, not results)")

    def __post_init__(self) -> None:
        need_between(1, MOST_BEAM, "beam", self.beam)
        need(0 <= self.n_best <= self.beam, "n_best", self.n_best, f"0 to {self.beam}, the beam")
        need_between(1, MOST, "batch_tokens", self.batch_tokens)
        for name, most in (("length_alpha", 100), ("max_length_a", 1000)):
            need(0 <= getattr(self, name) <= most, name, getattr(self, name), f"0 to {most}")
        need_between(1, 1_000_000, "max_length_b", self.max_length_b)


@dataclass(frozen=True)
class SystemConfig:
    """A named set of choices, with everything that it extends filled in.

    `text` names a preset of config.yaml's `texts`; `init_from` names the system of the study whose model training
    starts from, on the corpus `init_corpus` where that is another; or `pretrained` the folder of a checkpoint (mBART,
    BART, BERT).
    """

    name: str
    text: str
    view: ViewConfig
    model: TransformerConfig
    train: TrainConfig
    decode: DecodeConfig
    init_from: str | None = None
    pretrained: str | None = None
    init_corpus: str | None = None

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
            self.model.frame != "unmarked" or (self.view.test.window or 1) == 1,
            "model.frame",
            "unmarked",
            "another frame where the test view is overlapping windows (what they give cannot be put together)",
        )
        need(
            joined or self.model.kind != "transformer" or not multi or self.view.test.window is None,
            "model.frame",
            self.model.frame,
            "joined where a transformer translates windows of several sentences",
        )
        copied = self.view.train.partial_copy
        need(
            copied is None or self.model.kind not in READS_CHAINS,
            "view.train.partial_copy",
            copied,
            f"none for a model that reads lexical chains ({', '.join(READS_CHAINS)}): a copied word repeats nothing",
        )
        self._check_start()

    def _check_start(self) -> None:
        need(
            self.init_from is None or self.pretrained is None,
            "pretrained",
            self.pretrained,
            f"none beside init_from {self.init_from}: training starts from one model",
        )
        need_path("pretrained", self.pretrained)
        starts_anew = self.init_from is None and self.pretrained is None
        by_start = [name for name in self.train.frozen if name in GROUPS]
        need(
            not (starts_anew and by_start),
            "train.frozen",
            by_start,
            "init_from or pretrained beside taken or new (without it no parameter is taken)",
        )
        for name in (name for group in GROUPS for name in self.train.own_settings(group)):
            value, expected = getattr(self.train, name), f"init_from or pretrained beside {name}"
            need(not starts_anew, f"train.{name}", value, f"{expected} (without it no parameter is taken)")
