"""The trained model of the Python API: it translates documents and scores contrastive items."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from docmt.api.contrastive import contrastive_scores, judgements_of
from docmt.api.documents import check_documents
from docmt.api.frames import frame_of
from docmt.base.errors import UserError
from docmt.base.names import DeviceName
from docmt.corpus.inputs import ContrastiveItem
from docmt.settings.decode import Engine, LengthPenalty
from docmt.settings.scoring import ContrastiveConfig
from docmt.trained.model import TrainedModel
from docmt.trained.translate import fallback_text, translate_documents

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class DocumentTranslation:
    """A document and its translation.

    `source` has the sentences of the document. `lines` has a translation for each sentence or, for a model that does
    not mark sentences, one line for the whole document.
    """

    source: tuple[str, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Model:
    """A trained model, opened by `docmt.open_model`."""

    trained: TrainedModel

    @property
    def languages(self) -> tuple[str, str]:
        """The codes (ISO 639-1) of the source and the target language."""
        return self.trained.languages

    @property
    def architecture(self) -> str:
        """The name of the architecture, such as `g_transformer`."""
        return self.trained.network.config.kind

    def translate(
        self,
        documents: Sequence[Sequence[str]],
        *,
        beam: int = 5,
        length_penalty: LengthPenalty = "average",
        length_alpha: float = 1.0,
        max_length_a: float | None = None,
        max_length_b: int | None = None,
        batch_tokens: int | None = None,
        engine: Engine = "docmt",
    ) -> list[DocumentTranslation]:
        """Translate documents, each a list of sentences in plain text.

        A document is cut as the model's own test documents were cut. `beam` is the number of hypotheses (1 is greedy
        search). `length_penalty` and `length_alpha` decide the divisor of a hypothesis' log-probability. The
        translation of a sentence has at most `max_length_a` times its source pieces plus `max_length_b` pieces; None
        means the model's own value, or else 1.2 and 10. `batch_tokens` is the number of source tokens that are computed
        at once; None lets the memory of a GPU decide. The `engine` `ctranslate2` searches the sentences of a sentence
        model, once it has proven that it does so as docmt does. Warns where the output of a window has a different
        number of sentences than its source, and where a translation was cut at its maximum length. Raises UserError for
        anything but lists of strings, where the model's folder does not say how documents are cut, and where
        CTranslate2 cannot translate as the model does, or is not installed.

        >>> import docmt
        >>> model = docmt.open_model("results/5_training/toy_zh-en/sentence/seed1")
        >>> translation = model.translate([["他的母亲昨天打来电话。", "她问银行是不是开门。"]])[0]
        >>> len(translation.lines)
        2
        """
        if isinstance(documents, str):
            raise UserError("not a list of documents", where="documents", found=repr(documents)[:60])
        check_documents(documents, "documents")
        config = self.trained.decode_config(
            beam=beam,
            length_penalty=length_penalty,
            length_alpha=length_alpha,
            max_length_a=max_length_a,
            max_length_b=max_length_b,
            batch_tokens=batch_tokens,
            engine=engine,
        )
        texts, translated = translate_documents(self.trained, documents, config)
        if translated.fallbacks.windows:
            warnings.warn(fallback_text(translated.fallbacks), stacklevel=2)
        if translated.cut_lines:
            warnings.warn(_cut_text(translated.cut_lines, documents), stacklevel=2)
        return [
            DocumentTranslation(tuple(source), tuple(lines)) for source, lines in zip(documents, texts, strict=True)
        ]

    def score_contrastive(
        self,
        items: Sequence[ContrastiveItem],
        *,
        score: Literal["sum", "mean"] = "sum",
        unit: Literal["last", "target"] = "last",
        batch_tokens: int | None = None,
    ) -> "pl.DataFrame":
        """Return the model's accuracy on contrastive items: how often the model prefers the right translation.

        The result is a polars frame as of `docmt.score`, with a row for all items (`accuracy`), each set
        (`accuracy:pronoun`) and each distance (`accuracy:pronoun@3`), in percent. Facts are the numbers of `right`
        items, of `ties`, which count as wrong, of `variants`, and of items that random guesses get right (`by_chance`).

        The score of a variant is the sum or the mean (`score`) of the log-probabilities of its tokens, over its last
        sentence or the whole target (`unit`). `batch_tokens` is the number of tokens that are computed at once; None
        lets the memory of a GPU decide. The context of an item is cut as the model's own test documents were cut.
        Raises UserError for an item without exactly one right variant.

        >>> import docmt
        >>> model = docmt.open_model("results/5_training/toy_zh-en/sentence/seed1")
        >>> items = docmt.read_contrastive("items.tsv", languages=model.languages)
        >>> model.score_contrastive(items).select("group", "n").rows()
        [(':items', 1)]
        """
        config = ContrastiveConfig(score, unit)
        judgements = judgements_of(self.trained, items, config, batch_tokens)
        return frame_of(contrastive_scores(judgements, config))


def _cut_text(cut: Sequence[int], documents: Sequence[Sequence[str]]) -> str:
    places = [f"documents[{d}][{s}]" for d, document in enumerate(documents) for s in range(len(document))]
    return f"translations cut at the maximum length: {len(cut)}, first {places[cut[0] - 1]}; max_length_b raises it"


def open_model(path: str | Path, device: DeviceName = "auto", threads: int | None = None) -> Model:
    """Open a trained model: a folder with model.safetensors, model.json and text/, or the folder above `model/`.

    Of the folder of a system and a seed below results/5_training, the newest version is opened. The `device` `auto` is
    a GPU where there is one, else the CPU. `threads` is the number of CPU threads; None means one thread for a narrow
    model, else the number of free cores, at most 4 or 8. Raises UserError where a file is missing or damaged.

    >>> import docmt
    >>> docmt.open_model("results/5_training/toy_zh-en/sentence/seed1").languages
    ('zh', 'en')
    """
    return Model(TrainedModel.open(Path(path), device, threads))
