"""Who is told how a training goes: the metrics' file, TensorBoard, the terminal or the log."""

from typing import Protocol

from docmt.training.meter import Step
from docmt.training.status import Validation


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

    def updated(self, step: Step) -> None:
        for member in self.members:
            member.updated(step)

    def validated(self, validation: Validation) -> None:
        for member in self.members:
            member.validated(validation)

    def note(self, text: str) -> None:
        for member in self.members:
            member.note(text)

    def close(self) -> None:
        for member in self.members:
            member.close()
