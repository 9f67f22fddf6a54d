"""Multi-head attention over packed streams: self-attention of a stream, and cross-attention to the source.

Paper: Vaswani et al. 2017, section 3.2.2.
"""

import torch
from torch import nn

from docmt.nn.attention import attend, attend_back, attention_weights
from docmt.nn.caches import Cache, InstanceCache, MemoryCache, SentenceCache
from docmt.nn.linear import Linear, joined, linear
from docmt.nn.noise import Noisy, WeightDropout
from docmt.nn.segments import Segments
from docmt.nn.shapes import AnyStates, HypothesisStates, Keys, Queries, RunWeights, SourceStates, States, Tensor
from docmt.nn.streams import Layout, Memory, Scope


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
    """The four projections of an attention, and the attention of the runs of one stream to those of another."""

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

    def split(self, x: States) -> Queries:
        """Cut the width of `x` into heads."""
        return x.unflatten(-1, (self.heads, -1))

    def queries_keys_values(self, x: States, memory: SourceStates) -> tuple[Queries, Keys, Keys]:
        """Return the queries of `x`, and the keys and the values of `memory`, which may be `x` itself."""
        if memory is x:
            return self.heads_of(linear(x, *joined(self.query, self.key, self.value)), 3)
        return self.split(self.query(x)), *self.keys_values(memory)

    def keys_values(self, memory: SourceStates) -> tuple[Keys, Keys]:
        """Return the keys and the values of `memory`."""
        return self.heads_of(linear(memory, *joined(self.key, self.value)), 2)

    def heads_of(self, x: States, maps: int) -> tuple[Queries, ...]:
        """Return the results of several maps, which lie side by side in `x`, with their widths cut into heads."""
        return tuple(self.split(part) for part in x.chunk(maps, dim=-1))

    def weight_dropout(self, x: AnyStates) -> WeightDropout | None:
        """Return the dropout of the attention weights of the queries `x` in training; None in evaluation."""
        if not self.training or not self.dropout:
            return None
        return WeightDropout(self.dropout, self.site, self.keys(x.shape[:1], x.device))

    def attend(
        self, x: States, runs: Segments, memory: SourceStates, memory_runs: Segments, causal: bool = False
    ) -> States:
        """Let run i of `x` attend to run i of `memory`, and return the projected results, a row for each row of `x`.

        A row that several tokens share (`Segments.rows`) is projected once.
        """
        q, k, v = self.queries_keys_values(x, memory)
        q, k, v = runs.rows_to_tokens(q), memory_runs.rows_to_tokens(k), memory_runs.rows_to_tokens(v)
        results = attend(q, k, v, runs, memory_runs, causal, self.weight_dropout(x))
        return self.output(runs.tokens_to_rows(results).flatten(1))


class RunAttention(MultiHead):
    """Attention among the rows of each run, such as the words of a lexical chain."""

    def forward(self, x: States, runs: Segments) -> States:
        """Let each row of `x` attend to the rows of its run."""
        return self.attend(x, runs, x, runs)


class SelfAttention(MultiHead):
    """Attention of a stream to itself inside its scope, sentence or instance; with `causal`, up to the token itself."""

    def __init__(self, width: int, heads: int, scope: Scope, causal: bool, dropout: float = 0.0) -> None:
        """Create the projections; `scope` and `causal` say which tokens of the stream a token attends to."""
        super().__init__(width, heads, dropout)
        self.scope, self.causal = scope, causal

    def forward(self, x: States, layout: Layout) -> States:
        """Let each token of `x` attend to its sentence or its instance, which `layout` gives."""
        runs = layout.runs(self.scope)
        return self.attend(x, runs, x, runs, self.causal)

    def open_cache(self, cache: Cache) -> None:
        """Put the cache of this module into `cache`: of the sentence being written, or of the whole instance."""
        cache.layers[self] = SentenceCache() if self.scope == "sentence" else InstanceCache()

    def step(self, x: HypothesisStates, cache: Cache) -> HypothesisStates:
        """Let the newest token of each hypothesis attend to the earlier tokens in the cache and to itself."""
        q, k, v = self.queries_keys_values(x, x)
        return self.output(cache.layers[self].attend(q, k, v, cache.progress).flatten(1))


class CrossAttention(MultiHead):
    """Attention of the target stream to the source: to the sentence with the same number, or to the instance."""

    def __init__(self, width: int, heads: int, scope: Scope, dropout: float = 0.0) -> None:
        """Create the projections; `scope` says which source tokens a target token attends to."""
        super().__init__(width, heads, dropout)
        self.scope = scope

    def forward(self, x: States, layout: Layout, memory: Memory) -> States:
        """Let each target token, with states `x` and runs `layout`, attend to its source sentence or instance."""
        return self.attend(x, layout.runs(self.scope), memory.states, memory.layout.runs(self.scope))

    def attended_states(self, x: States, layout: Layout, memory: Memory, states: States) -> SourceStates:
        """Return, for each source token, the mean of the target's `states`, weighted by the attention to that token.

        The queries are `x`, with a row for each state. No gradient flows through the weights.
        """
        with torch.no_grad():
            q, k = self._heads(x, memory)
        return attend_back(q, k, states, layout.runs(self.scope), memory.layout.runs(self.scope))

    def weights(self, x: States, layout: Layout, memory: Memory) -> list[RunWeights]:
        """Return the attention weights of `x` to the source for each run (`docmt.nn.attention.attention_weights`)."""
        return attention_weights(*self._heads(x, memory), layout.runs(self.scope), memory.layout.runs(self.scope))

    def _heads(self, x: States, memory: Memory) -> tuple[Queries, Keys]:
        return self.split(self.query(x)), self.split(self.key(memory.states))

    def open_cache(self, cache: Cache) -> None:
        """Put the keys and values of the source into `cache`; they do not change during decoding."""
        memory = cache.memory
        cache.layers[self] = MemoryCache(*self.keys_values(memory.states), memory.layout.runs(self.scope), self.scope)

    def step(self, x: HypothesisStates, cache: Cache) -> HypothesisStates:
        """Let the newest token of each hypothesis attend to its source sentence or instance."""
        return self.output(cache.layers[self].attend(self.split(self.query(x)), cache.progress).flatten(1))
