"""The measures of a validation on the dev set: losses, a score of its translations, and the entropy of attention.

The entropy says how widely a model's attention is spread. It is computed on a fixed sample of the dev set.

Paper: G-Transformer (Bao et al. 2021), section 3.2, Figures 4 and 5 (cross-attention, then self-attention of encoder
and decoder, over training), and Figure 8. In the paper, cross-attention has about 8.14 bits in models that do not
learn, and about 6.0 bits in good models.

The paper does not define the entropy. In docmt it is the entropy of the weights that a query gives to its keys,
averaged over all queries, heads and layers. It is at most log2 of the number of keys, so attention inside sentences has
less entropy than attention to a document. Kinds of attention are therefore averaged separately.

The kinds are `encoder_self`, `decoder_self` and `cross`. Where one of them has both attention inside sentences and
attention to the whole instance, it is two kinds, whose names end in `.group` and `.global`; each is averaged over all
layers that have it. Any other attention is named by its place in the model, without the number of the layer, such as
`encoder.lexical.attention`. Both streams of `long_short` use the same attention modules and share one mean.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from docmt.models.transformer import Transformer
from docmt.nn.attention import observe_attention
from docmt.nn.attention_weights import entropies
from docmt.nn.frames import frame_batch
from docmt.nn.layers import MultiHead
from docmt.nn.noise import document_keys
from docmt.nn.rows import Rows
from docmt.nn.segments import Segments
from docmt.nn.streams import Batch
from docmt.search.beam import beam_search
from docmt.settings.decode import DecodeConfig
from docmt.settings.train import TrainConfig
from docmt.supervision.ranks import Ranks
from docmt.training.batches import pack
from docmt.training.computing import ForwardContext
from docmt.training.losses import batch_losses
from docmt.training.progress import Sums, Terms
from docmt.training.task import Score, Sentences

NOISE = 0
"""The seed of the noise that a model samples in validations; so all validations have the same noise."""


def dev_batch(model: Transformer, rows: Rows, instances: np.ndarray, device: torch.device) -> Batch:
    """Return `rows` as a batch; `instances` has their numbers, which decide the noise of a model that samples."""
    return frame_batch(rows, model.config.frame).with_keys(document_keys(NOISE, instances)).to(device)


@torch.no_grad()
def dev_losses(
    model: nn.Module,
    dev: Rows,
    batch_tokens: int,
    smoothing: float,
    device: torch.device,
    forward_context: ForwardContext,
    ranks: Ranks,
    watched: Callable[[Iterable[slice]], Iterable[slice]] = iter,
) -> tuple[float, float, dict[str, float]]:
    """Return the smoothed loss, the exact negative log-likelihood and the model's other losses on the dev set.

    The loss and the negative log-likelihood are in nats per target token; the other losses are means per thing, such as
    a chain. Instances keep their order. The model computes as in translation: without dropout, and with latent
    variables that do not depend on the reference. Each rank computes some of the batches. The batches are the same for
    any number of ranks, and so are the sums, which are in double precision. A model that samples draws the same noise
    each time. `watched` yields the batches of a rank again; where it leaves out a batch, the losses are not valid.
    """
    model.eval()
    sums = Sums()
    for part in watched(ranks.share(pack(dev.target_tokens, batch_tokens))):
        instances = np.arange(part.start, part.stop)
        batch = dev_batch(model, dev.take(instances), instances, device)
        sums.add(*batch_losses(model, batch, smoothing, forward_context))
    model.train()
    sums, tokens = sums.over(ranks, model.term_weights(1)), int(dev.target_tokens.sum())
    return sums.loss / tokens, sums.nll / tokens, sums.terms.means()


def dev_score(
    model: Transformer,
    dev: Rows,
    train: TrainConfig,
    score: Score,
    watched: Callable[[Iterable[slice]], Iterable[slice]] = iter,
) -> float | None:
    """Translate every instance by beam search, and return the score of the translations.

    Limits and the length penalty of the search have their default values. `watched` yields the batches again and notes
    the progress, since translation may take longer than any other work between two updates. The score is None where
    `watched` leaves out a batch.
    """
    config = DecodeConfig(beam=train.bleu_beam, batch_tokens=train.batch_tokens)
    model.eval()
    translations: list[Sentences] = []
    for part in watched(pack(dev.source_words, config.batch_tokens)):
        instances = dev.take(range(part.start, part.stop))
        translations += [ranked[0].sentences for ranked in beam_search(model, instances, config)]
    model.train()
    return score(translations, dev.to_lists("target")) if len(translations) == len(dev) else None


SAMPLE_TOKENS = 2048
"""Approximate number of target tokens of the sample of the dev set. The sample has every n-th instance, beginning with
the first."""

KINDS = {
    "encoder.self_attention": "encoder_self",
    "decoder.self_attention": "decoder_self",
    "decoder.cross_attention": "cross",
}
"""Kinds of attention by the place of the attention module in the model, without the number of the layer."""
SCOPES = {"sentence": "group", "instance": "global"}
"""Endings of the names of kinds, by the scope of the attention."""


def sample(dev: Rows) -> Rows:
    """Return a sample of the dev set, which is the same at every validation."""
    # The quotient is rounded up, so that the sample has at most about SAMPLE_TOKENS tokens.
    every = -(-int(dev.target_tokens.sum()) // SAMPLE_TOKENS)
    return dev.take(np.arange(0, len(dev), every))


@torch.no_grad()
def attention_entropy(
    model: Transformer, rows: Rows, device: torch.device, forward_context: ForwardContext
) -> dict[str, float]:
    """Return the mean entropy of attention in bits by kind of attention, as the module's docstring defines both.

    The model computes as in translation, but reads the reference as the preceding target words.
    """
    batch = dev_batch(model, rows, np.arange(len(rows)), device)
    observer = Entropies()
    model.eval()
    with ExitStack() as scope:
        for module, kind in kinds(model).items():
            # The hook of a module runs just before the module's attention calls the observer, and sets the kind.
            scope.callback(module.register_forward_pre_hook(partial(observer.enter, kind)).remove)
        scope.enter_context(observe_attention(observer))
        scope.enter_context(forward_context())
        model.decode(batch.target_in, model.encode(batch.source))
    model.train()
    return observer.sums.means()


def kinds(model: nn.Module) -> dict[nn.Module, str]:
    """Return the kind of each attention module of a model."""
    places = {module: place(name) for name, module in model.named_modules() if isinstance(module, MultiHead)}
    scopes = defaultdict(set)
    for module, kind in places.items():
        scopes[kind].add(getattr(module, "scope", None))
    apart = {module for module, kind in places.items() if len(scopes[kind]) > 1}
    return {module: f"{kind}.{SCOPES[module.scope]}" if module in apart else kind for module, kind in places.items()}


def place(name: str) -> str:
    """Return the kind of attention of a module, or its place in the model without layer numbers and scopes."""
    parts = [part for part in name.split(".") if not part.isdigit() and part not in ("group", "global_")]
    return KINDS.get(".".join(parts), ".".join(parts))


class Entropies:
    """The sum of the entropies of all calls of `attend` by kind of attention; hooks of the modules set the kind."""

    def __init__(self) -> None:
        """Begin without any call."""
        self._kind = ""
        self.sums = Terms()

    def enter(self, kind: str, *_: object) -> None:
        """Set the kind of the next calls of `attend`; this is a hook before the forward pass of a module."""
        self._kind = kind

    def __call__(self, q: Tensor, k: Tensor, queries: Segments, keys: Segments, causal: bool) -> None:
        """Add the entropies of one call of `attend`."""
        bits = entropies(q, k, queries, keys, causal)
        self.sums.add({self._kind: bits.sum(dtype=torch.float64).item()}, {self._kind: bits.numel()})
