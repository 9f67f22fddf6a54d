"""Files of a finished project with other bytes, and the commands that read them.

A place is a file, a change of its bytes, and a command that reads the file. After the command, one of these holds:

* It has refused: status 2 (75 where a resumed training may be tried again), one message that names the file (of a
  recipe, also one that it leads to), no trace, no manifest of outputs, and nothing under a temporary name.
* Its outputs are those of the undamaged file, byte by byte, where it read none of the changed bytes, or could do
  without them: a checkpoint before the damaged one, for example.

All else is a defect: another output with status 0 (a silent difference), a trace, status 1, a signal, a command that
does not end. What a command puts out depends on the command:

* a job: the files that its manifest lists, and the manifest itself. Records and metrics.jsonl have times and speeds:
  of metrics.jsonl the numbers of other names are compared, and records are not;
* a command for people: standard output. What `docmt list-trainings` prints of a training that has not ended is no
  result: its files grow while it is read, and only end in a manifest.

A plan reads no outputs.

Files that only people read are not changed: logs, TensorBoard events. Nor are those without content.
"""

import json
import os
import random
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from helpers.byte_changes import Change
from helpers.damage import check_message, the_message
from helpers.zygote import Ended, Zygote

from docmt.base.artifacts import SCRATCH
from docmt.base.errors import TRY_AGAIN, USER_MISTAKE

SPEEDS = re.compile(r"_s$|_per_s$|^memory_mib$|^device_hours$")
"""Names of the numbers of metrics.jsonl that differ between two runs."""


@dataclass(frozen=True)
class Command:
    """A command of a finished project: the job of a rule, or a command for people.

    `manifest`: that of the job. `gone`: a folder that is not there when the command runs.
    """

    rule: str
    arguments: tuple[str, ...]
    manifest: str | None = None
    gone: str | None = None

    def __str__(self) -> str:
        return shlex.join(["docmt", *self.arguments])


@dataclass(frozen=True)
class Place:
    """What is tried: a file, relative to the project, a change, and a command."""

    file: str
    change: Change
    command: Command

    def __str__(self) -> str:
        return f"{self.file}: {self.change}: {self.command}"


def kind_of(file: str) -> str:
    """Return the kind of a file, by which places are spread."""
    path = Path(file)
    if "/downloads/" in file:
        return "download"
    for name in ("manifest.json", "record.json", "job.json"):
        if path.name.endswith(name):
            return name
    if path.name.startswith("test."):
        return "test.tok.txt" if path.name.endswith(".tok.txt") else "test.txt"
    if path.suffix in (".txt", ".source", ".target"):
        return path.name.split(".")[0]
    return (SCRATCH if is_progress(file) else "") + path.suffix


def is_progress(file: str) -> bool:
    """Return whether a file is of a training that has not ended."""
    return f"/{SCRATCH}/" in file


def is_tried(file: str) -> bool:
    """Return whether a file below `results/` is changed at all; see the docstring of the module."""
    return not Path(file).name.startswith(".") and "/tensorboard/" not in file


class World:
    """A finished project, and another one of hard links to its files, in which files are changed one at a time.

    `reads`: the files that each command reads. `printed`: its standard output where nothing is changed.
    """

    def __init__(self, base: Path, farm: Path, zygote: Zygote, commands: Iterable[Command]) -> None:
        """Link the files of `base` into the new folder `farm`, and run each command once where nothing is changed."""
        self.base, self.farm, self.zygote = base, farm, zygote
        self.reads: dict[Command, list[str]] = {}
        self.printed: dict[Command, str] = {}
        shutil.copytree(base, farm, copy_function=os.link)
        self._before, self._shared = self.base_state(), dict(entries(base / "results"))
        for command in sorted(commands, key=str):
            self.prepare(command)

    def base_state(self) -> dict[str, bytes]:
        """The content of all files of the project, which nothing may change."""
        return {str(path): path.read_bytes() for path in self.base.rglob("*") if path.is_file()}

    def check_base(self) -> None:
        """Raise AssertionError where a file of the finished project has changed."""
        assert self.base_state() == self._before

    def listed_in(self, manifest: str) -> list[str]:
        """The files of a manifest, and itself."""
        value = json.loads((self.base / manifest).read_bytes())
        names = [Path(manifest).name, *value["files"], *value["records"]]
        return [(Path(manifest).parent / name).as_posix() for name in names]

    def restore(self) -> None:
        """Make the project of links equal to the finished one again."""
        present = dict(entries(self.farm / "results"))
        for name in sorted(present.keys() - self._shared.keys(), reverse=True):
            (self.farm / name).rmdir() if present[name] is None else (self.farm / name).unlink()
        for name, number in sorted(self._shared.items()):
            if number is None:
                (self.farm / name).mkdir(exist_ok=True)
            elif present.get(name) != number:
                (self.farm / name).unlink(missing_ok=True)
                os.link(self.base / name, self.farm / name)

    def run(self, command: Command, is_traced: bool = False) -> Ended:
        """Run a command whose outputs are not there."""
        if command.manifest is not None:
            for name in self.listed_in(command.manifest):
                (self.farm / name).unlink(missing_ok=True)
        if command.gone is not None:
            shutil.rmtree(self.farm / command.gone, ignore_errors=True)
        return self.zygote.run("command", list(command.arguments), self.farm, is_traced)

    def prepare(self, command: Command) -> None:
        """Run a command where nothing is changed, and remember what it reads and prints."""
        ended = self.run(command, is_traced=True)
        assert ended.status == 0, f"{command}\n{ended.err}"
        self.printed[command] = ended.out
        assert (defect := self.difference(command, ended)) is None, f"{command}: {defect}"
        self.restore()
        opened = {path.relative_to(self.farm).as_posix() for path in self.zygote.opened() if self._is_below(path)}
        written = set(self.listed_in(command.manifest)) if command.manifest else set()
        self.reads[command] = sorted(file for file in opened - written if is_tried(file) and self._has_content(file))

    def _is_below(self, path: Path) -> bool:
        return path.is_relative_to(self.farm / "results")

    def _has_content(self, file: str) -> bool:
        return (self.base / file).is_file() and (self.base / file).stat().st_size > 0

    def difference(self, command: Command, ended: Ended) -> str | None:
        """Return the first output of a command that is not that of the undamaged files; None where all are."""
        if command.manifest is None:
            return None if ended.out == self.printed[command] else f"another standard output:\n{ended.out[:2000]}"
        records = json.loads((self.base / command.manifest).read_bytes())["records"]
        of_run = {(Path(command.manifest).parent / name).as_posix() for name in records}
        for name in filter(is_tried, self.listed_in(command.manifest)):
            before, now = self.base / name, self.farm / name
            if name == command.manifest:
                same = now.is_file() and sealed_facts(before) == sealed_facts(now)
            elif name.endswith("metrics.jsonl"):
                same = now.is_file() and numbers_of(before) == numbers_of(now)
            else:
                same = now.is_file() and (name in of_run or before.read_bytes() == now.read_bytes())
            if not same:
                return f"another {name}"
        return None

    def places(self, count: int, seed: int) -> Iterator[Place]:
        """Draw places, in turn from the kinds of files, and for each kind in turn from the rules that read it."""
        cells: dict[str, dict[str, list[tuple[Command, str]]]] = {}
        for command, files in self.reads.items():
            for file in files:
                cells.setdefault(kind_of(file), {}).setdefault(command.rule, []).append((command, file))
        kinds = sorted(cells)
        orders = {kind: random.Random(f"{seed} {kind}").sample(sorted(cells[kind]), len(cells[kind])) for kind in kinds}
        for number in range(count):
            # Each place has draws of its own: another length of one file leaves all other places as they are.
            rng = random.Random(f"{seed} {number}")
            kind, turn = kinds[number % len(kinds)], number // len(kinds)
            command, file = rng.choice(cells[kind][orders[kind][turn % len(orders[kind])]])
            yield Place(file, Change.draw((self.base / file).stat().st_size, rng), command)

    def defect(self, place: Place) -> str | None:
        """Try a place; return what is wrong with what the command did, or None."""
        path = self.farm / place.file
        data = path.read_bytes()
        changed = place.change.of(data)
        if changed == data:
            return None
        path.unlink()
        path.write_bytes(changed)
        # Disks that change bits change no times.
        status = (self.base / place.file).stat()
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        try:
            return self._judge(place, self.run(place.command))
        finally:
            self.restore()

    def _judge(self, place: Place, ended: Ended) -> str | None:
        """Return what is wrong with the end of a command, or None."""
        if "Traceback" in ended.err:
            return f"trace, status {ended.status}\n{ended.err[-3000:]}"
        if ended.status < 0:
            return f"crash: signal {-ended.status}\n{ended.err[-3000:]}"
        if ended.status == 0:
            return self._judge_end(place, ended)
        if ended.status not in (USER_MISTAKE, TRY_AGAIN):
            return f"status {ended.status}\n{ended.err[-3000:]}"
        return self._judge_refusal(place, ended)

    def _judge_end(self, place: Place, ended: Ended) -> str | None:
        """Return what is wrong where a command has ended well."""
        is_open = place.command.manifest is None and is_progress(place.file)
        defect = None if is_open else self.difference(place.command, ended)
        return defect and f"silent difference: {defect}\n{ended.err[-2000:]}"

    def _judge_refusal(self, place: Place, ended: Ended) -> str | None:
        """Return what is wrong where a command has refused its input."""
        try:
            # A recipe has no digest, since people may edit it; a message names the file that a wrong path leads to.
            check_message(the_message(ended.err), "" if kind_of(place.file) == "job.json" else place.file)
        except AssertionError as problem:
            return f"message: {problem}"
        left = [str(path) for path in self.farm.rglob(".*") if path.suffix == ".part" or ".unpacked" in path.name]
        if left:
            return f"half-written: {left}"
        manifest = place.command.manifest
        if manifest is not None and manifest != place.file and (self.farm / manifest).exists():
            return f"a manifest after a refusal: {manifest}"
        return None


def entries(folder: Path) -> Iterator[tuple[str, int | None]]:
    """Yield the path of everything in the folder `results`, from the project on, with the inode of files."""
    for path, folders, _ in os.walk(folder):
        place = Path(path).relative_to(folder.parent).as_posix()
        with os.scandir(path) as listed:
            yield from ((f"{place}/{each.name}", None if each.name in folders else each.inode()) for each in listed)


def numbers_of(path: Path) -> list[dict]:
    """Return the lines of a metrics.jsonl without the numbers that differ between two runs."""
    lines = map(json.loads, path.read_text().splitlines())
    return [{name: value for name, value in line.items() if not SPEEDS.search(name)} for line in lines]


def sealed_facts(path: Path) -> dict:
    """Return the content of a manifest without the names of TensorBoard's events, which have the time."""
    value = json.loads(path.read_bytes())
    records = [name for name in value["records"] if is_tried(f"/{name}")]
    return {name: value[name] for name in value if name != "digest"} | {"records": records}
