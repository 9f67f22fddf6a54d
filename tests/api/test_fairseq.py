"""The text of an imported model of fairseq."""

import pytest

from docmt.api.fairseq import text_pipeline
from docmt.base.vocabulary import SPECIALS
from docmt.models.fairseq import Numbering
from docmt.text.bpe import Segmenter
from docmt.text.pipeline import TextPipeline

FIRST, SECOND = (Numbering(SPECIALS + pieces, ()) for pieces in (("a", "b"), ("a", "c")))


@pytest.mark.parametrize(
    ("codes", "numberings", "bpe", "vocabulary"),
    [
        (("one", "one"), (FIRST, FIRST), "joint", "shared"),
        (("one", "one"), (FIRST, SECOND), "joint", "separate"),
        (("one", "other"), (FIRST, SECOND), "separate", "separate"),
        (("one", "other"), (FIRST, FIRST), "separate", "separate"),  # --joined-dictionary: each side has a copy
        (None, (FIRST, FIRST), "joint", "shared"),
        (None, (FIRST, SECOND), "joint", "separate"),
    ],
)
def test_the_text_says_which_codes_and_vocabularies_are_shared(tmp_path, codes, numberings, bpe, vocabulary):
    for name in ("one", "other"):
        Segmenter([]).save(tmp_path / name)
    files = codes and tuple(tmp_path / name for name in codes)
    text_pipeline(numberings, ("de", "en"), files, "keep").save(tmp_path / "text")
    loaded = TextPipeline.load(tmp_path / "text")
    assert (loaded.config.bpe, loaded.config.vocabulary) == (bpe, vocabulary)
    assert [side.vocabulary.pieces for side in loaded.sides.values()] == [numbering.pieces for numbering in numberings]
