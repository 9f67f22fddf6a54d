"""Cached decoding is the full forward pass, step by step, however hypotheses are reordered and instances dropped."""

import random

import pytest
import torch
from helpers.model_cases import CASES, FIRST_WORD, VOCABULARY, documents, model_of, rows_of

from docmt.base.vocabulary import EOS
from docmt.nn import caches
from docmt.nn.caches import InstanceCache
from docmt.nn.frames import FRAMES, NOTHING
from docmt.nn.rows import Rows
from docmt.nn.streams import frame_batch, frame_target

BEAM = 3


def translations(target):
    """A beam of target documents: as they are, a word longer in every sentence, and with other words."""
    longer = [[[*sentence, 11] for sentence in document] for document in target]
    other = [[[8 + word % 9 for word in sentence] for sentence in document] for document in target]
    return [target, longer, other]


def full_states(model, memory_rows, beams):
    """The final states of each hypothesis by one uncached pass: by instance and place in the beam, with its tokens."""
    passes = []
    for target in beams:
        batch = frame_batch(rows_of(memory_rows, target), model.config.frame)
        states = model.decode(batch.target_in, model.encode(batch.source))
        lengths = batch.target_in.instances.lengths
        passes.append(list(zip(batch.target_in.tokens.split(lengths), states.split(lengths), strict=True)))
    return [list(beam) for beam in zip(*passes, strict=True)]


@pytest.mark.parametrize("case", CASES)
def test_steps_equal_the_full_pass(case):
    model = model_of(case)
    source, target = documents()
    with torch.no_grad():
        expected = full_states(model, source, translations(target))
    cache = model.start(model.encode(frame_batch(rows_of(source), model.config.frame).source), BEAM)
    generator, alive = torch.Generator().manual_seed(1), list(range(len(source)))
    # Which of the expected documents the hypothesis at a place is writing: places are shuffled at every step.
    writes = [list(range(BEAM)) for _ in source]
    for step in range(max(len(tokens) for beam in expected for tokens, _ in beam)):
        remaining = [
            n for n, instance in enumerate(alive) if all(len(tokens) > step for tokens, _ in expected[instance])
        ]
        if not remaining:
            break
        if len(remaining) < len(alive):
            cache.keep(torch.tensor(remaining))
            alive = [alive[n] for n in remaining]
        hypotheses = [expected[instance][place] for instance in alive for place in writes[instance]]
        states = model.step(torch.stack([tokens[step] for tokens, _ in hypotheses]), cache)
        torch.testing.assert_close(states, torch.stack([full[step] for _, full in hypotheses]), atol=1e-10, rtol=0)
        index = []
        for number, instance in enumerate(alive):
            order = torch.randperm(BEAM, generator=generator).tolist()
            writes[instance] = [writes[instance][place] for place in order]
            index += [number * BEAM + place for place in order]
        cache.reorder(torch.tensor(index))
    assert cache.progress.steps > 10


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


@pytest.mark.parametrize("case", CASES)
def test_ancestors_may_be_shared_and_lost(case, monkeypatch):
    """As in a search: places go on from any others of their beam, so that they come to share what they wrote first."""
    monkeypatch.setattr(caches, "GROWTH", 8)  # so that the caches grow several times
    model, draw = model_of(case), random.Random(1)
    marks = FRAMES[model.config.frame]
    opening, closing = marks.input_before.inner, marks.input_after.inner
    sources, _ = documents()
    memory = model.encode(frame_batch(rows_of(sources), model.config.frame).source)
    cache = model.start(memory, BEAM)
    sources = [source for source in sources for _ in range(BEAM)]
    histories, tokens = [[[]] for _ in sources], [marks.input_before.edge] * len(sources)
    for step in range(30):
        states = model.step(torch.tensor(tokens), cache)
        with torch.no_grad():
            torch.testing.assert_close(states, newest_states(model, sources, histories), atol=1e-10, rtol=0)
        index = [n - n % BEAM + draw.randrange(BEAM) for n in range(len(sources))]
        cache.reorder(torch.tensor(index))
        histories = [[*map(list, histories[n])] for n in index]
        if step in (9, 19):
            remaining = [0, 2, 1] if step == 9 else [1]
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


@pytest.mark.parametrize("case", CASES)
def test_a_hypothesis_may_be_continued_twice(case):
    """Both places go on from the second hypothesis, with different words."""
    model, frame = model_of(case), CASES[case].frame
    source = [[[9, 10], [11]]]
    memory = model.encode(frame_batch(rows_of(source), frame).source)
    opening, after, first, second = FRAMES[frame].input_before.edge, 12, 13, 14
    cache = model.start(memory, 2)
    for tokens in ([opening, opening], [15, after]):
        model.step(torch.tensor(tokens), cache)
    cache.reorder(torch.tensor([1, 1]))
    states = model.step(torch.tensor([first, second]), cache)
    for state, word in zip(states, (first, second), strict=True):
        target_in, _ = frame_target(Rows.from_lists(source, [[[after, word], []]]), frame)
        with torch.no_grad():
            torch.testing.assert_close(state, model.decode(target_in, memory)[2], atol=1e-10, rtol=0)


def test_a_sentence_scope_forgets_what_was_written_before():
    """With groups only, the cache is as long as the longest sentence, not as the document."""
    model = model_of("g_transformer groups")
    source, _ = documents()
    memory = model.encode(frame_batch(Rows.from_lists([source[2] * 6]), "wrapped").source)
    cache = model.start(memory, 2)
    for _ in range(24):
        for token in (1, 9, 10):
            model.step(torch.tensor([token, token]), cache)
    assert cache.progress.steps == 72 and cache.progress.cursor.tolist() == [2, 2]
    attention = model.decoder[0].self_attention
    assert cache.layers[attention].window.room.shape[3] < 72
