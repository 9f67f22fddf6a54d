"""Models that were imported from fairseq are exported like any other, with the maximum lengths of batches."""

import pytest
from helpers.command_line import succeed
from helpers.exported import loaded_program
from helpers.fairseq_files import FairseqTraining

import docmt

FEATURES = {
    "as it is": {},
    "pre-norm, gelu, no scale": {
        "encoder_normalize_before": True,
        "decoder_normalize_before": True,
        "activation_fn": "gelu",
        "no_scale_embedding": True,
    },
    "learned positions, normed embeddings": {
        "encoder_learned_pos": True,
        "decoder_learned_pos": True,
        "layernorm_embedding": True,
    },
}
DOCUMENTS = [["a@@ b", "c d@@ e", "h"], ["f@@ g x a"]]
"""Text in pieces, as the import has no codes."""


@pytest.mark.parametrize("features", FEATURES)
def test_an_imported_model_translates_equally(features, tmp_path, monkeypatch):
    training = FairseqTraining(tmp_path, FEATURES[features])
    succeed("import-fairseq", *training.options())
    output = tmp_path / "exported"
    docmt.export_model(training.output, output, "ctranslate2", beam=1)
    opened = docmt.open_model(training.output, device="cpu", threads=1)
    expected = [list(translation.lines) for translation in opened.translate(DOCUMENTS, beam=1)]
    assert loaded_program(output, monkeypatch).CTranslate2Model(output, threads=1).translate(DOCUMENTS) == expected
    assert (output / "requirements.txt").read_text().startswith("ctranslate2==")
    assert not (output / "moses.py").exists()
