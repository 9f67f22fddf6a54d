"""Multi-head attention. A `Place` says which keys a query sees, so that training and search share the layers.

In training all tokens of a stream attend at once (`WholeStream`); in search the newest token of each hypothesis does,
with the earlier keys in caches (`docmt.nn.caches.Cache`).

Paper: Vaswani et al. 2017, section 3.2.2.
"""

from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from torch import nn

from docmt.base.runs import places
from docmt.nn.attention import attend, attend_back, attention_weights
from docmt.nn.device import upload
from docmt.nn.linear import Linear, joined, linear
from docmt.nn.noise import Noisy, WeightDropout, key_scope
from docmt.nn.segments import Segments, pad_runs, unpad_runs
from docmt.nn.shapes import (
    AnyStates,
    Float,
    HeadRows,
    Keys,
    Numbers,
    Queries,
    RunWeights,
    SourceStates,
    States,
    Tensor,
    Tokens,
)
from docmt.nn.streams import Memory, Scope, Stream
from docmt.settings.models import TransformerConfig


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

    def noise(self) -> AbstractContextManager:
        """Return the scope in which modules find the noise keys of the rows (`docmt.nn.noise`)."""

    def tokens_to_rows(self, x: States) -> States:
        """Return the states with a row for each shared row (`Segments.rows`)."""

    def rows_to_tokens(self, x: States) -> States:
        """Return the states with a row for each token."""

    def attend(self, attention: "SelfAttention", q: HeadRows, k: HeadRows, v: HeadRows) -> HeadRows:
        """Let each query attend to the keys of its sentence or instance, in the decoder up to itself."""

    def attend_source(self, attention: "CrossAttention", q: HeadRows) -> HeadRows:
        """Let each query attend to the source sentence that it translates, or to its source instance."""

    def by_source_sentence(self, x: Float[Tensor, "T _"]) -> tuple[Float[Tensor, "R Q _"], Numbers]:
        """Return the rows by the source sentence that they translate, padded, and the numbers of these sentences."""

    def from_source_sentence(self, x: Float[Tensor, "R Q _"]) -> Float[Tensor, "T _"]:
        """Return the rows of `by_source_sentence` in their former order, without padding."""


class KeyProjection(Linear):
    """A linear map whose bias is not trained.

    A bias of keys adds the same number to all scores of a query, which softmax removes. So the gradient of the bias is
    zero except for rounding errors. Adam would turn these errors into full steps, which would differ with the way an
    update is split.
    """

    def terms(self) -> tuple[Tensor, Tensor]:
        """Return the weight and the bias; no gradient reaches the bias."""
        return self.weight, self.bias.detach()


class MultiHead(Noisy):
    """The four projections of an attention."""

    def __init__(self, width: int, heads: int, dropout: float = 0.0) -> None:
        """Create the projections for `heads` heads; `dropout` is the share of attention weights that are dropped."""
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query, self.value, self.output = (Linear(width, width) for _ in range(3))
        self.key = KeyProjection(width, width)
        for projection in (self.query, self.key, self.value):
            # The gain is that of fairseq, for a single matrix that holds query, key and value projection together.
            nn.init.xavier_uniform_(projection.weight, gain=2**-0.5)
        nn.init.xavier_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def split(self, x: AnyStates) -> HeadRows:
        """Cut the width of `x` into heads."""
        return x.unflatten(-1, (self.heads, -1))

    def queries_keys_values(self, x: AnyStates) -> tuple[HeadRows, ...]:
        """Return the queries, the keys and the values of the same rows, by one product."""
        return self.heads_of(linear(x, *joined(self.query, self.key, self.value)), 3)

    def keys_values(self, memory: SourceStates) -> tuple[Keys, Keys]:
        """Return the keys and the values of `memory`."""
        return self.heads_of(linear(memory, *joined(self.key, self.value)), 2)

    def heads_of(self, x: AnyStates, maps: int) -> tuple[HeadRows, ...]:
        """Return the results of several maps, which lie side by side in `x`, with their widths cut into heads."""
        return tuple(self.split(part) for part in x.chunk(maps, dim=-1))

    def weight_dropout(self, q: HeadRows) -> WeightDropout | None:
        """Return the dropout of the attention weights of the queries in training; None in evaluation."""
        if not self.training or not self.dropout:
            return None
        return WeightDropout(self.dropout, self.site, self.keys(q.shape[:1], q.device))


class RunAttention(MultiHead):
    """Attention among the rows of each run, such as the words of a lexical chain."""

    def forward(self, x: States, runs: Segments) -> States:
        """Let each row of `x` attend to the rows of its run."""
        q, k, v = self.queries_keys_values(x)
        return self.output(attend(q, k, v, runs, runs, dropout=self.weight_dropout(q)).flatten(1))


class SelfAttention(MultiHead):
    """Attention of a stream to itself inside its scope, sentence or instance; with `causal`, up to the token itself."""

    def __init__(self, width: int, heads: int, scope: Scope, causal: bool, dropout: float = 0.0) -> None:
        """Create the projections; `scope` and `causal` say which tokens of the stream a token attends to."""
        super().__init__(width, heads, dropout)
        self.scope, self.causal = scope, causal

    def forward(self, x: States, place: Place) -> States:
        """Let each token of `x` attend to its sentence or its instance, which `place` knows."""
        q, k, v = self.queries_keys_values(x)
        return self.output(place.attend(self, q, k, v).flatten(1))


class CrossAttention(MultiHead):
    """Attention of the target stream to the source: to the sentence with the same number, or to the instance."""

    def __init__(self, width: int, heads: int, scope: Scope, dropout: float = 0.0) -> None:
        """Create the projections; `scope` says which source tokens a target token attends to."""
        super().__init__(width, heads, dropout)
        self.scope = scope

    def forward(self, x: States, place: Place) -> States:
        """Let each target token of `x` attend to its source sentence or instance, which `place` knows."""
        return self.output(place.attend_source(self, self.split(self.query(x))).flatten(1))


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

    def noise(self) -> AbstractContextManager:
        """Return the scope of the noise keys of the stream."""
        return key_scope(self.stream.keys)

    def tokens_to_rows(self, x: States) -> States:
        """Return the states with a row for each shared row (`Segments.rows`)."""
        return self.layout.instances.tokens_to_rows(x)

    def rows_to_tokens(self, x: States) -> States:
        """Return the states with a row for each token."""
        return self.layout.instances.rows_to_tokens(x)

    def attend(self, attention: SelfAttention, q: Queries, k: Keys, v: Keys) -> Queries:
        """Let each token attend to its sentence or its instance."""
        runs = self.layout.runs(attention.scope)
        return _attend_rows(attention, q, k, v, runs, runs, attention.causal)

    def attend_source(self, attention: CrossAttention, q: Queries) -> Queries:
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

    def attended_states(self, attention: CrossAttention, x: States, states: States) -> SourceStates:
        """Return, for each source token, the mean of the target's `states`, weighted by the attention to that token.

        The queries are `x`, with a row for each state. No gradient flows through the weights.
        """
        with torch.no_grad():
            q, k, *runs = self._queries_and_keys(attention, x)
        return attend_back(q, k, states, *runs)

    def weights(self, attention: CrossAttention, x: States) -> list[RunWeights]:
        """Return the attention weights of `x` to the source for each run (`docmt.nn.attention.attention_weights`)."""
        return attention_weights(*self._queries_and_keys(attention, x))

    def _queries_and_keys(self, attention: CrossAttention, x: States) -> tuple[Queries, Keys, Segments, Segments]:
        q, k = (attention.split(part) for part in (attention.query(x), attention.key(self.memory.states)))
        return q, k, self.layout.runs(attention.scope), self.memory.layout.runs(attention.scope)


def _attend_rows(
    attention: MultiHead, q: Queries, k: Keys, v: Keys, runs: Segments, key_runs: Segments, causal: bool = False
) -> Queries:
    """Let run i of the queries attend to run i of the keys; the rows may be shared by several tokens of the runs."""
    dropout = attention.weight_dropout(q)
    q, k, v = runs.rows_to_tokens(q), key_runs.rows_to_tokens(k), key_runs.rows_to_tokens(v)
    return runs.tokens_to_rows(attend(q, k, v, runs, key_runs, causal, dropout))
