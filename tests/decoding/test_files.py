"""The files of stage 6, from a view on disk; and what is refused."""

import json

import pytest
import torch
from helpers.tiny import LENGTHS, TEST_DOCUMENTS, chunks, segment, tiny_model, windows

from docmt.base.errors import UserError
from docmt.decoding.files import TranslationSettings, write_translations
from docmt.decoding.segments import View
from docmt.decoding.translator import Translator
from docmt.nn.rows import Rows
from docmt.search.beam import beam_search
from docmt.settings.data import CutConfig, ViewConfig
from docmt.settings.decode import DecodeConfig

SENTENCES = sum(map(len, LENGTHS))
SUB_DOCUMENTS = CutConfig(max_sentences=3)


def settings_for(cut: CutConfig, **decode: object) -> TranslationSettings:
    config = DecodeConfig(beam=2, max_length_a=1.0, max_length_b=3, **decode)
    return TranslationSettings(1, "study", "corpus", "system", "smoke", 1, config, ViewConfig(cut, cut))


def restore(ids: list[int]) -> tuple[str, str]:
    return " ".join(map(str, ids)), "-".join(map(str, ids))


def written(settings: TranslationSettings, model, folder, output) -> dict:
    return write_translations(settings, Translator(model, settings.decode), View(folder), output, restore)


def decode(model, folder, output, cut, **settings):
    written(settings_for(cut, **settings), model, folder, output)
    return {file.name: file.read_text().split("\n")[:-1] for file in output.glob("*.txt")}


def best(model, instances):
    """The translations of the documents' segments, a line a sentence."""
    translations = beam_search(model, Rows.from_lists(instances), settings_for(CutConfig(window=1)).decode)
    return ["-".join(map(str, words)) for ranked in translations for words in ranked[0].sentences]


@pytest.mark.parametrize("name", ["joined", "g_transformer"])
def test_windows_give_a_file_a_position_and_a_line_a_sentence(view, tmp_path, name):
    files = decode(tiny_model(name), view(windows(3)), tmp_path / "out", CutConfig(window=3))
    names = ["test", "test.j1", "test.j2", "test.j3"]
    assert set(files) == {f"{name}{ending}" for name in names for ending in (".txt", ".tok.txt")}
    assert all(len(lines) == SENTENCES and all(lines) for lines in files.values())
    assert files["test.txt"] == files["test.j3.txt"]


def test_unmarked_sentences_give_a_line_a_document(view, tmp_path):
    """The runs of a document's instances, one after another."""
    model = tiny_model("unmarked")
    files = decode(model, view(chunks(3)), tmp_path / "out", CutConfig(max_sentences=3))
    pieces = [[document[first : first + 3] for first in range(0, len(document), 3)] for document in TEST_DOCUMENTS]
    assert files["test.txt"] == [" ".join(best(model, instances)) for instances in pieces]
    assert files["test.tok.txt"] == [line.replace("-", " ") for line in files["test.txt"]]
    record = json.loads((tmp_path / "out" / "decoding.json").read_text())
    assert (record["strategy"], record["lines"], record["sentences"]) == ("documents", "documents", SENTENCES)


def test_the_record_of_the_decoding(view, tmp_path):
    model, segments = tiny_model("joined"), windows(3)
    files = decode(model, view(segments), tmp_path / "out", CutConfig(window=3), length_penalty="gnmt")
    record = json.loads((tmp_path / "out" / "decoding.json").read_text())
    translations = beam_search(
        model,
        Rows.from_lists([sentences(row) for row in segments]),
        settings_for(CutConfig(window=3), length_penalty="gnmt").decode,
    )
    failed = [
        row
        for row, ranked in zip(segments, translations, strict=True)
        if len(ranked[0].sentences) != len(row["source_lengths"])
    ]
    alone = {(row["document"], row["first"] + i) for row in failed for i in range(len(row["source_lengths"]))}
    several = [row for row in failed if len(row["source_lengths"]) > 1]
    assert record["fallback_windows"] == len(failed) > 0
    assert record["fallback_sentences"] == len(alone - {(row["document"], 0) for row in failed if row not in several})
    assert record["sentences"] == len(files["test.txt"]) == SENTENCES
    assert record["segments"] == len(segments)
    assert record["forced_ends"] >= sum(ranked[0].forced_ends for ranked in translations)
    expected = {
        "strategy": "sliding windows",
        "lines": "sentences",
        "view": "window3",
        "frame": "joined",
        "beam": 2,
        "length_penalty": "gnmt",
    }
    assert expected.items() <= record.items()
    assert record["version"] == 1


def test_speeds_are_facts_of_the_run_and_not_of_the_translations(view, tmp_path):
    arguments = settings_for(CutConfig(window=2)), tiny_model("joined"), view(windows(2))
    facts = written(*arguments, tmp_path / "out")
    content = (tmp_path / "out" / "decoding.json").read_bytes()
    written(*arguments, tmp_path / "again")
    assert (tmp_path / "again" / "decoding.json").read_bytes() == content
    counts = json.loads(content)
    for name in ("source_tokens", "target_tokens", "sentences"):
        assert facts[f"{name}_per_s"] == pytest.approx(counts[name] / facts["search_seconds"])
    assert facts["device"] == "cpu" and facts["threads"] == torch.get_num_threads()


def sentences(row: dict) -> list[list[int]]:
    words = iter(row["source_ids"])
    return [[next(words) for _ in range(length)] for length in row["source_lengths"]]


def test_positions_of_a_longer_window_are_removed(view, tmp_path):
    model = tiny_model("joined")
    decode(model, view(windows(3)), tmp_path / "out", CutConfig(window=3))
    files = decode(model, view(windows(2)), tmp_path / "out", CutConfig(window=2))
    assert "test.j2.txt" in files and "test.j3.txt" not in files and "test.j3.tok.txt" not in files


def refused(model, folder, output, cut=SUB_DOCUMENTS):
    with pytest.raises(UserError) as problem:
        written(settings_for(cut), model, folder, output)
    assert not output.exists()
    return str(problem.value)


def test_a_view_of_another_vocabulary_is_refused(view, tmp_path):
    message = refused(tiny_model("wrapped", vocabulary=12), view(chunks(3)), tmp_path / "out")
    assert "the view was made with another vocabulary than the model" in message
    assert f"found source id {max(word for row in chunks(3) for word in row['source_ids'])}" in message
    assert "expected ids below 12, the size of the model's source vocabulary" in message


def test_a_view_without_segments_is_refused(view, tmp_path):
    assert "no segments to decode" in refused(tiny_model("wrapped"), view([]), tmp_path / "out")


@pytest.mark.parametrize("order", [[1, 0, 2], [0, 2, 1], [1], [0, 0]])
def test_segments_out_of_order_are_refused(view, tmp_path, order):
    rows = [segment(0, 0, [[8], [9]]), segment(0, 2, [[7]]), segment(1, 0, [[8]])]
    message = refused(tiny_model("wrapped"), view([rows[i] for i in order]), tmp_path / "out")
    assert "segments are out of order" in message


def test_a_free_number_of_sentences_needs_windows(view, tmp_path):
    message = refused(tiny_model("joined"), view(chunks(3)), tmp_path / "out")
    assert "this model is free to give another number of sentences" in message
    assert "found frame joined, test view sentences3; expected a test view of windows" in message


def test_unmarked_sentences_cannot_be_put_together_from_windows(view, tmp_path):
    message = refused(tiny_model("unmarked"), view(windows(3)), tmp_path / "out", CutConfig(window=3))
    assert "this model does not mark sentences" in message
    assert "found frame unmarked, test view window3; expected a test view of max_tokens" in message
