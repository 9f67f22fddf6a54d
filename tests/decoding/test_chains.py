"""Models that read lexical chains get them from stage 4's files, or find them in the text that they translate."""

import dataclasses

import pyarrow as pa
import pytest
import torch
from helpers.command_line import output
from helpers.tiny import SIZES, segment

from docmt.base.columns import SEGMENT_CHAINS, SEGMENTS
from docmt.base.errors import UserError
from docmt.base.tables import write_arrow
from docmt.base.vocabulary import Vocabulary
from docmt.decoding.segments import SegmentTable, View
from docmt.models import build
from docmt.models.store import save_model
from docmt.nn.rows import Rows
from docmt.search.beam import beam_search
from docmt.settings.data import CutConfig, TextConfig, ViewConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import LexicalChainConfig, TransformerConfig
from docmt.text.bpe import Segmenter
from docmt.text.casing import KeepCase
from docmt.text.pipeline import PipelineConfig, TextPipeline
from docmt.text.side import Side
from docmt.text.tokenizers import tokenizer_for

CONFIG = LexicalChainConfig(**SIZES, latent_width=6, latent_inner=10)
VOCABULARY = Vocabulary.from_counts({letter + ending: 1 for letter in "abcdefghij" for ending in ("", "@@")})
CUT = CutConfig(documents=True)


def chain_model(size: int = 20):
    torch.manual_seed(1)
    model = build(CONFIG, size, size).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


@pytest.fixture
def view(tmp_path) -> View:
    """Two documents; the first word of the first is said again in its second sentence."""
    rows = [segment(0, 0, [[8, 9], [8]]), segment(1, 0, [[10], [11, 12]])]
    write_arrow(tmp_path / "view" / "test.arrow", pa.Table.from_pylist(rows, SEGMENTS))
    chains = [{"members": [0, 2], "lengths": [2]}, {"members": [], "lengths": []}]
    write_arrow(tmp_path / "chains" / "test.arrow", pa.Table.from_pylist(chains, SEGMENT_CHAINS))
    return View(tmp_path / "view", tmp_path / "chains")


def test_segments_have_the_chains_of_their_rows(view):
    rows = SegmentTable.read(view, chain_model()).rows
    chains = rows.chains
    assert [[numbers.tolist() for numbers in part] for part in (chains.members, chains.lengths)] == [
        [[0, 2], []],
        [[2], []],
    ]
    assert rows.take([1, 0]).chains.lengths.lengths.tolist() == [0, 1]


def test_chains_of_another_view_are_refused(view, tmp_path):
    write_arrow(tmp_path / "chains" / "test.arrow", pa.Table.from_pylist([], SEGMENT_CHAINS))
    with pytest.raises(UserError, match="the lexical chains belong to another view") as refused:
        SegmentTable.read(view, chain_model())
    assert "found chains of 0 segments; expected chains of 2, as the view has" in str(refused.value)


def test_model_and_chains_must_go_together(view):
    plain = build(TransformerConfig(**SIZES), 20, 20)
    for model, given in ((plain, view), (chain_model(), View(view.folder))):
        with pytest.raises(UserError, match="model and arguments differ in lexical chains") as refused:
            SegmentTable.read(given, model)
        assert "expected chains with lexical_chain and w_link" in str(refused.value)


@pytest.fixture
def folder(tmp_path):
    """Words are cut into letters."""
    side = Side(tokenizer_for("en", TextConfig()), KeepCase(), Segmenter(()), VOCABULARY)
    pipeline = TextPipeline(PipelineConfig(source_language="en", target_language="en", merges=0), side, side)
    cuts = dataclasses.asdict(ViewConfig(CUT, CUT))
    save_model(tmp_path / "model", chain_model(len(VOCABULARY)), {"system": "s", "view": cuts})
    pipeline.save(tmp_path / "model" / "text")
    return tmp_path / "model", pipeline


def translated(folder, text: str) -> list[str]:
    return output("translate", "--model", folder, "--beam", 2, "--device", "cpu", text=text).split("\n")[:-1]


@pytest.mark.parametrize("stop_words, chains", [([], [[0, 4], [1, 5]]), (["ab"], [])])
def test_translate_finds_the_chains_of_the_text(folder, stop_words, chains):
    """`ab` stands in both sentences of the first document, two pieces each time; the documents share `cd` only."""
    model_folder, pipeline = folder
    (model_folder / "stop_words.txt").write_text("".join(f"{word}\n" for word in stop_words))
    documents = [["ab cd", "ab"], ["cd"]]
    rows = Rows.from_lists([list(map(pipeline.source.encode, lines)) for lines in documents], chains=[chains, []])
    translations = beam_search(chain_model(len(VOCABULARY)), rows, DecodeConfig(beam=2))
    expected = [[pipeline.target.restore(words)[1] for words in ranked[0].sentences] for ranked in translations]
    assert translated(model_folder, "ab cd\nab\n\ncd\n") == [*expected[0], "", *expected[1]]


def test_a_chain_changes_a_translation(folder):
    """So that the test above compares what differs."""
    model_folder, _ = folder
    outputs = []
    for stop_words in ("", "ab\n"):
        (model_folder / "stop_words.txt").write_text(stop_words)
        outputs.append(translated(model_folder, "ab cd\nab\n"))
    assert outputs[0] != outputs[1]


def test_translate_needs_the_stop_list_of_a_chain_model(folder):
    with pytest.raises(UserError, match="file not found"):
        translated(folder[0], "ab\n")
