"""How widely a model's attention is spread: its entropy on a fixed sample of the dev set.

Paper: G-Transformer (Bao et al. 2021), section 3.2, Figures 4 and 5 (cross-attention, then self-attention of encoder
and decoder, over training), and Figure 8. Stuck models have about 8.14 bits in cross-attention, good ones about 6.0.

Our reading, where the paper only says entropy: that of the weights with which one query sees its keys, the mean over
all queries, heads and layers. It is at most log2 of the number of keys, so that attention inside sentences has less
than attention to a document: kinds are therefore kept apart.

Kinds: `encoder_self`, `decoder_self`, `cross`; where a model has both attention inside sentences and to the document
in one of these, `.group` and `.global`, the first over all layers that have it. What a model has besides is called by
its place, without the layer's number: `encoder.lexical.attention`. The two streams of `long_short` are one call of one
attention, and one mean.
"""

from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack

import numpy as np
import torch
from torch import Tensor, nn

from docmt.models.transformer import Transformer
from docmt.nn.attention import observed
from docmt.nn.backends.weights import entropies
from docmt.nn.multihead import MultiHead
from docmt.nn.noise import document_keys
from docmt.nn.rows import Rows
from docmt.nn.segments import Segments
from docmt.nn.streams import frame_batch
from docmt.training.batches import target_tokens

SAMPLE_TOKENS = 2048
"""Target tokens of the sample, about; every n-th instance of the dev set, the first among them."""

NOISE = 0
"""The seed of what a model draws here, the same at every validation."""
KINDS = {
    "encoder.self_attention": "encoder_self",
    "decoder.self_attention": "decoder_self",
    "decoder.cross_attention": "cross",
}
SCOPES = {"sentence": "group", "instance": "global"}


def sample(dev: Rows) -> Rows:
    """The same instances at every validation."""
    every = -(-int(target_tokens(dev).sum()) // SAMPLE_TOKENS)
    return dev.take(np.arange(0, len(dev), every))


@torch.no_grad()
def attention_entropy(
    model: Transformer, rows: Rows, device: torch.device, computing: Callable[[], AbstractContextManager]
) -> dict[str, float]:
    """Mean entropy in bits by the kind of attention; see above. Words are predicted as in decoding."""
    keys = document_keys(NOISE, np.arange(len(rows)))
    batch = frame_batch(rows, model.config.frame).keyed(keys).to(device)
    found = Entropies()
    model.eval()
    with ExitStack() as scope:
        for module, kind in kinds(model).items():
            scope.callback(module.register_forward_pre_hook(found.entering(kind)).remove)
        scope.enter_context(observed(found))
        scope.enter_context(computing())
        model.decode(batch.target_in, model.encode(batch.source))
    model.train()
    return found.means()


def kinds(model: nn.Module) -> dict[nn.Module, str]:
    """What each attention of a model is called."""
    places = {module: place(name) for name, module in model.named_modules() if isinstance(module, MultiHead)}
    scopes = defaultdict(set)
    for module, kind in places.items():
        scopes[kind].add(getattr(module, "scope", None))
    apart = {module for module, kind in places.items() if len(scopes[kind]) > 1}
    return {module: f"{kind}.{SCOPES[module.scope]}" if module in apart else kind for module, kind in places.items()}


def place(name: str) -> str:
    """A module's name without layers' numbers, and without what says that it is one of two."""
    parts = [part for part in name.split(".") if not part.isdigit() and part not in ("group", "global_")]
    return KINDS.get(".".join(parts), ".".join(parts))


class Entropies:
    """Sums up the entropies of the calls of `attend`; told by hooks whose they are."""

    def __init__(self) -> None:
        self._kind = ""
        self._sums: dict[str, Tensor] = {}
        self._counts: dict[str, int] = defaultdict(int)

    def entering(self, kind: str) -> Callable[..., None]:
        """A hook for a module's forward pass."""

        def enter(*_: object) -> None:
            self._kind = kind

        return enter

    def __call__(self, q: Tensor, k: Tensor, queries: Segments, keys: Segments, causal: bool) -> None:
        bits = entropies(q, k, queries, keys, causal)
        self._sums[self._kind] = self._sums.get(self._kind, 0.0) + bits.sum(dtype=torch.float64)
        self._counts[self._kind] += bits.numel()

    def means(self) -> dict[str, float]:
        """A kind that saw nothing, such as chains where there are none, is left out."""
        return {kind: float(total) / self._counts[kind] for kind, total in self._sums.items() if self._counts[kind]}
