"""What stage 8 gets to know of lexical chains, against LTCR and the output's own words."""

import random

from helpers.chain_measures import ltcr

from docmt.scoring.alignment.links import DirectedLinks
from docmt.scoring.chain_scores import AlignedTranslations, StopList, StopLists
from docmt.scoring.occurrences import occurrences, translated_chains
from docmt.settings.scoring import ConsistencyConfig

STOP_LISTS = StopLists(StopList(frozenset({"de"}), "list"), StopList(frozenset({"the"}), "list"))
CONFIG = ConsistencyConfig()


def linked(*links: tuple[int, int]) -> DirectedLinks:
    return DirectedLinks.symmetric(frozenset(links))


def test_a_chain_with_its_translations_and_their_places():
    sources = ["mao de gou", "gou", "mao .", "mao"]
    links = [linked((0, 0), (0, 1), (2, 4), (2, 5)), linked((0, 0)), linked((0, 0), (1, 1)), linked()]
    reference_links = [linked((0, 0), (2, 1)), linked((0, 0)), linked((0, 1)), linked((0, 0))]
    texts = AlignedTranslations(list("aabb"), sources, ["the Cat saw a big dog", "dog", "kitty .", ""], links)
    reference = AlignedTranslations(list("aabb"), sources, ["cat dog", "hound", "a cat .", "cat"], reference_links)
    rows = occurrences(texts, reference, STOP_LISTS, CONFIG).to_pylist()
    assert rows == [
        {
            "document": "a", "unit": "words", "lines": [0, 1], "words": [2, 0],
            "translations": ["big dog", "dog"], "places": [[4, 5], [0]], "agreeing": 0, "pairs": 1,
            "reference_translations": ["dog", "hound"], "reference_places": [[1], [0]],
            "reference_agreeing": 0, "reference_pairs": 1,
        },
        {
            "document": "b", "unit": "words", "lines": [2, 3], "words": [0, 0],
            "translations": ["kitty", None], "places": [[0], []], "agreeing": 0, "pairs": 1,
            "reference_translations": ["cat", "cat"], "reference_places": [[1], [0]],
            "reference_agreeing": 1, "reference_pairs": 1,
        },
    ]  # fmt: skip


def test_on_random_texts_pairs_add_up_to_ltcr_and_places_hold_the_translations():
    draw = random.Random(1)
    for config in (CONFIG, ConsistencyConfig(unaligned="skip", match="overlap", chains="pieces")):
        documents = [name for name in "abc" for _ in range(6)]
        lines = [[draw.choice("uvwxyz") for _ in range(draw.randint(1, 6))] for _ in documents]
        outputs = [[draw.choice(["one", "two", "The", "."]) for _ in range(draw.randint(0, 6))] for _ in documents]
        links = [
            linked(*((draw.randrange(len(line)), place) for place in range(len(output)) if draw.random() < 0.7))
            for line, output in zip(lines, outputs, strict=True)
        ]
        texts = AlignedTranslations(
            documents, [" ".join(line) for line in lines], [" ".join(output) for output in outputs], links
        )
        rows = occurrences(texts, texts, STOP_LISTS, config).to_pylist()
        score = ltcr(translated_chains(texts, STOP_LISTS, config), config)
        assert 100 * sum(row["agreeing"] for row in rows) / sum(row["pairs"] for row in rows) == score
        for row in rows:
            assert len({lines[line][word] for line, word in zip(row["lines"], row["words"], strict=True)}) == 1
            for line, text, places in zip(row["lines"], row["translations"], row["places"], strict=True):
                assert text == (" ".join(outputs[line][place].lower() for place in places) or None)
            assert row["translations"] == row["reference_translations"] and row["pairs"] == row["reference_pairs"]
