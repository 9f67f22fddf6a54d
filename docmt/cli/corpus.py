"""`docmt corpus`: stage 1, downloads and readers, and a user's own corpus, with all that is wrong with it."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.base.artifacts import as_object
from docmt.base.errors import USER_MISTAKE, UserError
from docmt.base.foreign import reading
from docmt.cli.options import input_file, input_folder, output_file, output_folder, told
from docmt.cli.screen import aligned

if TYPE_CHECKING:
    from docmt.corpus.inputs import ProblemKind
    from docmt.corpus.review import Review

DOCUMENTS = "blank, none (each line is one), start=<d>, end=<d> (a line that begins with it), offsets=FILE"


def fetch(
    catalogue: Annotated[Path, input_file("the corpus' file: workflow/corpora/<corpus>.yaml")],
    file: Annotated[str, typer.Option(help="name of the file, as in the catalogue")],
    lock: Annotated[Path, output_file("JSON that keeps the sha256 of first downloads")],
    output: Annotated[Path, output_file("where the verified file goes; OUTPUT.part is what to resume from")],
    mirror: Annotated[
        str, typer.Option(envvar="DOCMT_MIRROR", help="folder or URL that is tried before the file's sources")
    ] = "",
    local: Annotated[
        Path | None, input_folder("folder of yours that holds the file by its name; DOCMT_LOCAL has one by corpus")
    ] = None,
) -> None:
    """Download one file of a corpus and verify it."""
    from docmt.catalogue.corpus import load_corpus
    from docmt.corpus.download import fetch as fetch_file
    from docmt.corpus.download import find_file

    corpus = load_corpus(catalogue)
    own = local or _local(corpus.corpus)
    fetch_file(find_file(corpus, file, catalogue), output, lock, corpus.corpus, mirror or None, local=own)


def _local(corpus: str) -> Path | None:
    """The folder that config.yaml names for a corpus, as it comes to jobs: JSON in the environment."""
    with reading("DOCMT_LOCAL", "not JSON", remedy="set it to an object: a folder by the name of each corpus"):
        local = json.loads(os.environ.get("DOCMT_LOCAL") or "{}")
    folder = as_object(local, "DOCMT_LOCAL").get(corpus)
    return Path(folder) if folder else None


def fixture(
    output: Annotated[Path, output_folder("new folder for the files")],
    catalogue: Annotated[
        Path | None, input_file("the corpus' file: workflow/corpora/<corpus>.yaml, or one of yours")
    ] = None,
    settings: Annotated[Path | None, input_file("instead: settings.json of the job")] = None,
) -> None:
    """Make small files in a corpus' own raw form, with generated text: what its reader takes for the real ones.

    Of a corpus of the catalogue they are as large as docmt.catalogue.fixtures says, in the workflow as the scale says.
    """
    from docmt.catalogue.corpus import CorpusSettings, load_corpus
    from docmt.catalogue.fixtures import FixtureConfig
    from docmt.corpus.fixtures import write_fixture

    if (catalogue is None) == (settings is None):
        raise UserError("nothing to make up, or too much", expected="--catalogue or --settings")
    if catalogue is not None:
        write_fixture(load_corpus(catalogue), FixtureConfig(), output)
        return
    job = told(CorpusSettings, settings)
    if job.fixture is None:
        raise UserError("not the settings of a fixture", where=str(settings), found=f"those of {job.corpus} itself")
    write_fixture(job, job.fixture, output)


def read(
    settings: Annotated[Path, input_file("settings.json of the job")],
    downloads: Annotated[Path, input_folder("folder of the downloaded files")],
    output: Annotated[Path, output_folder("folder for documents.parquet, card.json[, contrastive.parquet]")],
) -> None:
    """Turn downloaded files into validated documents."""
    from docmt.catalogue.corpus import CorpusSettings
    from docmt.corpus.read import read_corpus

    read_corpus(told(CorpusSettings, settings), downloads, output)


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


def _kind(what: str, kind: "ProblemKind") -> list[str]:
    more = kind.count - len(kind.examples)
    return [
        f"{what}: {kind.count:,}",
        *(f"  {place}" for place in kind.examples),
        *([f"  and {more:,} more"] if more else []),
    ]


def _counts(found: "Review") -> list[str]:
    head = ("split", "documents", "sentences", "sentences a document", "references", "characters")
    rows = [head]
    for split, statistics in found.splits.items():
        facts = statistics.summary()
        counts = (f"{facts[name]:,}" for name in ("documents", "sentences"))
        ranges = (_range(facts[name]) for name in ("sentences_per_document", "references"))
        rows.append((split, *counts, *ranges, f"{facts['source_characters']:,} / {facts['target_characters']:,}"))
    lines = [aligned(rows)] if found.splits else []
    lines += [f"contrastive set {name}: {count:,} items" for name, count in found.items.items()]
    return lines + [f"changed: {what}: {count:,}" for what, count in sorted(found.changed.items()) if count]


def _range(of: Mapping[str, float]) -> str:
    return f"{of['min']}" if of["min"] == of["max"] else f"{of['min']} to {of['max']}"
