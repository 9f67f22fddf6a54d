"""The readers on real archives, in the shared material: counts as their publishers have them."""

import json
from collections import Counter

import pytest
from helpers.reader_files import documents_of, items_of

from docmt.corpus.inputs import ReaderInputs


@pytest.fixture
def real(shared, tmp_path) -> ReaderInputs:
    return ReaderInputs(shared / "mirror", tmp_path, "zh", "en")


def counts(documents) -> dict[str, tuple[int, int]]:
    """Documents and sentences by split."""
    splits = Counter(document.split for document in documents)
    return {
        split: (count, sum(len(d.source.sentences) for d in documents if d.split == split))
        for split, count in splits.items()
    }


IWSLT15 = {
    "kind": "iwslt_xml",
    "archive": "iwslt15_zh-en.tar.gz",
    "files": "iwslt15_zh-en/IWSLT15.TED.{set}.zh-en.{language}.xml",
    "splits": {"dev": ["dev2010"], "test": ["tst2010", "tst2011", "tst2012", "tst2013"]},
}


def test_iwslt_2015(real):
    documents = documents_of(real, IWSLT15)
    assert counts(documents) == {"dev": (8, 887), "test": (56, 5473)}
    # The offset files beside, made by others from the same talks, agree on where each begins.
    for set_ in ("dev2010", "tst2010", "tst2011", "tst2012", "tst2013"):
        starts, first = [], 0
        for document in documents:
            if document.name.startswith(f"{set_}."):
                starts.append(first)
                first += len(document.source.sentences)
        lines = real.within(IWSLT15["archive"]).lines(f"iwslt15_zh-en/IWSLT15.TED.{set_}.zh-en.doc")
        assert [int(line) for line in lines] == starts


def test_iwslt_2017(shared, tmp_path):
    inputs = ReaderInputs(shared / "mirror", tmp_path, "en", "de")
    sets = {"dev2010": (8, 888), "tst2010": (11, 1568), "tst2011": (16, 1433), "tst2012": (15, 1700)}
    sets |= {"tst2013": (16, 993), "tst2014": (15, 1305), "tst2015": (12, 1080)}
    files = "iwslt17_en-de/IWSLT17.TED.{set}.en-de.{language}.xml"
    for set_, expected in sets.items():
        reader = {"kind": "iwslt_xml", "archive": "iwslt17_en-de.tar.gz", "files": files, "splits": {"dev": [set_]}}
        assert counts(documents_of(inputs, reader)) == {"dev": expected}


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("IWSLT2017", {"dev": (93, 8967), "test": (23, 2271)}),
        ("NC-2016", {"dev": (81, 2169), "test": (155, 2999)}),
        ("Europarl7", {"dev": (240, 3587), "test": (360, 5134)}),
    ],
)
def test_maruf(real, folder, expected):
    path = "maruf_en-de/{}/concatenated_en2de_{}_{}.txt"
    splits = {
        split: {"source": path.format(folder, split, "en"), "target": path.format(folder, split, "de")}
        for split in ("dev", "test")
    }
    boundaries = {"marker": "<d>", "at": "start"}
    reader = {"kind": "lines", "archive": "maruf_en-de.tar.gz", "splits": splits, "documents": boundaries}
    assert counts(documents_of(real, reader)) == expected


VOITA = "voita_enru_consistency.tar.gz"


@pytest.mark.parametrize(
    ("name", "instances", "rows"),
    [
        ("deixis_dev", 500, 1000),
        ("deixis_test", 2500, 5000),
        ("lex_cohesion_dev", 500, 1124),
        ("lex_cohesion_test", 1500, 3428),
        ("ellipsis_infl", 500, 2520),
        ("ellipsis_vp", 500, 5203),
    ],
)
def test_voita(real, name, instances, rows):
    folder = "voita_enru_consistency"
    items = items_of(
        real, {"kind": "voita", "archive": VOITA, "sets": {name: f"{folder}/{name}.json"}, "control": "space"}
    )
    dropped = sum(count for what, count in real.changed.items() if what.startswith("variants dropped"))
    assert (len(items), sum(len(item.variants) for item in items) + dropped) == (instances, rows)
    assert {len(item.source) for item in items} == {4}
    ties = [item for item in items if item.variants.count(item.variants[item.correct]) > 1]
    assert len(ties) == (name == "ellipsis_infl")
    # The rows that Voita et al. score are those of the instances, one after another.
    instances = json.loads(real.within(VOITA).text(f"{folder}/{name}.json"))
    scored = (real.within(VOITA).lines(f"{folder}/scoring_data/{name}.{side}") for side in ("src", "dst"))
    assert [(instance["src"], text) for instance in instances for text in instance["dst"]] == list(
        zip(*scored, strict=True)
    )


def test_tvsub(real):
    archive, folder = "tvsub_zh-en.tar.gz", "tvsub_zh-en"
    sets = {
        split: {
            "source": f"{folder}/dev_test/{split}.orignal.zh",
            "source_form": "lines",
            "references": [f"{folder}/dev_test/{split}_trg.sgm"],
        }
        for split in ("dev", "test")
    }
    episodes = {"source": f"{folder}/train/{{document}}.zh", "target": f"{folder}/train/{{document}}.en"}
    parts = [
        {"kind": "files", "archive": archive, "splits": {"train": episodes}, "control": "space"},
        {"kind": "nist_sgm", "archive": archive, "splits": sets},
    ]
    documents = documents_of(real, {"kind": "combined", "parts": parts})
    assert counts(documents) == {"train": (240, 227089), "dev": (2, 1086), "test": (2, 1154)}
    names = [document.name for document in documents]
    assert names == [*sorted(names[:240], key=int), "SUB01", "SUB02", "SUB01", "SUB02"]
    assert {document.split: len(document.references) for document in documents} == {"train": 0, "dev": 0, "test": 2}
