"""The exit status of a call, as that of a program."""

import traceback
from collections.abc import Callable


def status_of(call: Callable[[], object]) -> int:
    """Return the exit status of a program that makes this call: 1 after an error, whose trace is printed."""
    try:
        call()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0
