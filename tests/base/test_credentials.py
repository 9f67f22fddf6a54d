"""Which addresses are refused, and how addresses of servers are written."""

import pytest

from docmt.base.credentials import refuse_credentials, without_credentials
from docmt.base.errors import UserError

CANARY = "c4n4ry"
REFUSED = {
    "user and password": f"https://me:{CANARY}@host/a.tgz",
    "token as user": f"https://{CANARY}@host/a.tgz",
    "token as user of a port": f"http://x-oauth:{CANARY}@host:8080/a.tgz",
    "upper case": f"HTTPS://ME:{CANARY}@HOST/",
    "no slashes": f"https:me:{CANARY}@host/",
    "backslashes": f"https:\\\\me:{CANARY}@host/",
    "no scheme": f"//me:{CANARY}@host/",
    "file": f"file://me:{CANARY}@host/a",
    "bucket": f"s3://key:{CANARY}@bucket/path",
    "encoded at sign": f"https://me%3A{CANARY}%40host/",
    "password with a slash": f"https://me:x{CANARY}/y@host/",
    "password with a blank": f"https://me:x {CANARY}@host/",
    "user without a host": f"https://me:{CANARY}",
    "token": f"https://host/a?token={CANARY}",
    "access token": f"https://host/a?download=1&access_token={CANARY}",
    "key": f"https://host/a?key={CANARY}",
    "API key": f"https://host/a?dl=1&apikey={CANARY}",
    "signature of S3": f"https://host/a?X-Amz-Algorithm=A&X-Amz-Signature={CANARY}",
    "signature of Google": f"https://host/a?X-Goog-Signature={CANARY}",
    "signature of Azure": f"https://host/a?sv=2020&sig={CANARY}",
    "signature of CloudFront": f"https://host/a?Policy=p&Signature={CANARY}&Key-Pair-Id=k",
    "key of a link": f"https://www.dropbox.com/scl/fi/x/a.zip?rlkey={CANARY}&dl=1",
    "link to view": f"https://osf.io/download/abc?view_only={CANARY}",
    "name that nobody knows": f"https://host/a?q={CANARY}",
    "no name": f"https://host/a?{CANARY}",
    "empty name": f"https://host/a?={CANARY}",
    "encoded name": f"https://host/a?%74oken={CANARY}",
    "second question mark": f"https://host/a?id=1?token={CANARY}",
    "semicolon": f"https://host/a?id=1;token={CANARY}",
    "parameter of the path": f"https://host/a;jsessionid={CANARY}",
    "fragment": f"https://host/a#access_token={CANARY}",
    "address in a query": f"https://host/a?file=https%3A%2F%2Fother%2Fa%3Fsig%3D{CANARY}",
    "in a sentence": f"Ask for it (https://me:{CANARY}@host/), please.",
    "second address": f"https://host/a https://host/b?token={CANARY}",
    "in JSON": f'{{"host": "https://me:{CANARY}@other"}}',
}
ACCEPTED = {
    "plain": "https://host/a/b.tgz",
    "port": "http://127.0.0.1:8080/a",
    "IPv6": "http://[::1]:8080/a",
    "download": "https://host/a.zip?download=1",
    "Dropbox": "https://www.dropbox.com/s/5drjpx07541eqst/acl19.zip?dl=1",
    "identifier": "https://drive.usercontent.google.com/download?id=1AbCdEfGhIjKlMnOpQrStUvWxYz&export=download&confirm=t",
    "SharePoint": "https://fbk.sharepoint.com/_layouts/15/download.aspx?SourceUrl=%2Fsites%2FMT%2F2014%2D01%2Etgz",
    "DSpace": "https://lindat.mff.cuni.cz/bitstream/11234/a.zip?sequence=1&isAllowed=y",
    "Hub": "https://huggingface.co/api/datasets/a/b/tree/main?recursive=true",
    "at sign in a path": "https://cdn.jsdelivr.net/npm/@scope/a@1.2/a.js",
    "revision": "hub:owner/name@0123abc",
    "equals sign in a path": "https://host/split=train/a.parquet",
    "fragment": "https://university.example/corpus#licence",
    "bucket": "s3://bucket/path/of/a/store",
    "file": "file:///data/with%20blank.tgz",
    "path": "/data/mirror/a@b/c?d",
    "mail": "write to me@university.example",
    "in a sentence": "see https://www.statmt.org/wmt20/: free; (https://host/?id=3).",
    "template": "https://{host}/{path}/resolve/main",
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_address_with_credentials_is_refused_and_not_repeated(name):
    with pytest.raises(UserError, match="here: an address with a user, a key or a token\n") as problem:
        refuse_credentials(REFUSED[name], "here")
    assert CANARY not in str(problem.value) and "~/.netrc" in str(problem.value)


@pytest.mark.parametrize("name", ACCEPTED)
def test_another_address_is_accepted(name):
    refuse_credentials(ACCEPTED[name], "here")


@pytest.mark.parametrize(
    ("said", "written"),
    [
        (f"https://me:{CANARY}@host:1/a/b?sig={CANARY}&x#y", "https://host:1/a/b"),
        (f"https://host/a;jsessionid={CANARY}?id={CANARY}", "https://host/a"),
        (f"no adapter for 'ftp://u:{CANARY}@h/?id={CANARY}' here", "no adapter for 'ftp://h/' here"),
        (f"two: http://a/?{CANARY} http://b/c#{CANARY}", "two: http://a/ http://b/c"),
        ("nothing of the kind: 3/4?", "nothing of the kind: 3/4?"),
    ],
)
def test_an_address_of_a_server_is_written_without_user_and_query(said, written):
    assert without_credentials(said) == written
    refuse_credentials(without_credentials(said), "here")
