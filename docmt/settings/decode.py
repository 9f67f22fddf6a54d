"""The settings of decoding."""

from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import Checked, at_least, beam, count_or_none, need, setting, up_to, whole

# The names of the length penalties, which divide the log-probability of a hypothesis.
LengthPenalty = Literal["average", "gnmt", "unified_dnmt", "none"]

# The names of the programs that search: docmt's own beam search, and CTranslate2.
Engine = Literal["docmt", "ctranslate2"]

# The description of the engine, in settings and of the option of commands.
ENGINE = "program that searches: docmt, or ctranslate2 for sentence models (an extra to install), proven on the model"


@dataclass(frozen=True)
class DecodeConfig(Checked):
    """The settings of stage 6, beam search.

    The decoding strategy is not a setting: it depends on the model's frame and on the test view.
    """

    beam: int = setting(5, "number of hypotheses kept for each segment; 1 is greedy", beam)
    length_penalty: LengthPenalty = setting(
        "average",
        "score / length^alpha, score / ((5 + length) / 6)^alpha, score / (5 + length / 6)^alpha (the code of "
        "unified-dnmt), or the plain sum of log-probabilities",
    )
    length_alpha: float = setting(1.0, "alpha of the length penalty", up_to(100))
    max_length_a: float = setting(
        1.2, "longest translation of a sentence, in pieces: a * source pieces + b", up_to(1000)
    )
    max_length_b: int = setting(10, "see max_length_a", whole(1, 1_000_000))
    max_length_of: Literal["sentence", "batch"] = setting(
        "sentence",
        "source pieces that a counts: the sentence's own, or those of its batch's longest sentence, as in fairseq"
        " (results then depend on batch_tokens)",
    )
    n_best: int = setting(
        0,
        "number of hypotheses of each search that are written, with scores, to test.nbest.tsv; 0 = no such file",
        at_least(0, ", and at most the beam"),
    )
    batch_tokens: int | None = setting(
        None,
        "source tokens decoded at once (memory and speed, not results); none = as many as the memory of a GPU allows; "
        "4,096 on a CPU, and where batches decide the longest translation (max_length_of)",
        count_or_none,
    )
    engine: Engine = setting("docmt", ENGINE)

    def __post_init__(self) -> None:
        """Check that the n-best list is no longer than the beam."""
        super().__post_init__()
        need(self.n_best <= self.beam, "n_best", self.n_best, f"0 to {self.beam}, the beam")
