"""`docmt`: the commands in the order of the pipeline, and the one handler of errors."""

import importlib
import os
import sys

import typer

from docmt.cli.paths import checked
from docmt.cli.screen import say
from docmt.core.errors import INTERRUPTED, UserError
from docmt.core.parent import end_with_workflow

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
            sub.command(name)(checked(getattr(functions, function)))
        app.add_typer(sub, name=group)
    for name, module, function in (row for row in COMMANDS if row[0] in needed):
        app.command(name)(checked(getattr(importlib.import_module(module), function)))
    return app


def main() -> None:
    """Run a command. What a user can mend is one message and a status, 2 as a rule; the trace: DOCMT_DEBUG=1."""
    try:
        end_with_workflow()
        build(*sys.argv[1:2])()
    except UserError as problem:
        if os.environ.get("DOCMT_DEBUG") == "1":
            raise
        say(f"docmt: {problem}")
        sys.exit(problem.status)
    except KeyboardInterrupt:
        say("docmt: interrupted")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader (head, less) has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


if __name__ == "__main__":
    main()
