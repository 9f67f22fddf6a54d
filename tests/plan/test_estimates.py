"""What is still to be trained, what several targets share, and how estimates grow."""

import pytest
from helpers.small_grid import CORPUS, STUDY, entry
from helpers.support import Project

from docmt.base.artifacts import write_json
from docmt.base.errors import UserError
from docmt.base.manifest import RECORD
from docmt.estimates.operations import multiplications, parameters
from docmt.estimates.passes import Pass
from docmt.grid.grid import load_grid
from docmt.plan.estimates import Estimates, TrainingPlan
from docmt.plan.plan import Plan

RECORDED = {
    "device": "cpu",
    "hardware": {"processor": "A chip"},
    "updates": 5,
    "epochs": 1,
    "source_tokens": 5 * 4096,
    "target_tokens": 5 * 4096,
}


def estimates(project: Project, **config: object) -> Estimates:
    return Estimates(Plan(load_grid(project.root, {"device": "cpu", **config}), project.root))


def plan(project: Project, *systems: str, **config: object) -> TrainingPlan:
    known = estimates(project, **config)
    return known.plan([known.grid.named("one", "toy", system) for system in systems])


def record(project: Project, system: str, seed: int = 1, **facts: object) -> None:
    folder = estimates(project).jobs.folder("train", {"corpus": "toy", "system": system, "seed": seed})
    model = entry(project, system).system.model
    write_json(folder / RECORD, {**RECORDED, "parameters": parameters(model, 10, 10), **facts})


def state_counts(project: Project, **counts: object) -> None:
    project.write("workflow/corpora/toy.yaml", {**CORPUS, "corpus": "toy", **counts})


def test_what_several_systems_start_from_or_use_is_trained_once(small):
    assert (plan(small, "fine").trainings, plan(small, "fine.beam8").trainings) == (2, 2)
    assert plan(small, "fine", "fine.beam8", "fine.narrow", "sentence").trainings == 3
    assert plan(small, "fine", "fine.beam8").device_hours == plan(small, "fine").device_hours
    assert plan(small).trainings == 0


def test_every_seed_is_a_training(small):
    small.edit(STUDY, "systems/fine/seeds", [1, 2, 3])
    assert plan(small, "fine").trainings == 6
    small.edit(STUDY, "systems/fine.beam8/seeds", [1])
    assert plan(small, "fine").device_hours == pytest.approx(3 * plan(small, "fine.beam8").device_hours)


def test_a_training_that_is_made_takes_nothing_more(small):
    before = plan(small, "fine")
    record(small, "sentence")
    after = plan(small, "fine")
    assert (before.missing_trainings, after.missing_trainings, after.trainings) == (2, 1, 2)
    assert after.device_hours < before.device_hours and after.disk_bytes < before.disk_bytes
    record(small, "fine")
    assert plan(small, "fine") == TrainingPlan(2, 0, 0, 0, 0, (), 0)


def test_hours_go_with_updates_and_their_tokens(small):
    small.edit(STUDY, "systems/sentence/train", {"max_updates": 10})
    once = plan(small, "sentence").device_hours
    small.edit(STUDY, "systems/sentence/train", {"max_updates": 20})
    assert plan(small, "sentence").device_hours == pytest.approx(2 * once)
    small.edit(STUDY, "systems/sentence/train", {"max_updates": 20, "tokens_per_update": 2 * 4096})
    assert plan(small, "sentence").device_hours == pytest.approx(4 * once, rel=0.01)


def test_trainings_over_a_corpus_of_unknown_size_are_counted_beside_the_sum_of_the_others(small):
    known = plan(small, "sentence")
    small.edit(STUDY, "systems/document/train", {"max_updates": None, "max_epochs": 2})
    assert (plan(small, "document").device_hours, plan(small, "document").unknown_trainings) == (0, 1)
    both = plan(small, "sentence", "document")
    assert (both.device_hours, both.unknown_trainings, both.basis) == (known.device_hours, 1, known.basis)


def test_a_corpus_that_states_its_size_has_hours(small):
    small.edit(STUDY, "systems/sentence/train", {"max_updates": None, "max_epochs": 2})
    state_counts(small, expected={"train": {"documents": 100, "sentences": 100_000}})
    stated = plan(small, "sentence").device_hours
    small.edit(STUDY, "systems/sentence/train", {"max_updates": None, "max_epochs": 4})
    assert plan(small, "sentence").device_hours == pytest.approx(2 * stated)
    for limit in (None, 10**6):
        small.edit(STUDY, "systems/sentence/train", {"max_updates": limit, "max_epochs": None, "patience": 3})
        assert plan(small, "sentence").device_hours == pytest.approx(20 * stated)


def test_the_first_limit_ends_a_training(small):
    state_counts(small, expected={"train": {"documents": 100, "sentences": 100_000}})
    hours = []
    for limits in ({"max_updates": 5}, {"max_updates": 5, "max_epochs": 9}, {"max_updates": 10**6, "max_epochs": 1}):
        small.edit(STUDY, "systems/sentence/train", limits)
        hours.append(plan(small, "sentence").device_hours)
    assert hours[0] == pytest.approx(hours[1]) and hours[2] > 10 * hours[0]
    small.edit(STUDY, "systems/sentence/train", {"max_updates": None, "max_epochs": 1})
    assert plan(small, "sentence").device_hours == pytest.approx(hours[2])


def test_what_stage_2_has_counted_is_taken_instead_of_a_guess(small):
    small.edit(STUDY, "systems/sentence/train", {"max_updates": None, "max_epochs": 1, "tokens_per_update": 512})
    counts = {"documents": 10, "sentences": 1000, "source": {"pieces": 9000}, "target": {"pieces": 8000}}
    card = {"vocabulary": {"source": 700, "target": 900}, "splits": {"train": counts}}
    write_json(estimates(small).jobs.folder("tokens", {"corpus": "toy", "text": "joint"}) / "card.json", card)
    known, sentence = estimates(small), entry(small, "sentence")
    load = Pass(1000, 1000, 9000 + 2 * 1000, 8000 + 1000)
    operations = 6 * multiplications(sentence.system.model, load, 900)
    assert known.operations(sentence, known.work(sentence)) == pytest.approx(operations)
    assert known.work(sentence).updates == 18


def test_validations_count_where_the_size_of_dev_is_known(small):
    counts = {"train": {"documents": 10, "sentences": 1000}}
    small.edit(STUDY, "systems/sentence/train", {"max_updates": 100, "validate_every_updates": 5})
    state_counts(small, expected=counts)
    without = plan(small, "sentence").device_hours
    state_counts(small, expected={**counts, "dev": {"documents": 10, "sentences": 1000}})
    seldom = plan(small, "sentence").device_hours
    small.edit(STUDY, "systems/sentence/train", {"max_updates": 100, "validate_every_updates": 2})
    often = plan(small, "sentence").device_hours
    assert without < seldom < often
    assert (often - without) == pytest.approx(2.5 * (seldom - without), rel=0.01)


def test_a_larger_draw_of_instances_is_a_longer_pass(small):
    small.edit(STUDY, "systems/document/train", {"max_updates": None, "max_epochs": 1, "tokens_per_update": 64})
    hours = []
    for size in (1000, 2000):
        view = {"train": {"max_tokens": 80, "sample": size}, "test": {"max_tokens": 64}}
        small.edit(STUDY, "systems/document/view", view)
        hours.append(plan(small, "document").device_hours)
    assert hours[1] == pytest.approx(2 * hours[0])


def test_a_training_that_is_made_prices_one_like_it(small):
    assert "assumed" in plan(small, "sentence").basis[0]
    record(small, "sentence", seed=1, device_hours=2.0)
    small.edit(STUDY, "systems/sentence/seeds", [1, 2])
    priced = plan(small, "sentence")
    assert priced.basis == ("measured on A chip: 1 training",)
    assert priced.device_hours == pytest.approx(2.0, rel=0.02)


@pytest.mark.parametrize(("device", "other"), [("cuda", "cpu"), ("cpu", "cuda")])
def test_the_price_does_not_depend_on_records_of_another_device(small, device, other):
    """A demo that a laptop's processor has trained says nothing about a cluster's GPUs, and the other way round."""
    before = plan(small, "document", device=device)
    record(small, "sentence", device=other, device_hours=1000.0)
    assert plan(small, "document", device=device) == before
    assert plan(small, "document", device=other).device_hours > 100 * before.device_hours


def test_the_record_of_another_model_prices_nothing(small):
    """After a change of the settings the record is that of another version."""
    record(small, "sentence", device_hours=1000.0)
    assert "measured" in plan(small, "document").basis[0]
    small.edit(STUDY, "systems/sentence/model", {"width": 96})
    assert "assumed" in plan(small, "document").basis[0]


def test_a_damaged_record_is_named(small):
    record(small, "sentence", device_hours=2.0, target_tokens="many")
    with pytest.raises(UserError, match="not the record of a training"):
        estimates(small)
