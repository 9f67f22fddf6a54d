"""Documents of the toy corpus, in which earlier sentences decide the phenomena that a sentence leaves open.

Contrastive sets consist of twins. Twins are two items that differ in one sentence only: the deciding sentence, on which
the translation of the last sentence depends. The other sentences, the variants and the order of the variants are the
same in both twins, but different variants are right. A model that cannot see the deciding sentence therefore gives both
twins the same scores, and is right in exactly one of the twins.
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
"""The kinds of sentence with the first mention: the Chinese text settles the phenomenon without an earlier sentence."""

AGAIN: dict[str, tuple[Draw, ...]] = {
    GENDER: (grammar.mention,),
    NUMBER: (grammar.given_fruit,),
    WORD: (grammar.owned,),
    ELLIPSIS: (grammar.activity,),
}
"""The kinds of sentence with a later mention, which settle the phenomenon once more."""

OPEN: dict[str, tuple[Draw, ...]] = {
    GENDER: (grammar.feeling, grammar.doing),
    NUMBER: (grammar.taste,),
    WORD: (grammar.bare,),
    ELLIPSIS: (grammar.likewise,),
}
"""The kinds of sentence that leave the phenomenon open, so that earlier sentences decide it."""

ANY = (*PHENOMENA, *PHENOMENA, *PHENOMENA, WORD, WORD, None)
"""The phenomena, one of which is drawn for each sentence; None = no phenomenon.

The probability of a phenomenon is proportional to the number of its entries. The ambiguous word is drawn most often, so
that its mentions form a lexical chain.
"""


@dataclass(frozen=True)
class Story:
    """A document: its facts and its sentences."""

    facts: Facts
    sentences: tuple[Sentence, ...]

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return the sentence pairs in Chinese and English."""
        return tuple(sentence.say(self.facts) for sentence in self.sentences)


def is_settled(phenomenon: str, before: Sequence[Sentence]) -> bool:
    """Return whether a sentence that follows `before` can leave `phenomenon` open, since `before` settles it."""
    if phenomenon == ELLIPSIS:
        # 也一样 ("likewise") refers to the last statement about a person, which must therefore be about an activity.
        people = [sentence for sentence in before if sentence.of_person]
        return bool(people) and ELLIPSIS in people[-1].shows
    return any(phenomenon in sentence.settles for sentence in before)


def settling(phenomenon: str, before: Sequence[Sentence]) -> tuple[Draw, ...]:
    """Return the kinds of sentence that settle `phenomenon` and can follow `before`."""
    # A sentence that mentions the protagonist with fruit and the ambiguous word is possible only while neither thing
    # has been mentioned.
    alone = not any({NUMBER, WORD} & sentence.settles for sentence in before)
    return (*FIRST[phenomenon], grammar.in_front) if phenomenon == GENDER and alone else FIRST[phenomenon]


def draw_next(
    before: Sequence[Sentence],
    facts: Facts,
    rng: Random,
    phenomena: Sequence[str | None] = ANY,
    allowed: Callable[[Sentence], bool] = lambda _: True,
) -> Sentence:
    """Draw a new sentence about one of `phenomena` that can follow the sentences `before` and is `allowed`."""
    pairs = {sentence.say(facts) for sentence in before}
    while True:
        phenomenon = rng.choice(phenomena)
        sentence = rng.choice(_draws(phenomenon, before, rng))(rng)
        if allowed(sentence) and sentence.say(facts) not in pairs:
            return sentence


def _draws(phenomenon: str | None, before: Sequence[Sentence], rng: Random) -> tuple[Draw, ...]:
    if phenomenon is None:
        return (grammar.scene,)
    if not is_settled(phenomenon, before):
        return settling(phenomenon, before)
    if phenomenon == GENDER and is_settled(ELLIPSIS, before) and rng.random() < 0.6:
        # 也一样 refers to the last statement about a person. With fewer such statements, 也一样 may be further from its
        # activity.
        return (grammar.scene,)
    return (OPEN if rng.random() < 0.8 else AGAIN)[phenomenon]


def draw_story(shortest: int, longest: int, rng: Random) -> Story:
    """Draw a document that has every phenomenon and repeats no sentence."""
    length = rng.randint(shortest, longest)
    while True:
        facts = grammar.draw_facts(rng)
        sentences: list[Sentence] = []
        while len(sentences) < length:
            missing = [
                phenomenon
                for phenomenon in PHENOMENA
                if phenomenon not in {sentence.leaves_open for sentence in sentences}
            ]
            # Near the end of the document, only phenomena that the document still lacks are drawn.
            has_room = length - len(sentences) > 2 * len(missing)
            sentences.append(draw_next(sentences, facts, rng, ANY if has_room else missing or PHENOMENA))
        if {sentence.leaves_open for sentence in sentences}.issuperset(PHENOMENA):
            return Story(facts, tuple(sentences))


def draw_items(
    phenomenon: str, distance: int, items: int, rng: Random, length: int | None = None
) -> Iterator[ContrastiveItem]:
    """Yield `items` items with different sources; the second of two twins follows the first.

    `length` is the number of sentences of each item; None = any number.
    """
    sources: set[tuple[str, ...]] = set()
    while len(sources) < items:
        twins = draw_twins(phenomenon, distance, rng)
        if length in (None, len(twins[0].source)) and not sources & {twin.source for twin in twins}:
            sources |= {twin.source for twin in twins}
            yield from twins


def draw_twins(phenomenon: str, distance: int, rng: Random) -> tuple[ContrastiveItem, ContrastiveItem]:
    """Draw two twin items, whose deciding sentence is `distance` sentences before the last sentence."""
    facts = grammar.draw_facts(rng)
    other = facts.contrasted(phenomenon, rng)
    sentences = _sentences(phenomenon, distance, facts, rng)
    variants = tuple(sentences[-1].say(item_facts)[1] for item_facts in (facts, other))
    first, second = (
        ContrastiveItem(
            phenomenon,
            distance,
            tuple(sentence.say(item_facts)[0] for sentence in sentences),
            tuple(sentence.say(item_facts)[1] for sentence in sentences[:-1]),
            variants,
            correct,
        )
        for correct, item_facts in enumerate((facts, other))
    )
    return first, second


def _sentences(phenomenon: str, distance: int, facts: Facts, rng: Random) -> list[Sentence]:
    sentences: list[Sentence] = []
    for _ in range(rng.randint(0, 2)):
        sentences.append(draw_next(sentences, facts, rng, allowed=lambda new: phenomenon not in new.shows))
    sentences.append(rng.choice(settling(phenomenon, sentences))(rng))
    for _ in range(distance - 1):
        sentences.append(draw_next(sentences, facts, rng, allowed=lambda new: _keeps_open(phenomenon, new)))
    return [*sentences, rng.choice(OPEN[phenomenon])(rng)]


def _keeps_open(phenomenon: str, sentence: Sentence) -> bool:
    # The activity must stay the last statement about a person, since 也一样 refers to that statement.
    return phenomenon not in sentence.shows and not (phenomenon == ELLIPSIS and sentence.of_person)
