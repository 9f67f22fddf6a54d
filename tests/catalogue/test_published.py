import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.catalogue.published import PublishedCounts, StatedPart, stated


@pytest.mark.parametrize(
    ("printed", "value", "half"),
    [
        (887, 887, 0),
        ("41,341", 41_341, 0),
        ("1,000,000", 1_000_000, 0),
        ("9K", 9_000, 500),
        ("1.7K", 1_700, 50),
        ("0.21M", 210_000, 5_000),
        (18.3, 18.3, 0.05),
    ],
)
def test_numbers_are_read_as_papers_print_them(printed, value, half):
    number = stated(printed)
    assert (number.value, number.half) == pytest.approx((value, half))


@given(st.integers(0, 10**7), st.sampled_from([0, 1, 2]), st.sampled_from([("K", 1_000), ("M", 1_000_000)]))
def test_a_rounded_number_covers_what_rounds_to_it(count, decimals, unit):
    letter, size = unit
    printed = f"{count / size:.{decimals}f}{letter}"
    assert stated(printed).covers(count)
    assert not stated(printed).covers(count + 1.1 * size / 10**decimals)


@given(st.integers(0, 10**7))
def test_an_exact_number_covers_itself_alone(count):
    assert stated(f"{count:,}").covers(count)
    assert not stated(f"{count:,}").covers(count + 1)


@pytest.mark.parametrize("printed", ["about 9K", "9k", "41,34", "", True, "1e3", "-3"])
def test_what_is_no_number(printed):
    with pytest.raises(ValueError):
        stated(printed)


COUNTS = {"paper": "P", "place": "Table 1", "counts": {"dev": {"documents": 3}}}


def test_a_reason_is_found_from_the_narrowest_name_on():
    published = parse(PublishedCounts, {**COUNTS, "why": {"dev": "a", "documents": "b", "dev.documents": "c"}}, "x")
    assert published.reason("dev", "documents") == "c"
    assert parse(PublishedCounts, {**COUNTS, "why": {"dev": "a"}}, "x").reason("dev", "documents") == "a"
    assert parse(PublishedCounts, COUNTS, "x").reason("dev", "documents") is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"counts": {"dev": {"documents": "many"}}},
            "x counts.dev.documents: value not allowed\n"
            "  found many; expected a number as the paper prints it, such as 887, 41,341, 9K, 0.21M",
        ),
        (
            {"counts": {"dev": {}}},
            "x counts.dev.documents: value not allowed\n  found nothing; expected one of documents, sentences, "
            "instances, sentences_per_instance, tokens_per_instance, words_in_chains_percent, words_per_chain, "
            "chains_per_document, source_vocabulary, target_vocabulary",
        ),
        (
            {"why": {"dev.sentences": "a"}},
            "x why: value not allowed\n"
            "  found ['dev.sentences']; expected names of counts that are stated, such as documents, dev.documents "
            "or dev",
        ),
    ],
)
def test_what_published_counts_may_not_say(changes, message):
    with pytest.raises(UserError) as problem:
        parse(PublishedCounts, {**COUNTS, **changes}, "x")
    assert str(problem.value) == message


def test_a_part_of_a_training_split_states_documents_and_sentences():
    part = parse(StatedPart, {"documents": "1.5M", "sentences": "6M"}, "x")
    assert (stated(part.documents).value, stated(part.sentences).value, part.pieces) == (1.5e6, 6e6, None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"documents": "many"},
            "x documents: value not allowed\n"
            "  found many; expected a number as the paper prints it, such as 887, 41,341, 9K, 0.21M",
        ),
        ({"sentences": 2}, "x sentences: value not allowed\n  found 2; expected at least one in each document"),
        ({"documents": 0}, "x sentences: value not allowed\n  found 6; expected at least one in each document"),
        ({"pieces": 0.0}, "x pieces: value not allowed\n  found 0.0; expected more than 0, or none"),
    ],
)
def test_what_a_part_of_a_training_split_may_not_say(changes, message):
    with pytest.raises(UserError) as problem:
        parse(StatedPart, {"documents": 3, "sentences": 6, **changes}, "x")
    assert str(problem.value) == message
