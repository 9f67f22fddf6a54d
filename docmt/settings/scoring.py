"""What scores are computed by: `scoring` of config.yaml. A change scores again, and trains and translates nothing."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from docmt.base.checks import MOST, Checked, above_0, count, need, need_path, setting, whole
from docmt.base.names import LANGUAGES_ARE, is_language

TRAINED = "trained"
"""Stands for a file of word vectors: they are made from the training split."""


def by_language(about: str) -> Any:
    """A setting that may differ from language to language: a mapping from a code such as en."""
    return field(default_factory=dict, metadata={"about": about, "check": need_languages})


def need_languages(name: str, value: dict[str, str]) -> None:
    for language, item in value.items():
        need(is_language(language), name, language, LANGUAGES_ARE)
        need_path(f"{name}.{language}", item)


@dataclass(frozen=True)
class ConsistencyConfig(Checked):
    """LTCR and HHI: every choice that the papers leave open, and those in which their codes differ."""

    chains: Literal["words", "pieces"] = setting(
        "words", "what a chain repeats: a source word, or one piece of it, counting from the word's first"
    )
    source_case: Literal["keep", "lower"] = setting("keep", "whether words that differ in case alone are one chain")
    source_punctuation: bool = setting(True, "whether words without a letter or a digit make chains too")
    source_stop_words: int | None = setting(
        None,
        "so many of the most frequent source words of training make no chain; none = the corpus' stop_words",
        whole(0, MOST, ", or none"),
    )
    source_stop_lists: dict[str, str] = by_language("by language, a file of such words, a word a line, instead")
    target_case: Literal["lower", "keep"] = setting("lower", "whether translations that differ in case alone agree")
    target_punctuation: bool = setting(False, "whether words without a letter or a digit are part of a translation")
    target_stop_words: int | None = setting(
        None,
        "so many of the most frequent target words of training are no part; none = the corpus' target_stop_words",
        whole(0, MOST, ", or none"),
    )
    target_stop_lists: dict[str, str] = by_language("by language, a file of such words, a word a line, instead")
    only_stop_words: Literal["kept", "unaligned"] = setting(
        "kept", "a translation that has stop words alone. kept: it is these; unaligned: it is none"
    )
    reverse_links: bool = setting(
        True, "a word to which no target word is linked has the one that it is linked to the other way, if any"
    )
    unaligned: Literal["own", "skip", "empty"] = setting(
        "own",
        "an occurrence without a translation. own: agrees with none; skip: is left out; empty: agrees with its like",
    )
    match: Literal["exact", "subset", "overlap", "contained", "fuzzy"] = setting(
        "exact",
        "when two translations agree. exact: same words in order; subset: words of one are words of the other; "
        "overlap: a word in common; contained: text of one in that of the other (DelTA's fuzzy match); fuzzy: as alike "
        "as `similarity`",
    )
    similarity: float = setting(
        0.8, "least of 1 - edit distance in characters / characters of the longer one (match: fuzzy)", above_0(1)
    )
    pairs: Literal["all", "first"] = setting("all", "LTCR: all pairs of a chain, or each with its first one (LTCR-1)")
    average: Literal["micro", "macro"] = setting(
        "micro", "a chain counts as often as it has pairs (LTCR) or translations (HHI, eq. 26), or once"
    )

    def of_corpus(self, languages: tuple[str, str], stop_words: tuple[int, int]) -> "ConsistencyConfig":
        """With the numbers of stop words that hold for a corpus, where there is no file; source, then target."""
        own: dict[str, Any] = {}
        for side, language, number in zip(("source", "target"), languages, stop_words, strict=True):
            files, stated = getattr(self, f"{side}_stop_lists"), getattr(self, f"{side}_stop_words")
            has_file = language in files
            own[f"{side}_stop_lists"] = {language: files[language]} if has_file else {}
            own[f"{side}_stop_words"] = 0 if has_file else number if stated is None else stated
        return replace(self, **own)


@dataclass(frozen=True)
class AlignerConfig:
    """What finds the translations of lexical chains' words, for LTCR and HHI."""

    kind: Literal["default", "eflomal", "awesome-align"] = setting(
        "default",
        "default: our own, trained on the training split, needs no weights; eflomal (no two runs are the same; an "
        "extra to install) or awesome-align (with a model)",
    )
    model: str | None = setting(
        None, "awesome-align's: a folder with config.json, vocab.txt, tokenizer_config.json, pytorch_model.bin"
    )

    def __post_init__(self) -> None:
        if self.kind == "awesome-align":
            need(self.model is not None, "model", self.model, "the folder of a model, for awesome-align")
            need_path("model", self.model)
        else:
            need(self.model is None, "model", self.model, f"none for the aligner {self.kind}")


@dataclass(frozen=True)
class WordVectorsConfig(Checked):
    """word2vec, as its authors' tool trains it by default; the lexical-chain paper names the 100 dimensions alone."""

    dimensions: int = setting(100, "numbers in a word's vector", whole(1, 100_000))
    architecture: Literal["cbow", "skipgram"] = setting("cbow", "which of word2vec's two")
    window: int = setting(5, "words on each side, at most", whole(1, 1_000))
    minimum_count: int = setting(5, "rarer words get no vector", count)
    negative: int = setting(5, "negative samples for each word", whole(1, 1_000))
    epochs: int = setting(5, "passes over the text", whole(1, 10_000))
    case: Literal["lower", "keep"] = setting("lower", "whether words are lower-cased first")
    seed: int = setting(1, "of the random start", whole(0, 2**32 - 1))  # gensim's has 32 bits


@dataclass(frozen=True)
class CoherenceConfig(WordVectorsConfig):
    """Coherence (lexical chains, eq. 23), and the word vectors that are trained for it."""

    vectors: dict[str, str] = by_language(
        "by target language, a file of word vectors (word2vec's text form), or `trained` on the training split; "
        "others have no coherence"
    )


@dataclass(frozen=True)
class CohesionConfig(Checked):
    """Cohesion (lexical chains, eq. 24)."""

    models: dict[str, str] = by_language(
        "by target language, the folder of a BERT that predicts next sentences; others have no cohesion"
    )
    batch_pairs: int = setting(32, "pairs of sentences at once (memory and speed, not results)", whole(1, 1_000_000))


@dataclass(frozen=True)
class ContrastiveConfig:
    """Accuracy on contrastive sets. A tie with the best wrong variant is wrong, and counted."""

    score: Literal["sum", "mean"] = setting(
        "sum", "what variants are judged by: log-probabilities' sum, or their mean; ends of sentences count"
    )
    unit: Literal["last", "target"] = setting("last", "over the last sentence, or over the whole target")

    @property
    def file(self) -> str:
        """Which file of stage 6 has what variants are judged by."""
        return "contrastive.whole.arrow" if self.unit == "target" else "contrastive.arrow"


@dataclass(frozen=True)
class ScoringConfig:
    """`scoring` of config.yaml."""

    consistency: ConsistencyConfig = field(default_factory=ConsistencyConfig)
    aligner: AlignerConfig = field(default_factory=AlignerConfig)
    coherence: CoherenceConfig = field(default_factory=CoherenceConfig)
    cohesion: CohesionConfig = field(default_factory=CohesionConfig)
    contrastive: ContrastiveConfig = field(default_factory=ContrastiveConfig)

    def __post_init__(self) -> None:
        need(
            self.consistency.chains == "words" or self.aligner.kind != "awesome-align",
            "consistency.chains",
            self.consistency.chains,
            "words beside the aligner awesome-align, which cuts words into pieces of its own",
        )
