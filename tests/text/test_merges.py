"""Learning merges: an oracle that counts all pairs anew, and subword-nmt itself on real text."""

import io
import tarfile
from collections import Counter
from contextlib import redirect_stderr
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword_nmt.learn_bpe import learn_bpe

from docmt.corpus.toy.stories import draw_story
from docmt.settings.data import TextConfig
from docmt.text import bpe
from docmt.text.bpe import learn_merges
from docmt.text.tokenizers import tokenizer_for

WORDS = st.text(st.sampled_from("abc中𠀀"), min_size=1, max_size=7)
COUNTS = st.dictionaries(WORDS, st.integers(1, 9), max_size=10)


def oracle(counts: dict[str, int], number: int) -> list[str]:
    """Sennrich et al. 2016, algorithm 1: count all pairs, merge the most frequent one, again and again."""
    words = {(*word[:-1], word[-1] + "</w>"): count for word, count in counts.items()}
    merges: list[str] = []
    while len(merges) < number:
        pairs: Counter[tuple[str, str]] = Counter()
        for word, count in words.items():
            for pair in pairwise(word):
                pairs[pair] += count
        best = max(pairs, key=lambda pair: (pairs[pair], pair), default=None)
        if best is None or pairs[best] < 2:
            break
        merges.append(" ".join(best))
        words = {tuple(_merged(word, best)): count for word, count in words.items()}
    return merges


def _merged(word: tuple[str, ...], pair: tuple[str, str]) -> list[str]:
    merged, place = [], 0
    while place < len(word):
        size = 2 if word[place : place + 2] == pair else 1
        merged.append("".join(word[place : place + size]))
        place += size
    return merged


@given(counts=COUNTS, number=st.integers(0, 25), candidates=st.sampled_from([1, 3, 20_000]))
def test_merges_are_those_of_an_oracle_however_many_pairs_are_remembered(counts, number, candidates):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bpe, "REMEMBERED_PAIRS", candidates)
        assert list(learn_merges(counts, number)) == oracle(counts, number)


def theirs(counts: Counter[str], number: int) -> list[str]:
    vocabulary = io.StringIO("".join(f"{word} {count}\n" for word, count in sorted(counts.items())))
    codes = io.StringIO()
    with redirect_stderr(io.StringIO()):
        learn_bpe(vocabulary, codes, number, is_dict=True)
    return codes.getvalue().split("\n")[1:-1]


@pytest.mark.parametrize(("side", "language"), [(0, "zh"), (1, "en")])
def test_stories_give_what_subword_nmt_learns(side, language):
    rng, counts = Random(3), Counter()
    tokenize = tokenizer_for(language, TextConfig()).tokenize
    for _ in range(200):
        for pair in draw_story(6, 20, rng).pairs():
            counts.update(tokenize(pair[side]))
    assert list(learn_merges(counts, 2000)) == theirs(counts, 2000)


@pytest.mark.some(1)
@pytest.mark.parametrize("language", ["de", "fr"])
def test_verses_give_what_subword_nmt_learns(shared, tmp_path, language):
    """A few thousand words that differ, of the real text of `mirror/bible_pd.tar.gz`."""
    with tarfile.open(shared / "mirror" / "bible_pd.tar.gz") as archive:
        lines = archive.extractfile(f"bible_pd/verses.{language}.tsv").read().decode().splitlines()[:6000]
    counts = Counter(word for line in lines for word in line.split("\t")[1].split())
    assert list(learn_merges(counts, 3000)) == theirs(counts, 3000)
