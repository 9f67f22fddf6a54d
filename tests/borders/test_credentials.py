"""A token in an address that a person states is refused at once, in one message without it, and kept nowhere."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.small_grid import CORPUS, small_project
from helpers.support import Project

from docmt.base.artifacts import write_json
from docmt.base.recipe import JOB
from docmt.cli.main import main

CANARY = "c4n4ry"
USER, QUERY = f"https://me:{CANARY}@127.0.0.1:1/files", f"https://127.0.0.1:1/files?token={CANARY}"
LIST = ("list-systems",)
MINE, SET = "workflow/corpora/mine.yaml", "workflow/downloads/set.yaml"
Words = tuple[str, ...]
Attack = Callable[[Project, pytest.MonkeyPatch], Words]
"""States an address with credentials; gives the command that reads it."""


def config(path: str, value: object) -> Attack:
    return lambda project, _: (project.edit("config.yaml", path, value), LIST)[1]


def text(file: str, line: str) -> Attack:
    """A line that a person adds to a file."""

    def attack(project: Project, _: pytest.MonkeyPatch) -> Words:
        with (project.root / file).open("a") as stream:
            stream.write(f"{line}\n")
        return LIST

    return attack


def corpus(words: Words = LIST, **values: object) -> Attack:
    return lambda project, _: (project.write(MINE, {"corpus": "mine", **CORPUS, **values}), words)[1]


def downloads(project: Project, _: pytest.MonkeyPatch) -> Words:
    files = [{"name": "a.tgz", "sources": [{"url": USER, "grade": "A"}]}]
    facts = {"set": "set", "kind": "checkpoint", "about": "a", "licence": "l", "citation": "c", "folder": "models/set"}
    project.write(SET, {**facts, "files": files})
    return ("fetch-files",)


def variable(name: str, value: str) -> Attack:
    return lambda _, monkeypatch: (monkeypatch.setenv(name, value), ("fetch-files",))[1]


def download(_: Project, __: pytest.MonkeyPatch) -> Words:
    folder = Path("results/1_corpus/mine/downloads")
    settings = {"corpus": "mine", "catalogue": MINE, "files": {"a.tgz": FILES["files"][0]}}
    write_json(
        folder / JOB, {"step": "download", "settings": settings, "hints": {"mirror": None, "local": None, "hosts": {}}}
    )
    return ("job", str(folder), "--part", "a.tgz")


def words(*words: str) -> Attack:
    return lambda *_: words


FILES = {"files": [{"name": "a.tgz", "sources": [USER]}]}
ATTACKS: dict[str, tuple[Attack, str]] = {
    "mirror with a user": (config("mirror", USER), "config.yaml:"),
    "hosts with a token": (config("hosts", {"huggingface.co": QUERY}), "config.yaml:"),
    "store with a key": (config("store", f"s3://key:{CANARY}@bucket/a"), "config.yaml:"),
    "local with a user": (config("local", {"toy": USER}), "config.yaml:"),
    "address in a wrong place": (config("mirror", [USER]), "config.yaml:"),
    "comment": (text("config.yaml", f"# mirror: {USER}"), "config.yaml:"),
    "escapes in quotes": (text("config.yaml", f'mirror: "https:\\x2f\\x2fme\\x3a{CANARY}\\x40host/"'), "config.yaml:"),
    "program of a study": (text("workflow/studies/one.yaml", f"# run: ask --url {QUERY}"), "one.yaml:"),
    "source with a user": (corpus(**FILES), "mine.yaml:"),
    "source with a token": (corpus(files=[{"name": "a", "sources": [QUERY]}]), "mine.yaml:"),
    "licence": (corpus(licence=QUERY), "mine.yaml:"),
    "source of a job": (download, "job.json"),
    "source of a checkpoint": (downloads, "set.yaml:"),
    "variable of the mirror": (variable("DOCMT_MIRROR", USER), "DOCMT_MIRROR:"),
    "variable of folders": (variable("DOCMT_LOCAL", json.dumps({"mine": USER})), "DOCMT_LOCAL:"),
    "option with an equals sign": (words("check-catalogue", f"--mirror={USER}"), "the command line:"),
    "key of config.yaml": (words(*LIST, "--config", f"mirror={USER}"), "the command line:"),
    "corpus with a user": (words("add-corpus", f"opus:me:{CANARY}@owner/v1/en-de"), "ADDRESS:"),
    "corpus by its address": (words("add-corpus", USER), "the command line:"),
    "test set with a token": (
        words("add-corpus", "opus:o/v1/a-b", "--test", f"sacrebleu:a/b?token={CANARY}"),
        "ADDRESS:",
    ),
}


def tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_address_with_credentials_is_refused(name, tmp_path, monkeypatch, capsys):
    attack, place = ATTACKS[name]
    project = small_project(tmp_path / "project")
    monkeypatch.chdir(project.root)
    monkeypatch.setattr("sys.argv", ["docmt", *attack(project, monkeypatch)])
    before = tree(tmp_path)
    with pytest.raises(SystemExit) as end:
        main()
    said = "".join(capsys.readouterr())
    assert end.value.code == 2 and CANARY not in said
    assert said.startswith("docmt: ") and said.count("an address with a user, a key or a token") == 1
    assert place in said.splitlines()[0] and "~/.netrc" in said
    assert tree(tmp_path) == before


def test_a_host_with_a_user_has_no_stand_in(tmp_path, monkeypatch, capsys):
    config("hosts", {f"me:{CANARY}@huggingface.co": "https://host/"})(project := small_project(tmp_path), monkeypatch)
    monkeypatch.chdir(project.root)
    monkeypatch.setattr("sys.argv", ["docmt", *LIST])
    with pytest.raises(SystemExit):
        main()
    said = "".join(capsys.readouterr())
    assert "found a host with a user" in said and CANARY not in said
