"""The course of a training as TensorBoard events, where tensorboard is installed: they are for people alone."""

import functools
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from docmt.training import metrics
from docmt.training.listeners import Listener, Step
from docmt.training.status import Status, Validation

WRITER_THREAD = "_AsyncWriterThread"
"""Tensorboard's, which prints the trace of an error that it also raises where it is waited for."""


def events(folder: Path, status: Status, note: Callable[[str], None]) -> Sequence[Listener]:
    """TensorBoard's listener, where tensorboard is installed; events of an earlier training go."""
    if find_spec("tensorboard") is None:
        return ()
    if status.update == 0:
        shutil.rmtree(folder, ignore_errors=True)
    return (Events(folder, status, note),)


class Events:
    """On resuming, events later than the checkpoint are marked as void; `note` is told where none can be written.

    They reach the file at once: those before a checkpoint are not written again.
    """

    def __init__(self, folder: Path, status: Status, note: Callable[[str], None]) -> None:
        """The status is that of the checkpoint."""
        from torch.utils.tensorboard import SummaryWriter

        silence_writer()
        self._folder, self._note, self._meter, self._works = folder, note, status.event, True
        with self._unfailing():
            self._writer = SummaryWriter(str(folder), purge_step=status.update + 1)

    def updated(self, step: Step) -> None:
        self._meter.add(step)
        if step.update % metrics.EVERY_UPDATES == 0:
            self._write("train", self._meter.read()[1], step.update)

    def validated(self, validation: Validation) -> None:
        self._write("dev", validation.numbers(), validation.update)

    def note(self, text: str) -> None:
        """Notes are for people."""

    def close(self) -> None:
        if self._works:
            with self._unfailing():
                self._writer.close()

    def _write(self, kind: str, numbers: dict[str, float], update: int) -> None:
        if self._works:
            with self._unfailing():
                for name, value in numbers.items():
                    self._writer.add_scalar(f"{kind}/{name}", value, update)
                self._writer.flush()

    @contextmanager
    def _unfailing(self) -> Iterator[None]:
        """A training does not end because of its curves: where they cannot be written, there are no more of them."""
        try:
            yield
        except OSError as problem:
            self._works = False
            self._note(f"no more TensorBoard events in {self._folder}: {problem.strerror or problem}")


@functools.cache
def silence_writer() -> None:
    """Keep the writer's thread from printing a trace: its error is raised, and told, in the training's own."""
    shown = threading.excepthook

    def hook(failed: threading.ExceptHookArgs) -> None:
        if type(failed.thread).__name__ != WRITER_THREAD:
            shown(failed)

    threading.excepthook = hook
