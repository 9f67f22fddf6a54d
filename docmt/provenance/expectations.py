"""What differs between two runs of a job, and why their bytes may differ.

Two runs never agree on files whose content has facts of the run, such as times and speeds.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from docmt.base.artifacts import read_object
from docmt.base.errors import UserError, in_line
from docmt.base.foreign import reading
from docmt.base.recipe import Recipe
from docmt.plan.changes import Difference, changes, differences
from docmt.provenance.artifacts import RunArtifact
from docmt.settings.metrics import base_of

MOST_VALUES = 3  # The largest number of values that a sentence names.
# The devices of records on which equal libraries give equal bits; jobs without a device compute on the processor.
CPU = (None, "cpu")


def questions(before: Recipe, now: Recipe) -> list[str]:
    """Return what differs between what was asked of two jobs, but for their inputs and the versions of libraries."""
    return _first(each for each in changes(before, now) if each.kind not in ("library", "input"))


def reasons_for_other_bits(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return why two runs of a job may give other bytes: the device, the processor, its threads, the libraries."""
    on_cpu = all(record.get("device") in CPU for record in (before, now))
    devices = [] if on_cpu else [f"the device was {before.get('device')}, is {now.get('device')}"]
    return devices + _phrases(_facts(before), _facts(now))


def first_file(before: RunArtifact, now: RunArtifact) -> str | None:
    """Return a sentence about the first file that differs between two artifacts; None where no file does."""
    # Files with facts of the run are left out.
    files, others = (
        {name: file for name, file in artifact.manifest.files.items() if not is_of_run(now.recipe, name)}
        for artifact in (before, now)
    )
    for name, file in sorted(files.items()):
        if name not in others:
            return f"{name} is missing"
        if others[name].sha256 != file.sha256:
            return "; ".join([f"{name} differs", *_values(before, now, name)])
    more = sorted(others.keys() - files.keys())
    return f"{more[0]} was not there before" if more else None


def _facts(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a record on which the bytes of a result on a processor depend."""
    versions = {f"the version of {name}": value for name, value in record.get("versions", {}).items()}
    stated = {f"the number of {name}": record[name] for name in ("threads", "ranks") if name in record}
    return {"the processor": record.get("hardware", {}).get("processor"), **stated, **versions}


def _values(before: RunArtifact, now: RunArtifact, name: str) -> Iterator[str]:
    if name.endswith(".json"):
        paths = [artifact.root / artifact.folder / name for artifact in (before, now)]
        with suppress(UserError), reading(paths[0], "not values that can be compared"):
            yield from _first(_phrases(*map(read_object, paths)))


def _phrases(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    pairs = differences(before, now).items()
    return [f"{in_line(name)} was {in_line(str(then))}, is {in_line(str(other))}" for name, (then, other) in pairs]


def _first(phrases: Iterable[str | Difference]) -> list[str]:
    texts = [str(phrase) for phrase in phrases]
    more = len(texts) - MOST_VALUES
    return texts[:MOST_VALUES] + ([f"... and {more} more values"] if more > 0 else [])


PAGES = ("page", "front")  # The steps whose HTML states the times and speeds of trainings.
HTML = ".html"
OF_RUN = {"speed", "hours"}  # A metric and a horizontal axis that are facts of the run.


def is_of_run(recipe: Recipe, name: str) -> bool:
    """Return whether an output of a job has facts of the run. The numbers of a page are in its JSON and CSV."""
    if recipe.step not in PAGES:
        return False
    return name.endswith(HTML) or bool(
        recipe.settings["item"] and OF_RUN.intersection(_words(recipe.settings["study"]))
    )


def _words(value: Any) -> Iterator[str]:
    """Yield the texts of settings, metrics without their variants."""
    if isinstance(value, str):
        yield base_of(value)
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _words(part)
