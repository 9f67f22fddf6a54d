"""The workflow that runs the rules: docmt's own, or another one that takes docmt as a module.

    module docmt:
        snakefile: ".../workflow/Snakefile"
        prefix: "docmt"
        config: {"scale": "smoke"}

    use rule * from docmt as docmt_*

Snakemake then puts the prefix before the paths of rules, and changes the names of rules. The folder of the prefix is
the present folder of docmt, with `results/`, `logs/` and config.yaml; jobs start in the folder of the other workflow.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docmt.base.paths import RESULTS
from docmt.steps import NAMES

Hook = Callable[[], None]
"""A function that is called before the first job of a run, or after the last one."""
PARTS = ("download", "tokens_tokenised", "tokens_learnt", "tokens_encoded")
"""The rules without manifests, which are no steps."""


@dataclass(frozen=True)
class Host:
    """The workflow that runs the rules.

    `root`: the present folder of docmt, relative to that of the workflow; "." without a prefix. `is_module`: whether
    the workflow is another one. `names`: the names that docmt's rules have in the workflow, by their names in docmt.
    `top`: the folder of the workflow.
    """

    root: Path = Path()
    is_module: bool = False
    names: dict[str, str] = field(default_factory=dict)
    top: Path = field(default_factory=Path.cwd)

    @classmethod
    def of(cls, modifier: Any) -> "Host":
        """Return the workflow whose Snakefile is read now; `modifier` is how it changes rules (`workflow.modifier`)."""
        return cls(
            root=Path(modifier.path_modifier.replace_prefix(RESULTS)).parent,
            is_module=not modifier.is_main_snakefile(),
            names={name: modifier.modify_rulename(name) for name in (*NAMES, *PARTS)},
        )

    def rule(self, name: str) -> str:
        """Return the name that a rule of docmt has in the workflow."""
        return self.names[name]

    def original_rule(self, name: str) -> str | None:
        """Return the name of a rule in docmt; None for a rule of the other workflow, and for a target."""
        return next((original for original, changed in self.names.items() if changed == name), None)

    def path(self, path: str | Path) -> str:
        """Return a path of docmt as the workflow sees it: below the prefix."""
        return str(self.root / path)

    def inner_path(self, path: str | Path) -> str:
        """Return a path of the workflow, relative to its folder or absolute, as docmt sees it."""
        return os.path.relpath(self.top / path, self.top / self.root)

    @property
    def environment(self) -> dict[str, str]:
        """The variables that tell jobs their folder where it is not that of the workflow (`docmt.cli.job_folder`)."""
        return {} if self.root == Path() else {"DOCMT_TOP": str(self.top), "DOCMT_FOLDER": str(self.root)}

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Work in the present folder of docmt, which is that of all threads: only while no job starts."""
        if self.root == Path():
            yield
            return
        (self.top / self.root).mkdir(parents=True, exist_ok=True)
        with chdir(self.top / self.root):
            yield

    def add_hooks(self, workflow: Any, start: Hook, success: Hook, failure: Hook) -> None:
        """Call these functions where the other workflow calls its hooks: Snakemake ignores `onstart:` of modules."""
        for name, ours in (("_onstart", start), ("_onsuccess", success), ("_onerror", failure)):
            setattr(workflow, name, _both(ours, getattr(workflow, name)))

    def forget_records(self, persistence: Any) -> None:
        """Make Snakemake's records of earlier jobs say nothing about the jobs of docmt, which its planner judges.

        Those of the other workflow's jobs stay in force. `persistence` is `workflow.persistence`.
        """
        ours, has_metadata, incomplete = {*self.names.values()}, persistence.has_metadata, persistence.incomplete

        async def incomplete_of_others(job: Any) -> list[Any]:
            return [] if job.rule.name in ours else await incomplete(job)

        persistence.has_metadata = lambda job: job.rule.name not in ours and has_metadata(job)
        persistence.incomplete = incomplete_of_others


def _both(ours: Hook, theirs: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return a hook that calls ours, and then that of the other workflow."""

    def call(log: Any) -> None:
        ours()
        theirs(log)

    return call
