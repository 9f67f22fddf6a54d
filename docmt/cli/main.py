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
from docmt.cli.options import check_paths, given_paths
from docmt.cli.screen import say

COMMANDS = {
    "systems": "targets",
    "targets": "targets",
    "corpus fetch": "corpus",
    "corpus fixture": "corpus",
    "corpus read": "corpus",
    "corpus validate": "corpus",
    "corpus sources": "catalogue",
    "corpus check": "catalogue",
    "made-checkpoint": "stages",
    "tokens": "stages",
    "shards tokenise": "stages",
    "shards learn": "stages",
    "shards encode": "stages",
    "shards join": "stages",
    "views": "stages",
    "chains words": "stages",
    "chains segments": "stages",
    "chains statistics": "catalogue",
    "train": "train",
    "status": "status",
    "decode": "stages",
    "inspect": "stages",
    "translate": "model",
    "translate-passage": "stages",
    "import-fairseq": "model",
    "contrastive": "model",
    "score": "score",
    "compare": "score",
    "ltcr": "align",
    "align": "align",
    "aer": "align",
    "coherence": "adjacent",
    "cohesion": "adjacent",
    "vectors train": "adjacent",
    "vectors corpus": "stages",
    "human sheet": "human",
    "human read": "human",
    "contrastive-system": "stages",
    "train-aligner": "stages",
    "score-system": "stages",
    "compare-table": "stages",
    "report": "stages",
}
"""Of each command the module in `docmt.cli`, where its last word is a function.

A module imports its stage inside the function, so that `docmt --help` is quick.
"""

GROUPS = {
    "corpus": "`docmt corpus`: stage 1, downloads and readers, and the catalogue.",
    "shards": "`docmt shards`: stage 2 of a corpus that is too large for one machine, as several jobs with the same "
    "result.",
    "chains": "`docmt chains`: stage 4, the lexical chains of documents and of segments.",
    "vectors": "`docmt vectors`: word vectors for coherence.",
    "human": "Human evaluation: write a blind sheet of two systems, read filled ones back.",
}
"""Help of the first words of commands of two words."""


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
    known = {name.split()[0] for name in COMMANDS}
    needed = known & {asked} or known
    groups = {name: typer.Typer(help=about, no_args_is_help=True) for name, about in GROUPS.items() if name in needed}
    for words, module in ((name.split(), module) for name, module in COMMANDS.items()):
        if words[0] in needed:
            function = getattr(importlib.import_module(f"docmt.cli.{module}"), words[-1].replace("-", "_"))
            groups.get(words[0], app).command(words[-1])(guarded(function))
    for name, group in groups.items():
        app.add_typer(group, name=name)
    return app


def guarded(function: Callable[..., None]) -> Callable[..., None]:
    """The command with its paths checked first. Typer takes EOFError for a user who leaves at a prompt; here it is a
    file that ends too early."""

    @functools.wraps(function)
    def call(**values: Any) -> None:
        try:
            check_paths([*given_paths(function, values)])
            function(**values)
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
