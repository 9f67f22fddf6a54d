"""The training loop: update, validate, save weights and checkpoints, until a stop rule holds.

An update and its validation are two separate steps (`Work`). The next step follows from the status of the training
alone, so that a checkpoint may be written after any step, and a training may be resumed after any step.
"""

import time
from collections.abc import Iterator
from functools import partial

import numpy as np
import torch

from docmt.models.store import put_weights
from docmt.nn.frames import frame_batch
from docmt.nn.noise import document_keys
from docmt.nn.streams import Batch
from docmt.training.checkpoint import VISIBLE_S, StateFolder
from docmt.training.computing import Compiling, derived_seed, forward_context, peak_memory
from docmt.training.exit import Reason
from docmt.training.failures import check_update, check_weights
from docmt.training.listeners import Listener
from docmt.training.optimiser import set_learning_rates
from docmt.training.pace import Work
from docmt.training.ranks import Ranks
from docmt.training.rules import Weights, chosen_updates, mean, stop_reason
from docmt.training.status import Status, Sums, Update, Validation
from docmt.training.task import Task
from docmt.training.update import accumulate_gradients, clip_gradients, epoch_updates, micro_batches, target_tokens
from docmt.training.validate import attention_entropy, dev_losses, dev_score, sample
from docmt.training.watch import Watch


class Stopped(Exception):
    """The exception that ends a validation early for a reason to stop; all ranks raise it at the same point."""

    def __init__(self, reason: Reason) -> None:
        """Keep the reason to stop."""
        super().__init__(reason)
        self.reason = reason


class Training:
    """A training in progress.

    `status` is the progress so far. `ranks` are the processes that share the training; None means that this process
    trains alone. `compiling` says whether updates are compiled; None means that they are not.
    """

    def __init__(
        self,
        task: Task,
        state: StateFolder,
        watch: Watch,
        ranks: Ranks | None = None,
        compiling: Compiling | None = None,
    ) -> None:
        """Begin at update 0; `restore` continues from a checkpoint."""
        self.task, self.state, self.watch, self.ranks = task, state, watch, ranks or Ranks()
        self.compiling = compiling or Compiling()
        self.status = Status()
        self._lengths = target_tokens(task.rows)
        self._sample = sample(task.dev)
        self._computing = partial(forward_context, task.device, task.train.precision)
        self._epoch: tuple[int, list[np.ndarray]] = (-1, [])
        self._saved = self._place()
        self._mark = time.perf_counter()

    def restore(self) -> None:
        """Load the newest valid checkpoint, if there is one."""
        # The first rank chooses the checkpoint for all ranks, and removes damaged files.
        payload = self.ranks.in_turn(self.state.newest, self.state.named)
        if payload is None:
            return
        self.status = Status.from_plain(payload["status"])
        put_weights(self.task.model, payload["model"])
        self.task.optimiser.load_state_dict(payload["optimiser"])
        self.watch.resumed(self.status.update)
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
            if reason or self._save_is_due(self.next_work()):
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
        put_weights(self.task.model, self._mean(names))
        with self.watch.during("validation", self.status.update):
            return self._dev_validation()

    def weights(self) -> Weights:
        """Return the present weights by name of parameter; the tensors share memory with the model."""
        return {name: parameter.detach() for name, parameter in self.task.model.named_parameters()}

    def _mean(self, names: list[str]) -> Weights:
        """Return the mean of the weights in files of the state folder, on all ranks."""

        def read(patience_s: float) -> Weights:
            return mean([self.state.read(name, patience_s) for name in names])

        return self.ranks.in_turn(lambda: (VISIBLE_S, read(0)), read)

    def _do(self, work: Work, listener: Listener) -> None:
        if work == "update":
            with self.watch.during("update", self.status.update + 1):
                listener.updated(self._update())
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
        return self.ranks.from_first(lambda: self.watch.pace.save_is_due(ahead))

    def _update(self) -> Update:
        """Compute one update on all ranks, and return its numbers."""
        task, status = self.task, self.status
        began = time.perf_counter()
        number = status.update + 1
        instances = self._updates_of_epoch()[status.position]
        rates = set_learning_rates(task.optimiser, task.train, task.model.config.width, number)
        # Every rank divides its loss by the tokens of the whole update, so that gradients can be summed over ranks.
        tokens = int(self._lengths[instances].sum())
        framed = self.watch.each(self._batches(instances, number))
        batches = (self.compiling.ready(batch).to(task.device) for batch in framed)
        weights, smoothing = task.model.term_weights(number), task.train.label_smoothing
        with self.compiling.parts(task.model):
            rank_sums = accumulate_gradients(task.model, batches, tokens, smoothing, weights, self._computing)
        sums = rank_sums.over(self.ranks, weights)
        self.ranks.sum_gradients(task.model.parameters())
        norm = clip_gradients(task.model.parameters(), task.train.clip_norm)
        check_update(number, sums.loss / tokens, norm, rates, self.watch.last_checkpoint())
        task.optimiser.step()
        task.optimiser.zero_grad()
        step = Update(
            update=number,
            epoch=status.epoch,
            counted=tokens,
            gradient_norm=norm,
            rates=rates,
            seconds=time.perf_counter() - began,
            memory_mib=peak_memory(task.device),
            **vars(sums),
        )
        self._count(sums, step.seconds)
        return step

    def _updates_of_epoch(self) -> list[np.ndarray]:
        """Return the instances of each update of the present epoch; the list is computed once for each epoch."""
        if self._epoch[0] != self.status.epoch:
            budget = self.task.train.tokens_per_update
            self._epoch = (self.status.epoch, epoch_updates(self._lengths, budget, self.task.seed, self.status.epoch))
        return self._epoch[1]

    def _batches(self, instances: np.ndarray, update: int) -> Iterator[Batch]:
        """Yield this rank's batches of an update, in the frame of the model and with the keys of its noise.

        Words are dropped in the first `word_dropout_epochs` epochs, or in all epochs where this setting is None.
        """
        task, train = self.task, self.task.train
        dropping = train.word_dropout_epochs is None or self.status.epoch < train.word_dropout_epochs
        seed = derived_seed(task.seed, "noise", update)
        budgets = train.tokens_per_update, train.batch_tokens
        for part in self.ranks.share(micro_batches(instances, self._lengths, *budgets, self.ranks.count)):
            batch = frame_batch(task.rows.take(part), task.model.config.frame).with_keys(document_keys(seed, part))
            yield batch.with_word_dropout(train.word_dropout if dropping else 0.0)

    def _count(self, sums: Sums, seconds: float) -> None:
        """Advance the status by an update."""
        status = self.status
        status.update += 1
        status.position += 1
        if status.position == len(self._updates_of_epoch()):
            status.epoch, status.position = status.epoch + 1, 0
        status.source_tokens += sums.source_tokens
        status.target_tokens += sums.target_tokens
        status.train_s += seconds

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
        places = task.device, self._computing, self.ranks
        losses = dev_losses(task.model, task.dev, train.batch_tokens, train.label_smoothing, *places, watched)
        self._check_stop()
        bleu = None
        if task.score:
            bleu = self.ranks.from_first(self._dev_bleu)
            self._check_stop()
        entropy = attention_entropy(task.model, self._sample, task.device, self._computing)
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
