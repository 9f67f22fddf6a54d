"""What a card says of a training that the workflow has finished, and of a model that came from elsewhere."""

import json

import pytest
from helpers.exported import write_model
from helpers.model_cases import CASES

import docmt
from docmt.base.errors import UserError
from docmt.base.manifest import sealed
from docmt.base.recipe import Recipe
from docmt.settings.data import CutConfig

PROVENANCE = {"system": "s", "corpus": "talks", "scale": "smoke", "seed": 3, "init_from": "first"}
RECORD = {"updates": 70, "dev_loss": 1.23456, "hardware": {"host": "secret"}, "files": {}}


@pytest.fixture
def training(tmp_path):
    """The folder of a training below `results/`, whose recipe leads to the card of its corpus."""
    results = tmp_path / "results"
    corpus = Recipe("corpus", 1, {}, results / "1_corpus/talks@smoke")
    tokens = Recipe("tokens", 1, {}, results / "2_tokens/talks@smoke/joint", {"corpus": corpus.folder})
    train = Recipe("train", 1, {}, results / "5_training/talks@smoke/s/seed3", {"tokens": tokens.folder})
    for recipe in (corpus, tokens, train):
        recipe.write()
    folder = train.folder
    write_model(folder / "model", CASES["transformer"], CutConfig(window=1), **PROVENANCE)
    (folder / "record.json").write_text(json.dumps(sealed(RECORD)))
    card = {"licence": "CC BY-NC-ND 4.0", "citation": "@inproceedings{talks}"}
    (corpus.folder / "card.json").write_text(json.dumps(card))
    return folder


def card(folder, tmp_path) -> str:
    docmt.export_model(folder, tmp_path / "out", "huggingface")
    return (tmp_path / "out/README.md").read_text()


def test_the_card_of_a_training(training, tmp_path):
    text = card(training, tmp_path)
    assert "license: other\nlicense_details: CC BY-NC-ND 4.0\n" in text
    told = ("@inproceedings{talks}", "Read this licence", "| updates | 70 |", "| dev loss | 1.235 |")
    assert not [piece for piece in (*told, "| init from | first |") if piece not in text]
    assert "secret" not in text and "# s talks\n" in text


def test_an_open_licence_is_the_license_of_the_hub(training, tmp_path):
    (path,) = (tmp_path / "results/1_corpus/talks@smoke").glob("*/card.json")
    path.write_text(json.dumps({"licence": "CC BY 4.0", "citation": "c"}))
    text = card(training, tmp_path)
    assert "license: cc-by-4.0\n" in text and "Read this licence" not in text


def test_the_card_of_a_model_from_elsewhere(tmp_path):
    folder = write_model(tmp_path / "mine", CASES["transformer"], CutConfig(window=1), imported_from="fairseq")
    text = card(folder, tmp_path)
    assert "# mine\n" in text and "Its corpus is not known here." in text and "| imported from | fairseq |" in text
    assert "datasets" not in text


def test_a_record_that_was_changed_is_refused(training, tmp_path):
    (training / "record.json").write_text(json.dumps({**sealed(RECORD), "updates": 71}))
    with pytest.raises(UserError, match="the file was changed after docmt wrote it"):
        card(training, tmp_path)
