"""The toy corpus's lexical chains: the ambiguous word is one word wherever it stands, and repeated."""

from collections import Counter
from functools import lru_cache
from math import comb
from pathlib import Path
from random import Random

import pytest
from helpers.chain_files import repeated_words

from docmt.base.chains import most_frequent
from docmt.catalogue.corpus import load_corpus
from docmt.corpus.toy import words
from docmt.corpus.toy.grammar import WORD
from docmt.corpus.toy.stories import Story, draw_story
from docmt.settings.data import TextConfig
from docmt.text.tokenizers import tokenizer_for

STOP_WORDS = load_corpus(Path(__file__).parents[2] / "workflow/corpora/toy_zh-en.yaml").stop_words
TOKENIZE = lru_cache(1 << 17)(tokenizer_for("zh", TextConfig()).tokenize)


@pytest.fixture(scope="module")
def stories() -> list[Story]:
    rng = Random(6)
    return [draw_story(6, 20, rng) for _ in range(600)]


@pytest.fixture(scope="module")
def stop_words(stories) -> frozenset[str]:
    counts = Counter(word for story in stories for zh, _ in story.pairs() for word in TOKENIZE(zh))
    return frozenset(most_frequent(counts, STOP_WORDS))


def chains_of_story(story: Story, stop_words: frozenset[str]) -> dict[str, list[int]]:
    """Return the numbers of the sentences that contain each chain."""
    places = [(word, number) for number, (zh, _) in enumerate(story.pairs()) for word in TOKENIZE(zh)]
    repeated = repeated_words([word for word, _ in places], stop_words)
    return {word: [places[place][1] for place in indices] for word, indices in repeated.items()}


def test_no_other_sentence_shows_the_ambiguous_word(stories):
    for story in stories:
        for sentence in story.sentences:
            zh, _ = sentence.say(story.facts)
            assert (story.facts.word.zh in TOKENIZE(zh)) == (WORD in sentence.shows)


def test_no_ambiguous_word_is_a_stop_word(stop_words):
    assert len(stop_words) == STOP_WORDS
    assert not stop_words & {word.zh for word in words.AMBIGUOUS_WORDS}


def test_documents_have_chains_and_most_ambiguous_words_three_mentions_or_more(stories, stop_words):
    chains = [chains_of_story(story, stop_words) for story in stories]
    assert sum(map(len, chains)) / len(chains) > 2
    mentions = [
        len(story_chains.get(story.facts.word.zh, ())) for story, story_chains in zip(stories, chains, strict=True)
    ]
    assert min(mentions) >= 2, "each document leaves the word open once, after it was shown"
    assert sum(count >= 3 for count in mentions) / len(mentions) > 0.6


def test_the_first_mention_of_a_chain_shows_the_sense_and_a_bare_mention_follows(stories, stop_words):
    for story in stories:
        mentions = [story.sentences[number] for number in chains_of_story(story, stop_words)[story.facts.word.zh]]
        assert WORD in mentions[0].settles
        assert any(mention.leaves_open == WORD for mention in mentions[1:])


def test_whoever_guesses_the_bare_word_translates_chains_inconsistently(stories, stop_words):
    """A sentence model's LTCR: even if it always takes the same sense, and is right wherever it is shown."""
    agreeing = pairs = 0
    for story in stories:
        for word, numbers in chains_of_story(story, stop_words).items():
            senses = [story.facts.sense if WORD in story.sentences[n].settles else 0 for n in numbers]
            counts = Counter(senses if word == story.facts.word.zh else [0] * len(numbers))
            agreeing += sum(comb(count, 2) for count in counts.values())
            pairs += comb(len(numbers), 2)
    assert agreeing / pairs < 0.9
