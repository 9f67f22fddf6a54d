"""`docmt score-comet`: COMET of plain files, by a program in an environment of its own."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.screen import tell
from docmt.cli.options import AsJson, Device, Documents, Hypotheses, References, Source, input_folder
from docmt.cli.score import reference_texts
from docmt.cli.score_table import answer_scores
from docmt.cli.standard_input import label
from docmt.settings.comet import CometConfig

if TYPE_CHECKING:
    from docmt.scoring.comet import CometProgram
    from docmt.scoring.inputs import References as ReferenceTexts
    from docmt.scoring.tallies import Tally

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
    """Score translations by COMET and document-level COMET.

    Scores have 95 % intervals. unbabel-comet runs in an environment of its own (docs/how-to/score-with-comet.md). Files
    are plain text, not tokenised. Of several references, the first of each sentence is read. doc-COMET needs the
    documents: --documents, or blank lines.
    """
    from docmt.scoring.comet import CometProgram
    from docmt.scoring.intervals import scores_of
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
    tallies = {
        system: list(comet_tallies(sources, lines, files.references, program, context))
        for system, lines in texts.items()
    }
    scores = {system: scores_of(of_system) for system, of_system in tallies.items()}
    of_sentences = [{"sentence_scores": tally.counts[:, 0].tolist()} for each in tallies.values() for tally in each]
    answer_scores(as_json, scores, ("cut_sentences", "less_context"), of_sentences)


def comet_tallies(
    sources: Sequence[str],
    translations: Sequence[str],
    references: "ReferenceTexts",
    program: "CometProgram",
    context: int,
) -> "Iterator[Tally]":
    """Yield the tally of COMET and, where the documents are known and `context` is not 0, that of document-level COMET.

    Raises UserError where the program cannot be started or gives no answer.
    """
    from docmt.scoring.comet import contexts_of, first_references, grouped, sentence_tally

    samples = list(zip(sources, translations, first_references(references.raw), strict=True))
    documents = references.documents or ["all"] * len(samples)
    contexts = contexts_of(context if references.documents is not None else 0)
    for name, answered in program.measure(grouped(samples, documents), contexts).items():
        yield sentence_tally(name, answered, contexts[name], program.name)
