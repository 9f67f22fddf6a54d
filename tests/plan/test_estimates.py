"""What is still to be trained, what several targets share, and how estimates grow."""

import pytest
from helpers.small_grid import CORPUS, STUDY, entry
from helpers.support import Project

from docmt.base.artifacts import write_json
from docmt.plan.grid import load_grid
from docmt.plan.targets import SPEEDS, Estimates


def plan(project: Project, *systems: str):
    grid = load_grid(project.root)
    estimates = Estimates(grid, project.root / "results")
    return estimates.plan([grid.named("one", "toy", system) for system in systems])


def record(project: Project, system: str, seed: int = 1, **facts: float) -> None:
    write_json(project.root / f"results/5_training/paper/toy/{system}/seed{seed}/record.json", facts)


def test_what_several_systems_start_from_or_use_is_trained_once(small):
    assert (plan(small, "fine").trainings, plan(small, "fine.beam8").trainings) == (2, 2)
    assert plan(small, "fine", "fine.beam8", "fine.narrow", "sentence").trainings == 3
    assert plan(small, "fine", "fine.beam8").hours == plan(small, "fine").hours
    assert plan(small).trainings == 0


def test_every_seed_is_a_training(small):
    small.edit(STUDY, "systems/fine/seeds", [1, 2, 3])
    assert plan(small, "fine").trainings == 6
    small.edit(STUDY, "systems/fine.beam8/seeds", [1])
    assert plan(small, "fine").hours == pytest.approx(3 * plan(small, "fine.beam8").hours)


def test_a_training_that_is_made_takes_nothing_more(small):
    before = plan(small, "fine")
    record(small, "sentence")
    after = plan(small, "fine")
    assert (before.missing, after.missing, after.trainings) == (2, 1, 2)
    assert after.hours < before.hours and after.bytes < before.bytes
    record(small, "fine")
    assert (plan(small, "fine").missing, plan(small, "fine").hours, plan(small, "fine").bytes) == (0, 0, 0)


def test_hours_go_with_updates_and_their_tokens(small):
    once = plan(small, "sentence").hours
    small.edit(STUDY, "systems/sentence/train", {"max_updates": 10})
    assert plan(small, "sentence").hours == pytest.approx(2 * once)
    small.edit(STUDY, "systems/sentence/train", {"max_updates": 10, "tokens_per_update": 2 * 4096})
    assert plan(small, "sentence").hours == pytest.approx(4 * once)


def test_hours_of_passes_need_the_size_of_the_corpus(small):
    small.edit(STUDY, "systems/sentence/train", {"max_updates": None, "max_epochs": 2})
    assert plan(small, "sentence").hours is None
    counts = {"train": {"documents": 100, "sentences": 100_000}}
    small.write("workflow/corpora/toy.yaml", {**CORPUS, "corpus": "toy", "expected": counts})
    stated = plan(small, "sentence").hours
    small.edit(STUDY, "systems/sentence/train", {"max_updates": None, "max_epochs": 4})
    assert plan(small, "sentence").hours == pytest.approx(2 * stated)


def test_what_stage_2_has_counted_is_taken_instead_of_a_guess(small):
    small.edit(STUDY, "systems/sentence/train", {"max_updates": None, "max_epochs": 1})
    card = {"vocabulary": {"source": 1000, "target": 1000}, "splits": {"train": {"target": {"pieces": 8192}}}}
    write_json(small.root / "results/2_tokens/toy/joint/card.json", card)
    grid = load_grid(small.root)
    sentence = entry(small, "sentence")
    estimates = Estimates(grid, small.root / "results")
    width, inner = sentence.system.model.width, sentence.system.model.inner
    layers = 6 * (4 * width**2 + 2 * width * inner) + 6 * (8 * width**2 + 2 * width * inner)
    assert estimates.parameters(sentence.system, "toy") == layers + 1000 * width
    assert estimates.operations(sentence) == 6 * (layers + 1000 * width) * 8192


def test_a_larger_draw_of_instances_is_a_longer_pass(small):
    small.edit(STUDY, "systems/document/train", {"max_updates": None, "max_epochs": 1, "tokens_per_update": 64})
    hours = []
    for size in (1000, 2000):
        view = {"train": {"max_tokens": 80, "sample": size}, "test": {"max_tokens": 64}}
        small.edit(STUDY, "systems/document/view", view)
        hours.append(plan(small, "document").hours)
    assert hours[1] == pytest.approx(2 * hours[0])


def test_the_speed_is_that_of_the_trainings_that_are_made(small):
    estimates = Estimates(load_grid(small.root), small.root / "results")
    assert (estimates.speed, estimates.is_measured) == (SPEEDS["cuda"], False)
    record(small, "sentence", device_hours=2.0, target_tokens=5 * 4096)
    estimates = Estimates(load_grid(small.root), small.root / "results")
    assert estimates.is_measured
    assert estimates.operations(entry(small, "sentence")) / estimates.speed / 3600 == pytest.approx(2.0)
