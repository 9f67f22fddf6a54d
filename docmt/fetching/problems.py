"""The failures of sources and transfers."""

from docmt.base.credentials import without_credentials


class SourceFailed(Exception):
    """The failure of a source to give a file; the text of the exception is the reason."""


class Interrupted(Exception):
    """The error of a transfer that broke off; another attempt may continue the transfer."""


class WrongContent(SourceFailed):
    """The failure of a source that gave another content than expected."""


def reason(problem: Exception) -> str:
    """Return the cause of a failed transfer, without the messages that the library `requests` puts around the cause.

    An address in it, to which a server has redirected, has no query: that may be a signature.
    """
    while problem.args and isinstance(problem.args[0], Exception):
        problem = problem.args[0]
    inner = getattr(problem, "reason", None)
    # The messages of the library begin with the name of a connection object, which ends at the first colon.
    return without_credentials(str(inner or problem).split(": ", 1)[-1])
