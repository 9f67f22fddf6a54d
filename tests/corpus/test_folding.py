"""Folded text: the table gives what the definition gives, for every character and between all kinds of neighbours."""

from hypothesis import given
from hypothesis import strategies as st

from docmt.corpus.folding import fold, folded


def test_each_character_becomes_what_the_definition_says():
    characters = [chr(number) for number in range(0x11000) if not 0xD800 <= number <= 0xDFFF and chr(number) != "\n"]
    # A line with an unusual character is folded by the definition: each is looked at by itself.
    assert [fold([f"a{each}\u00e9"]).lines[0] for each in characters] == [
        folded(f"a{each}\u00e9") for each in characters
    ]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n")), min_size=1))
def test_lines_become_what_the_definition_says(lines):
    assert fold(lines).lines == folded("\n".join(lines)).split("\n")


@given(
    st.lists(st.text("aE\u00df\u00c9\u4e00\u1100\u1161\u0301\uff21\u0915\u093c\u094d.,\u201c \u200d\ufe0f"), min_size=1)
)
def test_neighbours_are_seen(lines):
    assert fold(lines).lines == folded("\n".join(lines)).split("\n")


def test_lines_stay_apart_where_a_text_has_line_feeds():
    assert fold(["a\nb", "c"]).lines == ["ab", "c"]
    assert fold([]).lines == [] and fold([""]).lines == [""]


def test_text_without_letters_keeps_its_marks():
    lines = ["Aha!", "?!", ""]
    assert fold(lines).keys(lines) == ["aha", "?!", ""]
