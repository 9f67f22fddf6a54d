"""Counts of words stand for the text that was counted."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from docmt.text.casing import KeepCase, LowerCase, Truecaser
from docmt.text.tokenise import WordCounts, load_counts, save_counts

TOKENS = st.sampled_from(["The", "the", "THE", "US", "us", ".", "?", '"', "(", "中", ":", "İ", "Σ"])
LINES = st.lists(st.lists(TOKENS, min_size=1, max_size=8), max_size=8)


def counted(lines: list[list[str]], is_case_learnt: bool) -> WordCounts:
    counts = WordCounts()
    counts.count([" ".join(line) for line in lines], is_case_learnt)
    return counts


@given(lines=LINES, split=st.integers(0, 8))
def test_cased_counts_are_those_of_the_cased_text(lines, split):
    """However the lines were parted when they were counted."""
    truecaser = Truecaser.train(lines)
    for casing in (KeepCase(), LowerCase(), truecaser):
        learnt = isinstance(casing, Truecaser)
        counts = counted(lines[:split], learnt)
        counts.add(counted(lines[split:], learnt))
        assert counts.cased(casing) == text_of(casing, lines)
        if learnt:
            assert Truecaser(counts.case_examples).counts == truecaser.counts


def text_of(casing: KeepCase, lines: list[list[str]]) -> Counter[str]:
    return Counter(word for line in lines for word in casing.apply(line))


def test_saved_counts_are_added_when_they_are_read(tmp_path):
    lines = [["The", "cat", ".", "The", "US"], ["a", "cat"]]
    counts = {"source": counted(lines, True), "target": counted(lines, False)}
    save_counts(counts, tmp_path / "words.arrow")
    loaded = {side: WordCounts() for side in counts}
    for _ in range(2):
        load_counts(tmp_path / "words.arrow", loaded)
    for side in counts:
        counts[side].add(counted(lines, side == "source"))
    assert loaded == counts
