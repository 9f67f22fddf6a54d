"""What a training leaves, what it starts from, and what it refuses."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import torch
from helpers.toy_task import HE, MAN, SHE, SMALL_MODEL, VOCABULARY, Folder, Notes, make_folder

from docmt.base.artifacts import write_json
from docmt.base.columns import SEGMENTS
from docmt.base.digests import FileDigest
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST, Manifest
from docmt.base.tables import write_arrow
from docmt.base.vocabulary import MASK, SPECIALS, Vocabulary
from docmt.models.store import load_model, read_card
from docmt.nn.frames import frame_batch
from docmt.nn.noise import document_keys
from docmt.nn.rows import Rows
from docmt.supervision.exit import Reason
from docmt.supervision.ranks import Ranks
from docmt.supervision.watch import Watch
from docmt.training.batches import Batches
from docmt.training.checkpoint import StateFolder
from docmt.training.loop import Training
from docmt.training.metrics import Metrics
from docmt.training.status import Status
from docmt.training.task import prepare, read_settings

SENTENCE = {key: value for key, value in SMALL_MODEL.items() if key != "combined_layers"} | {"kind": "transformer"}


@pytest.fixture(scope="module")
def sentence(tmp_path_factory) -> Folder:
    """A finished sentence model."""
    folder = make_folder(tmp_path_factory.mktemp("sentence") / "run", by_sentence=True)
    folder.model.clear()
    folder = folder.changed(SENTENCE, max_updates=4)
    assert folder.train()
    return folder


def test_outputs(folder):
    notes = Notes()
    assert folder.train(notes)
    record, card = folder.record(), read_card(folder.paths.output / "model")
    dev = [line for line in folder.metrics() if line["kind"] == "dev"]
    best = min(dev, key=lambda line: line["loss"])
    assert record["updates"] == 12
    assert record["best_update"] == best["update"]
    assert record["best_dev_loss"] == best["loss"]
    assert record["dev_perplexity"] == best["perplexity"] == pytest.approx(np.exp(best["nll"]))
    assert record["parameters"] == sum(p.numel() for p in load_model(folder.paths.output / "model").parameters())
    assert record["threads"] == 1
    assert record["device"] == "cpu"
    assert record["versions"]["torch"] == torch.__version__
    assert card["provenance"]["update"] == best["update"]
    assert card["provenance"]["view"]["test"]["max_tokens"] == 512
    for name in ("vocabulary.source.txt", "vocabulary.target.txt"):
        copied = (folder.paths.output / "model" / "text" / name).read_bytes()
        assert copied == (folder.paths.text / name).read_bytes()


@pytest.mark.parametrize("frame", ["wrapped", "unmarked"])
def test_losses_of_training_and_dev_are_divided_alike(folder, frame):
    """By words and ends of sentences: an unmarked frame predicts fewer symbols, and its losses are no larger for it."""
    model = {name: value for name, value in folder.model.items() if name != "combined_layers"}
    plain = replace(folder, model={**model, "kind": "transformer", "frame": frame})
    other, notes = plain.changed(max_updates=4), Notes()
    assert other.train(notes)
    (line,) = [line for line in other.metrics() if line["kind"] == "train"]
    assert line["nll"] == pytest.approx(
        sum(step.nll for step in notes.steps) / sum(step.counted for step in notes.steps)
    )
    fewer = [step.target_tokens < step.counted for step in notes.steps]
    assert all(fewer) if frame == "unmarked" else not any(fewer)


def test_metrics_of_a_resumed_training_are_those_of_its_checkpoint(tmp_path):
    """A line that a kill has cut short, later lines, changed digits, a file that is gone: none of this matters."""
    path = tmp_path / "metrics.jsonl"
    lines = [json.dumps({"kind": "train", "update": update}) + "\n" for update in (2, 4)]
    for text in ("".join(lines) + '{"kind": "train", "upd', lines[0].replace("2", "3"), "\udcff", None):
        path.unlink(missing_ok=True) if text is None else path.write_text(text, encoding="utf-8", errors="replace")
        Metrics(path, Status(update=4, lines=[*lines]), 1).close()
        assert path.read_text(encoding="utf-8") == "".join(lines)


@pytest.mark.some(1)
@pytest.mark.parametrize("rule", ["best", "last", "average"])
def test_checkpoint_rule_makes_the_model(folder, rule):
    other = folder.changed(checkpoint=rule, average=2, validate_every_updates=1, lr=3e-2, max_updates=8)
    settings = read_settings(other.paths)
    task = prepare(other.paths, settings, torch.device("cpu"))
    snapshots = []

    class Keeping(Notes):
        def validated(self, validation) -> None:
            snapshots.append((validation.loss, {n: p.detach().clone() for n, p in task.model.named_parameters()}))

    training = Training(task, StateFolder(other.paths.state, print, {}), Watch())
    assert training.run(Keeping()) is Reason.FINISHED
    chosen = training.choose_weights()
    expected = {
        "best": min(snapshots, key=lambda pair: pair[0])[1],
        "last": snapshots[-1][1],
        "average": {name: (snapshots[-1][1][name] + snapshots[-2][1][name]) / 2 for name in snapshots[0][1]},
    }[rule]
    for name, parameter in task.model.named_parameters():
        torch.testing.assert_close(parameter.detach(), expected[name], rtol=0, atol=1e-7)
    if rule != "average":
        assert chosen.loss == pytest.approx(min(loss for loss, _ in snapshots) if rule == "best" else snapshots[-1][0])


def test_patience_ends_a_training_that_does_not_get_better(folder):
    other = folder.changed(patience=2, max_updates=None, validate_every_updates=1, lr=1e-12)
    notes = Notes()
    assert other.train(notes)
    assert notes.said("no better dev loss in 2 validations")
    assert other.record()["updates"] - other.record()["best_update"] == 2


def test_the_start_is_validated_where_it_is_asked_for(folder):
    """An untrained model's loss, told as update 0; what follows is the same to the bit, so are means of the last."""
    weights = []
    for asked in (False, True):
        other = folder.changed(validate_start=asked, checkpoint="average", average=99, max_updates=4)
        notes = Notes()
        assert other.train(notes)
        validated = [line for line in other.metrics() if line["kind"] == "dev"]
        assert [line["update"] for line in validated][:1] == ([0] if asked else [4])
        weights.append(other.weights())
    assert validated[0]["epoch"] == 0 and validated[0]["loss"] > validated[1]["loss"]
    assert weights[0] == weights[1]


@pytest.mark.parametrize("has_it", [False, True])
def test_bf16_is_chosen_by_name_and_a_processor_without_it_is_told(folder, monkeypatch, has_it):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_f": True, "avx512_bf16": has_it})
    for precision, is_told in (("fp32", False), ("bf16", not has_it)):
        other = folder.changed(precision=precision, max_updates=1)
        notes = Notes()
        assert other.train(notes)
        assert any("bf16 is slow on this processor" in text for text in notes.lines) == is_told


def test_seeds_differ_and_repeat(folder):
    folder, weights = folder.changed(max_updates=3), []
    for seed in (1, 1, 2):
        other = replace(folder, seed=seed)
        other.write()
        other.train()
        weights.append(other.weights())
    assert weights[0] == weights[1] != weights[2]


def test_word_dropout_hits_words_only():
    rows = Rows.from_lists([[[MAN, HE]] * 300], [[[SHE, MAN]] * 300])
    batch = frame_batch(rows, "wrapped").with_keys(document_keys(0, np.arange(1)))
    dropped = batch.with_word_dropout(0.3)
    for before, after in ((batch.source, dropped.source), (batch.target_in, dropped.target_in)):
        words = before.tokens >= len(SPECIALS)
        hit = after.tokens == MASK
        assert not hit[~words].any()
        assert torch.equal(after.tokens[~hit], before.tokens[~hit])
        assert hit[words].float().mean().item() == pytest.approx(0.3, abs=0.08)
        assert after.layout is before.layout
    assert torch.equal(dropped.target_out, batch.target_out)


def test_word_dropout_ends_after_its_epochs(folder):
    other = folder.changed(word_dropout=0.5, word_dropout_epochs=1)
    task = prepare(other.paths, read_settings(other.paths), torch.device("cpu"))
    batches = Batches(task, Ranks())
    for epoch in (0, 1):
        is_masked = [(batch.source.tokens == MASK).any() for batch in batches.of_update(1, epoch, 0).batches]
        assert any(is_masked) == (epoch == 0)


def test_init_from_takes_what_the_sentence_model_has(tmp_path, sentence):
    folder = make_folder(tmp_path / "run", init=sentence.paths.output)
    other = folder.changed(lr_new=1e-30, lr_transferred=1e-30, max_updates=1, validate_every_updates=1)
    notes = Notes()
    assert other.train(notes)
    initial, model = load_model(other.init / "model"), load_model(other.paths.output / "model")
    given = dict(initial.named_parameters())
    for name, parameter in model.named_parameters():
        source = model.transfer_source(name)
        if source is not None:
            torch.testing.assert_close(parameter, given[source], rtol=0, atol=1e-7)
    record = other.record()
    assert record["transferred"] == len(given)
    assert record["new"] == sum(".global_." in n or ".gate." in n for n, _ in model.named_parameters()) > 0
    assert notes.said(f"transferred from the initial model: {record['transferred']} parameters (source_embedding ")
    assert notes.said(f"; new: {record['new']} parameters (encoder ")
    assert {"lr_new", "lr_transferred"} <= set(other.metrics()[0])


def test_init_from_another_vocabulary_is_refused(tmp_path, sentence):
    folder = make_folder(tmp_path / "run", init=sentence.paths.output)
    Vocabulary((*VOCABULARY.pieces[:-1], "7")).save(folder.paths.text / "vocabulary.target.txt")
    with pytest.raises(UserError, match="trained with another vocabulary"):
        folder.train()


def empty_view(folder: Folder) -> None:
    write_arrow(folder.paths.view / "dev.arrow", pa.Table.from_pylist([], schema=SEGMENTS))


def test_a_changed_file_of_the_text_is_refused_before_training(folder):
    """The model carries it along: else a training would end with this message, after its last update."""
    codes = folder.paths.text / "codes.source"
    codes.write_text("#version: 0.2\na b\n", encoding="utf-8")
    listed = {"text/codes.source": FileDigest.of(codes)}
    write_json(codes.parents[1] / MANIFEST, Manifest(None, "tokens", files=listed).to_json())
    codes.write_text("#version: 0.2\na c\n", encoding="utf-8")
    notes = Notes()
    with pytest.raises(UserError, match=r"codes\.source: the file differs from its manifest"):
        folder.train(notes)
    assert notes.steps == []


def no_vocabulary(folder: Folder) -> None:
    (folder.paths.text / "vocabulary.source.txt").unlink()


def unequal_vocabularies(folder: Folder) -> None:
    Vocabulary(VOCABULARY.pieces[:-1]).save(folder.paths.text / "vocabulary.source.txt")


def no_view(folder: Folder) -> None:
    (folder.paths.view / "train.arrow").unlink()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (no_view, "file not found"),
        (empty_view, "no segments"),
        (no_vocabulary, "the text is the folder text/ of an artifact in results/2_tokens"),
        (unequal_vocabularies, "one table of embeddings needs one vocabulary"),
    ],
)
def test_bad_inputs_are_refused_before_anything_is_written(folder, spoil, message):
    spoil(folder)
    check_refused(folder, message)


def check_refused(folder: Folder, message: str) -> None:
    with pytest.raises(UserError) as problem:
        folder.train()
    assert message in str(problem.value)
    assert not folder.outputs()
    assert not folder.paths.state.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"batch_tokens": 5}, "a segment of document 'd"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_written(folder, change, message):
    check_refused(folder.changed(**change), message)
