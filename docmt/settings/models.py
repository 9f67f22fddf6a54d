"""The settings of models: the fields that all architectures share, and the fields of each architecture.

A choice that a paper leaves open is a field. The default of such a field follows the text of the paper, or else a
choice for which the model's file in `docmt/models` gives the reason. `docmt.settings.data` explains how settings are
declared.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from docmt.base.checks import Checked, all_of, at_least, need, positive, setting, share, whole, within
from docmt.base.parse import KINDS
from docmt.base.plugins import plugins

# The name of a frame: the special symbols around the sentences of a segment (`docmt.nn.frames`).
Frame = Literal["wrapped", "summarised", "joined", "unmarked", "closed", "fairseq"]
# How positions count: through the segment, or from the start of each of its sentences.
Positions = Literal["running", "restarting"]


KIND = "the architecture"  # The description of the setting `kind` of each architecture.


@dataclass(frozen=True, order=True)
class PositionTable:
    """A learned table of positions, as far as it limits segments: symbols of the frame need positions too."""

    frame: Frame
    positions: Positions
    rows: int


@dataclass(frozen=True)
class TransformerConfig(Checked):
    """The settings of the architecture `transformer`, which all other architectures have too.

    Depending on its view, a `transformer` is the sentence model, a model of concatenated sentences, or the document
    Transformer.
    """

    kind: str = setting("transformer", KIND)
    encoder_layers: int = setting(6, "layers of the encoder", whole(1, 1_000))
    decoder_layers: int = setting(6, "layers of the decoder", whole(1, 1_000))
    width: int = setting(
        512,
        "d: width of the hidden states",
        all_of(whole(1, 100_000), within("an even number (sine and cosine positions)", multipleOf=2)),
    )
    inner: int = setting(2048, "width of the feed-forward layers inside", whole(1, 1_000_000))
    heads: int = setting(8, "attention heads; divides the width", whole(1, 10_000))
    dropout: float = setting(0.1, "dropout after embeddings and sublayers", share)
    attention_dropout: float = setting(0.0, "dropout of attention weights", share)
    activation_dropout: float = setting(0.0, "dropout inside the feed-forward layers", share)
    activation: Literal["relu", "gelu"] = setting("relu", "activation inside the feed-forward layers")
    norm: Literal["post", "pre"] = setting(
        "post", "layer norm after the residual connection (post; Vaswani et al. 2017) or before the sublayer (pre)"
    )
    norm_epsilon: float = setting(1e-5, "added to the variance in layer norms", positive)
    embeddings: Literal["shared", "target", "separate"] = setting(
        "shared",
        "shared: one table for source, target and output, which needs a shared vocabulary; target: one table for "
        "target and output; separate: three tables",
    )
    embedding_scale: bool = setting(
        True, "embeddings are multiplied by the square root of the width (Vaswani et al. 2017)"
    )
    embedding_norm: bool = setting(False, "a layer norm on embeddings (BERT, BART)")
    positions: Positions = setting(
        "running", "positions count through the segment (running) or restart in each of its sentences (restarting)"
    )
    position_table: Literal["sinusoidal", "learned"] = setting(
        "sinusoidal", "sinusoidal: fixed; learned: trained (BART)"
    )
    max_positions: int = setting(
        1024, "rows of a learned table of positions; a longer segment is refused", whole(1, 10_000_000)
    )
    frame: Frame = setting(
        "wrapped",
        "wrapped: <s> a </s> <s> b </s>, number of sentences forced; summarised: the source with <cls> for <s>; "
        "joined: a <sep> b </s>, free number; unmarked: a b </s>, a line a document; "
        "closed: as in the code of G-Transformer; fairseq: as in fairseq",
    )
    absent_pieces: tuple[int, ...] = setting((), "ids that have no embedding (imported models); their probability is 0")

    def __post_init__(self) -> None:
        """Check that fields do not contradict each other."""
        super().__post_init__()
        kinds = [kind for kind, row in MODELS.items() if row.settings is type(self)]
        need(self.kind in kinds, "kind", self.kind, f"{' or '.join(kinds) or 'none'}, which has these settings")
        need(self.width % self.heads == 0, "heads", self.heads, f"a divisor of width {self.width}")
        need(self.frame in self.frames, "frame", self.frame, " or ".join(self.frames))

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames that this architecture supports."""
        return get_args(Frame)

    @property
    def learned_positions(self) -> PositionTable | None:
        """The table of positions that limits segments; none where positions have no limit."""
        learned = self.position_table == "learned"
        return PositionTable(self.frame, self.positions, self.max_positions) if learned else None


some_layers = at_least(0, ", and at most the number of layers")  # The check of a number of the top layers.


@dataclass(frozen=True)
class GTransformerConfig(TransformerConfig):
    """The settings of `g_transformer`: group attention in all layers, and also global attention in the top layers."""

    kind: str = setting("g_transformer", KIND)
    combined_layers: int = setting(
        2, "K: top layers whose attention combines group and global (section 4.2)", some_layers
    )
    encoder_self_combined_layers: int | None = setting(
        None, "K of encoder self-attention; none = combined_layers", some_layers
    )
    decoder_self_combined_layers: int | None = setting(
        None, "K of decoder self-attention; none = combined_layers", some_layers
    )
    cross_combined_layers: int | None = setting(None, "K of cross-attention; none = combined_layers", some_layers)
    top_attention: Literal["combined", "group", "global"] = setting(
        "combined",
        "attention of the top K layers: both combined, or one of them alone (Table 6); the lower layers have "
        "group attention",
    )
    language_locality: bool = setting(
        True, "self-attention is limited to groups, not open to the whole document (Table 5)"
    )
    translation_locality: bool = setting(
        True, "cross-attention is limited to groups, not open to the whole document (Table 5)"
    )

    def __post_init__(self) -> None:
        """Check the numbers of combined layers."""
        super().__post_init__()
        for name, layers in self.combined().items():
            limit = self.encoder_layers if name.startswith("encoder") else self.decoder_layers
            need(layers <= limit, name, layers, f"0 to {limit}, the number of layers")

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames that this architecture supports; group attention needs the frame `wrapped` or `closed`."""
        return ("wrapped", "closed") if self.language_locality or self.translation_locality else super().frames

    def combined(self) -> dict[str, int]:
        """Return the number of combined layers by the name of its field; a field that is none has `combined_layers`."""
        names = ("encoder_self_combined_layers", "decoder_self_combined_layers", "cross_combined_layers")
        layers = {name: getattr(self, name) for name in names}
        return {name: self.combined_layers if number is None else number for name, number in layers.items()}


@dataclass(frozen=True)
class LongShortConfig(TransformerConfig):
    """The settings of `long_short`, which has two streams with the same parameters.

    The long stream attends to the whole window, the short stream to each sentence alone.
    """

    kind: str = setting("long_short", KIND)
    frame: Frame = setting("joined", "see transformer; joined: the separator belongs to the sentence that follows")
    aggregation: Literal["concatenation", "sum", "long"] = setting(
        "concatenation",
        "how the decoder's streams are joined: feed-forward layer over both, their sum, or the long stream alone",
    )
    aggregation_inner: int = setting(
        1024, "width of that feed-forward layer inside (concatenation)", whole(1, 1_000_000)
    )
    cross_reads: Literal["own", "long"] = setting(
        "own", "encoder stream that a decoder stream's cross-attention reads: its counterpart (own), or the long one"
    )

    frames = ("joined", "wrapped")


@dataclass(frozen=True)
class DocumentToSentenceConfig(TransformerConfig):
    """The common settings of models that read a document and translate its sentences one by one."""

    positions: Positions = setting("restarting", "see transformer")

    frames = ("wrapped", "summarised")


@dataclass(frozen=True)
class LexicalChainConfig(DocumentToSentenceConfig):
    """The settings of `lexical_chain`; its parts LC-Attn, ConVar and GC-Attn can be switched off one by one."""

    kind: str = setting("lexical_chain", KIND)
    frame: Frame = setting("summarised", "see transformer; summarised: <cls> opens a source sentence")
    lexical_attention: bool = setting(True, "LC-Attn: occurrences of a chain attend to each other in the encoder")
    latent: bool = setting(True, "ConVar: a latent variable for each chain guides the chain's translations")
    general_attention: bool = setting(True, "GC-Attn: sentences attend to each other by their first symbol")
    new_attention: Literal["copied", "random"] = setting(
        "copied", "start of LC-Attn and GC-Attn: a copy of the self-attention of init_from's layer, or random"
    )
    latent_width: int = setting(96, "d_z: width of the latent variable", whole(1, 1_000_000))
    latent_inner: int = setting(
        1280, "hidden width of the posterior and the prior network (the paper gives none)", whole(1, 1_000_000)
    )
    latent_variance: Literal["softplus", "plain"] = setting(
        "softplus", "log variance through Softplus, so at least 0 (eq. 11 and 14), or without it (plain)"
    )
    latent_in_inference: Literal["mean", "sample"] = setting(
        "mean", "latent variable in decoding: the mean of the prior, or a sample from it"
    )
    kl_weight: float = setting(1.0, "alpha: weight of the KL divergence (eq. 20)", at_least(0))
    kl_warmup_updates: int = setting(20000, "updates over which alpha rises from 0", at_least(0))


@dataclass(frozen=True)
class HanConfig(DocumentToSentenceConfig):
    """The settings of `han`: word-level, then sentence-level attention to previous sentences."""

    kind: str = setting("han", KIND)
    context: Literal["encoder", "decoder", "joint"] = setting(
        "encoder", "part of the model that attends to the context"
    )
    context_sentences: int = setting(3, "k: number of previous sentences in the context", whole(1, 1_000))
    context_gradient: bool = setting(
        False, "gradients also reach the states of the context; the authors' code detaches them"
    )


@dataclass(frozen=True)
class WLinkConfig(DocumentToSentenceConfig):
    """The settings of `w_link`: linked words share context in the encoder, and the loss rewards equal translations."""

    kind: str = setting("w_link", KIND)
    shared_context: bool = setting(True, "linked words exchange context in the encoder")
    agreement_weight: float = setting(
        1.0, "weight of the loss that rewards equal translations of linked words; 0 = no such loss", at_least(0)
    )


class Architecture(NamedTuple):
    """An architecture of `MODELS`: its settings, its class, and whether it reads lexical chains."""

    settings: type[TransformerConfig]
    """The class of the architecture's settings; architectures with the same settings may share the class."""
    model: str
    """The class of the model as the text `module:name`. `docmt.models` imports the class only when it builds a model,
    so that commands read settings without torch."""
    reads_chains: bool = False
    """Whether the jobs of the architecture need the lexical chains of stage 4."""


# The architectures by the setting `model.kind`. A new architecture needs a file in `docmt/models/` and a line here.
MODELS = {
    "transformer": Architecture(TransformerConfig, "docmt.models.transformer:Transformer"),
    "g_transformer": Architecture(GTransformerConfig, "docmt.models.g_transformer:GTransformer"),
    "long_short": Architecture(LongShortConfig, "docmt.models.long_short:LongShort"),
    "lexical_chain": Architecture(LexicalChainConfig, "docmt.models.lexical_chain:LexicalChain", reads_chains=True),
    "han": Architecture(HanConfig, "docmt.models.han:Han"),
    "w_link": Architecture(WLinkConfig, "docmt.models.w_link:WLink", reads_chains=True),
}
MODELS |= plugins("docmt.models", Architecture, MODELS)

# The class of settings of each architecture, by the setting `model.kind`.
MODEL_CONFIGS: dict[str, type[TransformerConfig]] = {kind: row.settings for kind, row in MODELS.items()}
# The names of the architectures whose jobs need the lexical chains of stage 4.
READS_CHAINS = tuple(kind for kind, row in MODELS.items() if row.reads_chains)
KINDS[TransformerConfig] = ("model", MODEL_CONFIGS)
