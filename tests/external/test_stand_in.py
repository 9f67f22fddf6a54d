"""Generated lines in the place of a user's translations: always the same ones, near to the references."""

from docmt.external.adopt import stand_in
from docmt.external.lines import ExpectedText

WORDS = ["this", "is", "a", "reference", "of", "ten", "words", "and", "a", "stop"]
TEST = ExpectedText(("a",) * 20 + ("b",) * 10, ("s",) * 30, (" ".join(WORDS),) * 30)


def test_they_follow_from_the_name_alone():
    lines = stand_in(TEST, "sentences", "google 1", is_spaced=True)
    assert lines == stand_in(TEST, "sentences", "google 1", is_spaced=True)
    assert lines != stand_in(TEST, "sentences", "google 2", is_spaced=True)


def test_they_have_the_references_words_and_are_not_the_references():
    lines = stand_in(TEST, "sentences", "google 1", is_spaced=True)
    assert all(set(line.split()) <= set(WORDS) and line for line in lines)
    assert 0.6 < sum(len(line.split()) for line in lines) / (30 * len(WORDS)) < 0.98
    assert list(TEST.references) != lines


def test_a_line_may_be_a_document_and_words_may_have_no_spaces():
    sentences = stand_in(TEST, "sentences", "x", is_spaced=True)
    assert stand_in(TEST, "documents", "x", is_spaced=True) == [" ".join(sentences[:20]), " ".join(sentences[20:])]
    chinese = ExpectedText(("a",), ("s",), ("他来了。",))
    (line,) = stand_in(chinese, "sentences", "x", is_spaced=False)
    assert set(line) <= set("他来了。") and line
