"""The text of an export is that of docmt, on lines of every sort."""

from pathlib import Path

import pytest

from docmt.base.vocabulary import SPECIALS, UNK, Vocabulary
from docmt.exporting.standalone.pieces import TextSide
from docmt.settings.data import TextConfig
from docmt.text.bpe import Segmenter
from docmt.text.casing import KeepCase, LowerCase, Truecaser
from docmt.text.pipeline import PipelineConfig, TextPipeline
from docmt.text.sentencepiece_learning import learn_pieces
from docmt.text.sentencepieces import RawText
from docmt.text.side import Side
from docmt.text.tokenizers import tokenizer_for

MERGES = ("t h", "th e</w>", "th e", "h e", "a t</w>", "我 们</w>")
PIECES = {
    "the": 3,
    "the@@": 2,
    "t@@": 1,
    "h@@": 1,
    "e": 1,
    "at": 4,
    "c@@": 1,
    "s": 1,
    "我们": 2,
    ".": 1,
    '"': 1,
    "x": 1,
}
LINES = (
    'The cat sat. "the THE hat!" (At x)',
    "Thes\u2028e don't well-known 3.5 % <s> @@ @-@ &amp;",
    "我们 the书“是”A b。",
    "我们在T恤上。",
    "  \u200b ",
    "",
)
CASES = {
    "truecase": (TextConfig(case="truecase"), "en"),
    "lower, normalised": (TextConfig(case="lower", normalise=True, aggressive=True), "en"),
    "threshold": (TextConfig(threshold=2), "fr"),
    "words of Chinese": (TextConfig(), "zh"),
    "lower-cased words of Chinese": (TextConfig(case="lower"), "zh"),
    "characters of Chinese": (TextConfig(chinese="characters"), "zh"),
    "reversible": (TextConfig(join="reversible", case="truecase"), "en"),
    "reversible Chinese": (TextConfig(join="reversible"), "zh"),
}


@pytest.fixture(autouse=True)
def tokenizers(monkeypatch):
    """The files of docmt that an export copies beside its own."""
    import docmt.text

    monkeypatch.syspath_prepend(str(Path(docmt.text.__file__).parent))


@pytest.mark.parametrize("case", CASES)
def test_pieces_and_text_are_those_of_docmt(case, tmp_path):
    text, language = CASES[case]
    vocabulary = Vocabulary.from_counts(PIECES)
    casing = {"truecase": Truecaser({"the": 3, "The": 1, "At": 2}), "lower": LowerCase(), "keep": KeepCase()}[text.case]
    segmenter = Segmenter(MERGES, vocabulary.pieces if text.threshold else None)
    side = Side(tokenizer_for(language, text), casing, segmenter, vocabulary)
    config = PipelineConfig(
        **{name: getattr(text, name) for name in ("case", "chinese", "normalise", "aggressive", "threshold", "join")},
        source_language=language,
        target_language=language,
    )
    TextPipeline(config, side, side).save(tmp_path / "text")
    exported = TextSide(tmp_path / "text", "target")
    for line in LINES:
        ids = side.encode(line)
        assert exported.pieces(line) == vocabulary.decode(ids)
        assert exported.text(vocabulary.decode(ids)) == side.restore(ids)[1]


def test_sentencepieces_are_those_of_docmt(tmp_path):
    tokenizer = RawText()
    model = learn_pieces({token: 1 for line in LINES for token in tokenizer.tokenize(line)}, 400, "corpus")
    side = Side(tokenizer, KeepCase(), model, Vocabulary(SPECIALS + tuple(model.names())))
    config = PipelineConfig(source_language="en", target_language="en", sentencepiece=400)
    TextPipeline(config, side, side).save(tmp_path / "text")
    exported = TextSide(tmp_path / "text", "target")
    for line in LINES:
        ids = side.encode(line)
        assert exported.pieces(line) == side.vocabulary.decode(ids)
        assert exported.text(["<s>", *side.vocabulary.decode(ids)]) == side.restore(ids)[1]


def test_pieces_that_another_tool_has_cut(tmp_path):
    side = Side.of_pieces(Vocabulary.from_counts(PIECES))
    config = PipelineConfig(source_language="en", target_language="en", input="pieces")
    TextPipeline(config, side, side).save(tmp_path / "text")
    exported = TextSide(tmp_path / "text", "source")
    assert exported.pieces("t@@ e </s> new at") == ["t@@", "e", SPECIALS[UNK], SPECIALS[UNK], "at"]
    assert exported.text(["t@@", "e", "<unk>", "at"]) == side.restore(side.encode("t@@ e <unk> at"))[1] == "te <unk> at"
