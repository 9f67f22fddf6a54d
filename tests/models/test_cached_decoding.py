"""Cached decoding is the full forward pass, step by step, however hypotheses are reordered and instances dropped."""

import random

import pytest
import torch
from helpers.model_cases import CASES, FIRST_WORD, VOCABULARY, documents, model_of, rows_of, step

from docmt.base.vocabulary import EOS
from docmt.nn import growing_caches
from docmt.nn.cache import Cache
from docmt.nn.frames import FRAMES, NOTHING, frame_batch
from docmt.nn.growing_caches import InstanceCache
from docmt.nn.rows import Rows

BEAM = 3


def newest_states(model, sources, histories):
    """By one uncached pass, the state of the newest token of each history: sentences, of which the last is open.

    Where the frame closes sentences, `</s>` stands at the end of those that are closed.
    """
    words = [[[token for token in sentence if token != EOS] for sentence in history] for history in histories]
    whole = [history + [[]] * (len(source) - len(history)) for source, history in zip(sources, words, strict=True)]
    batch = frame_batch(rows_of(sources, whole), model.config.frame)
    states = model.decode(batch.target_in, model.encode(batch.source)).split(batch.target_in.instances.lengths)
    newest = [sum(map(len, history)) + len(history) - 1 for history in histories]
    return torch.stack([part[place] for part, place in zip(states, newest, strict=True)])


@pytest.mark.some(10)
@pytest.mark.parametrize("case", CASES)
def test_ancestors_may_be_shared_and_lost(case, monkeypatch):
    """As in a search: places go on from any others of their beam, so that they come to share what they wrote first."""
    monkeypatch.setattr(growing_caches, "GROWTH", 8)  # so that the caches grow several times
    model, draw = model_of(case), random.Random(1)
    marks = FRAMES[model.config.frame]
    opening, closing = marks.input_before.inner, marks.input_after.inner
    sources, _ = documents()
    memory = model.encode(frame_batch(rows_of(sources), model.config.frame).source)
    cache = Cache(memory, BEAM, model.config.frame)
    sources = [source for source in sources for _ in range(BEAM)]
    histories, tokens = [[[]] for _ in sources], [marks.input_before.edge] * len(sources)
    for number in range(30):
        states = step(model, torch.tensor(tokens), cache)
        # A fault of a step between stays in the caches.
        if number % 3 == 0 or number > 26:
            with torch.no_grad():
                torch.testing.assert_close(states, newest_states(model, sources, histories), atol=1e-10, rtol=0)
        index = [n - n % BEAM + draw.randrange(BEAM) for n in range(len(sources))]
        cache.reorder(torch.tensor(index))
        histories = [[*map(list, histories[n])] for n in index]
        if number in (9, 19):
            remaining = [0, 2, 1] if number == 9 else [1]
            cache.keep(torch.tensor(remaining))
            sources, histories = (
                [part[n * BEAM + place] for n in remaining for place in range(BEAM)] for part in (sources, histories)
            )
        tokens = []
        for source, history in zip(sources, histories, strict=True):
            closed = closing != NOTHING and history[-1][-1:] == [closing]
            ends = opening != NOTHING and len(history) < len(source) and draw.random() < 0.3
            if closed or (ends and closing == NOTHING):
                tokens.append(opening)
                history.append([])
            else:
                tokens.append(closing if ends else draw.randrange(FIRST_WORD, VOCABULARY))
                history[-1].append(tokens[-1])
    layers = [part for layer in cache.layers.values() for part in getattr(layer, "halves", (layer,))]
    shared = [layer.length for layer in layers if isinstance(layer, InstanceCache)]
    assert all(length > 10 for length in shared)


def test_a_sentence_scope_forgets_what_was_written_before():
    """With groups only, the cache is as long as the longest sentence, not as the document."""
    model = model_of("g_transformer groups")
    source, _ = documents()
    memory = model.encode(frame_batch(Rows.from_lists([source[2] * 6]), "wrapped").source)
    cache = Cache(memory, 2, model.config.frame)
    for _ in range(24):
        for token in (1, 9, 10):
            step(model, torch.tensor([token, token]), cache)
    assert cache.progress.steps == 72 and cache.progress.cursor.tolist() == [2, 2]
    attention = model.decoder[0].self_attention
    assert cache.layers[attention].window.room.shape[3] < 72
