"""Models that were imported from fairseq are searched by CTranslate2 like any other."""

import pytest
from helpers.command_line import succeed
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
def test_an_imported_model_translates_equally(features, tmp_path):
    training = FairseqTraining(tmp_path, FEATURES[features])
    succeed("import-fairseq", *training.options())
    opened = docmt.open_model(training.output, device="cpu", threads=1)
    expected = [list(translation.lines) for translation in opened.translate(DOCUMENTS, beam=1)]
    translated = opened.translate(DOCUMENTS, beam=1, engine="ctranslate2")
    assert [list(translation.lines) for translation in translated] == expected
