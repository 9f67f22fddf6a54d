"""What can be wrong with an object store: one message each, and no artifact is lost."""

import http.server
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from helpers.object_servers import free_port
from helpers.servers import serving

from docmt.base.errors import UserError
from docmt.store import bucket
from docmt.store.backend import StoreUnusable
from docmt.store.store import backend_at

SECRET = "c2VjcmV0IGtleQ"


class Answering(http.server.BaseHTTPRequestHandler):
    """A server that gives one answer to all requests."""

    status, body, seconds = 500, b"", 0.0
    ended = threading.Event()

    def log_message(self, *_: object) -> None:
        pass

    def answer(self) -> None:
        self.ended.wait(self.seconds)
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body)))
        with suppress(ConnectionError):  # the client may have given up
            self.end_headers()
            self.wfile.write(b"" if self.command == "HEAD" else self.body)

    do_GET = do_HEAD = answer  # noqa: N815 - the names that the library looks for


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """The environment of a client, which asks once and does not wait."""
    variables = {"AWS_ACCESS_KEY_ID": "A" * 20, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_DEFAULT_REGION": "eu-west-1"}
    nowhere = {name: str(tmp_path / "none") for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE")}
    once = {"AWS_MAX_ATTEMPTS": "1", "AWS_EC2_METADATA_DISABLED": "true", "NO_GCE_CHECK": "true"}
    for name, value in {**variables, **nowhere, **once, "CLOUDSDK_CONFIG": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)

    async def no_wait(_: float) -> None:
        pass

    monkeypatch.setattr("gcsfs.retry.asyncio.sleep", no_wait)
    return monkeypatch


def refusal(client: pytest.MonkeyPatch, url: str, scheme: str = "s3") -> StoreUnusable:
    client.setenv("AWS_ENDPOINT_URL", url)
    client.setenv("STORAGE_EMULATOR_HOST", url)
    with pytest.raises(StoreUnusable) as problem:
        backend_at(f"{scheme}://bucket/prefix").read("docmt-store.json")
    assert SECRET not in str(problem.value) and str(problem.value).startswith(f"{scheme}://bucket/prefix/docmt-store")
    assert "--config store_mode=off" in problem.value.remedy
    assert problem.value.what == "the object store cannot be used"
    return problem.value


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("scheme", "status", "code"),
    [
        *(("s3", 403, code) for code in ("InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied")),
        *(("s3", 400, code) for code in ("ExpiredToken", "AuthorizationHeaderMalformed")),
        *(("s3", 404, "NoSuchBucket"), ("s3", 503, "ServiceUnavailable"), ("s3", 418, "Teapot")),
        *(("gs", status, "") for status in (401, 403, 404, 503)),
    ],
)
def test_each_refusal_is_one_message_in_the_words_of_the_server(client, capfd, scheme, status, code):
    of_s3 = f"<Error><Code>{code}</Code><Message>words of the server</Message></Error>"
    body = (of_s3 if scheme == "s3" else '{"error": {"message": "words of the server"}}').encode()
    with serving(type("Server", (Answering,), {"status": status, "body": body})) as url:
        problem = refusal(client, url, scheme)
    assert status == 404 or scheme == "gs" or "words of the server" in str(problem)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("scheme", ["s3", "gs"])
def test_a_server_that_is_gone_or_never_answers_is_one_message(client, scheme):
    client.setattr(bucket, "READ_TIMEOUT", 0.05)
    refusal(client, f"http://127.0.0.1:{free_port()}", scheme)
    ended = threading.Event()
    with serving(type("Server", (Answering,), {"seconds": 60, "ended": ended})) as url:
        refusal(client, url, scheme)
        ended.set()


@pytest.mark.parametrize("profile", [None, "nobody"])
def test_no_key_is_one_message(client, profile):
    client.delenv("AWS_ACCESS_KEY_ID")
    client.delenv("AWS_SECRET_ACCESS_KEY")
    if profile is not None:
        client.setenv("AWS_PROFILE", profile)
    refusal(client, "http://127.0.0.1:9")


@pytest.mark.parametrize(("scheme", "library"), [("s3", "s3fs"), ("gs", "gcsfs.core")])
def test_an_address_without_its_library_names_the_extra(monkeypatch, scheme, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UserError, match=rf"pip install -c pins.txt -e '\.\[{scheme}\]'"):
        backend_at(f"{scheme}://bucket")


@pytest.mark.parametrize("address", ["memory://store", "s3://", "gs:///x", "s3://bucket//x", "s3://bucket/x y"])
def test_another_address_is_refused_with_the_valid_ones(address: str) -> None:
    with pytest.raises(UserError, match=r"valid: a folder, or s3://BUCKET/PATH or gs://BUCKET/PATH"):
        backend_at(address)


def test_a_key_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(UserError, match="an address with a user, a key or a token") as problem:
        backend_at(f"s3://me:{SECRET}@bucket")
    assert SECRET not in str(problem.value)
