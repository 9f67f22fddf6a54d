"""The weights of a model, and the multiplications of its passes, from its settings alone: planning imports no torch.

The count is that of Kaplan et al. (2020, section 2.1): a token is multiplied with every weight of the layers, and
compared with the tokens that it attends to. What an architecture adds to a Transformer counts by its weights alone, so
that the count is rough: a test compares it with that of torch for every architecture.

A pass over training data has the segments of a cut, their sentences, and their pieces. Documents are known by their
number and the number of their sentences alone. Where all documents are as long as the mean and sentences have equal
numbers of pieces, the counts of sentences and pieces are those of `docmt.views`. The number of instances and of
sub-documents assumes that lengths of documents are spread like a geometric distribution: for the three corpora of
G-Transformer's Table 1 it gives 10.8K, 17.6K and 174K instances, and the paper has 11K, 18.5K and 162K.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from functools import reduce
from typing import Any

from docmt.settings.data import CutConfig
from docmt.settings.models import READS_CHAINS, TransformerConfig

FRAME = 2
"""The cost, in tokens, of the symbols around a sentence, as in `docmt.views.cuts`."""


@dataclass(frozen=True)
class DocumentGroup:
    """A part of a split whose documents are alike: `source` and `target` are mean numbers of pieces of a sentence."""

    documents: float
    sentences: float
    source: float
    target: float

    @property
    def length(self) -> float:
        """The mean number of sentences of a document."""
        return self.sentences / max(self.documents, 1e-9)


@dataclass(frozen=True)
class Pass:
    """Counts of segments, of their sentences, and of the sentences' pieces, or of these and special symbols.

    A sentence counts once for each segment that has it, as in the card of a view.
    """

    segments: float = 0.0
    sentences: float = 0.0
    source: float = 0.0
    target: float = 0.0

    def __add__(self, other: "Pass") -> "Pass":
        """Return the counts of both together."""
        return Pass(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    def times(self, factor: float) -> "Pass":
        """Return `factor` times these counts."""
        return Pass(*(count * factor for count in astuple(self)))


def pass_of(parts: Iterable[DocumentGroup], cut: CutConfig) -> Pass:
    """Return the size of a pass over parts of a split that are cut into segments."""
    every = reduce(Pass.__add__, (_cut(_long_enough(part, cut), cut) for part in parts), Pass())
    return every if cut.sample is None else every.times(min(cut.sample / max(every.segments, 1e-9), 1.0))


def _long_enough(part: DocumentGroup, cut: CutConfig) -> DocumentGroup:
    """Return a part without the documents that are too short.

    Documents are all of the mean length against a minimum of sentences. Against a minimum of source pieces, which
    divides documents of one kind, lengths are spread like an exponential distribution.
    """
    documents, sentences = part.documents, part.sentences
    if part.length < (cut.min_document_sentences or 0):
        documents = sentences = 0.0
    if cut.min_document_tokens:
        ratio = cut.min_document_tokens / max(part.length * part.source, 1e-9)
        documents, sentences = documents * math.exp(-ratio), sentences * (1 + ratio) * math.exp(-ratio)
    return DocumentGroup(documents, sentences, part.source, part.target)


def _cut(part: DocumentGroup, cut: CutConfig) -> Pass:
    """Return the size of a pass over one part without a sample."""
    if not part.documents:
        return Pass()
    if cut.window is not None:
        return _windows(part, cut)
    segments = part.documents
    if cut.max_tokens is not None:
        cost = max(part.source, part.target) + FRAME
        # The last sentence that does not fit leaves half of its cost free.
        segments *= _pieces_of_documents(part.length, max((cut.max_tokens - cost / 2) / cost, 1.0))
    elif cut.max_sentences is not None:
        segments *= _pieces_of_documents(part.length, cut.max_sentences)
    return Pass(segments, part.sentences, part.sentences * part.source, part.sentences * part.target)


def _pieces_of_documents(length: float, size: float) -> float:
    """Return the mean number of segments of `size` sentences in a document, whose lengths have the mean `length`."""
    return 1 / -math.expm1(-size / length)


def _windows(part: DocumentGroup, cut: CutConfig) -> Pass:
    """Return the size of a pass over windows.

    A document of n sentences has max(n - k + 1, 1) windows of k sentences. With openings or copies it has n, one that
    ends with each sentence; with `partial_copy_each` there is another one for each sentence but the first.
    """
    length, size = part.length, cut.window
    complete = max(length - size + 1, 1)
    windows = length if cut.openings or cut.partial_copy else complete
    # The sum of min(i, k) over the n sentences: windows of 1, 2 ... sentences, then those of k.
    few = min(size, length)
    real = few * (few + 1) / 2 + (length - few) * size if cut.openings or cut.partial_copy else complete * few
    alone = max(length - 1, 0) if cut.partial_copy_each else 0
    windows, real = windows + alone, real + alone
    copies = size * windows - real if cut.partial_copy else 0.0
    sides = (_with_copies(real, copies, cut.partial_copy or 0.0, mean) for mean in (part.source, part.target))
    return Pass(windows, real + copies, *sides).times(part.documents)


def _with_copies(real: float, copies: float, share: float, mean: float) -> float:
    """Return the pieces of real sentences of `mean` pieces, and of copies of a share of them, in whole pieces."""
    return real * mean + copies * math.ceil(share * mean)


BY_SEGMENT = ("transformer", "long_short")
"""The architectures whose tokens attend to whole segments; those of the others mostly attend to their sentence."""
LINKED = 0.18
"""Assumed share of source tokens in lexical chains (Lyu et al. 2022, Table 5: 14 to 21 % of words). They alone pass the
parts of architectures that read chains."""
STREAMS = {"long_short": 2}
"""The number of streams of states that the layers compute with the same weights, where it is not one."""


def multiplications(model: TransformerConfig, load: Pass, vocabulary: int) -> float:
    """Return the multiplications of a forward pass over a load; `vocabulary` is the number of target pieces.

    The backward pass has twice as many, and each comes with an addition.
    """
    tokens = (load.source + load.target) / 2
    runs = load.segments if model.kind in BY_SEGMENT else load.sentences
    attentions = model.encoder_layers + 2 * model.decoder_layers
    comparisons = attentions * 2 * model.width * load.source / max(runs, 1e-9)
    weights = weights_of_layers(model)
    if model.kind in READS_CHAINS:
        weights -= (1 - LINKED) * PARTS[model.kind](model)
    layers = STREAMS.get(model.kind, 1) * tokens * (weights + comparisons)
    return layers + load.target * model.width * vocabulary


def parameters(model: TransformerConfig, source_size: int, target_size: int) -> int:
    """Return the number of weights in the matrices of a model; biases and norms, under 1 % of all, are left out."""
    tables = {"shared": target_size, "target": source_size + target_size, "separate": source_size + 2 * target_size}
    positions = 2 * model.max_positions if model.position_table == "learned" else 0
    return weights_of_layers(model) + model.width * (tables[model.embeddings] + positions)


def weights_of_layers(model: TransformerConfig) -> int:
    """Return the number of weights in the matrices of the layers, and of the parts that an architecture adds."""
    square, oblong = model.width**2, 2 * model.width * model.inner
    layers = model.encoder_layers * (4 * square + oblong) + model.decoder_layers * (8 * square + oblong)
    return layers + PARTS.get(model.kind, lambda model: 0)(model)


def _combined_attentions(model: Any) -> int:
    """Return the weights of G-Transformer's second attentions and gates. Paper: section 4.2, and Tables 5 and 6."""
    if model.top_attention != "combined":
        return 0
    counts = model.combined()
    layers = {"encoder_self": model.encoder_layers, "decoder_self": model.decoder_layers, "cross": model.decoder_layers}
    combined = 0
    for attention, most in layers.items():
        is_local = model.translation_locality if attention == "cross" else model.language_locality
        combined += min(counts[f"{attention}_combined_layers"], most) if is_local else 0
    return 6 * model.width**2 * combined


def _aggregation(model: Any) -> int:
    """Return the weights of the layer that merges the two streams of long-short."""
    return 3 * model.width * model.aggregation_inner if model.aggregation == "concatenation" else 0


def _chains(model: Any) -> int:
    """Return the weights of GC-Attn, LC-Attn and ConVar."""
    width, inner, latent = model.width, model.latent_inner, model.latent_width
    attentions = model.encoder_layers * 4 * width**2 * (model.lexical_attention + model.general_attention)
    convar = 3 * width * inner + 4 * inner * latent + 2 * width**2 + 2 * width * latent
    return attentions + (convar if model.latent else 0)


PARTS: dict[str, Callable[[Any], int]] = {
    "g_transformer": _combined_attentions,
    "long_short": _aggregation,
    "lexical_chain": _chains,
    "w_link": lambda model: model.encoder_layers * 6 * model.width**2 * model.shared_context,
    "han": lambda model: (1 + (model.context == "joint")) * (10 * model.width**2 + 2 * model.width * model.inner),
}
"""The weights that an architecture has beside those of the Transformer, by the setting `model.kind`."""
