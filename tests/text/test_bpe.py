"""BPE: reversible, deterministic, and sound at its limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.text.bpe import PieceCounter, Segmenter, join_pieces, learn_merges

WORDS = st.text(st.sampled_from("abcé中国'-.0"), min_size=1, max_size=8)


@given(counts=st.dictionaries(WORDS, st.integers(1, 9), max_size=12), merges=st.integers(0, 30), text=st.lists(WORDS))
def test_joining_the_pieces_gives_back_the_words(counts, merges, text):
    learnt = learn_merges(counts, merges)
    segmenter = Segmenter(learnt)
    assert len(learnt) <= merges
    assert join_pieces(piece for word in text for piece in segmenter.pieces(word)) == text


@given(counts=st.dictionaries(WORDS, st.integers(1, 9), max_size=12), least=st.integers(1, 9), text=st.lists(WORDS))
def test_pieces_outside_the_vocabulary_are_cut_to_characters_at_last(counts, least, text):
    merges = learn_merges(counts, 30)
    pieces = PieceCounter(merges)(counts.items()).result
    known = {"<unk>", *(piece for piece, count in pieces.items() if count >= least)}
    cut = [piece for word in text for piece in Segmenter(merges, known).pieces(word)]
    assert join_pieces(cut) == text
    assert all(piece in known or len(piece.removesuffix("@@")) == 1 for piece in cut)


def test_merges_end_where_no_pair_occurs_twice(capfd):
    assert learn_merges({"ab": 2, "cd": 1}, 1000) == ("a b</w>",)
    assert capfd.readouterr().err == ""


def test_saved_codes_are_read_again(tmp_path):
    merges = learn_merges({"low": 5, "lower": 2, "newest": 6}, 10)
    Segmenter(merges).save(tmp_path / "codes")
    assert Segmenter.load(tmp_path / "codes").merges == merges
    Segmenter([]).save(tmp_path / "none")
    assert Segmenter.load(tmp_path / "none").pieces("ab") == ["a@@", "b"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "codes: file not found"),
        ("", "codes:1: not BPE codes of subword-nmt"),
        ("#version: 0.1\na b\n", "codes:1: not BPE codes of subword-nmt"),
        ("#version: 0.2\na b\nabc\n", "codes:3: not a merge"),
    ],
)
def test_damaged_codes_are_refused(tmp_path, content, message):
    if content is not None:
        (tmp_path / "codes").write_text(content)
    with pytest.raises(UserError, match=message):
        Segmenter.load(tmp_path / "codes")
