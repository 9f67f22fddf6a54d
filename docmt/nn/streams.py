"""Batches as packed streams: tokens without padding, one sentence after another, cut into sentences and instances."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Literal, Protocol, runtime_checkable

import numpy as np
import torch
from torch import nn

from docmt.base.runs import places, spans, starts
from docmt.nn.attention import attend, attend_back, attention_weights
from docmt.nn.device import upload
from docmt.nn.noise import branch_keys, drop_words, key_scope, narrowed_key_scope, token_keys
from docmt.nn.segments import Segments, pad_runs, unpad_runs
from docmt.nn.shapes import (
    AnyStates,
    EmbeddingRows,
    Float,
    HeadRows,
    Int,
    Keys,
    Numbers,
    Queries,
    RowKeys,
    RunWeights,
    SourceStates,
    States,
    Tensor,
    Tokens,
)
from docmt.settings.models import TransformerConfig

Scope = Literal["sentence", "instance"]
"""The tokens that a token may attend to: those of its sentence or those of its instance."""


@contextmanager
def selected_rows(x: AnyStates, index: Numbers, branches: Numbers | None = None) -> Iterator[AnyStates]:
    """Yield the rows `index` of a stream, whose noise modules find until the end of the block.

    Where `index` has a row several times, `branches` numbers its copies, so that they have different noise.
    """
    with narrowed_key_scope(index, branches):
        yield x.index_select(0, index)


@dataclass(frozen=True, eq=False)
class Layout:
    """The two partitions of a stream, into sentences and into instances; each sentence is inside one instance."""

    sentences: Segments
    instances: Segments

    def runs(self, scope: Scope) -> Segments:
        """Return the sentences or the instances, whichever `scope` names."""
        return self.sentences if scope == "sentence" else self.instances

    def sentences_per_instance(self) -> np.ndarray:
        """Return the number of sentences of each instance; an empty sentence between instances counts to the first."""
        end_offsets = np.cumsum(self.sentences.lengths), np.cumsum(self.instances.lengths)
        return np.diff(np.searchsorted(end_offsets[0], end_offsets[1], side="right"), prepend=0)

    def twice(self) -> "Layout":
        """Return the layout of the stream followed by the stream once more, of long-short term masking.

        Its sentences are the scope of self-attention: instances in the first (long) stream, sentences in the second
        (short) one. Its instances are the scope of cross-attention: instances in both streams.
        """
        sentences, windows = self.sentences, self.instances
        self_attention_runs = Segments.from_lengths(windows.lengths + sentences.lengths, sentences.device)
        both = Layout(self_attention_runs, Segments.from_lengths(windows.lengths * 2, sentences.device))
        if windows.rows is None:
            return both
        # The rows of the short stream follow those of the long stream, so its row numbers begin after them.
        rows = torch.cat((windows.rows, windows.rows + len(windows.first)))
        first = torch.cat((windows.first, windows.first + windows.tokens))
        return Layout(*(replace(runs, rows=rows, first=first) for runs in (both.sentences, both.instances)))

    def to(self, device: torch.device | str) -> "Layout":
        """Return the layout on the device."""
        return Layout(self.sentences.to(device), self.instances.to(device))

    def with_shared_rows(self, rows: np.ndarray) -> "Layout":
        """Return the layout of tokens that share rows: token t has row `rows[t]` (`Segments.with_shared_rows`)."""
        return Layout(self.sentences.with_shared_rows(rows), self.instances.with_shared_rows(rows))


@dataclass(frozen=True, eq=False)
class Chains:
    """The lexical chains of a source stream; a chain has the tokens of a word that a document repeats.

    A token is in at most one chain.

    Paper: lexical chains (Lyu et al. 2022), section 3: S_j = (a_k, b_k), k = 1..K.
    """

    tokens: Numbers
    """The place of each member in the stream, chain after chain."""
    runs: Segments
    """The chains as runs of `tokens`."""
    relevant: Int[Tensor, "_ _"]
    """A row for each sentence: the numbers of the chains in it; the number of all chains fills the rest of a row."""

    order: Numbers
    """The members in the order of their sentences, as indices of `tokens`."""
    sentences: Segments
    """Runs of `order`: the members of each sentence."""
    counts: np.ndarray
    """The number of chains of each instance, on the host."""

    def of_instances(self, which: np.ndarray) -> Numbers:
        """Return the numbers of the chains of the instances `which`, in that order."""
        return upload(spans(starts(self.counts)[which], self.counts[which]), self.tokens.device)

    def to(self, device: torch.device | str) -> "Chains":
        """Return the chains on the device."""
        tensors = (part.to(device, non_blocking=True) for part in (self.tokens, self.relevant, self.order))
        tokens, relevant, order = tensors
        return Chains(tokens, self.runs.to(device), relevant, order, self.sentences.to(device), self.counts)


@dataclass(frozen=True, eq=False)
class Stream:
    """The tokens of whole instances, one after another."""

    tokens: Tokens
    layout: Layout
    chains: Chains | None = None
    """The lexical chains of a source stream; None where the instances were read without chains."""
    keys: RowKeys | None = None
    """The noise key of each token; None where there is no noise, or where torch's generator draws it."""
    padding: int = 0
    """The number of tokens at the end that only pad the stream (`docmt.nn.compiled`)."""
    on_host: np.ndarray | None = None
    """A copy of `tokens` on the host, where these are on another device (`to`)."""

    def host_tokens(self) -> np.ndarray:
        """Return the tokens on the host, which does not wait for the device."""
        return self.tokens.numpy() if self.on_host is None else self.on_host

    @property
    def sentences(self) -> Segments:
        """The sentences of the stream."""
        return self.layout.sentences

    @property
    def instances(self) -> Segments:
        """The instances of the stream."""
        return self.layout.instances

    def to(self, device: torch.device | str) -> "Stream":
        """Return the stream on the device; the host keeps a copy of the tokens."""
        chains = None if self.chains is None else self.chains.to(device)
        keys = None if self.keys is None else self.keys.to(device, non_blocking=True)
        tokens = self.tokens.to(device, non_blocking=True)
        return Stream(tokens, self.layout.to(device), chains, keys, self.padding, self.host_tokens())

    def with_keys(self, documents: np.ndarray, side: str) -> "Stream":
        """Return the stream with a noise key for each token.

        `documents` has the noise key of each instance; `side` is source or target.
        """
        return replace(self, keys=token_keys(documents, self.instances.lengths, side))

    def twice(self) -> "Stream":
        """Return the stream and the stream once more, with other noise; its tokens are not read any more."""
        keys = None if self.keys is None else torch.cat((self.keys, branch_keys(self.keys, 0)))
        return replace(self, layout=self.layout.twice(), keys=keys)

    def with_word_dropout(self, share: float) -> "Stream":
        """Return the stream with each word replaced by `<mask>` with probability `share`, drawn by the token's key."""
        return replace(self, tokens=drop_words(self.tokens, share, self.keys), on_host=None)


@dataclass(frozen=True, eq=False)
class Memory:
    """An encoded source: its final states and its layout."""

    states: SourceStates
    layout: Layout
    both: Layout | None = None
    """The layout of both streams together, where the states are those of a long, then of a short stream."""

    def by_sentence(self) -> "Memory":
        """Return the memory with each sentence as an instance, for models that decode sentences synchronously."""
        return replace(self, layout=Layout(self.layout.sentences, self.layout.sentences))

    def repeat_instances(self, source: Stream, which: np.ndarray) -> "Memory":
        """Return the memory where instance i has the source of the present instance `which[i]`.

        The states are not copied: the new layout says which row of the states each token has. `source` is the stream of
        the sources of the new instances, which gives the layout and the chains. The numbers in `which` begin with 0,
        never fall, and omit no instance.
        """
        lengths = np.asarray(self.layout.instances.lengths)
        layout = source.layout.with_shared_rows(spans(starts(lengths)[which], lengths[which]))
        return replace(self, layout=layout, both=self.both and layout.twice())


@dataclass(frozen=True, eq=False)
class Batch:
    """The input of a pass of the model, and `target_out`, whose token t is predicted from `target_in` up to token t.

    Where the input streams are padded, `target_out` is shorter than `target_in`: the padding has no output.
    """

    source: Stream
    target_in: Stream
    target_out: Tokens

    def to(self, device: torch.device | str) -> "Batch":
        """Return the batch on the device."""
        return Batch(self.source.to(device), self.target_in.to(device), self.target_out.to(device, non_blocking=True))

    def with_keys(self, documents: np.ndarray) -> "Batch":
        """Return the batch with noise keys; `documents` has the key of each instance (`noise.document_keys`)."""
        return replace(
            self,
            source=self.source.with_keys(documents, "source"),
            target_in=self.target_in.with_keys(documents, "target"),
        )

    def with_word_dropout(self, share: float) -> "Batch":
        """Return the batch with word dropout on the source and on the decoder's input; `target_out` is unchanged."""
        return replace(
            self, source=self.source.with_word_dropout(share), target_in=self.target_in.with_word_dropout(share)
        )


@runtime_checkable
class Place(Protocol):
    """Where queries find their keys: in a stream, whose tokens attend at once, or in the cache of a search."""

    tokens: Tokens
    """The tokens whose states are computed."""
    memory: Memory | None
    """The encoded source; None in the encoder."""

    def positions(self, config: TransformerConfig) -> tuple[Numbers, int]:
        """Return the position of each token, as the settings count them, and a number above all positions."""

    def sentence_numbers(self) -> Numbers:
        """Return the number, from 0, of the sentence of each token in its instance."""

    def twice(self) -> "Place":
        """Return the place of two streams of states, of which each token has one in each."""

    def noise(self) -> AbstractContextManager:
        """Return the scope in which modules find the noise keys of the rows (`docmt.nn.noise`)."""

    def tokens_to_rows(self, x: States) -> EmbeddingRows:
        """Return the states with a row for each shared row (`Segments.rows`)."""

    def rows_to_tokens(self, x: EmbeddingRows) -> States:
        """Return the states with a row for each token."""

    def attend(self, attention: nn.Module, q: HeadRows, k: HeadRows, v: HeadRows) -> HeadRows:
        """Let each query attend to the keys of its sentence or instance, in the decoder up to itself."""

    def attend_source(self, attention: nn.Module, q: HeadRows) -> HeadRows:
        """Let each query attend to the source sentence that it translates, or to its source instance."""

    def by_source_sentence(self, x: Float[Tensor, "T _"]) -> tuple[Float[Tensor, "R Q _"], Numbers]:
        """Return the rows by the source sentence that they translate, padded, and the numbers of these sentences."""

    def from_source_sentence(self, x: Float[Tensor, "R Q _"]) -> Float[Tensor, "T _"]:
        """Return the rows of `by_source_sentence` in their former order, without padding."""


class WholeStream:
    """The place of all tokens of a stream, which attend at once.

    Rows of states that several tokens share (`Segments.rows`) are projected once, and repeated for attention.
    """

    def __init__(self, stream: Stream, memory: Memory | None = None) -> None:
        """Take a source stream or, with the encoded source `memory`, the decoder's input."""
        self.stream, self.tokens, self.layout, self.memory = stream, stream.tokens, stream.layout, memory

    def positions(self, config: TransformerConfig) -> tuple[Numbers, int]:
        """Return the place of each token in its instance or (`positions: restarting`) in its sentence."""
        runs = self.layout.instances if config.positions == "running" else self.layout.sentences
        return runs.positions(), runs.longest

    def sentence_numbers(self) -> Numbers:
        """Return the number, from 0, of the sentence of each token in its instance."""
        numbers = np.repeat(places(self.layout.sentences_per_instance()), self.layout.sentences.lengths)
        return upload(numbers, self.tokens.device)

    def twice(self) -> "WholeStream":
        """Return the place of the long stream, then of the short one, whose noise differs (`Layout.twice`)."""
        memory = self.memory and replace(self.memory, layout=self.memory.both)
        return WholeStream(self.stream.twice(), memory)

    def noise(self) -> AbstractContextManager:
        """Return the scope of the noise keys of the stream."""
        return key_scope(self.stream.keys)

    def tokens_to_rows(self, x: States) -> EmbeddingRows:
        """Return the states with a row for each shared row (`Segments.rows`)."""
        return self.layout.instances.tokens_to_rows(x)

    def rows_to_tokens(self, x: EmbeddingRows) -> States:
        """Return the states with a row for each token."""
        return self.layout.instances.rows_to_tokens(x)

    def attend(self, attention: nn.Module, q: Queries, k: Keys, v: Keys) -> Queries:
        """Let each token attend to its sentence or its instance."""
        runs = self.layout.runs(attention.scope)
        return _attend_rows(attention, q, k, v, runs, runs, attention.causal)

    def attend_source(self, attention: nn.Module, q: Queries) -> Queries:
        """Let the tokens of target sentence i attend to source sentence i, or those of an instance to its source."""
        runs, source_runs = (layout.runs(attention.scope) for layout in (self.layout, self.memory.layout))
        return _attend_rows(attention, q, *attention.keys_values(self.memory.states), runs, source_runs)

    def by_source_sentence(self, x: Float[Tensor, "T _"]) -> tuple[Float[Tensor, "R Q _"], Numbers]:
        """Return the rows of each target sentence, padded; target sentence r translates source sentence r."""
        sentences = self.layout.sentences
        return pad_runs(x, sentences)[0], torch.arange(sentences.runs, device=x.device)

    def from_source_sentence(self, x: Float[Tensor, "R Q _"]) -> Float[Tensor, "T _"]:
        """Return the rows as a stream."""
        return unpad_runs(x, self.layout.sentences)

    def attended_states(self, attention: nn.Module, x: States, states: States) -> SourceStates:
        """Return, for each source token, the mean of the target's `states`, weighted by the attention to that token.

        The queries are `x`, with a row for each state. No gradient flows through the weights.
        """
        with torch.no_grad():
            q, k, *runs = self._queries_and_keys(attention, x)
        return attend_back(q, k, states, *runs)

    def weights(self, attention: nn.Module, x: States) -> list[RunWeights]:
        """Return the attention weights of `x` to the source for each run (`docmt.nn.attention.attention_weights`)."""
        return attention_weights(*self._queries_and_keys(attention, x))

    def _queries_and_keys(self, attention: nn.Module, x: States) -> tuple[Queries, Keys, Segments, Segments]:
        q, k = (attention.split(part) for part in (attention.query(x), attention.key(self.memory.states)))
        return q, k, self.layout.runs(attention.scope), self.memory.layout.runs(attention.scope)


def _attend_rows(
    attention: nn.Module, q: Queries, k: Keys, v: Keys, runs: Segments, key_runs: Segments, causal: bool = False
) -> Queries:
    """Let run i of the queries attend to run i of the keys; the rows may be shared by several tokens of the runs."""
    dropout = attention.weight_dropout(q)
    q, k, v = runs.rows_to_tokens(q), key_runs.rows_to_tokens(k), key_runs.rows_to_tokens(v)
    return runs.tokens_to_rows(attend(q, k, v, runs, key_runs, causal, dropout))
