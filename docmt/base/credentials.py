"""Addresses without credentials.

What a setting, an option or a variable states goes to records, crates, logs and messages. So an address with
credentials is refused where a person states it (`refuse_credentials`), and what servers and libraries say is written
without them (`without_credentials`). Credentials are stated where the libraries that ask servers look for them:
`~/.netrc` for downloads, and the environment for stores.
"""

import re
from urllib.parse import unquote

from docmt.base.errors import UserError

# An address in a text: its beginning, its user and host, and the rest. The scheme `s3:` is before the beginning.
ADDRESS = re.compile(r"(https?:[/\\]*|//+)([^\s\"'<>`/\\?#]*)([^\s\"'<>`]*)", re.IGNORECASE)
# A host without a user, with the punctuation that may follow it in a sentence.
HOST = re.compile(r"(\[[\da-f:.]+\]|[^@:%\[\]]*)(:\d*)?[^\w@:%]*", re.IGNORECASE)
# The names that a query may have. All others are refused: a token may have any name, such as `sig` or `rlkey`.
QUERY = (
    *("confirm", "dl", "download", "export", "file", "filename", "format", "id", "inline", "isallowed", "name", "path"),
    *("raw", "recursive", "ref", "revision", "sequence", "sourceurl", "version", "web"),
)
REMEDY = (
    "state user and password in ~/.netrc, or in the file that NETRC names: machine HOST login USER password TOKEN;"
    " for the keys of a store see docs/how-to/share-artifacts.md"
)


def refuse_credentials(text: str, where: str) -> None:
    """Raise UserError, whose message has no part of the secret, for an address with credentials in a text."""
    for address in ADDRESS.finditer(text):
        if _has_credentials(address):
            raise UserError(
                "an address with a user, a key or a token",
                where=where,
                found=f"{address[1]}...",
                expected=f"no user (USER@HOST), and in the query only {', '.join(QUERY)}",
                remedy=REMEDY,
            )


def without_credentials(text: str) -> str:
    """Return a text whose addresses have no user, no query and no fragment."""
    return ADDRESS.sub(lambda found: found[1] + found[2].rpartition("@")[2] + re.split("[?#;]", found[3])[0], text)


def _has_credentials(address: re.Match) -> bool:
    """Return whether an address has a user, or a part of a query with a name that is not in QUERY."""
    place, _, fragment = address[3].partition("#")
    path, _, query = place.partition("?")
    # A path and a fragment may have any word, but also parameters, such as `;jsessionid=` and `#access_token=`.
    parts = re.split("[;&?]", query) + [part for part in re.split("[;&]", f"{path};{fragment}")[1:] if "=" in part]
    pairs = [part.strip(".,:)!*").partition("=") for part in parts]
    names = {name.lower() for name, equals, _ in pairs if name or equals}
    inner = [match for _, _, value in pairs for match in ADDRESS.finditer(unquote(value))]
    return HOST.fullmatch(address[2]) is None or not names <= {*QUERY} or any(map(_has_credentials, inner))
