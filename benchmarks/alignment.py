"""Word aligners beside gold alignments: python benchmarks/alignment.py MIRROR [FOLDER]; the record is alignment.md.

Each learns from the Bible and, for Zh-En, from TVsub (`bible_pd`, `tvsub_zh-en` of the mirror), tokenised as docmt does
it, and aligns the sentences of `wordalign_gold`, whose tokens stay as they are. eflomal, which has no seed, runs twice.
Texts and links stay in FOLDER, if one is named. Processor seconds are those of all processes of a run; memory is the
most that one of them held (its peak resident set).
"""

import json
import os
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docmt.scoring.alignment.links import (
    HEURISTICS,
    Aligner,
    Quality,
    alignment_quality,
    pharaoh_line,
    read_gold,
    read_unchecked_links,
)
from docmt.scoring.alignment.programs import Eflomal
from docmt.scoring.alignment.training import DefaultAligner, train
from docmt.settings.data import TextConfig
from docmt.text.tokenizers import tokenizer_for

SETS = {"zhen": ("zh", "en"), "enfr": ("en", "fr")}
RUNS = {"default": "default", "eflomal, first run": "eflomal", "eflomal, second run": "eflomal"}
SHOWN = ("grow-diag-final-and", "intersection", "forward", "backward")
Pair = tuple[str, str]


@dataclass(frozen=True)
class Run:
    """A process: processor seconds, and the most that it or one that it started held, in MiB."""

    cpu: float
    peak: float


def text(archive: Path, member: str) -> list[str]:
    with tarfile.open(archive) as files:
        return files.extractfile(member).read().decode("utf-8").removesuffix("\n").split("\n")


def bible(mirror: Path, source: str, target: str) -> Iterator[Pair]:
    """Verses that both languages have."""
    archive = mirror / "bible_pd.tar.gz"
    verses, others = (
        dict(line.split("\t", 1) for line in text(archive, f"bible_pd/verses.{language}.tsv"))
        for language in (source, target)
    )
    return ((verse, others[name]) for name, verse in verses.items() if name in others)


def subtitles(mirror: Path, source: str, target: str) -> Iterator[Pair]:
    """All training lines, episode by episode."""
    sides: dict[str, dict[int, list[str]]] = {source: {}, target: {}}
    with tarfile.open(mirror / "tvsub_zh-en.tar.gz") as files:
        for member in files:
            if "/train/" in member.name and member.isfile():
                name = Path(member.name)
                lines = files.extractfile(member).read().decode("utf-8").removesuffix("\n").split("\n")
                sides[name.suffix[1:]][int(name.stem)] = lines
    for episode, lines in sorted(sides[source].items()):
        yield from zip(lines, sides[target][episode], strict=True)


def training_text(mirror: Path, source: str, target: str) -> Iterator[Pair]:
    yield from bible(mirror, source, target)
    if source == "zh":
        yield from subtitles(mirror, source, target)


def write_texts(mirror: Path, name: str, folder: Path) -> None:
    """`train.<language>`, and `gold.<language>` as the annotators had them."""
    pairs = [line.split("|||") for line in text(mirror / "wordalign_gold.tar.gz", f"wordalign_gold/{name}.src-tgt")]
    training = list(training_text(mirror, *SETS[name]))
    for side, language in enumerate(SETS[name]):
        tokenizer = tokenizer_for(language, TextConfig())
        write(folder / f"train.{language}", (" ".join(tokenizer.tokenize(pair[side])) for pair in training))
        write(folder / f"gold.{language}", (" ".join(pair[side].split()) for pair in pairs))
    for end in ("gold", "awesome-align.out"):
        write(folder / end, text(mirror / "wordalign_gold.tar.gz", f"wordalign_gold/{name}.{end}"))


def write(path: Path, lines) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def read(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def align(folder: Path, languages: Pair, kind: str, output: Path) -> None:
    """In a process of its own. `output`: beside it a file for each heuristic that is shown."""
    training, lines = ([read(folder / f"{part}.{language}") for language in languages] for part in ("train", "gold"))
    aligner: Aligner = Eflomal(*training) if kind == "eflomal" else DefaultAligner(train(*training))
    found = aligner.align(*lines)
    print(found.signature, file=sys.stderr)
    for heuristic in SHOWN:
        links = (pharaoh_line(HEURISTICS[heuristic](aligned)) for aligned in found.lines)
        write(output.with_name(f"{output.name}.{heuristic}"), links)


def run(*arguments: str) -> Run:
    """This file with arguments, waited for."""
    command = [sys.executable, __file__, *arguments]
    _, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, command[0], command), 0)
    if status:
        raise SystemExit(f"{command} failed")
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**10)


def quality(links: Path, folder: Path) -> Quality:
    return alignment_quality(read_unchecked_links(links), read_gold(folder / "gold", counts_from_1=True))


def measure(mirror: Path, folder: Path, name: str) -> Iterator[list[str]]:
    """Rows of the table: of each run of an aligner, and of awesome-align's output that lies in the mirror."""
    folder.mkdir(parents=True, exist_ok=True)
    write_texts(mirror, name, folder)
    for title, kind in RUNS.items():
        output = folder / title.replace(", ", ".").replace(" ", "-")
        used = run("--align", json.dumps([str(folder), SETS[name], kind, str(output)]))
        main, *others = (quality(output.with_name(f"{output.name}.{heuristic}"), folder) for heuristic in SHOWN)
        numbers = (f"{value:.2f}" for value in (main.aer, main.precision, main.recall, *(one.aer for one in others)))
        yield [name, title, *numbers, f"{used.cpu:.0f}", f"{used.peak:.0f}"]
    given = quality(folder / "awesome-align.out", folder)
    numbers = (f"{value:.2f}" for value in (given.aer, given.precision, given.recall))
    yield [name, "awesome-align, of the mirror", *numbers, *[""] * 5]


def main() -> None:
    if sys.argv[1:2] == ["--align"]:
        folder, languages, kind, output = json.loads(sys.argv[2])
        align(Path(folder), languages, kind, Path(output))
        return
    others = (f"AER, {heuristic}" for heuristic in SHOWN[1:])
    columns = ["set", "aligner", "AER", "precision", "recall", *others, "CPU s", "peak MiB"]
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path((sys.argv[2:] or [temporary])[0])
        for name in SETS:
            for row in measure(Path(sys.argv[1]), folder / name, name):
                print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
