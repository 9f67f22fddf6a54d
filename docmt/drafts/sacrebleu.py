"""Test sets of WMT that sacreBLEU knows, with its addresses and checksums."""

import os
from pathlib import Path

from docmt.corpus.forms.sacrebleu import known_set
from docmt.drafts.address import Address, parse_pair
from docmt.drafts.draft import Draft, Value, file_value

CITATION = "Matt Post: A Call for Clarity in Reporting BLEU Scores, WMT 2018; and the findings of the WMT of its year."


def draft(address: Address) -> Draft:
    """Return the draft of a test set.

    An archive in sacreBLEU's own folder of downloads is the first source. Raises UserError for a set or a pair that
    sacreBLEU does not have, or that has no documents.
    """
    *names, languages = address.parts
    name, pair = "/".join(names), parse_pair(languages, address.text)
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
    """Return an archive of a set; in sacreBLEU's folder it has the name of the set and of its address."""
    url = known.data[number]
    name = f"{known.name.replace('/', '_')}.{url.rpartition('/')[2]}"
    md5 = known.md5[number] if known.md5 else None
    cached = cache_folder() / known.name / "raw" / name
    return file_value(name, [*([_of_anybody(cached)] if cached.is_file() else []), url], "B", md5=md5)


def _of_anybody(path: Path) -> str:
    """Return a path without the name of the user, where it is in the user's folder: people pass corpus files on."""
    return f"~/{path.relative_to(Path.home())}" if path.is_relative_to(Path.home()) else str(path)


def cache_folder() -> Path:
    """Return the folder of sacreBLEU's downloads: that of the variable SACREBLEU, or `~/.sacrebleu`."""
    return Path(os.environ.get("SACREBLEU") or Path.home() / ".sacrebleu")
