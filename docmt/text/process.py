"""Stage 2, which converts the sentences of a corpus to tokens, pieces and ids.

The stage also writes the folder `text/`, with all files that are needed to repeat or undo these steps. It reads the
corpus twice, shard by shard: the first pass converts sentences to tokens and counts words; the second pass converts
tokens to pieces and ids. Between the passes, pieces are learnt from the counts. `process_corpus` does all steps in one
job. Alternatively, each pass is done by several jobs, each with a part of the shards, and a last job joins the outputs
of the parts:

    tokenise_part (one job per part) -> learn_parts -> encode_part (one job per part) -> join_parts

The output of the stage does not depend on the number of processes or jobs.

Cases, merges and vocabularies are learnt from the training split alone. A corpus may instead use those of another
corpus, so that the models of both corpora have the same pieces with the same ids.
"""

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from docmt.base.artifacts import atomic_folder, copy_files, read_object, write_json
from docmt.base.columns import CONTRASTIVE, CONTRASTIVE_TOKENS, REFERENCE_TOKENS, TOKENS
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.part import WHOLE, Part
from docmt.base.shards import Counts, add_counts, join_arrow
from docmt.base.tables import read_arrow, read_parquet, write_if_any
from docmt.base.vocabulary import SPECIALS, Vocabulary
from docmt.base.workers import ALONE, Workers
from docmt.settings.data import TextConfig
from docmt.text.bpe import PieceCounter, Segmenter, learn_merges
from docmt.text.casing import KeepCase, Truecaser, casing_of
from docmt.text.encode import contrastive_tokens, encode, reference_tokens, text_card
from docmt.text.pipeline import SIDES, TextPipeline, TokensSettings
from docmt.text.pretrained import PretrainedSide
from docmt.text.round_trip import round_trip_warnings, round_trips
from docmt.text.sentencepiece_learning import learn_pieces
from docmt.text.side import Side, Subwords
from docmt.text.tokenise import SideCounts, WordCounts, load_counts, save_counts, tokenise, tokenizer_of

WORDS, COUNTS = "words.arrow", "counts.json"
"""The files of a part beside tokens.arrow: WORDS has the counts of training words, COUNTS the counts for the card."""

TABLES = {"contrastive.arrow": CONTRASTIVE_TOKENS, "references.arrow": REFERENCE_TOKENS}
"""The tables beside tokens.arrow, which exist where the corpus has contrastive items, or several references."""


def process_corpus(
    settings: TokensSettings, corpus: Path, output: Path, workers: Workers = ALONE, learnt: Path | None = None
) -> list[str]:
    """Write tokens.arrow, text/, card.json and, where the corpus has them, contrastive.arrow and references.arrow.

    The same corpus and settings give the same bytes with any number of `workers`. Merges, vocabularies and cases are
    learnt from the training split, or are read from `learnt`: the `text/` folder of another corpus, which the settings
    name. Raises UserError for a corpus without a training split that learns its own pieces, for a sentence without any
    token, and where `learnt` is not what the settings need (`pipeline_of_other_corpus`). Returns the warnings of
    `write_card`.
    """
    pipeline_of_other_corpus(settings, learnt)  # a wrong folder is refused first, since the passes may take hours
    with _scratch(output) as scratch:
        tokenise_part(settings, corpus, WHOLE, scratch, workers)
        learn_parts(settings, corpus, [scratch], output, workers, learnt)
        counts = encode(scratch / "tokens.arrow", output / "text", output / "tokens.arrow", workers)
    return write_card(counts, corpus, output)


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


def join_parts(parts: Sequence[Path], learnt: Path, corpus: Path, output: Path) -> list[str]:
    """Write the files of `process_corpus`, and return its warnings.

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
    return write_card(counts, corpus, output)


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


def write_card(counts: Counts, corpus: Path, output: Path) -> list[str]:
    """Write card.json into `output`, from `counts`, the corpus, and the folder text/ and contrastive items in `output`.

    Returns a warning for each split where a perfect translation cannot reach BLEU 100.
    """
    items = output / "contrastive.arrow"
    number = len(read_arrow(items, CONTRASTIVE_TOKENS)) if items.exists() else None
    pipeline = TextPipeline.load(output / "text")
    trips = round_trips(pipeline, corpus / "documents.parquet")
    write_json(output / "card.json", {**text_card(pipeline, counts, number), "round_trip": trips})
    return round_trip_warnings(trips)


CountsBySide = Mapping[str, Counter[str]]
"""The number of occurrences of each word, or of each piece, by the name of the side."""

Learnt = dict[str, tuple[Subwords, Vocabulary]]
"""The segmenter and the vocabulary of each side, by the name of the side."""

WORDS_AT_ONCE = 50_000
"""The number of words that a process cuts into pieces at a time; the result does not depend on this number."""


def learn(settings: TokensSettings, counts: SideCounts, file: str, workers: Workers = ALONE) -> TextPipeline:
    """Return the pipeline that is learnt from the counts of the whole training split.

    Raises UserError, whose message names the corpus as `file`, where there are no counts.
    """
    text = settings.text
    if not (counts["source"].words or counts["source"].openings):
        raise UserError("no training sentences to learn pieces from", where=file, expected="rows of split 'train'")
    casings = {side: _casing(settings, side, counts) for side in SIDES}
    words = {side: counts[side].cased(casings[side]) for side in SIDES}
    if text.sentencepiece is None:
        learnt = learn_subwords(text, {side: words[side] for side in SIDES if not text.is_pretrained(side)}, workers)
    else:
        learnt = _learn_sentencepieces(text, words, file)
    # The words of a side with pretrained pieces are the names of its pieces.
    pieces = _together(words) if text.vocabulary == "shared" else words
    sides: dict[str, Side | PretrainedSide] = {}
    for side in SIDES:
        tokenizer = tokenizer_of(settings, side)
        if side in learnt:
            sides[side] = Side(tokenizer, casings[side], *learnt[side])
        else:
            sides[side] = PretrainedSide.learn(tokenizer, pieces[side], text.threshold, settings.language("target"))
    return TextPipeline(settings.pipeline, **sides)


def _casing(settings: TokensSettings, side: str, counts: SideCounts) -> KeepCase:
    # A side with pretrained pieces keeps its case.
    if settings.text.is_pretrained(side):
        return KeepCase()
    return casing_of(settings.text, settings.language(side), lambda: Truecaser(counts[side].case_examples))


def learn_subwords(config: TextConfig, words: CountsBySide, workers: Workers = ALONE) -> Learnt:
    """Return the segmenter and the vocabulary of each side in `words`, which has the counts of its training words.

    Departs: a shared vocabulary has the pieces that reach the threshold in both sides together; subword-nmt counts the
    pieces of each side alone.
    """
    merges = _learn_merges(config, words)
    known = _vocabularies(config, words, {side: (merges[side],) for side in words}, workers)
    if not config.threshold:
        return {side: (Segmenter(merges[side]), known[side]) for side in words}
    # With a threshold, pieces that are rarer are cut again, as `subword-nmt apply-bpe --vocabulary-threshold` does, and
    # characters that are rarer even then are left out of the vocabulary.
    cut = {side: (merges[side], known[side].pieces) for side in words}
    vocabularies = _vocabularies(config, words, cut, workers)
    return {side: (Segmenter(merges[side], vocabularies[side].pieces), vocabularies[side]) for side in words}


def _learn_sentencepieces(config: TextConfig, words: CountsBySide, file: str) -> Learnt:
    if config.bpe == "separate":
        models = {side: learn_pieces(words[side], config.sentencepiece, file) for side in words}
    else:
        models = dict.fromkeys(words, learn_pieces(sum(words.values(), Counter()), config.sentencepiece, file))
    return {side: (model, Vocabulary(SPECIALS + tuple(model.names()))) for side, model in models.items()}


def _learn_merges(config: TextConfig, words: CountsBySide) -> dict[str, tuple[str, ...]]:
    if config.bpe == "separate":
        return {side: learn_merges(words[side], config.merges) for side in words}
    # Joint merges are learnt once, from the words of both sides.
    return dict.fromkeys(words, learn_merges(sum(words.values(), Counter()), config.merges))


def _together(counts: CountsBySide) -> CountsBySide:
    return dict.fromkeys(counts, sum(counts.values(), Counter()))


def _vocabularies(
    config: TextConfig, words: CountsBySide, segmenters: Mapping[str, tuple], workers: Workers
) -> dict[str, Vocabulary]:
    """Return the vocabulary of each side; `segmenters` has the arguments of its segmenter."""
    pieces = {side: _count_pieces(words[side], segmenters[side], workers) for side in words}
    pieces = _together(pieces) if config.vocabulary == "shared" else pieces
    return {side: Vocabulary.from_counts(pieces[side], config.threshold) for side in words}


def _count_pieces(counts: Counter[str], segmenter: tuple, workers: Workers) -> Counter[str]:
    words = sorted(counts)
    firsts = range(0, len(words), WORDS_AT_ONCE)
    chunks = ([(word, counts[word]) for word in words[first : first + WORDS_AT_ONCE]] for first in firsts)
    pieces: Counter[str] = Counter()
    for chunk_pieces in workers.each("counting pieces", partial(PieceCounter, *segmenter), chunks, len(firsts)):
        pieces.update(chunk_pieces)
    return pieces


def pipeline_of_other_corpus(settings: TokensSettings, learnt: Path | None) -> TextPipeline | None:
    """Return the pipeline in `learnt`, the `text/` folder of the corpus whose text the settings name.

    Returns None where the settings name no other corpus. Raises UserError where a folder is given but no other corpus
    is named, where a corpus is named but no folder is given, and where the folder has other settings or languages.
    """
    other = settings.takes_from
    if other is None:
        if learnt is not None:
            what = "a text folder is given, but this text learns its own pieces"
            raise UserError(what, found=str(learnt), expected="none where text.learnt_on is none")
        return None
    if learnt is None:
        expected = f"the text/ folder that this text has on {other}"
        raise UserError("no text folder is given, but this text uses another corpus' pieces", expected=expected)
    pipeline, wanted = TextPipeline.load(learnt), settings.pipeline
    if pipeline.config != wanted:
        names = [name for name, value in vars(wanted).items() if getattr(pipeline.config, name) != value]
        actual, expected = (
            ", ".join(f"{name} {getattr(config, name)}" for name in names) for config in (pipeline.config, wanted)
        )
        raise UserError(
            "the text folder was learnt with different settings", where=str(learnt), found=actual, expected=expected
        )
    return pipeline
