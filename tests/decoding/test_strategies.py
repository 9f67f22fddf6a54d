"""Which strategy a model and a view give: a line for each line of the input, and every fallback counted."""

import json

import pyarrow as pa
import pytest
import torch
from helpers.model_cases import CASES as MODELS
from helpers.model_cases import chains_of, model_of
from helpers.tiny import LENGTHS, TEST_DOCUMENTS, chunks, tiny_model, windows

from docmt.base.columns import SEGMENT_CHAINS
from docmt.base.tables import write_arrow
from docmt.base.vocabulary import EOS
from docmt.decoding.files import TranslationSettings, write_translations
from docmt.decoding.segments import View
from docmt.decoding.translator import Translator
from docmt.nn.rows import Rows
from docmt.search.beam import beam_search
from docmt.settings.data import CutConfig, ViewConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import READS_CHAINS

SENTENCES = sum(map(len, LENGTHS))
WHOLE = CutConfig(documents=True), chunks(max(map(len, LENGTHS)))
WINDOWS = CutConfig(window=3), windows(3)
FALLBACKS = ("fallback_windows", "fallback_sentences", "merged_sentences")


def decoded(model, cut, segments, view, tmp_path, **decode):
    """The lines of test.txt, and the account."""
    folder = view(segments)
    chains = tmp_path / "chains" if model.config.kind in READS_CHAINS else None
    if chains is not None:
        write_arrow(chains / "test.arrow", pa.Table.from_pylist([listed(row) for row in segments], SEGMENT_CHAINS))
    config = DecodeConfig(**{"beam": 2, "max_length_a": 1.0, "max_length_b": 3, **decode})
    settings = TranslationSettings(1, "study", "corpus", "system", "smoke", 1, config, ViewConfig(cut, cut))
    write_translations(
        settings,
        Translator(model, config),
        View(folder, chains),
        tmp_path / "out",
        lambda ids: ("", " ".join(map(str, ids))),
    )
    record = json.loads((tmp_path / "out" / "decoding.json").read_text())
    return (tmp_path / "out" / "test.txt").read_text().splitlines(), record


def listed(row: dict) -> dict:
    chains = chains_of([row["source_ids"]])
    return {"members": [member for chain in chains for member in chain], "lengths": [len(chain) for chain in chains]}


@pytest.mark.parametrize(
    ("case", "cut", "strategy"),
    [
        ("transformer", (CutConfig(window=1), windows(1)), "sentences"),
        ("transformer joined", WINDOWS, "sliding windows"),
        ("long_short", WINDOWS, "sliding windows"),
        ("g_transformer", WHOLE, "instances"),
        ("han decoder", WHOLE, "instances"),
        ("han", WHOLE, "synchronous sentences"),
        ("lexical_chain", WHOLE, "synchronous sentences"),
        ("w_link", WHOLE, "synchronous sentences"),
    ],
)
def test_every_strategy_gives_a_line_for_a_line(view, tmp_path, case, cut, strategy):
    lines, record = decoded(model_of(case), *cut, view, tmp_path)
    assert len(lines) == SENTENCES == record["sentences"] and all(lines)
    assert record["strategy"] == strategy
    counts = [record[name] for name in FALLBACKS]
    assert MODELS[case].frame == "joined" or counts == [0, 0, 0]


def test_previous_outputs_are_the_context(view, tmp_path):
    """HAN on the target side: a document is one search, whose hypotheses have their own sentences as context."""
    lines, _ = decoded(model_of("han decoder"), *WHOLE, view, tmp_path)
    config = DecodeConfig(beam=2, max_length_a=1.0, max_length_b=3)
    translations = beam_search(model_of("han decoder"), Rows.from_lists(TEST_DOCUMENTS), config)
    assert lines == [" ".join(map(str, words)) for (best, *_) in translations for words in best.sentences]


def test_sentences_in_synchrony_have_lists_of_their_own(view, tmp_path):
    """Each sentence is searched for alone: its list has its own line, and documents are as good as their sentences."""
    lines, _ = decoded(model_of("lexical_chain"), *WHOLE, view, tmp_path, n_best=2)
    rows = [row.split("\t") for row in (tmp_path / "out" / "test.nbest.tsv").read_text().splitlines()[1:]]
    assert [(int(row[0]), int(row[2])) for row in rows] == [(n + 1, rank) for n in range(SENTENCES) for rank in (1, 2)]
    assert [row[1] for row in rows[::2]] == [str(d + 1) for d, document in enumerate(LENGTHS) for _ in document]
    assert [row[-1] for row in rows[::2]] == lines


def eager(name):
    """A model that ends as soon as it may."""
    model = tiny_model(name)
    logits, ending = model.logits, torch.zeros(20).index_fill(0, torch.tensor(EOS), 50.0)
    model.logits = lambda states: logits(states) + ending
    return model


def test_the_document_transformer_may_end_whenever_it_likes(view, tmp_path):
    """No number of sentences is forced on it: one word for four sentences."""
    lines, record = decoded(eager("unmarked"), *WHOLE, view, tmp_path, beam=1)
    assert [len(line.split()) for line in lines] == [1, 1, 1]
    assert record["lines"] == "documents" and record["forced_ends"] == 0
