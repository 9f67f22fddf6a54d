"""A corpus of any size, of TVsub: python benchmarks/repeated.py ARCHIVE PAIRS FOLDER.

TVsub comes again and again, its rarer words renamed in each repetition.

A renamed word is the same wherever it stands in a repetition, so that words are repeated within documents as they were,
and each repetition brings as many new words as the first had: the ratio of types to tokens stays what it was, where
plain repetition would lower it. Chinese words become other words of jieba's dictionary, of the same length; English
words get other vowels and consonants.
"""

import random
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from docmt.base.columns import DOCUMENTS
from docmt.settings.data import TextConfig
from docmt.text.chinese import HAN
from docmt.text.tokenizers import tokenizer_for

FREQUENT = 500
"""Words that keep their names."""
VOWELS, CONSONANTS = "aeiou", "bcdfghjklmnpqrstvwxz"
ENGLISH_WORD, HAN_WORD = re.compile("[A-Za-z]+"), re.compile(f"[{HAN}]+")
Pair = tuple[list[str], str]
"""A Chinese sentence as words, and an English one."""


def make(archive: Path, pairs: int, folder: Path) -> None:
    """Write documents.parquet, and source.txt and target.txt for tools that read lines."""
    episodes = read(archive)
    renamed = Renamed(episodes)
    folder.mkdir(parents=True, exist_ok=True)
    with (
        pq.ParquetWriter(folder / "documents.parquet", DOCUMENTS, compression="zstd") as writer,
        (folder / "source.txt").open("w") as sources,
        (folder / "target.txt").open("w") as targets,
    ):
        left = pairs
        for repetition in count():
            for number, episode in enumerate(episodes):
                sentences = list(islice(renamed.sentences(episode, repetition), left))
                left -= len(sentences)
                names = [f"{repetition}.{number}"] * len(sentences)
                source, target = zip(*sentences, strict=True)
                columns = [["train"] * len(names), names, range(len(names)), source, target, [[]] * len(names)]
                writer.write_table(pa.table([pa.array(c, f.type) for c, f in zip(columns, DOCUMENTS, strict=True)],
                                            schema=DOCUMENTS))  # fmt: skip
                sources.writelines(f"{line}\n" for line in source)
                targets.writelines(f"{line}\n" for line in target)
                if not left:
                    return


def read(archive: Path) -> list[list[Pair]]:
    """The training episodes of tvsub_zh-en.tar.gz, without pairs that lack a side."""
    tokenize = tokenizer_for("zh", TextConfig()).tokenize
    texts: dict[tuple[str, str], list[str]] = {}
    with tarfile.open(archive) as files:
        for member in files:
            folder, _, name = member.name.rpartition("/")
            if member.isfile() and folder.endswith("/train"):
                lines = files.extractfile(member).read().decode("utf-8").split("\n")[:-1]
                texts[tuple(name.split("."))] = [" ".join(line.split()) for line in lines]
    numbers = sorted((number for number, language in texts if language == "zh"), key=int)
    episodes = (zip(texts[number, "zh"], texts[number, "en"], strict=True) for number in numbers)
    return [[(_words(tokenize, zh), en) for zh, en in episode if zh and en] for episode in episodes]


def _words(tokenize, line: str) -> list[str]:
    """The tokens of a line with its spaces between them."""
    words, place = [], 0
    for token in tokenize(line):
        start = line.index(token, place)
        words += [line[place:start], token]
        place = start + len(token)
    return words


class Renamed:
    """The sentences of an episode as they read in a repetition; the first is TVsub itself."""

    def __init__(self, episodes: list[list[Pair]]) -> None:
        import jieba

        chinese, english = Counter(), Counter()
        for episode in episodes:
            for words, sentence in episode:
                chinese.update(words)
                english.update(ENGLISH_WORD.findall(sentence.lower()))
        self._known = {word for word, _ in english.most_common(FREQUENT)}
        jieba.initialize()
        pool = [word for word, frequency in sorted(jieba.dt.FREQ.items()) if frequency and len(word) > 1]
        random.Random(1).shuffle(pool)
        self._pools = {length: [word for word in pool if len(word) == length] for length in (2, 3, 4)}
        rare = [word for word, _ in chinese.most_common()][FREQUENT:]
        ranks: Counter[int] = Counter()
        self._ranks: dict[str, int] = {}
        for word in rare:
            if len(word) in self._pools and HAN_WORD.fullmatch(word):
                self._ranks[word] = ranks[len(word)]
                ranks[len(word)] += 1
        self._strides = ranks

    def sentences(self, episode: list[Pair], repetition: int) -> Iterator[tuple[str, str]]:
        if repetition == 0:
            yield from (("".join(words), sentence) for words, sentence in episode)
            return
        table = self._letters(repetition)
        for words, sentence in episode:
            chinese = "".join([self._chinese(word, repetition) for word in words])
            yield chinese, ENGLISH_WORD.sub(lambda found: self._english(found[0], table), sentence)

    def _chinese(self, word: str, repetition: int) -> str:
        rank = self._ranks.get(word)
        if rank is None:
            return word
        pool = self._pools[len(word)]
        return pool[(rank + repetition * self._strides[len(word)]) % len(pool)]

    def _english(self, word: str, table: dict[int, str]) -> str:
        return word if word.lower() in self._known else word.translate(table)

    @staticmethod
    def _letters(repetition: int) -> dict[int, str]:
        table = {}
        for letters, by in ((CONSONANTS, repetition), (VOWELS, repetition // len(CONSONANTS))):
            turned = letters[by % len(letters) :] + letters[: by % len(letters)]
            table |= str.maketrans(letters + letters.upper(), turned + turned.upper())
        return table


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
