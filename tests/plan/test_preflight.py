"""What must hold before a run is planned: packages, no cache between workflows, studies that are no rules."""

from importlib import metadata

import pytest

from docmt.base.errors import UserError
from docmt.plan import preflight


def without(monkeypatch, *names: str) -> None:
    """As in an environment that lacks these packages."""
    find = metadata.distribution

    def there(name: str) -> metadata.Distribution:
        if name in names:
            raise metadata.PackageNotFoundError(name)
        return find(name)

    monkeypatch.setattr(preflight.metadata, "distribution", there)


def test_this_environment_has_all_that_jobs_need():
    preflight.check_packages(["default"])


def test_all_that_is_missing_is_named_with_the_command_that_mends_it(monkeypatch):
    without(monkeypatch, "gensim", "transformers", "eflomal")
    with pytest.raises(
        UserError, match=r"found no gensim, transformers\n  in docmt's clone: pip install -c pins.txt -e '[.]'$"
    ):
        preflight.check_packages(["default"])
    extra = r"found no eflomal, gensim, transformers\n  in docmt's clone: pip install -c pins.txt -e '[.]\[eflomal\]'"
    with pytest.raises(UserError, match=extra):
        preflight.check_packages(["default", "eflomal"])


def test_the_tokenisers_of_a_target_language_are_an_extra(monkeypatch):
    monkeypatch.setattr(preflight, "_extras", lambda: ["ja", "ko"])
    monkeypatch.setattr(preflight, "_required", lambda extras: ["mecab-python3"] if "ja" in extras else [])
    without(monkeypatch, "mecab-python3")
    preflight.check_packages(["default", "en", "de"])
    with pytest.raises(
        UserError, match=r"found no mecab-python3\n  in docmt's clone: pip install -c pins.txt -e '[.]\[ja\]'"
    ):
        preflight.check_packages(["default", "en", "ja"])


def test_packages_of_tests_are_not_needed(monkeypatch):
    without(monkeypatch, "pytest", "hypothesis", "ruff", "eflomal")
    preflight.check_packages(["default"])


def test_docmt_itself_must_be_installed(monkeypatch):
    monkeypatch.setattr(preflight, "DISTRIBUTION", "no-such-package")
    with pytest.raises(
        UserError, match=r"docmt is not installed\n  in docmt's clone: pip install -c pins[.]txt -e '[.]'"
    ):
        preflight.check_packages(["default"])


@pytest.mark.parametrize(("rules", "rule_names"), [([], "all rules"), (["corpus", "views"], "corpus, views")])
def test_the_cache_between_workflows_is_refused(rules, rule_names):
    with pytest.raises(UserError, match=f"--cache: .*\n  found {rule_names}; expected no --cache"):
        preflight.refuse_cache(rules)


def test_without_the_cache_nothing_is_refused():
    preflight.refuse_cache(None)


def test_a_study_is_not_called_like_a_rule():
    preflight.check_study_names(["demo", "mine"], {"train", "all"})
    with pytest.raises(UserError, match="a rule of the workflow has the name of this study\n  found train\n  rename"):
        preflight.check_study_names(["demo", "train"], {"train", "all"})
