"""`docmt score` and `docmt compare`: BLEU, chrF and TER of plain files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docmt.base.screen import answer, show_table, tell
from docmt.cli.options import AsJson, Documents, Hypotheses, References, TargetLanguage, input_file
from docmt.cli.score_table import answer_scores, interval_text
from docmt.cli.standard_input import label

if TYPE_CHECKING:
    from docmt.api.scores import TextComparison
    from docmt.scoring.inputs import Lines, Stream
    from docmt.scoring.plain_files import PlainFiles
    from docmt.scoring.tallies import Tally

Instances = Annotated[Path | None, input_file("name of the packed instance of each sentence, for unit i")]
LinesAre = Annotated[
    Literal["sentences", "documents"], typer.Option("--lines", help="what a line of the translations is")
]
Metric = Annotated[
    list[str] | None,
    typer.Option(help="BLEU, chrF, chrF++, TER or all; repeat it for several", show_default="BLEU"),
]
Family = Annotated[
    list[str] | None,
    typer.Option(
        help="family of BLEU: 13a, 13a_lower, tokenized_lower, tokenized, or all; repeat it for several",
        show_default="13a",
    ),
]
Test = Annotated[
    Literal["bootstrap", "sign"],
    typer.Option(help="paired bootstrap resampling (Koehn 2004) or the sign test of Collins et al. (2005)"),
]


def score(
    hypotheses: Hypotheses,
    reference: References,
    documents: Documents = None,
    instances: Instances = None,
    lines: LinesAre = "sentences",
    metric: Metric = None,
    family: Family = None,
    target_language: TargetLanguage = "en",
    by_document: Annotated[bool, typer.Option("--by-document", help="also print the scores of each document")] = False,
    as_json: AsJson = False,
) -> None:
    """Score translations by BLEU, chrF and TER.

    Scores are over sentences (s) and documents (d), BLEU over instances (i) too. The families of BLEU 13a (sacreBLEU's
    default) and 13a_lower tokenise lines themselves, and expect them detokenised; tokenized_lower and tokenized
    (multi-bleu.perl with and without -lc) take the words as the files have them. TER is computed over sentences alone,
    and takes long. The interval holds the middle 95 % of scores of 1000 test sets drawn from the lines.
    """
    from docmt.scoring.bleu_scores import scores_by_document
    from docmt.scoring.intervals import scores_of
    from docmt.scoring.plain_files import read_plain_files

    files = read_plain_files(reference, documents, instances)
    every = tallied(hypotheses, reference, files, lines, metric, family, target_language)
    systems = {}
    for path, tallies in zip(hypotheses, every, strict=True):
        of_documents = scores_by_document(tallies, files.documents) if by_document else []
        systems[label(path)] = [*scores_of(tallies), *of_documents]
    answer_scores(as_json, systems)


def tallied(
    paths: list[Path],
    reference: list[Path],
    files: "PlainFiles",
    lines: "Lines",
    metrics: list[str] | None,
    families: list[str] | None,
    target_language: str,
) -> "list[list[Tally]]":
    """Return the tallies of each file of translations; warn of text that is not what the metrics expect."""
    from docmt.api.scores import stated_of, tallies_of
    from docmt.text.signs import text_warnings

    wanted, translations = wanted_scores(metrics, families), [files.translations(path, lines) for path in paths]
    tallies = [tallies_of(text, files.references, *wanted, target_language, lines) for text in translations]
    texts = {label(path): text.raw for path, text in zip(paths, translations, strict=True)}
    tell(text_warnings(texts, reference_texts(reference, files), stated_of(*wanted, target_language)))
    return tallies


def reference_texts(paths: list[Path], files: "PlainFiles") -> "dict[str, Stream]":
    """Return the references by the names of their files."""
    return dict(zip(map(label, paths), files.references.raw, strict=True))


def wanted_scores(metrics: list[str] | None, families: list[str] | None) -> tuple[Sequence[str], Sequence[str]]:
    """Return the metrics and the families of BLEU that options name, each once; `all` stands for all of them."""
    from docmt.api.scores import BLEU, DEFAULT_FAMILIES, DEFAULT_METRICS
    from docmt.scoring.bleu import FAMILIES
    from docmt.settings.metrics import STRING_UNITS

    options = ((metrics or DEFAULT_METRICS, (BLEU, *STRING_UNITS)), (families or DEFAULT_FAMILIES, FAMILIES))
    named, of_bleu = (tuple(every if "all" in names else dict.fromkeys(names)) for names, every in options)
    return named, of_bleu


def compare(
    baseline: Annotated[Path, input_file("translations of the system that the others are compared with")],
    hypotheses: Hypotheses,
    reference: References,
    documents: Documents = None,
    instances: Instances = None,
    lines: LinesAre = "sentences",
    metric: Metric = None,
    family: Family = None,
    target_language: TargetLanguage = "en",
    test: Test = "bootstrap",
    as_json: AsJson = False,
) -> None:
    """Compare systems with a baseline.

    It prints scores, differences with 95 % intervals, and two-sided p-values. Files are those of `docmt score`. † marks
    p < 0.05 and ‡ marks p < 0.01.
    """
    from docmt.api.scores import comparisons_of
    from docmt.scoring.plain_files import read_plain_files

    paths, files = [baseline, *hypotheses], read_plain_files(reference, documents, instances)
    theirs, *ours = tallied(paths, reference, files, lines, metric, family, target_language)
    systems = {
        label(path): comparisons_of(tallies, theirs, test) for path, tallies in zip(hypotheses, ours, strict=True)
    }
    records = [{"system": system, "comparisons": rows} for system, rows in systems.items()]
    record = {"baseline": label(baseline), "systems": records}
    answer(as_json, record, lambda: show_comparisons(label(baseline), systems))


def show_comparisons(baseline: str, systems: "dict[str, list[TextComparison]]") -> None:
    """Print a table of differences, and the signatures below it."""
    from docmt.reporting.formats import mark, p_value

    columns = ("system", "metric", "baseline", "score", "difference", "95 %", "p", "")
    rows = [(system, row) for system, rows in systems.items() for row in rows]
    cells = [
        (
            system,
            row.metric,
            f"{row.baseline_score:.2f}",
            f"{row.system_score:.2f}",
            f"{row.difference:+.2f}",
            interval_text(row, "+.2f"),
            p_value(row.p),
            mark(row.p, row.difference),
        )
        for system, row in rows
    ]
    show_table(columns, cells, numbers=columns[2:7])
    lines = [f"\nbaseline: {baseline}"]
    for _, row in rows:
        lines += [f"signature of {row.metric}: {row.signature}"]
        lines += [f"no p-value of {row.metric}: {row.untested}" if row.untested else f"p-values: {row.test}"]
        lines += [f"95 % intervals: {row.interval}"] if row.interval else []
    typer.echo("\n".join(dict.fromkeys(lines)))
