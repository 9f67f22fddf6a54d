import math
from collections import Counter

import pyarrow as pa
import pytest

from docmt.base.columns import TOKENS
from docmt.base.tables import write_arrow
from docmt.base.vocabulary import EOS, SPECIALS, Vocabulary
from docmt.scoring.score import unigram_dev_perplexity


def tokens_folder(folder, targets: dict[str, list[list[int]]]):
    vocabulary = Vocabulary((*SPECIALS, "a", "b", "c"))
    vocabulary.save(folder / "text" / "vocabulary.target.txt")
    rows = [
        {"split": split, "document": "d", "sentence": number, "target_ids": ids}
        for split, sentences in targets.items()
        for number, ids in enumerate(sentences)
    ]
    write_arrow(folder / "tokens.arrow", pa.Table.from_pylist(rows, schema=TOKENS))
    return folder, len(vocabulary)


def test_unigram_perplexity_is_brute_force(tmp_path):
    train, dev = [[7, 7, 8], [7]], [[8, 9], [7]]
    folder, size = tokens_folder(tmp_path, {"train": train, "dev": dev, "test": [[9] * 50]})
    counts = Counter(token for sentence in train for token in [*sentence, EOS])
    total = sum(counts.values()) + size
    losses = [-math.log((counts[token] + 1) / total) for sentence in dev for token in [*sentence, EOS]]
    assert unigram_dev_perplexity(folder) == pytest.approx(math.exp(sum(losses) / len(losses)))


def test_no_training_split_gives_none(tmp_path):
    assert unigram_dev_perplexity(tokens_folder(tmp_path, {"dev": [[7]], "test": [[7]]})[0]) is None
