"""Who attends to whom in each model of docmt, measured on a document of three sentences.

Nothing here states a mask. Each attention is a module of a real model, and the mask is the pattern of its derivatives:
row i may read row j where the result of row i changes with the state of row j. A mask is a list of rows of truth
values, a row for each query and a column for each key.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

import torch

from docmt.base.chains import chains_of
from docmt.base.vocabulary import SPECIALS, Vocabulary
from docmt.models import build
from docmt.models.han import Han
from docmt.models.lexical_chain import LexicalChain, summaries_of
from docmt.models.transformer import Transformer
from docmt.nn.attention import WholeStream
from docmt.nn.frames import frame_batch
from docmt.nn.rows import Rows
from docmt.nn.streams import Batch, Memory, Stream
from docmt.settings.models import MODEL_CONFIGS, Frame

SOURCE = ("le vote commence", "on compte", "le vote finit")
TARGET = ("the vote starts", "we count", "the vote ends")
STOP_WORDS = frozenset({"le"})
"""The words of the example that form no lexical chain."""
SIZES = {"encoder_layers": 2, "decoder_layers": 2, "width": 8, "inner": 8, "heads": 2}

Mask = list[list[bool]]
Instances = list[list[int]]
"""The sentences of each instance, by their numbers, from 0."""
SENTENCES, WINDOWS, DOCUMENT = [[0], [1], [2]], [[0, 1], [1, 2]], [[0, 1, 2]]


@dataclass(frozen=True)
class Side:
    """The tokens of a stream as text, and the number of tokens of each of its sentences and instances."""

    tokens: list[str]
    sentences: tuple[int, ...]
    instances: tuple[int, ...]


@dataclass(frozen=True)
class Example:
    """The document as a batch, and its streams: the source and the input of the decoder."""

    batch: Batch
    source: Side
    target: Side


@cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary of both sides of the example."""
    return Vocabulary.from_counts(dict.fromkeys(" ".join(SOURCE + TARGET).split(), 1))


@cache
def chains() -> list[list[int]]:
    """Return the lexical chains of the document: the places of their words among all source words."""
    words = [sentence.split() for sentence in SOURCE]
    members, sizes = chains_of(words, [[1] * len(sentence) for sentence in words], STOP_WORDS)
    return [members[start:end] for start, end in pairwise(accumulate(sizes, initial=0))]


def example(frame: Frame, instances: Instances = DOCUMENT) -> Example:
    """Return the document, cut into these instances, with the special symbols of the frame."""
    ids = {piece: number for number, piece in enumerate(vocabulary().pieces)}
    sides = [
        [[[ids[word] for word in text[number].split()] for number in instance] for instance in instances]
        for text in (SOURCE, TARGET)
    ]
    batch = frame_batch(Rows.from_lists(*sides, chains=[chains()] if instances == DOCUMENT else None), frame)
    return Example(batch, side(batch.source), side(batch.target_in))


def side(stream: Stream) -> Side:
    """Return the tokens of a stream as text, with its sentences and instances."""
    pieces = [*SPECIALS, *vocabulary().pieces[len(SPECIALS) :]]
    return Side([pieces[token] for token in stream.tokens], stream.sentences.lengths, stream.instances.lengths)


def model(kind: str, **settings: object) -> Transformer:
    """Return a small model with random parameters, which compute in 64 bits and drop nothing."""
    torch.manual_seed(1)
    size = len(vocabulary().pieces)
    return build(MODEL_CONFIGS[kind](kind=kind, **SIZES, **settings), size, size).double().eval()


def influence(function: Callable[[torch.Tensor], torch.Tensor], rows: int) -> Mask:
    """Return which rows of the states each row of the function's result depends on."""
    torch.manual_seed(2)
    states = torch.randn(rows, SIZES["width"], dtype=torch.float64)
    derivatives = torch.autograd.functional.jacobian(function, states)
    return (derivatives.abs().amax((1, 3)) > 0).tolist()


def attentions(kind: str, data: Example, layer: int, **settings: object) -> dict[str, Mask]:
    """Return the masks of a layer: `encoder_self`, `decoder_self` and `cross`."""
    built, batch = model(kind, **settings), data.batch
    encoder, decoder = built.encoder[layer], built.decoder[layer]
    return {
        "encoder_self": influence(
            lambda x: encoder.self_attention(x, WholeStream(batch.source)), batch.source.sentences.tokens
        ),
        "decoder_self": influence(
            lambda x: decoder.self_attention(x, WholeStream(batch.target_in)), batch.target_in.sentences.tokens
        ),
        "cross": cross(decoder.cross_attention, batch),
    }


def cross(attention: Callable, batch: Batch) -> Mask:
    """Return the mask of an attention of the target's tokens to those of the source."""
    torch.manual_seed(3)
    queries = torch.randn(batch.target_in.sentences.tokens, SIZES["width"], dtype=torch.float64)
    layout = batch.source.layout

    def attend(x: torch.Tensor) -> torch.Tensor:
        return attention(queries, WholeStream(batch.target_in, Memory(x, layout)))

    return influence(attend, layout.sentences.tokens)


def two_stream_attentions(data: Example) -> dict[str, Mask]:
    """Return the masks of long-short term masking, whose rows and columns are the long, then the short stream."""
    built, batch = model("long_short"), data.batch
    source, target = (WholeStream(stream).twice() for stream in (batch.source, batch.target_in))
    rows, target_rows = source.layout.sentences.tokens, target.layout.sentences.tokens
    queries = torch.randn(target_rows, SIZES["width"], dtype=torch.float64)
    encoder, decoder = built.encoder[0], built.decoder[0]

    def cross(x: torch.Tensor) -> torch.Tensor:
        return decoder.cross_attention(queries, WholeStream(target.stream, Memory(x, source.layout)))

    return {
        "encoder_self": influence(lambda x: encoder.self_attention(x, source), rows),
        "decoder_self": influence(lambda x: decoder.self_attention(x, target), target_rows),
        "cross": influence(cross, rows),
    }


def chain_attentions(data: Example) -> dict[str, Mask]:
    """Return the masks of the sublayers of lexical chains; those of GC-Attn and LC-Attn have each row itself too."""
    built: LexicalChain = model("lexical_chain")
    source, layer = data.batch.source, built.encoder[0]
    rows = source.sentences.tokens
    return {
        "encoder_self": influence(lambda x: layer.self_attention(x, WholeStream(source)), rows),
        "general": influence(lambda x: layer.general(x, summaries_of(source)), rows),
        "lexical": influence(lambda x: layer.lexical(x, source.chains), rows),
    }


def linked_attention(data: Example) -> Mask:
    """Return the mask of W-Link's shared context, which has each row itself too."""
    built, source = model("w_link"), data.batch.source
    return influence(lambda x: built.encoder[0].shared_context(x, source.chains), source.sentences.tokens)


def hierarchical_attention(data: Example, sentences: int) -> Mask:
    """Return the mask of HAN above the encoder with a context of so many sentences; it has each row itself too."""
    built: Han = model("han", context_sentences=sentences, context_gradient=True)
    source = data.batch.source
    return influence(lambda x: built.source_context(x, WholeStream(source)), source.sentences.tokens)
