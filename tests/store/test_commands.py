"""The commands that look at a store, check it and remove."""

import json
from pathlib import Path

import pytest
from helpers.small_grid import small_project
from helpers.stored import WEIGHTS, entry_of, make_artifact, new_store

from docmt.cli.main import main
from docmt.cli.store.listing import lines_of
from docmt.store.store import file_key


@pytest.fixture
def call(tmp_path: Path, monkeypatch, capsys):
    """Call a command on a store with one artifact, whose identity and store are attributes."""
    store, folder = new_store(tmp_path / "store"), make_artifact(tmp_path / "job")
    entry = entry_of(folder)
    small_project(tmp_path / "project")
    store.push(entry, folder)

    def run(*words: str) -> tuple[int, str]:
        options = ["--root", str(tmp_path / "project"), "--config", f"store={store.address}"]
        monkeypatch.setattr("sys.argv", ["docmt", "store", *words, *options])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code or 0, capsys.readouterr().out

    run.identity, run.weights = entry.identity, Path(store.address) / file_key(entry.files[WEIGHTS].sha256)
    return run


def test_artifacts_are_listed_and_shown(call):
    assert call.identity[:12] in call("ls", "5_training")[1]
    assert json.loads(call("ls", "none", "--json")[1]) == []
    assert WEIGHTS in call("show", call.identity[:6])[1]
    assert json.loads(call("show", call.identity[:6], "--json")[1])["identity"] == call.identity


def test_each_input_has_a_line():
    """A page has dozens of inputs: on one line nobody can read them."""
    inputs = {"1_corpus/toy/manifest.json": "ab12", "2_tokens/toy/manifest.json": "cd34"}
    assert [line.split() for line in lines_of({"inputs": inputs})[1].splitlines()[1:]] == [*map(list, inputs.items())]


def test_bytes_are_counted(call):
    status, text = call("du")
    assert status == 0 and "1 artifacts" in text
    assert json.loads(call("du", "--json")[1])["artifacts"] == 1


def test_damage_has_exit_status_1(call):
    assert call("verify", call.identity[:8])[0] == 0
    call.weights.chmod(0o644)
    call.weights.write_text("a mode!\n", encoding="utf-8")
    status, text = call("verify")
    assert status == 1 and WEIGHTS in text
    assert len(json.loads(call("verify", "--json")[1])["damaged"]) == 1


def test_an_artifact_goes_only_where_the_user_says_so(call):
    assert "nothing was removed" in call("gc", "--older-than", "0")[1]
    assert json.loads(call("gc", "--older-than", "0", "--yes", "--json")[1])["artifacts"] == [call.identity]
    assert json.loads(call("ls", "--json")[1]) == []
