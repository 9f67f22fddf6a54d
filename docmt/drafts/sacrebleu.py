"""Test sets of WMT that sacreBLEU knows, with its addresses and checksums."""

from collections.abc import Sequence

from docmt.corpus.forms.sacrebleu import known_set
from docmt.drafts.address import parse_pair
from docmt.drafts.draft import Draft, Value, file_value

CITATION = "Matt Post: A Call for Clarity in Reporting BLEU Scores, WMT 2018; and the findings of the WMT of its year."


def draft(address: str, parts: Sequence[str]) -> Draft:
    """Return the draft of a test set; `parts` are those of the path of its address.

    Raises UserError for a set or a pair that sacreBLEU does not have, or that has no documents.
    """
    *names, languages = parts
    name, pair = "/".join(names), parse_pair(languages, address)
    known = known_set(name, languages)
    files = [_file(known, number) for number in range(len(known.data))]
    return Draft(
        name=name.replace("/", "-"),
        pair=pair,
        about=f"The test set {name} of sacreBLEU: {known.description}",
        licence="for research; see the page of the WMT of its year",
        citation=CITATION,
        files=tuple(files),
        reader={"kind": "sacrebleu"},
        text=[{"set": name, "archives": [file["name"] for file in files]}],
        is_test_set=True,
    )


def _file(known: object, number: int) -> Value:
    """Return an archive of a set; it has the name of the set and of its address."""
    url = known.data[number]
    name = f"{known.name.replace('/', '_')}.{url.rpartition('/')[2]}"
    return file_value(name, url, "B", md5=known.md5[number] if known.md5 else None)
