"""`docmt score-comet`: COMET of plain files, by a program in an environment of its own."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.screen import print_json, show_table, tell
from docmt.cli.options import AsJson, Device, Documents, Hypotheses, References, Source, input_folder
from docmt.cli.score import reference_texts
from docmt.cli.standard_input import label
from docmt.settings.comet import CometConfig

if TYPE_CHECKING:
    from docmt.api.comet import CometScore

DEFAULTS = CometConfig()

CometCommand = Annotated[
    str,
    typer.Option("--comet-command", help="command of the Python of an environment with unbabel-comet", metavar="WORDS"),
]
CometEncoder = Annotated[
    Path | None, input_folder("folder of config.json and tokenizer of the encoder [default: the library's cache]")
]


def score_comet(
    source: Source,
    hypotheses: Hypotheses,
    reference: References,
    comet_command: CometCommand,
    comet_model: Annotated[Path, input_folder("folder of a checkpoint of COMET: hparams.yaml, checkpoints/model.ckpt")],
    documents: Documents = None,
    comet_encoder: CometEncoder = None,
    context: Annotated[
        int, typer.Option(min=0, max=1000, help="doc-COMET: previous sentences read with each; 0: no doc-COMET")
    ] = DEFAULTS.context,
    batch: Annotated[int, typer.Option(min=1, max=100_000, help="sentences computed at once")] = DEFAULTS.batch,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Score translations by COMET and document-level COMET, with 95 % intervals.

    unbabel-comet runs in an environment of its own (docs/how-to/score-with-comet.md). Files are plain text, not
    tokenised. Of several references, the first of each sentence is read. doc-COMET needs the documents: --documents, or
    blank lines.
    """
    from docmt.api.comet import comet_scores
    from docmt.scoring.comet import CometProgram
    from docmt.scoring.plain_files import read_plain_files
    from docmt.settings.comet import files_of_comet
    from docmt.settings.programs import given_words
    from docmt.text.signs import text_warnings

    files_of_comet(comet_model, comet_encoder)  # A folder without a model is refused before the texts are read.
    program = CometProgram(given_words(comet_command, "--comet-command"), comet_model, comet_encoder, batch, device)
    files = read_plain_files(reference, documents)
    sources = files.translations(source).raw
    texts = {label(path): files.translations(path).raw for path in hypotheses}
    tell(text_warnings(texts, reference_texts(reference, files), {"words", "plain", "cased", "openings"}))
    scores = [
        (system, row)
        for system, lines in texts.items()
        for row in comet_scores(sources, lines, files.references, program, context)
    ]
    if as_json:
        print_json([{"system": system, **dataclasses.asdict(row)} for system, row in scores])
    else:
        show(scores)


def show(scores: "list[tuple[str, CometScore]]") -> None:
    """Print a row for each system and measure, and each signature once."""
    columns = ("system", "metric", "score", "95 %", "cut", "less context")
    rows = [
        (
            system,
            row.measure,
            f"{row.score:.4f}",
            "-" if row.interval is None else f"{row.interval.low:.4f} to {row.interval.high:.4f}",
            str(row.cut_sentences),
            str(row.less_context),
        )
        for system, row in scores
    ]
    show_table(columns, rows, numbers=columns[2:])
    signatures = {f"signature of {row.measure}: {row.signature}": None for _, row in scores}
    intervals = {f"95 % intervals: {row.interval.signature}": None for _, row in scores if row.interval}
    typer.echo("\n" + "\n".join([*signatures, *intervals]))
