"""The kinds of sentence of the toy corpus: their words, and the phenomena that they settle or leave open.

A document has facts: a protagonist, a kind of fruit and its number, an ambiguous word and a modality. A `Sentence` is
drawn before the facts are filled in, so that the same sentence can be written with different facts; the two items of a
pair in a contrastive set are built in this way.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from docmt.corpus.toy import words

GENDER, NUMBER, WORD, ELLIPSIS = "pronoun_gender", "pronoun_number", "word", "ellipsis"
PHENOMENA = (GENDER, NUMBER, WORD, ELLIPSIS)
"""The phenomena, which only the context decides.

A dropped subject becomes he or she (GENDER), or it or they (NUMBER). A word without cues has two translations (WORD).
也一样, "likewise", becomes can, did or does (ELLIPSIS).
"""


@dataclass(frozen=True)
class Facts:
    """The facts of a document; each phenomenon depends on one of these facts.

    `gender` is an index into `pair`, and `sense` is an index into the senses of `word`. `count` is the number of
    fruits, as a Chinese and as an English word.
    """

    pair: tuple[words.Person, words.Person]
    gender: int
    fruit: words.Fruit
    count: tuple[str, str]
    word: words.AmbiguousWord
    sense: int
    modality: words.Modality

    @property
    def person(self) -> words.Person:
        """The protagonist of the document, a member of `pair`."""
        return self.pair[self.gender]

    @property
    def word_sense(self) -> words.Sense:
        """The sense in which the document uses its ambiguous word."""
        return self.word.senses[self.sense]

    @property
    def is_plural(self) -> bool:
        """True where the document has more than one fruit."""
        return self.count != words.SINGLE

    def contrasted(self, phenomenon: str, rng: Random) -> "Facts":
        """Return the same facts, except that the fact that decides `phenomenon` has a different value."""
        if phenomenon == GENDER:
            return replace(self, gender=1 - self.gender)
        if phenomenon == NUMBER:
            return replace(self, count=words.SINGLE if self.is_plural else rng.choice(words.MANY))
        if phenomenon == WORD:
            return replace(self, sense=1 - self.sense)
        return replace(self, modality=rng.choice([m for m in words.MODALITIES if m != self.modality]))


def draw_facts(rng: Random) -> Facts:
    """Draw the facts of a document."""
    return Facts(
        pair=rng.choice(words.PAIRS),
        gender=rng.randrange(2),
        fruit=rng.choice(words.FRUITS),
        count=rng.choice((words.SINGLE, rng.choice(words.MANY))),
        word=rng.choice(words.AMBIGUOUS_WORDS),
        sense=rng.randrange(2),
        modality=rng.choice(words.MODALITIES),
    )


@dataclass(frozen=True)
class Sentence:
    """A sentence without its facts: `say(facts)` returns the sentence with these facts in Chinese and in English."""

    say: Callable[[Facts], tuple[str, str]]
    settles: frozenset[str] = frozenset()
    """The phenomena that the Chinese text of this sentence settles for later sentences."""
    leaves_open: str | None = None
    """The phenomenon in this sentence that only earlier sentences decide; None = no phenomenon."""
    of_person: bool = False
    """True where the sentence is a statement about a person, to which 也一样 ("likewise") in a later sentence would
    refer."""

    @property
    def shows(self) -> frozenset[str]:
        """The phenomena whose facts the sentence shows, in Chinese or in English."""
        return self.settles | ({self.leaves_open} if self.leaves_open else frozenset())


def _pair(chinese: str, english: str) -> tuple[str, str]:
    return f"{chinese}。", f"{english[0].upper()}{english[1:]}."


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _word_with_cues(facts: Facts) -> str:
    # In 只下蛋的鸡, for example, the measure word and the attribute show the sense.
    return f"{facts.word_sense.measure}{facts.word_sense.attribute}{facts.word.zh}"


def _there_are(facts: Facts) -> str:
    if facts.is_plural:
        return f"there are {facts.count[1]} {facts.fruit.plural}"
    return f"there is {_a(facts.fruit.singular)}"


def mention(rng: Random) -> Sentence:
    """Draw a sentence with the protagonist's name: 汤姆在公园里。 Tom is in the park."""
    time = rng.choice((words.NO_TIME, words.NO_TIME, words.TODAY, words.YESTERDAY))
    place_zh, place_en = rng.choice(words.WHEREABOUTS)

    def say(facts: Facts) -> tuple[str, str]:
        person = facts.person
        return _pair(f"{person.zh}{time.zh}在{place_zh}", f"{person.en} {time.be} {place_en}{time.en}")

    return Sentence(say, frozenset({GENDER}), of_person=True)


def feeling(rng: Random) -> Sentence:
    """Draw a sentence with the protagonist as a dropped subject: 今天很累。 He is very tired today."""
    time = rng.choice((words.NO_TIME, words.TODAY, words.NOW, words.YESTERDAY))
    degree_zh, degree_en = rng.choice(words.DEGREES)
    zh, en = rng.choice(words.FEELINGS)

    def say(facts: Facts) -> tuple[str, str]:
        pronoun, _ = words.PRONOUN[facts.person.gender]
        return _pair(f"{time.zh}{degree_zh}{zh}", f"{pronoun} {time.be} {degree_en} {en}{time.en}")

    return Sentence(say, leaves_open=GENDER, of_person=True)


def doing(rng: Random) -> Sentence:
    """Draw a sentence with a dropped subject and a possessive: 还在找钥匙。 She is still looking for her key."""
    still_zh, still_en = rng.choice((("", ""), ("还", "still ")))
    zh, en = rng.choice(words.DOINGS)

    def say(facts: Facts) -> tuple[str, str]:
        pronoun, possessive = words.PRONOUN[facts.person.gender]
        return _pair(f"{still_zh}{zh}", f"{pronoun} is {still_en}{en.format(his=possessive)}")

    return Sentence(say, leaves_open=GENDER, of_person=True)


def fruit(rng: Random) -> Sentence:
    """Draw the first mention of the fruit: 盘子里有三个梨。 There are three pears on the plate."""
    place_zh, place_en = rng.choice(words.DISHES)

    def say(facts: Facts) -> tuple[str, str]:
        return _pair(f"{place_zh}有{facts.count[0]}{facts.fruit.zh}", f"{_there_are(facts)} {place_en}")

    return Sentence(say, frozenset({NUMBER}))


def given_fruit(rng: Random) -> Sentence:
    """Draw a later mention of the fruit by name: 这三个梨是给老师的。 These pears are for the teacher."""
    person_zh, person_en = rng.choice(words.NEUTRAL_PEOPLE)

    def say(facts: Facts) -> tuple[str, str]:
        # After 这, Chinese leaves out 一: 这个, not 这一个.
        count = facts.count[0].removeprefix("一")
        english = f"these {facts.fruit.plural} are" if facts.is_plural else f"this {facts.fruit.singular} is"
        return _pair(f"这{count}{facts.fruit.zh}是给{person_zh}的", f"{english} for {person_en}")

    return Sentence(say, frozenset({NUMBER}))


def taste(rng: Random) -> Sentence:
    """Draw a sentence with the fruit as a dropped subject: 看起来很甜。 They look very sweet."""
    sense_zh, sense_en = rng.choice(words.SENSES)
    degree_zh, degree_en = rng.choice(words.DEGREES)
    zh, en = rng.choice(words.TASTES)

    def say(facts: Facts) -> tuple[str, str]:
        subject, be, ending = ("they", "are", "") if facts.is_plural else ("it", "is", "s")
        verb = sense_en.format(be=be, s=ending)
        return _pair(f"{sense_zh}{degree_zh}{zh}", f"{subject} {verb} {degree_en} {en}")

    return Sentence(say, leaves_open=NUMBER)


def ambiguous(rng: Random) -> Sentence:
    """Draw the first mention of the ambiguous word, with cues: 院子里有一只下蛋的鸡。 There is a hen in the yard."""
    places = (rng.choice(words.INDOORS), rng.choice(words.OUTDOORS))

    def say(facts: Facts) -> tuple[str, str]:
        place_zh, place_en = places[facts.word.outdoors]
        return _pair(f"{place_zh}有一{_word_with_cues(facts)}", f"there is {_a(facts.word_sense.en)} {place_en}")

    return Sentence(say, frozenset({WORD}))


def in_front(rng: Random) -> Sentence:
    """Draw a sentence that mentions the protagonist, the fruit and the ambiguous word.

    汤姆面前有一个梨和一头产奶的牛。 There is a pear and a cow in front of Tom.
    """
    place_zh, place_en = rng.choice((("身边", "next to"), ("面前", "in front of")))

    def say(facts: Facts) -> tuple[str, str]:
        things = f"{facts.count[0]}{facts.fruit.zh}和一{_word_with_cues(facts)}"
        english = f"{_there_are(facts)} and {_a(facts.word_sense.en)} {place_en} {facts.person.en}"
        return _pair(f"{facts.person.zh}{place_zh}有{things}", english)

    return Sentence(say, frozenset({GENDER, NUMBER, WORD}))


def owned(rng: Random) -> Sentence:
    """Draw a later mention of the ambiguous word, with cues: 那只下蛋的鸡是老师的。 That hen is the teacher's."""
    person_zh, person_en = rng.choice(words.NEUTRAL_PEOPLE)

    def say(facts: Facts) -> tuple[str, str]:
        return _pair(f"那{_word_with_cues(facts)}是{person_zh}的", f"that {facts.word_sense.en} is {person_en}'s")

    return Sentence(say, frozenset({WORD}))


def bare(rng: Random) -> Sentence:
    """Draw a sentence with the ambiguous word without cues: 昨天鸡很干净。 The hen was very clean yesterday."""
    time = rng.choice((words.NO_TIME, words.NO_TIME, words.NOW, words.YESTERDAY))
    degree_zh, degree_en = rng.choice(words.DEGREES)
    zh, en = rng.choice(words.LOOKS)

    def say(facts: Facts) -> tuple[str, str]:
        subject = f"the {facts.word_sense.en}"
        return _pair(f"{time.zh}{facts.word.zh}{degree_zh}{zh}", f"{subject} {time.be} {degree_en} {en}{time.en}")

    return Sentence(say, leaves_open=WORD)


def activity(rng: Random) -> Sentence:
    """Draw a sentence with an activity that the protagonist can do, did or does. 汤姆每天游泳。 Tom swims every day."""
    verb_forms, way = rng.choice(words.ACTIVITIES), rng.randrange(3)

    def say(facts: Facts) -> tuple[str, str]:
        zh, en = (text.format(**verb_forms._asdict()) for text in facts.modality.ways[way])
        return _pair(f"{facts.person.zh}{zh}", f"{facts.person.en} {en}")

    return Sentence(say, frozenset({GENDER, ELLIPSIS}), of_person=True)


def likewise(rng: Random) -> Sentence:
    """Draw a sentence with an elided verb: 老师也一样。 The teacher can too."""
    person_zh, person_en = rng.choice(words.NEUTRAL_PEOPLE)
    even = rng.random() < 0.3

    def say(facts: Facts) -> tuple[str, str]:
        auxiliary = facts.modality.auxiliary
        if even:
            return _pair(f"连{person_zh}也一样", f"even {person_en} {auxiliary}")
        return _pair(f"{person_zh}也一样", f"{person_en} {auxiliary} too")

    return Sentence(say, leaves_open=ELLIPSIS, of_person=True)


def scene(rng: Random) -> Sentence:
    """Draw a sentence that shares no fact with others: 公园很安静。 The park is very quiet."""
    zh, en, states = rng.choice(words.SCENES)
    state_zh, state_en = rng.choice(states)
    time = rng.choice((words.NO_TIME, words.TODAY, words.YESTERDAY))
    degree_zh, degree_en = rng.choice(words.DEGREES)
    # 很 is sometimes translated by `really` instead of `very`.
    if degree_zh == "很" and rng.random() < 0.2:
        degree_en = "really"
    pair = _pair(f"{time.zh}{zh}{degree_zh}{state_zh}", f"{en} {time.be} {degree_en} {state_en}{time.en}")
    return Sentence(lambda facts: pair)
