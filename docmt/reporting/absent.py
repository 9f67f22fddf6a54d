"""What a page has no numbers of: its runs that were left out or not run, by the reason."""

from collections import Counter

from docmt.reporting.results import Results

NOT_YET = "not run yet"
"""The reason of runs that nothing forbids."""


def absent_runs(results: Results) -> dict[str, str]:
    """Return how many runs have no result, as a text, by the reason; empty where all have one.

    A page that may read only records, such as that of a table of losses, counts runs without a training.
    """
    scored, trained = results.settings.read("scores"), results.settings.read("records")
    if not (scored or trained):
        return {}
    absent = [run for run in results.runs if (run.scores if scored else run.record) is None]
    reasons = Counter(
        results.settings.why_not_run(run.entry.corpus, run.entry.system.name) or NOT_YET for run in absent
    )
    every = len(results.runs)
    return {reason: f"{count} of {every} runs" for reason, count in reasons.most_common()}
