"""What CTranslate2 cannot do is refused with one message, and nothing is written."""

import dataclasses
import json
import sys
from dataclasses import replace

import pytest
from helpers.exported import write_model
from helpers.model_cases import CASES

import docmt
from docmt.base.errors import UserError
from docmt.settings.data import CutConfig, TextConfig
from docmt.settings.models import MODELS

PLAIN, JOINED, SENTENCES = CASES["transformer"], CASES["transformer joined"], CutConfig(window=1)
WINDOWS = "a test view of windows"
REFUSED = {
    **{
        kind: (CASES[kind], CutConfig(documents=True), {}, f"architecture {kind}; expected architecture transformer")
        for kind in MODELS
        if kind != "transformer"
    },
    "instances": (PLAIN, CutConfig(max_tokens=9), {}, f"test view tokens9; expected {WINDOWS}"),
    "documents": (PLAIN, CutConfig(documents=True), {}, f"test view documents; expected {WINDOWS}"),
    "filled": (JOINED, CutConfig(window=2, partial_copy=0.5), {}, "expected a test view whose windows are not filled"),
    "wrapped windows": (PLAIN, CutConfig(window=2), {}, "frame wrapped with windows of 2 sentences; expected"),
    "closed": (CASES["transformer closed"], SENTENCES, {}, "frame closed; expected frame joined, wrapped, summarised"),
    "restarting": (replace(JOINED, positions="restarting"), CutConfig(window=2), {}, "expected running positions"),
    "gnmt": (PLAIN, SENTENCES, {"length_penalty": "gnmt"}, "length penalty gnmt; expected average or none"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_ctranslate2_cannot_do(case, tmp_path):
    config, cut, settings, told = REFUSED[case]
    folder = write_model(tmp_path / "model", config, cut)
    with pytest.raises(UserError) as refused:
        docmt.export_model(folder, tmp_path / "out", "ctranslate2", **settings)
    message = str(refused.value)
    assert "CTranslate2 cannot translate as this model does" in message and told in message
    assert "--to huggingface exports every model" in message
    assert not (tmp_path / "out").exists()


def test_pretrained_pieces_are_refused(tmp_path):
    from docmt.exporting.ct2_model import check_ctranslate2
    from docmt.exporting.source import ExportedModel
    from docmt.models import build
    from docmt.settings.decode import DecodeConfig

    text = TextConfig(pretrained="given")
    source = ExportedModel(
        build(PLAIN, 20, 20), tmp_path, {}, ((), ()), ("en", "de"), text, False, SENTENCES, DecodeConfig()
    )
    with pytest.raises(UserError, match="found the pieces of a pretrained checkpoint"):
        check_ctranslate2(source)
    check_ctranslate2(dataclasses.replace(source, text=TextConfig()))


def test_without_ctranslate2_the_message_names_its_extra(tmp_path, monkeypatch):
    folder = write_model(tmp_path / "model", PLAIN, SENTENCES)
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    with pytest.raises(UserError, match="needs ctranslate2") as refused:
        docmt.export_model(folder, tmp_path / "out", "ctranslate2")
    assert "in docmt's clone: pip install -c pins.txt -e '.[ctranslate2]'" in str(refused.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("to", ["huggingface", "ctranslate2"])
def test_a_folder_with_files_is_not_replaced(to, tmp_path):
    folder = write_model(tmp_path / "model", PLAIN, SENTENCES)
    with pytest.raises(UserError, match="the output is there already"):
        docmt.export_model(folder, folder, to)
    (tmp_path / "empty").mkdir()
    docmt.export_model(folder, tmp_path / "empty", to)
    assert (tmp_path / "empty/README.md").is_file()


def test_other_mistakes(tmp_path):
    folder = write_model(tmp_path / "model", PLAIN, SENTENCES)
    with pytest.raises(UserError, match="to: unknown format\n  found onnx"):
        docmt.export_model(folder, tmp_path / "out", "onnx")
    with pytest.raises(UserError, match="beam: value not allowed"):
        docmt.export_model(folder, tmp_path / "out", "huggingface", beam=0)
    card = json.loads((folder / "model.json").read_text())
    card["provenance"] = {}
    (folder / "model.json").write_text(json.dumps(card))
    with pytest.raises(UserError, match="the model does not say how documents are cut"):
        docmt.export_model(folder, tmp_path / "out", "huggingface")
