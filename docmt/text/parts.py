"""The stage as several jobs: each takes a part of the shards, and what they make is put together.

    tokenise_part, one a part -> learn_parts -> encode_part, one a part -> join_parts

What comes out is what `docmt.text.process` makes in one job, byte for byte.
"""

from collections.abc import Sequence
from pathlib import Path

from docmt.base.artifacts import read_object, write_json
from docmt.base.columns import TOKENS
from docmt.base.counts import Counts, add_counts
from docmt.base.foreign import reading
from docmt.base.shards import Part, join_arrow
from docmt.base.workers import ALONE, Workers
from docmt.text.counts import WordCounts, load_counts, save_counts
from docmt.text.encode import encode
from docmt.text.learn import take
from docmt.text.process import learn_text, write_card
from docmt.text.settings import SIDES, TokensSettings
from docmt.text.tokenise import tokenise

WORDS, COUNTS = "words.arrow", "counts.json"


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
    """`parts`: folders of `tokenise_part`. Writes what `learn_text` does; `learnt` as for `process_corpus`."""
    taken = take(settings, learnt)
    counts = {side: WordCounts() for side in SIDES}
    for part in parts:
        load_counts(part / WORDS, counts)
    learn_text(settings, corpus, counts, output, workers, taken)


def encode_part(part: Path, text: Path, output: Path, workers: Workers = ALONE) -> None:
    """`part`: folder of `tokenise_part`; `text`: what was learnt. Writes the part's tokens.arrow and its counts."""
    write_json(output / COUNTS, encode(part / "tokens.arrow", text, output / "tokens.arrow", workers))


def join_parts(parts: Sequence[Path], output: Path) -> None:
    """`parts`: folders of `encode_part`, in order. Writes tokens.arrow and card.json beside what was learnt."""
    join_arrow([part / "tokens.arrow" for part in parts], output / "tokens.arrow", TOKENS)
    counts: Counts = {}
    for part in parts:
        found = read_object(part / COUNTS)
        with reading(part / COUNTS, "not the counts of a part", "what `docmt shards encode` writes"):
            counts = add_counts(counts, found)
    write_card(counts, output)
