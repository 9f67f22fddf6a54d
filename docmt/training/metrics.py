"""The files in which a training writes its progress: metrics.jsonl, and events of TensorBoard.

metrics.jsonl has two kinds of lines, both with `update` and `epoch`:
  {"kind": "train", "loss", "nll", "gradient_norm", "lr" or "lr_new" and "lr_transferred", "source_tokens_per_s",
   "target_tokens_per_s", "padding_share", "memory_mib", "wall_s", "device_hours"}: the losses, the norm, the tokens per
   second and the padding are over the updates since the line before; the learning rates are those of the last update;
   the memory is a peak (`docmt.training.progress.peak_memory`); the last two values count from the start of training;
  {"kind": "dev", "loss", "nll", "perplexity", "bleu", "entropy.<kind of attention>"}: BLEU is there if it selects the
   best validation; the entropy is in bits (`docmt.training.validate`).

Both kinds of lines also have the other losses of the model by their names, such as "kl" in nats per chain. A training
that was stopped and resumed has the same lines as a training without a stop, except for time and memory. The share of
padding is the share of rows of the streams that hold no token (`docmt.nn.compiled.pad_batch`). Padding inside attention
is not counted.

TensorBoard gets events where tensorboard is installed. It is installed with docmt, but training also runs on machines
that have only torch, numpy, pyarrow and safetensors. On such machines there are no events, which only people read.
"""

import functools
import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from docmt.base.artifacts import atomic_file
from docmt.training.progress import Curves, Listener, Validation
from docmt.training.status import Status

METRICS = "metrics.jsonl"
"""The name of the file of metrics, in the state folder and in the output folder of a training."""
EVENTS = "tensorboard"
"""The name of the folder of events in the output folder of a training."""


class Metrics(Curves):
    """A listener that appends lines to metrics.jsonl in the state folder, and to the status of the training.

    When training is resumed, the file gets the lines of the checkpoint, whatever was in it. Lines of kind `train` have
    the seconds since the start, and the product of this time and the number of devices. The time of updates that a
    killed process has lost is not counted.
    """

    def __init__(self, path: Path, status: Status, devices: int, is_ours: Callable[[], bool] = lambda: True) -> None:
        """Open the file; `status` is the status of the checkpoint.

        Nothing is written once `is_ours` returns False, since the folder then belongs to another training.
        """
        with atomic_file(path) as stream:
            stream.writelines(status.lines)
        self._stream = path.open("a", encoding="utf-8")
        super().__init__(status.row)
        self._lines, self._devices, self._is_ours = status.lines, devices, is_ours
        self._began = time.perf_counter() - status.wall_s

    def validated(self, validation: Validation) -> None:
        """Write the means over the updates since the last line, and then the validation."""
        if self.meter.updates:
            self.write("train", *self.meter.read())
        super().validated(validation)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def write(self, kind: str, place: dict[str, int], numbers: dict[str, float]) -> None:
        """Append a line of JSON."""
        line = {"kind": kind, **place, **numbers}
        if kind == "train":
            wall_s = time.perf_counter() - self._began
            line |= {"wall_s": wall_s, "device_hours": device_hours(wall_s, self._devices)}
        self._lines.append(json.dumps(line) + "\n")
        if self._is_ours():
            self._stream.write(self._lines[-1])
            # `docmt list-trainings` reads the file while it grows.
            self._stream.flush()


def device_hours(wall_s: float, devices: int) -> float:
    """Return the product of the time and the number of devices, in hours."""
    return wall_s * devices / 3600


WRITER_THREAD = "_AsyncWriterThread"
"""Name of the class of TensorBoard's writer thread. The thread prints the trace of an error that is also raised in the
main thread."""


def events(folder: Path, status: Status, note: Callable[[str], None]) -> Sequence[Listener]:
    """Return the listener for TensorBoard where it is installed, else none.

    Before the first update, the events of an earlier training are removed from the folder.
    """
    if find_spec("tensorboard") is None:
        return ()
    if status.update == 0:
        shutil.rmtree(folder, ignore_errors=True)
    return (Events(folder, status, note),)


class Events(Curves):
    """A listener that writes TensorBoard events; when resumed, it marks events later than the checkpoint as void.

    Each event is flushed to the file at once, since a resumed training does not write the events before its checkpoint
    again. `note` is called with a message where events cannot be written.
    """

    def __init__(self, folder: Path, status: Status, note: Callable[[str], None]) -> None:
        """Open a file of events in the folder; `status` is the status of the checkpoint."""
        from torch.utils.tensorboard import SummaryWriter

        silence_writer()
        super().__init__(status.event)
        self._folder, self._note, self._works = folder, note, True
        with self._unfailing():
            self._writer = SummaryWriter(str(folder), purge_step=status.update + 1)

    def close(self) -> None:
        """Close the file of events."""
        if self._works:
            with self._unfailing():
                self._writer.close()

    def write(self, kind: str, place: dict[str, int], numbers: dict[str, float]) -> None:
        """Write an event for each number."""
        if self._works:
            with self._unfailing():
                for name, value in numbers.items():
                    self._writer.add_scalar(f"{kind}/{name}", value, place["update"])
                self._writer.flush()

    @contextmanager
    def _unfailing(self) -> Iterator[None]:
        """Write no more events after an OSError in the block: a training does not end because of its curves."""
        try:
            yield
        except OSError as problem:
            self._works = False
            self._note(f"no more TensorBoard events in {self._folder}: {problem.strerror or problem}")


@functools.cache
def silence_writer() -> None:
    """Keep TensorBoard's writer thread from printing a trace.

    The error of the writer thread is also raised, and reported, in the thread of the training.
    """
    original_hook = threading.excepthook

    def hook(failed: threading.ExceptHookArgs) -> None:
        if type(failed.thread).__name__ != WRITER_THREAD:
            original_hook(failed)

    threading.excepthook = hook
