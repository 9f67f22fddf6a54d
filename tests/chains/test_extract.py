"""Lexical chains: laws, the paper's example, and an oracle of loops alone."""

from collections import Counter
from itertools import accumulate, pairwise

import pytest
from helpers.chain_files import repeated_words
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.chains import chains_of, most_frequent
from docmt.base.errors import UserError
from docmt.base.vocabulary import SPECIALS, UNK, Vocabulary
from docmt.chains.documents import read_stop_words, write_stop_words
from docmt.chains.segments import is_unknown, words_of_ids

PIECES = {"a": 1, "b": 2, "c": 3, "d": 1}
"""Words of the drawn texts, and how many pieces each has."""

TEXTS = st.lists(st.lists(st.sampled_from(list(PIECES)), min_size=1, max_size=6), min_size=1, max_size=5)
STOP_WORDS = st.frozensets(st.sampled_from(list(PIECES)))


def chain_members(words: list[list[str]], stop_words: frozenset[str] = frozenset()) -> list[list[int]]:
    """The chains, each as its members."""
    members, lengths = chains_of(words, [[PIECES[word] for word in sentence] for sentence in words], stop_words)
    assert sum(lengths) == len(members)
    return [members[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]


def test_the_papers_example_gives_five_chains():
    """Appendix A: 科学家 is two pieces, 科学家们 three; pieces of the same form in two words are no chain."""
    words = [["科学家", "来"], ["科学家们", "科学家"], ["科学家们"]]
    members, lengths = chains_of(words, [[2, 1], [3, 2], [3]], frozenset())
    # 科学@@ 家 来 | 科学@@ 家@@ 们 科学@@ 家 | 科学@@ 家@@ 们
    assert members == [0, 6, 1, 7, 3, 8, 4, 9, 5, 10]
    assert lengths == [2, 2, 2, 2, 2]


def oracle(words: list[list[str]], stop_words: frozenset[str]) -> list[list[int]]:
    """Return the members of each (word, number of the piece in it) that occurs twice, by loops alone."""
    members: dict[tuple[str, int], list[int]] = {}
    place = 0
    for sentence in words:
        for word in sentence:
            for piece in range(PIECES[word]):
                if word not in stop_words:
                    members.setdefault((word, piece), []).append(place)
                place += 1
    return sorted(places for places in members.values() if len(places) > 1)


@given(TEXTS, STOP_WORDS)
def test_chains_are_those_of_loops_in_the_order_of_their_first_members(words, stop_words):
    assert chain_members(words, stop_words) == oracle(words, stop_words)


@given(TEXTS, STOP_WORDS)
def test_a_piece_is_in_one_chain_at_most(words, stop_words):
    members = [member for chain in chain_members(words, stop_words) for member in chain]
    assert len(set(members)) == len(members)


@given(TEXTS)
def test_borders_of_sentences_do_not_matter(words):
    assert chain_members(words) == chain_members([[word for sentence in words for word in sentence]])


def test_a_word_that_occurs_once_and_a_stop_word_are_in_no_chain():
    assert repeated_words(["a", "b", "a", "c", "c"], frozenset("c")) == {"a": [0, 2]}


def test_cased_words_differ():
    assert repeated_words(["The", "the", "The"], frozenset()) == {"The": [0, 2]}


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
