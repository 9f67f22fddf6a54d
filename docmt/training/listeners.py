"""Who is told how a training goes: the file of metrics, TensorBoard, and whoever else listens.

metrics.jsonl has two kinds of lines, both with `update` and `epoch`:
  {"kind": "train", "loss", "nll", "gradient_norm", "lr" or "lr_new" and "lr_transferred", "source_tokens_per_s",
   "target_tokens_per_s", "padding_share", "memory_mib", "wall_s", "device_hours"}: means over the updates since the
   line before, but for the last two, which count from the start, and for memory, a peak (`docmt.training.computing`);
  {"kind": "dev", "loss", "nll", "perplexity", "bleu", "entropy.<kind of attention>"}: BLEU where the rules go by it,
   entropy in bits (`docmt.training.validate`).
Both have the model's other losses by their names, such as "kl" in nats a chain. A training that was
stopped has the same lines as one that was not, but for time and memory. The share of padding is that of the streams'
places that hold no token: 0, since streams are packed; what attention pads inside is not counted.

TensorBoard gets events where tensorboard is installed. It comes with docmt; but training also runs on machines that
have no more than torch, numpy, pyarrow and safetensors: there it goes on without, since events are for people alone.
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
from typing import Protocol

from docmt.base.artifacts import atomic_file
from docmt.training.status import Meter, Status, Step, Validation


class Listener(Protocol):
    """Told of each update, of each validation, and of whatever is worth a line."""

    def updated(self, step: Step) -> None: ...

    def validated(self, validation: Validation) -> None: ...

    def note(self, text: str) -> None: ...

    def close(self) -> None: ...


class Listeners:
    """Several listeners as one."""

    def __init__(self, *members: Listener) -> None:
        self.members = members

    def _tell(self, what: str, *arguments: object) -> None:
        for member in self.members:
            getattr(member, what)(*arguments)

    updated, validated = functools.partialmethod(_tell, "updated"), functools.partialmethod(_tell, "validated")
    note, close = functools.partialmethod(_tell, "note"), functools.partialmethod(_tell, "close")


EVERY_UPDATES = 20
"""Updates between two lines of kind `train`; a validation writes what is left before it."""


class Course(Listener):
    """Writes means over updates, and validations; notes are for people."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter

    def updated(self, step: Step) -> None:
        self.meter.add(step)
        if step.update % EVERY_UPDATES == 0:
            self.write("train", *self.meter.read())

    def validated(self, validation: Validation) -> None:
        self.write("dev", {"update": validation.update, "epoch": validation.epoch}, validation.numbers())

    def write(self, kind: str, place: dict[str, int], numbers: dict[str, float]) -> None:
        """`place`: update and epoch."""
        raise NotImplementedError


class Metrics(Course):
    """Appends to a file of the state folder; on resuming, lines later than the checkpoint are dropped first.

    Lines have the time since the start and its product with the number of devices; what is lost by a kill is not
    counted.
    """

    def __init__(
        self,
        path: Path,
        status: Status,
        devices: int,
        is_ours: Callable[[], bool] = lambda: True,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """The status is that of the checkpoint. Nothing is written where the folder `is_ours` no more."""
        # What the meter holds stood in no line: one that has it is of the validation after the checkpoint.
        last = {"train": status.update - status.row.updates, "dev": status.validated}
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        with atomic_file(path) as stream:
            stream.writelines(line + "\n" for line in lines if _up_to(line, last))
        self._stream = path.open("a", encoding="utf-8")
        super().__init__(status.row)
        self._devices, self._is_ours, self._clock = devices, is_ours, clock
        self._began = clock() - status.wall_s

    def validated(self, validation: Validation) -> None:
        if self.meter.updates:
            self.write("train", *self.meter.read())
        super().validated(validation)

    def close(self) -> None:
        self._stream.close()

    def write(self, kind: str, place: dict[str, int], numbers: dict[str, float]) -> None:
        line = {"kind": kind, **place, **numbers}
        if kind == "train":
            wall_s = self._clock() - self._began
            line |= {"wall_s": wall_s, "device_hours": device_hours(wall_s, self._devices)}
        if self._is_ours():
            self._stream.write(json.dumps(line) + "\n")
            self._stream.flush()


def device_hours(wall_s: float, devices: int) -> float:
    return wall_s * devices / 3600


def _up_to(line: str, last: dict[str, int]) -> bool:
    """A line cut short by a kill is later than any checkpoint; what is no line of ours is dropped as well."""
    try:
        read = json.loads(line)
        return read["update"] <= last[read["kind"]]
    except (ValueError, TypeError, KeyError, IndexError):
        return False


WRITER_THREAD = "_AsyncWriterThread"
"""Tensorboard's, which prints the trace of an error that it also raises where it is waited for."""


def events(folder: Path, status: Status, note: Callable[[str], None]) -> Sequence[Listener]:
    """TensorBoard's listener, where there is one; events of an earlier training go."""
    if find_spec("tensorboard") is None:
        return ()
    if status.update == 0:
        shutil.rmtree(folder, ignore_errors=True)
    return (Events(folder, status, note),)


class Events(Course):
    """On resuming, events later than the checkpoint are marked as void; `note` is told where none can be written.

    They reach the file at once: those before a checkpoint are not written again.
    """

    def __init__(self, folder: Path, status: Status, note: Callable[[str], None]) -> None:
        """The status is that of the checkpoint."""
        from torch.utils.tensorboard import SummaryWriter

        silence_writer()
        super().__init__(status.event)
        self._folder, self._note, self._works = folder, note, True
        with self._unfailing():
            self._writer = SummaryWriter(str(folder), purge_step=status.update + 1)

    def close(self) -> None:
        if self._works:
            with self._unfailing():
                self._writer.close()

    def write(self, kind: str, place: dict[str, int], numbers: dict[str, float]) -> None:
        if self._works:
            with self._unfailing():
                for name, value in numbers.items():
                    self._writer.add_scalar(f"{kind}/{name}", value, place["update"])
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
