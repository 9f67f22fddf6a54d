from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.reporting.rendering import Renderer
from docmt.reporting.translations import documents_to_show, mark_differences, most_different


def examples(results):
    return documents_to_show(Renderer(results, (Path(), Path())).translations.values())


WORDS = st.lists(st.sampled_from(["a", "b", "the", "."]), max_size=8).map(" ".join)


@pytest.mark.parametrize(
    ("text", "reference", "language", "expected"),
    [
        ("he came in", "he came in", "en", [("he came in", False)]),
        ("she came in", "he came in", "en", [("she", True), (" ", False), ("came in", False)]),
        (
            "he came right in",
            "he came in",
            "en",
            [("he came", False), (" ", False), ("right", True), (" ", False), ("in", False)],
        ),
        ("他走了", "她走了", "zh", [("他", True), ("走了", False)]),
        ("", "he came", "en", [("", True)]),
    ],
)
def test_words_that_the_reference_lacks_are_marked(text, reference, language, expected):
    assert mark_differences(text, reference, language) == expected


@given(WORDS, WORDS, st.sampled_from(["en", "zh"]))
def test_runs_joined_are_the_text(text, reference, language):
    assert "".join(run for run, _ in mark_differences(text, reference, language)) == text


@given(WORDS, st.sampled_from(["en", "zh"]))
def test_nothing_of_the_reference_itself_is_marked(text, language):
    assert not any(differs for _, differs in mark_differences(text, text, language))


def test_documents_with_the_most_different_translations_a_sentence_come_first():
    documents = ["a", "a", "b", "c", "c"]
    outputs = [("x", "x", "x"), ("x", "y", "x"), ("x", "y", "z"), ("x", "y", "x"), ("x", "y", "x")]
    assert most_different(documents, outputs) == ["b", "c"]


def test_equally_different_documents_keep_their_order():
    assert most_different(["b", "a", "c"], [("x",)] * 3) == ["b", "a"]


def test_two_documents_are_shown_with_all_systems_that_translated(full):
    documents = examples(full.load())
    assert [document.document for document in documents] == ["b", "a"]
    assert documents[0].systems == ("sentence", "concat_3", "g_transformer")
    assert [line.number for line in documents[1].lines] == [1, 2]


def test_only_runs_of_the_first_seed_are_compared(full):
    full.translate("never_run", ["x"] * 4, seed=2)
    assert all("never_run" not in document.systems for document in examples(full.load()))


def test_translations_of_another_test_split_are_refused(full):
    full.translate("sentence", ["x"] * 5)
    with pytest.raises(
        UserError, match=r"sentence.seed1.test.txt: the file must have one line for each test sentence\n  found 5 lines"
    ):
        examples(full.load())
