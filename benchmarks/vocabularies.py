"""Sizes of vocabularies by each reading of a paper: python benchmarks/vocabularies.py CORPUS [SHARE] [SPLIT ...].

CORPUS is a corpus of the catalogue whose files are in the mirror (DOCMT_MIRROR); SPLIT is train if none is given. SHARE
(1 if none is given) is the share of its running words that is drawn at random first, to see how sizes grow. The record
is vocabularies.md beside this. Sizes are without special symbols; a reading learns merges once, and each threshold is
applied to it in two ways: rare pieces are dropped, or cut again (subword-nmt's vocabulary threshold, docmt's own).
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from docmt.base.vocabulary import SPECIALS
from docmt.corpus.opening import available_documents
from docmt.plan.grid import load_grid
from docmt.settings.data import TextConfig
from docmt.text.bpe import PieceCounter, learn_merges
from docmt.text.tokenizers import tokenizer_for

ROOT = Path(__file__).parent.parent
MERGES = (32_000, 21_000)
THRESHOLDS = (0, 2, 5, 10, 12, 20, 50, 100)
SIDES = ("source", "target")
Words = dict[str, Counter[str]]


def words_of(corpus: str, splits: list[str], chinese: str) -> Words:
    grid = load_grid(ROOT)
    config = grid.corpora[corpus]
    cut = {side: tokenizer_for(language, TextConfig(chinese=chinese)).tokenize for side, language in languages(config)}
    words: Words = {side: Counter() for side in SIDES}
    for document in available_documents(config, grid.places(ROOT, os.environ["DOCMT_MIRROR"])):
        if document.split in splits:
            for side in SIDES:
                for sentence in getattr(document, side).sentences:
                    words[side].update(cut[side](sentence))
    return words


def languages(config) -> list[tuple[str, str]]:
    return list(zip(SIDES, (config.source_language, config.target_language), strict=True))


def lowered(words: Counter[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for word, count in words.items():
        counts[word.lower()] += count
    return counts


def drawn(words: Counter[str], share: float) -> Counter[str]:
    names = sorted(words)
    numbers = np.array([words[name] for name in names])
    counts = np.random.default_rng(1).multivariate_hypergeometric(numbers, int(share * numbers.sum()))
    return Counter({name: count for name, count in zip(names, counts.tolist(), strict=True) if count})


def pieces_of(words: Counter[str], merges: tuple[str, ...], known: set[str] | None = None) -> Counter[str]:
    return PieceCounter(merges, known)(words.items()).result


def frequent(pieces: Counter[str], threshold: int) -> set[str]:
    return {piece for piece, count in pieces.items() if count >= threshold}


def rows(words: Words, bpe: str, number: int) -> Iterator[tuple[int, str, str, str]]:
    """Yield the threshold, both sizes where rare pieces are dropped, the share that becomes <unk>, and both sizes where
    they are cut again."""
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
        sizes = [" / ".join(f"{len(names[side]):,}" for side in SIDES) for names in (dropped, again)]
        yield threshold, sizes[0], " / ".join(f"{share:.2%}" for share in unknown), sizes[1]


def main() -> None:
    corpus, share, splits = sys.argv[1], float((sys.argv[2:] or ["1"])[0]), sys.argv[3:] or ["train"]
    config = load_grid(ROOT).corpora[corpus]
    ways = ("jieba", "characters") if "zh" in config.languages else ("jieba",)
    for chinese, case in product(ways, ("lower", "keep")):
        words = words_of(corpus, splits, chinese)
        words = {side: drawn(lowered(w) if case == "lower" else w, share) for side, w in words.items()}
        running, different = (" / ".join(f"{count(words[side]):,}" for side in SIDES) for count in (Counter.total, len))
        print(f"\n{corpus}, {chinese}, {case}: {running} running words, {different} different\n")
        print("| bpe | merges | threshold | dropped: source / target | <unk> | cut again: source / target |")
        print("|---|---|---|---|---|---|")
        for bpe, number in product(("joint", "separate"), MERGES):
            for row in rows(words, bpe, number):
                print(f"| {bpe} | {number:,} | {' | '.join(map(str, row))} |", flush=True)


if __name__ == "__main__":
    main()
