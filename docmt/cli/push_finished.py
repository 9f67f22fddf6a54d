"""The process beside a run that pushes artifacts to the store."""

from pathlib import Path
from typing import Annotated

from docmt.base.screen import say
from docmt.cli.options import input_file


def push_finished(
    awaited: Annotated[Path, input_file("file of the workflow with the store, and the artifacts to push")],
) -> None:
    """Push each artifact of a run to the store as soon as it is finished, until standard input ends."""
    from docmt.plan.push_process import push_until_over

    for line in push_until_over(awaited):
        say(line)
