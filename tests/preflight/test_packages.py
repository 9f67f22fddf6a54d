"""The packages that jobs need."""

from importlib import metadata

import pytest

from docmt.base.errors import UserError
from docmt.preflight import packages


def without(monkeypatch, *names: str) -> None:
    """As in an environment that lacks these packages."""
    find = metadata.distribution

    def there(name: str) -> metadata.Distribution:
        if name in names:
            raise metadata.PackageNotFoundError(name)
        return find(name)

    monkeypatch.setattr(packages.metadata, "distribution", there)


def test_this_environment_has_all_that_jobs_need():
    packages.check_packages(["default"])


def test_all_that_is_missing_is_named_with_the_command_that_mends_it(monkeypatch):
    without(monkeypatch, "gensim", "transformers", "eflomal")
    with pytest.raises(
        UserError, match=r"found no gensim, transformers\n  in docmt's clone: pip install -c pins.txt -e '[.]'$"
    ):
        packages.check_packages(["default"])
    extra = r"found no eflomal, gensim, transformers\n  in docmt's clone: pip install -c pins.txt -e '[.]\[eflomal\]'"
    with pytest.raises(UserError, match=extra):
        packages.check_packages(["default", "eflomal"])


def test_the_tokenisers_of_a_target_language_are_an_extra(monkeypatch):
    monkeypatch.setattr(packages, "_extras", lambda: ["ja", "ko"])
    monkeypatch.setattr(packages, "_required", lambda extras: ["mecab-python3"] if "ja" in extras else [])
    without(monkeypatch, "mecab-python3")
    packages.check_packages(["default", "en", "de"])
    with pytest.raises(
        UserError, match=r"found no mecab-python3\n  in docmt's clone: pip install -c pins.txt -e '[.]\[ja\]'"
    ):
        packages.check_packages(["default", "en", "ja"])


def test_packages_of_tests_are_not_needed(monkeypatch):
    without(monkeypatch, "pytest", "hypothesis", "ruff", "eflomal")
    packages.check_packages(["default"])


def test_docmt_itself_must_be_installed(monkeypatch):
    monkeypatch.setattr(packages, "DISTRIBUTION", "no-such-package")
    with pytest.raises(
        UserError, match=r"docmt is not installed\n  in docmt's clone: pip install -c pins[.]txt -e '[.]'"
    ):
        packages.check_packages(["default"])
