"""The estimated cost of trainings: device-hours with their basis, and disk space; and the device-hours of translations.

Estimates are rough. The time of a training is that of its multiplications over its data (`sizes.py`) at a rate, by the
formulas of `docmt/estimates`. A training that ends by patience is assumed to make EPOCHS passes, if its limits allow
them. Validations count as forward passes over the dev data; the translation of dev (`select_by: bleu`) and frozen
parameters are not counted. A training over a corpus of unknown size has no estimate, unless its number of updates is
stated.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from docmt.base.artifacts import read_object_if_there
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.manifest import RECORD
from docmt.estimates.operations import multiplications, parameters
from docmt.estimates.passes import Pass
from docmt.estimates.rates import Device, Rates, TrainingRate, device_of
from docmt.plan.plan import Job, Plan
from docmt.plan.sizes import Sizes
from docmt.settings.system import Entry, TrainedSystem

# Assumed number of passes over the training data, for a training that ends by patience and does not limit them.
EPOCHS = 40
# Operations per multiplication: with an addition, in a forward pass, and with the backward pass.
FORWARD, TRAINED = 2, 6
SEARCHED = 0.05
"""Assumed share of the rate of trainings that a beam search reaches: it computes one token of each sentence at a time.
On a CPU it is 0.1 to 0.5 (`benchmarks/decoding.md`); no GPU was measured."""
BYTES = 4  # Number of bytes of a parameter on disk.
# Number of special symbols of a source sentence, by frame; 1 in other frames. A target sentence counts one.
SYMBOLS = {"wrapped": 2, "summarised": 2, "closed": 2}
MARGIN = 1.5
"""A job asks for this many times its estimated time: trainings on busy machines took up to 1.8 times as long as on
quiet ones (`benchmarks/estimates.md`), and a training that its limit ends goes on in the next attempt."""
STEP = 15  # Time limits are multiples of this number of minutes.
# The least and the largest time limit that follows an estimate, in minutes: a job also starts, and reads its files.
LEAST, MOST = 30, 1440
# The time limit of a job without an estimate, in minutes, by its step; other steps have no estimates.
UNKNOWN = {"train": MOST, "translate": 240}


@dataclass(frozen=True)
class TrainingPlan:
    """The trainings that a target needs, and the estimated cost of those that have not ended."""

    trainings: int  # The number of all trainings.
    missing_trainings: int  # The number of those that have not ended, here or elsewhere.
    stored_trainings: int  # The number of those that come from the store.
    device_hours: float  # Those of the missing trainings that have an estimate.
    # The number of missing trainings without an estimate, since nobody states the size of their corpus.
    unknown_trainings: int
    basis: tuple[str, ...]  # Phrases for the bases of the estimates.
    disk_bytes: int  # The disk space of the missing ones.


class Work(NamedTuple):
    """What a training computes: its updates, the data of all of them, and its validations."""

    updates: float
    data: Pass
    validations: float


class Estimates:
    """Estimates of the cost of trainings, from a plan and from what it finds finished."""

    def __init__(self, plan: Plan, device: Device | None = None) -> None:
        """Read the records of finished trainings; `device` replaces the grid's. Raises UserError for a damaged one."""
        grid = plan.grid
        self.jobs, self.grid, self.sizes = plan, grid, Sizes(plan)
        self.rates = Rates(self._measured(), device or device_of(grid.device))

    def plan(self, entries: Iterable[Entry]) -> TrainingPlan:
        """Return the plan of all trainings that the entries need, each once; an external system needs none."""
        # With each seed, an entry also needs the trainings of the models that it starts from.
        needed = {
            self._job(start.corpus, start.trained, seed): start
            for entry in entries
            if entry.has_model
            for seed in entry.seeds
            for start in self.grid.starts(entry)
        }
        # A training has ended when its record exists, since it writes the record as the last of its files.
        absent = {job: start for job, start in needed.items() if not self._has_record(job)}
        # Trainings that come from the store cost nothing.
        missing = [start for job, start in absent.items() if job not in self.jobs.fetched]
        known = [(entry, hours) for entry in missing if (hours := self.hours(entry)) is not None]
        return TrainingPlan(
            trainings=len(needed),
            missing_trainings=len(missing),
            stored_trainings=len(absent) - len(missing),
            device_hours=sum(hours for _, hours in known),
            unknown_trainings=len(missing) - len(known),
            basis=tuple(dict.fromkeys(self.rates.of(entry.system).basis for entry, _ in known)),
            disk_bytes=sum(self.disk(entry) for entry in missing),
        )

    def hours(self, entry: Entry) -> float | None:
        """Return the device-hours of a training; None where the size of its corpus is unknown and decides them."""
        work = self.work(entry)
        if work is None:
            return None
        return self.operations(entry, work) / self.rates.of(entry.system).speed / 3600

    def decoding_hours(self, entry: Entry) -> float | None:
        """Return the device-hours of the translation of the test set; None where its size is unknown."""
        size = self.sizes.of_split(entry, "test")
        if not size.sentences:
            return None
        load = load_of(size, entry.system)
        load = replace(load, target=load.target * entry.system.decode.beam)
        vocabulary = self.sizes.vocabulary(entry.system, entry.corpus)[1]
        operations = FORWARD * multiplications(entry.system.model, load, vocabulary)
        return operations / (SEARCHED * self.rates.of(entry.system).speed) / 3600

    def disk(self, entry: Entry) -> int:
        """Return the number of bytes that a training leaves on disk."""
        sizes = self.sizes.vocabulary(entry.system, entry.corpus)
        return parameters(entry.system.model, *sizes) * BYTES * _copies(entry.system)

    def operations(self, entry: Entry, work: Work) -> float:
        """Return the number of operations of a training, with its validations."""
        model, vocabulary = entry.system.model, self.sizes.vocabulary(entry.system, entry.corpus)[1]
        dev = load_of(self.sizes.of_split(entry, "dev"), entry.system)
        validations = FORWARD * work.validations * multiplications(model, dev, vocabulary)
        return TRAINED * multiplications(model, work.data, vocabulary) + validations

    def work(self, entry: Entry) -> Work | None:
        """Return what a training computes; None where the size of its corpus is unknown and decides it."""
        train, epoch = entry.system.train, self.sizes.epoch(entry)
        load = load_of(epoch or self.sizes.typical(entry), entry.system)
        budget = _update_tokens(load, train.tokens_per_update)
        # A pass has at least one update, also where the data is smaller than one update.
        updates_of_pass = max(math.ceil(load.target / budget), 1)
        limits = [train.max_updates] if train.max_updates is not None else []
        if epoch is not None and (train.max_epochs is not None or train.patience is not None):
            limits.append((train.max_epochs or EPOCHS) * updates_of_pass)
        if not limits:
            return None
        updates = min(limits)
        validations = updates / (train.validate_every_updates or updates_of_pass)
        # The mean of the weights of several validations is validated too.
        more = train.checkpoint.startswith("average")
        return Work(updates, load.times(updates / updates_of_pass), validations + more)

    def _job(self, corpus: str, system: str, seed: int) -> Job:
        return Job.of("train", corpus=corpus, system=system, seed=seed)

    def _has_record(self, job: Job) -> bool:
        folder = self.jobs.folder(job.step, job.names)
        return folder is not None and (folder / RECORD).exists()

    def _measured(self) -> Iterator[TrainingRate]:
        """Yield the rates of the finished trainings of this scale; each training counts once."""
        jobs = {
            self._job(entry.corpus, entry.trained, seed): entry
            for entry in self.grid.entries
            if entry.has_model
            for seed in entry.seeds
        }
        # What is asked of a training takes long to compute, and is not needed where none of its name was started.
        started = {job: entry for job, entry in jobs.items() if (self.jobs.root / job.place).is_dir()}
        paths = {self.jobs.folder("train", job.names): entry for job, entry in started.items()}
        for path, entry in ((folder / RECORD, entry) for folder, entry in paths.items() if folder is not None):
            record = read_object_if_there(path) or {}
            with reading(path, "not the record of a training", "what the step train writes"):
                if record.get("device_hours"):
                    yield self._rate(entry, record)

    def _rate(self, entry: Entry, record: Mapping[str, Any]) -> TrainingRate:
        """Return the rate of a finished training, from its record. Raises KeyError or TypeError for a damaged one."""
        names = ("device_hours", "updates", "source_tokens", "target_tokens")
        hours, updates, source, target = (record[name] for name in names)
        shape = load_of(self.sizes.epoch(entry) or self.sizes.typical(entry), entry.system)
        data = shape.times(target / max(shape.target, 1e-9))
        every = entry.system.train.validate_every_updates
        validations = updates / every if every else record["epochs"]
        work = Work(updates, Pass(data.segments, data.sentences, source, target), validations)
        hardware = record["hardware"]
        return TrainingRate(
            speed=self.operations(entry, work) / (hours * 3600),
            device=record["device"],
            precision=entry.system.train.precision,
            width=entry.system.model.width,
            hardware=hardware.get("gpu") or hardware.get("processor") or "",
        )


def load_of(counts: Pass, system: TrainedSystem) -> Pass:
    """Return the data of a pass with the special symbols of a system's frame."""
    source = counts.source + SYMBOLS.get(system.model.frame, 1) * counts.sentences
    return replace(counts, source=source, target=counts.target + counts.sentences)


def _update_tokens(load: Pass, budget: int) -> float:
    segment = load.target / max(load.segments, 1e-9)
    # The last segment that does not fit leaves half its length. Longer segments are updates by themselves.
    return max(budget - segment / 2, segment)


def _copies(system: TrainedSystem) -> int:
    train = system.train
    # One copy is the final model. Each of two checkpoints has three: parameters and two moments. One more is kept for
    # each validation whose weights become the final model, alone or in a mean.
    return 1 + 2 * 3 + (train.average if train.checkpoint.startswith("average") else 1)


def estimated_minutes(plan: Plan, jobs: Iterable[Job]) -> dict[Job, int]:
    """Return the time limit of each job with an estimate; empty where a record or a card is damaged."""
    estimated = [job for job in jobs if job.step in UNKNOWN]
    if not estimated:
        return {}
    try:
        estimates = Estimates(plan)
        # A training that was interrupted counts from its beginning.
        hours = {job: _hours(estimates, job) for job in estimated}
    except UserError:
        # The run may be about to make it again.
        return {}
    return {job: minutes_for(number) for job, number in hours.items() if number is not None}


def _hours(estimates: Estimates, job: Job) -> float | None:
    """Return the device-hours of a training or a translation; None where nobody can estimate them."""
    entry = estimates.grid.find(job.names["corpus"], job.names["system"])
    return estimates.hours(entry) if job.is_training else estimates.decoding_hours(entry)


def minutes_for(hours: float) -> int:
    """Return the time limit of a job that is estimated to take a number of hours."""
    return min(max(math.ceil(MARGIN * hours * 60 / STEP) * STEP, LEAST), MOST)
