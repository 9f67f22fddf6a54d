"""The task of a training: settings and files, and the model, data and optimiser that are built from them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import nn

from docmt.base.artifacts import SCRATCH, as_object
from docmt.base.columns import CONTRASTIVE_SEGMENTS, SEGMENTS, STOP_WORDS, check_segments
from docmt.base.digests import sha256_file
from docmt.base.errors import UserError
from docmt.base.manifest import check_file
from docmt.base.parse import parse
from docmt.base.paths import RESULTS, TOKENS
from docmt.base.recipe import Recipe, model_folder
from docmt.base.tables import read_arrow, read_chains
from docmt.base.vocabulary import Vocabulary
from docmt.models import build, check_chains
from docmt.models.pretrained import Start
from docmt.models.store import WEIGHTS
from docmt.nn.positions import check_positions
from docmt.nn.rows import Rows
from docmt.settings.models import TransformerConfig
from docmt.settings.pretrained import TOKENIZER, check_model, checkpoint_files, tokenizer_file
from docmt.settings.train import TrainConfig
from docmt.training.computing import derived_seed
from docmt.training.optimiser import build_optimiser
from docmt.training.start import SIDES, fill, freeze

Sentences = list[list[int]]
"""Ids of the sentences of an instance, without special symbols."""
Score = Callable[[Sequence[Sentences], Sequence[Sentences]], float]
"""A function that returns a number for the translations of all instances and their references; a higher number is
better. A step passes such a function, since docmt.training does not import docmt.scoring."""
VOCABULARIES = ("vocabulary.source.txt", "vocabulary.target.txt")
"""The vocabulary files of a text."""
TRAINED_ON = ("train.arrow", "dev.arrow")
"""The files that a training reads from the folder of a view, and from the folder of its lexical chains."""

KEYS = ("version", "study", "corpus", "system", "scale", "seed", "init_from", "pretrained", "view", "model", "train")
"""Keys of job.json."""


@dataclass(frozen=True)
class Paths:
    """The files and folders that the job reads, and the folders that it writes.

    `init` is the model of the system that `init_from` names: the output folder of its training, or the model folder in
    it. `pretrained` is the folder of the pretrained checkpoint. Both are None for a training that starts from random
    weights.
    """

    recipe: Recipe
    view: Path
    text: Path
    output: Path
    state: Path
    init: Path | None = None
    chains: Path | None = None
    """The folder of the lexical chains of the view's segments; None where the model reads no chains."""
    pretrained: Path | None = None

    @classmethod
    def of(cls, recipe: Recipe) -> "Paths":
        """Return the files and folders of the job of a recipe."""
        return cls(
            recipe=recipe,
            view=recipe.input("view"),
            text=recipe.input("tokens") / "text",
            output=recipe.folder,
            state=recipe.folder / SCRATCH,
            init=recipe.folder_of("init"),
            chains=recipe.folder_of("chains"),
            pretrained=recipe.folder_of("checkpoint") or recipe.folder_of("pretrained"),
        )

    @property
    def init_model(self) -> Path | None:
        """The model folder of the system that `init_from` names."""
        return self.init and model_folder(self.init)

    def inputs(self) -> dict[str, Path]:
        """Return the files, except for job.json, whose content decides the result, by name."""
        folders = {"view": self.view} | ({"chains": self.chains} if self.chains else {})
        files = {f"{name}/{file}": path / file for name, path in folders.items() for file in TRAINED_ON}
        files |= {f"text/{path.name}": path for path in sorted(self.text.glob("[!.]*")) if path.is_file()}
        if self.pretrained:
            files |= {f"pretrained/{path.name}": path for path in checkpoint_files(self.pretrained)}
        return files | ({"init": self.init_model / WEIGHTS} if self.init_model else {})


@dataclass(frozen=True)
class Settings:
    """The content of job.json, as plain JSON and in typed parts."""

    plain: dict[str, Any]
    model: TransformerConfig = field(repr=False)
    train: TrainConfig = field(repr=False)

    @property
    def seed(self) -> int:
        """The seed that all random choices of the training follow from."""
        return self.plain["seed"]


def read_settings(paths: Paths) -> Settings:
    """Return the settings of a training.

    Raises UserError where a key is missing, a value is not allowed, or the model differs from the checkpoint.
    """
    where = str(paths.recipe.path)
    plain = as_object(paths.recipe.all_settings, where, KEYS)
    model = parse(TransformerConfig, plain["model"], where, ("model",))
    check_chains(model.kind, paths.chains)
    if paths.pretrained:
        checkpoint_files(paths.pretrained)
        check_model(model, paths.pretrained)
    return Settings(plain, model, parse(TrainConfig, plain["train"], where, ("train",)))


def check_text(paths: Paths) -> None:
    """Raise UserError where a vocabulary is missing, or the text is not that of the initial model or checkpoint.

    A changed file of the text is refused too. The model carries these files along: without this check, the copy at the
    end would refuse them, after the whole training.
    """
    carried = [*sorted(paths.text.glob("[!.]*")), *([paths.chains / STOP_WORDS] if paths.chains else [])]
    for file in filter(Path.is_file, carried):
        check_file(file)
    for name in VOCABULARIES:
        vocabulary, initial = paths.text / name, paths.init_model / "text" / name if paths.init_model else None
        if not vocabulary.is_file():
            raise UserError(
                "file not found",
                where=str(vocabulary),
                remedy=f"the text is the folder text/ of an artifact in {RESULTS}/{TOKENS.stage}",
            )
        if initial and initial.is_file() and sha256_file(initial) != sha256_file(vocabulary):
            raise UserError(
                "the initial model was trained with another vocabulary",
                where=str(initial),
                expected=f"equal to {vocabulary}",
                remedy="give the system the text of the one that it starts from",
            )
    if paths.pretrained:
        check_pieces(paths.text, paths.pretrained)


def check_pieces(text: Path, checkpoint: Path) -> None:
    """Raise UserError where the pieces of the text do not come from the tokenizer of the checkpoint."""
    tokenizer, expected_tokenizer = text / TOKENIZER, tokenizer_file(checkpoint)
    if not tokenizer.is_file() or sha256_file(tokenizer) != sha256_file(expected_tokenizer):
        raise UserError(
            "the text does not have the pieces of the pretrained checkpoint",
            where=str(text),
            found=f"another {TOKENIZER}" if tokenizer.is_file() else f"no {TOKENIZER}",
            expected=f"that of {checkpoint}",
            remedy=f"give the system a text with pretrained: {checkpoint}",
        )


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
    """The parameters that are transferred, and the parameters that are new."""
    frozen: Sequence[str] = ()
    """Names of the parameters that are not trained."""
    score: Score | None = None
    """The function that scores translations of the dev set; None where the rules use the loss of the dev set."""


def prepare(
    paths: Paths, settings: Settings, device: torch.device, open_score: Callable[[], Score] | None = None
) -> Task:
    """Build the model, read the data, and return the task.

    `open_score` is called where BLEU of the dev set selects validations (`select_by: bleu`). Raises UserError where the
    files do not fit the settings or each other.
    """
    train = settings.train
    score = open_score() if train.select_by == "bleu" else None
    model = build_model(paths, settings)
    rows = read_rows(paths, "train", model, train.batch_tokens)
    dev = read_rows(paths, "dev", model)
    check_test(paths, model)
    start = fill(model, paths.text, paths.init_model, paths.pretrained)
    frozen = freeze(model, train.frozen, start)
    model.to(device)
    # The optimiser is built after the move, since its state is on the device of the parameters.
    optimiser = build_optimiser(model, train, start.transferred)
    return Task(model, optimiser, train, rows, dev, settings.seed, device, start, frozen, score)


def build_model(paths: Paths, settings: Settings) -> nn.Module:
    """Return the model with the random weights of its seed.

    Raises UserError where the model does not fit the vocabularies.
    """
    sizes = [len(Vocabulary.load(paths.text / name)) for name in VOCABULARIES]
    torch.manual_seed(derived_seed(settings.seed, "weights"))
    return build(settings.model, *sizes)


def read_rows(paths: Paths, split: str, model: nn.Module, batch_tokens: int | None = None) -> Rows:
    """Return the segments of a split, with their lexical chains where there are any.

    Raises UserError where there is no segment, for ids that the vocabularies of `model` lack, for chains of another
    view, for a segment that is longer than the model's table of positions and, where `batch_tokens` is given, for a
    segment of more than `batch_tokens` target tokens.
    """
    path = paths.view / f"{split}.arrow"
    table = read_arrow(path, SEGMENTS)
    if not table.num_rows:
        raise UserError("no segments", where=str(path), expected="at least one")
    check_segments(path, table, {"source": model.source_size, "target": model.target_size})
    chains = read_chains(paths.chains / path.name, table) if paths.chains else None
    rows = Rows.from_table(table, chains)
    check_positions(path, table, [model.config.learned_positions])
    if batch_tokens is not None:
        check_lengths(rows.target_tokens, table["document"], batch_tokens, str(path))
    return rows


def check_lengths(lengths: np.ndarray, documents: pa.ChunkedArray, batch_tokens: int, where: str) -> None:
    """Raise UserError for the longest instance, if it has more than `batch_tokens` target tokens."""
    longest = int(lengths.argmax())
    if lengths[longest] > batch_tokens:
        raise UserError(
            f"a segment of document {documents[longest].as_py()!r} is longer than a batch",
            where=where,
            found=f"{lengths[longest]} target tokens",
            expected=f"at most train.batch_tokens = {batch_tokens}",
            remedy="raise train.batch_tokens, or cut documents smaller (view: max_tokens)",
        )


def check_test(paths: Paths, model: nn.Module) -> None:
    """Raise UserError where the trained model could not read a test segment or a contrastive variant of its view.

    Only a learned table of positions has a limit. References are not read, so that the target of test is not checked.
    """
    positions = model.config.learned_positions
    if positions is None:
        return
    for name, schema, sides in (("test", SEGMENTS, SIDES[:1]), ("contrastive", CONTRASTIVE_SEGMENTS, SIDES)):
        path = paths.view / f"{name}.arrow"
        if path.exists():
            check_positions(path, read_arrow(path, schema), [positions], sides)
