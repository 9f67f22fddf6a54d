"""How often the host waits for a GPU in a step of decoding, which depends on no size: neither layers nor hypotheses.

All strategies decode on a pretended device (`helpers/pretend_device.py`), which counts these waits.
"""

from collections import Counter
from itertools import chain

import numpy as np
import pyarrow as pa
import pytest
from helpers.model_cases import MOSTLY_SLOW, chains_of, documents, model_of, rows_of
from helpers.pretend_device import READ, move, pretended_device, without_inference_mode
from helpers.tiny import LENGTHS, chunks, windows

from docmt.base.columns import SEGMENT_CHAINS, SEGMENTS
from docmt.decoding import translator
from docmt.decoding.segments import SegmentTable
from docmt.decoding.strategy import Decoded, decode_segments
from docmt.decoding.translator import Translator
from docmt.search import beam, forced
from docmt.search.forced import forced_scores, variant_scores
from docmt.settings.data import CutConfig
from docmt.settings.decode import DecodeConfig

READS_OF_A_STEP = {
    "the longest sentence and the sentences that begin": 1,
    "whether hypotheses change places": 1,
    "which instances are done": 1,
}
"""Each read of each step; a search of one hypothesis never changes places."""
IF_PLACES_CHANGE = 1
"""The number of tokens that hypotheses have in common."""
IF_INSTANCES_END = 4 + IF_PLACES_CHANGE
"""The finished hypotheses: their number, scores, lengths and tokens; and those that stay change their places."""
READS_OF_A_STEP_AT_MOST = sum(READS_OF_A_STEP.values()) + IF_PLACES_CHANGE + IF_INSTANCES_END
READS_OF_FORCED_SCORES = 1
"""The scores, once for a batch."""

SENTENCES = CutConfig(window=1), windows(1)
WINDOWS = CutConfig(window=3), windows(3)
PARTS = CutConfig(max_sentences=2), chunks(2)
WHOLE = CutConfig(documents=True), chunks(max(map(len, LENGTHS)))
STRATEGIES = {
    "sentences": (SENTENCES, ("transformer", "transformer fairseq")),
    "sliding windows": (WINDOWS, ("transformer joined", "long_short", "long_short reading long", "g_transformer")),
    "instances": (WHOLE, ("g_transformer closed", "g_transformer everywhere", "han decoder", "han joint")),
    "synchronous sentences": (WHOLE, ("han", "w_link", "lexical_chain", "lexical_chain attention")),
    "documents": (PARTS, ("transformer unmarked", "g_transformer without locality")),
}
RUNS = [(strategy, case, view, 3) for strategy, (view, cases) in STRATEGIES.items() for case in cases]
RUNS += [("instances", "transformer other", PARTS, 3), ("synchronous sentences", "lexical_chain latent", PARTS, 3)]
RUNS += [(strategy, cases[0], view, 1) for strategy, (view, cases) in STRATEGIES.items()]
SELDOM = ("transformer fairseq", "long_short reading long", "g_transformer closed", "lexical_chain attention")
MARKED = [pytest.param(*run, marks=pytest.mark.slow if run[1] in SELDOM else ()) for run in RUNS]


def decode(case: str, view: tuple, beam_size: int, moved: bool = True) -> Decoded:
    cut, segments = view
    chains = [chains_of([row["source_ids"]]) for row in segments]
    listed = [{"members": [*chain(*some)], "lengths": [*map(len, some)]} for some in chains]
    table = pa.Table.from_pylist(segments, SEGMENTS)
    rows = SegmentTable.from_table(table, "test.arrow", pa.Table.from_pylist(listed, SEGMENT_CHAINS))
    model = model_of(case).float()
    config = DecodeConfig(beam=beam_size, max_length_a=1.0, max_length_b=2, batch_tokens=12)
    return decode_segments(rows, cut, Translator(move(model) if moved else model, config))


@pytest.fixture(autouse=True)
def _no_inference_mode(monkeypatch) -> None:
    monkeypatch.setattr(translator, "search_instances", without_inference_mode(beam.search_instances))


def counting_steps(monkeypatch, waits: Counter) -> list[int]:
    """A list that gets the number of reads of each step of a search."""
    reads, step = [], beam.Search.step

    def counted(search, inputs):
        before = waits[READ]
        step(search, inputs)
        reads.append(waits[READ] - before)

    monkeypatch.setattr(beam.Search, "step", counted)
    return reads


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("strategy", "case", "view", "beam_size"), MARKED, ids=lambda value: "view" if isinstance(value, tuple) else None
)
def test_a_step_waits_a_few_times_and_nothing_else_does(strategy, case, view, beam_size, monkeypatch):
    with pretended_device() as waits:
        reads = counting_steps(monkeypatch, waits)
        decoded = decode(case, view, beam_size)
    assert decoded.strategy == strategy and len(reads) > 10
    assert dict(+waits) == {READ: sum(reads)}
    least = sum(READS_OF_A_STEP.values()) - (beam_size == 1)
    assert least <= min(reads) <= least + IF_PLACES_CHANGE and max(reads) <= READS_OF_A_STEP_AT_MOST


def test_the_translations_are_those_of_the_cpu():
    with pretended_device():
        pretended = decode("han joint", WHOLE, 3)
    assert pretended.translations == decode("han joint", WHOLE, 3, moved=False).translations


@pytest.mark.parametrize("case", MOSTLY_SLOW)
def test_forced_scores_are_read_once(case, monkeypatch):
    monkeypatch.setitem(forced.STATES_AT_ONCE, "meta", 4)
    source, target = documents()
    other = [[*document[:-1], [*document[-1], 9]] for document in target]
    pairs = [document for pair in zip(target, other, strict=True) for document in pair]
    variants = rows_of([document for document in source for _ in range(2)], pairs)
    scoring = (
        (forced_scores, (rows_of(source, target),)),
        (variant_scores, (variants, np.full(len(source), 2), True)),
    )
    for score, arguments in scoring:
        with pretended_device() as waits:
            without_inference_mode(score)(move(model_of(case).float()), *arguments)
        assert dict(+waits) == {READ: READS_OF_FORCED_SCORES}
