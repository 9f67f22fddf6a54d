"""A finished demo with the kinds of files that it lacks, and the commands that read its files."""

import shlex
import shutil
from collections.abc import Collection, Iterator
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

from helpers.fuzz import Command
from helpers.plans import closure, plan_of
from helpers.planted import at
from helpers.recipes import write_recipe
from helpers.support import Project
from helpers.zygote import Ended, Zygote

from docmt.base.artifacts import SCRATCH
from docmt.base.errors import TRY_AGAIN
from docmt.base.manifest import MANIFEST
from docmt.plan.plan import Job

CORPUS = Job.of("corpus", corpus="news_zh-en@smoke")
"""A corpus whose files are plain text: no checksum of an archive protects them."""
BY_HAND = Path("results/1_corpus/by_hand")
"""The place of a corpus with downloads, whose digests its recipe has."""
TOKENS = "2_tokens/toy_zh-en@smoke/truecase_separate4k"
STOPPED = "5_training/toy_zh-en/sentence/seed1"
"""A training of which there is unfinished work too."""
STOPPED_AT = 5
"""The update within which the signal comes; there is a validation, and a checkpoint, after updates 3 and 6."""
SOURCE = "source.txt"
"""The text that `docmt translate` translates."""


def make_base(demo: Project, base: Path, zygote: Zygote, rules: Collection[str] = ()) -> list[Command]:
    """Copy a finished demo, and add what it lacks: downloads, parts of stage 2, a stop; return the commands.

    `rules`: a command of each of these is enough; without any, all commands are returned.
    """
    shutil.copytree(demo.root, base, symlinks=True, ignore=shutil.ignore_patterns(".snakemake", "logs"))
    (base / SOURCE).write_text("猫\n", encoding="utf-8")
    project, plan = Project(base), plan_of(base)
    with chdir(base):
        targets = ("demo", f"{plan.recipe(CORPUS).folder}/{MANIFEST}")
    check(zygote.run("prepare", list(targets), base))
    jobs = [*planned_jobs(base, *targets), *part_jobs(project), by_hand(base)]
    for command in jobs:
        if (not rules or command.rule in {"fixture", *rules}) and not (base / command.manifest).exists():
            check(zygote.run("command", list(command.arguments), base))
    folder = at(project, STOPPED)
    training = next(command for command in jobs if command.manifest == f"{folder}/{MANIFEST}")
    (base / training.manifest).unlink()
    check(zygote.run("stopped", [str(STOPPED_AT), *training.arguments], base), TRY_AGAIN)
    # A training that begins removes outputs of an earlier one, which are whole here.
    shutil.copytree(demo.root / folder, base / folder, dirs_exist_ok=True)
    resumed = replace(training, rule="resumed", gone=None)
    commands = [*jobs, resumed, *people_commands(project)]
    return [min((each for each in commands if each.rule == rule), key=str) for rule in rules] or commands


def check(ended: Ended, status: int = 0) -> None:
    """Raise AssertionError where a command has ended with another status."""
    assert ended.status == status, ended.err


def planned_jobs(base: Path, *targets: str) -> Iterator[Command]:
    """Yield the jobs of targets. The outputs of a fixture, and the work of a training, are not there before."""
    plan, gone = plan_of(base), {"fixture": "downloads", "train": SCRATCH}
    for each in closure(plan, *targets):
        folder = plan.recipe(each).folder
        words = ("job", str(folder), "--threads", "1")
        before = f"{folder}/{gone[each.step]}" if each.step in gone else None
        yield Command(each.step, words, f"{folder}/{MANIFEST}", before)


def part_jobs(project: Project) -> Iterator[Command]:
    """Yield the jobs of stage 2 in two parts, on the demo's corpus."""
    folder = at(project, TOKENS)
    parts = {
        **{f"tokenised.{part}of2": f"/shards/tokenised.{part}of2" for part in (1, 2)},
        "learnt.1of2": "/shards/learnt",
        **{f"encoded.{part}of2": f"/shards/encoded.{part}of2" for part in (1, 2)},
        "joined.1of2": "",
    }
    for part, output in parts.items():
        words = ("job", folder, "--threads", "1", "--part", part)
        yield Command(f"tokens_{part.partition('.')[0]}", words, f"{folder}{output}/{MANIFEST}")


def people_commands(project: Project) -> Iterator[Command]:
    """Yield commands that people run on the results of a workflow."""
    system, baseline = (at(project, f"6_translations/toy_zh-en/{name}/seed1") for name in ("concat_3", "sentence"))
    for line in (
        "list-trainings",
        "list-targets --study demo",
        f"score --hypotheses {system}/test.txt --reference {baseline}/test.txt",
        f"compare --baseline {baseline}/test.tok.txt --hypotheses {system}/test.tok.txt"
        f" --reference {system}/test.j1.tok.txt",
        f"translate --model {at(project, STOPPED)} --source {SOURCE} --beam 1 --device cpu",
    ):
        yield Command(f"docmt {line.split()[0]}", tuple(shlex.split(line)))


def by_hand(base: Path) -> Command:
    """Write the files of a corpus; return the job that reads them, whose recipe has the digests of the files."""
    languages = {"source_language": "fr", "target_language": "en"}
    reader = {"kind": "lines", "splits": {"train": {"source": "a.fr", "target": "a.en"}}}
    about = {"version": 1, "corpus": "by_hand", "licence": "", "citation": "", **languages}
    names = ("a.fr", "a.en")
    settings = {**about, "files": [{"name": name} for name in names], "reader": reader, "expected": {}}
    with chdir(base):
        (BY_HAND / "downloads").mkdir(parents=True)
        for name in names:
            text = "".join(f"line {number} of {name}\n" for number in range(200))
            (BY_HAND / "downloads" / name).write_text(text)
        files = {f"downloads/{name}": BY_HAND / "downloads" / name for name in names}
        words = write_recipe(BY_HAND, "corpus", settings, files=files)
    return Command("downloads", tuple(words), f"{words[-1]}/{MANIFEST}")
