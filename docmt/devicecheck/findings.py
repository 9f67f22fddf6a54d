"""The finding of a check. A check that fails with an exception is a finding too, so that it hides no other check."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class DeviceFinding:
    """A line of the report: the check, what it looked at, what it measured, and whether this is as it should be."""

    check: str
    subject: str
    measured: str
    is_right: bool = True


def compared(check: str, subject: str, difference: float, most: float) -> DeviceFinding:
    """Return the finding that a difference is at most `most`; a difference that is no number is wrong."""
    return DeviceFinding(
        check, subject, f"differs by {difference:.1e}, at most {most:.0e} expected", difference <= most
    )


def guarded(check: str, subjects: Iterable[str], look: Callable[[str], DeviceFinding]) -> Iterator[DeviceFinding]:
    """Yield the finding of `look` for each subject; an exception becomes a finding that is wrong."""
    for subject in subjects:
        try:
            yield look(subject)
        except Exception as problem:
            # The first line is the cause; compilers and allocators add pages about their settings.
            text = (str(problem).strip().splitlines() or [""])[0]
            yield DeviceFinding(check, subject, f"{type(problem).__name__}: {text}", is_right=False)


def relative_difference(computed: Iterable[torch.Tensor], expected: Iterable[torch.Tensor]) -> float:
    """Return the norm of the difference of two lists of tensors, divided by the norm of the expected ones."""
    pairs = [(x.detach().double().cpu(), y.detach().double().cpu()) for x, y in zip(computed, expected, strict=True)]
    difference = sum(float((x - y).square().sum()) for x, y in pairs)
    return (difference / max(sum(float(y.square().sum()) for _, y in pairs), 1e-300)) ** 0.5
