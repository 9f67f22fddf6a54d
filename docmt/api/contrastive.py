"""Contrastive scoring: how often a model gives the right variant of an item a higher score than every wrong one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from docmt.api.corpora import newest
from docmt.base.columns import CONTRASTIVE
from docmt.base.errors import UserError, check_known
from docmt.base.tables import read_parquet
from docmt.corpus.inputs import ContrastiveItem
from docmt.corpus.opening import contrastive_forms, read_sets
from docmt.decoding.translator import Progress, quiet
from docmt.scoring.contrastive import Judgement, accuracies, group_with_totals, judge_items
from docmt.settings.scoring import ContrastiveConfig
from docmt.trained.model import TrainedModel, forced_scores

ITEM_FIELDS = ("set", "distance", "source", "target_context", "variants", "correct")
"""The fields of a contrastive item that are columns of contrastive.parquet."""


@dataclass(frozen=True)
class ContrastiveScore:
    """The accuracy of a model on a contrastive set, on joined sets, or on all sets together.

    `accuracy` and `chance` are fractions from 0 to 1. `distance` is the number of sentences from the deciding sentence
    to the judged sentence, or None for all distances together. `ties` is the number of items whose right variant has
    the same score as the best wrong variant; a tie counts as wrong.
    """

    set: str
    distance: int | None
    accuracy: float
    chance: float
    items: int
    variants: int
    right: int
    ties: int
    signature: str


def read_contrastive(
    path: str | Path,
    form: str = "table",
    *,
    languages: tuple[str, str] = ("en", "ru"),
    options: Mapping[str, Any] | None = None,
) -> list[ContrastiveItem]:
    """Read a contrastive set from a file, or from the folder of a corpus (results/1_corpus/<corpus>).

    `form` is `table` (TSV: item, source, target, correct[, set, distance]; sentences joined by ` _eos `), `voita`,
    `discevalmt` or `contrapro` (JSON as their authors publish it), or `lines` (the target lines of the large set of
    pronouns English-French; its other files are beside them). `options` are the settings of the form, as in corpus
    files. `languages` are the codes of source and target. Raises UserError where the file is missing or does not have
    the form.

    >>> import docmt
    >>> items = docmt.read_contrastive("items.tsv", languages=("zh", "en"))
    >>> items[0].source[-1], items[0].variants[items[0].correct]
    ('她很高兴。', 'She is happy.')
    """
    path = Path(path)
    if path.is_dir():
        path = newest(path) / "contrastive.parquet"
    if path.suffix == ".parquet":
        return [
            ContrastiveItem(**{name: _plain(row[name]) for name in ITEM_FIELDS})
            for row in read_parquet(path, CONTRASTIVE).to_pylist()
        ]
    forms = contrastive_forms()
    check_known("form of contrastive sets", form, forms)
    return read_sets([path], forms[form], options or {}, languages)


def _plain(value: Any) -> Any:
    """Return a list as a tuple, which items have, and any other value unchanged."""
    return tuple(value) if isinstance(value, list) else value


def judgements_of(
    model: TrainedModel,
    items: Sequence[ContrastiveItem],
    config: ContrastiveConfig,
    batch_tokens: int,
    progress: Progress = quiet,
    where: str = "items",
) -> list[Judgement]:
    """Return whether the model prefers the right variant, for each item; `where` names the items in messages.

    Raises UserError for an item without exactly one right variant.
    """
    if not items:
        raise UserError("no contrastive items", where=where)
    table = forced_scores(model, items, where, batch_tokens, config.unit == "target", progress)
    return judge_items(table, config, where)


def contrastive_scores(judgements: Sequence[Judgement], signature: str) -> list[ContrastiveScore]:
    """Return the accuracy of each set, of each joined set (`group_with_totals`) and of all sets, also by distance."""
    scores = []
    for name, members in group_with_totals(judgements).items():
        record = accuracies(replace(judgement, set=name) for judgement in members)[name]
        by_distance = record["by_distance"]
        parts = {None: record, **(by_distance if len(by_distance) > 1 else {})}
        for distance, part in parts.items():
            numbers = {key: part[key] for key in ("accuracy", "chance", "items", "variants", "right", "ties")}
            distance_number = None if distance is None else int(distance)
            scores.append(ContrastiveScore(name, distance_number, **numbers, signature=signature))
    return scores
