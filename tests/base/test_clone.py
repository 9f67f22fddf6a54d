"""Where docmt's own files are, and where config.yaml is."""

import pytest
from helpers.support import ROOT

from docmt.base import clone
from docmt.base.clone import clone_of, settings_folder
from docmt.base.errors import UserError


def test_a_folder_with_a_workflow_is_its_own_clone_and_any_other_has_that_of_the_package(tmp_path, small):
    assert clone_of(small.root) == small.root
    assert clone_of(tmp_path / "elsewhere") == ROOT


def test_a_copy_of_the_package_without_its_clone_is_one_clear_message(tmp_path, monkeypatch):
    monkeypatch.setattr(clone, "PACKAGE_PARENT", tmp_path / "site-packages")
    with pytest.raises(UserError, match="docmt was installed as a copy, without the files of its clone") as refused:
        clone_of(tmp_path)
    assert refused.value.found == f"the package in {tmp_path / 'site-packages'}"
    assert "pip install -c pins.txt -e ." in refused.value.remedy


def test_config_is_that_of_the_folder_and_only_with_results_or_a_workflow_that_of_the_clone(tmp_path, small):
    assert settings_folder(small.root, ROOT) == small.root
    folder = tmp_path / "scratch"
    folder.mkdir()
    assert settings_folder(folder) == folder, "a mistyped folder has no settings"
    assert settings_folder(folder, small.root) == small.root
    (folder / "results").mkdir()
    assert settings_folder(folder) == ROOT
