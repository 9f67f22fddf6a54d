"""A fault planted in a mask or in the gradient of an architecture makes the contract suite fail.

A mask is a choice of runs: which tokens a query may see. So a fault is another choice of runs. A fault in a gradient
detaches what training needs.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import pytest
import torch
from helpers import contract

from docmt.models import convar, han, lexical_chain, long_short
from docmt.models.han import ContextCache
from docmt.models.long_short import LongShort
from docmt.nn.caches import InstanceCache, SentenceCache
from docmt.nn.multihead import MultiHead, RunAttention
from docmt.nn.segments import Segments
from docmt.nn.streams import Layout


class Fault(NamedTuple):
    """`plant(monkeypatch)` makes it; `check(case)`, one of the contract's, must then fail."""

    case: str
    plant: Callable
    check: Callable


def single_run(runs: Segments) -> Segments:
    return Segments.from_lengths([runs.tokens])


def sees_later_tokens(monkeypatch) -> None:
    attend = MultiHead.attend
    monkeypatch.setattr(
        MultiHead, "attend", lambda self, x, runs, memory, its, causal=False: attend(self, x, runs, memory, its)
    )


def sees_other_instances(monkeypatch) -> None:
    monkeypatch.setattr(Layout, "runs", lambda self, scope: single_run(self.instances))


def sees_other_sentences(monkeypatch) -> None:
    """Where the scope is a sentence, in the full pass."""
    monkeypatch.setattr(Layout, "runs", lambda self, scope: self.instances)


def chains_see_each_other(monkeypatch) -> None:
    attend = RunAttention.forward
    monkeypatch.setattr(RunAttention, "forward", lambda self, x, runs: attend(self, x, single_run(runs)))


def summaries_see_other_documents(monkeypatch) -> None:
    original = lexical_chain.summaries_of

    def faulty(source):
        summaries = original(source)
        return replace(summaries, documents=single_run(summaries.documents))

    monkeypatch.setattr(lexical_chain, "summaries_of", faulty)


def sentences_look_up_all_chains(monkeypatch) -> None:
    original = lexical_chain.LexicalChain._fuse

    def faulty(self, states, sentence, memory):
        count = memory.chains.runs.runs
        everything = memory.chains.relevant.new_tensor(range(count)).expand(len(memory.chains.relevant), count)
        return original(self, states, sentence, replace(memory, chains=replace(memory.chains, relevant=everything)))

    monkeypatch.setattr(lexical_chain.LexicalChain, "_fuse", faulty)


def short_stream_sees_the_window(stack: str) -> Callable:
    """In `encode` or in `decode`, in the full pass."""

    def unmasked(layout: Layout) -> Layout:
        windows = Segments.from_lengths(layout.instances.lengths * 2)
        return Layout(windows, windows)

    def plant(monkeypatch) -> None:
        whole = getattr(LongShort, stack)

        def faulty(*arguments):
            with monkeypatch.context() as inside:
                inside.setattr(long_short, "two_streams", unmasked)
                return whole(*arguments)

        monkeypatch.setattr(LongShort, stack, faulty)

    return plant


def cached_short_stream_sees_the_window(monkeypatch) -> None:
    class Everything(SentenceCache):
        def __init__(self) -> None:
            whole = InstanceCache()
            self.attend, self.take = whole.attend, whole.take

    monkeypatch.setattr(long_short, "SentenceCache", Everything)


def long_stream_keeps_to_the_sentence(monkeypatch) -> None:
    def faulty(layout: Layout) -> Layout:
        return Layout(*(Segments.from_lengths(runs.lengths * 2) for runs in (layout.sentences, layout.instances)))

    monkeypatch.setattr(long_short, "two_streams", faulty)


def sees_only_the_sentence(monkeypatch) -> None:
    """Where the scope is an instance, in the full pass."""
    monkeypatch.setattr(Layout, "runs", lambda self, scope: self.sentences)


def shifted(by: int) -> Callable:
    """HAN looks at sentences that stand so many further on than those before its own."""

    def plant(monkeypatch) -> None:
        original = han.previous_sentences

        def faulty(counts, sentences):
            looking, seen = original(counts, sentences)
            return looking, (seen + by).clip(max=counts.sum() - 1)

        monkeypatch.setattr(han, "previous_sentences", faulty)

    return plant


def looks_into_other_documents(monkeypatch) -> None:
    original = han.previous_sentences
    monkeypatch.setattr(
        han, "previous_sentences", lambda counts, sentences: original(counts.sum(keepdims=True), sentences)
    )


def cached_context_goes_too_far_back(monkeypatch) -> None:
    monkeypatch.setattr(han, "ContextCache", lambda sentences: ContextCache(sentences + 1))


def cached_context_has_special_symbols(monkeypatch) -> None:
    original = ContextCache.attend

    def faulty(cache, q, k, v, is_word, progress):
        return original(cache, q, k, v, torch.ones_like(is_word), progress)

    monkeypatch.setattr(ContextCache, "attend", faulty)


def nothing_trains_by(part: type, name: str, detach: Callable) -> Callable:
    """What the method `name` of the part gives is detached, or one of its arguments is."""

    def plant(monkeypatch) -> None:
        original = getattr(part, name)
        monkeypatch.setattr(part, name, lambda self, *arguments: detach(original, self, *arguments))

    return plant


def argument(number: int) -> Callable:
    def detach(original: Callable, self: object, *arguments: object) -> object:
        return original(self, *(a.detach() if n == number else a for n, a in enumerate(arguments)))

    return detach


def result(original: Callable, self: object, *arguments: object) -> torch.Tensor:
    return original(self, *arguments).detach()


def mean(original: Callable, self: convar.Gaussian, *arguments: object) -> torch.Tensor:
    return original(self._replace(mean=self.mean.detach()), *arguments)


def log_variance(original: Callable, self: convar.Gaussian, *arguments: object) -> torch.Tensor:
    return original(self._replace(log_variance=self.log_variance.detach()), *arguments)


def divergence_is_of(q: bool) -> Callable:
    """Detached: the posterior, or else the prior."""

    def plant(monkeypatch) -> None:
        original = lexical_chain.kl_divergence

        def faulty(posterior, prior):
            detached = convar.Gaussian(*(value.detach() for value in (posterior if q else prior)))
            return original(detached, prior) if q else original(posterior, detached)

        monkeypatch.setattr(lexical_chain, "kl_divergence", faulty)

    return plant


LATER = contract.a_state_does_not_see_later_target_tokens

FAULTS = {
    "transformer, causality": Fault("transformer", sees_later_tokens, LATER),
    "transformer, instances": Fault("transformer", sees_other_instances, contract.batch_mates_never_matter),
    "g_transformer, causality": Fault("g_transformer", sees_later_tokens, LATER),
    "g_transformer, groups": Fault(
        "g_transformer groups", sees_other_sentences, contract.sentences_see_what_is_promised
    ),
    "g_transformer, instances": Fault("g_transformer", sees_other_instances, contract.batch_mates_never_matter),
    "g_transformer, global top": Fault(
        "g_transformer global top", sees_only_the_sentence, contract.sentences_see_what_is_promised
    ),
    "g_transformer, no language locality": Fault(
        "g_transformer without language locality", sees_only_the_sentence, contract.sentences_see_what_is_promised
    ),
    "long_short, causality": Fault("long_short", sees_later_tokens, LATER),
    "long_short, instances": Fault("long_short", sees_other_instances, contract.batch_mates_never_matter),
    "long_short, long stream": Fault(
        "long_short", long_stream_keeps_to_the_sentence, contract.sentences_see_what_is_promised
    ),
    "long_short, short stream of the encoder": Fault(
        "long_short", short_stream_sees_the_window("encode"), contract.the_short_stream_keeps_to_its_sentence
    ),
    "long_short, short stream of the decoder": Fault(
        "long_short", short_stream_sees_the_window("decode"), contract.the_short_stream_keeps_to_its_sentence
    ),
    "long_short, cache of the short stream": Fault(
        "long_short sum", cached_short_stream_sees_the_window, contract.a_beams_score_is_its_forced_score
    ),
    "lexical_chain, causality": Fault("lexical_chain", sees_later_tokens, LATER),
    "lexical_chain, sentences": Fault(
        "lexical_chain attention", sees_other_sentences, contract.sentences_see_what_is_promised
    ),
    "lexical_chain, chains": Fault("lexical_chain attention", chains_see_each_other, contract.batch_mates_never_matter),
    "lexical_chain, summaries": Fault(
        "lexical_chain general", summaries_see_other_documents, contract.batch_mates_never_matter
    ),
    "lexical_chain, latent": Fault(
        "lexical_chain latent", sentences_look_up_all_chains, contract.batch_mates_never_matter
    ),
    **{
        f"lexical_chain, gradient of {what}": Fault(
            "lexical_chain latent", plant, contract.the_gradient_is_the_derivative
        )
        for what, plant in {
            "the prior's source": nothing_trains_by(convar.Prior, "forward", argument(0)),
            "the posterior's source": nothing_trains_by(convar.Posterior, "forward", argument(0)),
            "the posterior's target": nothing_trains_by(convar.Posterior, "forward", argument(2)),
            "the alignment's source": nothing_trains_by(convar.SoftAlignment, "forward", argument(0)),
            "the alignment's target": nothing_trains_by(convar.SoftAlignment, "forward", argument(2)),
            "the translations of chains": nothing_trains_by(convar.SoftAlignment, "forward", result),
            "z": nothing_trains_by(convar.Gaussian, "sample", result),
            "the mean of z": nothing_trains_by(convar.Gaussian, "sample", mean),
            "the variance of z": nothing_trains_by(convar.Gaussian, "sample", log_variance),
            "the divergence's posterior": divergence_is_of(q=True),
            "the divergence's prior": divergence_is_of(q=False),
            "the fused z": nothing_trains_by(lexical_chain.ConsistencyFusion, "forward", argument(3)),
        }.items()
    },
    "han, causality": Fault("han", sees_later_tokens, LATER),
    "han, sentences": Fault("han", sees_other_sentences, contract.sentences_see_what_is_promised),
    "han, own sentence": Fault("han decoder", shifted(1), LATER),
    "han, later sentences": Fault("han", shifted(2), contract.sentences_see_what_is_promised),
    "han, documents": Fault("han joint", looks_into_other_documents, contract.batch_mates_never_matter),
    "han, cache of one sentence more": Fault(
        "han decoder", cached_context_goes_too_far_back, contract.a_beams_score_is_its_forced_score
    ),
    "han, cache of special symbols": Fault(
        "han joint", cached_context_has_special_symbols, contract.a_beams_score_is_its_forced_score
    ),
    "w_link, causality": Fault("w_link", sees_later_tokens, LATER),
    "w_link, sentences": Fault("w_link agreeing", sees_other_sentences, contract.sentences_see_what_is_promised),
    "w_link, links": Fault("w_link sharing", chains_see_each_other, contract.batch_mates_never_matter),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_fails_the_contract(name, monkeypatch):
    case, plant, check = FAULTS[name]
    check(case)
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        check(case)
