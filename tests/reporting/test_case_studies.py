"""Lexical chains on the page: who is consistent, which documents are shown, what is coloured."""

from pathlib import Path

import pytest
from helpers.chain_files import CHAINS, TEXT, cats, chain, dogs, write_chains, write_tokens

from docmt.reporting.case_studies import MOST_CASES, MOST_CHAINS, MOST_LINES, Span, spans
from docmt.reporting.chain_cases import Rendering
from docmt.reporting.page import write_report
from docmt.reporting.rendering import Renderer


def chain_studies_of(results):
    return list(Renderer(results, (Path(), Path())).chains.values())


@pytest.fixture
def chained(world):
    write_tokens(world, TEXT)
    write_chains(world, CHAINS, TEXT)
    return world


def test_consistency_is_counted_against_the_reference(chained):
    (study,) = chain_studies_of(chained.load())
    assert [
        (counts.system, counts.chains, counts.consistent, counts.faithful, counts.overcorrected)
        for counts in study.counts
    ] == [
        (None, 2, 1, None, None),
        ("sentence", 2, 1, (0, 1), (1, 1)),
        ("concat_3", 2, 2, (1, 1), (1, 1)),
    ]


def test_the_document_where_systems_differ_is_shown_with_its_chains_coloured(chained):
    (study,) = chain_studies_of(chained.load())
    (case,) = study.cases
    assert (case.document, case.words, case.left_out) == ("a", ("猫",), 0)
    first, second = case.lines
    assert first.source == (Span("猫", 0), Span("坐下")) and (first.number, second.number) == (1, 2)
    assert first.reference == (Span("a"), Span(" "), Span("cat", 0), Span(" "), Span("sat"))
    # Of two translations once each, the first is the usual one.
    assert [[span for span in spans if span.chain is not None] for spans in second.systems] == [
        [Span("kitty", 0, True)],
        [Span("cat", 0)],
    ]


def test_over_corrections_are_found(chained):
    (study,) = chain_studies_of(chained.load())
    (case,) = study.overcorrections
    assert (case.document, case.words, case.overcorrecting) == ("b", ("狗",), ("sentence", "concat_3"))
    assert case.chains[0].reference.counts == [("dog", 1), ("hound", 1)]
    coloured = [[span for span in line.reference if span.chain is not None] for line in case.lines]
    assert coloured == [[Span("dog", 0)], [Span("hound", 0, True)]]
    assert study.cases[0].overcorrecting == ()


def test_over_corrections_that_others_do_not_make_come_first_then_long_chains(chained):
    def dog(lines: list[int], *words: str) -> dict:
        reference = [("dog", 0), *[("hound", 1)] * (len(lines) - 1)]
        return chain("b", lines, [0] * len(lines), [(word, 1) for word in words], reference)

    both = [dog([2, 3], "dog", "dog"), dog([1, 2, 3], "dog", "dog", "dog")]
    chains = {
        "sentence": [*both, dog([0, 1], "dog", "hound")],
        "concat_3": [*both, dog([0, 1], "dog", "dog")],
    }
    write_chains(chained, chains, TEXT)
    (study,) = chain_studies_of(chained.load())
    cases = [([line for line, _ in case.chains[0].places], case.overcorrecting) for case in study.overcorrections]
    everybody = ("sentence", "concat_3")
    assert cases == [([0, 1], ("concat_3",)), ([1, 2, 3], everybody), ([2, 3], everybody)]


def test_occurrences_without_translation_agree_with_nothing(chained):
    write_chains(chained, {"sentence": [cats([None, None]), dogs([("dog", 1), None])]}, TEXT)
    (study,) = chain_studies_of(chained.load())
    assert study.counts[1].consistent == 0
    assert study.cases[0].chains[0].systems["sentence"].counts == [(None, 2)]


def test_much_is_cut_short(world):
    sentences, words = MOST_LINES + 3, MOST_CHAINS + 2
    line = " ".join(f"w{number}" for number in range(words))
    outputs = {"sentence": line, "concat_3": line}
    text = {(document, number): (line, line, outputs) for document in "abc" for number in range(sentences)}
    write_tokens(world, text)
    chains = {"sentence": [], "concat_3": []}
    for first in range(0, 3 * sentences, sentences):
        lines = list(range(first, first + sentences))
        for word in range(words):
            same = [("x", word)] * sentences
            # From one chain to the next one occurrence more is translated otherwise.
            other = [("y", word)] * (word + 1) + same[word + 1 :]
            for system, translations in (("sentence", other), ("concat_3", same)):
                chains[system].append(chain("abc"[first // sentences], lines, [word] * sentences, translations, same))
    write_chains(world, chains, text)
    (study,) = chain_studies_of(world.load())
    assert [case.document for case in study.cases] == list("abc"[:MOST_CASES])
    case = study.cases[0]
    # The largest differences, in the order of the text.
    assert case.words == tuple(f"w{number}" for number in range(words - MOST_CHAINS, words))
    assert (len(case.lines), case.left_out) == (MOST_LINES, 3)


@pytest.mark.parametrize(
    ("words", "marked", "blank", "expected"),
    [
        ([], {}, " ", ()),
        (["a", "b"], {}, " ", (Span("a b"),)),
        (["a", "b", "c"], {0: (2, True), 1: (2, True)}, " ", (Span("a b", 2, True), Span(" "), Span("c"))),
        (["a", "b"], {0: (1, False), 1: (1, True)}, " ", (Span("a", 1), Span(" "), Span("b", 1, True))),
        (["a", "b", "c"], {1: (0, False)}, "", (Span("a"), Span("b", 0), Span("c"))),
    ],
)
def test_words_of_one_chain_in_a_row_are_one_span(words, marked, blank, expected):
    assert spans(words, marked, blank) == expected
    assert "".join(span.text for span in spans(words, marked, blank)) == blank.join(words)


def test_nothing_is_shown_where_no_chains_were_scored(full):
    assert chain_studies_of(full.load()) == []


def test_the_page_has_the_case_study(chained):
    chained.load()
    write_report(chained.settings_file, chained.folders, chained.output)
    page = chained.output.read_text(encoding="utf-8")
    assert '<b class="chain odd" style="--hue: var(--hue0)">kitty</b>' in page
    assert '<a href="#chains">Chains</a>' in page
    assert '<summary>Document b, <span lang="zh">狗</span> <span class="count">by sentence, concat_3</span>' in page
    assert "No chain is." not in page and "In no chain." not in page


def test_a_reference_whose_translations_share_a_word_shows_no_over_correction():
    def varied(*words: str) -> bool:
        return Rendering(words, ((0,), (0,)), 0, 1).differs

    assert not varied("every day", "rides Every day")
    assert varied("every day", "daily")
