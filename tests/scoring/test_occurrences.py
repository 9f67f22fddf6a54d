"""What an occurrence of a chain is translated by, and that inconsistency lowers LTCR."""

from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from docmt.core.documents import CHAINS_WORDS, TOKENS, write_arrow
from docmt.scoring.consistency import hhi, ltcr
from docmt.scoring.occurrences import Output, translated_chains


@pytest.mark.parametrize(
    ("words", "sources", "targets", "expected"),
    [
        (["new", "york", "city"], [1, 1, 0], [2, 0], "new york"),
        (["york", "", "new"], [1, 1, 1], [None, 1], "york new"),
        (["cat", "sat"], [0, 0], [1, 0], "cat"),
        (["", "sat"], [1, 0], [1, 0], ""),
        (["cat"], [None], [0, None], ""),
        ([], [], [None, None], ""),
    ],
    ids=["joined in order", "stripped", "the other way", "the other way stripped", "no link", "no words"],
)
def test_the_translation_of_the_second_source_word(words, sources, targets, expected):
    assert Output(words, sources, targets).translation(1) == expected


WORDS = [f"s{n}" for n in range(30)]


def translated(sentences: list[list[str]], choices: list[str]) -> list[str]:
    """Each word has two translations; the first word of each sentence has that of the sentence's choice."""
    return [
        " ".join([choice + words[0], *("t" + word for word in words[1:])])
        for words, choice in zip(sentences, choices, strict=True)
    ]


def write_documents(folder: Path, count: int) -> tuple[list[list[str]], list[str]]:
    """Documents of three sentences that open with one word, translated alike in a document; half of them are tests.

    Returns the test sentences and their choices of a translation.
    """
    draw = Random(1)
    rows, chains, sentences, choices = [], [], [], []
    for number in range(count):
        repeated, choice = draw.choice(WORDS), draw.choice("tu")
        own = [[repeated, *draw.sample([word for word in WORDS if word != repeated], 4)] for _ in range(3)]
        place = {"split": "test" if number % 2 else "train", "document": f"d{number}"}
        chains.append({**place, "word": repeated, "sentences": [0, 1, 2], "words": [0, 0, 0]})
        for sentence, (words, target) in enumerate(zip(own, translated(own, [choice] * 3), strict=True)):
            rows.append({**place, "sentence": sentence, "source_tokens": " ".join(words), "target_tokens": target})
        if number % 2:
            sentences += own
            choices += [choice] * 3
    write_arrow(folder / "tokens.arrow", pa.Table.from_pylist(rows, TOKENS))
    write_arrow(folder / "chains.arrow", pa.Table.from_pylist(chains, CHAINS_WORDS))
    return sentences, choices


def test_a_permuted_translation_lowers_ltcr(tmp_path):
    """The same translations of the same words, but permuted over the corpus: two of a document agree by chance."""
    sentences, choices = write_documents(tmp_path, 600)
    permuted = Random(2).sample(choices, len(choices))
    faithful, other = (
        translated_chains(tmp_path, tmp_path, translated(sentences, chosen), stop_words=0)
        for chosen in (choices, permuted)
    )
    assert [len(chain.translations) for chain in faithful] == [len(chain.translations) for chain in other] == [3] * 300
    assert ltcr(faithful) == 100
    assert 40 < ltcr(other) < 60
    assert hhi(other) < hhi(faithful) == 100
