"""What a reader has to open: the files of a pass and of a step of a search, and the modules that a model names."""

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

from docmt.models import build
from docmt.nn import layers
from docmt.nn.frames import FRAMES
from docmt.nn.noise import document_keys, name_sites
from docmt.search.beam import Search

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


def test_no_file_of_the_models_is_longer_than_350_lines():
    root = Path(layers.__file__).parents[1]
    paths = [path for room in ("nn", "models", "search") for path in (root / room).glob("*.py")]
    lengths = {path: len(path.read_text().splitlines()) for path in paths}
    assert max(lengths.values()) <= 350, max(lengths, key=lengths.get)
