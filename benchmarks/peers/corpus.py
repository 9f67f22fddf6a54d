"""The synthetic corpus: pieces whose frequencies follow Zipf's law, in documents, with a translation that is learnable.

A quarter of the words of a document are among 30 words of its own, so that words repeat as in texts about one thing.
The translation of a word is its neighbour by frequency; of ten words, one has the
most frequent word beside it, another has no translation.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

DOCUMENT = 18
"""Sentences of a document."""
DOCUMENTS = {"train": 556, "test": 20}
WORDS = (12, 30)
"""Fewest and most words of a source sentence: 21 on average."""
TOPIC_WORDS, TOPIC_SHARE = 30, 0.25


@dataclass(frozen=True)
class Corpus:
    """The files of a corpus: `{train,test}.{src,tgt}` with a sentence on each line, and `pieces.txt`."""

    folder: Path

    def path(self, split: str, side: str) -> Path:
        return self.folder / f"{split}.{side}"

    def sentences(self, split: str, side: str) -> list[list[str]]:
        return [line.split() for line in self.path(split, side).read_text(encoding="utf-8").splitlines()]

    @cached_property
    def pieces(self) -> list[str]:
        """The pieces of both sides, the most frequent first."""
        return (self.folder / "pieces.txt").read_text(encoding="utf-8").split()


def write_corpus(folder: Path, vocabulary: int) -> Corpus:
    """Write the corpus where it is missing, and return it; the same vocabulary gives the same corpus."""
    corpus = Corpus(folder)
    if (folder / "pieces.txt").exists():
        return corpus
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(vocabulary)
    shares = 1 / np.arange(1, vocabulary + 1)
    shares /= shares.sum()
    for split, documents in DOCUMENTS.items():
        sources = [s for _ in range(documents) for s in document(generator, shares)]
        for side, sentences in (("src", sources), ("tgt", [translation(source) for source in sources])):
            lines = (" ".join(f"w{rank}" for rank in sentence) + "\n" for sentence in sentences)
            corpus.path(split, side).write_text("".join(lines), encoding="utf-8")
    (folder / "pieces.txt").write_text("".join(f"w{rank}\n" for rank in range(vocabulary)), encoding="utf-8")
    return corpus


def document(generator: np.random.Generator, shares: np.ndarray) -> list[list[int]]:
    """Return the ranks of the words of each sentence of a document."""
    topic = generator.integers(len(shares), size=TOPIC_WORDS)
    sentences = []
    for length in generator.integers(WORDS[0], WORDS[1] + 1, size=DOCUMENT):
        common, special = generator.choice(len(shares), p=shares, size=length), generator.choice(topic, size=length)
        sentences.append(np.where(generator.random(length) < TOPIC_SHARE, special, common).tolist())
    return sentences


def translation(source: list[int]) -> list[int]:
    """Return the translation of a sentence; it has at least one word."""
    words = {3: lambda rank: [rank ^ 1, 0], 7: lambda rank: []}
    target = [word for rank in source for word in words.get(rank % 10, lambda rank: [rank ^ 1])(rank)]
    return target or [source[0] ^ 1]
