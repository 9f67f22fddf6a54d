"""Lines for whoever watches, on standard error."""

import sys


def say(line: str) -> None:
    """A whole line in one write: the jobs of a workflow share a terminal, and `print` may write its end by itself."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
