"""Lexical chains of a made-up test set, as stage 7 leaves them, for the tests of reports."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from docmt.base.chains import repeated
from docmt.base.columns import OCCURRENCES, TOKENS
from docmt.base.tables import write_arrow

TEXT = {
    ("a", 0): ("猫 坐 下", "a cat sat", {"sentence": "the cat sits", "concat_3": "the cat sat"}),
    ("a", 1): ("猫 走 了", "the cat left", {"sentence": "a kitty left", "concat_3": "the cat left"}),
    ("b", 0): ("狗 和 猫", "dog and cat", {"sentence": "a dog and cat", "concat_3": "a dog and cat"}),
    ("b", 1): ("狗 叫", "the hound barks", {"sentence": "a dog barks", "concat_3": "a dog barks"}),
}
"""The sentences of the test split: source, reference, and each system's translation."""


def rendered(*words: tuple[str, int] | None, prefix: str = "") -> dict:
    """Of each occurrence its translation, one word, and the place of it."""
    texts = [word and word[0] for word in words]
    pairs = len(words) * (len(words) - 1) // 2
    agreeing = sum(text == other is not None for n, text in enumerate(texts) for other in texts[:n])
    values = {"translations": texts, "places": [[word[1]] if word else [] for word in words]}
    return {f"{prefix}{name}": value for name, value in {**values, "agreeing": agreeing, "pairs": pairs}.items()}


def chain(document: str, lines: list[int], words: list[int], translations: list, reference: list) -> dict:
    place = {"document": document, "unit": "words", "lines": lines, "words": words}
    return place | rendered(*translations) | rendered(*reference, prefix="reference_")


def cats(translations: list) -> dict:
    return chain("a", [0, 1], [0, 0], translations, [("cat", 1), ("cat", 1)])


def dogs(translations: list) -> dict:
    return chain("b", [2, 3], [0, 0], translations, [("dog", 0), ("hound", 1)])


CHAINS = {
    "sentence": [cats([("cat", 1), ("kitty", 1)]), dogs([("dog", 1), ("dog", 1)])],
    "concat_3": [cats([("cat", 1), ("cat", 1)]), dogs([("dog", 1), ("dog", 1)])],
}


def write_tokens(world, text: dict) -> None:
    rows = [
        {"split": split, "document": document, "sentence": sentence, "source_tokens": source, "source_pieces": source}
        | {"target_tokens": reference}
        for split in ("train", "test")
        for (document, sentence), (source, reference, _) in text.items()
    ]
    file = world.results / "2_tokens" / "toy_zh-en" / "lower" / "tokens.arrow"
    write_arrow(file, pa.Table.from_pylist(rows, TOKENS))


def write_chains(world, chains: dict, text: dict, seed: int = 1) -> None:
    for system, rows in chains.items():
        table = pa.Table.from_pylist(rows, OCCURRENCES)
        write_arrow(world.folder("7_scores", system, seed) / "occurrences.arrow", table)
        world.translate(system, [outputs[system] for _, _, outputs in text.values()], seed)
        lines = "".join(outputs[system] + "\n" for _, _, outputs in text.values())
        (world.folder("6_translations", system, seed) / "test.tok.txt").write_text(lines, encoding="utf-8")


def repeated_words(words: Sequence[str], stop_words: frozenset[str]) -> dict[str, list[int]]:
    """The places of each word that one text repeats, by first occurrence."""
    chains = repeated(pa.array(words, pa.string()), np.array([len(words)]), stop_words)
    return {words[places[0]]: places.tolist() for places in chains}
