"""What the chain model promises of its latent variables and of its start; who sees what is in `helpers/contract.py`."""

import pytest
import torch
from helpers.model_cases import CASES, LATENT, SIZES, VOCABULARY, batch_of, documents, model_of

from docmt.models import build
from docmt.models.convar import Gaussian, kl_divergence
from docmt.nn.attention import WholeStream
from docmt.nn.frames import frame_batch
from docmt.nn.rows import Rows
from docmt.settings.models import LexicalChainConfig, TransformerConfig


def batch_with(chains: list, source: list, target: list, frame: str = "summarised"):
    return frame_batch(Rows.from_lists(source, target, chains), frame)


def test_alpha_rises_to_its_weight():
    model = build(LexicalChainConfig(**SIZES, **LATENT, kl_weight=0.5, kl_warmup_updates=10), VOCABULARY, VOCABULARY)
    assert [model.term_weights(update)["kl"] for update in (1, 5, 10, 99)] == [0.05, 0.25, 0.5, 0.5]
    assert build(CASES["lexical_chain general"], VOCABULARY, VOCABULARY).term_weights(5) == {}


def test_training_draws_from_the_posterior_and_inference_takes_the_mean():
    model, batch = model_of("lexical_chain latent"), batch_of("lexical_chain latent", *documents())
    for module in model.modules():
        if hasattr(module, "share"):
            module.share = 0.0
    torch.testing.assert_close(model(batch).states, model.decode(batch.target_in, model.encode(batch.source)))
    model.train()
    assert not torch.equal(model(batch).states, model(batch).states)


def reached(gradient: torch.Tensor) -> set[int]:
    return set(gradient.abs().sum(1).nonzero().flatten().tolist())


WORDS, TRANSLATION, CHAIN = [[8, 9], [10, 11], [8, 12]], [[13, 14], [15, 16], [17, 18]], [0, 4]
MEMBERS, THEIR_SENTENCES = {1, 9}, {0, 1, 2, 6, 7, 8}
"""Of the source of this document, and of the decoder's input."""


@pytest.mark.parametrize("by", ["divergence", "translation"])
def test_chains_and_the_translations_of_their_sentences_train_the_posterior(by):
    """By the divergence from a prior that stays as it is, and by what z brings into the decoder's states."""
    model, batch = model_of("lexical_chain latent"), batch_with([[CHAIN]], [WORDS], [TRANSLATION])
    with torch.no_grad():
        memory = model.encode(batch.source)
        place = WholeStream(batch.target_in, memory)
        states = model.decoder_states(place)
    source, target = memory.states.clone().requires_grad_(), states.clone().requires_grad_()
    sentences = batch.target_in.sentences
    posterior = model.posterior(source, memory.chains, target, sentences)
    if by == "divergence":
        loss = kl_divergence(posterior, memory.prior)
    else:
        loss = model.logits(model.fusion(states, place, memory.chains, posterior.sample())).logsumexp(1).sum()
    of_source, of_target = torch.autograd.grad(loss, (source, target))
    assert (reached(of_source), reached(of_target)) == (MEMBERS, THEIR_SENTENCES)


def test_divergence_is_torchs():
    torch.manual_seed(1)
    q, p = (Gaussian(torch.randn(5, 3), torch.randn(5, 3)) for _ in range(2))
    by_torch = [torch.distributions.Normal(g.mean, (g.log_variance / 2).exp()) for g in (q, p)]
    torch.testing.assert_close(kl_divergence(q, p), torch.distributions.kl_divergence(*by_torch).sum())
    assert kl_divergence(q, q) == 0


def test_a_source_without_its_chains_is_refused():
    batch = frame_batch(Rows.from_lists([[[8]]], [[[9]]]), "summarised")
    with pytest.raises(ValueError, match="needs a source stream with its chains"):
        model_of("lexical_chain").encode(batch.source)


@pytest.mark.parametrize("new_attention", ["copied", "random"])
def test_new_attention_starts_as_asked(new_attention, tmp_path):
    from docmt.models.store import init_from, save_model

    sentence = build(TransformerConfig(**SIZES), VOCABULARY, VOCABULARY)
    save_model(tmp_path, sentence, {})
    model = build(LexicalChainConfig(**SIZES, **LATENT, new_attention=new_attention), VOCABULARY, VOCABULARY)
    transferred, new = init_from(model, tmp_path)
    attention = "encoder.0.lexical.attention.qkv.weight"
    assert (attention in transferred) is (new_attention == "copied")
    same = torch.equal(model.encoder[0].lexical.attention.qkv.weight, sentence.encoder[0].self_attention.qkv.weight)
    assert same is (new_attention == "copied")
    assert {name for name in new if name.startswith(("prior.", "posterior.", "fusion."))} != set()
    assert "encoder.0.general.residual.norm.weight" in new and "decoder.1.cross_attention.kv.bias" in transferred
