"""Validate a crate with roc-validator, offline: run by the Python of an environment made from pins.crate.txt.

`python crate_validator.py CRATE PROFILE SEVERITY` prints the issues as JSON: the severity, the check and the message of
each. The context of RO-Crate, which the validator would download, is the copy in the library rocrate.
"""

import json
import sys
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from requests import Response
from requests.adapters import HTTPAdapter
from requests_cache import CachedSession
from rocrate_validator.models import ValidationSettings
from rocrate_validator.services import validate
from urllib3 import HTTPResponse

CONTEXT = "https://w3id.org/ro/crate/1.1/context"
ACCEPTED = "application/ld+json, application/json"


class Copy(HTTPAdapter):
    """It answers every request with the context of RO-Crate."""

    def send(self, request, **options) -> Response:
        body = files("rocrate").joinpath("data/ro-crate.jsonld").read_bytes()
        assert json.loads(body)["@id"] == CONTEXT
        head = {"Content-Type": "application/ld+json", "Content-Length": str(len(body))}
        answer = HTTPResponse(BytesIO(body), head, 200, preload_content=False, request_url=request.url)
        return self.build_response(request, answer)


def fill(cache: Path) -> None:
    """Put the context into the cache of the validator, under the requests that it makes."""
    with CachedSession(cache_name=str(cache), expire_after=-1, allowable_codes=[200]) as session:
        session.mount("https://", Copy())
        for headers in ({"Accept": ACCEPTED}, {}):
            session.get(CONTEXT, headers=headers)


def main() -> None:
    crate, profile, severity = sys.argv[1:]
    with TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        fill(cache)
        result = validate(
            ValidationSettings(
                rocrate_uri=crate,
                profile_identifier=profile,
                requirement_severity=severity,
                offline=True,
                cache_path=str(cache),
                cache_max_age=-1,
            )
        )
    issues = [
        {"severity": issue.severity.name, "check": issue.check.identifier, "message": issue.message}
        for issue in result.get_issues()
    ]
    print(json.dumps({"passed": result.passed(), "issues": issues}))


main()
