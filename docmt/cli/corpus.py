"""`docmt check-corpus` and `docmt make-fixture`: the check of a user's corpus, and small generated corpus files."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.base.errors import USER_MISTAKE, UserError
from docmt.base.screen import aligned, print_json
from docmt.cli.options import AsJson, Mirror, input_file, input_folder, output_folder
from docmt.cli.standard_input import NAME

if TYPE_CHECKING:
    from docmt.corpus.inputs import ProblemKind
    from docmt.corpus.leaks import Shared
    from docmt.corpus.review import Review

BOUNDARIES = "blank, none (each line is a document), start=TEXT, end=TEXT (a line that begins with it), offsets=FILE"


def make_fixture(
    catalogue: Annotated[Path, input_file("a corpus file: workflow/corpora/<corpus>.yaml, or one of yours")],
    output: Annotated[Path, output_folder("new folder for the files")],
    as_json: AsJson = False,
) -> None:
    """Make small files in a corpus' own raw form, with generated text, which the corpus' reader reads.

    Their size is the default of docmt.catalogue.fixtures; in the workflow the scale decides.
    """
    from docmt.catalogue.corpus import load_corpus
    from docmt.catalogue.fixtures import FixtureConfig
    from docmt.corpus.fixtures import write_fixture

    write_fixture(load_corpus(catalogue), FixtureConfig(), output)
    files = sorted(str(path.relative_to(output)) for path in output.rglob("*") if path.is_file())
    if as_json:
        print_json({"output": str(output), "files": files})
    else:
        typer.echo(f"{output}: {', '.join(files)}")


def check_corpus(
    path: Annotated[
        Path | None,
        typer.Argument(help="a corpus file (.yaml), or a table of sentence pairs; - is a TSV table", dir_okay=False),
    ] = None,
    source: Annotated[Path | None, input_file("instead of PATH: source text, a sentence per line")] = None,
    target: Annotated[Path | None, input_file("translation of the source, line by line")] = None,
    reference: Annotated[list[Path] | None, input_file("further translation of the source; repeat it")] = None,
    boundaries: Annotated[
        str, typer.Option(help=f"what separates documents in --source and --target: {BOUNDARIES}")
    ] = "blank",
    files: Annotated[
        Path | None, input_folder("folder with the corpus' files [default: beside PATH, or downloaded already]")
    ] = None,
    mirror: Mirror = None,
    at_most: Annotated[int, typer.Option(min=1, help="how many problems of each kind are printed")] = 10,
    as_json: AsJson = False,
) -> None:
    """Check a corpus of yours: read all of it, and report every problem with its line; status 2 where there is one.

    PATH is a corpus file (docs/how-to/add-a-corpus.md), or a table of sentence pairs: .tsv, .jsonl or .parquet, with
    the columns source, target and document. Where nothing is wrong, its counts are printed.
    """
    from docmt.corpus.review import review_corpus, review_files

    if (path is None) == (source is None) or (source is None) != (target is None):
        raise UserError("no corpus to check, or more than one", expected="PATH, or --source and --target")
    if path is None:
        settings = lines_settings(source, target, reference or [], boundaries)
        review = review_files(settings, "--source, --target", at_most)
    elif path.suffix in (".yaml", ".yml"):
        review = review_corpus(path, files, mirror, at_most)
    else:
        # The reader derives the form of a table from the end of the file's name, which standard input lacks.
        table = path.rename(path.with_suffix(".tsv")) if path.name == NAME else path
        review = review_files({"kind": "table", "splits": {"train": str(table)}}, str(table), at_most)
    if as_json:
        print_json(as_record(review))
    else:
        typer.echo(review_text(review))
    if review.problems.problems:
        raise typer.Exit(USER_MISTAKE)


def lines_settings(source: Path, target: Path, references: list[Path], boundaries: str) -> dict[str, Any]:
    """Return the settings of the reader `lines`; raise UserError for an unknown boundary between documents."""
    name, _, value = boundaries.partition("=")
    forms: dict[str, Any] = {
        "blank": {"blank": True},
        "none": None,
        "start": {"marker": value, "at": "start"},
        "end": {"marker": value, "at": "end"},
        "offsets": {"offsets": {"train": value}},
    }
    if name not in forms or bool(value) != (name in ("start", "end", "offsets")):
        raise UserError(
            "unknown boundary between documents", where="--boundaries", found=boundaries, expected=BOUNDARIES
        )
    sides = {"source": str(source), "target": str(target), "references": [str(path) for path in references]}
    return {"kind": "lines", "splits": {"train": sides}, "documents": forms[name]}


def as_record(review: "Review") -> dict[str, Any]:
    """Return the problems, warnings and counts of a corpus as a record for JSON."""
    problems = review.problems
    return {
        "problems": {name: dataclasses.asdict(kind) for name, kind in problems.problems.items()},
        "warnings": {name: dataclasses.asdict(kind) for name, kind in problems.warnings.items()},
        "splits": {split: statistics.summary() for split, statistics in review.splits.items()},
        "shared": [dataclasses.asdict(comparison) for comparison in review.shared],
        "contrastive": dict(review.items),
        "changed": dict(review.changed),
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
    return [
        f"{what}: {kind.count:,}",
        *(f"  {place}" for place in kind.examples),
        *([f"  and {more:,} more"] if more else []),
    ]


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
    lines += shared_lines(review.shared)
    lines += [f"contrastive set {name}: {count:,} items" for name, count in review.items.items()]
    return lines + [f"changed: {what}: {count:,}" for what, count in sorted(review.changed.items()) if count]


def shared_lines(shared: "list[Shared]") -> list[str]:
    """Return a line for each two splits that share text, or one line where there are several that share none."""
    from docmt.corpus.leaks import portion

    lines = []
    for comparison in shared:
        units = {
            "documents": comparison.documents,
            "sentence pairs": comparison.pairs,
            "source sentences": comparison.sources,
        }
        parts = [f"{unit} {portion(counted)}" for unit, counted in units.items() if counted.count]
        if parts:
            lines.append(f"shared with {comparison.earlier}, of {comparison.split}: {', '.join(parts)}")
    return lines or (["shared between splits: nothing"] if shared else [])


def range_text(numbers: Mapping[str, float]) -> str:
    """Return the smallest and the largest number as text, or a single number where both are equal."""
    low, high = numbers["min"], numbers["max"]
    return f"{low}" if low == high else f"{low} to {high}"
