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
