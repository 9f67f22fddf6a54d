"""The signs that an answer of a server is not the file: a web page, a login, or a file without its archive's magic."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from docmt.base.credentials import without_credentials
from docmt.base.errors import printable

HEAD_BYTES = 1 << 12  # The number of first bytes that show what a file is.
# The beginning of a web page.
PAGE = re.compile(rb"\s*(<!--.*?-->\s*)*<(!doctype\s+html|html|head)\b", re.IGNORECASE | re.DOTALL)
TITLE = re.compile(rb"<title[^>]*>\s*(.*?)\s*</title>", re.IGNORECASE | re.DOTALL)
# The first bytes of files whose names have these endings, and the name of the form.
MAGIC = {
    (".tgz", ".gz"): (b"\x1f\x8b", "gzip"),
    (".zip",): (b"PK", "zip"),
    (".xz", ".txz"): (b"\xfd7zXZ\0", "xz"),
    (".bz2", ".tbz2"): (b"BZh", "bzip2"),
    (".zst", ".tzst"): (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (".parquet",): (b"PAR1", "Parquet"),
}
# A part of the addresses to which servers redirect those who are not logged in.
LOGIN = re.compile(r"(^|[/.])(log-?in|sign-?in|accounts|oauth2?|sso|ServiceLogin)([/.?]|$)", re.IGNORECASE)


def login_of(stated: str, final: str) -> str | None:
    """Return the address of a login to which a request was redirected; None where the final address is no login."""
    if stated == final:
        return None
    parts = urlsplit(final)
    is_login = LOGIN.search(parts.netloc) or LOGIN.search(parts.path)
    is_new = is_login and not LOGIN.search(urlsplit(stated).path)
    return without_credentials(final).partition("//")[2] if is_new else None


def page_problem(data: bytes) -> str:
    """Return the description of a web page for a message, with its title."""
    match = TITLE.search(data)
    text = without_credentials(" ".join(match[1].decode("utf-8", "replace").split())) if match else ""
    title = printable(text, breaks="")[:80]
    return f"a web page, not the file{f' ({title})' if title else ''}"


def wrong_kind(path: Path, name: str) -> str | None:
    """Return why the content of `path` cannot be that of the file `name`; None where it can be."""
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    if not head:
        return "an empty file"
    if PAGE.match(head) and not name.lower().endswith((".html", ".htm")):
        return page_problem(head)
    for endings, (magic, form) in MAGIC.items():
        if name.lower().endswith(endings) and not head.startswith(magic):
            return f"not a {form} file, as its name says: it begins with {head[:8]!r}"
    return None
