"""Jobs of stages 2 to 4: tokens, views and lexical chains."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.sealing import sealing
from docmt.cli.options import Workers, input_file, input_folder, load_settings, output_folder
from docmt.cli.screen import workers_of

if TYPE_CHECKING:
    from docmt.text.pipeline import TokensSettings

TextSettings = Annotated[Path, input_file("settings.json of stage 2")]
Corpus = Annotated[Path, input_folder("folder of stage 1: documents.parquet[, contrastive.parquet]")]
TokensWithVocabulary = Annotated[Path, input_folder("folder of stage 2: tokens.arrow, text/vocabulary.source.txt")]
Learnt = Annotated[
    Path | None, input_folder("text/ of the corpus that the setting text.learnt_on names, where it is another corpus")
]
Pretrained = Annotated[
    Path | None, input_folder("folder of the checkpoint whose tokenizer.json cuts the text, where the settings say so")
]


def text_inputs(corpus: Path, learnt: Path | None, pretrained: Path | None) -> dict[str, Path | None]:
    """Return the outputs of other jobs that stage 2 reads, by their roles; `learnt` is the folder text/ of a corpus."""
    return {"corpus": corpus, "learnt": learnt and learnt.absolute().parent, "checkpoint": pretrained}


def tokenizer(pretrained: Path | None) -> dict[str, Path]:
    """Return the file of a checkpoint that stage 2 reads, by its role."""
    from docmt.settings.pretrained import TOKENIZER

    return {"tokenizer": pretrained / TOKENIZER} if pretrained else {}


def text_settings(settings: Path, pretrained: Path | None) -> "TokensSettings":
    """Return the settings of stage 2, with the folder of the checkpoint that the command line names."""
    from docmt.text.pipeline import TokensSettings

    chosen = load_settings(TokensSettings, settings)
    return chosen.with_checkpoint(pretrained) if pretrained else chosen


def tokenise_corpus(
    settings: TextSettings,
    corpus: Corpus,
    output: Annotated[Path, output_folder("folder for tokens.arrow, text/, card.json[, contrastive.arrow]")],
    learnt: Learnt = None,
    pretrained: Pretrained = None,
    workers: Workers = None,
) -> None:
    """Tokenise a corpus, learn its cases, BPE and vocabularies (or use those of another), and turn it into ids."""
    from docmt.text.process import process_corpus

    with sealing(settings, "tokenise-corpus", output, text_inputs(corpus, learnt, pretrained), tokenizer(pretrained)):
        process_corpus(text_settings(settings, pretrained), corpus, output, workers_of(workers), learnt)


def tokenise_shard(
    settings: TextSettings,
    corpus: Corpus,
    part: Annotated[str, typer.Option(help="number of the part and of all parts: 2/8")],
    output: Annotated[Path, output_folder("folder for the part's tokens.arrow and words.arrow")],
    pretrained: Pretrained = None,
    workers: Workers = None,
) -> None:
    """Tokenise a part of a corpus and count its words."""
    from docmt.base.shards import Part
    from docmt.text.process import tokenise_part

    parsed = Part.parse(part)
    with sealing(settings, "tokenise-shard", output, text_inputs(corpus, None, pretrained), tokenizer(pretrained)):
        tokenise_part(text_settings(settings, pretrained), corpus, parsed, output, workers_of(workers))


def learn_shards(
    settings: TextSettings,
    corpus: Corpus,
    parts: Annotated[list[Path], typer.Argument(help="folders of `docmt job tokenise-shard`", file_okay=False)],
    output: Annotated[Path, output_folder("folder for text/[, contrastive.arrow, references.arrow]")],
    learnt: Learnt = None,
    pretrained: Pretrained = None,
    workers: Workers = None,
) -> None:
    """Learn cases, BPE and vocabularies from the words of all parts, or use those of another corpus."""
    from docmt.text.process import learn_parts

    with sealing(settings, "learn-shards", output, text_inputs(corpus, learnt, pretrained), tokenizer(pretrained)):
        learn_parts(text_settings(settings, pretrained), corpus, parts, output, workers_of(workers), learnt)


def encode_shard(
    part: Annotated[Path, typer.Argument(help="folder of `docmt job tokenise-shard`", file_okay=False)],
    settings: TextSettings,
    text: Annotated[Path, input_folder("text/, from `docmt job learn-shards`")],
    output: Annotated[Path, output_folder("folder for the part's tokens.arrow and counts.json")],
    workers: Workers = None,
) -> None:
    """Turn a tokenised part into pieces and ids."""
    from docmt.text.process import encode_part

    with sealing(settings, "encode-shard", output, {"tokenised": part, "learnt text": text.absolute().parent}):
        encode_part(part, text, output, workers_of(workers))


def join_shards(
    settings: TextSettings,
    parts: Annotated[list[Path], typer.Argument(help="folders of `docmt job encode-shard`, in order", file_okay=False)],
    learnt: Annotated[Path, input_folder("folder of `docmt job learn-shards`")],
    output: Annotated[Path, output_folder("folder for tokens.arrow, text/, card.json[, contrastive.arrow ...]")],
) -> None:
    """Join the parts of a corpus into one tokens.arrow, beside the text that was learnt."""
    from docmt.text.process import join_parts

    # The manifest is the same as that of one job for the whole stage, since the outputs are the same.
    with sealing(settings, "tokenise-corpus", output) as seal:
        seal.inherit_inputs(learnt)
        join_parts(parts, learnt, output)


def cut_view(
    settings: Annotated[Path, input_file("settings.json of stage 3")],
    tokens: Annotated[Path, input_folder("folder of stage 2: tokens.arrow[, contrastive.arrow]")],
    output: Annotated[Path, output_folder("folder for train, dev, test.arrow, card.json[, contrastive.arrow]")],
    positions: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FRAME:POSITIONS:ROWS",
            help="learned table of positions of a model that reads the view; repeat it",
            show_default=False,
        ),
    ] = None,
    workers: Workers = None,
) -> None:
    """Cut the documents of a corpus into the segments of a view."""
    from docmt.settings.models import PositionTable
    from docmt.views.build import ViewsSettings, build_view

    tables = [PositionTable.parse(text) for text in positions or ()]
    with sealing(settings, "cut-view", output, {"tokens": tokens}):
        build_view(load_settings(ViewsSettings, settings), tokens, output, workers_of(workers), tables)


def find_document_chains(
    settings: Annotated[Path, input_file("settings.json of stage 4's words")],
    tokens: TokensWithVocabulary,
    output: Annotated[Path, output_folder("folder for chains.arrow, stop_words.txt, card.json")],
    workers: Workers = None,
) -> None:
    """Find the lexical chains of whole documents, by words, and the stop list."""
    from docmt.chains.documents import WordsSettings, build_words

    with sealing(settings, "find-document-chains", output, {"tokens": tokens}):
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

    with sealing(settings, "find-segment-chains", output, {"tokens": tokens, "words": words, "view": view}):
        build_segments(load_settings(SegmentsSettings, settings), tokens, words, view, output, workers_of(workers))
