"""`docmt`: the commands in the order of the pipeline, and the one handler of errors."""

import functools
import importlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import typer

from docmt.base.errors import INTERRUPTED
from docmt.base.foreign import STANDARD_OUTPUT, explained, naming
from docmt.base.parent import end_with_workflow
from docmt.cli.paths import checked
from docmt.cli.screen import say

COMMANDS = (
    ("systems", "docmt.cli.targets", "systems"),
    ("targets", "docmt.cli.targets", "targets"),
    ("made-checkpoint", "docmt.cli.checkpoint", "made_checkpoint"),
    ("tokens", "docmt.cli.tokens", "tokens"),
    ("views", "docmt.cli.views", "views"),
    ("train", "docmt.cli.train", "train"),
    ("status", "docmt.cli.status", "status"),
    ("decode", "docmt.cli.decode", "decode"),
    ("inspect", "docmt.cli.inspect", "inspect"),
    ("translate", "docmt.cli.translate", "translate"),
    ("translate-passage", "docmt.cli.passage", "translate_passage"),
    ("import-fairseq", "docmt.cli.import_fairseq", "import_fairseq"),
    ("contrastive", "docmt.cli.contrastive", "contrastive"),
    ("score", "docmt.cli.score", "score"),
    ("compare", "docmt.cli.compare", "compare"),
    ("ltcr", "docmt.cli.ltcr", "ltcr"),
    ("align", "docmt.cli.align", "align"),
    ("aer", "docmt.cli.align", "aer"),
    ("coherence", "docmt.cli.adjacent", "coherence"),
    ("cohesion", "docmt.cli.adjacent", "cohesion"),
    ("contrastive-system", "docmt.cli.contrastive", "contrastive_system"),
    ("train-aligner", "docmt.cli.align", "train_aligner"),
    ("score-system", "docmt.cli.score", "score_system"),
    ("compare-table", "docmt.cli.compare", "compare_table"),
    ("report", "docmt.cli.report", "report"),
)
"""Command, module, function. A module imports its stage inside the function, so that `docmt --help` is quick."""

GROUPS = (
    (
        "corpus",
        "docmt.cli.corpus",
        (
            ("fetch", "fetch"),
            ("fixture", "fixture"),
            ("read", "read"),
            ("validate", "validate"),
            ("sources", "sources"),
            ("check", "check"),
        ),
    ),
    (
        "shards",
        "docmt.cli.shards",
        (("tokenise", "tokenise"), ("learn", "learn"), ("encode", "encode"), ("join", "join")),
    ),
    (
        "chains",
        "docmt.cli.chains",
        (("words", "words"), ("segments", "segments"), ("statistics", "statistics")),
    ),
    ("vectors", "docmt.cli.vectors", (("train", "train"), ("corpus", "corpus"))),
    ("human", "docmt.cli.human", (("sheet", "sheet"), ("read", "read"))),
)
"""Commands of two words."""


def build(asked: str | None = None) -> typer.Typer:
    """The application, with every command; or with the one that is asked for, whose module alone is then imported."""
    app = typer.Typer(
        name="docmt",
        help="Document-level machine translation experiments. The workflow calls these commands; each works alone too.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(lambda: None)  # without it, an application of one command takes no name of a command
    known = {name for name, *_ in (*GROUPS, *COMMANDS)}
    needed = known & {asked} or known
    for group, module, commands in (row for row in GROUPS if row[0] in needed):
        functions = importlib.import_module(module)
        sub = typer.Typer(help=functions.__doc__, no_args_is_help=True)
        for name, function in commands:
            sub.command(name)(guarded(checked(getattr(functions, function))))
        app.add_typer(sub, name=group)
    for name, module, function in (row for row in COMMANDS if row[0] in needed):
        app.command(name)(guarded(checked(getattr(importlib.import_module(module), function))))
    return app


def guarded(function: Callable[..., None]) -> Callable[..., None]:
    """Typer takes EOFError for a user who leaves at a prompt; here it is a file that ends too early."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> None:
        try:
            function(*arguments, **options)
        except EOFError as problem:
            raise explained(problem) from problem

    return call


def main() -> None:
    """Run a command. A user's mistake, or trouble with a file, is one message and status 2, or 75: try again.

    The trace comes with DOCMT_DEBUG=1, and with what nobody explains: that is a mistake of ours.
    """
    try:
        end_with_workflow()
        run()
    except BrokenPipeError:
        # The reader (head, less) has seen enough.
        forget_output()
        sys.exit(1)
    except KeyboardInterrupt:
        say("docmt: interrupted")
        sys.exit(INTERRUPTED)
    except Exception as problem:
        told = explained(problem)
        if told is None or os.environ.get("DOCMT_DEBUG") == "1":
            raise
        say(f"docmt: {told}")
        with suppress(OSError):  # that is what was told
            flush()
        sys.exit(told.status)


def run() -> None:
    """Run a command, and print all that it has to say."""
    try:
        with naming(STANDARD_OUTPUT):  # all that is written elsewhere has its name
            build(*sys.argv[1:2])()
    except SystemExit as end:
        if end.code == INTERRUPTED:  # what typer makes of Ctrl-C
            raise KeyboardInterrupt from end
        flush()
        raise


def flush() -> None:
    """Standard output may be a file on a full disk, which shows only when it is written."""
    if sys.stdout is None:
        return
    try:
        with naming(STANDARD_OUTPUT):
            sys.stdout.flush()
    except OSError:
        forget_output()
        raise


def forget_output() -> None:
    """Python would try to write the rest at its end, and fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
