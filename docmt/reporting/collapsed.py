"""Posteriors that have collapsed: latent variables that know no more than their prior."""

from collections.abc import Iterable, Iterator

from docmt.reporting.results import Run

COLLAPSED = 0.1
"""The divergence from the prior, in nats a chain, below which a posterior has collapsed.

At 0 the two distributions are equal. At 0.1 nats a posterior tells less than a seventh of a bit about its chain.
"""


def last_divergence(run: Run) -> float | None:
    """Return the divergence of a run's posterior from its prior at the last validation, in nats a chain.

    The result is None for a model without latent variables, and for a run without logged values.
    """
    values = [row["kl"] for row in run.curve if row.get("kind") == "dev" and row.get("kl") is not None]
    return values[-1] if values else None


def collapsed(runs: Iterable[Run]) -> Iterator[str]:
    """Yield a sentence about each run whose posterior has collapsed."""
    for run in runs:
        divergence = last_divergence(run)
        if divergence is not None and divergence < COLLAPSED:
            yield (
                f"The posterior of {run.entry.system.name}, seed {run.seed}, has collapsed: at the last validation it "
                f"diverges from the prior by {divergence:.2g} nats a chain, so that its latent variables tell almost "
                f"nothing that the source does not tell"
            )
