"""A model of every architecture loads by its own loading file, and translates as docmt does."""

import sys

import pytest
import yaml
from helpers.exported import DOCUMENTS, write_model
from helpers.model_cases import CASES

import docmt
from docmt.settings.data import CutConfig
from docmt.settings.models import MODELS

CUTS = {"transformer": CutConfig(window=1), "long_short": CutConfig(window=2)}
"""The cuts of test documents; that of other architectures is whole documents."""

pytestmark = pytest.mark.filterwarnings("ignore:.*another number of sentences")


@pytest.fixture
def auto_model(monkeypatch, tmp_path):
    """AutoModel of transformers, which copies loading files into a folder of its own."""
    from transformers import AutoModel, dynamic_module_utils

    monkeypatch.setattr(dynamic_module_utils, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    return AutoModel


@pytest.mark.some(3)
@pytest.mark.parametrize("kind", MODELS)
def test_every_architecture_loads_and_translates_equally(kind, tmp_path, auto_model):
    folder = write_model(tmp_path / "model", CASES[kind], CUTS.get(kind, CutConfig(documents=True)))
    (folder / "stop_words.txt").write_text("ab\n")
    docmt.export_model(folder, tmp_path / kind, "huggingface", beam=2, max_length_b=4)
    model = auto_model.from_pretrained(tmp_path / kind, trust_remote_code=True)
    expected = docmt.open_model(folder, device="cpu").translate(DOCUMENTS, beam=2, max_length_b=4)
    assert model.config.docmt_architecture == kind
    assert model.translate(DOCUMENTS) == [list(document.lines) for document in expected]
    greedy = docmt.open_model(tmp_path / kind, device="cpu").translate(DOCUMENTS, beam=1, max_length_b=4)
    assert model.translate(DOCUMENTS, beam=1) == [list(document.lines) for document in greedy]


def test_a_repository_of_the_hub_is_downloaded_with_the_options_of_its_download(tmp_path, auto_model, monkeypatch):
    import huggingface_hub
    from transformers import dynamic_module_utils

    folder = write_model(tmp_path / "model", CASES["transformer"], CutConfig(window=1))
    docmt.export_model(folder, tmp_path / "mine", "huggingface")
    loading = dynamic_module_utils.get_class_from_dynamic_module("modeling_docmt.DocmtModel", tmp_path / "mine")
    asked = []
    monkeypatch.setattr(
        huggingface_hub, "snapshot_download", lambda name, **options: asked.append((name, options)) or tmp_path / "mine"
    )
    model = loading.from_pretrained("owner/name", revision="v2", trust_remote_code=True)
    assert asked == [("owner/name", {"revision": "v2"})]
    assert model.translate([]) == [] and model.config.model_type == "docmt"


def test_without_docmt_the_loading_file_says_how_to_install_it(tmp_path, auto_model, monkeypatch):
    folder = write_model(tmp_path / "model", CASES["transformer"], CutConfig(window=1))
    docmt.export_model(folder, tmp_path / "alone", "huggingface")
    monkeypatch.setitem(sys.modules, "docmt", None)
    with pytest.raises(ImportError, match=r"needs docmt, which is not installed: .*pip install -c pins.txt -e \."):
        auto_model.from_pretrained(tmp_path / "alone", trust_remote_code=True)


def test_the_card_begins_with_fields_that_the_hub_reads(tmp_path):
    from huggingface_hub import ModelCard

    settings = {"system": "s", "corpus": "c", "scale": "paper", "seed": 1}
    folder = write_model(tmp_path / "model", CASES["han"], CutConfig(documents=True), **settings)
    docmt.export_model(folder, tmp_path / "out", "huggingface")
    card = ModelCard.load(tmp_path / "out/README.md")
    fields = yaml.safe_load(card.content.split("---\n")[1])
    assert (fields["language"], fields["license"], fields["datasets"]) == (["en"], "unknown", ["c"])
    assert fields["tags"] == ["docmt", "document-level-translation", "han"]
    for piece in ("Miculicich et al. 2018", "AutoModel.from_pretrained"):
        assert piece in card.text
