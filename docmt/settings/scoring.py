"""The settings of scoring: `scoring` of config.yaml and of studies.

After a change of these settings the workflow computes scores again, but trains no translation model and translates no
text again.
"""

from dataclasses import dataclass, field, fields, make_dataclass, replace
from typing import Any, Literal

from docmt.base.checks import (
    MOST,
    Checked,
    above_0,
    all_of,
    count,
    each_key,
    each_value,
    in_schema,
    need,
    need_language,
    need_path,
    section,
    setting,
    whole,
)
from docmt.base.names import LONGEST_NAME, NAME, NAMES_HAVE, is_name
from docmt.settings.comet import COMET_ENCODER, COMET_MODEL, CometConfig

# The parts of `scoring` that name files without which metrics are not computed; stop lists belong to the aligner.
ScoringPart = Literal["aligner", "coherence", "cohesion", "comet"]

MODEL = "a pretrained model"  # What messages call the folder of a checkpoint that settings of scoring name.

# The settings that differ between languages, with the side of a corpus whose language counts.
BY_LANGUAGE = {"source_stop_lists": "source", "target_stop_lists": "target", "vectors": "target", "models": "target"}

# The value in the place of a file of word vectors: docmt then trains word vectors on the training split.
TRAINED = "trained"


def by_language(about: str) -> Any:
    """Declare a setting that may differ between languages: a mapping from language codes, such as en, to paths."""
    return section(dict, about, all_of(each_key(need_language), each_value(need_path)))


@in_schema(propertyNames={"pattern": f"^{NAME.pattern}$", "maxLength": LONGEST_NAME})
def need_names(name: str, value: dict[str, Any]) -> None:
    """Raise BadValue for a name of a convention that cannot be a part of a metric's name."""
    for convention in value:
        need(is_name(convention) and "@" not in convention, f"{name}.{convention}", convention, NAMES_HAVE)


@dataclass(frozen=True)
class ConsistencyConfig(Checked):
    """The settings of LTCR and HHI: the choices that papers leave open, or in which their authors' programs differ."""

    chains: Literal["words", "pieces"] = setting(
        "words", "unit that a chain repeats: a source word, or the n-th piece of a word (n = 1, 2, ...)"
    )
    source_case: Literal["keep", "lower"] = setting(
        "keep", "keep: words that differ only in case are different chains; lower: they are one chain"
    )
    source_punctuation: bool = setting(True, "whether words without a letter or a digit form chains too")
    source_stop_words: int | None = setting(
        None,
        "number of the most frequent source words of training that form no chain; none = the corpus' stop_words",
        whole(0, MOST, ", or none"),
    )
    source_stop_lists: dict[str, str] = by_language("by language, a file with such words instead, one on each line")
    target_case: Literal["lower", "keep"] = setting(
        "lower", "lower: translations that differ only in case agree; keep: they do not"
    )
    target_punctuation: bool = setting(False, "whether words without a letter or a digit are part of a translation")
    target_stop_words: int | None = setting(
        None,
        "number of the most frequent target words of training that are no part of a translation; none = the "
        "corpus' target_stop_words",
        whole(0, MOST, ", or none"),
    )
    target_stop_lists: dict[str, str] = by_language("by language, a file with such words instead, one on each line")
    only_stop_words: Literal["kept", "unaligned"] = setting(
        "kept",
        "a translation of stop words alone. kept: they are the translation; unaligned: the word has no translation",
    )
    reverse_links: bool = setting(
        True, "where no target word is linked to a source word, use the link in the other direction, if any"
    )
    unaligned: Literal["own", "skip", "empty"] = setting(
        "own",
        "an occurrence without a translation. own: it agrees with no other; skip: it is left out; empty: it "
        "agrees with other occurrences without a translation",
    )
    match: Literal["exact", "subset", "overlap", "contained", "fuzzy"] = setting(
        "exact",
        "when two translations agree. exact: same words in order; subset: words of one are words of the other; "
        "overlap: a word in common; contained: text of one in that of the other (DelTA's fuzzy match); fuzzy: at "
        "least `similarity`",
    )
    similarity: float = setting(
        0.8,
        "smallest 1 - edit distance in characters / characters of the longer translation (match: fuzzy)",
        above_0(1),
    )
    pairs: Literal["all", "first"] = setting(
        "all", "LTCR: all pairs of a chain's translations, or each with the first one (LTCR-1)"
    )
    average: Literal["micro", "macro"] = setting(
        "micro",
        "micro: a chain has the weight of its number of pairs (LTCR) or translations (HHI, eq. 26); macro: all "
        "chains have the same weight",
    )

    def of_corpus(self, languages: tuple[str, str], stop_words: tuple[int, int]) -> "ConsistencyConfig":
        """Return these settings with the stop words of a corpus filled in.

        `languages` and `stop_words` each have the value of the source, then that of the target. A side whose language
        has a file of stop words gets this file and the number 0. A side without a file gets the number that these
        settings state or, where they state none, the number of the corpus.
        """
        changes: dict[str, Any] = {}
        for side, language, number in zip(("source", "target"), languages, stop_words, strict=True):
            files, stated = getattr(self, f"{side}_stop_lists"), getattr(self, f"{side}_stop_words")
            has_file = language in files
            changes[f"{side}_stop_lists"] = {language: files[language]} if has_file else {}
            changes[f"{side}_stop_words"] = 0 if has_file else number if stated is None else stated
        return replace(self, **changes)


# The settings of `ConsistencyConfig` that all conventions share: they decide which texts are aligned and read.
OF_CHAINS = ("chains", "source_stop_lists", "target_stop_lists")

# A convention of LTCR and HHI: settings that replace those of `consistency`; none = as `consistency` has it.
ConventionConfig = make_dataclass(
    "ConventionConfig",
    [
        (declared.name, declared.type | None, field(default=None, metadata=declared.metadata))
        for declared in fields(ConsistencyConfig)
        if declared.name not in OF_CHAINS
    ],
    bases=(Checked,),
    frozen=True,
    namespace={"__module__": __name__},
)


def with_convention(config: ConsistencyConfig, convention: Any) -> ConsistencyConfig:
    """Return settings of consistency with those that a `ConventionConfig` states.

    A stated number of stop words replaces a list of stop words too.
    """
    stated = {name: value for name, value in vars(convention).items() if value is not None}
    lists = {f"{side}_stop_lists": {} for side in ("source", "target") if f"{side}_stop_words" in stated}
    return replace(config, **stated, **lists)


AlignerName = Literal["default", "eflomal", "awesome-align"]  # The names of the word aligners.


@dataclass(frozen=True)
class AlignerConfig:
    """The settings of the word aligner, which finds the translations of lexical chains' words for LTCR and HHI."""

    kind: AlignerName = setting(
        "default",
        "default: the aligner of docmt, trained on the training split, needs no weights; eflomal (no two runs are"
        " the same; an extra to install) or awesome-align (with a model)",
    )
    model: str | None = setting(
        None, "model of awesome-align: a folder with config.json, vocab.txt, tokenizer_config.json, pytorch_model.bin"
    )

    def __post_init__(self) -> None:
        """Check that awesome-align has a model and that other aligners have none."""
        if self.kind == "awesome-align":
            need(self.model is not None, "model", self.model, "the folder of a model, for awesome-align")
            need_path("model", self.model)
        else:
            need(self.model is None, "model", self.model, f"none for the aligner {self.kind}")


@dataclass(frozen=True)
class WordVectorsConfig(Checked):
    """The settings of word2vec, with the defaults of its authors' tool.

    The paper on lexical chains states only the 100 dimensions.
    """

    dimensions: int = setting(100, "numbers in a word's vector", whole(1, 100_000))
    architecture: Literal["cbow", "skipgram"] = setting(
        "cbow", "architecture of word2vec: continuous bag of words, or skip-gram"
    )
    window: int = setting(5, "largest number of context words on each side", whole(1, 1_000))
    minimum_count: int = setting(5, "words that occur less often have no vector", count)
    negative: int = setting(5, "negative samples for each word", whole(1, 1_000))
    epochs: int = setting(5, "passes over the text", whole(1, 10_000))
    case: Literal["lower", "keep"] = setting("lower", "whether words are lower-cased first")
    seed: int = setting(1, "seed of the random start", whole(0, 2**32 - 1))  # a seed of gensim has 32 bits


@dataclass(frozen=True)
class CoherenceConfig(WordVectorsConfig):
    """The settings of coherence (lexical chains, eq. 23), and of the word vectors that are trained for it."""

    vectors: dict[str, str] = by_language(
        "by target language, a file of word vectors (word2vec's text form), or `trained` on the training split; "
        "other languages have no coherence"
    )


@dataclass(frozen=True)
class CohesionConfig(Checked):
    """The settings of cohesion (lexical chains, eq. 24)."""

    models: dict[str, str] = by_language(
        "by target language, the folder of a BERT that predicts next sentences; other languages have no cohesion"
    )
    batch_pairs: int = setting(
        32, "pairs of sentences computed at once (memory and speed, not results)", whole(1, 1_000_000)
    )


@dataclass(frozen=True)
class ContrastiveConfig:
    """The settings of accuracy on contrastive sets.

    A tie of the right variant with the best wrong variant counts as a wrong answer; the number of ties is reported.
    """

    score: Literal["sum", "mean"] = setting(
        "sum", "score of a variant: the sum of its log-probabilities, or their mean; ends of sentences count"
    )
    unit: Literal["last", "target"] = setting("last", "sum or mean over the last sentence, or over the whole target")


@dataclass(frozen=True)
class CxmiConfig(Checked):
    """The settings of CXMI (Fernandes et al. 2021), for the systems whose training instances have several sentences."""

    context: int | None = setting(
        None,
        "k: the most sentences before each one that a model reads, fewer where its training had fewer; none = no CXMI",
        whole(1, 1_000, ", or none"),
    )


@dataclass(frozen=True)
class ScoringConfig(Checked):
    """The schema of `scoring` of config.yaml, and with the values of config.yaml below it that of studies."""

    consistency: ConsistencyConfig = section(ConsistencyConfig, "LTCR and HHI; each choice is part of their signatures")
    aligner: AlignerConfig = section(
        AlignerConfig,
        "finds the translations of lexical chains' words, for LTCR and HHI; part of their signatures",
    )
    coherence: CoherenceConfig = section(CoherenceConfig, "cosine of adjacent sentences (Lyu et al. 2022, eq. 23)")
    cohesion: CohesionConfig = section(CohesionConfig, "probability of each sentence as the next one (eq. 24)")
    comet: CometConfig = section(
        CometConfig,
        "COMET and doc-COMET (Rei et al. 2020, Vernikos et al. 2022), by a program in an environment of its own"
        " (docs/how-to/score-with-comet.md)",
    )
    contrastive: ContrastiveConfig = section(ContrastiveConfig, "accuracy on contrastive sets")
    cxmi: CxmiConfig = section(CxmiConfig, "CXMI: how much more probable context makes the reference")
    conventions: dict[str, ConventionConfig] = section(
        dict,
        "other conventions of LTCR and HHI by name, each with the settings of consistency that it changes; tables show "
        "them as LTCR:name",
        need_names,
    )

    @property
    def paths(self) -> dict[str, str]:
        """What each file or folder is that the settings name, by its path."""
        vectors = [path for path in self.coherence.vectors.values() if path != TRAINED]
        models = [*self.cohesion.models.values(), self.aligner.model]
        lists = [*self.consistency.source_stop_lists.values(), *self.consistency.target_stop_lists.values()]
        kinds = {"a list of stop words": lists, "word vectors": vectors, MODEL: models}
        kinds |= {COMET_MODEL: [self.comet.model], COMET_ENCODER: [self.comet.encoder]}
        return {path: what for what, paths in kinds.items() for path in paths if path is not None}

    def __post_init__(self) -> None:
        """Check that the aligner fits the unit of lexical chains."""
        super().__post_init__()
        need(
            self.consistency.chains == "words" or self.aligner.kind != "awesome-align",
            "consistency.chains",
            self.consistency.chains,
            "words beside the aligner awesome-align, which cuts words into pieces of its own",
        )
