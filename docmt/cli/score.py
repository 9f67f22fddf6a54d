"""`docmt score` and `docmt compare`: BLEU of plain files."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.cli.options import AsJson, Documents, input_file, language_code
from docmt.cli.screen import print_json, show_table

References = Annotated[
    list[Path],
    input_file("a reference a line; of several files a line may be blank in some: it has fewer", "--reference"),
]
Instances = Annotated[Path | None, input_file("each sentence's packed instance, by name, for unit i")]
LinesAre = Annotated[Literal["sentences", "documents"], typer.Option("--lines", help="what a line is in translations")]
Language = Annotated[
    str,
    typer.Option(help="of the references; Chinese (zh) is scored by characters in 13a", callback=language_code),
]
Test = Annotated[
    Literal["bootstrap", "sign"],
    typer.Option(help="paired bootstrap resampling (Koehn 2004) or the sign test of Collins et al. (2005)"),
]


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
    from docmt.scoring.plain_files import read_plain_files

    files = read_plain_files(reference, documents, instances)
    translations = files.translations(hypotheses, lines)
    tallies = bleu_tallies(translations, files.references, target_language, lines)
    scores = {"bleu": bleu_scores(tallies)}
    if by_document:
        scores["by_document"] = bleu_by_document(tallies, files.documents)
    show = print_json if as_json else show_scores
    show(scores)


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


def compare(
    baseline: Annotated[Path, input_file("translations of the system that others are compared with")],
    system: Annotated[list[Path], input_file("translations of a system; may be given several times")],
    reference: References,
    documents: Documents = None,
    instances: Instances = None,
    lines: LinesAre = "sentences",
    target_language: Language = "en",
    test: Test = "bootstrap",
    as_json: AsJson = False,
) -> None:
    """Compare systems with a baseline: BLEU in every family and unit, differences, and two-sided p-values.

    Files are those of `docmt score`. † is p < 0.05 and ‡ is p < 0.01.
    """
    from docmt.scoring.comparisons import compare_bleu
    from docmt.scoring.plain_files import read_plain_files

    files = read_plain_files(reference, documents, instances)
    found = {"baseline": str(baseline), "systems": []}
    for path in system:
        texts = (files.translations(one, lines) for one in (path, baseline))
        comparisons = compare_bleu(*texts, files.references, target_language, lines, test)
        found["systems"].append({"system": str(path), "comparisons": comparisons})
    show = print_json if as_json else show_comparisons
    show(found)


def show_comparisons(found: dict) -> None:
    """A table of differences, and the signatures below it."""
    from docmt.reporting.formats import mark, p_value

    columns = ("system", "family", "unit", "baseline", "BLEU", "difference", "p", "")
    rows = [(one["system"], record) for one in found["systems"] for record in one["comparisons"]]
    cells = [
        (
            system,
            record["family"],
            record["unit"],
            f"{record['baseline_score']:.2f}",
            f"{record['system_score']:.2f}",
            f"{record['difference']:+.2f}",
            p_value(record["p"]),
            mark(record["p"]),
        )
        for system, record in rows
    ]
    show_table(columns, cells, numbers=columns[3:7])
    typer.echo(f"\nbaseline: {found['baseline']}")
    for key in ("score_signature", "signature"):
        for text in dict.fromkeys(record[key] for _, record in rows):
            typer.echo(text)
