"""The contract of all architectures: checks that must hold for every case of the table; they raise AssertionError."""

import tempfile
from typing import NamedTuple

import pytest
import torch
from helpers.model_cases import (
    CASES,
    VOCABULARY,
    batch_of,
    documents,
    logits_of,
    model_of,
    objective_of,
    rows_of,
    sight_of,
)
from helpers.oracle_parts import parts_of
from helpers.reduction import NEUTRAL, final_states, sentence_model
from helpers.tiny import full_forward_score
from torch import Tensor, autograd

from docmt.base.vocabulary import EOS, SEP
from docmt.models import build
from docmt.models.store import load_model, save_model
from docmt.models.transformer import Transformer
from docmt.nn.frames import frame_batch
from docmt.nn.rows import Rows
from docmt.nn.streams import Batch
from docmt.search.beam import beam_search
from docmt.search.forced import forced_scores
from docmt.search.rules import RULES, instance_limits
from docmt.settings.decode import DecodeConfig

EXACT = {"atol": 1e-11, "rtol": 0}


def logits_are_finite_and_a_row_for_each_target_token(case: str) -> None:
    batch = batch_of(case, *documents())
    logits = logits_of(model_of(case), batch)
    assert logits.shape == (len(batch.target_out), VOCABULARY)
    assert logits.isfinite().all()


def gradient_reaches_every_parameter(case: str) -> None:
    batch, model = batch_of(case, *documents()), model_of(case).train()
    objective_of(model, batch).backward()
    for name, parameter in model.named_parameters():
        # A bias of keys moves all scores of a query alike, so that softmax forgets it.
        assert parameter.grad is not None and parameter.grad.isfinite().all(), name
        for role, gradient in parts_of(name, parameter.grad):
            assert bool(gradient.abs().max()) is not role.endswith("k.bias"), role


def the_gradient_is_the_derivative(case: str) -> None:
    """Of the translation's loss and of each further one, in training: nothing is detached but what is meant to be."""
    model, batch = model_of(case).train(), batch_of(case, *documents())
    if model.config.kind == "han" and not model.config.context_gradient:
        return
    parameters = list(model.parameters())
    torch.manual_seed(2)
    direction = [torch.randn_like(parameter) for parameter in parameters]
    gradients = {
        name: autograd.grad(loss, parameters, retain_graph=True, allow_unused=True)
        for name, loss in losses_of(model, batch).items()
    }
    with torch.no_grad():
        beyond, before = (moved_losses(model, batch, direction, by) for by in (STEP, -STEP))
    # W-Link seeks agreement, and not where translations are looked for.
    for name in gradients.keys() - ({"agreement"} if model.config.kind == "w_link" else set()):
        slope = sum((g * d).sum() for g, d in zip(gradients[name], direction, strict=True) if g is not None)
        expected = (beyond[name] - before[name]) / (2 * STEP)
        torch.testing.assert_close(slope, expected, atol=1e-6, rtol=1e-5, msg=lambda text, name=name: f"{name}: {text}")


STEP = 1e-7


def losses_of(model: Transformer, batch: Batch) -> dict[str, Tensor]:
    """The losses of training, with the same noise each time."""
    torch.manual_seed(1)
    states, terms = model(batch)
    translation = torch.nn.functional.cross_entropy(model.logits(states), batch.target_out)
    return {"translation": translation, **{name: term.total for name, term in terms.items()}}


def moved_losses(model: Transformer, batch: Batch, direction: list[Tensor], by: float) -> dict[str, Tensor]:
    """Where all parameters are moved; they are as before afterwards."""
    before = [parameter.clone() for parameter in model.parameters()]
    for parameter, towards in zip(model.parameters(), direction, strict=True):
        parameter.add_(by * towards)
    losses = losses_of(model, batch)
    for parameter, old in zip(model.parameters(), before, strict=True):
        parameter.copy_(old)
    return losses


def a_state_does_not_see_later_target_tokens(case: str) -> None:
    source, target = documents()
    model, batch = model_of(case), batch_of(case, source, target)
    changed = [*target[:2], [*target[2][:1], [8 + word % 9 for word in target[2][1]], *target[2][2:]], *target[3:]]
    other = batch_of(case, source, changed)
    first_changed = (batch.target_in.tokens != other.target_in.tokens).nonzero()[0].item()
    first, second = logits_of(model, batch), logits_of(model, other)
    torch.testing.assert_close(first[:first_changed], second[:first_changed], **EXACT)
    assert not torch.allclose(first[first_changed], second[first_changed])


def the_source_is_seen(case: str) -> None:
    source, target = documents()
    model = model_of(case)
    changed = [[[*sentence[:-1], 9 if sentence[-1] != 9 else 8] for sentence in document] for document in source]
    difference = logits_of(model, batch_of(case, source, target)) - logits_of(model, batch_of(case, changed, target))
    assert (difference.abs().amax(dim=1) > 1e-6).all()


def batch_mates_never_matter(case: str) -> None:
    source, target = documents()
    model, batch = model_of(case), batch_of(case, source, target)
    together = logits_of(model, batch).split(batch.target_in.instances.lengths)
    for number, logits in enumerate(together):
        alone = batch_of(case, source[number : number + 1], target[number : number + 1])
        torch.testing.assert_close(logits_of(model, alone), logits, **EXACT)


def order_of_instances_never_matters(case: str) -> None:
    source, target = documents()
    model, batch = model_of(case), batch_of(case, source, target)
    turned = batch_of(case, source[::-1], target[::-1])
    first = logits_of(model, batch).split(batch.target_in.instances.lengths)
    second = logits_of(model, turned).split(turned.target_in.instances.lengths)
    for rows, other in zip(first, second[::-1], strict=True):
        torch.testing.assert_close(rows, other, **EXACT)


def a_saved_model_is_the_same_model(case: str) -> None:
    model, batch = model_of(case).float(), batch_of(case, *documents())
    with tempfile.TemporaryDirectory() as folder:
        save_model(folder, model, {"seed": 1})
        loaded = load_model(folder)
    assert loaded.config == model.config and not loaded.training
    assert torch.equal(logits_of(loaded, batch), logits_of(model, batch))


def the_same_seed_builds_the_same_model(case: str) -> None:
    models = [build(CASES[case], VOCABULARY, VOCABULARY) for _ in map(torch.manual_seed, (3, 3, 4))]
    weights = [torch.cat([p.detach().flatten() for p in model.parameters()]) for model in models]
    assert torch.equal(weights[0], weights[1]) and not torch.equal(weights[0], weights[2])


def training_draws_dropout_and_evaluation_does_not(case: str) -> None:
    model, batch = model_of(case), batch_of(case, *documents())
    assert torch.equal(logits_of(model, batch), logits_of(model, batch))
    model.train()
    assert not torch.equal(logits_of(model, batch), logits_of(model, batch))


def half_precision_is_near(case: str) -> None:
    model, batch = model_of(case).float(), batch_of(case, *documents())
    expected = logits_of(model, batch)
    with torch.autocast("cpu", torch.bfloat16):
        logits = logits_of(model, batch)
    assert logits.dtype == torch.bfloat16
    assert torch.corrcoef(torch.stack((logits.float().flatten(), expected.flatten())))[0, 1] > 0.99
    objective_of(model, batch).backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters() if parameter.grad is not None)


def a_beams_score_is_its_forced_score(case: str) -> None:
    """Of every hypothesis: of those that the maximum cuts, which are nearly all that a random model finds, and of those
    that end where the model ends them."""
    model, source = model_of(case), [documents()[0][number] for number in (0, 1, 3)]  # the longest takes half the time
    hypotheses = len(source) * (1 if model.synchronous else BEAM.beam)
    cut = compared_with_forced_scores(model, source)
    fond_of_ends(model)
    ended = compared_with_forced_scores(model, source)
    assert cut.hypotheses == ended.hypotheses == hypotheses
    assert ended.uncut >= hypotheses / 2
    least = {"joined": BEAM.beam, "closed": ended.uncut}.get(model.config.frame, 2 * hypotheses)
    assert cut.forced + ended.forced >= least


BEAM = DecodeConfig(beam=3, max_length_a=1.0, max_length_b=3)


class Compared(NamedTuple):
    """How many hypotheses were compared, how many of these with `forced_scores`, and how many no maximum has cut."""

    hypotheses: int
    forced: int
    uncut: int


def compared_with_forced_scores(model: Transformer, source: list) -> Compared:
    frame, beams = model.config.frame, beam_search(model, rows_of(source), BEAM)
    hypotheses = [(document, hypothesis) for document, some in zip(source, beams, strict=True) for hypothesis in some]
    forced = []
    for document, hypothesis in hypotheses:
        # One run stands for all sentences where these are not marked.
        text = hypothesis.sentences + ([[]] * (len(document) - 1) if frame == "unmarked" else [])
        # `forced_scores` takes no text of a joined model that has more or fewer sentences than the source, and gives an
        # end that a closed sentence has for free, as it was cut at its maximum, the model's probability.
        if len(text) == len(document) and not (frame == "closed" and hypothesis.forced_ends):
            forced.append((document, text, hypothesis.score))
        else:
            (limits,) = instance_limits(rows_of([document]), BEAM, RULES[frame].counted_besides)
            expected = full_forward_score(model, document, hypothesis.sentences, limits)
            assert hypothesis.score == pytest.approx(expected, abs=1e-9)
    if forced:
        documents, texts, scores = zip(*forced, strict=True)
        _, sums = forced_scores(model, rows_of(documents, texts))
        by_document = [part.sum().item() for part in sums.split([len(document) for document in documents])]
        assert scores == pytest.approx(by_document, abs=1e-9)
    return Compared(len(hypotheses), len(forced), sum(not hypothesis.forced_ends for _, hypothesis in hypotheses))


def fond_of_ends(model: Transformer) -> None:
    """Make ends of sentences likely, in the logits themselves."""
    logits, more = model.logits, torch.zeros(VOCABULARY, dtype=torch.float64)
    more[EOS], more[SEP] = 16, 14
    model.logits = lambda states: logits(states) + more


def on_single_sentence_documents_it_is_the_sentence_model(case: str) -> None:
    """With what is new made neutral, as `reduction.py` says by kind; without chains."""
    source, target = ([[sentence] for document in side for sentence in document] for side in documents())
    model = model_of(case)
    batch = frame_batch(Rows.from_lists(source, target, [[] for _ in source]), model.config.frame)
    with torch.no_grad():
        NEUTRAL[model.config.kind](model)
        sentence = sentence_model(model)
        states = sentence.decode(batch.target_in, sentence.encode(batch.source))
        expected = sentence.logits(final_states(model, states))
        torch.testing.assert_close(logits_of(model, batch), expected, atol=1e-3, rtol=0)


def sentences_see_what_is_promised(case: str) -> None:
    """One word of one sentence is changed: whose logits change, with and without a chain through all sentences?"""
    model, words = model_of(case), [[8, 9], [10, 11, 12], [13, 14]]
    others = [[[*s[:-1], 20] if number == changed else s for number, s in enumerate(words)] for changed in range(3)]
    # The documents are batch mates, which never matter: that is a check of its own.
    sources, targets = [words, *others, *[words] * 3], [words, *[words] * 3, *others]
    for chains in ([], [[0, 2, 5]]):
        batch = frame_batch(Rows.from_lists(sources, targets, [chains] * len(sources)), model.config.frame)
        with torch.no_grad():
            sentences = logits_of(model, batch).split(batch.target_in.sentences.lengths)
        each = len(sentences) // len(sources)
        before, *after = (sentences[start : start + each] for start in range(0, len(sentences), each))
        seen = {"source": set(), "target": set()}
        for number, document in enumerate(after):
            side, changed = ("source", "target")[number // 3], number % 3
            for place, logits in enumerate(zip(before, document, strict=True)):
                if place != changed and not torch.allclose(*logits, **EXACT):
                    seen[side].add("earlier" if changed < place else "later")
        assert seen == sight_of(model.config, bool(chains)), f"chains {chains}"


def the_short_stream_keeps_to_its_sentence(case: str) -> None:
    """Of long-short masking, where the long stream hides it: a word changes the short half of its own sentence only."""
    model, words = model_of(case), [[8, 9], [10, 11, 12], [13, 14]]
    model.aggregate = lambda both: both
    batch = frame_batch(Rows.from_lists([words], [words]), model.config.frame)
    memory = model.encode(batch.source)

    def short_halves(minibatch: Batch) -> list[tuple[Tensor, ...]]:
        """Of the encoder, unless it has the long stream twice, and of the decoder; by sentence."""
        encoded = (
            [(model.encode(minibatch.source).states, minibatch.source)] if model.config.cross_reads == "own" else []
        )
        pairs = [*encoded, (model.decode(minibatch.target_in, memory), minibatch.target_in)]
        return [states.chunk(2)[1].split(stream.sentences.lengths) for states, stream in pairs]

    for changed in range(len(words)):
        other = [[*s[:-1], 20] if number == changed else s for number, s in enumerate(words)]
        pairs = zip(
            short_halves(batch),
            short_halves(frame_batch(Rows.from_lists([other], [other]), model.config.frame)),
            strict=True,
        )
        for before, after in pairs:
            same = [torch.allclose(*sentence, **EXACT) for sentence in zip(before, after, strict=True)]
            assert same == [number != changed for number in range(len(words))]


COMPUTE_ALL = (gradient_reaches_every_parameter, a_beams_score_is_its_forced_score)
"""Checks that together call all that a model computes with: a training, a search and forced scores."""
CHECKS = (
    logits_are_finite_and_a_row_for_each_target_token,
    gradient_reaches_every_parameter,
    the_gradient_is_the_derivative,
    a_state_does_not_see_later_target_tokens,
    the_source_is_seen,
    batch_mates_never_matter,
    order_of_instances_never_matters,
    a_saved_model_is_the_same_model,
    the_same_seed_builds_the_same_model,
    training_draws_dropout_and_evaluation_does_not,
    half_precision_is_near,
    a_beams_score_is_its_forced_score,
    on_single_sentence_documents_it_is_the_sentence_model,
    sentences_see_what_is_promised,
)
