"""`docmt`, the launcher of a node, whose ranks are forks of it: they have all libraries at once.

It prints its process id first. Unlike processes of `helpers/forks.py`, the ranks are its children, as those of the real
launcher are: they end with it, and signals come from it.
"""

import os
import signal
from collections.abc import Sequence

from helpers.exit_status import status_of
from helpers.zygote import command

from docmt.base.parent import signal_at_parents_end
from docmt.supervision import launch, meeting

LOST_S = 3.0
"""In the place of a minute: no test waits for long."""


class Fork:
    """A rank, with what a launcher uses of `subprocess.Popen`."""

    def __init__(self, arguments: Sequence[str], variables: dict[str, str]) -> None:
        self.returncode: int | None = None
        self._number = os.fork()
        if self._number == 0:
            status = 1
            try:
                signal_at_parents_end(signal.SIGKILL)
                os.environ.update(variables)
                status = status_of(lambda: command([*arguments]))
            finally:
                os._exit(status)

    def poll(self) -> int | None:
        if self.returncode is None:
            ended, status = os.waitpid(self._number, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if ended else None
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self._number, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def launcher(arguments: list[str]) -> None:
    """Run `docmt` with arguments of `docmt job train`."""
    meeting.LOST_S = LOST_S
    launch.start = lambda variables, end, inherited: Fork(arguments, variables)
    print(os.getpid(), flush=True)
    command(arguments)
