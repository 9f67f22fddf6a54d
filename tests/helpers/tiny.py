"""Small random models and documents for the tests of search and decoding."""

import random

import torch
from helpers.sizes import COMPUTED
from torch import Tensor, nn

from docmt.models import build
from docmt.nn.frames import frame_source, frame_target
from docmt.nn.rows import Rows
from docmt.settings.models import GTransformerConfig, TransformerConfig

FIRST_WORD = 7
"""Smallest id that is no special symbol."""

SIZES = {**COMPUTED, "heads": 2, "embeddings": "separate"}
CONFIGS = {
    "wrapped": TransformerConfig(**SIZES),
    "joined": TransformerConfig(**SIZES, frame="joined", norm="pre"),
    "g_transformer": GTransformerConfig(**SIZES, combined_layers=1),
    "closed": GTransformerConfig(**SIZES, combined_layers=1, frame="closed"),
    "fairseq": TransformerConfig(**SIZES, frame="fairseq"),
    "unmarked": TransformerConfig(**SIZES, frame="unmarked"),
}
MARKS = {"unmarked": 0, "closed": 2}
"""Symbols between the sentences of the decoder's input, where they are not one."""


def tiny_model(name: str, vocabulary: int = 20, seed: int = 1) -> nn.Module:
    """Weights are larger than at a real start, so that its distributions are far from uniform."""
    torch.manual_seed(seed)
    model = build(CONFIGS[name], vocabulary, vocabulary).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.7 if parameter.dim() > 1 else 1.0)
    return model


def random_documents(seed: int, lengths: list[list[int]], vocabulary: int = 20) -> list[list[list[int]]]:
    """Sentences of random words; `lengths` gives the words of each sentence of each document."""
    draw = random.Random(seed)
    return [
        [[draw.randrange(FIRST_WORD, vocabulary) for _ in range(words)] for words in document] for document in lengths
    ]


@torch.no_grad()
def full_forward_score(
    model: nn.Module, source: list[list[int]], target: list[list[int]], limits: list[int] | None = None
) -> float:
    """The log-probability of a translation by one uncached pass; the target may have its own number of sentences.

    In the frame `closed` symbols after `</s>` count nothing, nor does the `</s>` of a sentence that reaches its limit.
    """
    frame = model.config.frame
    memory = model.encode(frame_source(Rows.from_lists([source]), frame))
    target_in, target_out = frame_target(Rows.from_lists([[[]] * len(target)], [target]), frame)
    scores = model.logits(model.decode(target_in, memory)).double().log_softmax(-1)
    chosen = [scores[place, token].item() for place, token in enumerate(target_out.tolist())]
    if frame == "closed":
        place = -1
        for number, words in enumerate(target):
            place += len(words) + 2
            chosen[place] = 0
            if limits and len(words) == limits[number]:
                chosen[place - 1] = 0
    return sum(chosen)


@torch.no_grad()
def next_scores(model: nn.Module, source: list[list[int]], target: list[list[int]]) -> Tensor:
    """Log-probabilities of what follows a beginning of a translation, whose last sentence is being written."""
    frame = model.config.frame
    memory = model.encode(frame_source(Rows.from_lists([source]), frame))
    # The sentences to come stand there empty, so that each source sentence has its target sentence.
    whole = target + [[]] * (len(source) - len(target))
    target_in, _ = frame_target(Rows.from_lists([[[]] * len(whole)], [whole]), frame)
    newest = sum(map(len, target)) + MARKS.get(frame, 1) * (len(target) - 1)
    return model.logits(model.decode(target_in, memory))[newest].double().log_softmax(-1)


LENGTHS = [[3, 1, 2, 4], [2], [1, 5]]
"""Words of the sentences of three test documents."""

TEST_DOCUMENTS = random_documents(9, LENGTHS)


def windows(k: int) -> list[dict]:
    """Rows of SEGMENTS: every k consecutive sentences of the test documents."""
    return [
        segment(number, first, document[first : first + k])
        for number, document in enumerate(TEST_DOCUMENTS)
        for first in range(max(len(document) - k, 0) + 1)
    ]


def chunks(size: int) -> list[dict]:
    """Rows of SEGMENTS: `size` sentences after `size` sentences."""
    return [
        segment(number, first, document[first : first + size])
        for number, document in enumerate(TEST_DOCUMENTS)
        for first in range(0, len(document), size)
    ]


def segment(document: int, first: int, sentences: list[list[int]]) -> dict:
    ids, lengths = [word for words in sentences for word in words], [len(words) for words in sentences]
    sides = {"source_ids": ids, "source_lengths": lengths, "target_ids": ids, "target_lengths": lengths}
    return {"document": f"d{document}", "first": first, **sides}
