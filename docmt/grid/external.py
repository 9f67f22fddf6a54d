"""The external systems of a study: their settings as the study states them, and the checks of these settings.

Such a system states where its translations come from in the place of a model (`docmt.settings.external`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from docmt.base.errors import UserError
from docmt.base.yaml_files import Lines
from docmt.settings.external import CORPUS, EXTERNAL, SEED
from docmt.settings.system import ExternalSystem

# The step that makes the translations of a system, by the system's `origin`.
TRANSLATING = {"trained": "translate", "translations": "adopt", "command": "ask"}

BESIDE = ("corpora", "seeds", "text")  # The keys that an external system may state beside its own.


def external_key(stated: Mapping[str, Any]) -> str | None:
    """Return the key by which a system is external, a key of `EXTERNAL`; None for a system that docmt trains."""
    return next((key for key in EXTERNAL if key in stated), None)


def check_external(name: str, stated: Mapping[str, Any], lines: Lines) -> None:
    """Raise UserError where an external system has a setting of a model, a training or a search."""
    key = external_key(stated)
    others = [] if key is None else [other for other in stated if other not in (key, *BESIDE)]
    if others:
        raise UserError(
            f"a system of {key} has no model of docmt, and no settings of one",
            where=lines.place(("systems", name, others[0])),
            found=", ".join(others),
            expected=f"{key}, and of other settings only {', '.join(BESIDE)}",
            remedy="remove these settings; where docmt shall train a model too, make it another system",
        )


def check_trained(name: str, stated: Mapping[str, Any], where: str) -> None:
    """Raise UserError, at `where`, for an external system, which has no settings and no model to start from."""
    if key := external_key(stated):
        raise UserError(
            f"{name} has no model: its translations are made elsewhere ({key})",
            where=where,
            found=name,
            expected="a system that docmt trains",
        )


def check_runs(system: ExternalSystem, corpora: Sequence[str], seeds: Sequence[int] | None, lines: Lines) -> None:
    """Raise UserError where one file would be the translations of several corpora, or of several seeds."""
    path = ("systems", system.name)
    if len(corpora) > 1 and not system.source.has_corpora:
        raise UserError(
            "the same translations for several corpora",
            where=lines.place((*path, "corpora")),
            found=", ".join(corpora),
            expected=f"one corpus, or {CORPUS} in the path",
        )
    if seeds and len(seeds) > 1 and not system.source.has_seeds:
        raise UserError(
            "the same translations for several seeds",
            where=lines.place((*path, "seeds")),
            found=", ".join(map(str, seeds)),
            expected=f"one seed, or {SEED} in the path",
        )
