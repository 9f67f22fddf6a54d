"""Contrastive scoring: how often a model gives the right variant of an item a higher score than every wrong one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docmt.api.corpora import newest
from docmt.base.columns import CONTRASTIVE
from docmt.base.errors import UserError, check_known
from docmt.base.scores import Score
from docmt.base.tables import read_parquet
from docmt.corpus.inputs import ContrastiveItem
from docmt.corpus.opening import contrastive_forms, read_sets
from docmt.decoding.translator import Progress, quiet
from docmt.scoring.contrastive import Judgement, accuracy_scores, accuracy_tallies, judge_items
from docmt.settings.metrics import parse_metric
from docmt.settings.scoring import ContrastiveConfig
from docmt.trained.model import TrainedModel, forced_scores

# The fields of a contrastive item that are columns of contrastive.parquet.
ITEM_FIELDS = ("set", "distance", "source", "target_context", "variants", "correct")


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
    batch_tokens: int | None,
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


def contrastive_scores(judgements: Sequence[Judgement], config: ContrastiveConfig) -> list[Score]:
    """Return the accuracy of all items, of each set and of each joined set, also by distance where there are several.

    A set that is the only one has no accuracy of all items beside it.
    """
    scores = accuracy_scores(judgements, accuracy_tallies(judgements, config))
    names, sets = [parse_metric(score.name) for score in scores], {judgement.set for judgement in judgements}
    distances = Counter(name.set for name in names if name.detail is not None)
    return [
        score
        for score, name in zip(scores, names, strict=True)
        if (name.set or len(sets) > 1) and (name.detail is None or distances[name.set] > 1)
    ]
