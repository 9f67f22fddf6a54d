"""The program `docmt`: it runs a command and, in this one place, handles the errors of all commands."""

import codecs
import io
import os
import sys
from contextlib import suppress

from docmt.base.credentials import refuse_credentials
from docmt.base.errors import INTERRUPTED, messages
from docmt.base.foreign import STANDARD_OUTPUT, explained, naming
from docmt.base.parent import end_with_workflow
from docmt.base.screen import say
from docmt.cli.commands import build


def main() -> None:
    """Run a command and exit with its status.

    For an error that the user can correct, or an error with a file, one message is printed; the exit status is 2, or 75
    where the same command may succeed when it is run again. Any other error is a mistake in docmt, and is printed with
    its trace. With DOCMT_DEBUG=1 every error is printed with its trace.
    """
    open_closed_streams()
    try:
        end_with_workflow()
        check_words()
        run()
    except BrokenPipeError:
        # The reader of the pipe (head, less) has closed it.
        forget_output()
        sys.exit(1)
    except KeyboardInterrupt:
        say("docmt: interrupted")
        sys.exit(INTERRUPTED)
    except Exception as problem:
        error = explained(problem)
        if error is None or os.environ.get("DOCMT_DEBUG") == "1":
            raise
        for message in messages(error):
            say(f"docmt: {message}")
        # An error of standard output itself has been printed by the line above.
        with suppress(OSError):
            flush()
        sys.exit(error.status)


def check_words() -> None:
    """Raise UserError for an address with credentials on the command line or in a variable of docmt's."""
    for word in sys.argv[1:]:
        refuse_credentials(word, "the command line")
    for name, value in os.environ.items():
        if name.startswith("DOCMT_"):
            refuse_credentials(value, name)


def open_closed_streams() -> None:
    """Open the standard streams that the caller has closed, so that no file of a command gets their numbers.

    Output then fails when it is written, and input when it is read; messages go nowhere. Output is UTF-8 in any locale.
    """
    for name, mode, flags in (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY)):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, flags)
            os.set_inheritable(handle, True)
            setattr(sys, name, os.fdopen(handle, mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
            stream.reconfigure(encoding="utf-8")


def run() -> None:
    """Run a command, and write all of its output before the program ends."""
    try:
        # Code that writes a file adds the file's name to its errors, so that the other errors are of standard output.
        with naming(STANDARD_OUTPUT):
            build()(prog_name="docmt")
    except SystemExit as end:
        # Typer converts Ctrl-C to an exit of which it is the cause. A command that exits so itself has printed a line.
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):
            raise KeyboardInterrupt from end
        flush()
        raise


def flush() -> None:
    """Write what Python still holds of standard output.

    Raises OSError where the output cannot be written: a full disk may be noticed only here.
    """
    try:
        with naming(STANDARD_OUTPUT):
            sys.stdout.flush()
    except OSError:
        forget_output()
        raise


def forget_output() -> None:
    """Discard the rest of standard output; otherwise Python would try to write it when it ends, and fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
