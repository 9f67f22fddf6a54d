"""What holds for every architecture of the table."""

import pytest
import torch
from model_cases import CASES, VOCABULARY, batch_of, documents, logits_of, model_of

from docmt.core.errors import UserError
from docmt.models import MODELS, build
from docmt.models.store import load_model, save_model

every_case = pytest.mark.parametrize("case", CASES)
frameless = {"atol": 1e-11, "rtol": 0}


def test_every_architecture_has_its_cases():
    assert {config.kind for config in CASES.values()} == set(MODELS)


@every_case
def test_logits_are_finite_and_one_row_a_target_token(case):
    batch = batch_of(case, *documents())
    logits = logits_of(model_of(case), batch)
    assert logits.shape == (len(batch.target_out), VOCABULARY)
    assert logits.isfinite().all()


@every_case
def test_gradient_reaches_every_parameter(case):
    batch, model = batch_of(case, *documents()), model_of(case).train()
    torch.nn.functional.cross_entropy(logits_of(model, batch), batch.target_out).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all(), name
        # A bias of keys moves all scores of a query alike, so that softmax forgets it.
        assert name.endswith("key.bias") or parameter.grad.abs().max() > 0, name


@every_case
def test_a_state_does_not_see_later_target_tokens(case):
    source, target = documents()
    model, batch = model_of(case), batch_of(case, source, target)
    changed = [*target[:2], [*target[2][:1], [8, 9, 9, 8], *target[2][2:]], *target[3:]]
    other = batch_of(case, source, changed)
    runs = batch.target_in.instances.lengths
    before = sum(runs[:2]) + 1 + len(target[2][0])
    first, second = logits_of(model, batch), logits_of(model, other)
    torch.testing.assert_close(first[:before], second[:before], **frameless)
    # The changed sentence itself is another one, from its first word on.
    assert not torch.allclose(first[before + 1], second[before + 1])


@every_case
def test_the_source_is_seen(case):
    source, target = documents()
    model = model_of(case)
    changed = [[[*sentence[:-1], 9 if sentence[-1] != 9 else 8] for sentence in document] for document in source]
    difference = logits_of(model, batch_of(case, source, target)) - logits_of(model, batch_of(case, changed, target))
    assert (difference.abs().amax(dim=1) > 1e-6).all()


@every_case
def test_batch_mates_never_matter(case):
    source, target = documents()
    model, batch = model_of(case), batch_of(case, source, target)
    together = logits_of(model, batch).split(batch.target_in.instances.lengths)
    for number, logits in enumerate(together):
        alone = batch_of(case, source[number : number + 1], target[number : number + 1])
        torch.testing.assert_close(logits_of(model, alone), logits, **frameless)


@every_case
def test_order_of_instances_never_matters(case):
    source, target = documents()
    model, batch = model_of(case), batch_of(case, source, target)
    turned = batch_of(case, source[::-1], target[::-1])
    first = logits_of(model, batch).split(batch.target_in.instances.lengths)
    second = logits_of(model, turned).split(turned.target_in.instances.lengths)
    for one, other in zip(first, second[::-1], strict=True):
        torch.testing.assert_close(one, other, **frameless)


@every_case
def test_a_saved_model_is_the_same_model(case, tmp_path):
    model, batch = model_of(case).float(), batch_of(case, *documents())
    save_model(tmp_path, model, {"seed": 1})
    loaded = load_model(tmp_path)
    assert loaded.config == model.config and not loaded.training
    assert torch.equal(logits_of(loaded, batch), logits_of(model, batch))


@every_case
def test_the_same_seed_builds_the_same_model(case):
    models = [build(CASES[case], VOCABULARY, VOCABULARY) for _ in map(torch.manual_seed, (3, 3, 4))]
    weights = [torch.cat([p.detach().flatten() for p in model.parameters()]) for model in models]
    assert torch.equal(weights[0], weights[1]) and not torch.equal(weights[0], weights[2])


@every_case
def test_training_draws_dropout_and_evaluation_does_not(case):
    model, batch = model_of(case), batch_of(case, *documents())
    assert torch.equal(logits_of(model, batch), logits_of(model, batch))
    model.train()
    assert not torch.equal(logits_of(model, batch), logits_of(model, batch))


@every_case
def test_half_precision_is_near(case):
    model, batch = model_of(case).float(), batch_of(case, *documents())
    expected = logits_of(model, batch)
    with torch.autocast("cpu", torch.bfloat16):
        logits = logits_of(model, batch)
    assert logits.dtype == torch.bfloat16
    assert torch.corrcoef(torch.stack((logits.float().flatten(), expected.flatten())))[0, 1] > 0.99
    logits.float().logsumexp(1).sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


def test_shared_embeddings_need_one_vocabulary():
    with pytest.raises(UserError, match="one table of embeddings needs one vocabulary") as caught:
        build(CASES["transformer"], 30, 31)
    assert "vocabularies of 30 and 31 pieces" in str(caught.value)


def test_embeddings_are_tied_as_asked():
    tables = {}
    for case, sizes in (
        ("transformer", (30, 30)),
        ("transformer joined", (30, 31)),
        ("transformer pre-norm", (30, 31)),
    ):
        model = build(CASES[case], *sizes)
        shared = (model.source_embedding.weight, model.target_embedding.weight, model.output.weight)
        tables[CASES[case].embeddings] = len({id(weight) for weight in shared})
    assert tables == {"shared": 1, "target": 2, "separate": 3}
