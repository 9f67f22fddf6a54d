"""The scores of the reference by size of context: those of instances made by hand, one after another."""

from itertools import chain

import pyarrow as pa
import pytest
import torch
from helpers.model_cases import MOSTLY_SLOW, SHAPE, SIZES, VOCABULARY, chains_of, documents, model_of
from helpers.tiny import segment

from docmt.base.columns import CONTEXT_SCORES, SEGMENT_CHAINS, SEGMENTS
from docmt.decoding.context import score_contexts
from docmt.models import build
from docmt.nn.frames import frame_source, frame_target
from docmt.nn.rows import Rows
from docmt.settings.models import GTransformerConfig

SOURCE, TARGET = documents()
MOST = 2
INSTANCES = [
    (document, sentence, context)
    for document, sentences in enumerate(SOURCE)
    for sentence in range(len(sentences))
    for context in range(min(sentence, MOST) + 1)
]


def parts(document: int, sentence: int, context: int) -> tuple[list, list]:
    return tuple(side[document][sentence - context : sentence + 1] for side in (SOURCE, TARGET))


def scores_of(model, batch_tokens: int | None = None) -> list[dict]:
    rows, chains = [], []
    for document, sentence, context in INSTANCES:
        source, target = parts(document, sentence, context)
        sides = [segment(document, sentence - context, side) for side in (source, target)]
        rows.append(sides[0] | {name: sides[1][name] for name in ("target_ids", "target_lengths")})
        found = chains_of(source)
        chains.append({"members": list(chain.from_iterable(found)), "lengths": [len(each) for each in found]})
    tables = pa.Table.from_pylist(rows, SEGMENTS), pa.Table.from_pylist(chains, SEGMENT_CHAINS)
    scores = score_contexts(model, *tables, batch_tokens)
    assert scores.schema == CONTEXT_SCORES
    return scores.to_pylist()


@torch.no_grad()
def oracle(model, source: list, target: list) -> float:
    """One full pass over one instance; the log-probabilities of the last sentence and its end are added in a loop."""
    frame, rows = model.config.frame, Rows.from_lists([source], [target], [chains_of(source)])
    target_in, target_out = frame_target(rows, frame)
    probabilities = model.logits(model.decode(target_in, model.encode(frame_source(rows, frame)))).log_softmax(-1)
    # In the frame `closed` a forced symbol follows the end, of which the model chooses nothing.
    end = len(target_out) - (frame == "closed")
    total = 0.0
    for place in range(end - len(target[-1]) - 1, end):
        total += probabilities[place, target_out[place]].item()
    return total


@pytest.mark.parametrize("case", MOSTLY_SLOW)
def test_each_score_is_that_of_an_instance_made_by_hand(case):
    model = model_of(case)
    for row, (document, sentence, context) in zip(scores_of(model), INSTANCES, strict=True):
        assert (row["document"], row["sentence"], row["context"]) == (f"d{document}", sentence, context)
        assert row["outputs"] == len(TARGET[document][sentence]) + 1
        assert row["score"] == pytest.approx(oracle(model, *parts(document, sentence, context)), abs=1e-9)


def test_the_size_of_batches_changes_rounding_alone():
    model = model_of("han joint")
    small, large = ([row["score"] for row in scores_of(model, tokens)] for tokens in (1, 10_000))
    assert small == pytest.approx(large, abs=1e-9)


def gains(model) -> list[float]:
    rows = scores_of(model)
    alone = {(row["document"], row["sentence"]): row["score"] for row in rows if not row["context"]}
    assert len(alone) == sum(map(len, SHAPE))
    return [row["score"] - alone[row["document"], row["sentence"]] for row in rows if row["context"]]


def test_a_model_that_reads_its_sentence_alone_gains_nothing():
    """Group attention, with positions that restart; with general attention the same model gains or loses."""
    for layers, gains_nothing in ((0, True), (1, False)):
        torch.manual_seed(1)
        config = GTransformerConfig(**SIZES, combined_layers=layers, positions="restarting")
        model = build(config, VOCABULARY, VOCABULARY).double().eval()
        assert [abs(gain) < 1e-12 for gain in gains(model)] == [gains_nothing] * len(gains(model))
