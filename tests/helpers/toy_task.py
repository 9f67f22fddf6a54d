"""A task that only context solves: the first sentence shows a gender, the pronouns of later sentences need it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from helpers.recipes import recipe_in
from helpers.sizes import TRAINED

from docmt.base.artifacts import SCRATCH
from docmt.base.columns import SEGMENTS
from docmt.base.recipe import JOB, Recipe
from docmt.base.tables import write_arrow
from docmt.base.vocabulary import SPECIALS, Vocabulary
from docmt.settings.train import CHANGEABLE
from docmt.supervision.watch import JobOptions
from docmt.training.job import train
from docmt.training.progress import Update
from docmt.training.task import Paths, Score, Sentences

PIECES = ("man", "woman", "it", "he", "she", "1", "2", "3", "4", "5", "6")
VOCABULARY = Vocabulary(SPECIALS + PIECES)
MAN, WOMAN, IT, HE, SHE = VOCABULARY.encode(PIECES[:5])
DIGITS = np.array(VOCABULARY.encode(PIECES[5:]))


def make_document(generator: np.random.Generator, sentences: int = 3) -> tuple[list[list[int]], list[list[int]]]:
    """Source and target sentences; digits are copied, `it` becomes `he` or `she` by the first sentence."""
    gender = int(generator.integers(2))
    source, target = [], []
    for number in range(sentences):
        digits = generator.choice(DIGITS, size=generator.integers(1, 4)).tolist()
        source.append([(MAN, WOMAN)[gender] if number == 0 else IT, *digits])
        target.append([(MAN, WOMAN)[gender] if number == 0 else (HE, SHE)[gender], *digits])
    return source, target


def make_documents(count: int, seed: int) -> list[tuple[list[list[int]], list[list[int]]]]:
    generator = np.random.default_rng(seed)
    return [make_document(generator) for _ in range(count)]


def write_view(path: Path, documents: list, by_sentence: bool = False) -> None:
    """A SEGMENTS table with a segment a document, or one a sentence."""
    rows = []
    for number, (source, target) in enumerate(documents):
        cuts = [[i] for i in range(len(source))] if by_sentence else [list(range(len(source)))]
        for cut in cuts:
            row = {"document": f"d{number}", "first": cut[0]}
            for side, sentences in (("source", source), ("target", target)):
                row[f"{side}_ids"] = [word for i in cut for word in sentences[i]]
                row[f"{side}_lengths"] = [len(sentences[i]) for i in cut]
            rows.append(row)
    write_arrow(path, pa.Table.from_pylist(rows, schema=SEGMENTS))


SMALL_MODEL = {"kind": "g_transformer", **TRAINED, "dropout": 0.1, "combined_layers": 1}
SHORT_TRAINING = {
    "tokens_per_update": 120,
    "batch_tokens": 70,
    "lr": 3e-3,
    "warmup_updates": 5,
    "word_dropout": 0.1,
    "max_updates": 12,
    "patience": None,
    "validate_every_updates": 4,
    "save_every_updates": 3,
}


def open_score() -> Score:
    """Of translations of dev, in the place of BLEU: the share of the references' words that stand where they should."""

    def score(hypotheses: Sequence[Sentences], references: Sequence[Sentences]) -> float:
        pairs = [
            pair for instances in zip(hypotheses, references, strict=True) for pair in zip(*instances, strict=True)
        ]
        right = sum(a == b for hypothesis, reference in pairs for a, b in zip(hypothesis, reference, strict=False))
        return 100 * right / sum(len(reference) for _, reference in pairs)

    return score


@dataclass
class Notes:
    """A listener that keeps what it was told; `each` is called at every update."""

    lines: list[str] = field(default_factory=list)
    steps: list = field(default_factory=list)
    validations: list = field(default_factory=list)
    each: object = None

    def updated(self, step) -> None:
        self.steps.append(step)
        if self.each:
            self.each(step)

    def validated(self, validation) -> None:
        self.validations.append(validation)

    def note(self, text: str) -> None:
        self.lines.append(text)

    def close(self) -> None:
        pass

    def said(self, text: str) -> bool:
        return any(text in line for line in self.lines)


@dataclass(frozen=True)
class Folder:
    """A view, a text and a recipe in a folder, and the real job over them."""

    root: Path
    model: dict
    training: dict
    init: Path | None = None
    hints: dict = field(default_factory=dict)
    seed: int = 1

    @property
    def recipe(self) -> Recipe:
        """The recipe of the training."""
        chains = self.root / "chains"
        inputs = {"view": self.root / "view", "tokens": self.root, "init": self.init}
        inputs = {role: path for role, path in inputs.items() if path} | ({"chains": chains} if chains.is_dir() else {})
        knobs = {f"train.{name}": value for name, value in self.training.items() if name in CHANGEABLE}
        return recipe_in(self.root / "output", "train", self.settings(), inputs, knobs=knobs, **self.hints)

    @property
    def paths(self) -> Paths:
        return Paths.of(self.recipe)

    def settings(self) -> dict[str, Any]:
        run = {"version": 1, "study": "s", "corpus": "toy", "system": "g", "scale": "smoke", "seed": self.seed}
        cut = {"window": None, "max_tokens": 512, "max_sentences": None}
        init_from = None if self.init is None else "sentence"
        started = {"init_from": init_from, "pretrained": None}
        train = {name: value for name, value in self.training.items() if name not in CHANGEABLE}
        return {**run, **started, "view": {"train": cut, "test": cut}, "model": self.model, "train": train}

    def write(self) -> None:
        """Write the recipe."""
        self.recipe.write()

    def train(
        self, notes: Notes | None = None, threads: int = 1, open_score=open_score, end: float = inf, **options: object
    ) -> bool:
        how = JobOptions(**options)
        return train(self.paths, "cpu", threads, notes or Notes(), open_score, how, end=end)

    def changed(self, model: dict | None = None, hints: dict | None = None, **training: object) -> "Folder":
        """The same training with another recipe, which is written; other settings have another folder of outputs."""
        model, training = {**self.model, **(model or {})}, {**self.training, **training}
        other = replace(self, model=model, training=training, hints={**self.hints, **(hints or {})})
        other.write()
        return other

    def outputs(self) -> list[str]:
        """The names of what is in the folder of the outputs beside the recipe."""
        return sorted(path.name for path in self.paths.output.iterdir() if path.name not in (JOB, SCRATCH))

    def weights(self) -> bytes:
        return (self.paths.output / "model" / "model.safetensors").read_bytes()

    def command(self) -> list[str]:
        """The arguments of `docmt` that train it."""
        return ["job", str(self.paths.output), "--threads", "1", "--device", "cpu"]

    def attempts(self) -> int:
        """How many processes have begun the job."""
        return len(list(self.paths.output.glob("log.*.txt")))

    def log(self, attempt: int) -> str:
        """What an attempt has said so far."""
        path = self.paths.output / f"log.{attempt}.txt"
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def record(self) -> dict:
        return json.loads((self.paths.output / "record.json").read_text(encoding="utf-8"))

    def metrics(self) -> list[dict]:
        lines = (self.paths.output / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


def make_folder(root: Path, documents: int = 40, by_sentence: bool = False, init: Path | None = None) -> Folder:
    (root / "text").mkdir(parents=True)
    for side in ("source", "target"):
        VOCABULARY.save(root / "text" / f"vocabulary.{side}.txt")
    write_view(root / "view" / "train.arrow", make_documents(documents, seed=1), by_sentence)
    write_view(root / "view" / "dev.arrow", make_documents(8, seed=2), by_sentence)
    folder = Folder(root, dict(SMALL_MODEL), dict(SHORT_TRAINING), init)
    folder.write()
    return folder


def step(update: int, **changes: object) -> Update:
    """What an update tells of itself."""
    values = {"loss": 30.0, "nll": 20.0, "source_tokens": 40, "target_tokens": 10, "gradient_norm": 2.0, "seconds": 0.5}
    values |= {"counted": 10, "places": 50, "padding": 5, "memory_mib": 100.0 + update}
    return Update(update=update, epoch=1, rates={"lr": 1e-3}, **{**values, **changes})
