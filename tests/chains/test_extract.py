"""Lexical chains: the paper's example, stop words, and words behind ids. Loops over whole corpora: test_corpora.py."""

from collections import Counter

import pytest

from docmt.base.chains import chains_of, most_frequent
from docmt.base.errors import UserError
from docmt.base.vocabulary import SPECIALS, UNK, Vocabulary
from docmt.chains.documents import read_stop_words, write_stop_words
from docmt.chains.segments import is_unknown, words_of_ids


def test_the_papers_example_gives_five_chains():
    """Appendix A: 科学家 is two pieces, 科学家们 three; pieces of the same form in two words are no chain."""
    words = [["科学家", "来"], ["科学家们", "科学家"], ["科学家们"]]
    members, lengths = chains_of(words, [[2, 1], [3, 2], [3]], frozenset())
    # 科学@@ 家 来 | 科学@@ 家@@ 们 科学@@ 家 | 科学@@ 家@@ 们
    assert members == [0, 6, 1, 7, 3, 8, 4, 9, 5, 10]
    assert lengths == [2, 2, 2, 2, 2]


@pytest.mark.parametrize(
    ("count", "expected"), [(0, []), (1, ["x"]), (2, ["x", "b"]), (3, ["x", "b", "c"]), (9, ["x", "b", "c", "a"])]
)
def test_stop_words_are_the_most_frequent_with_ties_by_code_point(count, expected):
    assert most_frequent(Counter(["x", "c", "b", "x", "b", "c", "x", "a"]), count) == expected


def test_stop_words_survive_their_file(tmp_path):
    words = ["的", "\u2028", "a"]
    write_stop_words(tmp_path / "stop_words.txt", words)
    assert read_stop_words(tmp_path / "stop_words.txt") == frozenset(words)


def test_a_missing_or_damaged_stop_list_is_refused(tmp_path):
    path = tmp_path / "stop_words.txt"
    with pytest.raises(UserError, match=r"stop_words\.txt: file not found"):
        read_stop_words(path)
    path.write_bytes(b"\xff\n")
    with pytest.raises(UserError, match=r"stop_words\.txt:1: not valid UTF-8"):
        read_stop_words(path)


@pytest.mark.parametrize("pieces", [["a@@", "b@@", "c", "d", "a@@", "d"], ["a", "@@b", "@@c", "d", "a", "@@d"]])
def test_words_are_rebuilt_from_ids(pieces):
    vocabulary = Vocabulary((*SPECIALS, *sorted(set(pieces))))
    assert words_of_ids(vocabulary.encode(pieces), vocabulary) == (["abc", "d", "ad"], [3, 1, 2])


def test_a_word_of_which_a_piece_is_unknown_is_known_as_such():
    vocabulary = Vocabulary((*SPECIALS, "a@@", "b"))
    words, counts = words_of_ids([*vocabulary.encode(["a@@"]), UNK, *vocabulary.encode(["b"])], vocabulary)
    assert (words, counts) == (["a<unk>", "b"], [2, 1])
    assert [is_unknown(word) for word in words] == [True, False]
