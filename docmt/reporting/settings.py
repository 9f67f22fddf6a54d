"""What each system is: its resolved settings, and where they differ from the system that it extends."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from docmt.reporting.formats import flatten
from docmt.reporting.results import Results
from docmt.settings.made_checkpoints import is_made
from docmt.settings.system import Entry


@dataclass(frozen=True)
class Change:
    """A setting that differs from the parent's."""

    path: str
    parent: Any
    own: Any


@dataclass(frozen=True)
class System:
    """`changes` is none where the system extends no other; `sections` has every setting, resolved.

    `random_start`: `pretrained` is a small random checkpoint that the scale makes.
    """

    name: str
    extends: str | None
    init_from: str | None
    pretrained: str | None
    random_start: bool
    trained: str | None
    changes: tuple[Change, ...] | None
    sections: dict[str, dict[str, Any]]


def describe_systems(results: Results) -> list[System]:
    """Every system of the study once, whatever the number of corpora: settings are the same on all."""
    entries = {entry.system.name: entry for entry in reversed(results.settings.entries)}
    return [_describe(entries[name], entries) for name in results.systems]


def _describe(entry: Entry, entries: dict[str, Entry]) -> System:
    system, parent = entry.system, entries.get(entry.extends or "")
    data = {"text": system.text, "view of train": system.view.train.name, "view of dev, test": system.view.test.name}
    return System(
        name=system.name,
        extends=entry.extends,
        init_from=system.init_from,
        pretrained=system.pretrained,
        random_start=is_made(system.pretrained),
        trained=entry.trained if entry.trained != entry.folder else None,
        changes=differences(parent, entry) if parent else None,
        sections={"data": data} | {name: resolved(entry)[name] for name in ("model", "train", "decode")},
    )


def resolved(entry: Entry) -> dict[str, Any]:
    """Every setting of a system by section; a cut by its name, such as window3."""
    system = entry.system
    view = {"train": system.view.train.name, "test": system.view.test.name}
    return {**dataclasses.asdict(system), "view": view}


def differences(parent: Entry, own: Entry) -> tuple[Change, ...]:
    """Settings that the two resolve differently, those that only one of them knows included."""
    before, after = (flatten(resolved(entry)) for entry in (parent, own))
    paths = [path for path in {**before, **after} if path != "name"]
    return tuple(
        Change(path, before.get(path), after.get(path)) for path in paths if before.get(path) != after.get(path)
    )
