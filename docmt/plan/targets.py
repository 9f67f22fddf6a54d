"""What snakemake can be asked for, whether each is there, what is still to be trained for it and about how long.

Estimates are numbers to plan by, not to rely on. Arithmetic counts matrix products alone: 6 operations a parameter and
token (forward and backward), without attention between tokens. Where a training ends by patience, EPOCHS passes are
assumed; a corpus of which nothing is known has no estimate. Parameters are those of the Transformer in a system,
without what an architecture adds.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from docmt.base.artifacts import read_object_if_there
from docmt.base.foreign import reading
from docmt.base.paths import SCORES, TOKENS, TRAINING
from docmt.catalogue.missing import left_out
from docmt.catalogue.published import stated
from docmt.plan.grid import Grid
from docmt.plan.items import card_of, item_corpora, item_entries, page_of, run_folder
from docmt.settings.system import Entry, SystemConfig

EPOCHS = 40
"""Passes over the training data of a training that only patience ends."""
PIECES = 28
"""Target pieces of a sentence, symbols included, where stage 2 has not counted them."""
VOCABULARY = 30_000
"""Pieces of a pretrained tokenizer that stand in training, where stage 2 has not counted them."""
FILLED = 0.8
"""Share of an instance's largest length that it has on average (G-Transformer, Table 1: 320 to 436 of 512)."""

SPEEDS = {"cuda": 2e13, "cpu": 5e10}
"""Operations a second, by device, where no training has been measured: guesses for one GPU and for two cores."""
BYTES = 4
"""Of a number. A model is kept once, its weights and two moments in two checkpoints, its weights at a validation."""

UNCOUNTED = {"train": {"target": {"pieces": 0}}}
"""Of a card that is not there."""


@dataclass(frozen=True)
class TrainingPlan:
    """Trainings of a target: how many there are, how many are not made yet, and what those take.

    `hours` is of one device; none where nothing is known of a corpus. `bytes` is disk.
    """

    trainings: int
    missing: int
    hours: float | None
    bytes: int


class Estimates:
    """Estimates from a grid and what its results' folder has so far."""

    def __init__(self, grid: Grid, results: Path) -> None:
        self.grid, self.results = grid, results
        self.is_measured = False
        self.speed = self._speed()

    def plan(self, entries: Iterable[Entry]) -> TrainingPlan:
        """Of all seeds of these systems, with what their trainings start from; what several share counts once."""
        needed = {
            (start.corpus, start.trained, seed): start
            for entry in entries
            for seed in entry.seeds
            for start in self.grid.starts(entry)
        }
        missing = [start for key, start in needed.items() if not self._record(*key).exists()]
        operations = [self.operations(entry) for entry in missing]
        hours = None if None in operations else sum(operations) / self.speed / 3600
        size = sum(self.parameters(e.system, e.corpus) * BYTES * _copies(e.system) for e in missing)
        return TrainingPlan(len(needed), len(missing), hours, size)

    def operations(self, entry: Entry) -> float | None:
        """Of a whole training; none where nothing is known of the corpus."""
        train = entry.system.train
        updates = train.max_updates
        if updates is None:
            epoch = self._epoch_tokens(entry)
            if epoch is None:
                return None
            updates = (train.max_epochs or EPOCHS) * max(epoch // train.tokens_per_update, 1)
        return 6.0 * self._working(entry.system, entry.corpus) * updates * train.tokens_per_update

    def parameters(self, system: SystemConfig, corpus: str) -> int:
        """Of the Transformer, with its tables of embeddings."""
        source, target = self._vocabulary(system, corpus)
        tables = {"shared": target, "target": source + target, "separate": source + 2 * target}
        return _layers(system) + system.model.width * tables[system.model.embeddings]

    def _working(self, system: SystemConfig, corpus: str) -> int:
        """Parameters that a token is multiplied with: layers, and the output's table."""
        return _layers(system) + system.model.width * self._vocabulary(system, corpus)[1]

    def _record(self, corpus: str, folder: str, seed: int) -> Path:
        names = {"scale": self.grid.scale, "corpus": corpus, "system": folder, "seed": seed}
        return TRAINING.under(self.results, **names) / "record.json"

    def _card(self, corpus: str, text: str) -> dict[str, Any]:
        path = TOKENS.under(self.results, corpus=self.grid.data_folder(corpus), text=text) / "card.json"
        card = read_object_if_there(path) or {}
        with reading(path, "not the card of a text", "what `docmt tokens` writes"):
            _number(card.get("splits", UNCOUNTED)["train"]["target"]["pieces"])
            for size in card.get("vocabulary", {}).values():
                _number(size)
        return card

    def _vocabulary(self, system: SystemConfig, corpus: str) -> tuple[int, int]:
        text = self.grid.texts[system.text]
        known = self._card(corpus, system.text).get("vocabulary", {})
        guess = VOCABULARY if text.pretrained else text.merges
        return known.get("source", guess), known.get("target", guess)

    def _epoch_tokens(self, entry: Entry) -> int | None:
        """Target tokens of a pass over the training data."""
        cut = entry.system.view.train
        if cut.sample is not None and cut.max_tokens is not None:
            return int(cut.sample * cut.max_tokens * FILLED)
        card = self._card(entry.corpus, entry.system.text)
        if card:
            tokens = card["splits"]["train"]["target"]["pieces"]
        else:
            sentences = self._sentences(entry.corpus)
            tokens = None if sentences is None else sentences * PIECES
        return None if tokens is None else tokens * (cut.window or 1)

    def _sentences(self, corpus: str) -> int | None:
        """Of the training split, as the catalogue or a paper has it."""
        config = self.grid.corpus_at_scale(corpus)
        if "train" in config.expected:
            return config.expected["train"].sentences
        printed = [one.counts["train"].sentences for one in config.published if "train" in one.counts]
        return next((int(stated(number).value) for number in printed if number is not None), None)

    def _speed(self) -> float:
        """Of this project's own trainings at this scale, the median; a guess where there is none."""
        found = []
        for entry in self.grid.entries:
            for seed in entry.seeds:
                path = self._record(entry.corpus, entry.trained, seed)
                record = read_object_if_there(path) or {}
                with reading(path, "not the record of a training", "what `docmt train` writes"):
                    hours = _number(record.get("device_hours") or 0)
                    tokens = _number(record["target_tokens"]) if hours else 0
                if hours:
                    found.append(6.0 * self._working(entry.system, entry.corpus) * tokens / (hours * 3600))
        self.is_measured = bool(found)
        return median(found) if found else SPEEDS["cpu" if self.grid.device == "cpu" else "cuda"]


def _number(value: Any) -> float:
    if not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    return value


def _layers(system: SystemConfig) -> int:
    """Weights of the matrices of all layers: an attention has four squares, a feed-forward two oblongs."""
    model = system.model
    square, oblong = model.width**2, 2 * model.width * model.inner
    return model.encoder_layers * (4 * square + oblong) + model.decoder_layers * (8 * square + oblong)


def _copies(system: SystemConfig) -> int:
    """The model; two checkpoints with two moments each; weights of validations."""
    train = system.train
    return 1 + 2 * 3 + (train.average if train.checkpoint.startswith("average") else 1)


@dataclass(frozen=True)
class Target:
    """`plan`: the trainings that it needs, of studies and their items; `lacks`: files that only a person can bring."""

    name: str
    about: str
    exists: bool
    lacks_files: bool
    plan: TrainingPlan | None


def targets(grid: Grid, root: Path, studies: Iterable[str], estimates: Estimates, scores: bool) -> Iterator[Target]:
    """`all`, each of `studies` with what is in it, and the corpora. `scores`: those of each system and seed too.

    On made-up text nothing lacks files.
    """
    without = set() if grid.fixtures else set(left_out(grid.corpora.values(), grid.places(root)))

    def target(
        name: str, path: str | None, about: str, corpora: Iterable[str], entries: Iterable[Entry] | None = None
    ) -> Target:
        """`path`: its file; `corpora`: those that it needs; `entries`: systems that are trained for it."""
        exists, lacks = path is not None and (root / path).exists(), bool(without.intersection(corpora))
        return Target(name, about, exists, lacks, None if entries is None else estimates.plan(entries))

    every = [entry for name in grid.active for entry in grid.of_study(name)]
    yield target("all", None, f"every study of config.yaml: {', '.join(grid.active)}", (), every)
    for study in studies:
        config, entries = grid.studies[study], grid.of_study(study)
        corpora = {corpus for entry in entries for corpus in grid.corpora_for(entry)}
        yield target(study, page_of(study, "index"), config.title, corpora, entries)
        for item, one in config.items.items():
            path, about = page_of(study, item), f"{one.paper}: {one.title}" if one.paper else one.title
            yield target(path, path, about, item_corpora(grid, study, item), item_entries(grid, study, item))
        for entry, seed in ((one, seed) for one in entries for seed in one.seeds if scores):
            path = f"{run_folder(grid, SCORES, entry, seed)}/scores.json"
            yield target(path, path, f"scores of {entry.system.name} on {entry.corpus}", grid.corpora_for(entry))
    for corpus in grid.corpora:
        path = card_of(grid, corpus)
        yield target(path, path, f"the corpus {corpus}", (corpus,))
