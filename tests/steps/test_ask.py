"""Systems whose translations a program makes, in the grid and in plans."""

import sys

import pytest
from helpers.plans import plan_of, to_make
from helpers.recipes import settings
from helpers.small_grid import STUDY, entry
from helpers.support import Project

from docmt.base.errors import UserError
from docmt.grid.grid import load_grid
from docmt.plan.plan import Job
from docmt.settings.external import CommandTranslations

COMMAND = f"{sys.executable} my/translate.py --to {{corpus}}"
RUN = {"corpus": "toy", "system": "service", "seed": 1}
TABLE = {"title": "T", "metrics": ["s-BLEU"], "baseline": "sentence"}
TABLE |= {"rows": [{"system": "sentence"}, {"system": "service"}]}
PAGE = "results/8_report/paper/one/quality.html"


@pytest.fixture
def asking(small, monkeypatch) -> Project:
    """The small study with a system whose translations a program makes, and a table of it."""
    (small.root / "my").mkdir()
    (small.root / "my/translate.py").write_text("pass\n", encoding="utf-8")
    command = {"run": COMMAND, "version": "of May", "depends_on": ["my/translate.py"], "retries": 9}
    small.edit(STUDY, "systems/service", {"command": command})
    small.edit(STUDY, "tables", {"quality": TABLE})
    monkeypatch.chdir(small.root)
    return small


def test_it_has_the_default_text_and_a_run_for_each_seed_that_it_gets(asking):
    service = entry(asking, "service", seeds=[4, 5])
    assert (service.system.text, service.seeds, service.has_model) == ("joint", (4,), False)
    asking.edit(STUDY, "systems/service/command/run", ["program", "--seed={seed}", "{corpus}"])
    service = entry(asking, "service", seeds=[4, 5])
    assert service.seeds == (4, 5)
    assert service.system.source.words("toy", 5) == ("program", "--seed=5", "toy")
    assert service.system.source.place == "program --seed={seed} {corpus}, of May"
    asking.edit(STUDY, "systems/service/command", {"run": "/home/me/translate.py --fast", "version": "of May"})
    assert entry(asking, "service").system.source.place == "translate.py --fast, of May"


def test_its_step_asks_and_its_scores_are_those_of_any_system(asking):
    assert plan_of(asking.root).inputs(Job.of("scores", **RUN))["translations"] == Job.of("ask", **RUN)
    jobs = to_make(asking.root, PAGE)
    assert {"ask service", "scores service", "compare quality"} <= jobs
    assert not {"train service", "translate service", "adopt service", "contrastive service"} & jobs


def test_what_decides_the_translations_decides_the_identity_and_nothing_else(asking):
    def identity() -> str:
        return plan_of(asking.root).recipe(Job.of("ask", **RUN)).identity

    known = [identity()]
    for name, value in (("timeout_seconds", 5), ("retries", 0), ("at_once", 4)):
        asking.edit(STUDY, f"systems/service/command/{name}", value)
        assert identity() == known[0], name
    (asking.root / "my/translate.py").rename(asking.root / "moved.py")
    asking.edit(STUDY, "systems/service/command/depends_on", ["moved.py"])
    assert identity() == known[0]
    (asking.root / "moved.py").write_text("print()\n", encoding="utf-8")
    known.append(identity())
    for name, value in (("version", "of June"), ("run", f"{COMMAND} --more"), ("case", "lower")):
        asking.edit(STUDY, f"systems/service/command/{name}", value)
        known.append(identity())
    assert len(set(known)) == len(known)


def test_no_lines_are_generated_in_its_place(asking):
    asked = settings(load_grid(asking.root), "6_asked/toy/service/seed1")
    assert asked["stand_in"] is False
    assert not {"depends_on", "timeout_seconds", "retries", "at_once"} & set(asked["source"])
    fixtures = {"documents": {"train": 8, "dev": 2, "test": 2}, "shortest": 6, "longest": 8, "long_sentences": 9}
    asking.edit("workflow/scales/smoke.yaml", "fixtures", {**fixtures, "contrastive_items": 2, "stop_words": 1})
    grid = load_grid(asking.root, {"scale": "smoke"})
    assert settings(grid, "6_asked/toy/service/seed1")["stand_in"] is False


def test_a_program_or_a_file_that_is_not_there_is_refused_before_any_job(asking):
    asking.edit(STUDY, "systems/service/command/run", "no-such-program x")
    with pytest.raises(
        UserError, match=r"^service: command\.run: no program that can be run\n  found 'no-such-program'"
    ):
        to_make(asking.root, PAGE)
    asking.edit(STUDY, "systems/service/command/run", COMMAND)
    (asking.root / "my/translate.py").unlink()
    with pytest.raises(UserError, match=r"my/translate\.py: file not found"):
        to_make(asking.root, PAGE)


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({}, r"systems\.service\.command\.run: value not allowed"),
        ({"run": []}, r"command\.run: value not allowed"),
        ({"run": "x", "retries": -1}, r"command\.retries: value not allowed"),
        ({"run": "x", "at_once": 0}, r"command\.at_once: value not allowed"),
        ({"run": "x", "timeout_seconds": 0}, r"command\.timeout_seconds: value not allowed"),
        ({"run": "x", "depends_on": [""]}, r"command\.depends_on: value not allowed"),
        ({"run": "x", "temperature": 1}, r"command\.temperature: unknown key"),
    ],
)
def test_wrong_settings_are_refused(asking, stated, message):
    asking.edit(STUDY, "systems/service/command", stated)
    with pytest.raises(UserError, match=message):
        load_grid(asking.root)


def test_a_text_and_a_list_are_the_same_command_line():
    both = CommandTranslations("a 'b c' d"), CommandTranslations(("a", "b c", "d"))
    assert [source.words("toy", 1) for source in both] == [("a", "b c", "d")] * 2
