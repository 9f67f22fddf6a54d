"""`docmt check-corpus` and `check-catalogue`: the check of a user's corpus, and of the counts of the catalogue."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.base.errors import USER_MISTAKE, check_known
from docmt.base.screen import aligned, answer
from docmt.cli.options import AsJson, Config, Mirror, Root, input_folder, overrides
from docmt.cli.standard_input import NAME

if TYPE_CHECKING:
    from docmt.corpus.inputs import ProblemKind
    from docmt.corpus.leaks import Shared, SharedItems, SharedUnits
    from docmt.corpus.review import CorpusCheck, Finding, Review


def check_corpus(
    path: Annotated[
        Path,
        typer.Argument(help="a corpus file (.yaml), or a table of sentence pairs; - is a TSV table", dir_okay=False),
    ],
    files: Annotated[
        Path | None, input_folder("folder with the corpus' files [default: beside PATH, or downloaded already]")
    ] = None,
    mirror: Mirror = None,
    at_most: Annotated[int, typer.Option(min=1, help="how many problems of each kind are printed")] = 10,
    as_json: AsJson = False,
) -> None:
    """Check a corpus of yours, and report every problem.

    All of it is read, and a problem has its line. The status is 2 where there is one. PATH is a corpus file
    (docs/how-to/add-a-corpus.md), or a table of sentence pairs (.tsv, .csv, .json, .jsonl, .parquet, .arrow) with the
    columns source, target and document. Where nothing is wrong, its counts are printed.
    """
    from docmt.corpus.review import review_corpus, review_files

    if path.suffix in (".yaml", ".yml"):
        review = review_corpus(path, files, mirror, at_most)
    else:
        # The reader derives the form of a table from the end of the file's name, which standard input lacks.
        table = path.rename(path.with_suffix(".tsv")) if path.name == NAME else path
        review = review_files({"kind": "table", "splits": {"train": str(table)}}, str(table), at_most)
    answer(as_json, as_record(review), review_text(review))
    if review.problems.problems:
        raise typer.Exit(USER_MISTAKE)


def as_record(review: "Review") -> dict[str, Any]:
    """Return the problems, warnings and counts of a corpus as a record for JSON."""
    problems = review.problems
    return {
        "problems": problems.problems,
        "warnings": problems.warnings,
        "splits": {split: statistics.summary() for split, statistics in review.splits.items()},
        "shared": review.shared,
        "shared_items": review.shared_items,
        "signs": review.signs,
        "contrastive": review.items,
        "changed": review.changed,
    }


def review_text(review: "Review") -> str:
    """Return the problems and warnings by kind as text and, where there is no problem, the counts of the corpus."""
    problems = review.problems
    lines = [line for what, kind in problems.problems.items() for line in kind_lines(what, kind)]
    lines += [line for what, kind in problems.warnings.items() for line in kind_lines(f"warning: {what}", kind)]
    if not problems.problems:
        lines += counts(review)
    return "\n".join(lines)


def kind_lines(what: str, kind: "ProblemKind") -> list[str]:
    """Return lines with the number of problems of a kind, and with the first of these problems."""
    more = kind.count - len(kind.examples)
    lines = [f"{what}: {kind.count:,}", *(f"  {place}" for place in kind.examples)]
    return [*lines, f"  and {more:,} more"] if more else lines


def counts(review: "Review") -> list[str]:
    """Return lines with the counts of each split and contrastive set, shared text, and changes to the text."""
    head = ("split", "documents", "sentences", "sentences a document", "references", "characters")
    rows = [head]
    for split, statistics in review.splits.items():
        facts = statistics.summary()
        counts = (f"{facts[name]:,}" for name in ("documents", "sentences"))
        ranges = (range_text(facts[name]) for name in ("sentences_per_document", "references"))
        rows.append((split, *counts, *ranges, f"{facts['source_characters']:,} / {facts['target_characters']:,}"))
    lines = [aligned(rows)] if review.splits else []
    lines += [*shared_lines(review.shared), *item_lines(review.shared_items)]
    lines += [f"contrastive set {name}: {count:,} items" for name, count in review.items.items()]
    return lines + [f"changed: {what}: {count:,}" for what, count in sorted(review.changed.items()) if count]


def shared_lines(shared: "list[Shared]") -> list[str]:
    """Return a line for each two splits that share text, or one line where there are several that share none."""
    from docmt.corpus.leaks import BUT_FOR

    lines = []
    for comparison in shared:
        pair = f"shared with {comparison.earlier}, of {comparison.split}"
        lines += _units_line(pair, comparison)
        if comparison.folded.pairs.count > comparison.pairs.count:
            first = f"first {', '.join(comparison.first)}"
            lines += [f"{line}; {first}" for line in _units_line(f"{pair},{BUT_FOR}", comparison.folded)]
    return lines or (["shared between splits: nothing"] if shared else [])


def _units_line(pair: str, shared: "SharedUnits") -> list[str]:
    from docmt.corpus.leaks import portion

    units = {"documents": shared.documents, "sentence pairs": shared.pairs, "source sentences": shared.sources}
    parts = [f"{unit} {portion(counted)}" for unit, counted in units.items() if counted.count]
    return [f"{pair}: {', '.join(parts)}"] if parts else []


def item_lines(shared: "list[SharedItems]") -> list[str]:
    """Return a line for each contrastive set that shares text with train."""
    from docmt.corpus.leaks import portion

    return [
        f"shared with train, of contrastive set {each.set}: items with their context {portion(each.items)}, "
        f"judged sentences {portion(each.judged)}"
        for each in shared
        if each.judged.count
    ]


def range_text(numbers: Mapping[str, float]) -> str:
    """Return the smallest and the largest number as text, or a single number where both are equal."""
    low, high = numbers["min"], numbers["max"]
    return f"{low}" if low == high else f"{low} to {high}"


Names = Annotated[list[str] | None, typer.Argument(help="names of corpora [default: all]", show_default=False)]


def check_catalogue(
    corpora: Names = None,
    root: Root = Path(),
    config: Config = None,
    mirror: Mirror = None,
    as_json: AsJson = False,
) -> None:
    """Check the counts of corpora against the papers' counts.

    The corpora are those whose files are here. Nothing is downloaded. Status 2 where a count differs and the catalogue
    does not say why, or where stage 1 would refuse a corpus.
    """
    from docmt.corpus import review
    from docmt.grid.grid import load_grid

    grid = load_grid(root, overrides(config))
    places = grid.places(root, mirror)
    for name in corpora or ():
        check_known("corpus", name, grid.corpora)
    chosen = [corpus for name, corpus in grid.corpora.items() if not corpora or name in corpora]
    checks = [review.check_corpus(corpus, places) for corpus in chosen]
    answer(as_json, checks, "\n".join(map(_check_text, checks)))
    if not all(check.is_fine for check in checks):
        raise typer.Exit(USER_MISTAKE)


def _check_text(check: "CorpusCheck") -> str:
    lines = [check.corpus]
    notes = list(dict.fromkeys(finding.why for finding in check.findings if finding.why))
    columns = ("split", "count", "measured", "published", "paper", "")
    rows = [columns, *(_row(finding, notes) for finding in check.findings)]
    if check.findings:
        lines.append(aligned(rows, "  "))
    lines += [f"  [{number}] {note}" for number, note in enumerate(notes, 1)]
    lines += [f"  {line}" for line in shared_lines(check.shared)]
    lines += [f"  changed: {what}: {count:,}" for what, count in sorted(check.changed.items()) if count]
    absent: dict[str, list[str]] = {}
    for split, names in check.absent.items():
        absent.setdefault(", ".join(names), []).append(split)
    lines += [f"  not read: {', '.join(splits)} (not here: {names})" for names, splits in absent.items()]
    if check.problem:
        lines.append(f"  problem: {check.problem}")
    return "\n".join(lines)


def _row(finding: "Finding", notes: list[str]) -> tuple[str, ...]:
    """Return the cells of a count; the number in brackets refers to a reason in `notes`, below the table."""
    number = "-"
    if finding.measured is not None:
        number = f"{finding.measured:,.4g}" if finding.measured % 1 else f"{finding.measured:,.0f}"
    note = f" [{notes.index(finding.why) + 1}]" if finding.why else ""
    words = {"equal": "equal", "explained": "differs, explained", "unexplained": "DIFFERS, not explained"}
    verdict = words.get(finding.verdict, finding.verdict) + note
    stated = f"{int(finding.stated):,}" if finding.stated.isdigit() else finding.stated
    return finding.split, finding.count, number, stated, f"{finding.paper}, {finding.place}", verdict
