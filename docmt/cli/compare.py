"""`docmt compare`, of plain files, and `docmt compare-table`, of the workflow's stage 7."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docmt.cli.options import input_file, input_folder, output_file
from docmt.cli.score import AsJson, Documents, Instances, Language, LinesAre, References
from docmt.cli.tables import print_json, show_table

if TYPE_CHECKING:
    from docmt.scoring.inputs import Lines
    from docmt.scoring.plain_files import PlainFiles

Test = Annotated[
    Literal["bootstrap", "sign"],
    typer.Option(help="paired bootstrap resampling (Koehn 2004) or the sign test of Collins et al. (2005)"),
]


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
    from docmt.scoring.plain_files import read_plain_files

    files = read_plain_files(reference, documents, instances)
    found = {
        "baseline": str(baseline),
        "systems": [
            {"system": str(path), "comparisons": compared(files, path, baseline, lines, target_language, test)}
            for path in system
        ],
    }
    if as_json:
        print_json(found)
        return
    show_comparisons(found)


def compared(
    files: "PlainFiles", system: Path, baseline: Path, lines: "Lines", target_language: str, test: str
) -> list[dict]:
    """One record for each family and unit."""
    from docmt.scoring.bleu_scores import bleu_scores, bleu_tallies
    from docmt.scoring.comparisons import compare as compare_tallies

    ours, theirs = (files.translations(path, lines) for path in (system, baseline))
    tallies = [bleu_tallies(one, files.references, target_language, lines) for one in (ours, theirs)]
    scores = bleu_scores(tallies[0])
    names = [(family, unit) for family, found in scores.items() for unit in found]
    return [
        {
            "family": family,
            "unit": unit,
            **asdict(compare_tallies([own], [other], test)),
            "score_signature": scores[family][unit]["signature"],
        }
        for (family, unit), own, other in zip(names, *tallies, strict=True)
    ]


def show_comparisons(found: dict) -> None:
    """A table of differences, and the signatures below it."""
    from docmt.base.p_values import mark, p_value

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


def compare_table(
    settings: Annotated[Path, input_file("settings.json of a table's comparisons")],
    results: Annotated[Path, input_folder("the folder of all stages' results")],
    output: Annotated[Path, output_file("comparisons.json to write")],
) -> None:
    """Compare the systems of a study's table with their baselines, by every metric and over all seeds."""
    from docmt.scoring.comparisons import write_comparisons

    write_comparisons(settings, results, output)
