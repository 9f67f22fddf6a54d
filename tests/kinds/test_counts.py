"""Tables of counts: what corpora hold, beside what papers state."""

from helpers.single_item import CORPUS, only

from docmt.base.artifacts import write_json

COUNTS = {
    "kind": "counts",
    "paper": "Table 1",
    "published": "A paper",
    "counts": ["sentences", "words_per_chain", "tokens_per_instance"],
    "splits": ["train", "test"],
}
STATED = {"train": {"sentences": "71K", "words_per_chain": 3.04}, "test": {"sentences": 5, "tokens_per_instance": 320}}


def with_counts(world) -> None:
    world.corpus()
    card, view = "4_chain_words/toy_zh-en/lower/card.json", "3_views/toy_zh-en/lower/tokens512/card.json"
    write_json(world.results / card, {"splits": {"train": {"avg_k": 3.5}, "test": {"avg_k": 2.5}}})
    pieces = {"source": {"pieces": 600}, "target": {"pieces": 640}}
    write_json(world.results / view, {"splits": {"test": {"segments": 2, "sentences_in_segments": 20, **pieces}}})
    of_counts = {"words_per_chain": card, "tokens_per_instance": view}
    world.settings["cards"] = {f"{CORPUS}/{c}/{split}": of_counts[c] for c in of_counts for split in ("train", "test")}
    other = {"paper": "Another", "place": "Table 1", "counts": {"train": {"sentences": 1}}}
    stated = {"paper": "A paper", "place": "Table 1", "counts": STATED, "why": {"words_per_chain": "the stop list"}}
    world.settings["corpora"][CORPUS]["published"] = [other, stated]


def test_counts_of_corpora_stand_beside_what_the_paper_states(world):
    with_counts(world)
    piece, page = only(world, "tables", COUNTS)
    cells = {
        (r["row"], r["metric"]): (r["published"], r["measured"], r["agrees"], r["status"])
        for r in piece.records
        if not r["reading"]
    }
    assert cells == {
        ("train", "sentences"): ("71K", 71234, True, "measured"),
        ("train", "words_per_chain"): ("3.04", 3.5, False, "measured"),
        ("test", "sentences"): ("5", 4, False, "measured"),
        ("test", "words_per_chain"): (None, 2.5, None, "measured"),
    }
    assert ">≠ 1</sup>" in page and "<li>the stop list</li>" in page and ">≠</sup>" in page
    assert "71\u202f234" in page


def test_counts_of_generated_text_are_not_compared(world):
    with_counts(world)
    world.settings["not_comparable"] = {CORPUS: {"": ["the text is generated"]}}
    piece, page = only(world, "tables", COUNTS)
    marked = {r["metric"]: (r["agrees"], r["not_comparable"]) for r in piece.records if r["row"] == "train"}
    assert marked["sentences"] == (None, "the text is generated")
    assert marked["tokens_per_instance"] == (None, ""), "nothing is published beside it"
    assert "[a] not comparable because the text is generated" in page


def test_each_reading_of_an_open_count_has_a_column(world):
    with_counts(world)
    piece, page = only(world, "tables", COUNTS)
    readings = {
        r["reading"]: (r["measured"], r["agrees"]) for r in piece.records if r["reading"] and r["row"] == "test"
    }
    assert readings == {
        "source pieces": (300, False),
        "target pieces": (320, True),
        "source pieces, <s> and </s>": (320, True),
        "target pieces, <s> and </s>": (340, False),
    }
    assert {r["status"] for r in piece.records if r["reading"] and r["row"] == "train"} == {"not run"}
    assert "<li>the paper does not say of which side, and whether &lt;s&gt; and &lt;/s&gt; count" in page
    assert "tokens per instance: target pieces, &lt;s&gt; and &lt;/s&gt;</th>" in page
