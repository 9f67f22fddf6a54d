"""A score is a row: one form for all scores, in files of runs, in pages, in the Python API and on the command line."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from docmt.base.foreign import reading

if TYPE_CHECKING:
    import pyarrow as pa

# What is scored: the translations of a run or, by a metric that compares with no other text, the reference.
Scored = Literal["translations", "reference"]

DOCUMENT = "@document."  # The start of the group of a score of a single document.


@dataclass(frozen=True)
class Score:
    """A score of a text by a metric, over the test set or a group of it.

    `metric` and `group` together are the `name` that tables use, such as `s-BLEU`, `s-BLEU@j2`, `s-BLEU@length.1-10`,
    `accuracy:pronoun@3`, `LTCR:overlap` or `d-BLEU@document.talk1`; `group` is empty for the whole test set. `low` and
    `high` are the ends of the confidence interval, and `interval` is its signature; all three are None without one. `n`
    is the number of units that the score is over, such as sentences, contrastive items or pairs of words. `facts` are
    further numbers by name, such as `ties` or `brevity_penalty`.
    """

    metric: str
    group: str
    value: float
    signature: str
    low: float | None = None
    high: float | None = None
    interval: str | None = None
    n: int | None = None
    facts: Mapping[str, float] = field(default_factory=dict)
    text: Scored = "translations"

    @property
    def name(self) -> str:
        """The name of the score in tables."""
        return self.metric + self.group


FIELDS = tuple(column.name for column in fields(Score))


def table_of(scores: Iterable[Score], **run: Any) -> "pa.Table":
    """Return scores as a table with the columns SCORES; `run` has the corpus, the system and the seed."""
    # Planning knows metrics, and should not wait for the libraries of tables: hence the imports here and below.
    import pyarrow as pa

    from docmt.base.columns import SCORES

    rows = [{**run, **vars(score), "facts": list(score.facts.items())} for score in scores]
    return pa.Table.from_pylist(rows, schema=SCORES)


def read_scores(path: Path, *, of_documents: bool = False) -> list[Score]:
    """Read the scores of a run: those of single documents, or all others.

    Raises UserError where the file is missing, damaged, or another table.
    """
    import pyarrow.compute as pc

    from docmt.base.columns import SCORES
    from docmt.base.tables import read_parquet

    table = read_parquet(path, SCORES)
    with reading(path, "not the scores of a system", "what the step scores writes"):
        chosen = pc.starts_with(table["group"], DOCUMENT)
        rows = table.filter(chosen if of_documents else pc.invert(chosen)).select(FIELDS).to_pylist()
        for row in rows:
            if None in (row["metric"], row["group"], row["value"], row["signature"]):
                raise ValueError(f"{row['metric']}: a score without its number or its signature")
        return [Score(**{**row, "facts": dict(row["facts"] or ())}) for row in rows]
