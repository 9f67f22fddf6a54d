"""Laws of the toy corpus: what its documents and its contrastive twins must be for the study to mean anything."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from docmt.corpus.forms import toy
from docmt.corpus.forms.toy import ToyConfig
from docmt.corpus.inputs import ContrastiveItem, Document, Problems
from docmt.corpus.opening import validated_documents, validated_items
from docmt.corpus.toy import words
from docmt.corpus.toy.grammar import ELLIPSIS, GENDER, NUMBER, PHENOMENA, WORD
from docmt.corpus.toy.stories import Story, draw_story

DISTANCES = (1, 2, 3, 5)
CONFIG = ToyConfig("toy", train_documents=1000, dev_documents=40, test_documents=40, contrastive_items=30)


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return list(validated_documents(toy.documents(CONFIG, None), Problems()))


@pytest.fixture(scope="module")
def items() -> list[ContrastiveItem]:
    return list(validated_items(toy.items(CONFIG, None), "toy", Problems()))


@pytest.fixture(scope="module")
def twins(items) -> list[tuple[ContrastiveItem, ContrastiveItem]]:
    return list(zip(items[::2], items[1::2], strict=True))


@pytest.fixture(scope="module")
def stories() -> list[Story]:
    rng = Random(5)
    return [draw_story(6, 20, rng) for _ in range(600)]


def test_the_seed_decides_everything(documents, items):
    small = ToyConfig("toy", train_documents=20, dev_documents=5, test_documents=5, contrastive_items=4)
    other = ToyConfig(**{**vars(small), "seed": 2})
    assert list(toy.documents(small, None))[:20] == documents[:20]
    again_items = list(toy.items(small, None))
    assert again_items[:4] == items[:4]
    assert not {item.source for item in again_items} & {item.source for item in toy.items(other, None)}
    assert not {document.source.sentences for document in toy.documents(other, None)} & {
        document.source.sentences for document in documents
    }


def test_splits_and_lengths(documents):
    assert Counter(document.split for document in documents) == {"train": 1000, "dev": 40, "test": 40}
    assert {len(document.source.sentences) for document in documents} == set(range(6, 21))


def test_no_document_occurs_twice_and_no_sentence_twice_in_a_document(documents):
    assert len({tuple(document.source.sentences) for document in documents}) == len(documents)
    for document in documents:
        assert len(set(zip(document.source.sentences, document.target.sentences, strict=True))) == len(
            document.source.sentences
        )


def distance_in(story: Story, index: int) -> int:
    """Return the number of sentences from the last one that settles what `index` leaves open to `index`."""
    phenomenon = story.sentences[index].leaves_open
    return next(back for back in range(1, index + 1) if phenomenon in story.sentences[index - back].settles)


def test_every_document_exercises_every_phenomenon(stories):
    counts = [Counter(sentence.leaves_open for sentence in story.sentences) for story in stories]
    for phenomenon in PHENOMENA:
        assert min(count[phenomenon] for count in counts) >= 1
        assert sum(count[phenomenon] for count in counts) / len(counts) > 1.3


def test_every_phenomenon_is_trained_at_every_distance(stories):
    """The answer is not repeated in between in either language, as in the contrastive sets."""
    seen: Counter[tuple[str, int]] = Counter()
    for story in stories:
        for index, sentence in enumerate(story.sentences):
            phenomenon = sentence.leaves_open
            if phenomenon is not None:
                distance = distance_in(story, index)
                between = story.sentences[index - distance + 1 : index]
                if not any(phenomenon in other.shows for other in between):
                    seen[phenomenon, distance] += 1
    for phenomenon in PHENOMENA:
        assert all(seen[phenomenon, distance] >= 15 for distance in (1, 2, 3, 4, 5)), seen


def test_elided_verb_follows_an_activity_as_last_statement_about_a_person(stories):
    for story in stories:
        people = [sentence for sentence in story.sentences if sentence.of_person]
        for before, sentence in pairwise(people):
            if sentence.leaves_open == ELLIPSIS:
                assert ELLIPSIS in before.shows


def test_sentences_depend_on_the_facts_that_they_say_they_do(stories):
    """Another gender, number, sense or modality changes the English exactly where it is shown, and the Chinese
    exactly where it is settled. (An activity shows the person too, and so on: each fact for itself.)"""
    rng = Random(0)
    for story in stories:
        for phenomenon in PHENOMENA:
            other = story.facts.contrasted(phenomenon, rng)
            for sentence in story.sentences:
                (zh, en), (other_zh, other_en) = sentence.say(story.facts), sentence.say(other)
                assert (zh != other_zh) == (phenomenon in sentence.settles)
                assert (en != other_en) == (phenomenon in sentence.shows)


def test_every_set_and_distance_has_its_items(items):
    expected = {(phenomenon, distance): 30 for phenomenon in PHENOMENA for distance in DISTANCES}
    assert Counter((item.set, item.distance) for item in items) == expected
    assert len({(item.set, item.source, item.variants) for item in items}) == len(items)


def test_twins_differ_in_the_deciding_sentence_alone(twins):
    for first, second in twins:
        assert (first.set, first.distance, first.variants) == (second.set, second.distance, second.variants)
        assert {first.correct, second.correct} == {0, 1}
        last = len(first.source) - 1
        assert [n for n in range(last + 1) if first.source[n] != second.source[n]] == [last - first.distance]
        assert [n for n in range(last) if first.target_context[n] != second.target_context[n]] == [
            last - first.distance
        ]


def test_whoever_misses_the_deciding_sentence_has_half_of_them_right(items):
    """For each set and distance, no guesser that sees less than the deciding sentence is better than 50 %."""
    for phenomenon in PHENOMENA:
        for distance in DISTANCES:
            chosen = [item for item in items if (item.set, item.distance) == (phenomenon, distance)]
            for sight in range(distance):
                seen = [
                    (i.source[-1 - sight :], i.target_context[len(i.target_context) - sight :], i.variants)
                    for i in chosen
                ]
                right = Counter((view, item.correct) for view, item in zip(seen, chosen, strict=True))
                best = sum(max(right[view, 0], right[view, 1]) for view in set(seen))
                assert best == len(chosen) / 2
                assert sum(right[view, 0] for view in set(seen)) == len(chosen) / 2


def test_right_variant_is_neither_always_the_same_form_nor_always_first(items):
    for phenomenon in PHENOMENA:
        right = [item.variants[item.correct] for item in items if item.set == phenomenon]
        wrong = [item.variants[1 - item.correct] for item in items if item.set == phenomenon]
        assert Counter(right) == Counter(wrong)
    assert Counter(item.correct for item in items) == {0: len(items) // 2, 1: len(items) // 2}


MARKS = {
    GENDER: ({"he", "his"}, {"she", "her"}),
    NUMBER: ({"it", "is", "looks", "smells", "tastes"}, {"they", "are", "look", "smell", "taste"}),
    WORD: tuple({word.senses[sense].en for word in words.AMBIGUOUS_WORDS} for sense in (0, 1)),
    ELLIPSIS: ({"can"}, {"did"}, {"does"}),
}


def tokens(sentence: str) -> list[str]:
    return sentence.lower().removesuffix(".").split()


def test_variants_differ_only_in_what_the_context_decides(items):
    for item in items:
        first, second = (tokens(variant) for variant in item.variants)
        assert len(first) == len(second)
        changed = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
        assert changed
        for pair in changed:
            sides = [[side for side, marks in enumerate(MARKS[item.set]) if word in marks] for word in pair]
            assert len(sides[0]) == len(sides[1]) == 1
            assert sides[0] != sides[1]


def test_nothing_is_tested_that_training_does_not_hold(documents, items):
    train = [document for document in documents if document.split == "train"]
    rest = [document for document in documents if document.split != "train"]
    characters = {c for document in train for text in document.source.sentences for c in text}
    english = {token for document in train for text in document.target.sentences for token in tokens(text)}
    for source, target in [(d.source.sentences, d.target.sentences) for d in rest] + [
        (i.source, i.target_context + i.variants) for i in items
    ]:
        assert {c for text in source for c in text} <= characters
        assert {token for text in target for token in tokens(text)} <= english


def test_contrastive_items_are_no_training_documents(documents, items):
    told = {tuple(document.source.sentences) for document in documents}
    assert not told & {item.source for item in items}
