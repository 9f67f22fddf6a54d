"""What the chain model promises: without context it is the sentence model; chains and [cls] are the only ways out."""

from dataclasses import replace

import pytest
import torch
from helpers.model_cases import CASES, LATENT, SIZES, VOCABULARY, batch_of, documents, logits_of, model_of
from torch import nn

from docmt.base.vocabulary import BOS, CLS, EOS
from docmt.models import build
from docmt.models.convar import Gaussian, kl_divergence
from docmt.models.transformer import Transformer
from docmt.nn.rows import Rows
from docmt.nn.streams import frame_batch
from docmt.settings.models import LexicalChainConfig, TransformerConfig


def batch_with(chains: list, source: list, target: list, frame: str = "summarised"):
    return frame_batch(Rows.from_lists(source, target, chains), frame)


def sentence_model(model) -> nn.Module:
    """The Transformer that has the parameters which the chain model shares with it."""
    fields = {name: getattr(model.config, name) for name in SIZES}
    config = TransformerConfig(**fields, frame=model.config.frame, norm=model.config.norm)
    sentence = build(config, VOCABULARY, VOCABULARY).double().eval()
    weights = model.state_dict()
    sentence.load_state_dict({name: weights[name] for name in sentence.state_dict()})
    return sentence


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_without_chains_lexical_attention_is_the_sentence_model(norm):
    """Exactly, for documents of any length: no word is in a chain, so none is replaced."""
    torch.manual_seed(1)
    config = replace(CASES["lexical_chain attention"], norm=norm)
    model = build(config, VOCABULARY, VOCABULARY).double().eval()
    source, target = documents()
    logits = logits_of(model, batch_with([[] for _ in source], source, target))
    alone = [[[sentence] for document in side for sentence in document] for side in (source, target)]
    expected = logits_of(sentence_model(model), batch_of("lexical_chain", *alone))
    torch.testing.assert_close(logits, expected, atol=1e-12, rtol=0)


def test_with_neutral_new_parts_all_of_it_is_the_sentence_model():
    """Pre-norm, where a sublayer that adds nothing changes nothing: no output of GC-Attn, W_z = [0; 1]; tanh stays."""
    model = model_of("lexical_chain pre-norm")
    with torch.no_grad():
        for layer in model.encoder:
            for parameter in layer.general.attention.output.parameters():
                parameter.zero_()
        model.fusion.fusion.weight[:, : model.config.latent_width] = 0
        model.fusion.fusion.weight[:, model.config.latent_width :] = torch.eye(model.config.width)
        model.fusion.fusion.bias.zero_()
        source, target = documents()
        source, target = [document[:1] for document in source], [document[:1] for document in target]
        sentence = sentence_model(model)
        batch = batch_with([[] for _ in source], source, target, "wrapped")
        expected = sentence.logits(sentence.decode(batch.target_in, sentence.encode(batch.source)).tanh())
        torch.testing.assert_close(logits_of(model, batch), expected, atol=1e-12, rtol=0)


def logits_by_sentence(model, chains: list, source: list):
    target = [[9, 10]] * len(source)
    batch = batch_with([chains], [source], [target], model.config.frame)
    return logits_of(model, batch).split(batch.target_in.sentences.lengths)


@pytest.mark.parametrize("case", ["lexical_chain attention", "lexical_chain latent"])
def test_only_sentences_of_one_chain_reach_each_other(case):
    """The first word of sentences 0 and 2 is one chain: a change in sentence 0 reaches 2, and not 1."""
    model, chains = model_of(case), [[0, 4]]
    before = logits_by_sentence(model, chains, [[8, 9], [10, 11], [8, 12]])
    after = logits_by_sentence(model, chains, [[8, 13], [10, 11], [8, 12]])
    assert torch.equal(before[1], after[1])
    assert (before[2] - after[2]).abs().max() > 1e-6


def test_general_attention_reaches_every_sentence_of_the_document():
    model = model_of("lexical_chain general")
    before, after = (logits_by_sentence(model, [], [[8, word], [10, 11], [8, 12]]) for word in (9, 13))
    assert all((old - new).abs().max() > 1e-6 for old, new in zip(before, after, strict=True))


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
        states = Transformer.decode(model, batch.target_in, memory)
    source, target = memory.states.clone().requires_grad_(), states.clone().requires_grad_()
    sentences = batch.target_in.sentences
    posterior = model.posterior(source, memory.chains, target, sentences)
    if by == "divergence":
        loss = kl_divergence(posterior, memory.prior)
    else:
        loss = model.logits(model.fusion(states, sentences, memory.chains, posterior.sample())).logsumexp(1).sum()
    of_source, of_target = torch.autograd.grad(loss, (source, target))
    assert (reached(of_source), reached(of_target)) == (MEMBERS, THEIR_SENTENCES)


def test_the_divergence_trains_the_words_of_both_sides():
    """Of the sentences of a chain, and not of the one between them."""
    torch.manual_seed(1)
    model = build(replace(CASES["lexical_chain latent"], embeddings="separate"), VOCABULARY, VOCABULARY).double()
    term = model(batch_with([[CHAIN]], [WORDS], [TRANSLATION])).loss_terms["kl"]
    tables = (model.source_embedding.weight, model.target_embedding.weight)
    words, translations = map(reached, torch.autograd.grad(term.total, tables))
    assert words == {CLS, 8, 9, 12, EOS} and translations == {BOS, 13, 14, 17, 18}


def test_a_sample_of_the_prior_may_be_asked_for_in_inference():
    model, batch = model_of("lexical_chain latent"), batch_of("lexical_chain latent", *documents())
    model.config = replace(model.config, latent_in_inference="sample")
    assert not torch.equal(logits_of(model, batch), logits_of(model, batch))


def test_a_sample_has_the_moments_of_its_distribution():
    torch.manual_seed(1)
    gaussian = Gaussian(torch.full((50000, 2), 3.0), torch.full((50000, 2), 4.0).log())
    sample = gaussian.sample()
    torch.testing.assert_close(sample.mean(0), torch.full((2,), 3.0), atol=0.05, rtol=0)
    torch.testing.assert_close(sample.var(0), torch.full((2,), 4.0), atol=0.1, rtol=0)


def test_divergence_is_torchs():
    torch.manual_seed(1)
    q, p = (Gaussian(torch.randn(5, 3), torch.randn(5, 3)) for _ in range(2))
    by_torch = [torch.distributions.Normal(g.mean, (g.log_variance / 2).exp()) for g in (q, p)]
    torch.testing.assert_close(kl_divergence(q, p), torch.distributions.kl_divergence(*by_torch).sum())
    assert kl_divergence(q, q) == 0


def test_softplus_keeps_the_variance_at_one_or_more():
    model, batch = model_of("lexical_chain"), batch_of("lexical_chain", *documents())
    memory = model.encode(batch.source)
    assert (model.prior(memory.states, memory.chains).log_variance > 0).all()


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
    attention = "encoder.0.lexical.attention.query.weight"
    assert (attention in transferred) is (new_attention == "copied")
    same = torch.equal(model.encoder[0].lexical.attention.query.weight, sentence.encoder[0].self_attention.query.weight)
    assert same is (new_attention == "copied")
    assert {name for name in new if name.startswith(("prior.", "posterior.", "fusion."))} != set()
    assert "encoder.0.general.residual.norm.weight" in new and "decoder.1.cross_attention.key.bias" in transferred
