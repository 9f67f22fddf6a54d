"""The folder in which a job of a workflow works that takes docmt as a module.

Paths of the command line are relative to the folder of that workflow. All other paths (of settings, programs, sources)
are relative to the folder of the module's prefix, which has config.yaml, studies and results. The workflow states both
folders in the environment; without them, a command works where it was called.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

TOP, FOLDER = "DOCMT_TOP", "DOCMT_FOLDER"
"""The variables of the environment: the folder of the workflow, and that of the prefix, relative to it."""


@contextmanager
def in_job_folder(values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Work in the folder of the prefix; yield the values of a command's parameters, with absolute paths."""
    if TOP not in os.environ:
        yield {**values}
        return
    # Ranks of a training inherit the folder of the process that starts them, and get the same command line.
    top = Path(os.environ[TOP])
    with chdir(top / os.environ[FOLDER]):
        yield {name: _below(top, value) for name, value in values.items()}


def _below(top: Path, value: Any) -> Any:
    """Return a value with its paths below `top`."""
    if isinstance(value, list):
        return [_below(top, item) for item in value]
    return top / value if isinstance(value, Path) else value
