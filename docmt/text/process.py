"""The stage: from a corpus folder to tokens, pieces, ids and everything needed to repeat or undo them."""

import dataclasses
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from docmt.core.artifacts import write_json
from docmt.core.config import TextConfig
from docmt.core.documents import CONTRASTIVE, DOCUMENTS, read_parquet, write_arrow
from docmt.core.errors import UserError
from docmt.core.pretrained import TOKENIZER
from docmt.text.card import text_card
from docmt.text.casing import Casing, learn_casing
from docmt.text.columns import case_column, check_has_tokens, tokenize_column, tokens_table
from docmt.text.contrastive import contrastive_tokens
from docmt.text.learn import Subwords, count_tokens, learn_side, learn_subwords
from docmt.text.pipeline import PipelineConfig, Sides, TextPipeline
from docmt.text.pretrained import PretrainedSide, PretrainedTokenizer
from docmt.text.side import Side
from docmt.text.tokenizers import Tokenizer, tokenizer_for

SIDES = ("source", "target")


@dataclass(frozen=True)
class TokensSettings:
    """The stage's `settings.json`. `version`: of the stage's code, in docmt.core.versions."""

    version: int
    corpus: str
    source_language: str
    target_language: str
    text: TextConfig


@dataclass(frozen=True)
class CasedColumn:
    """A side's sentences as cased tokens, joined by single spaces, and what made them."""

    tokenizer: Tokenizer
    casing: Casing
    lines: list[str]

    def side(self, subwords: Subwords) -> Side:
        return Side(self.tokenizer, self.casing, subwords.segmenter, subwords.vocabulary)

    def learn(self, text: TextConfig, counts: Counter[str]) -> Side:
        return self.side(learn_side(text, counts))


@dataclass(frozen=True)
class CutColumn:
    """A side's sentences as pieces of a pretrained checkpoint, joined by single spaces, and what cut them."""

    tokenizer: PretrainedTokenizer
    lines: list[str]

    def learn(self, text: TextConfig, counts: Counter[str]) -> PretrainedSide:
        return PretrainedSide.learn(self.tokenizer, counts, text.threshold)


def process_corpus(settings: TokensSettings, corpus: Path, output: Path) -> None:
    """Write tokens.arrow, text/, card.json and, for a corpus that has contrastive sets, contrastive.arrow.

    The same corpus and settings give the same bytes. Merges, vocabularies and cases come from the training split.
    Raises UserError for a corpus without a training split and for a sentence without any token.
    """
    file = corpus / "documents.parquet"
    documents = read_parquet(file, DOCUMENTS)
    train = pc.equal(documents["split"], "train").to_pylist()
    if not any(train):
        raise UserError("no training sentences to learn pieces from", where=str(file), expected="rows of split 'train'")
    columns = {side: _column(settings, documents, train, side, str(file)) for side in SIDES}
    pipeline = _learn(settings, columns, train)
    tokens = tokens_table(documents, {side: column.lines for side, column in columns.items()}, pipeline.sides)
    contrastive = _contrastive(corpus / "contrastive.parquet", pipeline.sides)
    pipeline.save(output / "text")
    write_arrow(output / "tokens.arrow", tokens)
    if contrastive is not None:
        write_arrow(output / "contrastive.arrow", contrastive)
    else:  # one of an earlier run must not be taken for this corpus's
        (output / "contrastive.arrow").unlink(missing_ok=True)
    write_json(output / "card.json", text_card(pipeline, tokens, contrastive))


def _column(
    settings: TokensSettings, documents: pa.Table, train: list[bool], side: str, file: str
) -> CasedColumn | CutColumn:
    language, text = getattr(settings, f"{side}_language"), settings.text
    is_pretrained = text.is_pretrained(side)
    tokenizer = (
        PretrainedTokenizer.load(Path(text.pretrained) / TOKENIZER)
        if is_pretrained
        else tokenizer_for(language, text.chinese)
    )
    lines = tokenize_column(tokenizer, documents[side].to_pylist())
    check_has_tokens(documents, lines, side, file)
    if is_pretrained:
        return CutColumn(tokenizer, lines)
    casing = learn_casing(settings.text, language, (line.split(" ") for line in _chosen(lines, train)))
    return CasedColumn(tokenizer, casing, case_column(casing, lines))


def _learn(settings: TokensSettings, columns: dict[str, CasedColumn | CutColumn], train: list[bool]) -> TextPipeline:
    text = settings.text
    counts = [count_tokens(_chosen(columns[side].lines, train)) for side in SIDES]
    if text.pretrained is None:
        learnt = zip(columns.values(), learn_subwords(text, *counts), strict=True)
        source, target = (column.side(subwords) for column, subwords in learnt)
    else:
        counts = [counts[0] + counts[1]] * 2 if text.bpe == "joint" else counts
        source, target = (column.learn(text, own) for column, own in zip(columns.values(), counts, strict=True))
    languages = {"source_language": settings.source_language, "target_language": settings.target_language}
    return TextPipeline(PipelineConfig(**dataclasses.asdict(settings.text), **languages), source, target)


def _contrastive(file: Path, sides: Sides) -> pa.Table | None:
    return contrastive_tokens(read_parquet(file, CONTRASTIVE), sides, str(file)) if file.exists() else None


def _chosen(lines: list[str], chosen: list[bool]) -> list[str]:
    return [line for line, is_chosen in zip(lines, chosen, strict=True) if is_chosen]
