"""Stage 2, which converts the sentences of a corpus to tokens, pieces and ids.

The stage also writes the folder `text/`, with all files that are needed to repeat or undo these steps. It reads the
corpus twice, shard by shard: the first pass converts sentences to tokens and counts words; the second pass converts
tokens to pieces and ids. Between the passes, pieces are learnt from the counts. `process_corpus` does all steps in one
job. Alternatively, each pass is done by several jobs, each with a part of the shards, and a last job joins the outputs
of the parts:

    tokenise_part (one job per part) -> learn_parts -> encode_part (one job per part) -> join_parts

The output of the stage does not depend on the number of processes or jobs.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from docmt.base.artifacts import atomic_folder, copy_files, read_object, write_json
from docmt.base.columns import CONTRASTIVE, CONTRASTIVE_TOKENS, REFERENCE_TOKENS, TOKENS
from docmt.base.foreign import reading
from docmt.base.shards import WHOLE, Counts, Part, add_counts, join_arrow
from docmt.base.tables import read_arrow, read_parquet, write_if_any
from docmt.base.workers import ALONE, Workers
from docmt.text.encode import contrastive_tokens, encode, reference_tokens, text_card
from docmt.text.learn import learn, pipeline_of_other_corpus
from docmt.text.pipeline import SIDES, TextPipeline, TokensSettings
from docmt.text.tokenise import WordCounts, load_counts, save_counts, tokenise

WORDS, COUNTS = "words.arrow", "counts.json"
"""The files of a part beside tokens.arrow: WORDS has the counts of training words, COUNTS the counts for the card."""

TABLES = {"contrastive.arrow": CONTRASTIVE_TOKENS, "references.arrow": REFERENCE_TOKENS}
"""The tables beside tokens.arrow, which exist where the corpus has contrastive items, or several references."""


def process_corpus(
    settings: TokensSettings, corpus: Path, output: Path, workers: Workers = ALONE, learnt: Path | None = None
) -> None:
    """Write tokens.arrow, text/, card.json and, where the corpus has them, contrastive.arrow and references.arrow.

    The same corpus and settings give the same bytes with any number of `workers`. Merges, vocabularies and cases are
    learnt from the training split, or are read from `learnt`: the `text/` folder of another corpus, which the settings
    name. Raises UserError for a corpus without a training split that learns its own pieces, for a sentence without any
    token, and where `learnt` is not what the settings need (`pipeline_of_other_corpus`).
    """
    pipeline_of_other_corpus(settings, learnt)  # a wrong folder is refused first, since the passes may take hours
    with _scratch(output) as scratch:
        tokenise_part(settings, corpus, WHOLE, scratch, workers)
        learn_parts(settings, corpus, [scratch], output, workers, learnt)
        counts = encode(scratch / "tokens.arrow", output / "text", output / "tokens.arrow", workers)
    write_card(counts, output)


def tokenise_part(settings: TokensSettings, corpus: Path, part: Part, output: Path, workers: Workers = ALONE) -> None:
    """Write the tokenised shards of a part (tokens.arrow) and the counts of its training words."""
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
    """Write text/ and the tables of contrastive items and further references, from the outputs of `tokenise_part`.

    `parts` are the folders of all parts. `learnt` has the same meaning as in `process_corpus`. Raises UserError where
    there are no counts to learn from, and for a contrastive sentence without any token.
    """
    other_pipeline = pipeline_of_other_corpus(settings, learnt)
    counts = {side: WordCounts() for side in SIDES}
    for part in parts:
        load_counts(part / WORDS, counts)
    documents, items = corpus / "documents.parquet", corpus / "contrastive.parquet"
    pipeline = other_pipeline or learn(settings, counts, str(documents), workers)
    contrastive = None
    if items.exists():
        contrastive = contrastive_tokens(read_parquet(items, CONTRASTIVE), pipeline.sides, str(items))
    tables = contrastive, reference_tokens(documents, pipeline.target)
    # The output is written only now: where an item has a sentence without any token, nothing is written.
    pipeline.save(output / "text")
    for name, table in zip(TABLES, tables, strict=True):
        write_if_any(output / name, table)


def encode_part(part: Path, text: Path, output: Path, workers: Workers = ALONE) -> None:
    """Write the shards of a part with pieces and ids (tokens.arrow) and their counts.

    `part` is a folder that `tokenise_part` wrote; `text` is the `text/` folder that `learn_parts` wrote.
    """
    write_json(output / COUNTS, encode(part / "tokens.arrow", text, output / "tokens.arrow", workers))


def join_parts(parts: Sequence[Path], learnt: Path, output: Path) -> None:
    """Write the files of `process_corpus`.

    `parts` are the folders that `encode_part` wrote, in the order of the parts; `learnt` is that of `learn_parts`.
    """
    with atomic_folder(output / "text") as text:
        copy_files(learnt / "text", text)
    for name, schema in TABLES.items():
        table = learnt / name
        write_if_any(output / name, read_arrow(table, schema) if table.exists() else None)
    join_arrow([part / "tokens.arrow" for part in parts], output / "tokens.arrow", TOKENS)
    counts: Counts = {}
    for part in parts:
        part_counts = read_object(part / COUNTS)
        with reading(part / COUNTS, "not the counts of a part", "the counts.json of the part `encoded`"):
            counts = add_counts(counts, part_counts)
    write_card(counts, output)


@contextmanager
def _scratch(output: Path) -> Iterator[Path]:
    # The folder is on the disk of the output, which must have room for it. A folder that a killed job left is removed
    # first.
    folder = output.with_name(f".{output.name}.shards")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_card(counts: Counts, output: Path) -> None:
    """Write card.json into `output`, from `counts`, the folder text/ and the contrastive items in `output`."""
    items = output / "contrastive.arrow"
    number = len(read_arrow(items, CONTRASTIVE_TOKENS)) if items.exists() else None
    write_json(output / "card.json", text_card(TextPipeline.load(output / "text"), counts, number))
