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
from helpers.support import Project
from helpers.zygote import Ended, Zygote

from docmt.base.asked import Asked
from docmt.base.digests import sha256_file
from docmt.base.errors import TRY_AGAIN
from docmt.base.paths import FROZEN_GRID

SHELL = re.compile(r'"\$\(dirname ([^)"]+)\)([^"]*)"')
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
    write_downloads(base / BY_HAND)
    check(zygote.run("prepare", list(TARGETS), base))
    printed = Project(base).snakemake("-n", "-p", "-F", *TARGETS, check=True).stdout
    by_hand = f"--settings {BY_HAND}/settings.json --downloads {BY_HAND}/downloads --output {BY_HAND}"
    jobs = [*printed_jobs(printed), *part_jobs(), job("downloads", f"read-corpus {by_hand}")]
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


def job(rule: str, line: str) -> Command:
    """The job of a command line whose outputs are alone in their folder."""
    arguments = shlex.split(line)
    return Command(rule, "command", ("job", *arguments), f"{arguments[arguments.index('--output') + 1]}/manifest.json")


def part_jobs() -> Iterator[Command]:
    """Yield the jobs of stage 2 in two parts, on the demo's corpus."""
    settings, parts = f"--settings {TOKENS}/settings.json", (1, 2)
    corpus, shards = "--corpus results/1_corpus/toy_zh-en@smoke", f"{TOKENS}/shards"
    tokenised, encoded = ([f"{shards}/{name}.{part}of2" for part in parts] for name in ("tokenised", "encoded"))
    for part, folder in zip(parts, tokenised, strict=True):
        line = f"tokenise-shard {settings} {corpus} --part {part}/2 --output {folder} --workers 1"
        yield job("tokens_tokenised", line)
    learnt = f"{shards}/learnt"
    yield job("tokens_learnt", f"learn-shards {' '.join(tokenised)} {settings} {corpus} --output {learnt} --workers 1")
    for source, folder in zip(tokenised, encoded, strict=True):
        line = f"encode-shard {source} {settings} --text {learnt}/text --output {folder} --workers 1"
        yield job("tokens_encoded", line)
    joined = f"{shards}/joined"
    yield job("tokens_joined", f"join-shards {' '.join(encoded)} {settings} --learnt {learnt} --output {joined}")


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


def write_downloads(folder: Path) -> None:
    """Write the files of a corpus, and the settings of the job that reads them with the digests of the files."""
    languages = {"source_language": "fr", "target_language": "en"}
    reader = {"kind": "lines", "splits": {"train": {"source": "a.fr", "target": "a.en"}}}
    about = {"version": 1, "corpus": "by_hand", "licence": "", "citation": "", **languages}
    names = ("a.fr", "a.en")
    (folder / "downloads").mkdir(parents=True)
    for name in names:
        (folder / "downloads" / name).write_text("".join(f"line {number} of {name}\n" for number in range(200)))
    settings = {**about, "files": [{"name": name} for name in names], "reader": reader, "expected": {}}
    files = {f"downloads/{name}": sha256_file(folder / "downloads" / name) for name in names}
    (folder / "settings.json").write_text(Asked("corpus", settings, files=files).text())


def printed_jobs(text: str) -> Iterator[Command]:
    """Yield the jobs in what `snakemake -n -p` prints, each with one worker."""
    for block in re.split(r"\n(?=(?:local)?rule )", text):
        head = re.match(r"(?:local)?rule (\w+):\n", block)
        line = re.search(r"^Shell command: exec +docmt (.*) > \S+ 2>&1$", block, re.MULTILINE)
        if head and line:
            plain = SHELL.sub(lambda path: f"{Path(path[1]).parent}{path[2]}", line[1])
            plain = re.sub(r"\$\(\(.*?\)\)", "1", re.sub(r"\$\{DOCMT_ON_CLUSTER.*?\}", "", plain))
            plain = re.sub(r"--workers \d+", "--workers 1", plain)
            arguments = tuple(shlex.split(plain))
            manifest = re.search(r"^ +output: .*?(\S*manifest\.json)", block, re.MULTILINE)[1]
            gone = {"fixture": "--output", "train": "--state"}.get(head[1])
            yield Command(head[1], "command", arguments, manifest, gone and arguments[arguments.index(gone) + 1])
