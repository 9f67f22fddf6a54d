"""Multi-head attention over packed streams: of a stream to itself, and to the source.

Paper: Vaswani et al. 2017, section 3.2.2.
"""

import torch
from torch import nn

from docmt.nn.attention import attend, attend_back, attention_weights
from docmt.nn.caches import Cache, InstanceCache, MemoryCache, SentenceCache
from docmt.nn.noise import Noisy, WeightDropout
from docmt.nn.segments import Segments
from docmt.nn.shapes import AnyStates, HypothesisStates, Keys, Queries, RunWeights, SourceStates, States
from docmt.nn.streams import Layout, Memory, Scope


class KeyProjection(nn.Linear):
    """A linear map whose bias is not trained.

    What a bias of keys adds to the scores of a query, softmax takes away. So its gradient is zero but for rounding, of
    which Adam would make steps as long as any, other ones for each way to split an update.
    """

    def forward(self, x: States) -> States:
        return nn.functional.linear(x, self.weight, self.bias.detach())


class MultiHead(Noisy):
    """The four projections, and attention between the runs of two streams."""

    def __init__(self, width: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query, self.value, self.output = (nn.Linear(width, width) for _ in range(3))
        self.key = KeyProjection(width, width)
        for projection in (self.query, self.key, self.value):
            nn.init.xavier_uniform_(projection.weight, gain=2**-0.5)
        nn.init.xavier_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def split(self, x: States) -> Queries:
        """Cut the width into heads."""
        return x.unflatten(-1, (self.heads, -1))

    def weight_dropout(self, x: AnyStates) -> WeightDropout | None:
        """What drops the attention weights of so many queries, in training."""
        if not self.training or not self.dropout:
            return None
        return WeightDropout(self.dropout, self.site, self.keys(x.shape[:1], x.device))

    def attend(
        self, x: States, runs: Segments, memory: SourceStates, memory_runs: Segments, causal: bool = False
    ) -> States:
        """Rows that several tokens are (`Segments.rows`) are projected once."""
        q, k, v = self.split(self.query(x)), self.split(self.key(memory)), self.split(self.value(memory))
        q, k, v = runs.rows_to_tokens(q), memory_runs.rows_to_tokens(k), memory_runs.rows_to_tokens(v)
        seen = attend(q, k, v, runs, memory_runs, causal, self.weight_dropout(x))
        return self.output(runs.tokens_to_rows(seen).flatten(1))


class RunAttention(MultiHead):
    """Attention among the rows of each run, such as the words of a lexical chain."""

    def forward(self, x: States, runs: Segments) -> States:
        return self.attend(x, runs, x, runs)


class SelfAttention(MultiHead):
    """Attention of a stream to itself within its scope: sentence, or instance; where `causal`, to its past."""

    def __init__(self, width: int, heads: int, scope: Scope, causal: bool, dropout: float = 0.0) -> None:
        super().__init__(width, heads, dropout)
        self.scope, self.causal = scope, causal

    def forward(self, x: States, layout: Layout) -> States:
        runs = layout.runs(self.scope)
        return self.attend(x, runs, x, runs, self.causal)

    def open_cache(self, cache: Cache) -> None:
        cache.layers[self] = SentenceCache() if self.scope == "sentence" else InstanceCache()

    def step(self, x: HypothesisStates, cache: Cache) -> HypothesisStates:
        """The newest token of each hypothesis, with what the cache holds of those before it."""
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        return self.output(cache.layers[self].attend(q, k, v, cache.progress).flatten(1))


class CrossAttention(MultiHead):
    """Attention of the target stream to the source: to the sentence with the same number, or to the instance."""

    def __init__(self, width: int, heads: int, scope: Scope, dropout: float = 0.0) -> None:
        super().__init__(width, heads, dropout)
        self.scope = scope

    def forward(self, x: States, layout: Layout, memory: Memory) -> States:
        return self.attend(x, layout.runs(self.scope), memory.states, memory.layout.runs(self.scope))

    def attended_states(self, x: States, layout: Layout, memory: Memory, states: States) -> SourceStates:
        """For each source token the mean of `states`, of the same target, weighted by what `x` attends to the token.

        The weights are constants: no gradient flows through them.
        """
        with torch.no_grad():
            q, k = self._heads(x, memory)
        return attend_back(q, k, states, layout.runs(self.scope), memory.layout.runs(self.scope))

    def weights(self, x: States, layout: Layout, memory: Memory) -> list[RunWeights]:
        """Of each run with which weights `x` attends to the source; see `attention_weights`."""
        return attention_weights(*self._heads(x, memory), layout.runs(self.scope), memory.layout.runs(self.scope))

    def _heads(self, x: States, memory: Memory) -> tuple[Queries, Keys]:
        return self.split(self.query(x)), self.split(self.key(memory.states))

    def open_cache(self, cache: Cache) -> None:
        memory = cache.memory
        k, v = self.split(self.key(memory.states)), self.split(self.value(memory.states))
        cache.layers[self] = MemoryCache(k, v, memory.layout.runs(self.scope), self.scope)

    def step(self, x: HypothesisStates, cache: Cache) -> HypothesisStates:
        return self.output(cache.layers[self].attend(self.split(self.query(x)), cache.progress).flatten(1))
