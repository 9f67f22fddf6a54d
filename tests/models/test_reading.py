"""What a reader has to open: the files of a pass, of an update and of a step of a search, and what a model names."""

import ast
import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch
from helpers.model_cases import CASES, VOCABULARY, batch_of, documents
from helpers.toy_task import make_folder

from docmt.models import build
from docmt.nn import layers
from docmt.nn.frames import FRAMES
from docmt.nn.noise import document_keys, name_sites
from docmt.search.beam import Search
from docmt.supervision.watch import Watch
from docmt.training.checkpoint import StateFolder
from docmt.training.computing import quantum
from docmt.training.loop import Training
from docmt.training.metrics import Metrics
from docmt.training.progress import Listeners
from docmt.training.task import prepare, read_settings

CASE = "g_transformer"
MODELS = ("transformer", "g_transformer", "long_short", "lexical_chain", "convar", "han", "w_link")


def files_of(work: Callable[[], object]) -> set[str]:
    """The files of docmt of which functions run."""
    seen: set[str] = set()
    sys.setprofile(lambda frame, event, _: seen.add(frame.f_code.co_filename) if event == "call" else None)
    try:
        work()
    finally:
        sys.setprofile(None)
    return {Path(name).name for name in seen if "/docmt/" in name}


def model_and_batch():
    source, target = documents()
    model = build(replace(CASES[CASE], dropout=0.1), VOCABULARY, VOCABULARY)
    name_sites(model)
    return model, batch_of(CASE, source, target).with_keys(document_keys(1, np.arange(len(source))))


def test_a_forward_pass_is_read_in_seven_files():
    model, batch = model_and_batch()
    work = lambda: model.logits(model(batch).states)  # noqa: E731
    work()  # the first pass of a batch prepares its buckets
    assert len(files_of(work)) <= 7


@pytest.fixture
def training(tmp_path) -> Training:
    """A training of a G-Transformer, on streams that are padded as on any CPU."""
    folder = make_folder(tmp_path / "run")
    task = prepare(folder.paths, read_settings(folder.paths), torch.device("cpu"))
    task.model.train()
    rows = quantum(task.device, task.train.batch_tokens, compiled=False)
    return Training(task, StateFolder(folder.paths.state, print, {}), Watch(), quantum=rows)


def test_an_update_is_read_in_fourteen_files(training, tmp_path, monkeypatch):
    """That of the loop, with its watch and the file of metrics; its batches were made before, and are new to it."""
    first, update = (training.batches.of_update(number + 1, 0, number) for number in range(2))
    listeners = Listeners(Metrics(tmp_path / "metrics.jsonl", training.status, 1))
    made = iter([replace(first, batches=[*first.batches]), replace(update, batches=[*update.batches])])
    monkeypatch.setattr(training.batches, "of_update", lambda *place: next(made))
    training._do("update", listeners)  # the first update makes columns of noise that all have
    assert len(files_of(lambda: training._do("update", listeners))) <= 14
    assert training.status.update == 2


def test_batches_of_an_update_are_made_in_eleven_files(training):
    assert len(files_of(lambda: [*training.batches.of_update(1, 0, 0).batches])) <= 11


@torch.inference_mode()
def test_a_step_of_a_search_is_read_in_eight_files():
    model, batch = model_and_batch()
    memory = model.eval().encode(batch.source)
    search = Search(model, memory, [[9] * 4] * len(batch.source.instances.lengths), 2)
    inputs = torch.full_like(search.growing.words, FRAMES[model.config.frame].input_before.edge)
    for _ in range(3):
        search.step(inputs)
        inputs = search.rules.inputs(search.growing.last)
    assert len(files_of(lambda: search.step(inputs))) <= 8


@pytest.mark.parametrize("name", MODELS)
def test_a_model_names_at_most_five_modules(name):
    tree = ast.parse(inspect.getsource(import_module(f"docmt.models.{name}")))
    named = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
    assert len({module for module in named if module.startswith("docmt")}) <= 5


def test_attention_of_a_layer_is_computed_in_one_method():
    for layer in (layers.SelfAttention, layers.CrossAttention, layers.RunAttention):
        methods = inspect.getmembers(layer, inspect.isfunction)
        computing = [name for name, method in methods if re.search(r"\battend\w*\(", inspect.getsource(method))]
        assert computing == ["forward"], layer


def test_no_file_of_models_and_their_training_is_longer_than_350_lines():
    root, rooms = Path(layers.__file__).parents[1], ("nn", "models", "search", "training", "supervision")
    paths = [path for room in rooms for path in (root / room).glob("*.py")]
    lengths = {path: len(path.read_text().splitlines()) for path in paths}
    assert max(lengths.values()) <= 350, max(lengths, key=lengths.get)
