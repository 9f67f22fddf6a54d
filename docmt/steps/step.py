"""What a step of the workflow states of itself. Each step is a file of this folder, with `STEP` at its end."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docmt.base.parse import parse
from docmt.base.paths import RESULTS, Folder
from docmt.base.recipe import JOB, Recipe, Resources, root_of
from docmt.base.result_folders import ResultFolders
from docmt.base.sealing import Seal, sealing
from docmt.grid.grid import Grid
from docmt.store.store import REFUSED
from docmt.supervision.lease import FILE

if TYPE_CHECKING:
    from docmt.trained.model import TrainedModel

Names = Mapping[str, str]  # The values of the wildcards of a job, by their names.
# The files of a job's folder that are outputs of no step, although the name fits a pattern.
NO_OUTPUTS = (JOB, FILE, REFUSED)


@dataclass(frozen=True)
class Inputs:
    """The outputs of other jobs that a job reads."""

    # The step and the names of an input's job, by the role of the input.
    roles: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    others: tuple[tuple[str, dict[str, Any]], ...] = ()  # Further jobs, whose places are their roles.


def libraries(*libraries: str) -> Callable[[Grid, Names], Iterable[str]]:
    """Return a function that returns these libraries for every job."""
    return lambda grid, names: libraries


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step of the workflow, whose jobs are made from the same code.

    `name`: the name of its file and of its rule. `about`: a sentence for the docs.
    `folder`: the folder of a job's outputs; `read_as`: the one whose place readers of many results know it by.
    `version`: raised where the outputs change. `code`: the folders and files that the version speaks for. `writes`: the
    patterns of the names of its outputs beside manifest, record and recipe: a store brings no others. `parts`: the
    names of the parts of a divided job.

    The functions take the grid and the names of a job. `settings` returns what decides the output, `inputs` what is
    read of other jobs, `files` the files that no job makes by their roles, `libraries` those whose versions decide the
    output, and `hints` facts that decide no output. `knobs` are dotted names of settings that change the speed, and the
    outputs by rounding at most: they are no part of the identity. `run` does the job.
    """

    name: str
    about: str
    folder: Folder
    read_as: Folder | None = None
    version: int
    code: tuple[str, ...]
    writes: tuple[str, ...]
    parts: tuple[str, ...] = ()
    run: Callable[[Recipe, Resources], None]
    settings: Callable[[Grid, Names], dict[str, Any]]
    inputs: Callable[[Grid, Names], Inputs] = lambda grid, names: Inputs()
    files: Callable[[Grid, Names], dict[str, Path]] = lambda grid, names: {}
    libraries: Callable[[Grid, Names], Iterable[str]] = lambda grid, names: ()
    hints: Callable[[Grid, Names], dict[str, Any]] = lambda grid, names: {}
    knobs: Callable[[Mapping[str, Any]], Iterable[str]] = lambda settings: ()

    def can_write(self, name: str) -> bool:
        """Return whether a file of this name is among the outputs of a job; `*` alone stays in the job's folder."""
        patterns = (pattern for pattern in self.writes if "/" in pattern or "/" not in name)
        return name not in NO_OUTPUTS and any(fnmatchcase(name, pattern) for pattern in patterns)


# The fields of a step that are functions; a step has those of its file that have these names.
FUNCTIONS = ("run", "settings", "inputs", "files", "libraries", "hints", "knobs")


def step_of(module: str, **facts: Any) -> Step:
    """Return the step of a file of this folder, `module`, whose `run` says in its first paragraph what the step does.

    `facts` are the other fields of the step, and functions that are not in its file.
    """
    here = vars(sys.modules[module])
    functions = {name: here[name] for name in FUNCTIONS if name in here and here[name].__module__ == module}
    about = " ".join(functions["run"].__doc__.partition("\n\n")[0].split())
    return Step(**{"name": module.rpartition(".")[2], "about": about, **functions, **facts})


def parsed(recipe: Recipe, kind: type) -> Any:
    """Return the settings of a job as the dataclass `kind`. Raises UserError for settings that it refuses."""
    return parse(kind, recipe.all_settings, str(recipe.path))


@contextmanager
def opened_model(recipe: Recipe, resources: Resources) -> Iterator[tuple[Seal, "TrainedModel"]]:
    """Take a GPU, seal the job of the block, and open the model that it reads."""
    from docmt.supervision.gpus import take_gpus
    from docmt.trained.model import TrainedModel

    take_gpus(resources.device)
    with sealing(recipe) as seal:
        yield seal, TrainedModel.open(recipe.input("model"), resources.device, resources.threads)


def results_of(recipe: Recipe) -> ResultFolders:
    """Return the folders of the results that a job reads, by their places."""
    return ResultFolders(root_of(recipe.path) / RESULTS, dict(recipe.inputs))
