"""The systems of the studies of a project, and the targets of Snakemake."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from docmt.base.errors import check_known
from docmt.grid.grid import Grid, load_grid
from docmt.plan.run import planned
from docmt.plan.stored import with_trainings
from docmt.plan.targets import TargetKind, TargetState, TargetSummary
from docmt.plan.targets import targets as find_targets
from docmt.settings.system import ExternalSystem


@dataclass(frozen=True)
class SystemSummary:
    """A system of a study with its corpora, its architecture, its view and its text.

    `extends` is the system whose settings this system inherits. `starts_from` is the system or checkpoint whose
    parameters this system starts from. `model_of` is the folder of the training whose model this system shares. Each of
    the three is None where it does not apply. `external` says where the translations of a system come from that docmt
    does not train; it has no architecture and no view.
    """

    study: str
    system: str
    corpora: tuple[str, ...]
    architecture: str | None
    view: str | None
    text: str
    extends: str | None
    starts_from: str | None
    model_of: str | None
    external: str | None = None


def list_systems(
    root: str | Path = ".", *, study: str | None = None, config: Mapping[str, Any] | None = None
) -> list[SystemSummary]:
    """List the systems of all studies, or of the study that `study` names.

    `root` is the folder with config.yaml and results/. `config` overrides keys of config.yaml, as snakemake's option
    `--config` does. Raises UserError for wrong settings and for an unknown study.

    >>> import docmt
    >>> [system.system for system in docmt.list_systems(study="demo")][:3]
    ['sentence', 'concat_3', 'long_short']
    """
    grid = load_grid(Path(root), dict(config or {}))
    return [_system(grid, name, system) for name in studies_of(grid, study) for system in grid.studies[name].systems]


def list_targets(
    root: str | Path = ".",
    *,
    study: str | None = None,
    kind: str | Collection[str] | None = None,
    state: str | None = None,
    config: Mapping[str, Any] | None = None,
) -> list[TargetSummary]:
    """List the targets that snakemake can be asked for, each with its state and an estimate of its missing trainings.

    `kind` and `state` select the targets of one kind, or of several, and of one state. `root`, `study` and `config`
    have the same meaning as in `list_systems`. Raises UserError for wrong settings, and for an unknown study, kind or
    state.

    >>> import docmt
    >>> docmt.list_targets(study="demo", kind="study")[0].target
    'demo'
    """
    kinds = get_args(TargetKind) if kind is None else (kind,) if isinstance(kind, str) else kind
    for one in kinds:
        check_known("kind of target", one, get_args(TargetKind))
    if state is not None:
        check_known("state of a target", state, get_args(TargetState))
    with planned(root, dict(config or {})) as plan:
        has_scores, studies = "scores" in kinds, studies_of(plan.grid, study)
        targets = find_targets(with_trainings(plan), studies, has_scores, of_no_study=study is None)
        return [row for row in targets if row.kind in kinds and state in (None, row.state)]


def studies_of(grid: Grid, study: str | None) -> list[str]:
    """Return the names of all studies, or only the name `study`; raise UserError for an unknown study."""
    if study is None:
        return list(grid.studies)
    check_known("study", study, grid.studies)
    return [study]


def _system(grid: Grid, study: str, name: str) -> SystemSummary:
    """Return the summary of a system from its first entry; the entries of a system differ only in their corpus."""
    entries = [entry for entry in grid.of_study(study) if entry.system.name == name]
    entry = entries[0]
    system = entry.system
    corpora = tuple(entry.corpus for entry in entries)
    if isinstance(system, ExternalSystem):
        return SystemSummary(study, name, corpora, None, None, system.text, None, None, None, system.source.about)
    starts_from = system.pretrained
    if system.init_from:
        starts_from = f"{system.init_from} on {system.init_corpus}" if system.init_corpus else system.init_from
    return SystemSummary(
        study,
        name,
        corpora,
        system.model.kind,
        system.view.name,
        system.text,
        entry.extends or None,
        starts_from,
        None if entry.trained == entry.folder else entry.trained,
    )
