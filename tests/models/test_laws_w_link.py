"""The laws of W-Link: without links it is a Transformer; linked sentences agree. See also `helpers/contract.py`."""

import pytest
import torch
from helpers.model_cases import CASES, VOCABULARY, batch_of, documents, logits_of, model_of

from docmt.models import build
from docmt.models.store import init_from, save_model
from docmt.nn.frames import frame_batch
from docmt.nn.rows import Rows
from docmt.settings.models import TransformerConfig

W_LINK_CASES = [case for case, config in CASES.items() if config.kind == "w_link"]


def is_new(name: str) -> bool:
    return "shared_context." in name


def sentence_model_of(model):
    """The Transformer with the same parameters, as far as it has them."""
    config = model.config
    shared = {field: getattr(config, field) for field in TransformerConfig.__dataclass_fields__ if field != "kind"}
    sentence = build(TransformerConfig(**shared), VOCABULARY, VOCABULARY).double().eval()
    sentence.load_state_dict({name: value for name, value in model.state_dict().items() if not is_new(name)})
    return sentence


def sentence_logits(model, source, target):
    """Each sentence translated alone by the sentence model."""
    singles = ([[words] for document in side for words in document] for side in (source, target))
    batch = frame_batch(Rows.from_lists(*singles), model.config.frame)
    return logits_of(sentence_model_of(model), batch)


@pytest.mark.parametrize("case", W_LINK_CASES)
def test_without_links_it_is_the_sentence_model(case):
    model, (source, target) = model_of(case), documents()
    batch = frame_batch(Rows.from_lists(source, target, [[] for _ in source]), CASES[case].frame)
    torch.testing.assert_close(logits_of(model, batch), sentence_logits(model, source, target), atol=1e-12, rtol=0)


def test_new_gates_are_nearly_closed():
    torch.manual_seed(1)
    model = build(CASES["w_link"], VOCABULARY, VOCABULARY)
    gate = model.encoder[0].shared_context.gate
    with torch.no_grad():
        shares = torch.sigmoid(gate(torch.randn(200, gate.in_features)))
    assert 0.02 < shares.mean() < 0.15


def agreement_of(model, source, target, links):
    term = model(frame_batch(Rows.from_lists([source], [target], [links]), "wrapped")).loss_terms["agreement"]
    return term.total.item(), term.count


def test_equal_sentences_agree_and_others_do_not():
    model = model_of("w_link")
    assert agreement_of(model, [[8, 9], [8, 9]], [[10], [10]], [[0, 2]]) == (pytest.approx(0, abs=1e-12), 1)
    total, count = agreement_of(model, [[8, 9], [8, 11]], [[10], [12]], [[0, 2]])
    assert 1e-4 < total < torch.tensor(2.0).log().item() and count == 1


def test_the_agreement_is_not_sought_where_translations_are_looked_for():
    """No gradient reaches the top cross-attention's keys but by what it brings into the states."""
    model = model_of("w_link agreeing")
    with torch.no_grad():
        model.decoder[-1].cross_attention.output.weight.zero_()
    model(batch_of("w_link agreeing", *documents())).loss_terms["agreement"].total.backward()
    top, below = (layer.cross_attention.q.weight.grad for layer in (model.decoder[-1], model.decoder[0]))
    assert top.abs().max() == 0 < below.abs().max()


def test_no_links_are_no_loss():
    assert agreement_of(model_of("w_link"), [[8, 9], [8]], [[10], [12]], []) == (0.0, 0)


def test_what_is_switched_off_has_no_parameters_and_no_loss():
    switches = {"w_link": (True, True), "w_link sharing": (True, False), "w_link agreeing": (False, True)}
    for case, (shares, agrees) in switches.items():
        model = model_of(case)
        assert any(is_new(name) for name, _ in model.named_parameters()) is shares
        terms = model(batch_of(case, *documents())).loss_terms
        assert set(terms) == set(model.term_weights(1)) == ({"agreement"} if agrees else set())
    assert model_of("w_link pre-norm").term_weights(1) == {"agreement": 0.5}


def test_a_stream_without_chains_is_refused():
    batch = frame_batch(Rows.from_lists([[[8]]], [[[9]]]), "wrapped")
    with pytest.raises(ValueError, match="needs a source stream with its chains"):
        model_of("w_link").encode(batch.source)


def test_all_but_shared_context_starts_from_the_sentence_model(tmp_path):
    save_model(tmp_path, model_of("transformer").float(), {})
    model = model_of("w_link").float()
    transferred, new = init_from(model, tmp_path)
    assert transferred and new and set(new) == {name for name, _ in model.named_parameters() if is_new(name)}
