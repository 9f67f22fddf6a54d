"""Corpora of WMT at statmt.org, as tables: News Commentary, and Europarl from version 9 on.

`statmt.tsv` has the sizes and digests that the indexes of the Hub and of TensorFlow Datasets state. The rows without
text between the articles of News Commentary are described in papers of WMT 2019; nobody has read these files for
docmt. Stage 1 stops where a table turns out to be one document.
"""

from docmt.base.errors import check_known
from docmt.drafts.address import Address, Pair, parse_pair
from docmt.drafts.draft import Draft, file_value, index_row, number_of

INDEX = "statmt.tsv"
PLACES = {
    "news-commentary": (
        "https://data.statmt.org/news-commentary/{version}/training/{name}",
        "https://huggingface.co/datasets/wmt/news-commentary/resolve/main/{version}/training/{name}",
    ),
    "europarl": (
        "https://www.statmt.org/europarl/{version}/training/{name}",
        "https://huggingface.co/datasets/wmt/europarl/resolve/main/{version}/training/{name}",
    ),
}
"""The addresses of a corpus, the official one first."""
DOCUMENT_COLUMN = 3
"""The column of the document in Europarl from version 10 on; its other columns name the paragraph and the speaker."""
LICENCE = "see https://www.statmt.org/wmt20/translation-task.html: free for research"
CITATION = "Loic Barrault et al.: Findings of the 2020 Conference on Machine Translation (WMT20)."


def draft(address: Address) -> Draft:
    """Return the draft of a corpus of statmt.org. Raises UserError for an unknown corpus."""
    corpus, version, languages = address.parts
    check_known("corpus of statmt.org", corpus, PLACES, where=address.text)
    pair = parse_pair(languages, address.text)
    # The file of version v18.1 has v18 in its name.
    name = f"{corpus}-{version.split('.')[0]}.{pair.sorted}.tsv.gz"
    row = index_row(INDEX, corpus=corpus, version=version, pair=pair.sorted)
    urls = [url.format(version=version, name=name) for url in PLACES[corpus]]
    return Draft(
        name=f"{corpus}-{version}",
        pair=pair,
        about=f"{corpus} {version} of WMT, a table of sentence pairs; a row without text ends an article or a session.",
        licence=LICENCE,
        citation=CITATION,
        files=(file_value(name, urls, "B" if row else "C", sha256=row.get("sha256"), size=number_of(row, "bytes")),),
        reader=_reader(corpus, version, pair),
        splits={None: name},
        notes=("the boundaries of its documents were never checked: compare what stage 1 counts with what you expect",),
    )


def _reader(corpus: str, version: str, pair: Pair) -> dict:
    """Return the settings of the reader of a table."""
    named = corpus == "europarl" and version != "v9"
    return {
        "kind": "table",
        "header": False,
        "source": pair.column(pair.source),
        "target": pair.column(pair.target),
        "document": DOCUMENT_COLUMN if named else None,
        # Rows of which one side is empty are dropped; control characters occur in a few lines.
        "drop_empty": True,
        "control": "space",
    }
