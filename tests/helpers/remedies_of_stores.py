"""Remedies of stores, carried out."""

import http.server
import subprocess

from helpers.object_servers import free_port
from helpers.remedies import Action, carried, refused
from helpers.remedies_of_plans import Room, config_of
from helpers.servers import serving
from helpers.stored import new_store

from docmt.store.signatures import signature_of
from docmt.store.store import backend_at, open_store


@carried("store/signatures.py", "to make a key: ssh-keygen -t ed25519")
def no_key(room: Room):
    path = room.folder / "id"
    path.write_text("no key\n")

    def run_of_it():
        path.unlink()
        command = str(refused_once.remedy).removeprefix("to make a key: ").split()
        subprocess.run([*command, "-q", "-N", "", "-f", str(path)], check=True)
        signature_of("", path)

    refused_once = refused(lambda: signature_of("", path))
    return lambda: signature_of("", path), run_of_it


@carried(
    "store/folder.py",
    "name a store that can be used (`store` in config.yaml), or go on without one: --config store_mode=off",
)
def a_store_that_is_a_file(room: Room):
    (room.folder / "store").touch()
    (room.folder / "other").mkdir()
    check = lambda folder: open_store(str(folder)).check()  # noqa: E731

    def without():
        problem = refused(lambda: check(room.folder / "store"))
        assert not room.grid(store=str(room.folder / "store"), **config_of(str(problem.remedy))).pulls

    return lambda: check(room.folder / "store"), lambda: check(room.folder / "other"), without


@carried(
    "store/folder.py",
    "name a store that can be used (`store` in config.yaml), or go on without one: --config store_mode=off; "
    "to begin a store: mkdir {}",
)
def a_store_that_is_not_there(room: Room):
    check = lambda: open_store(str(room.folder / "store")).check()  # noqa: E731

    def begun():
        subprocess.run(str(refused(check).remedy).split("to begin a store: ")[1].split(), check=True)
        check()

    return check, begun


@carried("store/store.py", "name an empty folder, or a store (`store` in config.yaml)")
def a_store_with_other_files(room: Room):
    for name in ("full", "empty"):
        (room.folder / name).mkdir()
    (room.folder / "full/notes").touch()
    new_store(room.folder / "begun")
    check = lambda name: lambda: open_store(str(room.folder / name)).check()  # noqa: E731
    return check("full"), check("empty"), check("begun")


GO_ON = "name a store that can be used (`store` in config.yaml), or go on without one: --config store_mode=off"


SEE = (
    "see the bucket (docmt makes none), the server, the region, your key (AWS_PROFILE or AWS_ACCESS_KEY_ID,"
    " GOOGLE_APPLICATION_CREDENTIALS) and its rights: docs/how-to/share-artifacts.md"
)


class Bucket(http.server.BaseHTTPRequestHandler):
    """A server of S3 in one region, whose bucket is empty."""

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        is_here = "/eu-west-1/s3/" in self.headers.get("Authorization", "")
        code = "NoSuchKey" if is_here else "AuthorizationHeaderMalformed"
        is_list = is_here and "list-type" in self.path
        body = "<ListBucketResult/>" if is_list else f"<Error><Code>{code}</Code></Error>"
        self.send_response(200 if is_list else 404 if is_here else 400)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())


def of_bucket(room: Room, **variables: str | None) -> Action:
    """The store of a bucket is read with other variables; None: without this one."""
    keys, once = room.folder / "keys", {"AWS_MAX_ATTEMPTS": "1", "AWS_EC2_METADATA_DISABLED": "true"}
    keys.write_text("[mine]\naws_access_key_id = me\naws_secret_access_key = mine\n")
    files = {
        "AWS_CONFIG_FILE": str(room.folder / "none"),
        "AWS_SHARED_CREDENTIALS_FILE": str(keys),
        "AWS_PROFILE": None,
    }
    stated = {"AWS_ACCESS_KEY_ID": "me", "AWS_SECRET_ACCESS_KEY": "mine", "AWS_DEFAULT_REGION": "eu-west-1"}

    def read() -> None:
        with serving(Bucket) as url:
            for name, value in {**once, **files, **stated, "AWS_ENDPOINT_URL": url, **variables}.items():
                if value is None:
                    room.monkeypatch.delenv(name, raising=False)
                else:
                    room.monkeypatch.setenv(name, value)
            assert backend_at("s3://bucket/path").read("docmt-store.json") is None

    return read


@carried("store/bucket.py", f"{SEE}; {GO_ON}")
def a_bucket_that_cannot_be_used(room: Room):
    new_store(room.folder / "store")
    no_key = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}
    elsewhere = of_bucket(room, AWS_ENDPOINT_URL=f"http://127.0.0.1:{free_port()}")
    other_region = of_bucket(room, AWS_DEFAULT_REGION="us-east-1")
    for unusable in (elsewhere, other_region):
        refused(unusable)

    def go_on() -> None:
        config = config_of(str(refused(elsewhere).remedy))
        assert not room.grid(store="s3://bucket/path", **config).pulls

    with_key = of_bucket(room, **no_key | {"AWS_PROFILE": "mine"})
    return of_bucket(room, **no_key), with_key, of_bucket(room), go_on
