"""Sizes of vocabularies by each reading of a paper: python benchmarks/vocabularies.py CORPUS [SHARE] [SPLIT ...].

CORPUS is a corpus of the catalogue whose files are in the mirror (DOCMT_MIRROR); SPLIT is train if none is given. SHARE
(1 if none is given) is the share of each document that is read, from its start: it shows how sizes grow. The record is
vocabularies.md beside this. Sizes are without special symbols. A reading learns its merges once; each threshold is
applied to it in two ways: rare pieces are dropped, or they are cut again (subword-nmt's vocabulary threshold, docmt's).
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from docmt.base.vocabulary import SPECIALS
from docmt.corpus.opening import available_documents
from docmt.grid.grid import Grid, load_grid
from docmt.settings.data import TextConfig
from docmt.text.bpe import PieceCounter, learn_merges
from docmt.text.tokenizers import tokenizer_for

ROOT = Path(__file__).parent.parent
MERGES = (32_000, 21_000)
THRESHOLDS = (0, 2, 4, 5, 8, 10, 12, 20, 50, 100)
SIDES = ("source", "target")
Words = dict[str, Counter[str]]


def words_of(grid: Grid, corpus: str, share: float, splits: list[str], chinese: str, case: str) -> Words:
    """Count the words of both sides."""
    config = grid.corpora[corpus]
    words: Words = {side: Counter() for side in SIDES}
    tokenize = [tokenizer_for(language, TextConfig(chinese=chinese)).tokenize for language in config.languages]
    for document in available_documents(config, grid.places(ROOT, os.environ["DOCMT_MIRROR"])):
        if document.split in splits:
            for side, cut in zip(SIDES, tokenize, strict=True):
                sentences = getattr(document, side).sentences
                for sentence in sentences[: round(share * len(sentences))]:
                    words[side].update(word.lower() if case == "lower" else word for word in cut(sentence))
    return words


def pieces_of(words: Counter[str], merges: tuple[str, ...], known: set[str] | None = None) -> Counter[str]:
    return PieceCounter(merges, known)(words.items()).result


def frequent(pieces: Counter[str], threshold: int) -> set[str]:
    return {piece for piece, count in pieces.items() if count >= threshold}


def rows(words: Words, bpe: str, number: int) -> Iterator[tuple]:
    """Yield the threshold, the sizes where rare pieces are dropped, with the shares of <unk> among running pieces,
    and the sizes where rare pieces are cut again."""
    if bpe == "joint":
        merges = dict.fromkeys(SIDES, learn_merges(words["source"] + words["target"], number))
    else:
        merges = {side: learn_merges(words[side], number) for side in SIDES}
    pieces = {side: pieces_of(words[side], merges[side]) for side in SIDES}
    for threshold in THRESHOLDS:
        dropped = {side: frequent(pieces[side], threshold) for side in SIDES}
        unknown = [1 - sum(pieces[s][p] for p in dropped[s]) / pieces[s].total() for s in SIDES]
        counts = {side: pieces_of(words[side], merges[side], {*SPECIALS, *dropped[side]}) for side in SIDES}
        again = {side: frequent(counts[side], threshold) for side in SIDES}
        yield threshold, *sizes(dropped), *(f"{share:.1%}" for share in unknown), *sizes(again)


def sizes(vocabularies: dict[str, set[str]]) -> tuple[str, ...]:
    """Return the sizes of the source and the target vocabulary, and of one vocabulary of both."""
    return tuple(f"{len(pieces):,}" for pieces in (*vocabularies.values(), set().union(*vocabularies.values())))


def main() -> None:
    corpus, share, splits = sys.argv[1], float((sys.argv[2:] or ["1"])[0]), sys.argv[3:] or ["train"]
    grid = load_grid(ROOT)
    ways = ("jieba", "characters") if "zh" in grid.corpora[corpus].languages else ("jieba",)
    for chinese, case in product(ways, ("lower", "keep")):
        words = words_of(grid, corpus, share, splits, chinese, case)
        running, different = (" / ".join(f"{count(words[side]):,}" for side in SIDES) for count in (Counter.total, len))
        print(f"\n{corpus}, {chinese}, {case}: {running} running words, {different} different\n")
        print("| bpe | merges | threshold | dropped: source | target | both | <unk> source | target ", end="")
        print("| cut again: source | target | both |\n|---|---|---|---|---|---|---|---|---|---|---|")
        for bpe, number in product(("joint", "separate"), MERGES):
            for row in rows(words, bpe, number):
                print(f"| {bpe} | {number:,} | {' | '.join(map(str, row))} |", flush=True)


if __name__ == "__main__":
    main()
