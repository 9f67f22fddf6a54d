"""What cannot be exported is refused with one message, and nothing is written."""

import json

import pytest
from helpers.exported import write_model
from helpers.model_cases import CASES

import docmt
from docmt.base.errors import UserError
from docmt.settings.data import CutConfig

SENTENCES = CutConfig(window=1)


def test_a_folder_with_files_is_not_replaced(tmp_path):
    folder = write_model(tmp_path / "model", CASES["transformer"], SENTENCES)
    with pytest.raises(UserError, match="the output is there already"):
        docmt.export_model(folder, folder)
    (tmp_path / "empty").mkdir()
    docmt.export_model(folder, tmp_path / "empty")
    assert (tmp_path / "empty/README.md").is_file()


def test_other_mistakes(tmp_path):
    folder = write_model(tmp_path / "model", CASES["transformer"], SENTENCES)
    with pytest.raises(UserError, match="beam: value not allowed"):
        docmt.export_model(folder, tmp_path / "out", beam=0)
    card = json.loads((folder / "model.json").read_text())
    card["provenance"] = {}
    (folder / "model.json").write_text(json.dumps(card))
    with pytest.raises(UserError, match="the model does not say how documents are cut"):
        docmt.export_model(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()
