"""`docmt score`, of plain files, and `docmt score-system`, of the workflow's stage 7."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.base.errors import UserError
from docmt.cli.options import Device, input_file, input_folder, language_code, output_file
from docmt.cli.tables import print_json, show_table

References = Annotated[
    list[Path],
    input_file("a reference a line; of several files a line may be blank in some: it has fewer", "--reference"),
]
Documents = Annotated[
    Path | None, input_file("each line's document, by name [default: blank lines stand between documents]")
]
Instances = Annotated[Path | None, input_file("each sentence's packed instance, by name, for unit i")]
LinesAre = Annotated[Literal["sentences", "documents"], typer.Option("--lines", help="what a line is in translations")]
Language = Annotated[
    str,
    typer.Option(help="of the references; Chinese (zh) is scored by characters in 13a", callback=language_code),
]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON")]


def score(
    hypotheses: Annotated[Path, input_file("a translation a line")],
    reference: References,
    documents: Documents = None,
    instances: Instances = None,
    lines: LinesAre = "sentences",
    target_language: Language = "en",
    by_document: Annotated[bool, typer.Option("--by-document", help="also BLEU of each document alone")] = False,
    as_json: AsJson = False,
) -> None:
    """Score translations: BLEU in every family, over sentences (s), documents (d) and instances (i).

    The families 13a and 13a_lower tokenise lines themselves, and expect them detokenised; tokenized_lower and
    tokenized (multi-bleu.perl with and without -lc) take the words as the files have them.
    """
    from docmt.scoring.bleu_scores import bleu_by_document, bleu_scores, bleu_tallies
    from docmt.scoring.plain_files import DOCUMENTS_REMEDY, read_plain_files

    files = read_plain_files(reference, documents, instances)
    found = files.translations(hypotheses, lines)
    tallies = bleu_tallies(found, files.references, target_language, lines)
    scores = {"bleu": bleu_scores(tallies)}
    if by_document:
        if files.references.documents is None:
            raise UserError("no documents", where=files.where, remedy=DOCUMENTS_REMEDY)
        scores["by_document"] = bleu_by_document(tallies, files.references.documents)
    if as_json:
        print_json(scores)
        return
    show_scores(scores)


def show_scores(scores: dict) -> None:
    """Every family and unit with its signature and, where asked for, every document."""
    units = [(family, unit, one) for family, found in scores["bleu"].items() for unit, one in found.items()]
    rows = [(family, unit, f"{one['score']:.2f}", one["signature"]) for family, unit, one in units]
    show_table(("family", "unit", "BLEU", "signature"), rows, numbers=("BLEU",))
    if "by_document" in scores:
        typer.echo()
        names = [(family, unit) for family, unit, _ in units if unit in ("s", "d")]
        columns = ("document", "sentences", *(f"{family} {unit}" for family, unit in names))
        documents = [
            (one["document"], str(one["sentences"]), *(f"{one['bleu'][family][unit]:.2f}" for family, unit in names))
            for one in scores["by_document"]
        ]
        show_table(columns, documents, numbers=columns[1:])


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
    source_stop_list: Annotated[Path | None, input_file("where settings name one, for LTCR and HHI")] = None,
    target_stop_list: Annotated[Path | None, input_file("where settings name one, for LTCR and HHI")] = None,
    device: Device = "auto",
) -> None:
    """Score a system of the workflow, by every metric, each with its signature."""
    from docmt.scoring.chain_scores import StopFiles
    from docmt.scoring.score import Inputs, write_scores

    stop_files = StopFiles(source_stop_list, target_stop_list)
    inputs = Inputs(corpus, tokens, view, translations, aligner, word_vectors, next_sentence_model, stop_files)
    write_scores(settings, inputs, output, device)
