"""Corpora of OPUS in XML: the alignments of a pair, and the documents of its two languages as plain sentences."""

from collections.abc import Sequence
from dataclasses import replace

from docmt.drafts import opus
from docmt.drafts.draft import Draft, file_value, parse_pair


def draft(address: str, parts: Sequence[str]) -> Draft:
    """Return the draft of a corpus of OPUS; `parts` are those of the path of its address.

    Raises UserError for a corpus that is one document in the index of OPUS.
    """
    corpus, version, languages = parts
    pair, of_moses = parse_pair(languages, address), opus.draft(address, parts)
    row = opus.index().get((corpus, version, pair.sorted), {})
    host, stem = f"{opus.HOST}/OPUS-{corpus}/{version}", f"opus.{corpus}.{version}"
    alignments = f"{stem}.{pair.sorted}.xml.gz"
    archives = {code: f"{stem}.{code}.raw.zip" for code in (pair.source, pair.target)}
    folders = {code: f"{archive}/{corpus}/raw" for code, archive in archives.items()}
    return replace(
        of_moses,
        about=f"{corpus} {version} of OPUS: the documents in XML, and the alignments of their sentences.",
        files=(
            file_value(alignments, f"{host}/xml/{pair.sorted}.xml.gz", "C"),
            *(file_value(archive, f"{host}/raw/{code}.zip", "C") for code, archive in archives.items()),
        ),
        reader={"kind": "opus_xml", "drop_empty": True, "control": "space"},
        text={"alignments": alignments, "source": folders[pair.source], "target": folders[pair.target]},
        sentences=opus.number_of(row, "xml_pairs"),
        notes=(),
    )
