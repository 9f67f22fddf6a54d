"""Chains of documents, what an occurrence is translated by, and that inconsistency lowers LTCR."""

from dataclasses import replace
from random import Random

import pyarrow.compute as pc
import pytest
from helpers.chain_measures import hhi, ltcr
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.columns import CHAINS_WORDS, TOKENS
from docmt.base.tables import read_arrow
from docmt.scoring.alignment.links import DirectedLinks
from docmt.scoring.alignment.training import DefaultAligner, train
from docmt.scoring.chain_scores import AlignedTranslations, StopList, StopLists
from docmt.scoring.occurrences import Output, find_chains, signature, translated_chains
from docmt.settings.scoring import ConsistencyConfig

DEFAULT = ConsistencyConfig()
STOP = frozenset({"the", "it"})


def links(text: str) -> frozenset[tuple[int, int]]:
    return frozenset(tuple(map(int, pair.split("-"))) for pair in text.split())


@pytest.mark.parametrize(
    ("line", "forward", "backward", "expected"),
    [
        ("New York city", "1-1 1-0 0-2", "1-1", "new york"),
        ("york , new", "1-0 1-1 1-2", "1-1", "york new"),
        ("cat sat", "0-0 0-1", "1-0", "cat"),
        ("the sat", "1-0", "1-1", "sat"),
        ("the cat sat", "1-0 1-1", "1-0", "cat"),
        ("the it", "1-0", "1-1", "the"),
        (", it", "1-0", "1-1", "it"),
        (", sat", "1-0", "1-0", None),
        ("cat", "0-0", "0-0", None),
        ("", "", "", None),
    ],
    ids=[
        "joined in order",
        "without punctuation",
        "the other way",
        "the other way rather than stop words",
        "without stop words",
        "stop words where there is nothing else",
        "stop words the other way",
        "punctuation alone",
        "no link",
        "no words",
    ],
)
def test_the_translation_of_the_second_source_word(line, forward, backward, expected):
    output = Output.of(line, DirectedLinks(links(forward), links(backward)), STOP, DEFAULT)
    assert output.translation(1) == expected


@pytest.mark.parametrize(
    ("choice", "line", "expected"),
    [
        ({"target_case": "keep"}, "The York city", "The York"),
        ({"target_punctuation": True}, ", York city", ", york"),
        ({"only_stop_words": "unaligned"}, "the it the", None),
        ({"reverse_links": False}, "the it York", "the it"),
    ],
    ids=str,
)
def test_each_choice_of_what_a_translation_is(choice, line, expected):
    aligned = DirectedLinks(links("1-0 1-1"), links("1-2"))
    assert Output.of(line, aligned, STOP, replace(DEFAULT, **choice)).translation(1) == expected


WORDS = st.lists(st.sampled_from(["cat", "Cat", "dog", ".", "the"]), min_size=1, max_size=5)
DOCUMENTS = st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=1, max_size=3)


@given(DOCUMENTS, st.sampled_from(["keep", "lower"]), st.booleans())
def test_chains_are_those_of_a_loop(documents, case, punctuation):
    names = [str(n) for n, sentences in enumerate(documents) for _ in sentences]
    lines = [" ".join(words) for sentences in documents for words in sentences]
    config = ConsistencyConfig(source_case=case, source_punctuation=punctuation)
    expected = set()
    for name in set(names):
        places: dict[str, list] = {}
        for number, line in enumerate(lines):
            for place, word in enumerate(line.split()):
                word = word.lower() if case == "lower" else word
                if names[number] == name and word != "the" and (punctuation or word != "."):
                    places.setdefault(word, []).append((number, place))
        expected |= {(name, tuple(chains)) for chains in places.values() if len(chains) > 1}
    chains = find_chains(names, lines, frozenset({"the"}), config)
    assert {(chain.document, chain.places) for chain in chains} == expected
    assert len(chains) == len(expected)


def test_a_word_of_two_pieces_makes_two_chains():
    lines = ["un@@ do it", "un@@ do un@@ til"]
    chains = find_chains(["a", "a"], lines, frozenset(), ConsistencyConfig(chains="pieces"))
    assert [chain.places for chain in chains] == [((0, 0), (1, 0)), ((0, 1), (1, 1))]
    assert find_chains(["a", "a"], lines, frozenset({"undo"}), ConsistencyConfig(chains="pieces")) == []


def test_by_default_they_are_the_chains_of_stage_4(finished_demo):
    results = finished_demo.root / "results"
    (tokens,) = results.glob("2_tokens/toy_zh-en@smoke/*/*/tokens.arrow")
    (folder,) = results.glob("4_chain_words/toy_zh-en@smoke/*/*")
    rows = read_arrow(tokens, TOKENS)
    test = rows.filter(pc.equal(rows["split"], "test"))
    names, lines = test["document"].to_pylist(), test["source_tokens"].to_pylist()
    stop_words = frozenset((folder / "stop_words.txt").read_text(encoding="utf-8").split("\n"))
    first = {name: number for number, name in reversed([*enumerate(names)])}
    table = read_arrow(folder / "chains.arrow", CHAINS_WORDS)
    expected = []
    for row in table.filter(pc.equal(table["split"], "test")).to_pylist():
        places = zip(row["sentences"], row["words"], strict=True)
        expected.append((row["document"], tuple((first[row["document"]] + s, w) for s, w in places)))
    chains = find_chains(names, lines, stop_words, DEFAULT)
    assert [(chain.document, chain.places) for chain in chains] == expected
    assert expected


VOCABULARY = [f"s{n}" for n in range(30)]
NO_STOP_WORDS = StopLists(StopList(frozenset(), "none"), StopList(frozenset(), "none"))


def translated(sentences: list[list[str]], choices: list[str]) -> list[str]:
    """Each word has two translations; the first word of each sentence has that of the sentence's choice."""
    return [
        " ".join([choice + words[0], *("t" + word for word in words[1:])])
        for words, choice in zip(sentences, choices, strict=True)
    ]


class Translated:
    """Documents of three sentences that open with one word, translated alike in a document; half of them are tests."""

    def __init__(self, count: int) -> None:
        draw = Random(1)
        self.training: tuple[list[str], list[str]] = ([], [])
        self.documents: list[str] = []
        self.sentences: list[list[str]] = []
        self.choices: list[str] = []
        for number in range(count):
            repeated, choice = draw.choice(VOCABULARY), draw.choice("tu")
            others = draw.sample([word for word in VOCABULARY if word != repeated], 12)
            document = [[repeated, *others[4 * n : 4 * n + 4]] for n in range(3)]
            if number % 2:
                self.documents += [f"d{number}"] * 3
                self.sentences += document
                self.choices += [choice] * 3
            else:
                self.training[0].extend(map(" ".join, document))
                self.training[1].extend(translated(document, [choice] * 3))

    def chains(self, hypotheses: list[str], config: ConsistencyConfig = DEFAULT) -> list:
        sources = [" ".join(words) for words in self.sentences]
        aligned = DefaultAligner(train(*self.training)).align(sources, hypotheses)
        return translated_chains(
            AlignedTranslations(self.documents, sources, hypotheses, aligned.lines), NO_STOP_WORDS, config
        )


@pytest.fixture(scope="module")
def documents() -> Translated:
    return Translated(300)


def test_a_permuted_translation_lowers_ltcr(documents):
    """The same translations of the same words, but permuted over the corpus: two of a document agree by chance."""
    permuted = Random(2).sample(documents.choices, len(documents.choices))
    faithful, other = (
        documents.chains(translated(documents.sentences, choices)) for choices in (documents.choices, permuted)
    )
    assert [len(chain.translations) for chain in faithful] == [len(chain.translations) for chain in other] == [3] * 150
    assert ltcr(faithful, DEFAULT) == 100
    assert 40 < ltcr(other, DEFAULT) < 60
    assert hhi(other, DEFAULT) < hhi(faithful, DEFAULT) == 100


@pytest.mark.parametrize("wrong", ["never seen", "left out", "of another word"])
def test_a_wrong_translation_of_one_occurrence_lowers_ltcr(documents, wrong):
    """Of three occurrences one is wrong: of three pairs one agrees. No wrong word may pass for none at all."""
    lines = translated(documents.sentences, documents.choices)
    for number in range(0, len(lines), 3):
        other = VOCABULARY[number % len(VOCABULARY)]
        words = {"never seen": [f"x{number}"], "left out": [], "of another word": [f"t{other}"]}[wrong]
        lines[number] = " ".join([*words, *lines[number].split()[1:]])
    assert ltcr(documents.chains(lines), DEFAULT) < 45


def test_every_choice_of_what_a_translation_is_is_in_the_signature():
    choices = {
        "chains": "pieces",
        "source_case": "lower",
        "source_punctuation": False,
        "target_case": "keep",
        "target_punctuation": True,
        "only_stop_words": "unaligned",
        "reverse_links": False,
    }
    top = StopList(frozenset(), "top9")
    configs = [DEFAULT, *(replace(DEFAULT, **{name: choice}) for name, choice in choices.items())]
    signatures = [signature(config, NO_STOP_WORDS, "some") for config in configs]
    signatures += [signature(DEFAULT, replace(NO_STOP_WORDS, **{side: top}), "some") for side in ("source", "target")]
    signatures.append(signature(DEFAULT, NO_STOP_WORDS, "other"))
    assert len(set(signatures)) == len(choices) + 4
