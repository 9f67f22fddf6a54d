"""The measures of a validation on the dev set: losses, a score of its translations, and the entropy of attention.

The entropy says how widely a model's attention is spread, on a fixed sample of the dev set.

Paper: G-Transformer (Bao et al. 2021), section 3.2, Figures 4 and 5 (cross-attention, then self-attention of encoder
and decoder, over training), and Figure 8. Models that are stuck have about 8.14 bits in cross-attention, good models
about 6.0.

The paper does not define the entropy. Here it is the entropy of the weights that a query gives to its keys, averaged
over all queries, heads and layers. It is at most log2 of the number of keys, so attention inside sentences has less
entropy than attention to a document. Kinds of attention are therefore averaged separately.

The kinds are `encoder_self`, `decoder_self` and `cross`. Where a model has both attention inside sentences and
attention to the document for one of these, its kinds are `.group` and `.global`, and the first is averaged over all
layers that have it. Any other attention is named by its place in the model, without the number of the layer:
`encoder.lexical.attention`. The two streams of `long_short` are one call of one attention, and one mean.
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
"""The seed of the noise that a model samples in validations, so that it is the same at every validation."""


def dev_batch(model: Transformer, rows: Rows, instances: np.ndarray, device: torch.device) -> Batch:
    """Return the instances with these numbers as a batch; the numbers decide the noise of a model that samples."""
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
    """Return the smoothed loss, the exact negative log-likelihood and the model's other losses on the dev set.

    The first two are in nats per target token, the others are means per thing, such as a chain. Instances keep their
    order, and words are predicted as in decoding. Each rank computes some of the batches. The batches are the same for
    any number of ranks, and so are the sums, which are in double precision. A model that samples draws the same noise
    each time. `watched` passes a rank's batches on; where it leaves some out, the numbers are not valid.
    """
    model.eval()
    lengths = target_tokens(dev)
    rank_sums = Sums()
    for part in watched(ranks.share(pack(lengths, batch_tokens))):
        instances = np.arange(part.start, part.stop)
        batch = dev_batch(model, dev.take(instances), instances, device)
        rank_sums.add(*batch_losses(model, batch, smoothing, forward_context))
    model.train()
    sums, tokens = rank_sums.over(ranks, model.term_weights(1)), int(lengths.sum())
    return sums.loss / tokens, sums.nll / tokens, sums.terms.means()


Sentences = list[list[int]]
"""Ids of the sentences of an instance, without special symbols."""
Score = Callable[[Sequence[Sentences], Sequence[Sentences]], float]
"""A function from the translations of all instances and their references to a number; the higher, the better. The
command line passes one, since training does not import scoring."""


def dev_score(
    model: Transformer,
    dev: Rows,
    train: TrainConfig,
    score: Score,
    watched: Callable[[Iterable[slice]], Iterable[slice]] = iter,
) -> float | None:
    """Translate every instance by the shared search, and return the score of the translations.

    Limits and the length penalty of the search have their default values. `watched` passes the batches on, since
    translation may take longer than any other work between two updates. The score is None where `watched` leaves some
    batches out.
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
"""Approximate number of target tokens of the sample. The sample has every n-th instance of the dev set, beginning with
the first."""

KINDS = {
    "encoder.self_attention": "encoder_self",
    "decoder.self_attention": "decoder_self",
    "decoder.cross_attention": "cross",
}
"""Kinds of attention by the place of its module in the model, without the number of the layer."""
SCOPES = {"sentence": "group", "instance": "global"}
"""Endings of kinds by the scope of the attention."""


def sample(dev: Rows) -> Rows:
    """Return a sample of the dev set, which is the same at every validation."""
    # Rounded up, so that the sample has at most about SAMPLE_TOKENS tokens.
    every = -(-int(target_tokens(dev).sum()) // SAMPLE_TOKENS)
    return dev.take(np.arange(0, len(dev), every))


@torch.no_grad()
def attention_entropy(
    model: Transformer, rows: Rows, device: torch.device, forward_context: Callable[[], AbstractContextManager]
) -> dict[str, float]:
    """Return the mean entropy in bits by the kind of attention; see above.

    Words are predicted as in decoding.
    """
    batch = dev_batch(model, rows, np.arange(len(rows)), device)
    observer = Entropies()
    model.eval()
    with ExitStack() as scope:
        for module, kind in kinds(model).items():
            # The hook of a module runs just before its attention calls the observer, and so names the kind of the call.
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
    """Return the place of a module in the model, without the number of the layer and the name of its scope."""
    parts = [part for part in name.split(".") if not part.isdigit() and part not in ("group", "global_")]
    return KINDS.get(".".join(parts), ".".join(parts))


class Entropies:
    """A sum of the entropies of calls of `attend`, by the kind of attention, which hooks of the modules set."""

    def __init__(self) -> None:
        """Begin without any call."""
        self._kind = ""
        self.sums = Terms()

    def enter(self, kind: str, *_: object) -> None:
        """Set the kind of the calls that follow; this is a hook for the forward pass of a module."""
        self._kind = kind

    def __call__(self, q: Tensor, k: Tensor, queries: Segments, keys: Segments, causal: bool) -> None:
        """Add the entropies of one call of `attend`."""
        bits = entropies(q, k, queries, keys, causal)
        self.sums.add({self._kind: LossTerm(bits.sum(dtype=torch.float64), bits.numel())})
