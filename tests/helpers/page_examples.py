"""The examples of README.md and of the pages of docs/: commands, files, settings and Python.

Each example is used: a command runs on the finished demo, or `helpers/left_out.py` has the reason why it does not; its
options and targets are checked in both cases. Settings are parsed. `helpers/how_to.py` says how a page writes examples.
"""

import re
import shlex
from collections.abc import Callable, Collection, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import snakemake.cli
import typer
import yaml
from helpers.first_command import hiding
from helpers.how_to import Block, agree, blocks_of, commands_of, obey, printed
from helpers.left_out import CARRIED_OUT, LEFT_OUT, PYTHON_LEFT_OUT
from helpers.plans import plan_of
from helpers.support import ROOT, Project
from typer.core import TyperGroup
from typer.main import get_command

from docmt.base.errors import UserError
from docmt.cli.commands import build
from docmt.grid.grid import load_grid
from docmt.plan.links import named
from docmt.plan.plan import Plan

SHELL, SAMPLES = ("bash", "console"), ("json", "text", "tsv", "txt", "xml")
"""Forms of blocks with commands, and of blocks that show what a file or a message looks like."""
PATH = re.compile(r"\$\((docmt path [^)]*)\)")
"""A folder or a file below results/ with its id, as a command line has it."""
ID = re.compile(r"(?<=/)[0-9a-f]{10}(?=[/\s)]|$)|(?<= )[0-9a-f]{10}(?= )")
ASSIGNMENT = re.compile(r"[A-Z]+=\S+( [A-Z]+=\S+)*")
NUMBER = re.compile(r"(?:less than )?[+−-]?\d[\d.,]*")
# A smoke run has too few documents for p-values: a footnote in a table, and a dash in the place of a p-value.
OF_A_RUN = re.compile(r"\*\*|[†‡]|@smoke|(?<=\d) [kMG]?B\b|, \d+ identical pairs filled beforehand|(?<=\))\(0\)")
NO_P_VALUE = re.compile(r"(?<=\s)–(?=\s*$)", re.MULTILINE)
FOLDERS = {"study": "studies", "corpus": "corpora"}
"""Where a file is that begins with this key."""
CALLED_BY = {"ssh": "docmt", "srun": "docmt", "docker": "snakemake", "apptainer": "snakemake"}
"""Programs that start ours, and which."""
STUDY, ITEMS = "workflow/studies/demo.yaml", ("tables", "figures", "findings")


class Command(NamedTuple):
    """A command of a page, with the variables that lines before it set, and the output that the page has, if any."""

    line: str
    variables: str
    output: str

    @property
    def reason(self) -> str | None:
        """Why it does not run on the demo, or None."""
        return next((reason for piece, reason in LEFT_OUT.items() if piece in self.line), None)


def pages() -> dict[str, str]:
    """Return the text of README.md and of each page of docs/, by its path."""
    files = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}


def on_the_demo() -> list[str]:
    """Return the paths of pages with examples, but for those that another test carries out."""
    return [path for path, text in pages().items() if path not in CARRIED_OUT and "```" in text]


def commands(blocks: list[Block], variables: str = "") -> list[Command]:
    """Return the commands of blocks, in their order; `variables` are set before the first."""
    result = []
    for block in blocks:
        for line, output in lines_of(block):
            if ASSIGNMENT.fullmatch(line):
                variables = f"{line}; "
            else:
                result.append(Command(line, variables, output))
    return result


def lines_of(block: Block) -> list[tuple[str, str]]:
    if block.form == "console":
        return commands_of(block.body)
    lines = block.body.replace("\\\n", " ").splitlines() if block.form == "bash" else []
    return [(line, "...") for line in lines if line]


def python_of(block: Block) -> str | None:
    """Return the script of a block that runs on the demo, or None."""
    is_script = block.form == "python" and not block.title
    return block.body if is_script and not any(piece in block.body for piece in PYTHON_LEFT_OUT) else None


def run_on_demo(
    block: Block, variables: str, demo: Project, programs: Path | None, before_reading: Callable[[Path], None] = any
) -> str:
    """Do what a block says on the finished demo at scale `smoke`; numbers of outputs may be others.

    Returns the variables that are set afterwards. `before_reading` fills the sheets of annotators.
    """
    if block.title:
        obey(block, demo)
    if script := python_of(block):
        (demo.root / "example.py").write_text(hiding() + at_smoke(script), encoding="utf-8")
        printed("python example.py", demo, programs)
    for command in commands([block], variables):
        variables = command.variables
        if "docmt read-sheets" in command.line:
            before_reading(demo.root)
        if command.reason is None:
            line = at_smoke(variables + command.line)
            plain = without_text if is_translation(command) else without_numbers
            agree(line, plain(command.output), plain(printed(line, demo, programs)))
    return variables


def at_smoke(line: str) -> str:
    """Return a line with the paths of the demo at the scale `smoke`."""
    line = re.sub(r"(results/(?:[1-4]_\w+|7_vectors|7_aligners)/toy_zh-en)(?=[/)\s]|$)", r"\1@smoke", line)
    return line.replace("/paper/", "/smoke/")


def without_numbers(text: str) -> str:
    """Return an output without what another scale changes: a zero for each number, one name of the scale."""
    return re.sub(r"\bsmoke\b", "paper", OF_A_RUN.sub("", NUMBER.sub("0", NO_P_VALUE.sub("0", ID.sub("ID", text)))))


def is_translation(command: Command) -> bool:
    """Return whether a page shows translations, which another training words otherwise."""
    return command.output.strip() != "..." and re.search(r"docmt translate [^>|]*$", command.line) is not None


def without_text(output: str) -> str:
    """Return translations without their words and numbers: lines, and the columns of a table."""
    return re.sub(r"[^\t\n]+", "text", output)


def check_command(line: str, written: Collection[str] = ()) -> None:
    """Raise an error where a command line names an option, a command, a target or a setting that is not there.

    `written`: names of studies and corpora that the page has the reader write.
    """
    line, paths = without_paths(line.replace("\\\n", " "))
    for words in [*paths, *programs_in(line)]:
        if words[0] == "docmt" and words[1:2] != ["--install-completion"]:
            check_docmt(words[1:], written)
        if words[0] == "snakemake":
            check_snakemake(words[1:], written)


def without_paths(line: str) -> tuple[str, list[list[str]]]:
    """Return a line with `$(docmt path TARGET)` replaced by the target, and these calls of docmt."""
    calls = [shlex.split(call[1]) for call in PATH.finditer(line)]
    return PATH.sub(lambda call: shlex.split(call[1])[2], line), calls


def names_written(blocks: list[Block]) -> set[str]:
    """Return the names of the studies and corpora, and in changes of code all names, that the reader writes."""
    files = [block.body for block in blocks if block.title]
    changes = [block.body for block in blocks if block.form == "diff" and block.title.endswith(".py")]
    added = (line for body in changes for line in body.splitlines() if line.startswith("+"))
    return {
        *(match[1] for body in files if (match := re.match(r"(?:study|corpus): (\S+)\n", body))),
        *(name for line in added for name in re.findall(r'"([\w-]+)"', line)),
    }


def programs_in(line: str) -> Iterator[list[str]]:
    """Yield the calls of our programs in a line with pipes, `&&`, redirections and a comment."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    words = list(lexer)
    while words:
        end = next((number for number, word in enumerate(words) if set(word) <= set("|&;<>")), len(words))
        call = words[:end]
        called = CALLED_BY.get(call[0]) if call else None
        if called in call:
            call = call[call.index(called) :]
        if call and call[0] in ("docmt", "snakemake"):
            yield call
        words = words[end + 1 :]


def check_docmt(words: list[str], written: Collection[str] = ()) -> None:
    """Parse a command line of docmt; files that it names need not be there, and `...` stands for other options."""
    command, context = get_command(build()), None
    if words[:1] and words[0] in written:
        return
    try:
        while isinstance(command, TyperGroup):
            context = command.make_context("docmt", list(words), parent=context)
            inner = command.get_command(context, words[0])
            assert inner is not None, f"docmt has no command {words[0]}"
            command, words = inner, words[1:]
        command.make_context(command.name, list(words), parent=context)
    except typer.Exit:
        return  # -h and --version
    except typer.BadParameter as problem:
        is_shortened = "..." in words and str(problem).startswith("Missing")
        if not is_shortened and "does not exist" not in problem.message:
            raise


def check_snakemake(words: list[str], written: Collection[str] = ()) -> None:
    """Parse a command line of snakemake, and find its settings, its profile and its targets."""
    given = snakemake.cli.get_argument_parser().parse_args(words)
    for profile in given.profile or ():
        assert [*(ROOT / profile).glob("profile*.yaml"), *(ROOT / profile).glob("config*.yaml")], profile
    config = dict(word.split("=", 1) for word in given.config or () if word.count("="))
    assert len(config) == len(given.config or ()), f"targets behind --config: {given.config}"
    plan = whole_plan(frozenset(item for item in config.items() if item[0] not in ("studies", "corpora")))
    unknown = [target for target in given.targets if not is_known(target, plan, written)]
    assert not unknown, f"no target of snakemake: {unknown}"


def is_known(target: str, plan: Plan, written: Collection[str]) -> bool:
    """Return whether a target is a study, or a file that a job makes; another workflow's names begin with `docmt_`."""
    if {*written} & {*target.replace("@smoke", "").split("/")}:
        return True
    try:
        return any(plan.closure(named(plan, target.removeprefix("docmt_"))[0]))
    except UserError:
        return False


@cache
def whole_plan(config: frozenset[tuple[str, str]]) -> Plan:
    return plan_of(ROOT, **{key: yaml.safe_load(value) for key, value in config})


def check_settings(blocks: list[Block], project: Project) -> None:
    """Parse the settings of a page: whole files, keys of config.yaml, or parts of a study with the demo's systems."""
    project.write(STUDY, {key: value for key, value in project.read(STUDY).items() if key not in ITEMS})
    settings = [yaml.safe_load(block.body) for block in blocks if block.form == "yaml" and not block.title]
    known = project.read("config.yaml").keys()
    for part in settings:
        if part.get("apiVersion"):
            continue  # of Kubernetes
        if whole := next((key for key in ("study", "corpus") if key in part), None):
            project.write(f"workflow/{FOLDERS[whole]}/{part[whole]}.yaml", part)
            continue
        place = "config.yaml" if part.keys() <= known else STUDY
        project.write(place, merged(project.read(place), part))
    if settings:
        load_grid(project.root)


def merged(value: dict, part: dict) -> dict:
    """Return a mapping with the keys of another one, which replace its own; mappings inside are merged too."""
    both = {key: merged(value[key], part[key]) for key in value.keys() & part.keys() if is_mapping(value, part, key)}
    return value | part | both


def is_mapping(value: dict, part: dict, key: str) -> bool:
    return isinstance(value[key], dict) and isinstance(part[key], dict)


def blocks_of_page(path: str) -> list[Block]:
    """Return the blocks of a page. Raises AssertionError for a block that no test would use."""
    blocks = blocks_of(pages()[path])
    unused = {block.form for block in blocks if not block.title} - {*SHELL, *SAMPLES, "yaml", "python"}
    assert not unused, f"{path}: nothing reads blocks of the form {unused} without a title"
    return blocks
