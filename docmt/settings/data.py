"""What texts and views can be told: tokens and pieces, and how documents are cut.

Frozen dataclasses, one a section of a system. The metadata of a field is its line in the manual; a test holds
`config.yaml` to it. Checks of single values stand with their field, of impossible pairs in `__post_init__`; they raise
`BadValue`, and `docmt.base.parse` turns that into a message with file, line and path.
"""

from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import BadValue, Checked, above_0, count, count_or_none, need, need_path, setting, whole
from docmt.base.parse import SHORT_FORMS


@dataclass(frozen=True)
class TextConfig(Checked):
    """Stage 2: from raw sentences to subword pieces."""

    case: Literal["keep", "lower", "truecase"] = setting("keep", "keep the case, lower it, or truecase (Moses)")
    chinese: Literal["jieba", "characters"] = setting("jieba", "how Chinese is segmented; other languages: Moses")
    normalise: bool = setting(False, "Moses' normalisation of punctuation before tokenising; not of Chinese")
    aggressive: bool = setting(False, "Moses cuts hyphens between letters too (-a: `well @-@ known`); not Chinese")
    bpe: Literal["joint", "separate"] = setting("joint", "one set of merges and one vocabulary, or one a side")
    merges: int = setting(30000, "BPE merge operations (a side, if separate)", whole(0, 10_000_000))
    threshold: int = setting(0, "pieces rarer than this in training are left out of the vocabulary", whole(0))
    pretrained: str | None = setting(
        None,
        "folder with a tokenizer.json, whose pieces stand instead of all above but bpe and threshold; none = our own",
        need_path,
    )
    pretrained_sides: Literal["both", "source"] = setting("both", "which sides have these pieces (BERT: source)")
    learnt_on: str | None = setting(
        None, "corpus whose cases, merges and vocabularies (of this same preset) are taken; none = each learns its own"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
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


LEFT_OUT = {"min_document_tokens": ".min{}", "min_document_sentences": ".min{}sentences", "sample": ".sample{}"}
"""Settings that keep documents or segments out of training, and how they stand in the name of a view."""


@dataclass(frozen=True)
class CutConfig(Checked):
    """How a document becomes segments: exactly one of window, max_tokens, max_sentences, documents is set."""

    window: int | None = setting(
        None, "k: every k consecutive sentences (k-to-k); 1 is the sentence view", whole(1, 10_000)
    )
    max_tokens: int | None = setting(
        None, "instances: packed while the sum of max(source, target) + 2 stays below it", count
    )
    max_sentences: int | None = setting(None, "sub-documents of at most so many consecutive sentences", count)
    documents: bool = setting(False, "whole documents")
    openings: bool = setting(False, "training windows: also the first 1, 2, ... k-1 sentences of each document")
    partial_copy: float | None = setting(
        None,
        "training windows: missing context is filled with so much of the document's first sentence; none = not",
        above_0(1, ", or none"),
    )
    min_document_tokens: int | None = setting(
        None, "training documents of fewer source pieces are left out", count_or_none
    )
    min_document_sentences: int | None = setting(
        None, "training documents of fewer sentences are left out; 2 leaves out sentence pairs", count_or_none
    )
    sample: int | None = setting(
        None,
        "so many of the training segments, drawn by chance, always the same; a smaller draw is part of a larger",
        count_or_none,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        chosen = self._chosen()
        need(
            len(chosen) == 1, "view", chosen or "nothing", "exactly one of window, max_tokens, max_sentences, documents"
        )
        has_context = (self.window or 0) > 1
        need(not self.openings or has_context, "openings", True, "false where no window of 2 or more is cut")
        if self.partial_copy is not None:
            need(has_context, "partial_copy", self.partial_copy, "none where no window of 2 or more is cut")
            need(not self.openings, "openings", True, "false beside partial_copy, which fills what openings lack")

    @property
    def name(self) -> str:
        """As it stands in paths: `documents`, `window3`, `window3.openings`, `window3.copy0.5`, `tokens512.min768`,
        `tokens512.min2sentences.sample20000`.
        """
        ((kind, size),) = self._chosen().items()
        name = kind if self.documents else f"{kind.removeprefix('max_')}{size}"
        copy = "" if self.partial_copy is None else f".copy{self.partial_copy:g}"
        left_out = "".join(LEFT_OUT[name].format(size) for name, size in self.left_out_by().items())
        return f"{name}{'.openings' if self.openings else ''}{copy}{left_out}"

    def left_out_by(self) -> dict[str, int]:
        """What keeps documents or segments out, of training alone; empty where nothing does."""
        return {name: size for name in LEFT_OUT if (size := getattr(self, name)) is not None}

    def _chosen(self) -> dict[str, int]:
        kinds = ("window", "max_tokens", "max_sentences", "documents")
        return {kind: size for kind in kinds if (size := getattr(self, kind))}


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


def both_cuts(view: dict) -> dict:
    """`{window: 3}` is short for the same cut in training and test."""
    return view if "train" in view or "test" in view else {"train": view, "test": view}


SHORT_FORMS[ViewConfig] = both_cuts
