"""From a text of pretrained pieces to translations, by the real commands; and what does not fit."""

import re
import shutil
import sys
from pathlib import Path

import pytest
import torch
import yaml
from helpers.checkpoints import fields, reference_model, write_checkpoint
from helpers.pieces import write_tokenizer
from helpers.recipes import write_recipe
from helpers.small_corpus import ITEM, write_corpus
from safetensors.torch import load_file

from docmt.base.artifacts import read_json
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST
from docmt.base.recipe import JOB, Recipe, read_recipe
from docmt.cli.main import main
from docmt.decoding.segments import SegmentTable, View
from docmt.models.store import load_model
from docmt.settings.pretrained import checkpoint_files, files_by_role
from docmt.training.start import counterparts
from docmt.training.task import Paths, build_model, check_test, check_text, prepare, read_settings

KINDS = {"mbart": "transformer", "bart": "g_transformer", "bert": "transformer"}
"""Checkpoints, and the model that starts from each."""
TRAIN = {"max_updates": 3, "patience": None, "batch_tokens": 500, "tokens_per_update": 500, "warmup_updates": 1}


def command(*arguments) -> None:
    before, sys.argv = sys.argv, ["docmt", *map(str, arguments)]
    try:
        main()
    except SystemExit as end:
        assert not end.code
    finally:
        sys.argv = before


def output_of(root: Path, part: str) -> Path:
    """The folder of the only job of a place."""
    (recipe,) = (root / part).glob(f"*/{JOB}")
    return recipe.parent


def make_tokens(root: Path, kind: str) -> None:
    """A checkpoint with its tokenizer, and stages 1 and 2."""
    tokenizer = write_tokenizer(kind, root / "checkpoint")
    write_checkpoint(reference_model(kind, tokenizer.get_vocab_size()), root / "checkpoint")
    sides = (
        {"pretrained_sides": "source", "bpe": "separate", "vocabulary": "separate", "merges": 30}
        if kind == "bert"
        else {}
    )
    text = {"pretrained": str(root / "checkpoint"), **sides}
    languages = {"source_language": "zh", "target_language": "en"}
    write_corpus(root / "corpus", items=[ITEM])
    command(
        *write_recipe(
            root / "tokens",
            "tokens",
            {"version": 1, "corpus": "small", **languages, "text": text},
            {"corpus": root / "corpus"},
            {"tokenizer": root / "checkpoint" / "tokenizer.json"},
        )
    )


def make_view(root: Path, kind: str) -> dict:
    cut = {"window": 1} if KINDS[kind] == "transformer" else {"max_tokens": 80}
    view = {"train": cut, "test": cut}
    command(*write_recipe(root / "view", "views", {"version": 1, "view": view}, {"tokens": output_of(root, "tokens")}))
    return view


def settings(kind: str, root: Path, view: dict, **train) -> dict:
    run = {"study": "s", "corpus": "small", "system": "x", "scale": "paper", "seed": 1}
    model = {
        "kind": KINDS[kind],
        "embeddings": "separate" if kind == "bert" else "shared",
        **fields(kind),
        "max_positions": 90,
    }
    if KINDS[kind] == "g_transformer":
        model["combined_layers"] = 1
    start = {"init_from": None, "pretrained": str(root / "checkpoint")}
    return {"version": 1, **run, **start, "view": view, "model": model, "train": {**TRAIN, **train}}


def without_row(kind: str) -> list[str]:
    """mBART has a code of the target language, with which `<sep>` starts."""
    return ["<cls>"] if kind == "mbart" else ["<sep>", "<cls>"]


@pytest.fixture(scope="module", params=KINDS)
def trained(request, tmp_path_factory) -> tuple[str, Path]:
    """The kind, and a folder with all stages up to translations."""
    kind, root = request.param, tmp_path_factory.mktemp(request.param)
    make_tokens(root, kind)
    chosen = settings(kind, root, make_view(root, kind), lr_transferred=1e-30, lr_new=1e-3)
    command(*training(root, chosen))
    decode = {"beam": 2, "max_length_a": 1.0, "max_length_b": 3}
    common = {key: chosen[key] for key in ("version", "study", "corpus", "system", "scale", "seed", "view")}
    inputs = {"model": output_of(root, "trained"), "view": output_of(root, "view")}
    words = write_recipe(root / "translations", "translate", {**common, "decode": decode}, inputs)
    command(*words, "--threads", 1)
    return kind, root


def training(root: Path, chosen: dict) -> list[str]:
    """Write the recipe of a training; the arguments that carry it out."""
    inputs = {"view": output_of(root, "view"), "tokens": output_of(root, "tokens")}
    files = files_by_role("pretrained", checkpoint_files(root / "checkpoint"))
    words = write_recipe(root / "trained", "train", chosen, inputs, files)
    return [*words, "--threads", "1"]


def test_embeddings_are_the_checkpoints_by_name_of_the_piece(trained):
    """What was taken had next to no learning rate."""
    kind, root = trained
    model, weights = (
        load_model(output_of(root, "trained") / "model"),
        load_file(root / "checkpoint" / "model.safetensors"),
    )
    table = next(tensor for name, tensor in weights.items() if re.search(r"shared|word_embeddings", name))
    rows = counterparts(output_of(root, "tokens") / "text", "source")
    for number, (piece, row) in enumerate(rows.items()):
        expected = table.mean(dim=0) if row is None else table[row]
        torch.testing.assert_close(model.source_embedding.weight[number], expected, msg=piece)
    assert [piece for piece, row in rows.items() if row is None] == without_row(kind)
    assert (counterparts(output_of(root, "tokens") / "text", "target") is None) == (kind == "bert")


def test_the_record_accounts_for_every_weight_and_every_parameter(trained):
    kind, root = trained
    record = read_json(output_of(root, "trained") / "record.json")
    names = [name for name, _ in load_model(output_of(root, "trained") / "model").named_parameters()]
    start = record["start"]
    assert sorted(start["transferred"] + start["new"]) == sorted(names)
    assert set(start["weights"]) == set(load_file(root / "checkpoint" / "model.safetensors"))
    assert start["new_pieces"]["source_embedding.weight"] == without_row(kind)
    expected = {"mbart": (), "bart": (".global_.", ".gate."), "bert": ("decoder", "target_embedding", "output")}[kind]
    assert all(any(part in name for part in expected) for name in start["new"])
    assert record["new"] == len(start["new"])
    assert read_json(output_of(root, "trained") / "model" / "model.json")["provenance"]["pretrained"] == str(
        root / "checkpoint"
    )


@pytest.fixture
def bart(tmp_path) -> Path:
    """Everything up to a training, whose settings a test may change."""
    make_tokens(tmp_path, "bart")
    training(tmp_path, settings("bart", tmp_path, make_view(tmp_path, "bart")))
    return tmp_path


def recipe_of(root: Path) -> Recipe:
    return read_recipe(output_of(root, "trained"))


def edit(root: Path, key: str, value) -> None:
    recipe = recipe_of(root)
    shutil.rmtree(recipe.folder)
    training(root, {**recipe.all_settings, key: value})


def refusal(root: Path) -> str:
    with pytest.raises(UserError) as refused:
        paths = Paths.of(recipe_of(root))
        read_settings(paths)
        check_text(paths)
    return str(refused.value)


def test_the_log_says_what_is_transferred_what_is_new_and_what_is_left(bart, capfd):
    command("job", output_of(bart, "trained"), "--threads", 1)
    log = capfd.readouterr()
    text = re.sub(r"\s+", " ", log.out + log.err + (output_of(bart, "trained") / "log.1.txt").read_text())
    assert "transferred from the initial model" in text
    assert "final_logits_bias (no part of a translation model: all zero)" in text
    assert "pieces that start as the mean of all: source_embedding.weight: <sep> <cls>" in text
    assert "new positions: source_embedding.position.weight from 30 on" in text


def test_the_fields_that_have_to_differ_can_be_pasted(bart):
    fitting = recipe_of(bart).all_settings["model"]
    edit(bart, "model", {**fitting, "heads": 2, "width": 32, "embedding_scale": True, "norm_epsilon": 0.5})
    message = refusal(bart)
    assert "the model differs from the checkpoint that it starts from" in message
    pasted = yaml.safe_load(re.search(r"expected model: (\{.*\})", message)[1])
    assert pasted == {"heads": 4, "width": 16, "embedding_scale": False, "norm_epsilon": 1e-5}
    edit(bart, "model", {**fitting, **pasted})
    read_settings(Paths.of(recipe_of(bart)))


def test_a_segment_beyond_the_table_of_positions_is_refused_before_the_first_update(bart):
    """Of every split: a model that cannot read the test set is not trained."""
    edit(bart, "model", {**recipe_of(bart).all_settings["model"], "max_positions": 30})
    paths = Paths.of(recipe_of(bart))
    chosen = read_settings(paths)
    with pytest.raises(UserError, match="longer than the model's table of positions") as refused:
        prepare(paths, chosen, torch.device("cpu"))
    assert re.search(r"train.arrow: document '\w+', sentences 0 to \d", refused.value.where)
    model = build_model(paths, chosen)
    for check in (lambda: check_test(paths, model), lambda: SegmentTable.read(View(paths.view), model)):
        with pytest.raises(UserError, match="longer than the model's table of positions") as refused:
            check()
        assert "test.arrow: document" in refused.value.where


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("model.safetensors", "no weights of a pretrained model"),
        ("tokenizer.json", "tokenizer.json: file not found"),
    ],
)
def test_a_missing_part_of_the_checkpoint_is_named(bart, missing, message):
    path = bart / "checkpoint" / missing
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert message in refusal(bart)


def test_a_text_of_other_pieces_is_refused(bart):
    (output_of(bart, "tokens") / MANIFEST).unlink()  # it would name the changed file
    (output_of(bart, "tokens") / "text" / "tokenizer.json").write_text("{}")
    assert "the text does not have the pieces of the pretrained checkpoint" in refusal(bart)
    assert "found another tokenizer.json" in refusal(bart)
    (output_of(bart, "tokens") / "text" / "tokenizer.json").unlink()
    assert "found no tokenizer.json" in refusal(bart)
