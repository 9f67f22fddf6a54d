"""Lexical chains on the page: who is consistent, which documents are shown, what is coloured."""

import pyarrow as pa
import pytest

from docmt.core.documents import OCCURRENCES, TOKENS, write_arrow
from docmt.core.errors import UserError
from docmt.reporting.case_studies import CASES_SHOWN, CHAINS_SHOWN, LINES_SHOWN, Span, chain_studies, spans
from docmt.reporting.page import write_report

TEXT = {
    ("a", 0): ("猫 坐 下", "a cat sat", {"sentence": "the cat sits", "concat_3": "the cat sat"}),
    ("a", 1): ("猫 走 了", "the cat left", {"sentence": "a kitty left", "concat_3": "the cat left"}),
    ("b", 0): ("狗 和 猫", "dog and cat", {"sentence": "a dog and cat", "concat_3": "a dog and cat"}),
    ("b", 1): ("狗 叫", "the hound barks", {"sentence": "a dog barks", "concat_3": "a dog barks"}),
}
"""The sentences of the test split: source, reference, and each system's translation."""


def rendered(*words: tuple[str, int] | None, prefix: str = "") -> dict:
    """Of each occurrence its translation, one word, and the place of it."""
    texts = [word and word[0] for word in words]
    pairs = len(words) * (len(words) - 1) // 2
    agreeing = sum(one == other is not None for n, one in enumerate(texts) for other in texts[:n])
    values = {"translations": texts, "places": [[word[1]] if word else [] for word in words]}
    return {f"{prefix}{name}": value for name, value in {**values, "agreeing": agreeing, "pairs": pairs}.items()}


def chain(document: str, lines: list[int], words: list[int], own: list, reference: list) -> dict:
    place = {"document": document, "unit": "words", "lines": lines, "words": words}
    return place | rendered(*own) | rendered(*reference, prefix="reference_")


def cats(own: list) -> dict:
    return chain("a", [0, 1], [0, 0], own, [("cat", 1), ("cat", 1)])


def dogs(own: list) -> dict:
    return chain("b", [2, 3], [0, 0], own, [("dog", 0), ("hound", 1)])


CHAINS = {
    "sentence": [cats([("cat", 1), ("kitty", 1)]), dogs([("dog", 1), ("dog", 1)])],
    "concat_3": [cats([("cat", 1), ("cat", 1)]), dogs([("dog", 1), ("dog", 1)])],
}


def write_tokens(world, text: dict) -> None:
    rows = [
        {"split": split, "document": document, "sentence": sentence, "source_tokens": source, "source_pieces": source}
        | {"target_tokens": reference}
        for split in ("train", "test")
        for (document, sentence), (source, reference, _) in text.items()
    ]
    file = world.results / "2_tokens" / "toy_zh-en" / "lower" / "tokens.arrow"
    write_arrow(file, pa.Table.from_pylist(rows, TOKENS))


def write_chains(world, chains: dict, text: dict, seed: int = 1) -> None:
    for system, rows in chains.items():
        table = pa.Table.from_pylist(rows, OCCURRENCES)
        write_arrow(world.folder("7_scores", system, seed) / "occurrences.arrow", table)
        world.translate(system, [outputs[system] for _, _, outputs in text.values()], seed)
        lines = "".join(outputs[system] + "\n" for _, _, outputs in text.values())
        (world.folder("6_translations", system, seed) / "test.tok.txt").write_text(lines, encoding="utf-8")


@pytest.fixture
def chained(world):
    write_tokens(world, TEXT)
    write_chains(world, CHAINS, TEXT)
    return world


def test_consistency_is_counted_against_the_reference(chained):
    (study,) = chain_studies(chained.load())
    assert [(one.system, one.chains, one.consistent, one.faithful, one.overcorrected) for one in study.accounts] == [
        (None, 2, 1, None, None),
        ("sentence", 2, 1, (0, 1), (1, 1)),
        ("concat_3", 2, 2, (1, 1), (1, 1)),
    ]


def test_the_document_where_systems_differ_is_shown_with_its_chains_coloured(chained):
    (study,) = chain_studies(chained.load())
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
    (study,) = chain_studies(chained.load())
    (case,) = study.overcorrections
    assert (case.document, case.words, case.overcorrecting) == ("b", ("狗",), ("sentence", "concat_3"))
    assert case.chains[0].reference.counts == [("dog", 1), ("hound", 1)]
    coloured = [[span for span in line.reference if span.chain is not None] for line in case.lines]
    assert coloured == [[Span("dog", 0)], [Span("hound", 0, True)]]
    assert study.cases[0].overcorrecting == ()


def test_over_corrections_that_others_do_not_make_come_first_then_long_chains(chained):
    def dog(lines: list[int], *own: str) -> dict:
        reference = [("dog", 0), *[("hound", 1)] * (len(lines) - 1)]
        return chain("b", lines, [0] * len(lines), [(word, 1) for word in own], reference)

    both = [dog([2, 3], "dog", "dog"), dog([1, 2, 3], "dog", "dog", "dog")]
    chains = {
        "sentence": [*both, dog([0, 1], "dog", "hound")],
        "concat_3": [*both, dog([0, 1], "dog", "dog")],
    }
    write_chains(chained, chains, TEXT)
    (study,) = chain_studies(chained.load())
    found = [([line for line, _ in case.chains[0].places], case.overcorrecting) for case in study.overcorrections]
    everybody = ("sentence", "concat_3")
    assert found == [([0, 1], ("concat_3",)), ([1, 2, 3], everybody), ([2, 3], everybody)]


def test_occurrences_without_translation_agree_with_nothing(chained):
    write_chains(chained, {"sentence": [cats([None, None]), dogs([("dog", 1), None])]}, TEXT)
    (study,) = chain_studies(chained.load())
    assert study.accounts[1].consistent == 0
    assert study.cases[0].chains[0].systems["sentence"].counts == [(None, 2)]


def test_the_usual_translation_is_one_even_where_most_occurrences_have_none(chained):
    cat = chain("a", [0, 1, 1], [0, 0, 1], [None, None, ("kitty", 1)], [("cat", 1)] * 3)
    same = chain("a", [0, 1, 1], [0, 0, 1], [("cat", 1)] * 3, [("cat", 1)] * 3)
    write_chains(chained, {"sentence": [cat], "concat_3": [same]}, TEXT)
    (study,) = chain_studies(chained.load())
    assert [span for span in study.cases[0].lines[1].systems[0] if span.chain is not None] == [Span("kitty", 0)]


def test_chains_that_cannot_be_compared_do_not_count(chained):
    alone = cats([("cat", 1), None]) | {"pairs": 0, "agreeing": 0}
    write_chains(chained, {"sentence": [alone, dogs([("dog", 1), ("dog", 1)])]}, TEXT)
    (study,) = chain_studies(chained.load())
    assert [(one.chains, one.consistent) for one in study.accounts] == [(2, 1), (1, 1), (2, 2)]
    assert study.cases == ()


def test_a_reference_without_translations_does_not_vary(chained):
    rows = {
        system: [dogs([("dog", 1), ("dog", 1)]) | rendered(("dog", 0), None, prefix="reference_")]
        for system in ("sentence", "concat_3")
    }
    write_chains(chained, rows, TEXT)
    (study,) = chain_studies(chained.load())
    assert study.accounts[1].overcorrected == (0, 0) and study.overcorrections == ()


def test_only_the_first_seed_and_one_text_are_compared(chained):
    write_chains(chained, CHAINS, TEXT, seed=2)
    entries = chained.settings["entries"]
    system = entries[1].system
    other = type(system)(**{**vars(system), "text": "other"})
    entries[1] = type(entries[1])(**{**vars(entries[1]), "system": other})
    (study,) = chain_studies(chained.load())
    assert (study.seed, study.systems) == (1, ("sentence",))


def test_much_is_cut_short(world):
    sentences, words = LINES_SHOWN + 3, CHAINS_SHOWN + 2
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
            for system, own in (("sentence", other), ("concat_3", same)):
                chains[system].append(chain("abc"[first // sentences], lines, [word] * sentences, own, same))
    write_chains(world, chains, text)
    (study,) = chain_studies(world.load())
    assert [case.document for case in study.cases] == list("abc"[:CASES_SHOWN])
    case = study.cases[0]
    # The largest differences, in the order of the text.
    assert case.words == tuple(f"w{number}" for number in range(words - CHAINS_SHOWN, words))
    assert (len(case.lines), case.left_out) == (LINES_SHOWN, 3)


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
    assert chain_studies(full.load()) == []


def test_translations_of_another_test_split_are_refused(chained):
    (chained.folder("6_translations", "sentence", 1) / "test.tok.txt").write_text("one\n")
    with pytest.raises(UserError, match=r"test.tok.txt: not one line for each test sentence\n  found 1 lines"):
        chain_studies(chained.load())


def test_the_page_has_the_case_study(chained):
    chained.load()
    write_report(chained.settings_file, chained.results, chained.output)
    page = chained.output.read_text(encoding="utf-8")
    assert '<b class="chain odd" style="--hue: var(--chain0)">kitty</b>' in page
    assert '<a href="#chains">Chains</a>' in page
    assert '<summary>Document b, <span lang="zh">狗</span> <span class="count">by sentence, concat_3</span>' in page
    assert "No chain is." not in page and "In no chain." not in page


def test_the_page_says_where_there_is_nothing_to_show(chained):
    write_chains(chained, {system: [cats([("cat", 1), ("cat", 1)])] for system in CHAINS}, TEXT)
    chained.load()
    write_report(chained.settings_file, chained.results, chained.output)
    page = chained.output.read_text(encoding="utf-8")
    assert "No chain is." in page and "In no chain." in page
