"""`docmt score-comet`: COMET of plain files, by a program in an environment of its own."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.base.screen import answer, show_table, tell
from docmt.cli.options import AsJson, Device, Documents, Hypotheses, References, Source, input_folder
from docmt.cli.score import interval_text, reference_texts
from docmt.cli.standard_input import label
from docmt.settings.comet import CometConfig

if TYPE_CHECKING:
    from docmt.scoring.comet import CometProgram
    from docmt.scoring.inputs import References as ReferenceTexts

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
    records = [
        {"system": system, **row}
        for system, lines in texts.items()
        for row in comet_scores(sources, lines, files.references, program, context)
    ]
    answer(as_json, records, lambda: show(records))


def comet_scores(
    sources: Sequence[str],
    translations: Sequence[str],
    references: "ReferenceTexts",
    program: "CometProgram",
    context: int,
) -> Iterator[dict[str, Any]]:
    """Yield COMET and, where the documents are known and `context` is not 0, document-level COMET of a system.

    Raises UserError where the program cannot be started or gives no answer.
    """
    from docmt.scoring.comet import contexts_of, first_references, grouped, result, sentence_tally
    from docmt.scoring.intervals import score_interval

    samples = list(zip(sources, translations, first_references(references.raw), strict=True))
    documents = references.documents or ["all"] * len(samples)
    contexts = contexts_of(context if references.documents is not None else 0)
    for name, scored in program.measure(grouped(samples, documents), contexts).items():
        interval = score_interval(sentence_tally(name, scored["scores"]))
        facts = result(name, scored, contexts[name], program.name)
        yield {"measure": name, **facts, "interval": interval, "sentence_scores": scored["scores"]}


def show(records: list[dict[str, Any]]) -> None:
    """Print a row for each system and measure, and each signature once."""
    columns = ("system", "metric", "score", "95 %", "cut", "less context")
    rows = [
        (
            row["system"],
            row["measure"],
            f"{row['score']:.4f}",
            interval_text(row["interval"], ".4f"),
            str(row["cut_sentences"]),
            str(row["less_context"]),
        )
        for row in records
    ]
    show_table(columns, rows, numbers=columns[2:])
    signatures = {f"signature of {row['measure']}: {row['signature']}": None for row in records}
    intervals = {f"95 % intervals: {row['interval'].signature}": None for row in records if row["interval"]}
    typer.echo("\n" + "\n".join([*signatures, *intervals]))
