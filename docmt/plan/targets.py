"""The targets of snakemake: whether each exists, its missing trainings, and an estimate of their time and disk space.

Estimates are rough. They count the operations of matrix products alone: 6 per parameter and token (forward and
backward), without attention between tokens. For a training that ends by patience, EPOCHS passes are assumed; a corpus
of unknown size has no estimate. Parameters are those of a Transformer, without the parts that an architecture adds.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal

from docmt.base.artifacts import read_object_if_there
from docmt.base.foreign import reading
from docmt.base.paths import SCORES, TOKENS, TRAINING
from docmt.catalogue.missing import left_out
from docmt.catalogue.published import stated
from docmt.plan.grid import Grid
from docmt.plan.items import card_of, item_corpora, item_entries, page_of, run_folder
from docmt.settings.system import Entry, SystemConfig

EPOCHS = 40
"""Assumed number of passes over the training data, for a training that only patience ends."""
PIECES = 28
"""Assumed number of target pieces per sentence, symbols included, where stage 2 has not counted them."""
VOCABULARY = 30_000
"""Assumed number of pieces of a pretrained tokenizer in the training data, where stage 2 has not counted them."""
FILLED = 0.8
"""Assumed average length of an instance, as a share of the largest (G-Transformer, Table 1: 320 to 436 of 512)."""

SPEEDS = {"cuda": 2e13, "cpu": 5e10}
"""Operations per second, by device, where no training has been measured: guesses for one GPU and for two cores."""
BYTES = 4
"""Bytes of a number on disk."""

UNCOUNTED = {"train": {"target": {"pieces": 0}}}
"""The splits of a card that does not exist."""


@dataclass(frozen=True)
class TrainingPlan:
    """The trainings of a target: their number, the number of missing ones, and the cost of the missing ones.

    `hours`: hours of one device; none where the size of a corpus is unknown. `bytes`: disk space.
    """

    trainings: int
    missing: int
    hours: float | None
    bytes: int


class Estimates:
    """Estimates from a grid and the files that its folder of results has so far."""

    def __init__(self, grid: Grid, results: Path) -> None:
        """Measure the speed of the trainings under `results` that have ended, if there are any."""
        self.grid, self.results = grid, results
        self.is_measured = False
        self.speed = self._speed()

    def plan(self, entries: Iterable[Entry]) -> TrainingPlan:
        """Return the trainings of all seeds of these systems, and of the models that they start from, each once."""
        needed = {
            (start.corpus, start.trained, seed): start
            for entry in entries
            for seed in entry.seeds
            for start in self.grid.starts(entry)
        }
        # A training is done when it has written its record, the last of its files.
        missing = [start for key, start in needed.items() if not self._record(*key).exists()]
        operations = [self.operations(entry) for entry in missing]
        hours = None if None in operations else sum(operations) / self.speed / 3600
        size = sum(self.parameters(e.system, e.corpus) * BYTES * _copies(e.system) for e in missing)
        return TrainingPlan(len(needed), len(missing), hours, size)

    def operations(self, entry: Entry) -> float | None:
        """Return the number of operations of a whole training; none where the size of the corpus is unknown."""
        train = entry.system.train
        updates = train.max_updates
        if updates is None:
            epoch = self._epoch_tokens(entry)
            if epoch is None:
                return None
            # At least one update per pass, also where the data is smaller than a batch.
            updates = (train.max_epochs or EPOCHS) * max(epoch // train.tokens_per_update, 1)
        return 6.0 * self._working(entry.system, entry.corpus) * updates * train.tokens_per_update

    def parameters(self, system: SystemConfig, corpus: str) -> int:
        """Return the number of parameters of the Transformer, with its tables of embeddings."""
        source, target = self._vocabulary(system, corpus)
        tables = {"shared": target, "target": source + target, "separate": source + 2 * target}
        return _layers(system) + system.model.width * tables[system.model.embeddings]

    def _working(self, system: SystemConfig, corpus: str) -> int:
        """Return the number of parameters that each token is multiplied with: layers, and the table of the output."""
        return _layers(system) + system.model.width * self._vocabulary(system, corpus)[1]

    def _record(self, corpus: str, folder: str, seed: int) -> Path:
        """Return the path of the record that a training writes at its end."""
        names = {"scale": self.grid.scale, "corpus": corpus, "system": folder, "seed": seed}
        return TRAINING.under(self.results, **names) / "record.json"

    def _card(self, corpus: str, text: str) -> dict[str, Any]:
        """Return the card that stage 2 wrote for a text, empty where there is none.

        Raises UserError for a file that is no such card.
        """
        path = TOKENS.under(self.results, corpus=self.grid.data_folder(corpus), text=text) / "card.json"
        card = read_object_if_there(path) or {}
        with reading(path, "not the card of a text", "what `docmt job tokenise-corpus` writes"):
            _number(card.get("splits", UNCOUNTED)["train"]["target"]["pieces"])
            for size in card.get("vocabulary", {}).values():
                _number(size)
        return card

    def _vocabulary(self, system: SystemConfig, corpus: str) -> tuple[int, int]:
        """Return the sizes of the source and the target vocabulary, guessed where stage 2 has not run."""
        text = self.grid.texts[system.text]
        known = self._card(corpus, system.text).get("vocabulary", {})
        guess = VOCABULARY if text.pretrained else text.merges
        return known.get("source", guess), known.get("target", guess)

    def _epoch_tokens(self, entry: Entry) -> int | None:
        """Return the number of target tokens of a pass over the training data; none where it is unknown."""
        cut = entry.system.view.train
        if cut.sample is not None and cut.max_tokens is not None:
            return int(cut.sample * cut.max_tokens * FILLED)
        card = self._card(entry.corpus, entry.system.text)
        if card:
            tokens = card["splits"]["train"]["target"]["pieces"]
        else:
            sentences = self._sentences(entry.corpus)
            tokens = None if sentences is None else sentences * PIECES
        # Windows overlap: each sentence is in as many of them as a window has sentences.
        return None if tokens is None else tokens * (cut.window or 1)

    def _sentences(self, corpus: str) -> int | None:
        """Return the number of training sentences that the catalogue or a paper states; none where neither does."""
        config = self.grid.corpus_at_scale(corpus)
        if "train" in config.expected:
            return config.expected["train"].sentences
        printed = [counts.counts["train"].sentences for counts in config.published if "train" in counts.counts]
        return next((int(stated(number).value) for number in printed if number is not None), None)

    def _speed(self) -> float:
        """Return the operations per second: the median of the trainings of this scale, or a guess without any."""
        speeds = []
        for entry in self.grid.entries:
            for seed in entry.seeds:
                path = self._record(entry.corpus, entry.trained, seed)
                record = read_object_if_there(path) or {}
                with reading(path, "not the record of a training", "what `docmt job train-system` writes"):
                    hours = _number(record.get("device_hours") or 0)
                    tokens = _number(record["target_tokens"]) if hours else 0
                if hours:
                    speeds.append(6.0 * self._working(entry.system, entry.corpus) * tokens / (hours * 3600))
        self.is_measured = bool(speeds)
        return median(speeds) if speeds else SPEEDS["cpu" if self.grid.device == "cpu" else "cuda"]


def _number(value: Any) -> float:
    """Return the value. Raises TypeError where it is no number; `reading` turns that into a UserError."""
    if not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    return value


def _layers(system: SystemConfig) -> int:
    """Return the number of weights in the matrices of all layers.

    An attention has four square matrices; a feed-forward network has two of shape (width, inner).
    """
    model = system.model
    square, oblong = model.width**2, 2 * model.width * model.inner
    return model.encoder_layers * (4 * square + oblong) + model.decoder_layers * (8 * square + oblong)


def _copies(system: SystemConfig) -> int:
    """Return how many times the parameters are on disk.

    They are once in the model; three times, with two moments, in each of two checkpoints; and once per retained
    validation.
    """
    train = system.train
    return 1 + 2 * 3 + (train.average if train.checkpoint.startswith("average") else 1)


TargetKind = Literal["all", "study", "item", "scores", "corpus"]
"""`item` is a table, figure or passage of a study; `scores` are those of one system and seed."""

TargetState = Literal["made", "to-make", "blocked"]
"""`blocked`: a corpus that the target needs has files that only a person can bring."""


@dataclass(frozen=True)
class Target:
    """A target of snakemake; `plan` has the trainings of a study or item, `study` is None for `all` and corpora."""

    name: str
    kind: TargetKind
    study: str | None
    about: str
    state: TargetState
    plan: TrainingPlan | None


def targets(grid: Grid, root: Path, studies: Iterable[str], estimates: Estimates, scores: bool) -> Iterator[Target]:
    """Yield `all`, each of `studies` with its items, and the corpora; with `scores` also those of each system and seed.

    With generated text no target is blocked.
    """
    absent = set() if grid.fixtures else set(left_out(grid.corpora.values(), grid.places(root)))

    def state(paths: Iterable[str], corpora: Iterable[str]) -> TargetState:
        if all((root / path).exists() for path in paths):
            return "made"
        return "blocked" if absent.intersection(corpora) else "to-make"

    every = [entry for name in grid.active for entry in grid.of_study(name)]
    about = f"every study of config.yaml: {', '.join(grid.active)}"
    pages = [page_of(name, "index") for name in grid.active]
    yield Target("all", "all", None, about, state(pages, _corpora(grid, every)), estimates.plan(every))
    for study in studies:
        config, entries = grid.studies[study], grid.of_study(study)
        page = page_of(study, "index")
        plan = estimates.plan(entries)
        yield Target(study, "study", study, config.title, state([page], _corpora(grid, entries)), plan)
        for name, item in config.items.items():
            path, about = page_of(study, name), f"{item.paper}: {item.title}" if item.paper else item.title
            plan = estimates.plan(item_entries(grid, study, name))
            yield Target(path, "item", study, about, state([path], item_corpora(grid, study, name)), plan)
        runs = [(entry, seed) for entry in entries for seed in entry.seeds] if scores else []
        for entry, seed in runs:
            path = f"{run_folder(grid, SCORES, entry, seed)}/scores.json"
            about = f"scores of {entry.system.name} on {entry.corpus}"
            yield Target(path, "scores", study, about, state([path], grid.corpora_for(entry)), None)
    for corpus in grid.corpora:
        path = card_of(grid, corpus)
        yield Target(path, "corpus", None, f"the corpus {corpus}", state([path], [corpus]), None)


def _corpora(grid: Grid, entries: Iterable[Entry]) -> set[str]:
    """Return all corpora that the entries need."""
    return {corpus for entry in entries for corpus in grid.corpora_for(entry)}
