"""The commands of README.md run as they stand on the finished demo, but for the scale in its paths."""

import csv
import re
from pathlib import Path

import pytest
from helpers.how_to import check
from helpers.support import ROOT, Project

LEFT_OUT = {
    "docmt preflight --profile slurm": "asks a Slurm: tests/preflight/test_slurm.py",
    "docmt preflight --sources": "asks public hosts: tests/preflight/test_files.py",
    "docmt why all": "plans every study: tests/plan/test_explain.py",
    "docmt list-targets": "plans every study: tests/cli/test_studies.py",
    "docmt status all --watch": "does not end: tests/cli/test_status.py",
    "docmt list-trainings --follow": "does not end: tests/cli/test_live.py",
    "docmt check-catalogue": "reads every corpus that is there: tests/cli/test_catalogue.py",
    "docmt check-sources": "asks public hosts",
    "docmt add-corpus hub:": "asks the Hub: tests/drafts/test_drafts.py",
    "docmt check-corpus my/corpus.yaml": "needs a corpus of the reader's: tests/corpus/test_check.py",
    "docmt count-chains ted_zh-en": "needs a corpus that is downloaded",
    "docmt --install-completion": "changes the reader's shell",
    "docmt score-contrastive --model MODEL --form": "needs published contrastive sets, and a model of their languages",
    "docmt score-cohesion": "needs a BERT",
    "docmt score-comet": "needs an environment with unbabel-comet: tests/scoring/programs/test_comet_scorer.py",
    "--aligner awesome-align": "needs a BERT",
    "docmt score-links": "needs gold links",
    "docmt reproduce demo": "trains the whole demo again: tests/provenance/test_reproduce.py",
    "docmt import-fairseq": "needs a checkpoint of fairseq",
    "docmt translate --model imported": "needs a checkpoint of fairseq",
}
"""Pieces of the commands that are not run here, and the reasons."""

ASSIGNMENT = re.compile(r"[A-Z]+=\S+( [A-Z]+=\S+)*")


def command_lines(page: str) -> list[str]:
    """The command lines of the page's blocks that call `docmt`, each after the variables that its block names."""
    lines, variables = [], ""
    for block in re.findall(r"^```bash\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if ASSIGNMENT.fullmatch(line):
                variables = line
            elif re.search(r"(^|\| *)docmt ", line):
                lines.append(f"{variables}; {line}" if "$" in line else line)
    return lines


def at_smoke(line: str) -> str:
    """The line with the paths of the demo at the scale `smoke`."""
    line = re.sub(r"(results/[1-4]_\w+/toy_zh-en)(?=/)", r"\1@smoke", line)
    return line.replace("/paper/", "/smoke/")


LINES = command_lines((ROOT / "README.md").read_text(encoding="utf-8"))
RUN = [line for line in LINES if not any(piece in line for piece in LEFT_OUT)]


def fill_sheets(folder: Path) -> None:
    """What annotators do between `docmt draw-sheet` and `docmt read-sheets`."""
    with (folder / "sheet.csv").open(encoding="utf-8-sig", newline="") as stream:
        header, *rows = csv.reader(stream)
    for name, verdicts in (("anna", ("1", "2")), ("ben", ("equal", "2"))):
        with (folder / f"sheet.{name}.csv").open("w", encoding="utf-8", newline="") as stream:
            filled = [[*row[:-1], row[-1] or verdicts[number % 2]] for number, row in enumerate(rows)]
            csv.writer(stream).writerows([header, *filled])


@pytest.mark.timeout(600)
def test_the_commands_run_after_the_demo(demo: Project, programs: Path):
    for line in RUN:
        if "docmt read-sheets" in line:
            fill_sheets(demo.root)
        check(at_smoke(line), "...", demo, programs)
    written = ("exported/contrastive.tsv", "tables/test.parquet", "dataset/README.md", "links", "inside.json")
    assert not [name for name in written if not (demo.root / name).is_file()]


def test_every_reason_is_of_a_command():
    assert not [piece for piece in LEFT_OUT if not any(piece in line for line in LINES)]


def test_the_commands_of_each_section_run():
    commands = {re.search(r"docmt (\S+)", line)[1] for line in RUN}
    assert {"export-corpus", "translate", "score", "compare", "score-contrastive", "score-consistency"} <= commands
    assert {"train-vectors", "score-coherence", "align", "draw-sheet", "read-sheets", "inspect"} <= commands
