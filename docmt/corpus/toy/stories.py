"""Documents of the toy corpus: sentences in an order in which each one's context decides what it leaves open.

Contrastive sets are made of minimal twins, which differ in one sentence, which decides the last one. Their other
sentences, their variants and the order of these are the same, and the right variant is another. So whoever cannot see
the deciding sentence scores the twins alike and has exactly one of two right.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from docmt.corpus.inputs import ContrastiveItem
from docmt.corpus.toy import grammar
from docmt.corpus.toy.grammar import ELLIPSIS, GENDER, NUMBER, PHENOMENA, WORD, Facts, Sentence

Draw = Callable[[Random], Sentence]

FIRST: dict[str, tuple[Draw, ...]] = {
    GENDER: (grammar.mention,),
    NUMBER: (grammar.fruit,),
    WORD: (grammar.ambiguous,),
    ELLIPSIS: (grammar.activity,),
}
"""First mentions: their source settles the phenomenon, for one that does not know the document so far."""

AGAIN: dict[str, tuple[Draw, ...]] = {
    GENDER: (grammar.mention,),
    NUMBER: (grammar.given_fruit,),
    WORD: (grammar.owned,),
    ELLIPSIS: (grammar.activity,),
}
"""Later mentions that settle it once more."""

OPEN: dict[str, tuple[Draw, ...]] = {
    GENDER: (grammar.feeling, grammar.doing),
    NUMBER: (grammar.taste,),
    WORD: (grammar.bare,),
    ELLIPSIS: (grammar.likewise,),
}
"""Sentences that leave it to their context."""

ANY = (*PHENOMENA, *PHENOMENA, *PHENOMENA, WORD, WORD, None)
"""What a sentence can be about, None being nothing that matters: as often as it stands here. The ambiguous word most
often, so that its mentions are a lexical chain."""


@dataclass(frozen=True)
class Story:
    """A document: its facts and its sentences."""

    facts: Facts
    sentences: tuple[Sentence, ...]

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of Chinese and English."""
        return tuple(sentence.say(self.facts) for sentence in self.sentences)


def is_settled(phenomenon: str, before: Sequence[Sentence]) -> bool:
    """Whether a sentence after `before` can leave `phenomenon` open."""
    if phenomenon == ELLIPSIS:
        # 也一样 takes up the last statement about a person, so that one must be about an activity.
        people = [sentence for sentence in before if sentence.of_person]
        return bool(people) and ELLIPSIS in people[-1].shows
    return any(phenomenon in sentence.settles for sentence in before)


def settling(phenomenon: str, before: Sequence[Sentence]) -> tuple[Draw, ...]:
    """First mentions that can follow `before`: people come with their things where no thing was mentioned yet."""
    alone = not any({NUMBER, WORD} & sentence.settles for sentence in before)
    return (*FIRST[phenomenon], grammar.in_front) if phenomenon == GENDER and alone else FIRST[phenomenon]


def draw_next(
    before: Sequence[Sentence],
    facts: Facts,
    rng: Random,
    phenomena: Sequence[str | None] = ANY,
    allowed: Callable[[Sentence], bool] = lambda _: True,
) -> Sentence:
    """Draw a sentence about one of `phenomena` that can follow `before`, is none of it again, and is `allowed`."""
    told = {sentence.say(facts) for sentence in before}
    while True:
        phenomenon = rng.choice(phenomena)
        sentence = rng.choice(_draws(phenomenon, before, rng))(rng)
        if allowed(sentence) and sentence.say(facts) not in told:
            return sentence


def _draws(phenomenon: str | None, before: Sequence[Sentence], rng: Random) -> tuple[Draw, ...]:
    if phenomenon is None:
        return (grammar.scene,)
    if not is_settled(phenomenon, before):
        return settling(phenomenon, before)
    if phenomenon == GENDER and is_settled(ELLIPSIS, before) and rng.random() < 0.6:
        # Any statement about a person ends the reach of 也一样: fewer of them let it stand far from its activity too.
        return (grammar.scene,)
    return (OPEN if rng.random() < 0.8 else AGAIN)[phenomenon]


def draw_story(shortest: int, longest: int, rng: Random) -> Story:
    """A document that exercises every phenomenon and says nothing twice."""
    length = rng.randint(shortest, longest)
    while True:
        facts = grammar.draw_facts(rng)
        sentences: list[Sentence] = []
        while len(sentences) < length:
            due = [p for p in PHENOMENA if p not in {sentence.leaves_open for sentence in sentences}]
            enough = length - len(sentences) > 2 * len(due)
            sentences.append(draw_next(sentences, facts, rng, ANY if enough else due or PHENOMENA))
        if {sentence.leaves_open for sentence in sentences}.issuperset(PHENOMENA):
            return Story(facts, tuple(sentences))


def draw_items(
    phenomenon: str, distance: int, items: int, rng: Random, length: int | None = None
) -> Iterator[ContrastiveItem]:
    """So many items, twins one after the other, no two the same. `length`: sentences of each, none = any number."""
    seen: set[tuple[str, ...]] = set()
    while len(seen) < items:
        twins = draw_twins(phenomenon, distance, rng)
        if length in (None, len(twins[0].source)) and not seen & {twin.source for twin in twins}:
            seen |= {twin.source for twin in twins}
            yield from twins


def draw_twins(phenomenon: str, distance: int, rng: Random) -> tuple[ContrastiveItem, ContrastiveItem]:
    """Two items whose deciding sentence stands `distance` sentences before the last one."""
    facts = grammar.draw_facts(rng)
    other = facts.contrasted(phenomenon, rng)
    sentences = _sentences(phenomenon, distance, facts, rng)
    variants = tuple(sentences[-1].say(told)[1] for told in (facts, other))
    first, second = (
        ContrastiveItem(
            phenomenon,
            distance,
            tuple(sentence.say(told)[0] for sentence in sentences),
            tuple(sentence.say(told)[1] for sentence in sentences[:-1]),
            variants,
            correct,
        )
        for correct, told in enumerate((facts, other))
    )
    return first, second


def _sentences(phenomenon: str, distance: int, facts: Facts, rng: Random) -> list[Sentence]:
    """Some opening, the deciding sentence, what stands between, the judged sentence."""
    sentences: list[Sentence] = []
    for _ in range(rng.randint(0, 2)):
        sentences.append(draw_next(sentences, facts, rng, allowed=lambda new: phenomenon not in new.shows))
    sentences.append(rng.choice(settling(phenomenon, sentences))(rng))
    for _ in range(distance - 1):
        sentences.append(draw_next(sentences, facts, rng, allowed=lambda new: _keeps_open(phenomenon, new)))
    return [*sentences, rng.choice(OPEN[phenomenon])(rng)]


def _keeps_open(phenomenon: str, sentence: Sentence) -> bool:
    # 也一样 must find the activity as the last statement about a person.
    return phenomenon not in sentence.shows and not (phenomenon == ELLIPSIS and sentence.of_person)
