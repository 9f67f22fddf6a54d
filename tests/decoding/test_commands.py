"""The commands of stage 6, with a model folder and a text pipeline as training leaves them."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from helpers.command_line import output, succeed
from helpers.recipes import write_recipe
from helpers.sealed import outputs_of
from helpers.tiny import CONFIGS, tiny_model, windows

import docmt
from docmt.base.columns import SEGMENTS
from docmt.base.errors import UserError
from docmt.base.tables import write_arrow
from docmt.base.vocabulary import Vocabulary
from docmt.models.store import save_model
from docmt.nn.rows import Rows
from docmt.search.beam import beam_search
from docmt.settings.data import CutConfig, TextConfig, ViewConfig
from docmt.settings.decode import DecodeConfig
from docmt.text.bpe import Segmenter
from docmt.text.casing import KeepCase
from docmt.text.pipeline import PipelineConfig, TextPipeline
from docmt.text.side import Side
from docmt.text.tokenizers import tokenizer_for

LETTERS = "abcdefghij"
VIEWS = {
    "wrapped": CutConfig(window=1),
    "joined": CutConfig(window=3),
    "g_transformer": CutConfig(max_tokens=14),
    "closed": CutConfig(max_tokens=14),
    "fairseq": CutConfig(window=1),
    "unmarked": CutConfig(max_tokens=14),
}
MARKED = [name for name in CONFIGS if name != "unmarked"]
"""Models that give a line for a line."""
VOCABULARY = Vocabulary.from_counts({letter + ending: 1 for letter in LETTERS for ending in ("", "@@")})


@pytest.fixture
def pipeline() -> TextPipeline:
    """Words are cut into letters."""
    side = Side(tokenizer_for("en", TextConfig()), KeepCase(), Segmenter(()), VOCABULARY)
    return TextPipeline(PipelineConfig(source_language="en", target_language="en", merges=0), side, side)


def model_folder(name: str, root: Path, pipeline: TextPipeline) -> Path:
    view = dataclasses.asdict(ViewConfig(VIEWS[name], VIEWS[name]))
    save_model(root / name, tiny_model(name, vocabulary=len(VOCABULARY)), {"system": name, "view": view})
    pipeline.save(root / name / "text")
    return root / name


@pytest.fixture(params=MARKED)
def folder(request, tmp_path, pipeline) -> Path:
    return model_folder(request.param, tmp_path, pipeline)


DOCUMENTS = "ab cd\nef\n\nj\ngh ij\nabc\ne\n\n\nf g\n"
SHAPE = [bool(line) for line in DOCUMENTS.split("\n")]


def test_translate_gives_a_line_for_a_line(folder):
    printed = output("translate", "--model", folder, "--beam", 2, "--device", "cpu", "--threads", 1, text=DOCUMENTS)
    assert [bool(line) for line in printed.split("\n")] == SHAPE


def test_translate_prints_the_best_of_each_search_with_scores(folder, pipeline):
    """`line` is that of the input; the best of a sentence's search is its line."""
    options = ("--model", folder, "--beam", 3, "--device", "cpu")
    header, *rows = output("translate", *options, "--n-best", 2, text=DOCUMENTS).splitlines()
    assert header.split("\t") == ["line", "segment", "rank", "score", "log_probability", "tokens", "text"]
    cells = [row.split("\t") for row in rows]
    filled = [number for number, has_text in enumerate(SHAPE, 1) if has_text]
    assert {int(row[0]) for row in cells} <= set(filled) and cells[0][0] == "1"
    assert [int(row[2]) for row in cells] == [1, 2] * (len(rows) // 2)
    assert all(float(best[3]) >= float(second[3]) for best, second in zip(cells[::2], cells[1::2], strict=True))
    if VIEWS[folder.name].window == 1:
        plain = output("translate", *options, text=DOCUMENTS).splitlines()
        assert {int(row[0]): row[6] for row in cells[::2]} == {n: plain[n - 1] for n in filled}


OUTPUTS = {
    ("none", 1): lambda factor: factor,
    ("average", 0.5): lambda factor: factor**2,
    ("gnmt", 2): lambda factor: 6 * factor**0.5 - 5,
    ("unified_dnmt", 1): lambda factor: 6 * (factor - 5),
}
"""How many outputs there are, by what the log-probability was divided by; `none` divides by 1."""


@pytest.mark.parametrize(("penalty", "alpha"), OUTPUTS)
def test_translate_ranks_by_the_length_penalty_that_it_is_told(tmp_path, pipeline, penalty, alpha):
    folder = model_folder("wrapped", tmp_path, pipeline)
    options = ("--length-penalty", penalty, "--length-alpha", alpha, "--beam", 3, "--n-best", 3)
    _, *rows = output("translate", "--model", folder, *options, text="ab cd\n").splitlines()
    scores, sums = np.array([row.split("\t")[3:5] for row in rows], float).T
    outputs = OUTPUTS[penalty, alpha](sums / scores)
    assert outputs == pytest.approx(outputs.round(), abs=1e-3)
    assert (outputs.round() == 1).all() if penalty == "none" else (outputs.round() > 1).all()
    assert sorted(scores, reverse=True) == list(scores)


def test_translate_tells_how_often_it_fell_back(tmp_path, pipeline):
    folder = model_folder("joined", tmp_path, pipeline)
    done = succeed("translate", "--model", folder, "--beam", 2, text="ab cd\nef\n")
    assert "docmt: 1 segments got another number of sentences; 2 sentences were translated again, alone" in done.stderr
    assert len(done.stdout.splitlines()) == 2


def test_translate_tells_of_carriage_returns_that_end_no_line(tmp_path, pipeline):
    folder = model_folder("wrapped", tmp_path, pipeline)
    done = succeed("translate", "--model", folder, text="ab\r\ncd\ref\r\n")
    assert len(done.stdout.splitlines()) == 2
    assert "standard input: 1 carriage return inside lines, first in line 2" in done.stderr
    assert "carriage return" not in succeed("translate", "--model", folder, text="ab\r\ncd\r\n").stderr


@pytest.mark.parametrize("nothing", ["\u200b", "\ufeff", "\x00", "\u3000", "\x01\x7f", "\u00ad\u2060 ", "\u3164"])
def test_lines_without_a_visible_character_stay_blank(nothing, tmp_path, pipeline):
    folder = model_folder("wrapped", tmp_path, pipeline)
    printed = output("translate", "--model", folder, "--beam", 1, text=f"ab\n{nothing}\nef\n").splitlines()
    assert [bool(line) for line in printed] == [True, False, True]


def test_translate_tells_what_was_cut(tmp_path, pipeline):
    """The weights are random: so short a maximum is reached."""
    options = ("translate", "--model", model_folder("wrapped", tmp_path, pipeline), "--beam", 1)
    done = succeed(*options, "--max-length-a", 0, "--max-length-b", 1, text="ab\n\ncd\n")
    told = "standard input: 2 translations cut at the maximum length: --max-length-b raises it (first: line 1)"
    assert f"docmt: {told}\n" in done.stderr
    with pytest.warns(match=r"cut at the maximum length: 2, first documents\[1\]\[0\]; max_length_b"):
        docmt.open_model(options[2]).translate([[], ["ab", "cd"]], beam=1, max_length_a=0, max_length_b=1)
    told = "1 line of more than 1,000 characters, which models translate in part: cut them (first: line 3)"
    assert told in succeed(*options, "--max-length-a", 0, text="ab\n\n" + 1001 * "c" + "\n").stderr
    assert told not in succeed(*options, "--max-length-a", 0, text="ab\n\n" + 1000 * "c" + "\n").stderr


def test_translate_never_looks_across_documents(folder):
    """Each document gets the lines that it gets alone."""
    printed = output("translate", "--model", folder, "--beam", 2, text=DOCUMENTS)
    alone = [output("translate", "--model", folder, "--beam", 2, text=text) for text in DOCUMENTS.split("\n\n")]
    assert [line for line in printed.split("\n") if line] == [
        line for text in alone for line in text.split("\n") if line
    ]


def test_a_model_that_does_not_mark_sentences_gives_a_line_for_a_document(tmp_path, pipeline):
    folder = model_folder("unmarked", tmp_path, pipeline)
    printed = output("translate", "--model", folder, "--beam", 2, text=DOCUMENTS)
    model = tiny_model("unmarked", vocabulary=len(VOCABULARY))
    ids = [list(map(pipeline.source.encode, text.split("\n"))) for text in ("ab cd\nef", "j\ngh ij\nabc\ne", "f g")]
    # Costs of 6 and 4; 3, 6 and 5, then 3; 4 pieces: the second document is two instances.
    instances = [ids[0], ids[1][:2], ids[1][2:], ids[2]]
    hypotheses = beam_search(model, Rows.from_lists(instances), DecodeConfig(beam=2))
    first, *second, third = (pipeline.target.restore(ranked[0].sentences[0])[1] for ranked in hypotheses)
    assert printed.split("\n")[:-1] == [first, " ".join(second), third]


def test_translate_cuts_documents_by_the_models_own_view(tmp_path, pipeline):
    folder = model_folder("g_transformer", tmp_path, pipeline)
    lines = ["ab", "c", "de", "fgh"]
    model = tiny_model("g_transformer", vocabulary=len(VOCABULARY))
    ids = list(map(pipeline.source.encode, lines))
    # Costs of 4, 3, 4 and 5 pieces: the first three stay below 14, all four do not.
    hypotheses = beam_search(model, Rows.from_lists([ids[:3], ids[3:]]), DecodeConfig(beam=3))
    expected = [pipeline.target.restore(words)[1] for ranked in hypotheses for words in ranked[0].sentences]
    assert output("translate", "--model", folder, "--beam", 3, text="\n".join(lines)).split("\n")[:-1] == expected


@pytest.mark.parametrize("name", ["wrapped", "g_transformer", "unmarked"])
def test_a_passage_is_translated_as_its_lines_are(name, tmp_path, pipeline):
    """A sentence without words has an empty translation, and a document of such none where sentences are not marked."""
    folder, documents = model_folder(name, tmp_path, pipeline), [["ab cd", "ef"], [""], ["j", "", "gh ij"]]
    settings = {"decode": {"beam": 2}, "documents": documents}
    words = write_recipe(tmp_path / "passage", "passage", settings, {"model": folder})
    output(*words, "--device", "cpu")
    outputs = json.loads(Path(words[-1], "passages.json").read_text())["documents"]
    lines = output("translate", "--model", folder, "--beam", 2, text="ab cd\nef\n\nj\n\x01\ngh ij\n").split("\n")[:-1]
    expected = [lines[:1], [], lines[1:]] if name == "unmarked" else [lines[:2], [""], lines[3:]]
    assert outputs == expected and outputs[2]


def test_translate_refuses_what_is_not_utf8(folder):
    with pytest.raises(UserError, match="standard input:2: not valid UTF-8"):
        output("translate", "--model", folder, text=b"a\n\xff\n")


def test_translate_needs_the_models_view(folder):
    card = folder / "model.json"
    content = json.loads(card.read_text())
    del content["provenance"]["view"]
    card.write_text(json.dumps(content))
    with pytest.raises(UserError, match="the model does not say how documents are cut"):
        output("translate", "--model", folder, text="a\n")


def test_vocabularies_of_another_model_are_refused(folder):
    Vocabulary.from_counts({"a": 1}).save(folder / "text" / "vocabulary.target.txt")
    with pytest.raises(UserError, match="the vocabularies are not those of the model") as problem:
        output("translate", "--model", folder, text="a\n")
    assert problem.value.found == f"{len(VOCABULARY)} source and 8 target pieces"


def done(step: str, root: Path, model: Path, **decode: int) -> Path:
    """The folder of the outputs of a job over the view of a folder."""
    cut = CutConfig(window=3)
    run = {"study": "demo", "corpus": "toy", "system": "concat", "scale": "smoke", "seed": 1}
    view = dataclasses.asdict(ViewConfig(cut, cut))
    settings = {"version": 1, **run, "decode": dataclasses.asdict(DecodeConfig(beam=2, **decode)), "view": view}
    words = write_recipe(root / "out", step, settings, {"model": model, "view": root / "view"})
    output(*words, "--threads", 1)
    return Path(words[-1])


def test_decode_writes_the_files_of_the_stage(folder, tmp_path):
    write_arrow(tmp_path / "view" / "test.arrow", pa.Table.from_pylist(windows(3), SEGMENTS))
    written = done("translate", tmp_path, folder)
    names = {f"{name}{ending}" for name in ("test", "test.j1", "test.j2", "test.j3") for ending in (".txt", ".tok.txt")}
    assert outputs_of(written) == {*names, "decoding.json"}
    assert len((written / "test.txt").read_text().splitlines()) == 7


ALIKE = "ab cd\nef\nj\ngh ij\nf g\n"
"""The text of DOCUMENTS without some lines and without blank ones."""


@pytest.mark.parametrize("name", ["joined", "g_transformer", "unmarked"])
def test_documents_may_be_named_instead_of_parted_by_blank_lines(name, tmp_path, pipeline):
    folder = model_folder(name, tmp_path, pipeline)
    (tmp_path / "names").write_text("a\na\nb\nb\nc\n")
    named = output("translate", "--model", folder, "--beam", 2, "--documents", tmp_path / "names", text=ALIKE)
    blank = output("translate", "--model", folder, "--beam", 2, text="ab cd\nef\n\nj\ngh ij\n\nf g\n")
    assert named.splitlines() == [line for line in blank.splitlines() if line]
    assert len(named.splitlines()) == (3 if name == "unmarked" else 5)


def test_the_folder_above_the_model_will_do(tmp_path, pipeline):
    """As a training leaves it: its own files, and the model in `model`."""
    folder = model_folder("joined", tmp_path, pipeline)
    folder.rename(tmp_path / "model")
    translated = output("translate", "--model", tmp_path / "model", "--beam", 2, text=DOCUMENTS)
    assert output("translate", "--model", tmp_path, "--beam", 2, text=DOCUMENTS) == translated


def test_lists_of_hypotheses_as_json_have_numbers(folder):
    options = ("translate", "--model", folder, "--beam", 2, "--n-best", 2)
    header, *rows = (line.split("\t") for line in output(*options, text=DOCUMENTS).splitlines())
    records = json.loads(output(*options, "--json", text=DOCUMENTS))
    assert [list(record) for record in records] == [header] * len(rows)
    assert [[record[name] for name in ("line", "segment", "rank")] for record in records] == [
        [int(cell) for cell in row[:3]] for row in rows
    ]
    for name, place, kind in (("score", 3, float), ("log_probability", 4, float), ("tokens", 5, str), ("text", 6, str)):
        assert [record[name] for record in records] == [kind(row[place]) for row in rows]
