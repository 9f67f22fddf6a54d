"""Contrastive sets of the toy corpus, in minimal twins.

The twins of a pair differ in one sentence, which decides the last one. Their other sentences, their variants and
the order of these are the same, and the right variant is another. So whoever cannot see the deciding sentence
scores the twins alike and has exactly one of two right.
"""

from collections.abc import Iterator
from random import Random

from docmt.corpus.inputs import ContrastiveItem
from docmt.corpus.toy import grammar
from docmt.corpus.toy.grammar import ELLIPSIS, PHENOMENA, Facts, Sentence
from docmt.corpus.toy.stories import OPEN, draw_next, settling


def draw_items(distances: tuple[int, ...], items: int, rng: Random) -> Iterator[ContrastiveItem]:
    """So many items of each phenomenon at each distance, twins one after the other, no two the same."""
    for phenomenon in PHENOMENA:
        for distance in distances:
            seen: set[tuple[str, ...]] = set()
            while len(seen) < items:
                twins = draw_twins(phenomenon, distance, rng)
                if not seen & {twin.source for twin in twins}:
                    seen |= {twin.source for twin in twins}
                    yield from twins


def draw_twins(phenomenon: str, distance: int, rng: Random) -> tuple[ContrastiveItem, ContrastiveItem]:
    """Two items whose deciding sentence stands `distance` sentences before the last one."""
    facts = grammar.draw_facts(rng)
    other = facts.turned(phenomenon, rng)
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
