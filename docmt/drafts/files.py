"""Files of a user's own: tables, translation memories, XML of WMT, and folders that Hugging Face datasets has saved."""

from collections.abc import Sequence
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.catalogue.forms import ReaderConfig
from docmt.catalogue.held_out import TRAIN
from docmt.corpus.compression import without_ending
from docmt.corpus.inputs import CollectedProblems, ReaderInputs
from docmt.corpus.opening import open_corpus
from docmt.corpus.tables import ENDINGS, TableFormat, Wanted, format_of, read_table
from docmt.drafts.draft import Draft, Value, parse_pair

KINDS = {".tmx": "tmx", ".xml": "wmt_xml"}  # The form of a file that is no table, by the ending of its name.
DOCUMENT = "document"  # The column of a table that names the document.


def draft(address: str, parts: Sequence[str]) -> Draft:
    """Return the draft of a file or folder; `parts` are its path and the pair of languages.

    Raises UserError for a path that is not there, for a name of no known ending, and for a table without columns of the
    source and the target.
    """
    path, pair = Path(parts[0]), parse_pair(parts[1], address)
    if not path.exists():
        raise UserError("file not found", where=str(path), remedy="name a file or folder that is there")
    name, text = (f"{path.name}.tar", ".") if path.is_dir() else (path.name, path.name)
    reader: Value = {"archive": name} if path.is_dir() else {}
    form = "arrow" if path.is_dir() else format_of(path.name)
    kind = KINDS.get(Path(without_ending(path.name)).suffix)
    if form is not None:
        reader |= {"kind": "table"} | _columns(path, form, pair.languages)
    elif kind is not None:
        reader |= {"kind": kind}
    else:
        expected = ", ".join((*ENDINGS, *KINDS))
        raise UserError("the name does not say the form of the file", where=str(path), expected=f"one of {expected}")
    return Draft(
        name=path.name.split(".")[0].lower(),
        pair=pair,
        about=f"The text of {path}.",
        licence="unknown",
        citation="none yet",
        files=({"name": name, "sources": [str(path)]},),
        reader=reader,
        text=text,
        documents=_documents(path, name, {**reader, "splits": {TRAIN: text}}, pair.languages),
        notes=(f"{path}: the licence and what to cite are not known",),
    )


def _documents(path: Path, name: str, reader: Value, languages: tuple[str, str]) -> int:
    """Return the number of documents, from which the documents of dev and test are taken."""
    config = parse(ReaderConfig, reader, str(path))
    # What is wrong in the text is a matter of `docmt check-corpus`.
    with open_corpus(config, {name: path}, languages, str(path), CollectedProblems()) as opened:
        return sum(1 for _ in opened.documents)


def _columns(path: Path, form: TableFormat, languages: tuple[str, str]) -> Value:
    """Return the settings of a table: the columns, by the usual names, that have text in its first row."""
    inputs = ReaderInputs(path.parent, path.parent, *languages)
    candidates = (("source", "target"), languages, tuple(f"translation.{language}" for language in languages))
    for columns in candidates:
        if _has(inputs, path.name, form, columns):
            names = {"source": columns[0], "target": columns[1]} if columns != candidates[0] else {}
            document = {} if _has(inputs, path.name, form, (*columns, DOCUMENT)) else {DOCUMENT: None}
            return {**({"format": form} if path.is_dir() else {}), **names, **document}
    expected = " or ".join(f"{source} and {target}" for source, target in candidates)
    remedy = "write the corpus file by hand, where columns of any name can be stated (docs/how-to/add-a-corpus.md)"
    raise UserError("no columns of the usual names", where=str(path), expected=expected, remedy=remedy)


def _has(inputs: ReaderInputs, name: str, form: TableFormat, columns: Sequence[str]) -> bool:
    try:
        _, values, _ = next(read_table(inputs, name, form, Wanted(columns)), (0, [None], False))
    except UserError as problem:
        if problem.what == "columns are missing":
            return False
        raise
    return None not in values
