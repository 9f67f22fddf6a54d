"""Alignments as text: there and back, and what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.scoring.alignment.links import GoldLinks, pharaoh_line, read_gold, read_links, read_unchecked_links

SIZE = 12
LINE = " ".join("w" * SIZE)
links_of_lines = st.lists(st.frozensets(st.tuples(*[st.integers(0, SIZE - 1)] * 2)), max_size=5)


@pytest.fixture
def write(tmp_path):
    def write(*lines: str):
        (tmp_path / "links").write_text("".join(f"{line}\n" for line in lines))
        return tmp_path / "links"

    return write


@given(links_of_lines)
def test_links_survive_the_file(tmp_path_factory, links):
    path = tmp_path_factory.mktemp("links") / "links"
    path.write_text("".join(pharaoh_line(line_links) + "\n" for line_links in links))
    sentences = [LINE] * len(links)
    assert read_links(path, sentences, sentences) == read_unchecked_links(path) == links


def test_sure_and_possible_links_counted_from_0_or_1(write):
    expected = [GoldLinks(frozenset({(0, 1)}), frozenset({(0, 1), (2, 0)})), GoldLinks(frozenset(), frozenset())]
    assert read_gold(write("0-1 2p0 0p1", "")) == expected
    assert read_gold(write("1-2 3p1 1p2\r", ""), counts_from_1=True) == expected


@pytest.mark.parametrize("text", ["1", "1-", "-1", "1-2-3", "1:2", "a-b", "1--2", "0p1", "1 - 2", "1.0-2", "١-٢"])
def test_what_is_no_link_is_named_with_its_line(text, write):
    path = write("0-0", f"1-1 {text}")
    for read in (read_unchecked_links, lambda file: read_links(file, [LINE] * 2, [LINE] * 2)):
        with pytest.raises(UserError) as refused:
            read(path)
        assert str(refused.value).startswith(f"{path}:2: not a link\n  found '")
        assert str(refused.value).endswith("'; expected i-j")


def test_what_is_no_gold_link_is_named_with_its_line(write):
    with pytest.raises(UserError, match=r"links:1: not a link\n  found '1s2'; expected i-j or ipj"):
        read_gold(write("1-1 1s2"))
    with pytest.raises(UserError, match=r"links:2: a word that is counted from 0\n  found 0p3; expected words counted"):
        read_gold(write("1-1", "1-1 0p3"), counts_from_1=True)


def test_links_must_be_of_the_sentences(write):
    path = write("0-0", "1-0")
    with pytest.raises(
        UserError, match=r"links: the file must have one line for each sentence pair\n  found 2; expected 1"
    ):
        read_links(path, ["a b"], ["a"])
    expected = r"links:2: a link to a word that is not there\n  found 1-0; expected places of 1 source and 1 target"
    with pytest.raises(UserError, match=expected):
        read_links(path, ["a", "b"], ["c", "d"])
    with pytest.raises(UserError, match=r"links:2: .*\n  found 1-0; expected places of 2 source and 0 target"):
        read_links(path, ["a", "a b"], ["c", ""])
