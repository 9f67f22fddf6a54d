"""The loop over updates: train, validate, keep weights, write checkpoints, until a stop rule holds."""

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import torch

from docmt.core.errors import UserError
from docmt.nn.noise import drop_words
from docmt.nn.streams import Batch, frame_batch
from docmt.training.batches import epoch_updates, micro_batches, target_tokens
from docmt.training.checkpoint import StateFolder
from docmt.training.listeners import Listener, Step
from docmt.training.optimiser import set_learning_rates
from docmt.training.precision import computing
from docmt.training.seeds import derived_seed
from docmt.training.selection import Weights, mean, wanted
from docmt.training.signals import StopRequest
from docmt.training.status import Status, Validation
from docmt.training.stopping import stop_reason
from docmt.training.task import Task
from docmt.training.update import Sums, accumulate_gradients, clip_gradients
from docmt.training.validate import dev_losses


class Training:
    """A training under way; `status` is where it stands."""

    def __init__(self, task: Task, state: StateFolder, stop: StopRequest) -> None:
        self.task, self.state, self.stop = task, state, stop
        self.status = Status()
        self._lengths = target_tokens(task.rows)
        self._computing = partial(computing, task.device, task.train.precision)
        self._epoch: tuple[int, list[np.ndarray]] = (-1, [])
        self._mark = time.perf_counter()

    def restore(self) -> None:
        """Go back to the newest valid checkpoint, if there is one."""
        payload = self.state.newest()
        if payload is None:
            return
        self.status = Status.from_plain(payload["status"])
        self.put_weights(payload["model"])
        self.task.optimiser.load_state_dict(payload["optimiser"])

    def run(self, listener: Listener) -> bool:
        """Train until a stop rule holds: True; or until a stop is requested: False, with a checkpoint written.

        Raises UserError where the loss is not finite; checkpoints stay as they are.
        """
        train, status = self.task.train, self.status
        self.task.model.train()
        while (reason := stop_reason(train, status)) is None:
            listener.updated(self._update())
            if self._validation_is_due():
                listener.validated(self._validate())
            stopping = self.stop.requested
            if stopping or status.update % train.save_every_updates == 0:
                self._save()
            if stopping:
                return False
        listener.note(f"training ends after update {status.update}: {reason}")
        return True

    def choose_weights(self) -> Validation:
        """Give the model the weights that the checkpoint rule chooses; returns their validation."""
        names = [self.status.weights[update] for update in wanted(self.task.train, self.status.history)]
        if not names:
            return self.status.history[-1]
        self.put_weights(mean([self.state.load_weights(name) for name in names]))
        return self._dev_validation()

    def weights(self) -> Weights:
        return {name: parameter.detach() for name, parameter in self.task.model.named_parameters()}

    @torch.no_grad()
    def put_weights(self, weights: Weights) -> None:
        for name, parameter in self.task.model.named_parameters():
            parameter.copy_(weights[name])

    def _update(self) -> Step:
        task, status = self.task, self.status
        began = time.perf_counter()
        number = status.update + 1
        instances = self._updates_of_epoch()[status.position]
        rates = set_learning_rates(task.optimiser, task.train, task.model.config.width, number)
        torch.manual_seed(derived_seed(task.seed, "dropout", number))
        tokens = int(self._lengths[instances].sum())
        batches = self._batches(instances, number)
        weights = task.model.term_weights(number)
        sums = accumulate_gradients(task.model, batches, tokens, task.train.label_smoothing, weights, self._computing)
        norm = clip_gradients(task.model.parameters(), task.train.clip_norm)
        self._check_finite(number, sums.loss / tokens, norm, rates)
        task.optimiser.step()
        task.optimiser.zero_grad()
        step = Step(
            update=number,
            epoch=status.epoch,
            gradient_norm=norm,
            rates=rates,
            seconds=time.perf_counter() - began,
            **vars(sums),
        )
        self._count(sums, step.seconds)
        return step

    def _updates_of_epoch(self) -> list[np.ndarray]:
        if self._epoch[0] != self.status.epoch:
            budget = self.task.train.tokens_per_update
            self._epoch = (self.status.epoch, epoch_updates(self._lengths, budget, self.task.seed, self.status.epoch))
        return self._epoch[1]

    def _batches(self, instances: np.ndarray, update: int) -> Iterator[Batch]:
        """The framed micro-batches of an update, with words dropped while that lasts."""
        task, train = self.task, self.task.train
        dropping = train.word_dropout_epochs is None or self.status.epoch < train.word_dropout_epochs
        generator = torch.Generator().manual_seed(derived_seed(task.seed, "word dropout", update))
        for part in micro_batches(instances, self._lengths, train.batch_tokens):
            batch = frame_batch(task.rows.take(part), task.model.config.frame)
            if train.word_dropout and dropping:
                batch = without_words(batch, train.word_dropout, generator)
            yield batch.to(task.device)

    def _check_finite(self, update: int, loss: float, norm: float, rates: dict[str, float]) -> None:
        if math.isfinite(loss) and math.isfinite(norm):
            return
        raise UserError(
            "the loss is not finite" if not math.isfinite(loss) else "the gradient is not finite",
            where=f"update {update}",
            found=f"loss {loss}, gradient norm {norm}, " + ", ".join(f"{k} {v:.3g}" for k, v in rates.items()),
            remedy=f"lower train.lr or set train.clip_norm; the last checkpoint stays in {self.state.folder}",
        )

    def _count(self, sums: Sums, seconds: float) -> None:
        status = self.status
        status.update += 1
        status.position += 1
        if status.position == len(self._updates_of_epoch()):
            status.epoch, status.position = status.epoch + 1, 0
        status.source_tokens += sums.source_tokens
        status.target_tokens += sums.target_tokens
        status.train_s += seconds

    def _validation_is_due(self) -> bool:
        """By the settings; and after the last update, before its checkpoint, so that the end needs no rule."""
        if stop_reason(self.task.train, self.status) is not None:
            return True
        every = self.task.train.validate_every_updates
        return self.status.position == 0 if every is None else self.status.update % every == 0

    def _validate(self) -> Validation:
        """Validate, and keep the weights if the model may be made from them."""
        train, status = self.task.train, self.status
        validation = self._dev_validation()
        status.history.append(validation)
        if status.update in wanted(train, status.history):
            status.weights[status.update] = self.state.save_weights(status.update, self.weights())
        status.weights = {u: name for u, name in status.weights.items() if u in wanted(train, status.history)}
        return validation

    def _dev_validation(self) -> Validation:
        task, train = self.task, self.task.train
        losses = dev_losses(
            task.model, task.dev, train.batch_tokens, train.label_smoothing, task.device, self._computing
        )
        epochs = self.status.epoch - (self.status.position == 0)
        return Validation(self.status.update, epochs, *losses)

    def _save(self) -> None:
        self.count_time()
        payload = {
            "status": self.status.to_plain(),
            "model": self.weights(),
            "optimiser": self.task.optimiser.state_dict(),
        }
        self.state.save(self.status.update, payload, set(self.status.weights.values()))

    def count_time(self) -> None:
        """Add the time since the last call to the status."""
        now = time.perf_counter()
        self.status.wall_s += now - self._mark
        self._mark = now


def without_words(batch: Batch, share: float, generator: torch.Generator) -> Batch:
    """Word dropout on the source and on the decoder's input; its output stays."""
    source, target_in = batch.source, batch.target_in
    return Batch(
        replace(source, tokens=drop_words(source.tokens, share, generator)),
        replace(target_in, tokens=drop_words(target_in.tokens, share, generator)),
        batch.target_out,
    )
