"""Commands that the rules of the workflow call, with the settings.json of a job: stages 0, 2 to 4 and 6 to 8."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.base.artifacts import read_object, write_json
from docmt.base.parse import parse
from docmt.cli.options import (
    Chains,
    Device,
    Learnt,
    Model,
    Threads,
    View,
    Workers,
    input_file,
    input_folder,
    open_model,
    output_file,
    output_folder,
    told,
)
from docmt.cli.screen import shown_progress, workers_of

TextSettings = Annotated[Path, input_file("settings.json of stage 2")]
TranslationSettings = Annotated[Path, input_file("settings.json of stage 6")]
Corpus = Annotated[Path, input_folder("folder of stage 1: documents.parquet[, contrastive.parquet]")]
Tokens = Annotated[Path, input_folder("folder of stage 2: tokens.arrow")]
TokensWithVocabulary = Annotated[Path, input_folder("folder of stage 2: tokens.arrow, text/vocabulary.source.txt")]
Results = Annotated[Path, input_folder("the folder of all stages' results")]
StopList = Annotated[Path | None, input_file("where settings name one, for LTCR and HHI")]


def made_checkpoint(
    settings: Annotated[Path, input_file("settings.json of the job")],
    output: Annotated[Path, output_folder("folder for config.json, model.safetensors, tokenizer.json")],
) -> None:
    """Make a small random checkpoint, of mBART's or BERT's form, whose pieces are those of generated text."""
    from docmt.corpus.stock import fixture_lines
    from docmt.models.random_checkpoint import write_random_checkpoint
    from docmt.settings.pretrained import RandomCheckpoint
    from docmt.text.random_pieces import write_tokenizer

    job = read_object(settings)
    job.pop("version", None)
    made = parse(RandomCheckpoint, job, str(settings))
    write_random_checkpoint(made, write_tokenizer(made.kind, fixture_lines(), output), output)


def tokens(
    settings: TextSettings,
    corpus: Corpus,
    output: Annotated[Path, output_folder("folder for tokens.arrow, text/, card.json[, contrastive.arrow]")],
    learnt: Learnt = None,
    workers: Workers = None,
) -> None:
    """Tokenise a corpus, learn its cases, BPE and vocabularies or take another's, and turn it into ids."""
    from docmt.text.pipeline import TokensSettings
    from docmt.text.process import process_corpus

    process_corpus(told(TokensSettings, settings), corpus, output, workers_of(workers), learnt)


def tokenise(
    settings: TextSettings,
    corpus: Corpus,
    part: Annotated[str, typer.Option(help="which of how many: 2/8")],
    output: Annotated[Path, output_folder("folder for the part's tokens.arrow and words.arrow")],
    workers: Workers = None,
) -> None:
    """Tokenise a part of a corpus and count its words."""
    from docmt.base.shards import Part
    from docmt.text.pipeline import TokensSettings
    from docmt.text.process import tokenise_part

    chosen = Part.parse(part)
    tokenise_part(told(TokensSettings, settings), corpus, chosen, output, workers_of(workers))


def learn(
    settings: TextSettings,
    corpus: Corpus,
    parts: Annotated[list[Path], typer.Argument(help="folders of `docmt shards tokenise`", file_okay=False)],
    output: Annotated[Path, output_folder("folder for text/[, contrastive.arrow, references.arrow]")],
    learnt: Learnt = None,
    workers: Workers = None,
) -> None:
    """Learn cases, BPE and vocabularies from the words of all parts, or take another corpus'."""
    from docmt.text.pipeline import TokensSettings
    from docmt.text.process import learn_parts

    learn_parts(told(TokensSettings, settings), corpus, parts, output, workers_of(workers), learnt)


def encode(
    part: Annotated[Path, typer.Argument(help="folder of `docmt shards tokenise`", file_okay=False)],
    text: Annotated[Path, input_folder("text/, from `docmt shards learn`")],
    output: Annotated[Path, output_folder("folder for the part's tokens.arrow and counts.json")],
    workers: Workers = None,
) -> None:
    """Turn a tokenised part into pieces and ids."""
    from docmt.text.process import encode_part

    encode_part(part, text, output, workers_of(workers))


def join(
    parts: Annotated[list[Path], typer.Argument(help="folders of `docmt shards encode`, in order", file_okay=False)],
    output: Annotated[Path, output_folder("folder of text/, for tokens.arrow and card.json")],
) -> None:
    """Put the parts together."""
    from docmt.text.process import join_parts

    join_parts(parts, output)


def views(
    settings: Annotated[Path, input_file("settings.json of stage 3")],
    tokens: Annotated[Path, input_folder("folder of stage 2: tokens.arrow[, contrastive.arrow]")],
    output: Annotated[Path, output_folder("folder for train, dev, test.arrow, card.json[, contrastive.arrow]")],
    workers: Workers = None,
) -> None:
    """Cut a corpus's documents into the segments of a view."""
    from docmt.views.build import ViewsSettings, build_view

    build_view(told(ViewsSettings, settings), tokens, output, workers_of(workers))


def words(
    settings: Annotated[Path, input_file("settings.json of stage 4's words")],
    tokens: TokensWithVocabulary,
    output: Annotated[Path, output_folder("folder for chains.arrow, stop_words.txt, card.json")],
    workers: Workers = None,
) -> None:
    """Find the chains of whole documents, by words, and the stop list."""
    from docmt.chains.documents import WordsSettings, build_words

    build_words(told(WordsSettings, settings), tokens, output, workers_of(workers))


def segments(
    settings: Annotated[Path, input_file("settings.json of stage 4's chains of a view")],
    tokens: TokensWithVocabulary,
    words: Annotated[Path, input_folder("folder of `docmt chains words`: stop_words.txt")],
    view: Annotated[Path, input_folder("folder of stage 3: {train, dev, test}.arrow[, contrastive.arrow]")],
    output: Annotated[Path, output_folder("folder for {train, dev, test}.arrow, card.json[, contrastive.arrow]")],
    workers: Workers = None,
) -> None:
    """Find the chains of a view's segments, by pieces, a row for each of its rows."""
    from docmt.chains.segments import SegmentsSettings, build_segments

    build_segments(told(SegmentsSettings, settings), tokens, words, view, output, workers_of(workers))


def decode(
    settings: TranslationSettings,
    model: Model,
    view: View,
    output: Annotated[Path, output_folder("folder for test.txt, test.tok.txt, decoding.json ...")],
    chains: Chains = None,
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Translate a view's test segments: one line for each sentence of the test set."""
    from docmt.decoding import files
    from docmt.decoding.segments import View as Segments

    chosen, segments = told(files.TranslationSettings, settings), Segments(view, chains)
    opened = open_model(model, device, threads)
    with shown_progress("decoding", "segments") as progress:
        restore = opened.pipeline.target.restore
        files.write_translations(chosen, opened.network, segments, output, restore, progress)


def contrastive_system(
    settings: TranslationSettings,
    model: Model,
    view: View,
    output: Annotated[Path, output_file("contrastive.arrow to write: a score for each variant")],
    whole: Annotated[bool, typer.Option("--whole", help="score the sentences before the judged one too")] = False,
    chains: Chains = None,
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Score a view's contrastive variants: the log-probability of the judged sentence, given its context."""
    from docmt.decoding import files
    from docmt.decoding.segments import View as Segments

    chosen = told(files.TranslationSettings, settings)
    opened = open_model(model, device, threads)
    with shown_progress("contrastive scores", "variants") as progress:
        files.write_contrastive(chosen, opened.network, Segments(view, chains), output, progress, whole)


def inspect(
    model: Model,
    view: View,
    chains: Annotated[Path, input_folder("stage 4's folder of the view; the model reads lexical chains")],
    output: Annotated[Path, output_file("inside.arrow to write; a list of rows if it is called .json")],
    split: Annotated[Literal["dev", "test"], typer.Option(help="of the view")] = "dev",
    document: Annotated[str | None, typer.Option(help="its name [default: the first with the longest chain]")] = None,
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Write where a model looks for the translations of repeated words, and what it asks its latent variables.

    For each word of a lexical chain, over the pieces of the reference: the soft alignment (eq. 8 of Lyu et al. 2022),
    the cross-attention of the top layer, the similarity of each step to the chain's latent variable (eq. 17).
    """
    opened = open_model(model, device, threads)
    from docmt.decoding.inside import InspectedDocument, inside, write_inside
    from docmt.decoding.segments import View as Segments

    chosen = InspectedDocument.read(Segments(view, chains), split, document, opened.network)
    vocabularies = opened.pipeline.source.vocabulary, opened.pipeline.target.vocabulary
    write_inside(output, inside(opened.network, chosen, *vocabularies))


def translate_passage(
    settings: Annotated[Path, input_file("settings.json: the documents, and how they are searched")],
    model: Model,
    output: Annotated[Path, output_file("passages.json to write")],
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Translate the documents of the settings: a list of sentences for each, as long as the document's.

    A model that does not mark sentences gives one line for a document.
    """
    from docmt.api.translate import translate_documents
    from docmt.cli.model import tell_fallbacks
    from docmt.decoding.files import read_passages

    documents, config = read_passages(settings)
    opened = open_model(model, device, threads)
    with shown_progress("translating", "segments") as progress:
        found, fallbacks = translate_documents(opened, documents, config, progress)
    tell_fallbacks(fallbacks)
    write_json(output, {"documents": found})


def corpus(
    settings: Annotated[Path, input_file("settings.json of stage 7's vectors")],
    tokens: Tokens,
    output: Annotated[Path, output_folder("folder for vectors.txt and card.json")],
) -> None:
    """Train word2vec on the target side of a corpus' training split, for the workflow."""
    from docmt.scoring.word_vectors import write_corpus_vectors

    write_corpus_vectors(settings, tokens, output)


def train_aligner(
    settings: Annotated[Path, input_file("settings.json of the corpus' aligner")],
    tokens: Tokens,
    output: Annotated[Path, output_folder("folder for lexicon.arrow, jumps.json")],
) -> None:
    """Train the default aligner on the training split of a corpus of the workflow."""
    from docmt.scoring.corpus_aligner import write_aligner

    write_aligner(settings, tokens, output)


def score_system(
    settings: Annotated[Path, input_file("settings.json of stage 7")],
    corpus: Annotated[Path, input_folder("folder of stage 1: documents.parquet, for the raw references")],
    tokens: Annotated[Path, input_folder("folder of stage 2: tokens.arrow, for the tokenised references")],
    view: Annotated[Path, input_folder("folder of stage 3: test.arrow, for the instances")],
    translations: Annotated[Path, input_folder("folder of stage 6: test.txt and what stands beside it")],
    output: Annotated[Path, output_file("scores.json to write, and details.arrow beside it")],
    aligner: Annotated[Path | None, input_folder("folder of `docmt train-aligner`, for LTCR and HHI")] = None,
    word_vectors: Annotated[Path | None, input_file("where settings name some, for coherence")] = None,
    next_sentence_model: Annotated[Path | None, input_folder("where settings name one, for cohesion")] = None,
    source_stop_list: StopList = None,
    target_stop_list: StopList = None,
    device: Device = "auto",
) -> None:
    """Score a system of the workflow, by every metric, each with its signature."""
    from docmt.scoring.chain_scores import StopFiles
    from docmt.scoring.measured import ScoringInputs
    from docmt.scoring.score import write_scores

    stop_files = StopFiles(source_stop_list, target_stop_list)
    inputs = ScoringInputs(corpus, tokens, view, translations, aligner, word_vectors, next_sentence_model, stop_files)
    write_scores(settings, inputs, output, device)


def compare_table(
    settings: Annotated[Path, input_file("settings.json of a table's comparisons")],
    results: Results,
    output: Annotated[Path, output_file("comparisons.json to write")],
) -> None:
    """Compare the systems of a study's table with their baselines, by every metric and over all seeds."""
    from docmt.scoring.comparisons import write_comparisons

    write_comparisons(settings, results, output)


def report(
    settings: Annotated[Path, input_file("settings.json of stage 8: of a study, or of one of its items")],
    results: Results,
    output: Annotated[Path, output_file("the page to write; an item's has a CSV and a JSON file beside it")],
) -> None:
    """Write the page of a study, or of one of its tables, figures and passages: published beside measured."""
    from docmt.reporting.page import write_report

    write_report(settings, results, output)
