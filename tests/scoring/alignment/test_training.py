"""Training and alignment against loops over words, and their laws."""

import os
import subprocess
import sys
from collections import Counter
from random import Random

import numpy as np
import pytest
from helpers.alignment_oracle import Loops

from docmt.scoring.alignment import batches
from docmt.scoring.alignment.links import DirectedLinks
from docmt.scoring.alignment.posteriors import FARTHEST
from docmt.scoring.alignment.training import HIDDEN_MARKOV_ROUNDS, IBM_MODEL_1_ROUNDS, AlignerTraining, align, train

SOURCE = ["das haus", "das Buch", "ein buch", "das kleine haus", "", "ein", "haus das haus"]
TARGET = ["the house", "the book", "a Book", "the small house there", "nothing", "", "house the the"]


def drawn(seed: int, count: int, words: str) -> list[str]:
    """No word twice in a line: its links would be equally probable, and rounding choose one."""
    draw = Random(seed)
    return [" ".join(draw.sample(words, k=draw.randint(1, 4))) for _ in range(count)]


CASES = [(SOURCE, TARGET), (drawn(1, 12, "abcde"), drawn(2, 12, "uvwxyz"))]


def by_words(training: AlignerTraining, names: str) -> dict:
    """What training knows, as the loops have it."""
    sources, targets = (list(words) for words in training.words)
    if names == "links":
        values = zip(training.pairs.tolist(), training.lexicon.links.tolist(), strict=True)
        every = {divmod(pair, len(targets) + 1): value for pair, value in values}
        return {
            (sources[i], targets[j]): value for (i, j), value in every.items() if i < len(sources) and j < len(targets)
        }
    side, numbers = (
        (sources, training.lexicon.source_unlinked)
        if names == "source_unlinked"
        else (targets, training.lexicon.target_unlinked)
    )
    return dict(zip(side, numbers[:-1].tolist(), strict=True))


def check(training: AlignerTraining, loops: Loops) -> None:
    """After all rounds, and in what they say of each line."""
    for _ in range(IBM_MODEL_1_ROUNDS):
        training.ibm_model_1_round()
        loops.ibm_model_1_round()
    for _ in range(HIDDEN_MARKOV_ROUNDS):
        training.hidden_markov_round()
        loops.hidden_markov_round()
    for name in ("links", "source_unlinked", "target_unlinked"):
        expected = {key: value for key, value in getattr(loops, name).items() if value}
        counts = {key: value for key, value in by_words(training, name).items() if value}
        assert counts == pytest.approx(expected, rel=1e-5, abs=1e-6), name
    for jumps, counted_jumps in zip(training.jumps, loops.jumps, strict=True):
        expected = [counted_jumps[jump] for jump in range(-FARTHEST, FARTHEST + 1)]
        np.testing.assert_allclose(jumps.probabilities, expected, rtol=1e-5)
    expected = {number: DirectedLinks(*map(frozenset, loops.best(number))) for number in loops.aligned()}
    assert dict(training.links()) == expected


@pytest.mark.some(2)
@pytest.mark.parametrize("at_once", [1, 40, batches.CELLS_AT_ONCE])
@pytest.mark.parametrize(("source", "target"), CASES, ids=["words", "drawn"])
def test_training_is_that_of_loops_however_lines_share_batches(source, target, at_once, monkeypatch):
    monkeypatch.setattr(batches, "CELLS_AT_ONCE", at_once)
    check(AlignerTraining(source, target), Loops(source, target))


def test_lines_are_aligned_by_what_a_model_knows_and_by_each_other():
    known = train(*CASES[0])
    lines = ["das haus neu", "ein haus", "das neu"], ["the new house", "new a", "the new"]
    check(AlignerTraining(*lines, known), Loops(*lines, known))


def dictionary_lines(seed: int, count: int) -> tuple[list[str], list[str]]:
    """Sentences of five of twenty words, whose translations stand in the opposite order."""
    draw = Random(seed)
    sentences = [[f"s{n}" for n in draw.sample(range(20), 5)] for _ in range(count)]
    return [" ".join(words) for words in sentences], [" ".join(words[::-1]).replace("s", "t") for words in sentences]


OPPOSITE = DirectedLinks.symmetric(frozenset((i, 4 - i) for i in range(5)))
"""No link but the middle one is on the diagonal."""


def test_words_are_linked_to_their_translations_in_another_order():
    assert align(*dictionary_lines(3, 200)) == [OPPOSITE] * 200


def test_a_model_aligns_what_one_line_alone_cannot_tell():
    line = dictionary_lines(4, 1)
    assert align(*line, train(*dictionary_lines(3, 200))) == [OPPOSITE]
    assert align(*line) != [OPPOSITE]


def test_a_word_without_a_translation_has_no_link():
    source, target = dictionary_lines(4, 200)
    links_of_lines = align([f"le {line}" for line in source], target)
    assert Counter(i for aligned in links_of_lines for i, _ in aligned.forward | aligned.backward)[0] == 0


def test_lines_without_words_have_no_links():
    nothing = DirectedLinks.symmetric(frozenset())
    assert align([], []) == []
    assert align(["", "a"], ["b", " "]) == [nothing] * 2
    assert align(*CASES[0], train([], [])) == align(*CASES[0])


LONG = """
import random, sys
from pathlib import Path
from docmt.scoring.alignment.training import train
draw = random.Random(1)
source = [" ".join(draw.choices("abcdefghij", k=length)) for length in (400, 399, 400, 130, 131, 7, 3)]
target = [line.translate(str.maketrans("abcdefghij", "qrstuvwxyz"))[: len(line) - 40] for line in source]
train(source, target).save(Path(sys.argv[1]))
"""


@pytest.mark.nightly
def test_the_number_of_threads_changes_no_byte(tmp_path):
    """Long sentences: libraries share out large products among threads."""
    for threads in ("1", "4"):
        environment = os.environ | {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        subprocess.run([sys.executable, "-c", LONG, tmp_path / threads], env=environment, check=True)
    for name in ("lexicon.arrow", "jumps.json"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "4" / name).read_bytes()
