"""Jobs of stages 2 to 4: tokens, views and lexical chains."""

from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.options import Workers, input_file, input_folder, load_settings, output_folder
from docmt.cli.screen import workers_of

TextSettings = Annotated[Path, input_file("settings.json of stage 2")]
Corpus = Annotated[Path, input_folder("folder of stage 1: documents.parquet[, contrastive.parquet]")]
TokensWithVocabulary = Annotated[Path, input_folder("folder of stage 2: tokens.arrow, text/vocabulary.source.txt")]
Learnt = Annotated[
    Path | None, input_folder("text/ of the corpus that the setting text.learnt_on names, where it is another corpus")
]


def tokenise_corpus(
    settings: TextSettings,
    corpus: Corpus,
    output: Annotated[Path, output_folder("folder for tokens.arrow, text/, card.json[, contrastive.arrow]")],
    learnt: Learnt = None,
    workers: Workers = None,
) -> None:
    """Tokenise a corpus, learn its cases, BPE and vocabularies (or use those of another), and turn it into ids."""
    from docmt.text.pipeline import TokensSettings
    from docmt.text.process import process_corpus

    process_corpus(load_settings(TokensSettings, settings), corpus, output, workers_of(workers), learnt)


def tokenise_shard(
    settings: TextSettings,
    corpus: Corpus,
    part: Annotated[str, typer.Option(help="number of the part and of all parts: 2/8")],
    output: Annotated[Path, output_folder("folder for the part's tokens.arrow and words.arrow")],
    workers: Workers = None,
) -> None:
    """Tokenise a part of a corpus and count its words."""
    from docmt.base.shards import Part
    from docmt.text.pipeline import TokensSettings
    from docmt.text.process import tokenise_part

    parsed = Part.parse(part)
    tokenise_part(load_settings(TokensSettings, settings), corpus, parsed, output, workers_of(workers))


def learn_shards(
    settings: TextSettings,
    corpus: Corpus,
    parts: Annotated[list[Path], typer.Argument(help="folders of `docmt job tokenise-shard`", file_okay=False)],
    output: Annotated[Path, output_folder("folder for text/[, contrastive.arrow, references.arrow]")],
    learnt: Learnt = None,
    workers: Workers = None,
) -> None:
    """Learn cases, BPE and vocabularies from the words of all parts, or use those of another corpus."""
    from docmt.text.pipeline import TokensSettings
    from docmt.text.process import learn_parts

    learn_parts(load_settings(TokensSettings, settings), corpus, parts, output, workers_of(workers), learnt)


def encode_shard(
    part: Annotated[Path, typer.Argument(help="folder of `docmt job tokenise-shard`", file_okay=False)],
    text: Annotated[Path, input_folder("text/, from `docmt job learn-shards`")],
    output: Annotated[Path, output_folder("folder for the part's tokens.arrow and counts.json")],
    workers: Workers = None,
) -> None:
    """Turn a tokenised part into pieces and ids."""
    from docmt.text.process import encode_part

    encode_part(part, text, output, workers_of(workers))


def join_shards(
    parts: Annotated[list[Path], typer.Argument(help="folders of `docmt job encode-shard`, in order", file_okay=False)],
    output: Annotated[Path, output_folder("folder of text/, for tokens.arrow and card.json")],
) -> None:
    """Join the parts of a corpus into one tokens.arrow."""
    from docmt.text.process import join_parts

    join_parts(parts, output)


def cut_view(
    settings: Annotated[Path, input_file("settings.json of stage 3")],
    tokens: Annotated[Path, input_folder("folder of stage 2: tokens.arrow[, contrastive.arrow]")],
    output: Annotated[Path, output_folder("folder for train, dev, test.arrow, card.json[, contrastive.arrow]")],
    workers: Workers = None,
) -> None:
    """Cut the documents of a corpus into the segments of a view."""
    from docmt.views.build import ViewsSettings, build_view

    build_view(load_settings(ViewsSettings, settings), tokens, output, workers_of(workers))


def find_document_chains(
    settings: Annotated[Path, input_file("settings.json of stage 4's words")],
    tokens: TokensWithVocabulary,
    output: Annotated[Path, output_folder("folder for chains.arrow, stop_words.txt, card.json")],
    workers: Workers = None,
) -> None:
    """Find the lexical chains of whole documents, by words, and the stop list."""
    from docmt.chains.documents import WordsSettings, build_words

    build_words(load_settings(WordsSettings, settings), tokens, output, workers_of(workers))


def find_segment_chains(
    settings: Annotated[Path, input_file("settings.json of stage 4's chains of a view")],
    tokens: TokensWithVocabulary,
    words: Annotated[Path, input_folder("folder of `docmt job find-document-chains`: stop_words.txt")],
    view: Annotated[Path, input_folder("folder of stage 3: {train, dev, test}.arrow[, contrastive.arrow]")],
    output: Annotated[Path, output_folder("folder for {train, dev, test}.arrow, card.json[, contrastive.arrow]")],
    workers: Workers = None,
) -> None:
    """Find the lexical chains of a view's segments, by pieces: one row for each segment."""
    from docmt.chains.segments import SegmentsSettings, build_segments

    build_segments(load_settings(SegmentsSettings, settings), tokens, words, view, output, workers_of(workers))
