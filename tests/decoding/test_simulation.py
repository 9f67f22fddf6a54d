"""Sliding windows against a simulation in plain loops, which searches for one window after another."""

import json

import pytest
import torch
from helpers.tiny import random_documents, segment, tiny_model

from docmt.base.vocabulary import SEP
from docmt.decoding.files import TranslationSettings, write_translations
from docmt.decoding.segments import View
from docmt.decoding.translator import Translator
from docmt.nn.rows import Rows
from docmt.search.beam import beam_search
from docmt.settings.data import CutConfig, ViewConfig
from docmt.settings.decode import DecodeConfig

LENGTHS = [[3, 1, 2, 4, 2], [2], [1, 5], [2, 2, 3]]
"""Words of each sentence: a document as long as no window here, one of one sentence, ones shorter than the window."""

DOCUMENTS = random_documents(4, LENGTHS)
CONFIG = DecodeConfig(beam=2, max_length_a=1.0, max_length_b=3)


def text(words):
    return "-".join(map(str, words))


def window_starts(document, k):
    return [start for start in range(len(document)) if start + k <= len(document)] or [0]


def nearest_window(document, k, sentence, j):
    """The start of the window in which the sentence stands as the j-th, or as near to that as any."""
    best = None
    for start in window_starts(document, k):
        if start <= sentence < start + k:
            distance = abs(sentence - start - (j - 1))
            if best is None or distance < best[0]:
                best = distance, start
    return best[1]


class Simulation:
    """The translations of every position j, with counts of where they come from."""

    def __init__(self, model, k):
        self.model, self.k, self.alone = model, k, {}
        self.failed = self.merged = 0
        self.windows = []
        for number, document in enumerate(DOCUMENTS):
            self.windows.append([self.window(number, start) for start in window_starts(document, k)])
        self.merged += sum(len(outputs) != 1 for outputs in self.alone.values())

    def translated(self, sentences):
        return beam_search(self.model, Rows.from_lists([sentences]), CONFIG)[0][0].sentences

    def window(self, number, start):
        """Its lines, and whether they were translated together."""
        sentences = DOCUMENTS[number][start : start + self.k]
        outputs = self.translated(sentences)
        if len(outputs) == len(sentences):
            return [text(words) for words in outputs], True
        self.failed += 1
        if len(sentences) == 1:
            self.merged += 1
            return [text([word for words in outputs for word in words])], True
        lines = []
        for place, sentence in enumerate(sentences, start):
            outputs = self.alone.setdefault((number, place), self.translated([sentence]))
            lines.append(text([word for words in outputs for word in words]))
        return lines, False

    def position(self, j):
        lines, counts = [], {"exact": 0, "nearest": 0, "alone": 0}
        for number, document in enumerate(DOCUMENTS):
            for sentence in range(len(document)):
                start = nearest_window(document, self.k, sentence, j)
                window, together = self.windows[number][start]
                lines.append(window[sentence - start])
                kind = "alone" if not together else "exact" if sentence - start == j - 1 else "nearest"
                counts[kind] += 1
        return lines, counts


def separating_model(name):
    """Random models seldom give a separator; this one gives about as many as there should be."""
    model = tiny_model(name, seed=2)
    logits, likes = model.logits, torch.zeros(20).index_fill(0, torch.tensor(SEP), 3.0)
    model.logits = lambda states: logits(states) + likes
    return model


@pytest.mark.parametrize(("name", "k"), [("joined", 1), ("joined", 3), ("joined", 4), ("g_transformer", 3)])
def test_every_position_is_what_loops_give(view, tmp_path, name, k):
    rows = [
        segment(number, start, document[start : start + k])
        for number, document in enumerate(DOCUMENTS)
        for start in window_starts(document, k)
    ]
    model, cut = separating_model(name), CutConfig(window=k)
    settings = TranslationSettings(1, "study", "corpus", "system", "smoke", 1, CONFIG, ViewConfig(cut, cut))
    write_translations(
        settings, Translator(model, CONFIG), View(view(rows)), tmp_path / "out", lambda ids: ("", text(ids))
    )
    record = json.loads((tmp_path / "out" / "decoding.json").read_text())
    simulation = Simulation(model, k)
    for j in range(1, k + 1):
        lines, counts = simulation.position(j)
        file = "test.txt" if k == 1 else f"test.j{j}.txt"
        assert (tmp_path / "out" / file).read_text().splitlines() == lines
        assert record["positions"][f"j{j}"] == counts
    # The setting of the papers' main results: each sentence as the last of its window.
    assert (tmp_path / "out" / "test.txt").read_text().splitlines() == simulation.position(k)[0]
    assert record["fallback_windows"] == simulation.failed
    assert record["fallback_sentences"] == len(simulation.alone)
    assert record["merged_sentences"] == simulation.merged
    segments = sum(map(len, simulation.windows))
    assert 0 < simulation.failed < segments if name == "joined" else simulation.failed == 0
