"""Frozen parameters: which they are, that they stay, and that nothing is kept for them."""

import pytest
import torch
from helpers.toy_task import SMALL_MODEL, Notes, make_folder

from docmt.base.errors import UserError
from docmt.models.pretrained import Start
from docmt.models.store import load_model
from docmt.training.start import freeze


def start_of(model) -> Start:
    names = [name for name, _ in model.named_parameters()]
    transferred = [name for name in names if model.transfer_source(name) is not None]
    return Start(transferred, [name for name in names if name not in transferred])


@pytest.mark.parametrize(
    ("frozen", "is_frozen"),
    [
        ((), lambda name: False),
        (("transferred",), lambda name: ".global_." not in name and ".gate." not in name),
        (("new",), lambda name: ".global_." in name or ".gate." in name),
        (("encoder",), lambda name: name.split(".")[0] == "encoder"),
        (("decoder.1", "source_embedding"), lambda name: name.startswith(("decoder.1.", "source_embedding."))),
        (("encoder.0.feed_forward.inner.bias",), lambda name: name == "encoder.0.feed_forward.inner.bias"),
    ],
)
def test_a_name_freezes_the_part_of_the_model_that_it_names(model, frozen, is_frozen):
    names = freeze(model, frozen, start_of(model))
    assert names == [name for name, _ in model.named_parameters() if is_frozen(name)]
    assert all(parameter.requires_grad != is_frozen(name) for name, parameter in model.named_parameters())


@pytest.mark.parametrize(
    ("frozen", "message"),
    [
        (("encodre",), "train.frozen: no parameter has this name\n  found encodre\n  did you mean 'encoder'?"),
        (("encoder", "transferred", "new"), "no parameter is left to train\n  found encoder, transferred, new"),
    ],
)
def test_names_that_freeze_nothing_or_everything_are_refused(model, frozen, message):
    with pytest.raises(UserError) as problem:
        freeze(model, frozen, start_of(model))
    assert message in str(problem.value)


def test_new_where_everything_was_transferred_is_refused(model):
    everything = Start([name for name, _ in model.named_parameters()], [])
    with pytest.raises(UserError, match="every parameter was transferred"):
        freeze(model, ("new",), everything)


def test_a_second_stage_that_trains_new_parameters_only(tmp_path):
    """HAN's and others' step: the sentence model stays to the bit."""
    sentence = make_folder(tmp_path / "sentence", by_sentence=True)
    sentence.model.clear()
    plain = {key: value for key, value in SMALL_MODEL.items() if key != "combined_layers"} | {"kind": "transformer"}
    sentence = sentence.changed(plain, max_updates=2)
    assert sentence.train()
    folder = make_folder(tmp_path / "document", init=sentence.paths.output).changed(frozen=["transferred"])
    notes = Notes()
    assert folder.train(notes)
    given = dict(load_model(folder.init / "model").named_parameters())
    model = load_model(folder.paths.output / "model")
    record = folder.record()
    for name, parameter in model.named_parameters():
        source = model.transfer_source(name)
        assert (name in record["frozen"]) == (source is not None)
        assert source is None or torch.equal(parameter, given[source]), name
    assert notes.said(f"frozen: {len(record['frozen'])} parameters (source_embedding 1, ")
    assert folder.metrics()[0]["lr_new"] > 0
    assert "lr_transferred" not in folder.metrics()[0]
