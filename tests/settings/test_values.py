"""Settings are refused with the file, the line, the path, what was found and the nearest valid name."""

import dataclasses
from dataclasses import MISSING

import pytest

from docmt.base.checks import BadValue
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.yaml_files import load_yaml
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.files import FileConfig
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.forms import FORMS
from docmt.settings.data import CutConfig, TextConfig, ViewConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import MODEL_CONFIGS, GTransformerConfig, TransformerConfig
from docmt.settings.scoring import CoherenceConfig, CohesionConfig, ConsistencyConfig
from docmt.settings.train import TrainConfig


def test_a_short_view_is_the_same_cut_for_training_and_test():
    assert parse(ViewConfig, {"window": 3}, "x") == ViewConfig(CutConfig(window=3), CutConfig(window=3))


def test_a_view_may_differ_between_training_and_test():
    view = parse(ViewConfig, {"train": {"max_sentences": 20}, "test": {"max_tokens": 512}}, "x")
    assert view.name == "sentences20+tokens512"


def test_the_kind_chooses_the_architecture():
    model = parse(TransformerConfig, {"kind": "g_transformer", "cross_combined_layers": 0}, "x")
    assert isinstance(model, GTransformerConfig)
    assert model.combined() == {
        "encoder_self_combined_layers": 2,
        "decoder_self_combined_layers": 2,
        "cross_combined_layers": 0,
    }


@pytest.mark.parametrize(
    ("train", "name"),
    [
        ({"window": 3}, "window3"),
        ({"window": 3, "openings": True}, "window3.openings+window3"),
        ({"window": 3, "partial_copy": 0.5}, "window3.copy0.5+window3"),
        ({"window": 3, "partial_copy": 0.5, "partial_copy_each": True}, "window3.copy0.5.each+window3"),
        ({"max_tokens": 512}, "tokens512+window3"),
        ({"documents": True}, "documents+window3"),
        ({"max_tokens": 512, "min_document_tokens": 768, "sample": 20000}, "tokens512.min768.sample20000+window3"),
        ({"documents": True, "min_document_sentences": 2}, "documents.min2sentences+window3"),
        ({"window": 3, "openings": True, "sample": 5}, "window3.openings.sample5+window3"),
    ],
)
def test_views_have_a_name_that_stands_in_paths(train, name):
    assert parse(ViewConfig, {"train": train, "test": {"window": 3}}, "x").name == name


def test_whole_numbers_serve_as_numbers():
    assert parse(TrainConfig, {"lr": 1}, "x").lr == 1.0


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        (TransformerConfig, {"widht": 8}, "x widht: unknown key\n  found widht\n  did you mean 'width'?"),
        (TransformerConfig, {"combined_layers": 1}, "x combined_layers: unknown key"),
        (TransformerConfig, {"kind": "g_tranformer"}, "did you mean 'g_transformer'?"),
        (TransformerConfig, {"width": "wide"}, "x width: wrong type\n  found 'wide' (a text); expected a whole number"),
        (TransformerConfig, {"width": True}, "found True (true or false); expected a whole number"),
        (TransformerConfig, {"heads": 7}, "x heads: value not allowed\n  found 7; expected a divisor of width 512"),
        (TransformerConfig, {"dropout": 1.0}, "expected at least 0 and below 1"),
        (TransformerConfig, {"norm": "middle"}, "x norm: unknown name\n  found middle\n  valid: post, pre"),
        (TransformerConfig, [], "wrong type\n  found [] (a list); expected a mapping of keys"),
        (TrainConfig, {"patience": None}, "a stop rule: one of max_updates, max_epochs, patience"),
        (TrainConfig, {"max_updates": 0}, "found 0; expected 1 or more, or none"),
        (DecodeConfig, {"beam": 0}, "x beam: value not allowed\n  found 0; expected 1 or more"),
        (CutConfig, {}, "exactly one of window, max_tokens, max_sentences, documents"),
        (CutConfig, {"documents": False}, "exactly one of window, max_tokens, max_sentences, documents"),
        (CutConfig, {"window": 2, "max_tokens": 9}, "exactly one of window, max_tokens, max_sentences, documents"),
        (CutConfig, {"window": 2, "documents": True}, "exactly one of window, max_tokens, max_sentences, documents"),
        (ViewConfig, {"train": {"window": 3}}, "x test: key is missing"),
        (ViewConfig, {"window": 3, "openings": True}, "x test.openings: value not allowed"),
        (CutConfig, {"max_tokens": 9, "openings": True}, "false where no window of 2 or more is cut"),
        (CutConfig, {"documents": True, "openings": True}, "false where no window of 2 or more is cut"),
        (CutConfig, {"window": 1, "partial_copy": 0.5}, "x partial_copy: value not allowed"),
        (CutConfig, {"window": 3, "partial_copy_each": True}, "x partial_copy_each: value not allowed"),
        (CutConfig, {"window": 3, "partial_copy": 0}, "found 0.0; expected above 0 and at most 1, or none"),
        (CutConfig, {"window": 3, "partial_copy": 0.5, "openings": True}, "x openings: value not allowed"),
        (
            ViewConfig,
            {"window": 3, "partial_copy": 0.5, "partial_copy_each": True},
            "x test.partial_copy_each: value not allowed",
        ),
        (CutConfig, {"window": 1, "sample": 0}, "x sample: value not allowed\n  found 0; expected 1 or more, or none"),
        (ViewConfig, {"window": 1, "min_document_sentences": 2}, "x test.min_document_sentences: value not allowed"),
        (ViewConfig, {"max_tokens": 9, "sample": 2}, "found 2; expected none (all of dev and test is translated)"),
        (TextConfig, {"learnt_on": ""}, "x learnt_on: value not allowed\n  found ''; expected a corpus, or none"),
        (TextConfig, {"bpe": "separate"}, "found shared; expected separate beside bpe: separate"),
        (
            TextConfig,
            {"pretrained": "m", "bpe": "separate", "vocabulary": "separate"},
            "found separate; expected joint",
        ),
        (TextConfig, {"learnt_on": "big", "pretrained": "m"}, "found big; expected none beside pretrained"),
    ],
)
def test_refused(schema, value, message):
    with pytest.raises(UserError) as refused:
        parse(schema, value, "x")
    assert message in str(refused.value)


def test_a_mistake_is_named_with_its_line(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("# comment\nbeam: 5\n\nbeem: 6\n")
    value, lines = load_yaml(file)
    with pytest.raises(UserError, match=r"a\.yaml:4 beem: unknown key"):
        parse(DecodeConfig, value, lines)


SETTINGS = [
    *(TextConfig, CutConfig, DecodeConfig, TrainConfig, *MODEL_CONFIGS.values()),
    *(ConsistencyConfig, CoherenceConfig, CohesionConfig, FixtureConfig, FileConfig, CorpusConfig),
    *FORMS.values(),
]


@pytest.mark.parametrize(
    ("settings", "name", "check"),
    [
        pytest.param(settings, field.name, field.metadata["check"], id=f"{settings.__name__}.{field.name}")
        for settings in dict.fromkeys(SETTINGS)
        for field in dataclasses.fields(settings)
        if field.metadata.get("check")
    ],
)
def test_what_a_field_asks_is_looked_at_first(settings, name, check):
    """Also where settings have checks of their own, which must not take the place of the fields'."""
    values = (-1, 0, 5, 1e40, "\n", {"en": ""}, {"another": ""}, ("",), (0,), "", (), (FileConfig(name="a"),) * 2)
    bad = next(value for value in values if not allowed(check, name, value))
    needed = [field.name for field in dataclasses.fields(settings) if field.default is field.default_factory is MISSING]
    with pytest.raises(BadValue, match=name):
        settings(**{**dict.fromkeys(needed), name: bad})


def allowed(check, name, value) -> bool:
    try:
        check(name, value)
    except BadValue:
        return False
    except (TypeError, AttributeError):
        return True
    return True
