"""`docmt`: runs a command, and is the one handler of its errors."""

import os
import sys
from contextlib import suppress

from docmt.base.errors import INTERRUPTED
from docmt.base.foreign import STANDARD_OUTPUT, explained, naming
from docmt.base.parent import end_with_workflow
from docmt.cli.commands import build
from docmt.cli.screen import say


def main() -> None:
    """Run a command. A user's mistake, or trouble with a file, is one message and status 2, or 75: try again.

    The trace comes with DOCMT_DEBUG=1, and with what nobody explains: that is a mistake of ours.
    """
    try:
        end_with_workflow()
        run()
    except BrokenPipeError:
        # The reader of the pipe (head, less) has closed it.
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
        with suppress(OSError):  # the message above is about this error
            flush()
        sys.exit(told.status)


def run() -> None:
    """Run a command, and print all that it has to say."""
    try:
        with naming(STANDARD_OUTPUT):  # all that is written elsewhere has its name
            build()(prog_name="docmt")
    except SystemExit as end:
        if end.code == INTERRUPTED:  # what typer makes of Ctrl-C
            raise KeyboardInterrupt from end
        flush()
        raise


def flush() -> None:
    """Write standard output to its end; raise OSError where it is a file on a full disk, which shows only then."""
    if sys.stdout is None:
        return
    try:
        with naming(STANDARD_OUTPUT):
            sys.stdout.flush()
    except OSError:
        forget_output()
        raise


def forget_output() -> None:
    """Discard standard output: Python would try to write the rest at its end, and fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
