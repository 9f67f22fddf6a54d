"""`docmt score-contrastive` by a model whose answers are known: it likes words, whatever the context."""

import dataclasses
import json

import pytest
import torch
from helpers.command_line import output, succeed
from helpers.contrastive_sets import write_sets
from helpers.tiny import SIZES

from docmt.base.errors import UserError
from docmt.base.vocabulary import UNK, Vocabulary
from docmt.models import build
from docmt.models.store import save_model
from docmt.settings.data import CutConfig, ViewConfig
from docmt.settings.models import LexicalChainConfig, TransformerConfig
from docmt.text.pipeline import PipelineConfig, TextPipeline
from docmt.text.side import Side
from docmt.trained import model as contrastive_scoring

LIKED = ("la", "elle", "er", "sie", "вы", "es", "ты")
"""The most probable words, most liked first; all others are equally likely."""

VOCABULARY = Vocabulary.from_counts(dict.fromkeys((*LIKED, "il", "est", "rouge", ".", "!", "le", "rive", "banque"), 1))


def model_folder(folder, cut=CutConfig(window=4), liked=LIKED, config=TransformerConfig(**SIZES, frame="joined")):  # noqa: B008
    """Its last norm gives one state for everything, so that a word's logit is a number of its own."""
    torch.manual_seed(1)
    model = build(config, len(VOCABULARY), len(VOCABULARY)).eval()
    with torch.no_grad():
        model.decoder[-1].after_feed_forward.norm.weight.zero_()
        model.decoder[-1].after_feed_forward.norm.bias.copy_(torch.eye(config.width)[0])
        model.output.weight.zero_()
        for rank, word in enumerate(liked):
            model.output.weight[VOCABULARY.encode([word])[0], 0] = 5.0 - rank / 2
    save_model(folder, model, {"view": dataclasses.asdict(ViewConfig(cut, cut))})
    side = Side.of_pieces(VOCABULARY)
    languages = {"source_language": "en", "target_language": "de"}
    TextPipeline(PipelineConfig(input="pieces", **languages), side, side).save(folder / "text")
    (folder / "stop_words.txt").write_text(".\n")
    return folder


@pytest.fixture
def model(tmp_path):
    return model_folder(tmp_path / "model")


@pytest.fixture
def sets(tmp_path):
    return write_sets(tmp_path)


def run(*arguments) -> str:
    return output("score-contrastive", *arguments)


def accuracies(*arguments) -> dict:
    """How many items of each set are right, how many there are, and how many are ties."""
    rows = json.loads(run(*arguments, "--json"))
    assert {row["signature"].partition(":")[0] for row in rows} == {"contrastive|score"}
    return {
        row["group"].removeprefix(":"): (row["facts"]["right"], row["n"], row["facts"]["ties"])
        for row in rows
        if row["group"] and "@" not in row["group"]
    }


def test_discevalmt_finds_a_model_without_context_right_in_half_of_the_pairs(sets, model):
    """It always says elle and la; `ils` and `elles` are both unknown to it, which is a tie."""
    files = (sets / "anaphora.json", sets / "lexical_choice.json")
    assert accuracies(*files, "--model", model, "--form", "discevalmt") == {
        "anaphora": (2, 5, 1),
        "anaphora/f.sg": (2, 2, 0),
        "anaphora/f.sg/correct": (1, 1, 0),
        "anaphora/m.sg": (0, 2, 0),
        "anaphora/m.sg/correct": (0, 1, 0),
        "anaphora/f.sg/semi-correct": (1, 1, 0),
        "anaphora/m.sg/semi-correct": (0, 1, 0),
        "anaphora/correct": (0, 1, 1),
        "lexical_choice": (0, 2, 2),
        "lexical_choice/disambig": (0, 2, 2),
    }


def test_contrapro_asks_that_the_reference_beats_every_variant(sets, model):
    """er is liked more than sie, and sie more than es: `sie` beats one of two."""
    scores = accuracies(sets / "contrapro.json", "--model", model, "--form", "contrapro")
    assert scores == {"contrapro": (1, 3, 1), "contrapro/it:sie": (0, 1, 0), "contrapro/it:er": (1, 2, 1)}


def test_voitas_sets_by_distance(sets, model):
    """вы is liked more than ты; мы, Сэм and Сам are unknown. What is given twice is scored once, and told."""
    done = succeed("score-contrastive", sets / "deixis.json", "--model", model, "--form", "voita", "--json")
    rows = json.loads(done.stdout)
    counts = {row["group"]: (row["n"], *(row["facts"][name] for name in ("variants", "right", "ties"))) for row in rows}
    assert counts == {
        ":deixis": (4, 8, 2, 1),
        ":deixis@1": (1, 2, 1, 0),
        ":deixis@2": (1, 2, 0, 1),
        ":deixis@3": (2, 4, 1, 0),
    }
    assert [line.split(": ", 2)[2] for line in sorted(done.stderr.splitlines())] == [
        "control characters replaced by a space: 1",
        "variants dropped: given twice: 1",
    ]


def test_contrapros_documents_may_stand_elsewhere(sets, model, tmp_path):
    (sets / "documents").rename(sets / "texts")
    options = ("--model", model, "--form", "contrapro", "--context-sentences", 1)
    with pytest.raises(UserError, match=r"1999_1_2\.en: file not found"):
        run(sets / "contrapro.json", *options)
    texts = tmp_path / "texts" / "{year}" / "{document}.{language}"
    assert len(accuracies(sets / "contrapro.json", *options, "--context-documents", texts)) == 3


def test_the_table_by_set_and_distance(sets, model):
    """вы is liked more than ты, and мы, Сэм and Сам are unknown."""
    lines = run(sets / "table.tsv", "--model", model).splitlines()
    cells = [line.split() for line in lines if line.strip()]
    assert cells[0] == ["system", "metric", "score", "95", "%", "n", "right", "by", "chance", "variants", "ties"]
    assert [[row[1], row[2], *row[-5:]] for row in cells[1:13]] == [
        ["accuracy", "33.3", "3", "1", "1.33333", "7", "1"],
        ["accuracy@0", "0.0", "1", "0", "0.5", "2", "1"],
        ["accuracy@1", "0.0", "1", "0", "0.333333", "3", "0"],
        ["accuracy@2", "100.0", "1", "1", "0.5", "2", "0"],
        ["accuracy:table", "33.3", "3", "1", "1.33333", "7", "1"],
        ["accuracy:table@0", "0.0", "1", "0", "0.5", "2", "1"],
        ["accuracy:table@1", "0.0", "1", "0", "0.333333", "3", "0"],
        ["accuracy:table@2", "100.0", "1", "1", "0.5", "2", "0"],
        ["accuracy:table/polite", "50.0", "2", "1", "0.833333", "5", "0"],
        ["accuracy:table/polite@1", "0.0", "1", "0", "0.333333", "3", "0"],
        ["accuracy:table/polite@2", "100.0", "1", "1", "0.5", "2", "0"],
        ["accuracy:table/name", "0.0", "1", "0", "0.5", "2", "1"],
    ]
    assert cells[13] == ["signature", "of", "accuracy:", "contrastive|score:sum|unit:last|ties:wrong|v:2"]


@pytest.mark.parametrize(("score", "right"), [("sum", 0), ("mean", 1)])
def test_the_mean_is_kind_to_long_variants(tmp_path, model, score, right):
    """Of liked words a longer variant has the better mean, and always the worse sum."""
    rows = [("1", "elle", "elle est", 0), ("1", "elle", "er er er er", 1)]
    table = "".join("\t".join(map(str, row)) + "\n" for row in [("item", "source", "target", "correct"), *rows])
    (tmp_path / "length.tsv").write_text(table)
    assert accuracies(tmp_path / "length.tsv", "--model", model, "--score", score) == {"length": (right, 1, 0)}


def test_a_model_that_likes_all_words_alike_is_never_right(sets, tmp_path):
    flat = model_folder(tmp_path / "flat", liked=())
    scores = accuracies(sets / "table.tsv", "--model", flat, "--score", "mean")
    assert scores == {"table": (0, 3, 3), "table/polite": (0, 2, 2), "table/name": (0, 1, 1)}


@pytest.mark.parametrize(
    ("cut", "sentences"),
    [
        (CutConfig(window=1), [1, 1, 1, 1, 1, 1, 1]),
        (CutConfig(window=2), [2, 2, 2, 2, 2, 1, 1]),
        (CutConfig(documents=True), [3, 3, 2, 2, 2, 1, 1]),
    ],
)
def test_context_is_cut_by_the_models_own_view(sets, tmp_path, monkeypatch, cut, sentences):
    """A sentence model sees the judged sentence alone, others as much as their test documents give them."""
    folder = model_folder(tmp_path / "model", cut, config=TransformerConfig(**SIZES, frame="wrapped"))
    seen, spied = [], contrastive_scoring.score_variants
    monkeypatch.setattr(contrastive_scoring, "score_variants", lambda *given: seen.append(given[1]) or spied(*given))
    run(sets / "table.tsv", "--model", folder)
    assert [len(lengths) for lengths in seen[0]["target_lengths"].to_pylist()] == sentences


def test_models_that_read_chains_find_them_in_the_source(sets, tmp_path):
    config = LexicalChainConfig(**SIZES, latent=False)
    folder = model_folder(tmp_path / "chains", CutConfig(documents=True), config=config)
    assert accuracies(sets / "table.tsv", "--model", folder)["table/polite"] == (1, 2, 0)
    (folder / "stop_words.txt").unlink()
    with pytest.raises(UserError, match="file not found"):
        run(sets / "table.tsv", "--model", folder)


@pytest.mark.parametrize("name", ["documents", "context_sentences", "first_segment"])
def test_settings_of_other_forms_are_refused(sets, model, name):
    option = "--context-documents" if name == "documents" else f"--{name.replace('_', '-')}"
    with pytest.raises(UserError, match=f"{name}: unknown key"):
        run(sets / "table.tsv", "--model", model, option, "1")


def test_lines_have_their_context_in_files_beside_them(sets, model):
    texts = {"current.src": "it .", "current.trg": "elle .\nil .", "c1.context.src": "bank", "c1.context.trg": "rive"}
    for name, text in texts.items():
        (sets / f"o.{name}").write_text(f"{text}\n" * (1 if "\n" in text else 2))
    options = ("--model", model, "--form", "lines", "--context-sentences")
    assert accuracies(sets / "o.current.trg", *options, 1) == {"o.current": (1, 1, 0)}
    with pytest.raises(UserError, match=r"o\.c3\.context\.src: file not found"):
        run(sets / "o.current.trg", *options, 3)


def test_a_set_without_items_is_refused(sets, model):
    (sets / "table.tsv").write_text("item\tsource\ttarget\tcorrect\n")
    with pytest.raises(UserError, match=r"table\.tsv: no contrastive items"):
        run(sets / "table.tsv", "--model", model)


def test_a_model_that_knows_no_word_of_a_sentence_still_scores_it(sets, model):
    """Unknown words are <unk>; only a sentence without any word is refused, with its place."""
    assert VOCABULARY.encode(["Сэм"]) == [UNK]
    text = (sets / "table.tsv").read_text(encoding="utf-8").replace("you _eos here", " _eos here")
    (sets / "table.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"table\.tsv:2: empty sentence"):
        run(sets / "table.tsv", "--model", model)
