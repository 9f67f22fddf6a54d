"""Multi-head attention over packed streams: of a stream to itself, and to the source.

Paper: Vaswani et al. 2017, section 3.2.2.
"""

from torch import nn

from docmt.nn.attention import attend
from docmt.nn.caches import Cache, InstanceCache, MemoryCache, SentenceCache
from docmt.nn.shapes import HypothesisStates, Queries, SourceStates, States
from docmt.nn.streams import Layout, Memory, Scope


class MultiHead(nn.Module):
    """The four projections; who sees whom is the matter of `scope`: tokens of a sentence, or of an instance."""

    def __init__(self, width: int, heads: int, scope: Scope, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads, self.scope, self.dropout = heads, scope, dropout
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))
        for projection in (self.query, self.key, self.value):
            nn.init.xavier_uniform_(projection.weight, gain=2**-0.5)
        nn.init.xavier_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def split(self, x: States) -> Queries:
        """Cut the width into heads."""
        return x.unflatten(-1, (self.heads, -1))

    def attend(self, x: States, x_layout: Layout, memory: SourceStates, memory_layout: Layout, causal: bool) -> States:
        q, k, v = self.split(self.query(x)), self.split(self.key(memory)), self.split(self.value(memory))
        runs, memory_runs = x_layout.runs(self.scope), memory_layout.runs(self.scope)
        dropout = self.dropout if self.training else 0.0
        return self.output(attend(q, k, v, runs, memory_runs, causal, dropout).flatten(1))


class SelfAttention(MultiHead):
    """Attention of a stream to itself; where `causal`, to its past."""

    def __init__(self, width: int, heads: int, scope: Scope, causal: bool, dropout: float = 0.0) -> None:
        super().__init__(width, heads, scope, dropout)
        self.causal = causal

    def forward(self, x: States, layout: Layout) -> States:
        return self.attend(x, layout, x, layout, self.causal)

    def open_cache(self, cache: Cache) -> None:
        cache.layers[self] = SentenceCache() if self.scope == "sentence" else InstanceCache()

    def step(self, x: HypothesisStates, cache: Cache) -> HypothesisStates:
        """The newest token of each hypothesis, with what the cache holds of those before it."""
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        return self.output(cache.layers[self].attend(q, k, v, cache.progress).flatten(1))


class CrossAttention(MultiHead):
    """Attention of the target stream to the source: to the sentence with the same number, or to the instance."""

    def forward(self, x: States, layout: Layout, memory: Memory) -> States:
        return self.attend(x, layout, memory.states, memory.layout, causal=False)

    def open_cache(self, cache: Cache) -> None:
        memory = cache.memory
        k, v = self.split(self.key(memory.states)), self.split(self.value(memory.states))
        cache.layers[self] = MemoryCache(k, v, memory.layout.runs(self.scope), self.scope)

    def step(self, x: HypothesisStates, cache: Cache) -> HypothesisStates:
        return self.output(cache.layers[self].attend(self.split(self.query(x)), cache.progress).flatten(1))
