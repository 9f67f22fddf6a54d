"""What a page has no numbers of: its runs that were left out or not run, by the reason."""

from collections import Counter

from docmt.reporting.results import ReportSettings, Results, Run

NOT_YET = "not run yet"
"""The reason of runs that nothing forbids."""
NOT_SCORED = "trained, without scores"
"""The reason of trainings whose scores were not computed, or are shown by nothing."""


def absent_runs(results: Results) -> dict[str, str]:
    """Return how many runs have no result, as a text, by the reason; empty where all have one.

    A page that may read only records, such as that of a table of losses, counts runs without a training.
    """
    reasons = Counter(reason for run in results.runs if (reason := _why_absent(run, results.settings)))
    every = len(results.runs)
    return {reason: f"{count} of {every} runs" for reason, count in reasons.most_common()}


def _why_absent(run: Run, settings: ReportSettings) -> str:
    """Return why a run has no result that the page may read; empty where it has one."""
    if not (settings.read("scores") or settings.read("records")) or run.scores is not None:
        return ""
    if run.record is not None:
        return NOT_SCORED if settings.read("scores") else ""
    return settings.why_not_run(run.entry.corpus, run.entry.system.name) or NOT_YET
