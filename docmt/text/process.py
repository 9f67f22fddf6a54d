"""The stage: from a corpus folder to tokens, pieces, ids and everything needed to repeat or undo them.

Two passes over the corpus, shard by shard: sentences become tokens and words are counted; pieces are learnt from the
counts; tokens become pieces and ids. `process_corpus` does all in one job, of one part. Or each pass is several jobs,
which take a part of the shards each, and what they make is put together:

    tokenise_part, one a part -> learn_parts -> encode_part, one a part -> join_parts

What is learnt and what is written knows nothing of how many processes or jobs there were.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from docmt.base.artifacts import read_object, write_json
from docmt.base.columns import CONTRASTIVE, CONTRASTIVE_TOKENS, TOKENS, read_arrow, read_parquet, write_if_any
from docmt.base.foreign import reading
from docmt.base.shards import WHOLE, Counts, Part, add_counts, join_arrow
from docmt.base.workers import ALONE, Workers
from docmt.text.encode import contrastive_tokens, encode, reference_tokens, text_card
from docmt.text.learn import learn, pipeline_of_other_corpus
from docmt.text.pipeline import SIDES, TextPipeline, TokensSettings
from docmt.text.tokenise import WordCounts, load_counts, save_counts, tokenise

WORDS, COUNTS = "words.arrow", "counts.json"
"""What parts leave beside tokens.arrow: counts of training words, then those of the card."""


def process_corpus(
    settings: TokensSettings, corpus: Path, output: Path, workers: Workers = ALONE, learnt: Path | None = None
) -> None:
    """Write tokens.arrow, text/, card.json and, for a corpus that has such, contrastive.arrow and references.arrow.

    The same corpus and settings give the same bytes, whoever `workers` are. Merges, vocabularies and cases come from
    the training split, or from `learnt`, the `text/` of the corpus that the settings name.
    Raises UserError for a corpus without a training split that learns from it, for a sentence without any token, and
    where `learnt` is not what the settings ask for.
    """
    pipeline_of_other_corpus(settings, learnt)  # what is wrong with it is said before all work
    with _scratch(output) as scratch:
        tokenise_part(settings, corpus, WHOLE, scratch, workers)
        learn_parts(settings, corpus, [scratch], output, workers, learnt)
        counts = encode(scratch / "tokens.arrow", output / "text", output / "tokens.arrow", workers)
    write_card(counts, output)


def tokenise_part(settings: TokensSettings, corpus: Path, part: Part, output: Path, workers: Workers = ALONE) -> None:
    """Write the part's tokenised shards, tokens.arrow, and the counts of its words."""
    counts = tokenise(settings, corpus / "documents.parquet", output / "tokens.arrow", part, workers)
    save_counts(counts, output / WORDS)


def learn_parts(
    settings: TokensSettings,
    corpus: Path,
    parts: Sequence[Path],
    output: Path,
    workers: Workers = ALONE,
    learnt: Path | None = None,
) -> None:
    """`parts`: folders of `tokenise_part`. Writes text/, and the tables of a corpus beside its sentences; `learnt` as
    for `process_corpus`.

    Raises UserError where there are no counts to learn from, and for a contrastive sentence without any token.
    """
    taken = pipeline_of_other_corpus(settings, learnt)
    counts = {side: WordCounts() for side in SIDES}
    for part in parts:
        load_counts(part / WORDS, counts)
    documents, items = corpus / "documents.parquet", corpus / "contrastive.parquet"
    pipeline = taken or learn(settings, counts, str(documents), workers)
    tables = {"contrastive": None, "references": reference_tokens(documents, pipeline.target)}
    if items.exists():
        tables["contrastive"] = contrastive_tokens(read_parquet(items, CONTRASTIVE), pipeline.sides, str(items))
    pipeline.save(output / "text")
    for name, table in tables.items():
        write_if_any(output / f"{name}.arrow", table)


def encode_part(part: Path, text: Path, output: Path, workers: Workers = ALONE) -> None:
    """`part`: folder of `tokenise_part`; `text`: what was learnt. Writes the part's tokens.arrow and its counts."""
    write_json(output / COUNTS, encode(part / "tokens.arrow", text, output / "tokens.arrow", workers))


def join_parts(parts: Sequence[Path], output: Path) -> None:
    """`parts`: folders of `encode_part`, in order. Writes tokens.arrow and card.json beside what was learnt."""
    join_arrow([part / "tokens.arrow" for part in parts], output / "tokens.arrow", TOKENS)
    counts: Counts = {}
    for part in parts:
        found = read_object(part / COUNTS)
        with reading(part / COUNTS, "not the counts of a part", "what `docmt job encode-shard` writes"):
            counts = add_counts(counts, found)
    write_card(counts, output)


@contextmanager
def _scratch(output: Path) -> Iterator[Path]:
    """A folder beside the output, on a disk that has room for it; one of a job that was killed is cleared away."""
    folder = output.with_name(f".{output.name}.shards")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_card(counts: Counts, output: Path) -> None:
    """`counts`: of the tokens that stand in `output`, with what was learnt."""
    items = output / "contrastive.arrow"
    number = len(read_arrow(items, CONTRASTIVE_TOKENS)) if items.exists() else None
    write_json(output / "card.json", text_card(TextPipeline.load(output / "text"), counts, number))
