"""What is trained, on what, and how: built from the settings and the files that they go with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from docmt.base.columns import SEGMENTS, check_chains, check_segments, read_arrow, read_chains
from docmt.base.errors import UserError
from docmt.base.vocabulary import Vocabulary
from docmt.models import build
from docmt.models.pretrained import Start
from docmt.nn.rows import Rows
from docmt.settings.train import TrainConfig
from docmt.training.batches import check_lengths, target_tokens
from docmt.training.computing import derived_seed
from docmt.training.optimiser import build_optimiser
from docmt.training.settings import VOCABULARIES, Paths, Settings
from docmt.training.start import fill, freeze
from docmt.training.validate import Score


@dataclass(frozen=True)
class Task:
    """A training before its first update."""

    model: nn.Module
    optimiser: torch.optim.Optimizer
    train: TrainConfig
    rows: Rows
    dev: Rows
    seed: int
    device: torch.device
    start: Start
    frozen: Sequence[str] = ()
    """Names of the parameters that are not trained."""
    score: Score | None = None
    """Of translations of the dev set, where the rules go by it."""


def prepare(
    paths: Paths, settings: Settings, device: torch.device, open_score: Callable[[], Score] | None = None
) -> Task:
    """`open_score` is called where a score of dev decides (`select_by: bleu`).

    Raises UserError where the files do not fit the settings or each other.
    """
    train = settings.train
    score = open_score() if train.select_by == "bleu" else None
    model = build_model(paths, settings)
    rows = read_rows(paths, "train", model, train.batch_tokens)
    dev = read_rows(paths, "dev", model)
    start = fill(model, paths)
    frozen = freeze(model, train.frozen, start)
    model.to(device)
    optimiser = build_optimiser(model, train, start.taken)
    return Task(model, optimiser, train, rows, dev, settings.seed, device, start, frozen, score)


def build_model(paths: Paths, settings: Settings) -> nn.Module:
    """The model as its seed makes it. Raises UserError where it does not fit the vocabularies."""
    sizes = [len(Vocabulary.load(paths.text / name)) for name in VOCABULARIES]
    torch.manual_seed(derived_seed(settings.seed, "weights"))
    return build(settings.model, *sizes)


def read_rows(paths: Paths, split: str, model: nn.Module, batch_tokens: int | None = None) -> Rows:
    """A split's segments, with their chains where they are given.

    Raises UserError where there is no segment or, given a budget, where one is longer, for ids that the vocabularies
    of `model` do not have, and for chains of another view.
    """
    path = paths.view / f"{split}.arrow"
    table = read_arrow(path, SEGMENTS)
    if not table.num_rows:
        raise UserError("no segments", where=str(path), expected="at least one")
    check_segments(path, table, {"source": model.source_size, "target": model.target_size})
    chains = None
    if paths.chains:
        chains = read_chains(paths.chains / f"{split}.arrow", len(table))
        check_chains(paths.chains / f"{split}.arrow", chains, table)
    rows = Rows.from_table(table, chains)
    if batch_tokens is not None:
        check_lengths(target_tokens(rows), table["document"], batch_tokens, str(path))
    return rows
