"""The commands of `docmt` by their names, and the help that lists them.

The name of a command is a verb, followed by `-object` where the verb has several objects (`score`,
`score-contrastive`); only `path`, `why` and `status` are questions, `preflight` is the name of a check, and `job` is
what the workflow calls. The commands of `docmt store` have the names that tools which share files have for the same
things (`pull`, `push`, `ls`, `gc`); their object is the store.
Files and folders are options; only a list of things of the same kind (sets, sheets, corpora, shards), or the one thing
that a command is about, is an argument. A command that corresponds to a function of the Python API has the name of the
function, with `-` for `_`.
"""

import functools
import importlib
import inspect
import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from docmt.base.errors import check_known
from docmt.base.foreign import explained
from docmt.base.machine import commit
from docmt.base.screen import at_work
from docmt.base.version import VERSION
from docmt.cli.options import check_paths, given_paths, repeat_config
from docmt.cli.standard_input import standard_input_as_file

# For each heading of the help, the names of its commands and, for each command, its module in `docmt.cli`.
Sections = Mapping[str, Mapping[str, str]]

FOR_YOU: Sections = {
    "Use a trained model": {
        "translate": "translate",
        "score-contrastive": "contrastive",
        "inspect": "inspect",
        "import-fairseq": "fairseq",
        "export-model": "export_model",
    },
    "Score translations": {
        "score": "score",
        "compare": "score",
        "score-consistency": "consistency",
        "score-coherence": "adjacent",
        "score-cohesion": "adjacent",
        "score-comet": "comet",
        "train-vectors": "adjacent",
        "draw-sheet": "human",
        "read-sheets": "human",
    },
    "Align words": {"align": "align", "score-links": "align"},
    "Work on corpora": {
        "add-corpus": "add_corpus",
        "check-corpus": "corpus",
        "check-catalogue": "corpus",
        "export-corpus": "export",
    },
    "Prepare a run": {"init": "init", "fetch-files": "downloads", "preflight": "preflight"},
    "Watch runs and manage results": {
        "status": "status",
        "list-systems": "studies",
        "list-targets": "studies",
        "list-trainings": "trainings",
        "check-findings": "results",
        "path": "results",
        "why": "results",
        "list-results": "results",
        "remove-results": "results",
        "collect-scores": "results",
    },
    "Publish and reproduce results": {"write-crate": "provenance", "reproduce": "provenance"},
    "Called by the workflow": {"job": "job"},
}

STORE: Sections = {
    "Exchange artifacts with other teams": {"pull": "store.exchange", "push": "store.exchange"},
    "Look at the store": {
        "ls": "store.contents",
        "show": "store.contents",
        "du": "store.contents",
        "verify": "store.contents",
    },
    "Remove artifacts": {"gc": "store.contents"},
    "Trust artifacts of others": {"sign": "store.contents"},
}

ABOUT = """Document-level machine translation experiments.

A command is a verb, or a verb and its object: `docmt score`, `docmt score-contrastive`. What a command reads is an
option; `-` is standard input. Commands that print take --json."""

ABOUT_STORE = """Share with other teams what jobs have made.

The store is that of config.yaml (`store`). A run pulls and pushes by itself; see `store_mode` in config.yaml."""
HEADING_OF_STORE = "Share artifacts"

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 120}


class ConfiguredCommand(TyperCommand):
    """A command that takes several settings behind one `--config`, as snakemake does."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words behind the command's name."""
        return super().parse_args(ctx, repeat_config(args))


class LazyGroup(TyperGroup):
    """A group of commands in sections. A module is imported when a command of it is called or listed, to save time."""

    sections: ClassVar[Sections] = {}

    def modules(self) -> dict[str, str]:
        """Return the module of each command by the command's name."""
        return {name: module for section in self.sections.values() for name, module in section.items()}

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, in the order of the help."""
        return [*self.modules(), *self.commands]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command of the first word. Raises UserError, with the nearest name, where there is none."""
        if not args[0].startswith("-"):
            check_known("command", args[0], self.list_commands(ctx), ctx.parent and ctx.command_path)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import and return the command `cmd_name`, or return None where no command has this name."""
        module = self.modules().get(cmd_name)
        return (
            super().get_command(ctx, cmd_name) if module is None else command(cmd_name, function_of(cmd_name, module))
        )

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands section by section, each with the whole first sentence of its help; then the groups."""
        groups = {HEADING_OF_STORE: [*self.commands]} if self.commands else {}
        for heading, names in {**self.sections, **groups}.items():
            with formatter.section(heading):
                rows = [(name, first_sentence(self.get_command(ctx, name).help)) for name in names]
                formatter.write_dl(rows)


class StoreCommands(LazyGroup):
    """The group `docmt store`: the commands on the store of artifacts."""

    sections: ClassVar[Sections] = STORE


class Commands(LazyGroup):
    """The group `docmt`: the commands that people call, and the group `docmt store`."""

    sections: ClassVar[Sections] = FOR_YOU


def application(group: type[LazyGroup], about: str) -> typer.Typer:
    """Return a group of commands as a Typer application without commands of its own."""
    return typer.Typer(
        cls=group,
        help=about,
        no_args_is_help=True,
        context_settings=CONTEXT,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        add_completion=group is Commands,
    )


def build() -> typer.Typer:
    """Return the Typer application `docmt` with all commands."""
    app = application(Commands, ABOUT)
    app.callback()(version_option)
    commands = application(StoreCommands, ABOUT_STORE)
    commands.callback()(lambda: None)
    app.add_typer(commands, name="store")
    return app


def show_version(wanted: bool) -> None:
    """Print the version, with the commit of a clone, and exit, if `wanted`."""
    if wanted:
        known = commit()
        typer.echo(f"docmt {VERSION}, commit {known[:10]}" if known else f"docmt {VERSION}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", help="Show the version and exit.", callback=show_version, is_eager=True)
]


def version_option(version: Version = False) -> None:
    """Accept --version beside the commands."""


def function_of(name: str, module: str) -> Callable[..., None]:
    """Import and return the function of a command."""
    return getattr(importlib.import_module(f"docmt.cli.{module}"), name.replace("-", "_"))


def command(name: str, function: Callable[..., None]) -> Any:
    """Return a function as a command of the command line."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    about = inspect.getdoc(function)
    settings = {"cls": ConfiguredCommand, "context_settings": CONTEXT, "short_help": first_sentence(about)}
    app.command(name, help=about, **settings)(guarded(name, function))
    return get_command(app)


def guarded(name: str, function: Callable[..., None]) -> Callable[..., None]:
    """Return the function of a command: paths are checked first, `-` is standard input, and no wait is silent."""

    @functools.wraps(function)
    def call(**values: Any) -> None:
        try:
            with standard_input_as_file(function, values) as replaced:
                check_paths([*given_paths(function, replaced)])
                # A job has signs of its own, in its log.
                with nullcontext() if name == "job" else at_work(name):
                    function(**replaced)
        except EOFError as problem:
            # Typer treats EOFError as a user who leaves at a prompt, but in docmt it means a file that ends too early.
            raise explained(problem) from problem

    return call


def first_sentence(text: str | None) -> str:
    """Return the first sentence of a help text, on one line."""
    paragraph = " ".join((text or "").strip().split("\n\n")[0].split())
    return re.split(r"(?<=[.?]) ", paragraph)[0]
