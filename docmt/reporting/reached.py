"""The time that a training takes to the lowest dev loss of another training, as a share of the other's time."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from docmt.reporting.results import Run

Share = tuple[float, float]
"""Shares of the updates and of the device hours of another training."""


def hours(run: Run) -> dict[int, float]:
    """Return the device hours of a training so far, by the update; 0 before the first update.

    Trainings log the hours with the means over updates, at the latest right before each validation.
    """
    logged = (row for row in run.curve if row.get("kind") == "train" and row.get("device_hours") is not None)
    return {0: 0.0} | {row["update"]: row["device_hours"] for row in logged}


def reached(label: str, runs: Sequence[Run], baseline: str, baselines: Sequence[Run]) -> Iterator[str]:
    """Yield a sentence about the time that a system takes to the lowest dev loss of a baseline, as a mean over seeds.

    `label`, `baseline`: the labels of the two systems. Only seeds that both have trained are compared. There is no
    sentence without such a seed.
    """
    of_seeds = {run.seed: run for run in baselines}
    pairs = [(run, of_seeds[run.seed]) for run in runs if run.seed in of_seeds]
    compared = [(run, other) for run, other in pairs if _losses(run) and _lowest(other)]
    if not compared:
        return
    shares = [share for pair in compared if (share := _share(*pair)) is not None]
    if not shares:
        yield f"{label} does not reach the lowest dev loss of {baseline}"
        return
    updates, times = (100 * fmean(column) for column in zip(*shares, strict=True))
    seeds = f" ({len(shares)} of {len(compared)} seeds reach it)" if len(compared) > 1 else ""
    yield (
        f"{label} reaches the lowest dev loss of {baseline} in {updates:.0f} % of its updates "
        f"and {times:.0f} % of its hours{seeds}"
    )


def _losses(run: Run) -> list[tuple[int, float]]:
    """Return (update, dev loss) of each validation at which the training has logged its hours."""
    dev = [(row["update"], row["loss"]) for row in run.curve if row.get("kind") == "dev" and "loss" in row]
    logged = hours(run)
    return [(update, loss) for update, loss in dev if update in logged]


def _lowest(run: Run) -> tuple[int, float] | None:
    """Return the update and the value of the lowest dev loss after the first update; None without any."""
    losses = [(loss, update) for update, loss in _losses(run) if update > 0]
    loss, update = min(losses, default=(0.0, 0))
    return (update, loss) if losses else None


def _share(run: Run, other: Run) -> Share | None:
    """Return the share of the other training's time to its lowest dev loss; None where a run does not reach it."""
    last, lowest = _lowest(other)
    update = next((update for update, loss in _losses(run) if loss <= lowest), None)
    return None if update is None else (update / last, hours(run)[update] / hours(other)[last])
