"""A learned table of positions: every search ends within it, and one that never comes near its end is as without it."""

from dataclasses import replace
from itertools import chain, product

import pytest
import torch
from helpers.model_cases import CASES, VOCABULARY, documents, rows_of
from helpers.tiny import FIRST_WORD, full_forward_score
from torch import nn

from docmt.base.errors import UserError
from docmt.base.vocabulary import MASK, UNK
from docmt.models import build
from docmt.nn.positions import framed_lengths
from docmt.nn.rows import Rows
from docmt.search.beam import beam_search, search_instances
from docmt.search.rules import RULES
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import TransformerConfig

SMALL = {"encoder_layers": 1, "decoder_layers": 1, "width": 16, "heads": 2, "inner": 32, "position_table": "learned"}
FRAMES = ("wrapped", "summarised", "closed", "joined", "unmarked", "fairseq")
FREE = ("joined", "unmarked")
"""Frames whose number of sentences is not forced."""

frames = pytest.mark.parametrize("frame", FRAMES)
both_positions = pytest.mark.parametrize("positions", ["running", "restarting"])


def model_with(config: TransformerConfig, rows: int, vocabulary: int = VOCABULARY) -> nn.Module:
    """A model whose tables have the first `rows` of 200 rows; all other weights are the same for any number."""
    torch.manual_seed(0)
    large = build(replace(config, position_table="learned", max_positions=200), vocabulary, vocabulary)
    with torch.no_grad():
        for parameter in large.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    weights = {name: each[:rows] if "position." in name else each for name, each in large.state_dict().items()}
    model = build(replace(large.config, max_positions=rows), vocabulary, vocabulary)
    model.load_state_dict(weights)
    return model.double().eval()


def longest_of(config: TransformerConfig, rows: Rows, side: str) -> int:
    """The positions that the longest instance of one side needs."""
    lengths = framed_lengths(rows, config.frame, side)
    if config.positions == "restarting":
        return int(lengths.max())
    return int(max(part.sum() for part in torch.from_numpy(lengths).split(rows.sentences.tolist())))


ALL = {
    **{
        f"{frame}, {positions}": TransformerConfig(**SMALL, frame=frame, positions=positions)
        for frame, positions in product(FRAMES, ("running", "restarting"))
    },
    **{name: CASES[name] for name in CASES if not name.startswith("transformer")},
}


@pytest.mark.some(8)
@pytest.mark.parametrize("name", ALL)
def test_every_hypothesis_is_finished_within_the_table(name):
    """In tables that just have the source, and in larger ones."""
    (source, _), config = documents(), ALL[name]
    least = longest_of(config, rows_of(source), "source")
    for size, beam in ((least, 12), (least + 7, 3)):
        searches = search_instances(model_with(config, size), rows_of(source), DecodeConfig(beam=beam))
        for document, instance in zip(source, searches, strict=True):
            assert all(instance)
            for sentences in (each.sentences for each in chain.from_iterable(instance)):
                assert min(map(len, sentences)) > 0
                assert len(sentences) == len(document) / len(instance) or config.frame in FREE
                assert longest_of(config, Rows.from_lists([[[]] * len(sentences)], [sentences]), "target") <= size


WORDS = (UNK, FIRST_WORD, FIRST_WORD + 1)


def all_translations(config: TransformerConfig, limit: int) -> list[list[list[int]]]:
    """Every translation of two sentences that fits the table, of at most `limit` pieces for each sentence."""
    words, ends = (*WORDS, MASK) if config.frame == "closed" else WORDS, 2 if config.frame == "closed" else 1
    size, is_running = config.max_positions, config.positions == "running" or config.frame == "unmarked"
    longest = min(limit, size - ends)
    counts = {"joined": (1, 2, 3), "unmarked": (1,)}.get(config.frame, (2,))
    if config.frame in FREE:
        most = min(2 * longest + 2, size) if is_running else 2 * longest + 2
        longest = most if is_running else size - 1
    else:
        most = size if is_running else 2 * (longest + ends)
    runs = [[*run] for length in range(1, longest + 1) for run in product(words, repeat=length)]
    return [[*each] for n in counts for each in product(runs, repeat=n) if sum(map(len, each)) + n * ends <= most]


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("frame", "positions", "size"),
    [
        *(("wrapped", "running", 6), ("wrapped", "restarting", 3), ("fairseq", "running", 5)),
        *(("closed", "running", 6), ("closed", "restarting", 4)),
        *(("joined", "running", 4), ("joined", "restarting", 3)),
        *(("unmarked", "running", 5), ("unmarked", "restarting", 5)),
    ],
)
def test_a_beam_as_wide_as_all_that_fits_the_table_finds_all_of_it(frame, positions, size):
    """Each with the score that the model gives it, but for ends that the frame `closed` forces."""
    config = TransformerConfig(**SMALL, frame=frame, positions=positions, max_positions=size)
    model, source = model_with(config, size, vocabulary=FIRST_WORD + 2), [[[FIRST_WORD], [FIRST_WORD + 1]]]
    expected = all_translations(config, limit=3)
    decode = DecodeConfig(beam=len(expected) + 5, max_length_a=0, max_length_b=3)
    (ranked,) = beam_search(model, Rows.from_lists(source), decode)
    assert sorted(each.sentences for each in ranked) == sorted(expected)
    forced = [1, 1] if positions == "running" else [2, 2]
    for each in ranked[::5]:
        assert each.score == pytest.approx(full_forward_score(model, source[0], each.sentences, forced), abs=1e-9)


@pytest.mark.some(3)
@both_positions
@frames
def test_a_table_that_is_large_enough_changes_nothing(frame, positions):
    """One that has just the rows for every maximum length gives the bits of one that has many more."""
    (source, _), config = documents(), TransformerConfig(**SMALL, frame=frame, positions=positions)
    decode, ends = DecodeConfig(beam=3, max_length_a=0, max_length_b=9), RULES[frame].end_outputs
    most = max(map(len, source))
    is_running = positions == "running" or frame in FREE
    size = most * (9 + ends) if is_running else 9 + ends
    enough, large = (beam_search(model_with(config, rows), rows_of(source), decode) for rows in (size, 200))
    assert enough == large


@pytest.mark.parametrize(("source", "size"), [([[8] * 9, [8]], 11), ([[], [], []], 4)])
def test_a_segment_that_does_not_fit_the_table_is_refused(source, size):
    """Since its own pieces are too many, or the pieces and ends of translations of its empty sentences."""
    model = model_with(TransformerConfig(**SMALL, frame="fairseq"), size)
    with pytest.raises(UserError, match="a segment is longer than the model's table of positions"):
        beam_search(model, Rows.from_lists([source]), DecodeConfig(beam=2))
