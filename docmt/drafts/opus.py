"""Corpora of OPUS (opus.nlpl.eu): the zip of a pair in the form of Moses, with the documents in its `.ids` file.

`opus.tsv` has the counts of OPUS' own index (the database of OpusTools 1.9.0), and the sizes and digests that the
indexes of the Hub and of TensorFlow Datasets state.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from docmt.base.errors import UserError, nearest
from docmt.drafts.draft import Draft, Pair, file_value, parse_pair

HOST = "https://object.pouta.csc.fi"
CITATION = "Joerg Tiedemann: Parallel Data, Tools and Interfaces in OPUS, LREC 2012. LICENSE in the zip says what else."
FEW = 20  # The number of documents below which a corpus is hardly one of documents.


def draft(address: str, parts: Sequence[str]) -> Draft:
    """Return the draft of a corpus of OPUS; `parts` are those of the path of its address.

    Raises UserError for a corpus that is one document in the index of OPUS, whose boundaries are therefore unknown.
    """
    corpus, version, languages = parts
    pair = parse_pair(languages, address)
    row = index().get((corpus, version, pair.sorted), {})
    if row.get("xml_documents") == "1":
        raise UserError(
            "OPUS has no boundaries of documents in this corpus",
            where=address,
            found="1 document",
            remedy=f"corpora with documents: {', '.join(_known(pair)) or 'none of this pair'}",
        )
    archive = f"opus.{corpus}.{version}.{pair.sorted}.txt.zip"
    url = f"{HOST}/OPUS-{corpus}/{version}/moses/{pair.sorted}.txt.zip"
    stem = f"{corpus}.{pair.sorted}"
    return Draft(
        name=f"{corpus}-{version}".lower(),
        pair=pair,
        about=_about(corpus, version, row),
        licence=f"see LICENSE in the zip, and https://opus.nlpl.eu/{corpus}",
        citation=CITATION,
        files=(file_value(archive, url, "B" if row else "C", sha256=row.get("sha256"), size=number_of(row, "bytes")),),
        # A zip may have pairs of which one side is empty, and control characters.
        reader={"kind": "opus", "archive": archive, "drop_empty": True, "control": "space"},
        text={"source": f"{stem}.{pair.source}", "target": f"{stem}.{pair.target}", "ids": f"{stem}.ids"},
        documents=number_of(row, "xml_documents"),
        sentences=number_of(row, "pairs"),
        notes=tuple(_notes(corpus, version, pair, row)),
    )


@cache
def index() -> Mapping[tuple[str, str, str], Mapping[str, str]]:
    """Return the rows of `opus.tsv` by corpus, version and pair; an empty value is unknown."""
    header, *lines = Path(__file__).with_name("opus.tsv").read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]
    return {(row["corpus"], row["version"], row["pair"]): row for row in rows}


def number_of(row: Mapping[str, str], column: str) -> int | None:
    """Return a number of a row of the index; None where it is unknown."""
    return int(row[column]) if row.get(column) else None


def _about(corpus: str, version: str, row: Mapping[str, str]) -> str:
    about = f"{corpus} {version} of OPUS: the zip in the form of Moses, whose .ids file names the documents."
    if not row:
        return about
    pairs, documents = number_of(row, "pairs"), number_of(row, "xml_documents")
    return f"{about} OPUS counts {pairs:,} sentence pairs in it, and {documents:,} documents in its XML."


def _notes(corpus: str, version: str, pair: Pair, row: Mapping[str, str]) -> list[str]:
    if not row:
        known = _known(pair)
        near = f"; {nearest(f'{corpus}/{version}', known)}" if known else ""
        return [f"docmt has no counts of {corpus} {version} {pair.sorted}{near}. Stage 1 stops if the zip has no .ids"]
    pairs, in_xml = number_of(row, "pairs"), number_of(row, "xml_pairs")
    notes = []
    if in_xml is not None and pairs < in_xml:
        notes.append(
            f"the zip has {pairs:,} of the {in_xml:,} pairs of the XML: sentences are missing inside documents"
        )
    if number_of(row, "xml_documents") < FEW:
        notes.append(f"OPUS counts {row['xml_documents']} documents, too few for a study of documents")
    return notes


def _known(pair: Pair) -> list[str]:
    """Return the corpora of a pair in the index that have FEW documents or more, as `CORPUS/VERSION`."""
    rows = [row for row in index().values() if row["pair"] == pair.sorted and number_of(row, "xml_documents") >= FEW]
    return [f"{row['corpus']}/{row['version']}" for row in rows]
