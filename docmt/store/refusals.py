"""What the libraries of object stores say when something is wrong, as one message."""

from dataclasses import dataclass

from docmt.base.errors import TRY_AGAIN, USER_MISTAKE
from docmt.base.foreign import first_line
from docmt.store.backend import StoreUnusable
from docmt.store.folder import REMEDY


@dataclass(frozen=True)
class Trouble:
    """A message about an object store: `what` is wrong, and the `remedy` beside the general one, empty where none is.

    `signs`: the codes of the servers' answers, and the names of exceptions, any of which means this.
    """

    what: str
    remedy: str
    signs: frozenset[str]
    status: int = USER_MISTAKE


def _trouble(what: str, remedy: str, signs: str, status: int = USER_MISTAKE) -> Trouble:
    return Trouble(what, remedy, frozenset(signs.split()), status)


TROUBLES = (
    _trouble(
        "there is no such bucket",
        "make the bucket first: docmt makes none",
        "NoSuchBucket 404 FileNotFoundError",
    ),
    _trouble(
        "no key for the object store is known here",
        "s3://: AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; gs://: GOOGLE_APPLICATION_CREDENTIALS",
        "NoCredentialsError PartialCredentialsError ProfileNotFound CredentialRetrievalError DefaultCredentialsError",
    ),
    _trouble(
        "the object store does not accept the key",
        "see which key the environment and the files of its library state, and whether it is still valid",
        "InvalidAccessKeyId SignatureDoesNotMatch InvalidToken ExpiredToken 401 RefreshError UnauthorizedSSOTokenError "
        "TokenRetrievalError NonRetryableError",
    ),
    _trouble(
        "the bucket is in another region",
        "state its region (AWS_DEFAULT_REGION)",
        "PermanentRedirect AuthorizationHeaderMalformed IllegalLocationConstraintException NoRegionError 301 307",
    ),
    _trouble(
        "the clock of this machine is wrong, so the object store refuses its requests", "", "RequestTimeTooSkewed"
    ),
    _trouble(
        "the object store is full, or the quota is used up",
        "",
        "QuotaExceeded InsufficientStorage XMinioStorageFull EntityTooLarge 507",
    ),
    _trouble(
        "no permission to use the store in this way",
        "reading needs the rights to list and to read objects, writing those to write and to remove them",
        "AccessDenied AllAccessDisabled 403 PermissionError",
    ),
    _trouble(
        "the object store cannot be reached, or does not answer",
        "see the address of the server (AWS_ENDPOINT_URL, STORAGE_EMULATOR_HOST) and the network",
        "EndpointConnectionError ConnectionClosedError ConnectTimeoutError ReadTimeoutError ClientConnectorError "
        "ServerDisconnectedError ClientPayloadError ClientOSError TimeoutError FSTimeoutError ConnectionError "
        "ProxyError ProxyConnectionError RequestTimeout 408 429 500 502 503 504 SlowDown ServiceUnavailable "
        "InternalError",
        TRY_AGAIN,
    ),
)
EXISTS = frozenset(("PreconditionFailed", "412", "FileExistsError"))
"""Signs that an object is there, which a conditional request was to write."""
CONFLICT = frozenset(("ConditionalRequestConflict", "409"))
"""Signs that two writers came at the same time, and that this one may try again."""
NO_CONDITIONS = frozenset(("NotImplemented", "501"))
"""Signs that a server knows no conditional requests."""

NO_BYTES = frozenset(("InvalidRange", "416"))
"""Signs that an object has no byte in the part that was asked for."""


def signs_of(problem: BaseException) -> list[str]:
    """Return what an exception of a library says, most precise first: the server's code, then the names of classes."""
    chain = [cause for cause in (problem, problem.__cause__) if cause is not None]
    answers = [getattr(cause, "response", None) for cause in chain]
    codes = [str(answer.get("Error", {}).get("Code")) for answer in answers if isinstance(answer, dict)]
    codes += [str(cause.code) for cause in chain if getattr(cause, "code", None)]
    codes += ["403"] * str(problem).startswith("Forbidden")
    return codes + [cls.__name__ for cause in chain for cls in type(cause).__mro__]


def unusable(problem: BaseException, where: str) -> StoreUnusable:
    """Return the message about an exception of a library; it has the server's words, and no keys."""
    signs = signs_of(problem)
    known = next((trouble for sign in signs for trouble in TROUBLES if sign in trouble.signs), None)
    remedy = f"{known.remedy}; {REMEDY}" if known and known.remedy else REMEDY
    what = known.what if known else "the object store, or its library, refuses the request"
    status = known.status if known else USER_MISTAKE
    return StoreUnusable(what, where=where, found=first_line(problem), remedy=remedy, status=status)
