"""Editors complete and check files of settings by their schemas: asked of the language server that they run."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.language_server import LanguageServer, language_server
from helpers.support import ROOT

from docmt.cli.init import make_study_folder

IN_CI = bool(os.environ.get("CI")) and shutil.which("npm") is not None
pytestmark = [] if IN_CI else [pytest.mark.slow]

STUDY = """\
# yaml-language-server: $schema=../workflow/schemas/study.schema.json
study: mine
title: Mine
corpora: [toy_zh-en]
systems:
  sentence:
    text: truecase_separate4k
    train: {lr: 2.0e-3}
    @
  han:
    extends: sentence
    model:
      kind: han
tables:
  quality:
    title: Quality
    metrics: [@]
    rows: [{system: sentence}]
"""


@pytest.fixture(scope="module")
def server() -> Iterator[LanguageServer]:
    with language_server() as server:
        yield server


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A study folder, whose link to the clone has the schemas."""
    folder = tmp_path_factory.mktemp("studies") / "mine"
    make_study_folder(folder, ROOT)
    return folder


def offered(server: LanguageServer, folder: Path, number: int) -> dict[str, str]:
    """What the server offers at a place of the study that is marked with @; the other places are empty."""
    parts = STUDY.split("@")
    before, after = "".join(parts[: number + 1]), "".join(parts[number + 1 :])
    path = folder / f"studies/place{number}.yaml"
    server.open(path, before + after)
    return server.completion(path, before.count("\n") + 1, len(before) - before.rfind("\n") - 1)


def test_it_completes_keys_with_what_they_mean_and_names(server, folder):
    keys = offered(server, folder, 0)
    assert {"extends", "init_from", "view", "model", "decode", "translations", "command"} <= set(keys)
    assert keys["extends"] == "The system whose settings this one has, where it states no others."
    assert not {"text", "train"} & set(keys), "keys that are there already"
    assert {"s-BLEU", "d-BLEU", "accuracy", "LTCR", "dev NLL"} <= set(offered(server, folder, 1))


RIGHT = re.sub(r"^ *@\n", "", STUDY, flags=re.MULTILINE).replace("@", "s-BLEU")
WRONG = {
    "a mistyped key": ("extends: sentence", "extend: sentence", "Property extend is not allowed."),
    "a value of another name": ("kind: han", "kind: hann", 'Value is not accepted. Valid values: "transformer"'),
    "a key of another architecture": ("kind: han", "kind: han\n      aggregation: sum", "Property aggregation is not"),
    "a number out of range": ("lr: 2.0e-3", "lr: -1", "Value is below the exclusive minimum of 0."),
    "a missing key": ("quality:\n    title: Quality", "quality:", 'Missing property "title".'),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_it_reports_a_mistake_at_its_line(server, folder, mistake):
    old, new, message = WRONG[mistake]
    assert RIGHT.count(old) == 1
    text = RIGHT.replace(old, new)
    line = text[: text.index(new) + len(new)].count("\n") + 1
    reported = server.open(folder / f"studies/{mistake.replace(' ', '-')}.yaml", text)
    assert len(reported) == 1 and reported[0].startswith(f"{line}: {message}")


def test_it_finds_no_mistake_in_the_files_of_the_project(server, folder):
    files = [
        ROOT / "config.yaml",
        *(ROOT / "workflow/studies").glob("*.yaml"),
        *(ROOT / "workflow/corpora").glob("*.yaml"),
    ]
    files += [folder / "config.yaml", folder / "studies/example.yaml"]
    reported = {path.name: said for path in files if (said := server.open(path, path.read_text(encoding="utf-8")))}
    assert not reported and len(files) > 30
