"""The targets of Snakemake: the state of each, and the number, the hours and the disk space of its missing trainings.

Hours and disk space are rough estimates. Only the products with parameter matrices are counted: 6 operations per
parameter and token for the forward and the backward pass together. The products between tokens in attention are not
counted. A training that ends by patience is assumed to make EPOCHS passes over its data. A corpus of unknown size has
no estimate. The parameters are those of a Transformer, without the parts that another architecture adds.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal

from docmt.base.artifacts import read_object_if_there
from docmt.base.foreign import reading
from docmt.base.paths import SCORES, TOKENS, TRAINING
from docmt.catalogue.published import stated
from docmt.kinds.item import Item
from docmt.plan.grid import Grid
from docmt.plan.items import card_of, item_corpora, item_entries, page_of, run_folder
from docmt.plan.supplies import Supplies, Supply, together
from docmt.settings.system import Entry, SystemConfig

EPOCHS = 40
"""Assumed number of passes over the training data, for a training without a limit of updates or passes."""
PIECES = 28
"""Assumed number of target pieces per sentence, with special symbols, where stage 2 has not counted the pieces."""
VOCABULARY = 30_000
"""Assumed number of different pieces of a pretrained tokenizer in a corpus, where stage 2 has not counted them."""
FILLED = 0.8
"""Assumed mean length of an instance, divided by `max_tokens` (G-Transformer, Table 1: 320 to 436 of 512 tokens)."""

SPEEDS = {"cuda": 2e13, "cpu": 5e10}
"""Assumed operations per second of one GPU and of two processor cores, where no training has been measured."""
BYTES = 4
"""Number of bytes of a parameter on disk."""

UNCOUNTED = {"train": {"target": {"pieces": 0}}}
"""The value that is checked in the place of the splits of a card that does not exist."""


@dataclass(frozen=True)
class TrainingPlan:
    """The trainings that a target needs, and the estimated cost of those that have not ended.

    `trainings`: the number of all trainings. `missing`: the number of trainings that have not ended. `hours`: the
    device-hours of the missing trainings; None where the size of a corpus is unknown. `bytes`: the disk space of the
    missing trainings, in bytes.
    """

    trainings: int
    missing: int
    hours: float | None
    bytes: int


class Estimates:
    """Estimates of the cost of trainings, from a grid and from the files in its results folder."""

    def __init__(self, grid: Grid, results: Path) -> None:
        """Compute the speed of training from the records under `results`; without any record, take it from SPEEDS."""
        self.grid, self.results = grid, results
        self.is_measured = False
        self.speed = self._speed()

    def plan(self, entries: Iterable[Entry]) -> TrainingPlan:
        """Return the plan of all trainings that the entries need.

        An entry needs a training for each of its seeds, and with the same seed the trainings of the models that it
        starts from. A training that several entries need counts once.
        """
        needed = {
            (start.corpus, start.trained, seed): start
            for entry in entries
            for seed in entry.seeds
            for start in self.grid.starts(entry)
        }
        # A training has ended when its record exists, since it writes the record as the last of its files.
        missing = [start for key, start in needed.items() if not self._record(*key).exists()]
        operations = [self.operations(entry) for entry in missing]
        hours = None if None in operations else sum(operations) / self.speed / 3600
        size = sum(self.parameters(e.system, e.corpus) * BYTES * _copies(e.system) for e in missing)
        return TrainingPlan(len(needed), len(missing), hours, size)

    def operations(self, entry: Entry) -> float | None:
        """Return the number of operations of a whole training; None where the size of the corpus is unknown."""
        train = entry.system.train
        updates = train.max_updates
        if updates is None:
            epoch = self._epoch_tokens(entry)
            if epoch is None:
                return None
            # A pass has at least one update, also where the data is smaller than one batch.
            updates = (train.max_epochs or EPOCHS) * max(epoch // train.tokens_per_update, 1)
        return 6.0 * self._working(entry.system, entry.corpus) * updates * train.tokens_per_update

    def parameters(self, system: SystemConfig, corpus: str) -> int:
        """Return the number of parameters of the Transformer, with its embeddings."""
        source, target = self._vocabulary(system, corpus)
        tables = {"shared": target, "target": source + target, "separate": source + 2 * target}
        return _layers(system) + system.model.width * tables[system.model.embeddings]

    def _working(self, system: SystemConfig, corpus: str) -> int:
        """Return the number of parameters that each token is multiplied by: the layers and the output embeddings."""
        return _layers(system) + system.model.width * self._vocabulary(system, corpus)[1]

    def _record(self, corpus: str, folder: str, seed: int) -> Path:
        """Return the path of the record that a training writes when it ends; `folder` is the folder of its system."""
        names = {"scale": self.grid.scale, "corpus": corpus, "system": folder, "seed": seed}
        return TRAINING.under(self.results, **names) / "record.json"

    def _card(self, corpus: str, text: str) -> dict[str, Any]:
        """Return the card that stage 2 wrote for a corpus and a preset of text; an empty mapping without such a file.

        Raises UserError for a file with other content.
        """
        path = TOKENS.under(self.results, corpus=self.grid.data_folder(corpus), text=text) / "card.json"
        card = read_object_if_there(path) or {}
        with reading(path, "not the card of a text", "what `docmt job tokenise-corpus` writes"):
            _number(card.get("splits", UNCOUNTED)["train"]["target"]["pieces"])
            for size in card.get("vocabulary", {}).values():
                _number(size)
        return card

    def _vocabulary(self, system: SystemConfig, corpus: str) -> tuple[int, int]:
        """Return the sizes of the source and the target vocabulary; they are guesses where stage 2 has not run."""
        text = self.grid.texts[system.text]
        known = self._card(corpus, system.text).get("vocabulary", {})
        guess = VOCABULARY if text.pretrained else text.merges
        return known.get("source", guess), known.get("target", guess)

    def _epoch_tokens(self, entry: Entry) -> int | None:
        """Return the number of target tokens of a pass over the training data; None where it is unknown."""
        cut = entry.system.view.train
        if cut.sample is not None and cut.max_tokens is not None:
            return int(cut.sample * cut.max_tokens * FILLED)
        card = self._card(entry.corpus, entry.system.text)
        if card:
            tokens = card["splits"]["train"]["target"]["pieces"]
        else:
            sentences = self._sentences(entry.corpus)
            tokens = None if sentences is None else sentences * PIECES
        # Windows overlap: a sentence is in as many windows as a window has sentences.
        return None if tokens is None else tokens * (cut.window or 1)

    def _sentences(self, corpus: str) -> int | None:
        """Return the number of training sentences that the catalogue or a paper states; None where none is stated."""
        config = self.grid.corpus_at_scale(corpus)
        if "train" in config.expected:
            return config.expected["train"].sentences
        printed = [counts.counts["train"].sentences for counts in config.published if "train" in counts.counts]
        return next((int(stated(number).value) for number in printed if number is not None), None)

    def _speed(self) -> float:
        """Return the operations per second: the median over the ended trainings of this scale; a guess without any."""
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
    """Return the value. Raises TypeError where it is no number; the caller's `reading` converts this to UserError."""
    if not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    return value


def _layers(system: SystemConfig) -> int:
    """Return the number of weights in the matrices of all layers.

    An attention has four matrices of width times width weights, and a feed-forward network has two of width times inner
    weights. An encoder layer has one attention, a decoder layer has two.
    """
    model = system.model
    square, oblong = model.width**2, 2 * model.width * model.inner
    return model.encoder_layers * (4 * square + oblong) + model.decoder_layers * (8 * square + oblong)


def _copies(system: SystemConfig) -> int:
    """Return the number of copies of the parameters on disk.

    The final model is one copy. Each of two checkpoints has three: the parameters and two moments of each parameter.
    One more copy is retained for each validation whose weights become the final model, alone or as a part of a mean.
    """
    train = system.train
    return 1 + 2 * 3 + (train.average if train.checkpoint.startswith("average") else 1)


TargetKind = Literal["all", "study", "item", "scores", "corpus"]
"""The kind of a target: `item` is a table, figure or passage of a study; `scores` are those of one system and seed."""

TargetState = Literal["made", "ready", "to-fetch", "by-hand", "licence"]
"""The state of a target: its file is there, or what its corpora and checkpoints need (`SupplyState`)."""


@dataclass(frozen=True)
class Target:
    """A target of Snakemake.

    `study` is None for `all` and for corpora. `plan` has the trainings of `all`, of a study or of an item; it is None
    for scores and for corpora. `fetch_bytes`: the size of what is to be downloaded, as far as it is known;
    `is_fetch_known`: whether that is all of it. `reasons`: why parts of the target are left out, or not scored.
    """

    name: str
    kind: TargetKind
    study: str | None
    about: str
    state: TargetState
    plan: TrainingPlan | None
    fetch_bytes: float = 0
    is_fetch_known: bool = True
    reasons: tuple[str, ...] = ()


class Targets:
    """The targets of Snakemake, with their states."""

    def __init__(self, grid: Grid, root: Path, estimates: Estimates) -> None:
        """List the targets of a grid whose results are in the folder `root`."""
        self.grid, self.root, self.estimates = grid, root, estimates
        self.supplies = Supplies(grid, root)

    def every(self) -> Target:
        """Return the target `all`."""
        active = self.grid.active
        entries = [entry for name in active for entry in self.grid.of_study(name)]
        pages = [page_of(self.grid, name, "index") for name in active]
        needed = [supply for entry in entries for supply in self.supplies.of_entry(entry)]
        about = f"every study of config.yaml: {', '.join(active)}"
        return self._target("all", "all", None, about, pages, needed, entries)

    def of_study(self, study: str, scores: bool) -> Iterator[Target]:
        """Yield a study, its items and, where `scores` is true, the scores of each of its systems and seeds."""
        config, entries = self.grid.studies[study], self.grid.of_study(study)
        needed = [*self.supplies.of(config.corpora), *(s for entry in entries for s in self.supplies.of_entry(entry))]
        page = page_of(self.grid, study, "index")
        yield self._target(study, "study", study, config.title, [page], needed, entries)
        for name, item in config.items.items():
            path, about = page_of(self.grid, study, name), f"{item.paper}: {item.title}" if item.paper else item.title
            entries_of_item = item_entries(self.grid, study, name)
            checkpoints = [folder for entry in entries_of_item for folder in self.grid.checkpoints_for(entry)]
            needed = self.supplies.of(item_corpora(self.grid, study, name), checkpoints)
            unscored = tuple(unscored_metrics(self.grid, item, entries_of_item))
            yield self._target(path, "item", study, about, [path], needed, entries_of_item, unscored)
        runs = [(entry, seed) for entry in entries for seed in entry.seeds] if scores else []
        for entry, seed in runs:
            path = f"{run_folder(self.grid, SCORES, entry, seed)}/scores.json"
            about = f"scores of {entry.system.name} on {entry.corpus}"
            yield self._target(path, "scores", study, about, [path], self.supplies.of_entry(entry))

    def corpora(self) -> Iterator[Target]:
        """Yield the targets of corpora."""
        for corpus in self.grid.corpora:
            path = card_of(self.grid, corpus)
            yield self._target(path, "corpus", None, f"the corpus {corpus}", [path], [self.supplies.corpus(corpus)])

    def _target(
        self,
        name: str,
        kind: TargetKind,
        study: str | None,
        about: str,
        files: Iterable[str],
        needed: Iterable[Supply],
        entries: Iterable[Entry] | None = None,
        unscored: tuple[str, ...] = (),
    ) -> Target:
        """Return a target that makes `files` and needs some supplies; a target with `entries` has a plan."""
        plan = None if entries is None else self.estimates.plan(entries)
        if all((self.root / path).exists() for path in files):
            return Target(name, kind, study, about, "made", plan, reasons=unscored)
        supplies = {supply.name: supply for supply in needed}.values()
        needs = together(supplies)
        reasons = tuple(supply.reason for supply in supplies if supply.reason)
        return Target(
            name, kind, study, about, needs.state, plan, needs.bytes, needs.is_size_known, (*reasons, *unscored)
        )


def targets(grid: Grid, root: Path, studies: Iterable[str], estimates: Estimates, scores: bool) -> Iterator[Target]:
    """Yield the target `all`, the targets of each of `studies`, and the targets of corpora.

    The targets of a study are the study and its items, and, where `scores` is true, the scores of each system and seed.
    """
    listed = Targets(grid, root, estimates)
    yield listed.every()
    for study in studies:
        yield from listed.of_study(study, scores)
    yield from listed.corpora()


def unscored_metrics(grid: Grid, item: Item, entries: Iterable[Entry]) -> Iterator[str]:
    """Yield why metrics of an item get no score: config.yaml names no vectors or no model for a target language."""
    languages = sorted({grid.corpora[entry.corpus].target_language for entry in entries})
    bases = {re.split("[:@]", metric)[0] for metric in item.measures}
    given = {
        "coherence": ("scoring.coherence.vectors", grid.scoring.coherence.vectors),
        "cohesion": ("scoring.cohesion.models", grid.scoring.cohesion.models),
    }
    for metric, (setting, entries_of) in given.items():
        lacking = [language for language in languages if language not in entries_of]
        if metric in bases and lacking:
            yield f"{metric} not scored: {setting} of config.yaml has no entry for {', '.join(lacking)}"
