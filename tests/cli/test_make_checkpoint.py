"""Small random checkpoints: made the same each time, and of the form of the real ones."""

import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
import torch
from helpers.checkpoints import transformers
from helpers.recipes import write_recipe
from helpers.sealed import outputs_of

from docmt.base.manifest import MANIFEST
from docmt.base.vocabulary import SPECIALS
from docmt.corpus.stock import fixture_lines
from docmt.models.pretrained import start_from
from docmt.models.transformer import Transformer
from docmt.scoring.alignment.programs import AwesomeAlign
from docmt.scoring.cohesion import NextSentenceModel
from docmt.settings.models import TransformerConfig
from docmt.settings.pretrained import ALIGNER_FILES, SIZES, needed_fields
from docmt.text.pretrained import PretrainedTokenizer

DOCMT = Path(sys.executable).parent / "docmt"
KINDS = ("mbart", "bert")
SMALL = {"encoder_layers": 3, "decoder_layers": 2, "width": 16, "inner": 24, "heads": 2}


def make_checkpoint(kind: str, folder: Path, docmt: Path = DOCMT) -> Path:
    """By the command, in a process of its own."""
    words = write_recipe(folder, "checkpoint", {"stands_for": f"models/{kind}", "kind": kind, **SMALL})
    subprocess.run([docmt, *words], check=True)
    return Path(words[-1])


@pytest.fixture(scope="module")
def folders(tmp_path_factory, programs) -> dict[str, Path]:
    base = tmp_path_factory.mktemp("made")
    return {kind: make_checkpoint(kind, base / kind, programs / "docmt") for kind in KINDS}


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_bytes_twice(kind, folders, tmp_path):
    """The second time in a new process, so that no order of hashes is the same by chance."""
    again = make_checkpoint(kind, tmp_path / "again")
    names = outputs_of(again)
    assert names == {"config.json", "model.safetensors", "tokenizer.json"}
    for name in (*names, MANIFEST):
        assert (again / name).read_bytes() == (folders[kind] / name).read_bytes(), name


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_of_the_scale_starts_from_it(kind, folders):
    fields = needed_fields(folders[kind])
    named = [name for name in SIZES if name in fields]
    assert {name: fields[name] for name in named} == {name: SMALL[name] for name in named}
    tokenizer = PretrainedTokenizer.load(folders[kind] / "tokenizer.json")
    pieces = dict(zip(SPECIALS, tokenizer.special_rows("en"), strict=True))
    model = Transformer(TransformerConfig(**{**SMALL, **fields}, embeddings="separate"), len(pieces), len(pieces))
    start = start_from(model, folders[kind], pieces, pieces)
    assert start.stands_for == f"models/{kind}"
    new = {name.split(".")[0] for name in start.new}
    assert new == (set() if kind == "mbart" else {"decoder", "target_embedding", "output"})


@pytest.mark.parametrize("kind", KINDS)
def test_its_tokenizer_cuts_and_restores_text(kind, folders):
    tokenizer = PretrainedTokenizer.load(folders[kind] / "tokenizer.json")
    for sentence in islice(fixture_lines(), 0, None, 97):
        names = tokenizer.tokenize(sentence)
        assert len(names) >= len(sentence.split())
        assert all(tokenizer.row(name) is not None for name in names)
        assert tokenizer.text(names).replace(" ", "") == sentence.replace(" ", "")


@pytest.mark.parametrize("kind", KINDS)
def test_transformers_finds_every_weight_in_its_place(kind, folders):
    hf = transformers()
    form = hf.MBartForConditionalGeneration if kind == "mbart" else hf.BertForNextSentencePrediction
    model, loading_info = form.from_pretrained(folders[kind], output_loading_info=True)
    assert not any(loading_info[name] for name in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    weight = model.get_input_embeddings().weight
    assert torch.isfinite(weight).all() and 0.05 < weight.std() < 0.2


def test_bert_predicts_next_sentences(folders):
    """By the state of a first token of its own, so that the order of the two texts matters."""
    transformers()
    lines = list(islice(fixture_lines(), 0, 2000, 97))
    model = NextSentenceModel(folders["bert"], "cpu")
    there, cut = model.probabilities(lines[:-1], lines[1:])
    back, _ = model.probabilities(lines[1:], lines[:-1])
    assert cut == 0 and all(0 < probability < 1 for probability in there)
    assert max(abs(straight - swapped) for straight, swapped in zip(there, back, strict=True)) > 1e-4


@pytest.mark.slow
def test_awesome_align_takes_its_own_kind(tmp_path, programs):
    """Links of every line, the same twice."""
    folder = make_checkpoint("aligner", tmp_path / "aligner", programs / "docmt")
    assert outputs_of(folder) == {*ALIGNER_FILES}
    chinese = ["我们 在 公园 。", "他们 来 了 。"]
    english = ["we are in the park .", "they came ."]
    links = AwesomeAlign(folder).align(chinese, english)
    assert all(pair.forward for pair in links.lines)
    assert AwesomeAlign(folder).align(chinese, english) == links
