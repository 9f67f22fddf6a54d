"""The settings of texts and views: tokens and pieces, and the cut of documents into segments.

Settings are frozen dataclasses, one for each section of a system. The metadata of a field has the description of the
setting, which is also in the manual, `config.yaml`; a test compares the two descriptions. A field declares the check of
its value, and `__post_init__` checks combinations of fields. A failed check raises `BadValue`, which `docmt.base.parse`
converts to a message with the file, the line and the path of keys.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from docmt.base.checks import (
    BadValue,
    Checked,
    above_0,
    count,
    count_or_none,
    in_schema,
    need,
    need_path,
    needed,
    setting,
    whole,
)
from docmt.base.parse import SHORT_FORMS


@in_schema(minLength=1)
def need_corpus(name: str, value: str) -> None:
    """Raise BadValue for an empty text in the place of a corpus."""
    need(value != "", name, "''", "a corpus, or none")


@dataclass(frozen=True)
class TextConfig(Checked):
    """The settings of stage 2, which converts raw sentences to subword pieces."""

    case: Literal["keep", "lower", "truecase"] = setting("keep", "keep the case, lower it, or truecase (Moses)")
    chinese: Literal["jieba", "characters"] = setting("jieba", "how Chinese is segmented; other languages: Moses")
    normalise: bool = setting(False, "Moses' normalisation of punctuation before tokenising; not of Chinese")
    aggressive: bool = setting(False, "Moses cuts hyphens between letters too (-a: `well @-@ known`); not Chinese")
    join: Literal["moses", "reversible"] = setting(
        "moses",
        "how tokens become text again: by the rules of Moses (or of Chinese), as in the papers, or exactly, by marks",
    )
    bpe: Literal["joint", "separate"] = setting("joint", "joint: one set of merges; separate: one for each side")
    vocabulary: Literal["shared", "separate"] = setting(
        "shared", "shared: one vocabulary of both sides, which needs joint BPE; separate: each side has its own pieces"
    )
    merges: int = setting(30000, "number of BPE merge operations (of each side, if separate)", whole(0, 10_000_000))
    threshold: int = setting(
        0,
        "pieces rarer than this in training are cut into smaller ones; characters and pretrained pieces that are rarer "
        "become <unk>",
        whole(0),
    )
    sentencepiece: int | None = setting(
        None,
        "number of pieces, 256 bytes among them, that SentencePiece learns on raw text (of each side, if separate), in "
        "place of all settings above but bpe and vocabulary; none = tokens and merges",
        whole(257, 1_000_000, ", or none"),
    )
    pretrained: str | None = setting(
        None,
        "folder with a tokenizer.json, whose pieces replace all settings above but vocabulary and threshold; none = "
        "our own pieces",
        need_path,
    )
    pretrained_sides: Literal["both", "source"] = setting("both", "which sides have these pieces (BERT: source)")
    learnt_on: str | None = setting(
        None,
        "corpus from which cases, merges and vocabularies (of this same preset) come; none = each corpus learns "
        "its own",
        need_corpus,
    )

    def __post_init__(self) -> None:
        """Check that fields do not contradict each other."""
        super().__post_init__()
        need(self.pretrained is None or self.learnt_on is None, "learnt_on", self.learnt_on, "none beside pretrained")
        # A BERT is an encoder: where the source side has the pieces of a BERT, the target side learns its pieces.
        only_source = self.pretrained_sides == "source"
        need(not only_source or self.pretrained is not None, "pretrained_sides", "source", "both where none has them")
        need(not only_source or self.bpe == "separate", "bpe", self.bpe, "separate beside pretrained_sides: source")
        # No paper has one vocabulary for the pieces of two sets of merges.
        if self.join == "reversible":
            why = "false beside join: reversible"
            need(not self.normalise, "normalise", True, why)
            need(not self.aggressive, "aggressive", True, why)
        fits = self.bpe == "joint" or self.vocabulary == "separate"
        need(fits, "vocabulary", self.vocabulary, "separate beside bpe: separate")
        if self.sentencepiece is not None:
            need(self.pretrained is None, "pretrained", self.pretrained, "none beside sentencepiece")
            need(self.threshold == 0, "threshold", self.threshold, "0 beside sentencepiece, which has no rare pieces")
            shared = self.bpe == "separate" or self.vocabulary == "shared"
            need(shared, "vocabulary", self.vocabulary, "shared beside sentencepiece with bpe: joint")
            self._need_no_tokens("beside sentencepiece (it reads raw text)")
        if self.pretrained is not None and not only_source:
            why = "beside pretrained (its tokenizer does what the checkpoint was trained on)"
            need(self.bpe == "joint", "bpe", self.bpe, f"joint {why}")
            self._need_no_tokens(why)

    def _need_no_tokens(self, why: str) -> None:
        need(self.case == "keep", "case", self.case, f"keep {why}")
        need(not self.normalise, "normalise", True, f"false {why}")
        need(not self.aggressive, "aggressive", True, f"false {why}")
        need(self.join == "moses", "join", self.join, f"moses {why}")

    def stated(self) -> dict[str, Any]:
        """Return the settings by name.

        `sentencepiece` is left out where it is none: texts from before this setting keep their identities and bytes.
        """
        return {name: value for name, value in asdict(self).items() if (name, value) != ("sentencepiece", None)}

    def takes_from(self, corpus: str) -> str | None:
        """Return the corpus whose merges and vocabularies `corpus` uses; return none where `corpus` learns its own."""
        return None if self.learnt_on == corpus else self.learnt_on

    def is_pretrained(self, side: str) -> bool:
        """Return whether a side, "source" or "target", has the pieces of a pretrained checkpoint."""
        return self.pretrained is not None and (side == "source" or self.pretrained_sides == "both")


# The settings that exclude documents or segments from training, each with its part of the name of a view.
LEFT_OUT = {"min_document_tokens": ".min{}", "min_document_sentences": ".min{}sentences", "sample": ".sample{}"}


@dataclass(frozen=True)
class CutConfig(Checked):
    """The cut of documents into segments.

    Exactly one of `window`, `max_tokens`, `max_sentences` and `documents` is set.
    """

    window: int | None = setting(
        None, "k: every k consecutive sentences (k-to-k); 1 is the sentence view", whole(1, 10_000)
    )
    max_tokens: int | None = setting(
        None, "instances: packed while the sum of max(source, target) + 2 stays below this number", count
    )
    max_sentences: int | None = setting(None, "sub-documents of at most this number of consecutive sentences", count)
    documents: bool = setting(False, "whole documents")
    openings: bool = setting(False, "training windows: also the first 1, 2, ... k-1 sentences of each document")
    partial_copy: float | None = setting(
        None,
        "missing context of windows is filled with this share of the document's first sentence; none = not filled",
        above_0(1, ", or none"),
    )
    partial_copy_each: bool = setting(
        False, "with partial_copy: each later sentence of a document is also the first of a document of its own"
    )
    min_document_tokens: int | None = setting(
        None, "training documents of fewer source pieces are left out", count_or_none
    )
    min_document_sentences: int | None = setting(
        None, "training documents of fewer sentences are left out; 2 leaves out sentence pairs", count_or_none
    )
    sample: int | None = setting(
        None,
        "number of training segments, drawn at random, always the same ones; a smaller draw is part of a larger one",
        count_or_none,
    )

    def __post_init__(self) -> None:
        """Check that one kind of segment is chosen, and that the other fields fit it."""
        super().__post_init__()
        chosen = self._chosen()
        need(
            len(chosen) == 1, "view", chosen or "nothing", "exactly one of window, max_tokens, max_sentences, documents"
        )
        has_context = (self.window or 0) > 1
        need(not self.openings or has_context, "openings", True, "false where no window of 2 or more is cut")
        fills = self.partial_copy is not None
        need(fills or not self.partial_copy_each, "partial_copy_each", True, "false where nothing is filled")
        if fills:
            need(has_context, "partial_copy", self.partial_copy, "none where no window of 2 or more is cut")
            need(not self.openings, "openings", True, "false beside partial_copy, which fills the missing context")

    @property
    def name(self) -> str:
        """The name of the cut in paths.

        Examples are `documents`, `window3`, `window3.openings`, `window3.copy0.5`, `tokens512.min768` and
        `tokens512.min2sentences.sample20000`.
        """
        ((kind, size),) = self._chosen().items()
        name = kind if self.documents else f"{kind.removeprefix('max_')}{size}"
        copy = "" if self.partial_copy is None else f".copy{self.partial_copy:g}{'.each' * self.partial_copy_each}"
        left_out = "".join(LEFT_OUT[name].format(size) for name, size in self.left_out_by().items())
        return f"{name}{'.openings' if self.openings else ''}{copy}{left_out}"

    def context_of(self, most: int) -> int:
        """Return how many sentences before its last one a segment can have, up to `most`."""
        size = self.window or self.max_sentences
        return most if size is None else min(most, size - 1)

    def left_out_by(self) -> dict[str, int]:
        """Return the settings that exclude documents or segments, with their values.

        These settings change training segments alone. The result is empty where no document or segment is excluded.
        """
        return {name: size for name in LEFT_OUT if (size := getattr(self, name)) is not None}

    def _chosen(self) -> dict[str, int]:
        kinds = ("window", "max_tokens", "max_sentences", "documents")
        return {kind: size for kind in kinds if (size := getattr(self, kind))}


@dataclass(frozen=True)
class ViewConfig:
    """The settings of stage 3: the cut of training documents, and the cut of dev and test documents."""

    train: CutConfig = needed("cut of training documents")
    test: CutConfig = needed("cut of dev and test documents")

    def __post_init__(self) -> None:
        """Check that the cut of dev and test adds no openings or documents and excludes no document or segment."""
        need(
            not self.test.openings,
            "test.openings",
            True,
            "false (all test windows have k sentences, except in shorter documents)",
        )
        each = self.test.partial_copy_each
        need(not each, "test.partial_copy_each", each, "false (each sentence of dev and test is translated once)")
        for name, size in self.test.left_out_by().items():
            raise BadValue(f"test.{name}", size, "none (all of dev and test is translated): state it under view.train")

    @property
    def name(self) -> str:
        """The name of the view in paths; where the two cuts differ, it is their two names with a `+` between them."""
        return self.train.name if self.train == self.test else f"{self.train.name}+{self.test.name}"


def both_cuts(view: dict) -> dict:
    """Return the long form of a view: `{window: 3}` is short for this cut in both `train` and `test`."""
    return view if "train" in view or "test" in view else {"train": view, "test": view}


SHORT_FORMS[ViewConfig] = both_cuts
