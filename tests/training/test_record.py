"""record.json: what a training was and took."""

import hashlib

import pytest
import torch
from helpers.toy_task import Notes, make_folder

from docmt.base.artifacts import read_json, write_json
from docmt.base.vocabulary import SPECIALS, UNK, Vocabulary
from docmt.nn.rows import Rows
from docmt.training.computing import repeatable
from docmt.training.outputs import nameless_events, words_of_instances


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder, notes = make_folder(tmp_path_factory.mktemp("trained") / "run"), Notes()
    assert folder.train(notes)
    return folder, notes.steps


def test_the_record_names_every_file_that_decides_the_result(trained):
    folder, _ = trained
    files = {
        **{f"view/{name}.arrow": folder.paths.view / f"{name}.arrow" for name in ("train", "dev")},
        **{f"text/{path.name}": path for path in folder.paths.text.iterdir()},
    }
    expected = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
    assert folder.record()["inputs"] == expected


def test_the_record_counts_tokens_and_time(trained):
    folder, steps = trained
    record = folder.record()
    assert record["source_tokens"] == sum(step.source_tokens for step in steps)
    assert record["target_tokens"] == sum(step.target_tokens for step in steps)
    assert record["wall_s"] > sum(step.seconds for step in steps)
    assert record["device_hours"] == pytest.approx(record["wall_s"] / 3600)
    assert record["stop_rule"] == "max_updates 12 reached"


@pytest.mark.parametrize("pretrained", [False, True])
def test_a_word_of_several_pieces_is_one_word(tmp_path, pretrained):
    marked = ("@@b", "@@c") if pretrained else ("b@@", "c@@")
    vocabulary = Vocabulary((*SPECIALS, "a", *marked))
    vocabulary.save(tmp_path / "vocabulary.source.txt")
    if pretrained:
        write_json(tmp_path / "rows.source.json", [])
    a, b, c = vocabulary.encode(["a", *marked])
    rows = Rows.from_lists([[[a, b, c], [a, UNK]], [[b]], []])
    assert words_of_instances(tmp_path, rows).tolist() == [3, 0, 0]


def test_the_record_says_on_what_it_ran(trained):
    record = trained[0].record()
    assert {"docmt", "python", "torch", "numpy", "pyarrow", "safetensors", "cuda", "cudnn"} == set(record["versions"])
    assert {"processor", "cores", "memory_mib"} == set(record["hardware"])
    assert (record["ranks"], record["threads"], record["deterministic"]) == (1, 1, False)
    assert (record["seed"], record["frozen"], record["start"]) == (1, [], None)


def test_the_record_has_the_names_of_transferred_and_new_parameters(tmp_path, trained):
    folder = make_folder(tmp_path / "run", init=trained[0].paths.output).changed(max_updates=1)
    assert folder.train()
    card = read_json(folder.paths.output / "model" / "model.json")
    record = folder.record()
    assert (record["start"]["new"], record["new"]) == ([], 0)
    assert len(set(record["start"]["transferred"])) == record["transferred"] > 0
    assert card["provenance"]["init_from"] == "sentence"


def test_deterministic_algorithms_are_asked_for_and_given_back(tmp_path, trained):
    """On a CPU these are those that are taken anyway."""
    folder = make_folder(tmp_path / "run")
    assert folder.train(deterministic=True)
    assert folder.record()["deterministic"]
    assert folder.weights() == trained[0].weights()
    assert not torch.are_deterministic_algorithms_enabled()
    with repeatable(False):
        assert not torch.are_deterministic_algorithms_enabled()


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("rule", "average", "updates", "said"),
    [
        ("average", 5, [4, 8, 12], "checkpoint average: mean of 3 validations, not 5: no more exist"),
        ("average", 2, [8, 12], None),
        ("best", 5, None, None),
    ],
)
def test_log_and_record_say_whose_weights_the_model_has(folder, rule, average, updates, said):
    """The start is validated too, and is in no mean."""
    other, notes = folder.changed(checkpoint=rule, average=average, validate_start=True), Notes()
    assert other.train(notes)
    record = other.record()
    assert record["model_updates"] == (updates or [record["best_update"]])
    assert notes.said(said or "mean of") == (said is not None)


def test_no_file_of_events_has_the_name_of_the_machine(tmp_path):
    """Neither a plain name nor one of a network; another call, after a kill, changes nothing."""
    for name in ("1795821014.node7.17985.0", "1795821020.node7.cluster.example.18001.12"):
        (tmp_path / f"events.out.tfevents.{name}").touch()
    names = [f"events.out.tfevents.{name}" for name in ("1795821014.17985.0", "1795821020.18001.12")]
    for _ in range(2):
        assert [path.name for path in nameless_events(tmp_path)] == names
