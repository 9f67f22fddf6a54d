"""What a validation measures on the dev set: losses, a score of its translations, and the entropy of attention.

The last says how widely a model's attention is spread, on a fixed sample of the dev set.

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
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from docmt.models.transformer import LossTerm, Transformer
from docmt.nn.attention import entropies, observe_attention
from docmt.nn.multihead import MultiHead
from docmt.nn.noise import document_keys
from docmt.nn.rows import Rows
from docmt.nn.segments import Segments
from docmt.nn.streams import Batch, frame_batch
from docmt.search.beam import beam_search
from docmt.settings.decode import DecodeConfig
from docmt.settings.train import TrainConfig
from docmt.training.ranks import Ranks
from docmt.training.status import Sums, Terms
from docmt.training.update import batch_losses, pack, target_tokens

NOISE = 0
"""The seed of what a model draws here, the same at every validation."""


def dev_batch(model: Transformer, rows: Rows, instances: np.ndarray, device: torch.device) -> Batch:
    """Rows of these numbers, by which the model draws where it samples."""
    return frame_batch(rows, model.config.frame).with_keys(document_keys(NOISE, instances)).to(device)


@torch.no_grad()
def dev_losses(
    model: nn.Module,
    dev: Rows,
    batch_tokens: int,
    smoothing: float,
    device: torch.device,
    forward_context: Callable[[], AbstractContextManager],
    ranks: Ranks,
    watched: Callable[[Iterable[slice]], Iterable[slice]] = iter,
) -> tuple[float, float, dict[str, float]]:
    """Smoothed loss and exact negative log-likelihood, in nats per target token; the model's other losses by the thing.

    Instances are taken in their order, and words predicted as in decoding. Each rank takes some of the batches; these
    are the same for any number of ranks, and so are the sums, which double precision has room for. A model that samples
    draws the same each time. `watched` hands a rank's batches on; where it leaves some out the numbers say nothing.
    """
    model.eval()
    lengths = target_tokens(dev)
    own = Sums()
    for part in watched(ranks.share(pack(lengths, batch_tokens))):
        instances = np.arange(part.start, part.stop)
        batch = dev_batch(model, dev.take(instances), instances, device)
        own.add(*batch_losses(model, batch, smoothing, forward_context))
    model.train()
    sums, tokens = own.over(ranks, model.term_weights(1)), int(lengths.sum())
    return sums.loss / tokens, sums.nll / tokens, sums.terms.means()


Sentences = list[list[int]]
"""Ids of the sentences of an instance, without special symbols."""
Score = Callable[[Sequence[Sentences], Sequence[Sentences]], float]
"""From translations of all instances and their references to a number; the higher the better.

The command line hands one over, since training imports no scoring.
"""


def dev_score(
    model: Transformer,
    dev: Rows,
    train: TrainConfig,
    score: Score,
    watched: Callable[[Iterable[slice]], Iterable[slice]] = iter,
) -> float | None:
    """Translate every instance by the shared search, its limits and penalty being the defaults, and score them.

    `watched` hands the batches on, since translating may take longer than anything else between two updates; None
    where it leaves some out.
    """
    config = DecodeConfig(beam=train.bleu_beam, batch_tokens=train.batch_tokens)
    model.eval()
    found: list[Sentences] = []
    for part in watched(pack(dev.source_words, config.batch_tokens)):
        instances = dev.take(range(part.start, part.stop))
        found += [translations[0].sentences for translations in beam_search(model, instances, config)]
    model.train()
    return score(found, dev.to_lists("target")) if len(found) == len(dev) else None


SAMPLE_TOKENS = 2048
"""Target tokens of the sample, about; every n-th instance of the dev set, the first among them."""

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
    model: Transformer, rows: Rows, device: torch.device, forward_context: Callable[[], AbstractContextManager]
) -> dict[str, float]:
    """Mean entropy in bits by the kind of attention; see above. Words are predicted as in decoding."""
    batch = dev_batch(model, rows, np.arange(len(rows)), device)
    found = Entropies()
    model.eval()
    with ExitStack() as scope:
        for module, kind in kinds(model).items():
            scope.callback(module.register_forward_pre_hook(partial(found.enter, kind)).remove)
        scope.enter_context(observe_attention(found))
        scope.enter_context(forward_context())
        model.decode(batch.target_in, model.encode(batch.source))
    model.train()
    return found.sums.means()


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
        self.sums = Terms()

    def enter(self, kind: str, *_: object) -> None:
        """A hook for the forward pass of a module of this kind."""
        self._kind = kind

    def __call__(self, q: Tensor, k: Tensor, queries: Segments, keys: Segments, causal: bool) -> None:
        bits = entropies(q, k, queries, keys, causal)
        self.sums.add({self._kind: LossTerm(bits.sum(dtype=torch.float64), bits.numel())})
