"""The parts of Transformer layers, which compute packed streams or the newest tokens of a search.

Paper: Vaswani et al. 2017, sections 3.1 to 3.5.
"""

import math
from collections.abc import Callable

import torch
from torch import nn

from docmt.base.errors import UserError
from docmt.base.vocabulary import PAD
from docmt.nn.attention import Place, attend
from docmt.nn.noise import Noisy, WeightDropout, drop_values, grouped_columns
from docmt.nn.onednn import linear
from docmt.nn.segments import Scope, Segments
from docmt.nn.shapes import (
    AnyRows,
    AnyStates,
    Float,
    HeadRows,
    Numbers,
    States,
    Tensor,
    Tokens,
)
from docmt.settings.models import TransformerConfig

FIRST_POSITION = 2
"""The row of the table of sinusoids for the first token, as in fairseq, which never uses the rows 0 and 1."""


def sinusoids(count: int, width: int) -> Float[Tensor, "_ D"]:
    """Return a table of the positions 0 to count - 1; a row has the sines of all frequencies, then the cosines.

    Paper: section 3.5.

    Departs: sines and cosines do not alternate, and wavelengths are from 2 pi to 10000 * 2 pi inclusive, as in fairseq.
    """
    half = width // 2
    # PE(pos, i) = sin or cos of pos / 10000^(i / (half - 1)), i = 0 .. half - 1.
    frequencies = torch.exp(torch.arange(half) * -(math.log(10000) / max(half - 1, 1)))
    angles = torch.arange(count)[:, None] * frequencies
    return torch.cat((angles.sin(), angles.cos()), dim=1)


class Linear(nn.Linear):
    """A linear map of the last axis, with the parameters of `nn.Linear`."""

    def forward(self, x: AnyRows) -> AnyRows:
        """Return the mapped rows of `x`."""
        return linear(x, *self.terms())

    def terms(self) -> tuple[Tensor, Tensor | None]:
        """Return the weight and the bias, from which a gradient may be cut off."""
        return self.weight, self.bias


class Dropout(Noisy):
    """Dropout of values in training: each value is zeroed with probability `share`, and the others are scaled up.

    Departs from `nn.Dropout`: the draws follow from the keys of the rows (`docmt.nn.noise`), and `share` is rounded to
    a multiple of 2^-16.
    """

    def __init__(self, share: float, width: int) -> None:
        """Create a dropout of a `share` of the values of rows that have `width` values."""
        super().__init__()
        self.share, self.width = share, width
        self.name_site("")

    def name_site(self, site: str) -> None:
        """Set the module's name in the model, and compute the columns of the noise from it."""
        self.site, self.is_named = site, bool(site)
        # The columns are a buffer, so that they move to the device with the model, and are an input of compiled code
        # instead of a constant. They are not saved, since they follow from the name.
        # Four values share a 64-bit hash; a hash for each value would take more time than a layer norm.
        self.register_buffer("columns", grouped_columns(site, (), self.width, torch.device("cpu")), persistent=False)

    def forward(self, x: AnyStates) -> AnyStates:
        """Return `x` with dropped values in training, `x` itself in evaluation."""
        if not self.training or self.share == 0:
            return x
        return drop_values(x, self.share, self.keys(x.shape[:-1], x.device), self.columns)


class Embedding(nn.Module):
    """The sum of the embedding of a token and of its position; scaled and normalised where the settings say so.

    Paper: sections 3.4 and 3.5.
    """

    token_wise = ("add_positions",)

    def __init__(self, vocabulary: int, config: TransformerConfig, weight: nn.Parameter | None = None) -> None:
        """Create a table of `vocabulary` rows, or use `weight`, which is the table of another embedding."""
        super().__init__()
        width = config.width
        self.weight = initial_embeddings(vocabulary, width) if weight is None else weight
        # Section 3.4: embeddings are multiplied by sqrt(d_model).
        self.scale = math.sqrt(width) if config.embedding_scale else 1.0
        self.norm = nn.LayerNorm(width, config.norm_epsilon) if config.embedding_norm else nn.Identity()
        self.dropout = Dropout(config.dropout, width)
        self.position = POSITION_TABLES[config.position_table](config)

    def forward(self, tokens: Tokens, positions: Numbers, longest: int) -> States:
        """Return the embeddings of `tokens`; `positions` count from 0, and `longest` is the highest position plus 1."""
        return self.add_positions(nn.functional.embedding(tokens, self.weight), self.position(positions, longest))

    def add_positions(self, embedded: States, positions: States) -> States:
        """Return the scaled embeddings plus positions, normalised where the settings say so, with dropout."""
        return self.dropout(self.norm(embedded * self.scale + positions))


def initial_embeddings(vocabulary: int, width: int) -> nn.Parameter:
    """Return a new table of embeddings, drawn from N(0, 1 / width); the row of `<pad>` is zero."""
    weight = nn.Parameter(torch.empty(vocabulary, width))
    nn.init.normal_(weight, std=width**-0.5)
    nn.init.zeros_(weight[PAD])
    return weight


class SinusoidalPositions(nn.Module):
    """A table of sinusoids, which grows when a segment is longer than the table. Paper: section 3.5."""

    def __init__(self, config: TransformerConfig) -> None:
        """Begin with a table of 1024 rows."""
        super().__init__()
        self.register_buffer("table", sinusoids(1024, config.width), persistent=False)

    def forward(self, positions: Numbers, longest: int) -> States:
        """Return the rows of `positions`; where `longest` positions need it, extend the table to twice that length."""
        if longest + FIRST_POSITION > len(self.table):
            table = sinusoids(2 * (longest + FIRST_POSITION), self.table.shape[1])
            self.table = table.to(self.table, non_blocking=True)
        return self.table.index_select(0, positions + FIRST_POSITION)


class LearnedPositions(nn.Module):
    """A trained table of `max_positions` rows. Paper: section 3.5, the learned embeddings of Gehring et al. 2017."""

    def __init__(self, config: TransformerConfig) -> None:
        """Draw the table from N(0, 1 / width)."""
        super().__init__()
        self.weight = nn.Parameter(torch.empty(config.max_positions, config.width))
        nn.init.normal_(self.weight, std=config.width**-0.5)

    def forward(self, positions: Numbers, longest: int) -> States:
        """Return the rows of `positions`. Raises UserError for a segment that is longer than the table."""
        if longest > len(self.weight):
            raise UserError(
                "a segment is longer than the model's table of positions",
                found=f"{longest} tokens",
                expected=f"at most model.max_positions = {len(self.weight)}",
                remedy="cut documents smaller (view: max_tokens)",
            )
        return self.weight.index_select(0, positions)


POSITION_TABLES = {"sinusoidal": SinusoidalPositions, "learned": LearnedPositions}
"""The class of the table of positions, for each value of the setting `position_table`."""
ACTIVATIONS = {"relu": torch.relu, "gelu": nn.functional.gelu}
"""The function for each value of the setting `activation`."""


class FeedForward(nn.Module):
    """Two linear maps with an activation between them, which is ReLU in the paper. Paper: section 3.3, eq. 2."""

    token_wise = ("forward",)

    def __init__(
        self, width: int, inner: int, dropout: float, activation: str = "relu", output_width: int | None = None
    ) -> None:
        """Create the maps from `width` to `inner` and from `inner` to `output_width`, which is `width` by default."""
        super().__init__()
        self.inner = Linear(width, inner)
        self.outer = Linear(inner, output_width or width)
        self.activation = ACTIVATIONS[activation]
        self.dropout = Dropout(dropout, inner)

    def forward(self, x: States) -> Float[Tensor, "T _"]:
        """Return the transformed rows; each row is transformed by itself."""
        # Eq. 2: max(0, x W_1 + b_1) W_2 + b_2, with ReLU as the activation.
        return self.outer(self.dropout(self.activation(self.inner(x))))


class Residual(nn.Module):
    """The dropout, the residual connection and the layer norm around a sublayer. Paper: sections 3.1 and 5.4."""

    token_wise = ("add_and_norm",)

    def __init__(self, config: TransformerConfig) -> None:
        """Create the layer norm, which comes before or after the sublayer, as `config.norm` says."""
        super().__init__()
        self.norm = nn.LayerNorm(config.width, config.norm_epsilon)
        self.norm_first = config.norm == "pre"
        self.dropout = Dropout(config.dropout, config.width)

    def forward(self, x: States, sublayer: Callable[..., States], *inputs: object) -> States:
        """Return `x` after the sublayer, such as an attention; `inputs` are its arguments after the states."""
        # Sublayer(LayerNorm(x)) with `norm: pre` (Xiong et al. 2020), Sublayer(x) with `norm: post`.
        return self.add_and_norm(x, sublayer(self.norm(x) if self.norm_first else x, *inputs))

    def add_and_norm(self, x: States, update: States) -> States:
        """Return the sum of `x` and `update`, the result of the sublayer; with `norm: post` the sum is normalised."""
        # Then x + Sublayer(LayerNorm(x)), or LayerNorm(x + Sublayer(x)).
        total = x + self.dropout(update)
        return total if self.norm_first else self.norm(total)


class Projections(Linear):
    """Projections of the same rows to queries, keys or values, whose weights are one parameter. Paper: section 3.2.2.

    One product for all of them reads the rows once.
    """

    def __init__(self, width: int, heads: int, roles: str) -> None:
        """Create the projections for `heads` heads; `roles` are some of the letters q, k and v, in their order."""
        super().__init__(width, len(roles) * width)
        self.heads, self.roles = heads, roles
        for weight in self.weight.chunk(len(roles)):
            # The gain is that of fairseq, for a single matrix that holds query, key and value projection together.
            nn.init.xavier_uniform_(weight, gain=2**-0.5)
        is_key = torch.tensor([role == "k" for role in roles]).repeat_interleave(width)
        self.register_buffer("is_key", is_key, persistent=False)

    def forward(self, x: AnyRows) -> tuple[HeadRows, ...]:
        """Return the queries, keys or values of the rows `x`, in the order of `roles`, cut into heads.

        Head i has the columns i d_k to (i + 1) d_k of its projection.
        """
        return tuple(part.unflatten(-1, (self.heads, -1)) for part in super().forward(x).chunk(len(self.roles), dim=-1))

    def terms(self) -> tuple[Tensor, Tensor]:
        """Return the weight and the bias; no gradient reaches the bias of keys."""
        # A bias of keys adds the same number to all scores of a query, which softmax removes. So the gradient of the
        # bias is zero except for rounding errors. Adam would turn these errors into full steps, which would differ with
        # the way an update is split.
        return self.weight, torch.where(self.is_key, self.bias.detach(), self.bias)


class MultiHead(Noisy):
    """What all attentions have: heads, dropout of weights, and the projection of the heads' results."""

    def __init__(self, width: int, heads: int, dropout: float = 0.0) -> None:
        """Create the last projection; `dropout` is the share of attention weights that are dropped."""
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.output = Linear(width, width)
        nn.init.xavier_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def weight_dropout(self, q: HeadRows) -> WeightDropout | None:
        """Return the dropout of the attention weights of the queries in training; None in evaluation."""
        if not self.training or not self.dropout:
            return None
        return WeightDropout(self.dropout, self.site, self.keys(q.shape[:1], q.device))


class RunAttention(MultiHead):
    """Attention among the rows of each run, such as the words of a lexical chain."""

    def __init__(self, width: int, heads: int, dropout: float = 0.0) -> None:
        """Create the projections."""
        super().__init__(width, heads, dropout)
        self.qkv = Projections(width, heads, "qkv")

    def forward(self, x: States, runs: Segments) -> States:
        """Let each row of `x` attend to the rows of its run."""
        q, k, v = self.qkv(x)
        return self.output(attend(q, k, v, runs, runs, dropout=self.weight_dropout(q)).flatten(1))


class SelfAttention(MultiHead):
    """Attention of a stream to itself inside its scope, sentence or instance; with `causal`, up to the token itself."""

    def __init__(self, width: int, heads: int, scope: Scope, causal: bool, dropout: float = 0.0) -> None:
        """Create the projections; `scope` and `causal` say which tokens of the stream a token attends to."""
        super().__init__(width, heads, dropout)
        self.qkv = Projections(width, heads, "qkv")
        self.scope, self.causal = scope, causal

    def forward(self, x: States, place: Place) -> States:
        """Let each token of `x` attend to its sentence or its instance, which `place` knows."""
        q, k, v = self.qkv(x)
        # Section 3.2.2: Concat(head_1, ..., head_h) W^O.
        return self.output(place.attend(self, q, k, v).flatten(1))


class CrossAttention(MultiHead):
    """Attention of the target stream to the source: to the sentence with the same number, or to the instance."""

    def __init__(self, width: int, heads: int, scope: Scope, dropout: float = 0.0) -> None:
        """Create the projections; `scope` says which source tokens a target token attends to."""
        super().__init__(width, heads, dropout)
        self.q, self.kv = Projections(width, heads, "q"), Projections(width, heads, "kv")
        self.scope = scope

    def forward(self, x: States, place: Place) -> States:
        """Let each target token of `x` attend to its source sentence or instance, which `place` knows."""
        return self.output(place.attend_source(self, *self.q(x)).flatten(1))
