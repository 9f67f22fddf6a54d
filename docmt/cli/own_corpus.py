"""`docmt corpus validate`: a user's own corpus, with all that is wrong with it."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.cli.options import input_file, input_folder
from docmt.cli.screen import aligned

if TYPE_CHECKING:
    from docmt.corpus.problems import Kind
    from docmt.corpus.review import Review

DOCUMENTS = "blank, none (each line is one), start=<d>, end=<d> (a line that begins with it), offsets=FILE"


def validate(
    path: Annotated[
        Path | None,
        typer.Argument(help="a corpus file such as those of the catalogue (.yaml), or a table", dir_okay=False),
    ] = None,
    source: Annotated[Path | None, input_file("instead of PATH: text, a sentence a line")] = None,
    target: Annotated[Path | None, input_file("its translation, line by line")] = None,
    reference: Annotated[list[Path] | None, input_file("a further translation; may be repeated")] = None,
    documents: Annotated[str, typer.Option(help=f"how documents are told apart: {DOCUMENTS}")] = "blank",
    files: Annotated[
        Path | None, input_folder("folder that holds the corpus' files; else beside PATH, or downloaded already")
    ] = None,
    mirror: Annotated[str, typer.Option(envvar="DOCMT_MIRROR", help="folder that holds archives")] = "",
    at_most: Annotated[int, typer.Option(min=1, help="so many problems of each kind are shown")] = 10,
) -> None:
    """Read a corpus of yours and report every problem with its line; status 2 where there is one.

    PATH is a corpus file (see README), or a table of sentence pairs: .tsv, .jsonl or .parquet, with the columns source,
    target and document. Where nothing is wrong its counts are shown.
    """
    from docmt.base.errors import USER_MISTAKE, UserError
    from docmt.corpus.review import review_corpus, review_files

    if (path is None) == (source is None) or (source is None) != (target is None):
        raise UserError("nothing to read, or too much", expected="PATH, or --source and --target")
    if path is None:
        found = review_files(_lines(source, target, reference or [], documents), "--source, --target", at_most)
    elif path.suffix in (".yaml", ".yml"):
        found = review_corpus(path, files, mirror or None, at_most)
    else:
        found = review_files({"kind": "table", "splits": {"train": str(path)}}, str(path), at_most)
    typer.echo(shown(found))
    if found.problems.problems:
        raise typer.Exit(USER_MISTAKE)


def _lines(source: Path, target: Path, references: list[Path], documents: str) -> dict[str, Any]:
    """Settings of the reader `lines`."""
    from docmt.base.errors import UserError

    name, _, value = documents.partition("=")
    forms: dict[str, Any] = {
        "blank": {"blank": True},
        "none": None,
        "start": {"marker": value, "at": "start"},
        "end": {"marker": value, "at": "end"},
        "offsets": {"offsets": {"train": value}},
    }
    if name not in forms or bool(value) != (name in ("start", "end", "offsets")):
        raise UserError("unknown way to tell documents apart", where="--documents", found=documents, expected=DOCUMENTS)
    sides = {"source": str(source), "target": str(target), "references": [str(path) for path in references]}
    return {"kind": "lines", "splits": {"train": sides}, "documents": forms[name]}


def shown(found: "Review") -> str:
    """Problems and warnings kind by kind; where there is no problem, what the corpus holds."""
    problems = found.problems
    lines = [line for what, kind in problems.problems.items() for line in _kind(what, kind)]
    lines += [line for what, kind in problems.warnings.items() for line in _kind(f"warning: {what}", kind)]
    if not problems.problems:
        lines += _counts(found)
    return "\n".join(lines)


def _kind(what: str, kind: "Kind") -> list[str]:
    more = kind.count - len(kind.shown)
    return [
        f"{what}: {kind.count:,}",
        *(f"  {place}" for place in kind.shown),
        *([f"  and {more:,} more"] if more else []),
    ]


def _counts(found: "Review") -> list[str]:
    head = ("split", "documents", "sentences", "sentences a document", "references", "characters")
    rows = [head]
    for split, statistics in found.splits.items():
        facts = statistics.shown()
        length, references = facts["sentences_per_document"], facts["references"]
        characters = f"{facts['source_characters']:,} / {facts['target_characters']:,}"
        row = (
            split,
            f"{facts['documents']:,}",
            f"{facts['sentences']:,}",
            _range(length),
            _range(references),
            characters,
        )
        rows.append(row)
    lines = [aligned(rows)] if found.splits else []
    lines += [f"contrastive set {name}: {count:,} items" for name, count in found.items.items()]
    return lines + [f"changed: {what}: {count:,}" for what, count in sorted(found.changed.items())]


def _range(of: Mapping[str, float]) -> str:
    return f"{of['min']}" if of["min"] == of["max"] else f"{of['min']} to {of['max']}"
