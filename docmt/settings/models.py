"""The settings of models: fields that all architectures share, and those of each.

Where a paper leaves a choice open it is a field here; the default is the paper's text, or what the model's file says
and why. `docmt.settings.system` explains the form.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from docmt.base.checks import Checked, at_least, need, positive, setting, share, whole
from docmt.base.parse import KINDS

Frame = Literal["wrapped", "summarised", "joined", "unmarked", "closed", "fairseq"]
"""Which special symbols stand around sentences: `docmt.nn.frames`."""


@dataclass(frozen=True)
class TransformerConfig(Checked):
    """`transformer`: the sentence model and, by its view, concatenation and the document Transformer."""

    kind: str = setting("transformer", "the architecture; a name of `MODELS`")
    encoder_layers: int = setting(6, "layers of the encoder", whole(1, 1_000))
    decoder_layers: int = setting(6, "layers of the decoder", whole(1, 1_000))
    width: int = setting(512, "d: width of the hidden states", whole(1, 100_000))
    inner: int = setting(2048, "width of the feed-forward layers inside", whole(1, 1_000_000))
    heads: int = setting(8, "attention heads; divides the width", whole(1, 10_000))
    dropout: float = setting(0.1, "after embeddings and sublayers", share)
    attention_dropout: float = setting(0.0, "on attention weights", share)
    activation_dropout: float = setting(0.0, "inside the feed-forward layers", share)
    activation: Literal["relu", "gelu"] = setting("relu", "inside the feed-forward layers")
    norm: Literal["post", "pre"] = setting("post", "layer norm after the residual (Vaswani et al. 2017) or before")
    norm_epsilon: float = setting(1e-5, "added to the variance in layer norms", positive)
    embeddings: Literal["shared", "target", "separate"] = setting(
        "shared", "one table for all, one for target and output, or three; shared needs joint BPE"
    )
    embedding_scale: bool = setting(True, "embeddings times the square root of the width (Vaswani et al. 2017)")
    embedding_norm: bool = setting(False, "a layer norm on embeddings (BERT, BART)")
    positions: Literal["running", "restarting"] = setting(
        "running", "positions run over the segment, or restart with each of its sentences"
    )
    position_table: Literal["sinusoidal", "learned"] = setting("sinusoidal", "positions by sines, or trained (BART)")
    max_positions: int = setting(
        1024, "rows of a learned table of positions; a longer segment is refused", whole(1, 10_000_000)
    )
    frame: Frame = setting(
        "wrapped",
        "wrapped: <s> a </s> <s> b </s>, number of sentences forced; summarised: the source with <cls> for <s>; "
        "joined: a <sep> b </s>, free number; unmarked: a b </s>, a line a document",
    )
    absent_pieces: tuple[int, ...] = setting((), "ids that have no embedding (imported models); their probability is 0")

    def __post_init__(self) -> None:
        super().__post_init__()
        kinds = [kind for kind, row in MODELS.items() if row.settings is type(self)]
        need(self.kind in kinds, "kind", self.kind, f"{' or '.join(kinds) or 'none'}, which has these settings")
        need(self.width % self.heads == 0, "heads", self.heads, f"a divisor of width {self.width}")
        need(self.width % 2 == 0, "width", self.width, "an even number (sine and cosine positions)")
        need(self.frame in self.frames, "frame", self.frame, " or ".join(self.frames))

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames that this architecture has a use for."""
        return get_args(Frame)


@dataclass(frozen=True)
class GTransformerConfig(TransformerConfig):
    """`g_transformer`: group attention in all layers, combined with global attention in the top ones."""

    kind: str = setting("g_transformer", "")
    combined_layers: int = setting(2, "K: top layers whose attention combines group and global (section 4.2)")
    encoder_self_combined_layers: int | None = setting(None, "K of encoder self-attention, where it differs")
    decoder_self_combined_layers: int | None = setting(None, "K of decoder self-attention, where it differs")
    cross_combined_layers: int | None = setting(None, "K of cross-attention, where it differs")
    top_attention: Literal["combined", "group", "global"] = setting(
        "combined", "what the top K layers have: both, or one of them alone (Table 6); the lower stay group"
    )
    language_locality: bool = setting(True, "self-attention keeps to groups, not to the document (Table 5)")
    translation_locality: bool = setting(True, "cross-attention keeps to groups, not to the document (Table 5)")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, layers in self.combined().items():
            limit = self.encoder_layers if name.startswith("encoder") else self.decoder_layers
            need(0 <= layers <= limit, name, layers, f"0 to {limit}, the number of layers")

    @property
    def frames(self) -> tuple[str, ...]:
        return ("wrapped", "closed") if self.language_locality or self.translation_locality else super().frames

    def combined(self) -> dict[str, int]:
        """Combined layers by the name of their field, with `combined_layers` filled in."""
        names = ("encoder_self_combined_layers", "decoder_self_combined_layers", "cross_combined_layers")
        own = {name: getattr(self, name) for name in names}
        return {name: self.combined_layers if k is None else k for name, k in own.items()}


@dataclass(frozen=True)
class LongShortConfig(TransformerConfig):
    """`long_short`: a full and a block-diagonal stream with the same parameters."""

    kind: str = setting("long_short", "")
    frame: Frame = setting("joined", "see transformer; joined: the separator belongs to the sentence that follows")
    aggregation: Literal["concatenation", "sum", "long"] = setting(
        "concatenation",
        "how the decoder's streams become one: feed-forward over both, their sum, the long alone",
    )
    aggregation_inner: int = setting(
        1024, "width of that feed-forward layer inside (concatenation)", whole(1, 1_000_000)
    )
    cross_reads: Literal["own", "long"] = setting(
        "own", "which encoder stream a decoder stream's cross-attention reads: its counterpart, or the long one"
    )

    frames = ("joined", "wrapped")


@dataclass(frozen=True)
class DocumentToSentenceConfig(TransformerConfig):
    """What models share that read a document and translate its sentences one by one."""

    positions: Literal["running", "restarting"] = setting("restarting", "see transformer")

    frames = ("wrapped", "summarised")


@dataclass(frozen=True)
class LexicalChainConfig(DocumentToSentenceConfig):
    """`lexical_chain`: LC-Attn, ConVar, GC-Attn, each switchable."""

    kind: str = setting("lexical_chain", "")
    frame: Frame = setting("summarised", "see transformer; summarised: <cls> opens a source sentence")
    lexical_attention: bool = setting(True, "LC-Attn: words of a chain attend to each other in the encoder")
    latent: bool = setting(True, "ConVar: a latent variable a chain guides its translations")
    general_attention: bool = setting(True, "GC-Attn: sentences attend to each other by their first symbol")
    new_attention: Literal["copied", "random"] = setting(
        "copied", "what LC-Attn and GC-Attn start from: the self-attention of init_from's layer, or anew"
    )
    latent_width: int = setting(96, "d_z: width of the latent variable", whole(1, 1_000_000))
    latent_inner: int = setting(
        1280, "hidden width of the posterior and the prior network (the paper gives none)", whole(1, 1_000_000)
    )
    latent_variance: Literal["softplus", "plain"] = setting(
        "softplus", "log variance through Softplus, so at least 0 (eq. 11 and 14), or as it is"
    )
    latent_in_inference: Literal["mean", "sample"] = setting("mean", "the prior's mean, or a draw from it")
    kl_weight: float = setting(1.0, "alpha: weight of the KL divergence (eq. 20)", at_least(0))
    kl_warmup_updates: int = setting(20000, "updates over which alpha rises from 0", at_least(0))


@dataclass(frozen=True)
class HanConfig(DocumentToSentenceConfig):
    """`han`: word-level, then sentence-level attention to previous sentences."""

    kind: str = setting("han", "")
    context: Literal["encoder", "decoder", "joint"] = setting("encoder", "where the context comes in")
    context_sentences: int = setting(3, "k: previous sentences that are seen", whole(1, 1_000))
    context_gradient: bool = setting(False, "train the states of the context too; the authors' code detaches them")


@dataclass(frozen=True)
class WLinkConfig(DocumentToSentenceConfig):
    """`w_link`: linked words share context in the encoder, and are told to agree in translation."""

    kind: str = setting("w_link", "")
    shared_context: bool = setting(True, "linked words exchange context in the encoder")
    agreement_weight: float = setting(
        1.0, "weight of the loss that linked words are translated alike; 0 = none", at_least(0)
    )


class Architecture(NamedTuple):
    """A row of `MODELS`."""

    settings: type[TransformerConfig]
    """Its own, or those of another architecture where it has no more to set."""
    model: str
    """The class as `module:name`, which `docmt.models` imports: settings are read where no torch is."""
    reads_chains: bool = False
    """Whether its jobs need the lexical chains of stage 4."""


MODELS = {
    "transformer": Architecture(TransformerConfig, "docmt.models.transformer:Transformer"),
    "g_transformer": Architecture(GTransformerConfig, "docmt.models.g_transformer:GTransformer"),
    "long_short": Architecture(LongShortConfig, "docmt.models.long_short:LongShort"),
    "lexical_chain": Architecture(LexicalChainConfig, "docmt.models.lexical_chain:LexicalChain", reads_chains=True),
    "han": Architecture(HanConfig, "docmt.models.han:Han"),
    "w_link": Architecture(WLinkConfig, "docmt.models.w_link:WLink", reads_chains=True),
}
"""Architectures by `model.kind`: a new one is a file in `docmt/models/` and a line here."""

MODEL_CONFIGS: dict[str, type[TransformerConfig]] = {kind: row.settings for kind, row in MODELS.items()}
READS_CHAINS = tuple(kind for kind, row in MODELS.items() if row.reads_chains)
KINDS[TransformerConfig] = ("model", MODEL_CONFIGS)
