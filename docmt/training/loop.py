"""The training loop: update, validate, save weights and checkpoints, until a stop rule holds.

An update and its validation are two separate steps (`Work`). The next step follows from the status of the training
alone, so that a checkpoint may be written after any step, and a training may be resumed after any step.
"""

import time
from dataclasses import replace
from typing import Any

import torch

from docmt.models.store import put_weights
from docmt.supervision.exit import Reason
from docmt.supervision.ranks import Ranks
from docmt.supervision.watch import Watch, Work
from docmt.training.batches import Batches, UpdateBatches
from docmt.training.checkpoint import VISIBLE_S, StateFolder
from docmt.training.computing import derived_seed, forward_context
from docmt.training.losses import accumulate_gradients
from docmt.training.optimiser import (
    check_update,
    check_weights,
    clip_gradients,
    schedules_of,
    set_learning_rates,
    sum_gradients,
)
from docmt.training.progress import Listener, Update, Validation, peak_memory, read_from_device
from docmt.training.status import Status, Weights, chosen_updates, mean, stop_reason
from docmt.training.task import Task
from docmt.training.validate import attention_entropy, dev_losses, dev_score, sample

READ_EVERY = 10
"""The number of updates after which a GPU is asked for their losses. So the host prepares the next updates while the
GPU computes, and waits for it once in so many updates."""


class Stopped(Exception):
    """The exception that ends a validation early for a reason to stop; all ranks raise it at the same point."""

    def __init__(self, reason: Reason) -> None:
        """Keep the reason to stop."""
        super().__init__(reason)
        self.reason = reason


class Training:
    """A training in progress.

    `status` is the progress so far. `ranks` are the processes that share the training; None means that this process
    trains alone. Streams have multiples of `quantum` rows.
    """

    def __init__(
        self,
        task: Task,
        state: StateFolder,
        watch: Watch,
        ranks: Ranks | None = None,
        quantum: int = 1,
    ) -> None:
        """Begin at update 0; `restore` continues from a checkpoint."""
        self.task, self.state, self.watch, self.ranks = task, state, watch, ranks or Ranks()
        self.batches = Batches(task, self.ranks, quantum)
        self.status = Status()
        self._sample = sample(task.dev)
        self._schedules = schedules_of(task.optimiser, task.train, task.model.config.width)
        self._forward_context = forward_context(task.device, task.train.precision)
        self._saved = self._place()
        self._mark = time.perf_counter()
        self._unread: list[Update] = []
        self._began = self._mark
        self._read_every = 1 if task.device.type == "cpu" else READ_EVERY

    def restore(self) -> None:
        """Load the newest valid checkpoint, if there is one."""
        # The first rank chooses the checkpoint for all ranks, and removes damaged files.
        name = self.ranks.from_first(self.state.newest)
        if name is None:
            return
        payload = self._read(name)
        self.status = Status.from_plain(payload["status"])
        put_weights(self.task.model, payload["model"])
        self.task.optimiser.load_state_dict(payload["optimiser"])
        self.watch.update = self.watch.saved = self.status.update
        self._saved = self._place()

    def run(self, listener: Listener) -> Reason:
        """Train until a stop rule holds, or until `watch` has a reason to stop; write a checkpoint at the end.

        Returns the reason for the end. Raises Failure where the loss is not finite, memory runs out or the disk is
        full; the checkpoints then remain as they are.
        """
        self.task.model.train()
        while (work := self.next_work()) is not None:
            try:
                self._do(work, listener)
                # After the last update or validation, the choice of the weights includes another validation.
                reason = self._reason_to_stop(self.next_work() or "validation")
            except Stopped as stop:
                reason = stop.reason
            is_due = reason or self._save_is_due(self.next_work())
            if is_due or self.next_work() != "update":
                self._read_updates(listener)
            if is_due:
                self._save()
            if reason:
                return reason
        self._save()
        listener.note(f"training ends after update {self.status.update}: {stop_reason(self.task.train, self.status)}")
        return Reason.FINISHED

    def next_work(self) -> Work | None:
        """Return whether an update or a validation is next, or None at the end; the last update is always validated."""
        train, status = self.task.train, self.status
        over = stop_reason(train, status) is not None
        if status.update > status.validated and (over or self._validation_is_due()):
            return "validation"
        return None if over else "update"

    def choose_weights(self) -> Validation:
        """Give the model the weights that the checkpoint rule chooses, and return the validation of these weights.

        Raises Stopped where `watch` has a reason to stop meanwhile; the checkpoint of the last update then exists.
        """
        names = [self.status.weights[update] for update in chosen_updates(self.task.train, self.status.history)]
        if not names:
            return self.status.history[-1]
        put_weights(self.task.model, mean([self._read(name) for name in names]))
        with self.watch.during("validation", self.status.update):
            return self._dev_validation()

    def weights(self) -> Weights:
        """Return the present weights by name of parameter; the tensors share memory with the model."""
        return {name: parameter.detach() for name, parameter in self.task.model.named_parameters()}

    def _read(self, name: str) -> dict[str, Any]:
        """Return the content of a file of the state folder, which the first rank has written."""
        return self.state.read(name, 0.0 if self.ranks.is_first else VISIBLE_S)

    def _do(self, work: Work, listener: Listener) -> None:
        if work == "update":
            status = self.status
            with self.watch.during("update", status.update + 1):
                if not self._unread:
                    self._began = time.perf_counter()
                batches = self.batches.of_update(status.update + 1, status.epoch, status.position)
                self._unread.append(self._update(batches))
                self._advance(batches.is_last)
                if len(self._unread) >= self._read_every:
                    self._read_updates(listener)
        else:
            with self.watch.during("validation", self.status.update):
                listener.validated(self._validate())

    def _reason_to_stop(self, ahead: Work | None) -> Reason | None:
        """Return a reason to stop that any rank has, or None; `ahead` is the next update or validation.

        Raises Failure on all ranks where the state folder belongs to another training.
        """
        reason = self.ranks.any_of(self.watch.reason_to_stop(ahead))
        if reason is Reason.LEASE_LOST:
            self.ranks.from_first(self.state.check)
        return reason

    def _save_is_due(self, ahead: Work | None) -> bool:
        """Return whether a checkpoint is due before `ahead`, the next update or validation.

        A checkpoint that is due by the number of updates is written after the validation of the update, if there is
        one, so that a single checkpoint holds both the update and its validation.
        """
        if self.status.update % self.task.train.save_every_updates == 0 and ahead != "validation":
            return True
        # Ranks measure different times, so the first rank decides for all ranks.
        return self.ranks.from_first(lambda: self.watch.save_is_due(ahead))

    def _update(self, update: UpdateBatches) -> Update:
        """Compute the next update on all ranks, and return this rank's numbers, of which some are on the device."""
        task, status, tokens = self.task, self.status, update.tokens
        number = status.update + 1
        rates = set_learning_rates(task.optimiser, self._schedules, number)
        weights, smoothing = task.model.term_weights(number), task.train.label_smoothing
        batches = self.watch.each(update.batches)
        # Every rank divides its loss by the tokens of the whole update, so that gradients can be summed over ranks.
        sums = accumulate_gradients(task.model, batches, tokens, smoothing, weights, self._forward_context)
        sum_gradients(task.model.parameters(), self.ranks)
        norm = clip_gradients(task.model.parameters(), task.train.clip_norm)
        task.optimiser.step()
        task.optimiser.zero_grad()
        return Update(
            update=number,
            epoch=status.epoch,
            counted=tokens,
            gradient_norm=norm,
            rates=rates,
            seconds=0.0,
            memory_mib=peak_memory(task.device),
            **vars(sums),
        )

    def _advance(self, is_last: bool) -> None:
        """Advance the status by an update; `is_last` says whether the epoch ends with it."""
        status = self.status
        status.update, status.position = status.update + 1, status.position + 1
        if is_last:
            status.epoch, status.position = status.epoch + 1, 0

    def _read_updates(self, listener: Listener) -> None:
        """Read the numbers of the updates since the last call, check them, and report them.

        Raises Failure where a loss or a gradient is not finite; no checkpoint has been written since that update.
        """
        steps, self._unread = self._unread, []
        read_from_device(steps)
        seconds = (time.perf_counter() - self._began) / max(len(steps), 1)
        for step in steps:
            whole = step.over(self.ranks, self.task.model.term_weights(step.update))
            step = replace(step, **vars(whole), seconds=seconds)
            check_update(step, self.watch.last_checkpoint())
            self.status.source_tokens += step.source_tokens
            self.status.target_tokens += step.target_tokens
            self.status.train_s += step.seconds
            listener.updated(step)

    def _validation_is_due(self) -> bool:
        """Return whether the settings ask for a validation after the last update, or before the first one."""
        if self.status.update == 0:
            return self.task.train.validate_start
        every = self.task.train.validate_every_updates
        return self.status.position == 0 if every is None else self.status.update % every == 0

    def _validate(self) -> Validation:
        """Validate, and save the weights if the checkpoint rule would choose them now.

        Weights that the rule no longer chooses leave the status. Raises Stopped where a rank has a reason to stop.
        """
        train, status = self.task.train, self.status
        validation = self._dev_validation()
        status.history.append(validation)
        if status.update in chosen_updates(train, status.history):
            name = self.ranks.from_first(lambda: self.state.save_weights(status.update, self.weights()))
            status.weights[status.update] = name
        status.weights = {u: name for u, name in status.weights.items() if u in chosen_updates(train, status.history)}
        return validation

    def _dev_validation(self) -> Validation:
        """Return the losses, BLEU and entropies of the present weights on the dev set.

        Raises Stopped where a rank has a reason to stop. Ranks may then have left out batches, but all ranks stop
        before they use a number of this validation.
        """
        task, train, watched = self.task, self.task.train, self.watch.until_asked
        places = task.device, self._forward_context, self.ranks
        losses = dev_losses(task.model, task.dev, train.batch_tokens, train.label_smoothing, *places, watched)
        self._check_stop()
        bleu = None
        if task.score:
            bleu = self.ranks.from_first(self._dev_bleu)
            self._check_stop()
        entropy = attention_entropy(task.model, self._sample, task.device, self._forward_context)
        # After the last update of an epoch the status is already in the next epoch.
        epoch = max(0, self.status.epoch - (self.status.position == 0))
        return Validation(self.status.update, epoch, *losses, bleu, entropy)

    def _check_stop(self) -> None:
        """Raise Stopped where any rank has a reason to stop."""
        if reason := self._reason_to_stop(ahead=None):
            raise Stopped(reason)

    def _dev_bleu(self) -> float | None:
        """Return the score of the dev set's translations, or None where the watch ended the translation early."""
        # A model that samples while it translates uses torch's generator, which else draws only the initial weights.
        torch.manual_seed(derived_seed(self.task.seed, "search", self.status.update))
        return dev_score(self.task.model, self.task.dev, self.task.train, self.task.score, self.watch.until_asked)

    def _place(self) -> tuple[int, int]:
        """Return the numbers of updates and of validations so far; with the run, they determine the whole state."""
        return self.status.update, len(self.status.history)

    def _save(self) -> None:
        """Write a checkpoint, unless the newest one has the same numbers of updates and validations."""
        if self._place() == self._saved:
            return
        with self.watch.during("checkpoint", self.status.update):
            self._write()
        self._saved = self._place()

    def _write(self) -> None:
        check_weights(self.status.update, self.weights(), self.watch.last_checkpoint())
        self.count_time()
        payload = {
            "status": self.status.to_plain(),
            "model": self.weights(),
            "optimiser": self.task.optimiser.state_dict(),
        }
        names = set(self.status.weights.values())
        self.ranks.from_first(lambda: self.state.save(*self._place(), payload, names))

    def count_time(self) -> None:
        """Add the seconds since the last call to `wall_s` of the status."""
        now = time.perf_counter()
        self.status.wall_s += now - self._mark
        self._mark = now
