"""A finished demo with the kinds of files that it lacks, and the commands that read its files.

The commands are those of the rules, as Snakemake prints them.
"""

import dataclasses
import re
import shlex
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from helpers.fuzz import Command
from helpers.recipes import write_recipe
from helpers.support import Project
from helpers.zygote import Ended, Zygote

from docmt.base.artifacts import read_json
from docmt.base.asked import Asked
from docmt.base.digests import sha256_file
from docmt.base.errors import TRY_AGAIN
from docmt.base.paths import FROZEN_GRID
from docmt.base.recipe import JOB

CORPUS = "news_zh-en"
"""A corpus whose files are plain text: no checksum of an archive protects them."""
BY_HAND = "results/1_corpus/by_hand"
"""The folder of a corpus with downloads, whose digests a plan knows before a job reads them."""
TOKENS = "results/2_tokens/toy_zh-en@smoke/truecase_separate4k"
STOPPED = "results/5_training/smoke/toy_zh-en/sentence/seed1"
"""A training of which there is a state too."""
STOPPED_AT = 5
"""The update within which the signal comes; there is a validation, and a checkpoint, after updates 3 and 6."""
SOURCE = "source.txt"
"""The text that `docmt translate` translates."""
TARGETS = ("demo", f"results/1_corpus/{CORPUS}@smoke/manifest.json")
PLAN, FROZEN = Command("plan", "plan", TARGETS), Command("frozen", "frozen", (FROZEN_GRID,))


def make_base(demo: Project, base: Path, zygote: Zygote, rules: Collection[str] = ()) -> list[Command]:
    """Copy a finished demo, and add what it lacks: downloads, parts of stage 2, a state; return the commands.

    `rules`: a command of each of these is enough; without any, all commands are returned.
    """
    shutil.copytree(demo.root, base, symlinks=True, ignore=shutil.ignore_patterns(".snakemake", "logs"))
    (base / SOURCE).write_text("猫\n", encoding="utf-8")
    write_downloads(base)
    check(zygote.run("prepare", list(TARGETS), base))
    printed = Project(base).snakemake("-n", "-p", "-F", *TARGETS, check=True).stdout
    jobs = [*printed_jobs(printed, base), *part_jobs(), job("downloads", f"corpus {BY_HAND}/{JOB}", BY_HAND)]
    for command in jobs:
        if (not rules or command.rule in {"fixture", *rules}) and not (base / command.manifest).exists():
            check(zygote.run("command", list(command.arguments), base))
    training = next(command for command in jobs if command.manifest == f"{STOPPED}/manifest.json")
    check(zygote.run("stopped", [str(STOPPED_AT), *training.arguments], base), TRY_AGAIN)
    # A training that begins removes this file from its outputs, which are whole here.
    shutil.copy(demo.root / STOPPED / "exit.json", base / STOPPED / "exit.json")
    resumed = dataclasses.replace(training, rule="resumed", gone=None)
    commands = [*jobs, resumed, *people_commands(), PLAN, FROZEN]
    return [min((each for each in commands if each.rule == rule), key=str) for rule in rules] or commands


def check(ended: Ended, status: int = 0) -> None:
    """Raise AssertionError where a command has ended with another status."""
    assert ended.status == status, ended.err


def job(rule: str, line: str, folder: str) -> Command:
    """The job of a command line whose outputs are alone in their folder."""
    return Command(rule, "command", ("job", *shlex.split(line)), f"{folder}/manifest.json")


def part_jobs() -> Iterator[Command]:
    """Yield the jobs of stage 2 in two parts, on the demo's corpus."""
    line, shards = f"tokens {TOKENS}/{JOB} --threads 1 --part", f"{TOKENS}/shards"
    for name in ("tokenised", "encoded"):
        for part in (f"{name}.1of2", f"{name}.2of2"):
            yield job(f"tokens_{name}", f"{line} {part}", f"{shards}/{part}")
        if name == "tokenised":
            yield job("tokens_learnt", f"{line} learnt.1of2", f"{shards}/learnt")
    yield job("tokens_joined", f"{line} joined.1of2", TOKENS)


def people_commands() -> Iterator[Command]:
    """Yield commands that people run on the results of a workflow."""
    translated = "results/6_translations/smoke/toy_zh-en"
    system, baseline = (f"{translated}/{name}/seed1" for name in ("concat_3", "sentence"))
    for line in (
        "list-trainings",
        "list-targets --study demo",
        f"score --hypotheses {system}/test.txt --reference {baseline}/test.txt",
        f"compare --baseline {baseline}/test.tok.txt --hypotheses {system}/test.tok.txt"
        f" --reference {system}/test.j1.tok.txt",
        f"translate --model {STOPPED} --source {SOURCE} --beam 1 --device cpu",
    ):
        yield Command(f"docmt {line.split()[0]}", "command", tuple(shlex.split(line)))


def write_downloads(base: Path) -> None:
    """Write the files of a corpus, and the recipe of the job that reads them with the digests of the files."""
    folder = base / BY_HAND
    languages = {"source_language": "fr", "target_language": "en"}
    reader = {"kind": "lines", "splits": {"train": {"source": "a.fr", "target": "a.en"}}}
    about = {"version": 1, "corpus": "by_hand", "licence": "", "citation": "", **languages}
    names = ("a.fr", "a.en")
    (folder / "downloads").mkdir(parents=True)
    for name in names:
        (folder / "downloads" / name).write_text("".join(f"line {number} of {name}\n" for number in range(200)))
    settings = {**about, "files": [{"name": name} for name in names], "reader": reader, "expected": {}}
    files = {f"downloads/{name}": folder / "downloads" / name for name in names}
    asked = Asked("corpus", settings, files={role: sha256_file(path) for role, path in files.items()})
    write_recipe(folder, "corpus", asked, files={role: path.relative_to(base) for role, path in files.items()})


def printed_jobs(text: str, base: Path) -> Iterator[Command]:
    """Yield the jobs in what `snakemake -n -p` prints, each with one thread."""
    for block in re.split(r"\n(?=(?:local)?rule )", text):
        head = re.match(r"(?:local)?rule (\w+):\n", block)
        line = re.search(r"^Shell command: exec +docmt (.*) > \S+ 2>&1$", block, re.MULTILINE)
        if head and line:
            plain = re.sub(r"\$\(\(.*?\)\)", "1", re.sub(r"\$\{DOCMT_ON_CLUSTER.*?\}", "", line[1]))
            arguments = tuple(shlex.split(re.sub(r"--threads \d+", "--threads 1", plain)))
            manifest = re.search(r"^ +output: .*?(\S*manifest\.json)", block, re.MULTILINE)[1]
            yield Command(head[1], "command", arguments, manifest, gone(base, head[1], arguments))


def gone(base: Path, rule: str, arguments: tuple[str, ...]) -> str | None:
    """Return the folder that is not there when a job runs: the outputs of a fixture, and the state of a training."""
    recipe = Path(arguments[2])
    if rule == "fixture":
        return str(recipe.parent / "downloads")
    return read_json(base / recipe)["hints"]["state"] if rule == "train" else None
