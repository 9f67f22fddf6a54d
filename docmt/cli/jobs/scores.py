"""Jobs of stages 7 and 8: word vectors, aligners, scores, comparisons and reports."""

from pathlib import Path
from typing import Annotated

from docmt.base.sealing import sealing
from docmt.cli.comet import CometCommand, CometEncoder, CometModel
from docmt.cli.gpus import take_gpus
from docmt.cli.options import Device, input_file, input_folder, output_file, output_folder
from docmt.cli.screen import tell

Tokens = Annotated[Path, input_folder("folder of stage 2: tokens.arrow")]
Results = Annotated[Path, input_folder("folder with the results of all stages")]
StopList = Annotated[Path | None, input_file("stop list that the settings name, for LTCR and HHI")]


def train_vectors(
    settings: Annotated[Path, input_file("settings.json of stage 7's vectors")],
    tokens: Tokens,
    output: Annotated[Path, output_folder("folder for vectors.txt and card.json")],
) -> None:
    """Train word2vec on the target side of a corpus' training split, for the workflow."""
    from docmt.scoring.word_vectors import write_corpus_vectors

    with sealing(settings, "train-vectors", output, {"tokens": tokens}):
        write_corpus_vectors(settings, tokens, output)


def train_aligner(
    settings: Annotated[Path, input_file("settings.json of the corpus' aligner")],
    tokens: Tokens,
    output: Annotated[Path, output_folder("folder for lexicon.arrow, jumps.json")],
) -> None:
    """Train the default aligner on the training split of a corpus of the workflow."""
    from docmt.scoring.corpus_aligner import write_aligner

    with sealing(settings, "train-aligner", output, {"tokens": tokens}):
        write_aligner(settings, tokens, output)


def score_system(
    settings: Annotated[Path, input_file("settings.json of stage 7")],
    corpus: Annotated[Path, input_folder("folder of stage 1: documents.parquet, for the raw references")],
    tokens: Annotated[Path, input_folder("folder of stage 2: tokens.arrow, for the tokenised references")],
    translations: Annotated[Path, input_folder("folder of stage 6: test.txt and the files beside it")],
    output: Annotated[Path, output_file("scores.json to write, and details.arrow beside it")],
    view: Annotated[
        Path | None, input_folder("folder of stage 3: test.arrow, for the instances of a trained system")
    ] = None,
    aligner: Annotated[Path | None, input_folder("folder of `docmt job train-aligner`, for LTCR and HHI")] = None,
    word_vectors: Annotated[Path | None, input_file("word vectors, where settings name some for coherence")] = None,
    next_sentence_model: Annotated[
        Path | None, input_folder("folder of a BERT, where settings name one for cohesion")
    ] = None,
    aligner_model: Annotated[
        Path | None, input_folder("folder of the model of awesome-align, where settings name it")
    ] = None,
    source_stop_list: StopList = None,
    target_stop_list: StopList = None,
    comet_command: CometCommand = "",
    comet_model: CometModel = None,
    comet_encoder: CometEncoder = None,
    device: Device = "auto",
) -> None:
    """Score a system of the workflow, by every metric, each with its signature."""
    from docmt.scoring.chain_scores import StopFiles
    from docmt.scoring.measured import ScoringInputs
    from docmt.scoring.score import write_scores
    from docmt.settings.programs import given_words
    from docmt.text.signs import text_warnings

    stop_files = StopFiles(source_stop_list, target_stop_list)
    inputs = ScoringInputs(
        corpus,
        tokens,
        view,
        translations,
        aligner,
        word_vectors,
        next_sentence_model,
        aligner_model,
        stop_files,
        given_words(comet_command, "--comet-command") if comet_command else (),
        comet_model,
        comet_encoder,
    )
    if next_sentence_model or comet_command:
        take_gpus(device)
    with sealing(settings, "score-system", output.parent, inputs.jobs(), inputs.outside_files()):
        tell(write_scores(settings, inputs, output, text_warnings, device))


def compare_systems(
    settings: Annotated[Path, input_file("settings.json of a table's comparisons")],
    results: Results,
    output: Annotated[Path, output_file("comparisons.json to write")],
) -> None:
    """Compare the systems of a study's table with their baselines, by every metric and over all seeds."""
    from docmt.scoring.comparisons import write_comparisons

    with sealing(settings, "compare-systems", output.parent, results=results):
        write_comparisons(settings, results, output)


def write_report(
    settings: Annotated[Path, input_file("settings.json of stage 8: of a study, or of one of its items")],
    results: Results,
    output: Annotated[Path, output_file("the page to write; an item's has a CSV and a JSON file beside it")],
    human: Annotated[Path | None, input_file("output of `docmt read-sheets --json`, for tables of judgements")] = None,
) -> None:
    """Write the page of a study, or of one of its tables, figures and passages: published beside measured."""
    from docmt.reporting import page

    prefix = "" if output.name == "index.html" else f"{output.stem}."
    with sealing(
        settings, "write-report", output.parent, files={"human": human}, results=results, prefix=prefix
    ) as seal:
        page.write_report(settings, results, output, human, seal.mixed)


def write_sheet(
    settings: Annotated[Path, input_file("settings.json of the sheet of a table of judgements")],
    results: Results,
    output: Annotated[Path, output_file("the sheet to write, <table>.sheet.csv; its page and its key are beside it")],
) -> None:
    """Draw the sheet of a table of judgements from finished translations, with its key in a file of its own."""
    from docmt.scoring.human.drawn import write_study_sheet

    with sealing(settings, "write-sheet", output.parent, results=results, prefix=f"{output.stem}."):
        write_study_sheet(settings, results, output)
