"""Coherence and cohesion: against loops, their laws, their commands, and word vectors."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest
from helpers.checkpoints import reference_model, transformers, write_checkpoint
from helpers.command_line import output
from helpers.pieces import write_tokenizer
from helpers.sealed import check_reader
from helpers.support import ROOT
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.scoring import coherence, cohesion
from docmt.scoring.coherence import similarities
from docmt.scoring.cohesion import NextSentenceModel, probabilities
from docmt.scoring.tallies import adjacent_pairs
from docmt.scoring.word_vectors import (
    WordVectors,
    read_word_vectors,
    train_word_vectors,
    write_word_vectors,
)
from docmt.settings.scoring import WordVectorsConfig

LINES = st.lists(
    st.tuples(st.sampled_from("xy"), st.lists(st.sampled_from(["a", "B", "c", "?"]), max_size=4)), max_size=7
)
TABLE = {"a": (1.0, 0.0, 2.0), "b": (0.0, -1.0, 0.5), "c": (0.0, 0.0, 0.0)}
VECTORS = WordVectors({word: n for n, word in enumerate(TABLE)}, np.array([*TABLE.values()]), "lower", "small")


def loop_cosine(first: list[str], second: list[str]) -> float:
    means = []
    for words in (first, second):
        known = [TABLE[word.lower()] for word in words if word.lower() in TABLE]
        if not known:
            return 0
        means.append([sum(numbers) / len(known) for numbers in zip(*known, strict=True)])
    product = sum(a * b for a, b in zip(*means, strict=True))
    norms = [math.sqrt(sum(a * a for a in mean)) for mean in means]
    return product / (norms[0] * norms[1]) if all(norms) else 0


@given(LINES)
def test_coherence_is_that_of_a_loop(rows):
    rows = sorted(rows, key=lambda row: row[0])  # the sentences of a document stand together
    names, words = [name for name, _ in rows], [words for _, words in rows]
    expected = [loop_cosine(words[n], words[n + 1]) for n in range(len(rows) - 1) if names[n] == names[n + 1]]
    lines = [" ".join(line_words) for line_words in words]
    values = similarities(lines, names, VECTORS)
    assert values.tolist() == pytest.approx(expected)
    tally = coherence.coherence(lines, names, VECTORS)
    assert tally.n == len(expected)
    assert tally.score == pytest.approx(sum(expected) / len(expected) if expected else math.nan, nan_ok=True)
    assert tally.facts["unknown_words"] == sum(line_words.count("?") for line_words in words)


@pytest.fixture
def text() -> list[str]:
    """Two topics, whose words never share a line."""
    draw = Random(1)
    return [" ".join(draw.choices([f"{topic}{n}" for n in range(8)], k=9)) for topic in "ab" for _ in range(300)]


CONFIG = WordVectorsConfig(dimensions=12, minimum_count=2, epochs=20)


def gensim() -> None:
    pytest.importorskip("gensim", reason="needs gensim, to train word vectors")


def test_trained_vectors_tell_topics_apart_and_survive_the_file(text, tmp_path):
    gensim()
    write_word_vectors(tmp_path / "vectors.txt", train_word_vectors(text, CONFIG))
    lines = ["A1 A2 a3", "a4 a5", "b1 b2", "b3 b4 unknown"]
    vectors = read_word_vectors(tmp_path / "vectors.txt", lines, "lower")
    assert set(vectors.rows) == {"a1", "a2", "a3", "a4", "a5", "b1", "b2", "b3", "b4"}
    alike_a, across, alike_b = similarities(lines, ["x"] * 4, vectors)
    assert min(alike_a, alike_b) > across + 0.5
    trained = train_word_vectors(text, CONFIG)
    assert (vectors.table[vectors.rows["b3"]] == trained.table[trained.rows["b3"]]).all(), "not a digit is lost"


@pytest.mark.nightly
def test_the_same_text_gives_the_same_bytes_in_every_process(text, tmp_path):
    gensim()
    (tmp_path / "text").write_text("\n".join(text) + "\n")
    for seed in (1, 2):
        command = [sys.executable, "-m", "docmt.cli.main", "train-vectors", "--text", tmp_path / "text"]
        command += ["--output", tmp_path / str(seed), "--rule", "dimensions=8", "--rule", "minimum_count=2"]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": str(seed)}, cwd=ROOT)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    assert (tmp_path / "1").read_text().split("\n")[0] == "16 8"


def test_text_without_a_frequent_word_is_refused():
    gensim()
    with pytest.raises(UserError, match="no word occurs often enough to get a vector\n  found 2 words; expected a w"):
        train_word_vectors(["a b"], CONFIG)


@pytest.mark.parametrize(
    ("package", "message", "run"),
    [
        ("gensim.models", r"training word vectors needs gensim\n  in docmt's clone: pip install .* -e '\.'", "vectors"),
        ("transformers", r"cohesion needs transformers\n  in docmt's clone: pip install .* -e '\.'", "bert"),
    ],
)
def test_a_package_that_is_not_installed_is_named(package, message, run, monkeypatch, tmp_path):
    if run == "bert":
        write_tokenizer("bert", tmp_path)
        write_checkpoint(reference_model("bert", 150), tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UserError, match=message):
        NextSentenceModel(tmp_path, "cpu") if run == "bert" else train_word_vectors(["a"], CONFIG)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "vectors: no word vectors\n  found an empty file"),
        ("cat 0.5 0.5\n", "vectors:1: not a file of word vectors\n  found cat 0.5 0.5; expected how many"),
        ("2 2\na 1 0\nb 1\n", "vectors:3: not a word vector\n  found 1; expected 2 finite numbers"),
        ("2 2\na 1 x\n", "vectors:2: not a word vector\n  found 1 x; expected 2 finite numbers"),
        ("2 2\na 1 nan\n", "vectors:2: not a word vector"),
    ],
    ids=["empty", "no head", "short", "no number", "not finite"],
)
def test_what_is_no_file_of_word_vectors_is_refused(content, message, tmp_path):
    (tmp_path / "vectors").write_text(content)
    with pytest.raises(UserError, match=message):
        read_word_vectors(tmp_path / "vectors", ["a b"], "lower")
    with pytest.raises(UserError, match="none: file not found"):
        read_word_vectors(tmp_path / "none", [], "lower")


def test_word_vectors_that_differ_from_their_manifest_are_refused(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("1 2\na 1 0\n")
    check_reader(path, lambda: read_word_vectors(path, ["a"], "lower"), len("1 2\na "))


@pytest.fixture(scope="module")
def bert(tmp_path_factory) -> Path:
    transformers()
    folder = tmp_path_factory.mktemp("models") / "tiny"
    write_tokenizer("bert", folder)
    return write_checkpoint(reference_model("bert", 150), folder)


SENTENCES = ["the cat sat", "it was black and it sat", "", "the dog", "a cat and a dog and a cat " * 9, "the end"]
NAMES = list("aaabbb")


def by_hand(bert: Path, first: str, second: str) -> float:
    """One pair without padding: [CLS] first [SEP] second [SEP], the second one's types being 1."""
    import torch

    package = transformers()
    tokenizer = package.AutoTokenizer.from_pretrained(bert)
    model = package.BertForNextSentencePrediction.from_pretrained(bert).eval()
    pieces = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in (first, second)]
    while sum(map(len, pieces)) + 3 > model.config.max_position_embeddings:
        max(pieces, key=len).pop()
    cls, sep = (tokenizer.convert_tokens_to_ids(name) for name in ("[CLS]", "[SEP]"))
    ids = [cls, *pieces[0], sep, *pieces[1], sep]
    types = [0] * (len(pieces[0]) + 2) + [1] * (len(pieces[1]) + 1)
    with torch.no_grad():
        logits = model(torch.tensor([ids]), token_type_ids=torch.tensor([types])).logits[0]
    return float(torch.exp(logits[0]) / torch.exp(logits).sum())


@pytest.mark.parametrize("batch_pairs", [1, 3])
def test_cohesion_is_that_of_pairs_by_hand(bert, batch_pairs):
    values, cut = probabilities(SENTENCES, NAMES, NextSentenceModel(bert, "cpu"), batch_pairs)
    expected = [by_hand(bert, SENTENCES[first], SENTENCES[second]) for first, second in adjacent_pairs(NAMES)]
    assert values == pytest.approx(expected, abs=1e-5)
    assert cut == 2
    tally = cohesion.cohesion(SENTENCES, NAMES, NextSentenceModel(bert, "cpu"), batch_pairs)
    assert tally.score == pytest.approx(sum(expected) / 4)
    assert (tally.n, tally.facts["cut_pairs"]) == (4, 2)


def test_a_bert_without_a_next_sentence_head_is_refused(bert, tmp_path):
    write_tokenizer("bert", tmp_path)
    write_checkpoint(reference_model("bert", 150).bert, tmp_path)
    with pytest.raises(UserError, match=r"no next-sentence head, or not the whole model\n  found no cls\.seq_rel"):
        NextSentenceModel(tmp_path, "cpu")


@pytest.fixture
def files(tmp_path) -> list[str | Path]:
    """The sentences and, as another system, the same in another order."""
    (tmp_path / "names").write_text("".join(name + "\n" for name in NAMES))
    for name, lines in (("one", SENTENCES), ("two", [*SENTENCES[1:], SENTENCES[0]])):
        (tmp_path / name).write_text("".join(line + "\n" for line in lines))
    return ["--hypotheses", tmp_path / "one", "--hypotheses", tmp_path / "two", "--documents", tmp_path / "names"]


def test_the_commands_print_json_and_a_table(bert, files, tmp_path):
    (tmp_path / "vectors").write_text("3 2\ncat 1 0\ndog 0 1\nthe 1 1\n")
    vectors = read_word_vectors(tmp_path / "vectors", SENTENCES, "lower")
    model = NextSentenceModel(bert, "cpu")
    expected = {
        "coherence": similarities(SENTENCES, NAMES, vectors).mean(),
        "cohesion": np.mean(probabilities(SENTENCES, NAMES, model, 32)[0]),
    }
    given = {
        "coherence": ("score-coherence", "--vectors", tmp_path / "vectors"),
        "cohesion": ("score-cohesion", "--model", bert, "--device", "cpu"),
    }
    for measure, (name, *options) in given.items():
        first, second = json.loads(output(name, *files, *options, "--json"))
        assert (first["system"], first["metric"], first["n"]) == (str(tmp_path / "one"), measure, 4)
        assert first["value"] == pytest.approx(expected[measure])
        assert second["value"] != pytest.approx(expected[measure])
        assert first["signature"].startswith(f"{measure}|")
        row = output(name, *files, *options).splitlines()[1].split()
        assert (row[1:3], row[-1]) == ([measure, f"{expected[measure]:.4f}"], "4")


def test_signatures_change_with_what_measures(bert, tmp_path):
    names = []
    for number in ("1", "2"):
        (tmp_path / "vectors").write_text(f"1 1\na {number}\n")
        vectors = (read_word_vectors(tmp_path / "vectors", ["a"], case) for case in ("lower", "keep"))
        names += map(coherence.signature, vectors)
    other = write_checkpoint(reference_model("bert", 150, seed=2), tmp_path / "tiny")
    write_tokenizer("bert", other)
    names += [cohesion.signature(NextSentenceModel(folder, "cpu").name) for folder in (bert, other)]
    assert len(set(names)) == 6
