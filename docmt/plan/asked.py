"""The versions of artifacts that runs have asked for, clone by clone, in `results/asked/<clone>.json`.

    {"folder": "/home/ada/docmt", "host": "login1",
     "asked": {"paper": {"5_training/toy_zh-en/sentence/seed1": ["3fa9c1e20b", "2026-11-28"]}}}

Several clones may share `results/`. Each run writes, by scale and place, the id that its grid asks for and the day.
"""

import datetime
import hashlib
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path

from docmt.base.artifacts import read_object, write_json
from docmt.base.foreign import reading
from docmt.base.paths import RESULTS
from docmt.plan.plan import Job, Plan

ASKED = f"{RESULTS}/asked"  # The folder of the files, relative to the project's folder.
DAYS = 90  # The number of days after which a version that no run asked for again is forgotten.
DIGITS = 12  # The number of digits in the name of a file.
REMEDY = "delete the file; the next run of its clone writes it again"
Places = dict[str, list[str]]  # For each place, relative to `results/`, the id that was asked for last, and the day.


def file_of_clone(root: Path) -> Path:
    """Return the file of the clone, or the study folder, `root`."""
    name = f"{socket.gethostname()}:{root.absolute()}"
    return root / ASKED / f"{hashlib.sha256(name.encode()).hexdigest()[:DIGITS]}.json"


def write_asked(plan: Plan, jobs: Iterable[Job]) -> None:
    """Write which versions a run asks for; what other runs of this clone asked for stays, for some time."""
    path, today = file_of_clone(plan.root), datetime.datetime.now(datetime.UTC).date().isoformat()
    asked = {scale: dict(_recent(places)) for scale, places in asked_by_clone(plan.root).items()}
    new = {job.place.removeprefix(f"{RESULTS}/"): [plan.recipe(job).folder.name, today] for job in jobs}
    asked[plan.grid.scale] = asked.get(plan.grid.scale, {}) | new
    facts = {"folder": str(plan.root.absolute()), "host": socket.gethostname()}
    write_json(path, {**facts, "asked": asked})


def asked_by_clone(root: Path) -> dict[str, Places]:
    """Return what runs of a clone asked for, by scale. Raises UserError for a damaged file."""
    return _checked(file_of_clone(root)) if file_of_clone(root).is_file() else {}


def asked_lately(root: Path) -> set[str]:
    """Return the ids that runs of any clone asked for in the last `DAYS` days. Raises UserError for a damaged file."""
    files = map(_checked, sorted((root / ASKED).glob("*.json")))
    return {id for file in files for places in file.values() for _, (id, _) in _recent(places)}


def _recent(places: Places) -> Iterator[tuple[str, list[str]]]:
    oldest = (datetime.datetime.now(datetime.UTC).date() - datetime.timedelta(DAYS)).isoformat()
    return ((place, stated) for place, stated in places.items() if stated[1] >= oldest)


def _checked(path: Path) -> dict[str, Places]:
    asked = read_object(path, "asked")["asked"]
    with reading(path, "not what runs have asked for", remedy=REMEDY):
        pairs = [stated for places in asked.values() for stated in places.values()]
        if not all(len(stated) == 2 and all(isinstance(text, str) for text in stated) for stated in pairs):
            raise TypeError("not an id and a day")
    return asked
