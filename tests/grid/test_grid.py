"""The grid: inheritance, folders, and everything that is refused before any job."""

import dataclasses
import re

import pytest
from helpers.plans import plant_files
from helpers.recipes import settings
from helpers.small_grid import CORPUS, STUDY, SYSTEMS, entry
from helpers.support import Project

from docmt.base.errors import UserError
from docmt.grid.grid import load_grid
from docmt.grid.main_config import load_main_config
from docmt.steps import scores


def test_a_system_gets_defaults_then_ancestors_then_its_own(small):
    system = entry(small, "fine.narrow").system
    assert (system.model.width, system.decode.beam, system.train.max_updates) == (64, 5, 5)
    assert system.view.name == "tokens64"
    assert system.model.combined()["cross_combined_layers"] == 0
    assert system.model.combined()["encoder_self_combined_layers"] == 1


def test_defaults_need_no_section_of_an_architecture(small):
    small.edit("config.yaml", "defaults/model", {})
    assert entry(small, "sentence").system.model.width == 512


def test_the_start_is_inherited_and_can_be_taken_back(small):
    assert entry(small, "fine.narrow").system.init_from == "sentence"
    small.edit("workflow/studies/one.yaml", "systems/fine.narrow/init_from", None)
    small.edit("workflow/studies/one.yaml", "systems/fine.narrow/train", {"lr_transferred": None})
    assert entry(small, "fine.narrow").system.init_from is None


def with_pretrained(small: Project) -> None:
    """The sentence model starts from a checkpoint."""
    small.edit("config.yaml", "texts/pieces", {"pretrained": "models/mbart"})
    small.edit("workflow/studies/one.yaml", "systems/sentence", {"text": "pieces", "pretrained": "models/mbart"})


def test_a_pretrained_start_is_inherited_and_gives_way_to_another_start(small):
    with_pretrained(small)
    systems = {name: entry(small, name).system for name in ("sentence", "document", "fine", "fine.narrow")}
    starts = {name: (system.init_from, system.pretrained) for name, system in systems.items()}
    assert starts["sentence"] == starts["document"] == (None, "models/mbart")
    assert starts["fine"] == starts["fine.narrow"] == ("sentence", None)
    small.edit("workflow/studies/one.yaml", "systems/document/pretrained", None)
    assert entry(small, "document").system.pretrained is None


def test_rates_of_taken_parameters_go_with_a_pretrained_start(small):
    with_pretrained(small)
    small.edit("workflow/studies/one.yaml", "systems/sentence/train", {"lr_transferred": 3e-5, "lr_new": 5e-4})
    assert entry(small, "document").system.train.lr_transferred == 3e-5


def test_a_training_is_told_that_a_checkpoint_is_given_without_its_path(small, monkeypatch):
    """The digests of its files are in the identity of the training, wherever the folder is."""
    plant_files(monkeypatch)
    with_pretrained(small)
    grid = load_grid(small.root)
    document, fine = (settings(grid, f"5_training/toy/{name}/seed1") for name in ("document", "fine"))
    assert (document["pretrained"], fine["pretrained"], fine["text"]["pretrained"]) == ("given", None, "given")


def test_another_checkpoint_is_another_system(small):
    with_pretrained(small)
    study = small.read("workflow/studies/one.yaml")
    study["study"] = "two"
    study["systems"]["sentence"]["pretrained"] = "models/other"
    small.write("workflow/studies/two.yaml", study)
    assert entry(small, "sentence", "two").folder == "sentence@two"
    assert entry(small, "fine", "two").folder == "fine@two"


def with_text_of(small: Project, source_language: str) -> None:
    """The systems' text is learnt on a larger corpus, which no study has."""
    small.write("workflow/corpora/large.yaml", {**CORPUS, "corpus": "large", "source_language": source_language})
    small.edit("config.yaml", "texts/joint/learnt_on", "large")


def test_tokens_are_told_where_a_text_is_learnt(small):
    with_text_of(small, "zh")
    grid = load_grid(small.root)
    for corpus in ("toy", "large"):
        assert settings(grid, f"2_tokens/{corpus}/joint")["text"]["learnt_on"] == "large"
    assert settings(grid, "5_training/toy/sentence/seed1")["text"]["learnt_on"] == "large"
    assert [grid.texts["joint"].takes_from(corpus) for corpus in ("toy", "large")] == ["large", None]


def test_tokens_of_an_unknown_text_are_refused(small):
    with pytest.raises(UserError, match=r"2_tokens/toy/jont: unknown text\n  found jont\n  did you mean 'joint'"):
        settings(load_grid(small.root), "2_tokens/toy/jont")


@pytest.mark.parametrize("path", ["8_report/smoke/one/a", "8_report/smoke/one/index", "8_front/smoke"])
def test_a_page_of_another_scale_is_refused(small, path):
    message = f"results/{path}: a target of another scale\n  found scale smoke; expected paper, which this run has\n"
    with pytest.raises(UserError, match=re.escape(message)):
        settings(load_grid(small.root), path)


def test_a_text_that_is_learnt_on_other_languages_is_refused(small):
    with_text_of(small, "fr")
    message = r"systems\.sentence\.text: .*\n  found text joint, learnt on large \(fr-en\); expected .* toy \(zh-en\)"
    with pytest.raises(UserError, match=message):
        load_grid(small.root)


def test_the_scale_changes_no_size_that_a_checkpoint_has(small):
    with_pretrained(small)
    for name in ("sentence", "fine.narrow"):
        assert entry(small, name, scale="smoke").system.model.width == 64
    small.edit("workflow/studies/one.yaml", "systems/document/pretrained", None)
    assert entry(small, "document", scale="smoke").system.model.width == 8


def test_another_architecture_drops_the_fields_that_it_lacks(small):
    small.edit(
        "workflow/studies/one.yaml", "systems/plain", {"extends": "fine.narrow", "model": {"kind": "transformer"}}
    )
    assert entry(small, "plain").system.model.kind == "transformer"


def test_a_system_that_differs_only_in_decoding_uses_its_parents_model(small):
    assert entry(small, "fine.beam8").trained == "fine"
    assert entry(small, "fine.narrow").trained == "fine.narrow"


def test_the_scale_is_laid_over_every_system(small):
    assert entry(small, "fine", scale="smoke").system.model.width == 8


@pytest.mark.parametrize(("sample", "drawn"), [(5000, 10), (300, 1)])
def test_a_scale_takes_its_share_of_a_sample(small, sample, drawn):
    view = {"train": {"max_tokens": 64, "sample": sample}, "test": {"max_tokens": 64}}
    small.edit("workflow/studies/one.yaml", "systems/document/view", view)
    small.edit("workflow/scales/smoke.yaml", "view", {"sample_share": 0.002})
    assert entry(small, "fine", scale="smoke").system.view.name == f"tokens64.sample{drawn}+tokens64"
    assert entry(small, "fine").system.view.train.sample == sample
    assert entry(small, "sentence", scale="smoke").system.view.name == "window1"


def test_overrides_of_the_command_line_get_their_types(small):
    assert {e.seeds for e in load_grid(small.root, {"seeds": ["1", "2"]}).entries} == {(1, 2)}


def test_an_override_leaves_the_other_keys_of_a_mapping(small):
    overrides = {"defaults": {"train": {"precision": "bf16", "warmup_updates": "7"}}}
    before, after = (
        {entry.folder: entry.system for entry in load_grid(small.root, given).of_study("one")}
        for given in ({}, overrides)
    )
    train = after["sentence"].train
    assert (train.precision, train.warmup_updates) == ("bf16", 7)
    usual = before["sentence"].train
    assert dataclasses.replace(train, precision="fp32", warmup_updates=usual.warmup_updates) == usual
    assert after["sentence"].model == before["sentence"].model


def test_an_override_of_a_kind_leaves_no_keys_of_the_other_kind(small):
    small.edit("config.yaml", "scoring", {"aligner": {"kind": "awesome-align", "model": "models/awesome-align"}})
    config, _ = load_main_config(small.root, {"scoring": {"aligner": {"kind": "default"}}})
    assert (config.scoring.aligner.kind, config.scoring.aligner.model) == ("default", None)


def test_a_study_that_agrees_shares_folders_and_one_that_differs_gets_its_own(small):
    study = small.read("workflow/studies/one.yaml")
    study["study"] = "two"
    study["systems"]["sentence"]["train"] = {"lr": 0.5}
    study["systems"]["alone"] = {"train": {"lr": 0.25}}
    small.write("workflow/studies/two.yaml", study)
    assert {e.folder for e in load_grid(small.root).of_study("one")} == set(SYSTEMS)
    assert entry(small, "sentence", "two").folder == "sentence@two"
    assert entry(small, "fine", "two").folder == "fine@two", "it starts from a sentence model that differs"
    assert entry(small, "alone", "two").folder == "alone"


def test_settings_hold_what_a_job_depends_on_and_nothing_else(small):
    before = load_grid(small.root)
    small.edit("workflow/studies/one.yaml", "systems/fine/decode", {"beam": 2})
    after = load_grid(small.root)
    training, decoding = "5_training/toy/fine/seed1", "6_translations/toy/fine/seed1"
    assert settings(before, training) == settings(after, training)
    assert settings(before, decoding) != settings(after, decoding)
    assert settings(before, training)["init_from"] == "sentence"
    assert settings(before, training)["seed"] == 1


CHAINS = {"words": "4_chain_words/toy/joint", "segments": "4_chains/toy/joint/tokens64"}


def test_the_stop_list_reaches_the_chains_of_words_and_the_scores(small):
    scores = "7_scores/toy/fine/seed1"
    paths = [*CHAINS.values(), scores, "1_corpus/toy", "2_tokens/toy/joint", "3_views/toy/joint/tokens64"]
    before = load_grid(small.root)
    small.edit("workflow/corpora/toy.yaml", "stop_words", 7)
    after = load_grid(small.root)
    changed = [path for path in paths if settings(before, path) != settings(after, path)]
    assert changed == [CHAINS["words"], scores]
    small.edit("workflow/corpora/toy.yaml", "target_stop_words", 7)
    last = load_grid(small.root)
    assert [path for path in paths if settings(after, path) != settings(last, path)] == [scores]
    assert settings(before, CHAINS["words"]) == {"stop_words": 1000}


def test_chains_of_segments_depend_on_their_view_alone(small):
    grid = load_grid(small.root)
    view = settings(grid, "3_views/toy/joint/tokens64")["view"]
    assert settings(grid, CHAINS["segments"]) == {"view": view}


def table(rows: list[dict], **more: object) -> dict:
    return {"title": "T", "metrics": ["s-BLEU", "fallbacks", "accuracy"], "rows": rows, **more}


def test_comparisons_are_of_what_a_table_names_and_of_nothing_else(small):
    """A row is compared with its own baseline, else with the table's; a metric without summands is not compared."""
    rows = [{"system": "sentence"}, {"system": "fine"}, {"system": "document", "baseline": "fine"}, {"label": "others"}]
    tables = {"a": table(rows, baseline="sentence"), "b": table(rows[:2], baseline="sentence", significance="sign")}
    small.edit(STUDY, "tables", {**tables, "c": table(rows[:2])})
    asked = {name: settings(load_grid(small.root), f"7_comparisons/one/{name}") for name in "abc"}
    pairs = {name: [(p["system"], p["baseline"], p["test"]) for p in item["pairs"]] for name, item in asked.items()}
    assert pairs == {
        "a": [("document", "fine", "bootstrap"), ("fine", "sentence", "bootstrap")],
        "b": [("fine", "sentence", "sign")],
        "c": [],
    }
    assert {tuple(pair["metrics"]) for item in asked.values() for pair in item["pairs"]} == {("accuracy", "s-BLEU")}
    assert asked["a"]["folders"] == {"toy": {name: name for name in ("sentence", "document", "fine")}}
    assert asked["b"]["folders"] == {"toy": {name: name for name in ("sentence", "fine")}}
    small.edit(STUDY, "systems/fine.beam8/decode", {"beam": 9})
    small.edit(STUDY, "tables/a/caption", "more words")
    assert settings(load_grid(small.root), "7_comparisons/one/a") == asked["a"]
    without = dataclasses.replace(load_grid(small.root), not_run={"toy": "its files are missing"})
    assert settings(without, "7_comparisons/one/a")["pairs"] == []


def test_systems_are_compared_over_the_seeds_that_both_have(small):
    small.edit(STUDY, "tables", {"a": table([{"system": "fine"}], baseline="sentence")})
    for name, seeds in (("sentence", [1, 2, 3]), ("fine", [3, 2, 5])):
        small.edit(STUDY, f"systems/{name}/seeds", seeds)
    (pair,) = settings(load_grid(small.root), "7_comparisons/one/a")["pairs"]
    assert pair["seeds"] == {"system": [3, 2], "baseline": [3, 2]}
    small.edit(STUDY, "systems/fine/seeds", [7])
    assert settings(load_grid(small.root), "7_comparisons/one/a")["pairs"] == []


def test_scores_depend_on_what_concerns_their_corpus(small):
    """Its numbers of stop words, and files for its languages; nothing else of `scoring`."""
    names = {"corpus": "toy", "system": "fine", "seed": "1"}
    small.edit("workflow/corpora/toy.yaml", "stop_words", 7)
    plain = scores.settings(load_grid(small.root), names)
    numbers = [plain["consistency"][name] for name in ("source_stop_words", "target_stop_words")]
    assert (numbers, plain["coherence"], plain["cohesion"], plain["comet"]) == ([7, 150], None, None, None)
    other = {"consistency": {"source_stop_lists": {"en": "x", "fr": "y"}}, "coherence": {"vectors": {"zh": "x"}}}
    small.edit("config.yaml", "scoring", {**other, "cohesion": {"models": {"fr": "x"}}})
    assert scores.settings(load_grid(small.root), names) == plain
    named = {"source_stop_lists": {"zh": "chinese.txt"}, "target_stop_words": 9, "match": "subset"}
    small.edit(
        "config.yaml",
        "scoring",
        {
            "consistency": named,
            "coherence": {"vectors": {"en": "trained"}, "dimensions": 5},
            "cohesion": {"models": {"en": "bert"}},
            "comet": {"command": "comet/bin/python -B", "model": "wmt22", "context": 3},
        },
    )
    full = scores.settings(load_grid(small.root), names)
    assert full["consistency"] == plain["consistency"] | named | {"source_stop_words": 0}
    assert full["coherence"] == {"vectors": "trained", "case": "lower"}
    assert full["cohesion"] == {"model": "given", "batch_pairs": 32}
    assert full["comet"] == {"model": "given", "encoder": None, "context": 3, "batch": 16}
    vectors = settings(load_grid(small.root), "7_vectors/toy/joint")["vectors"]
    assert (vectors["dimensions"], "vectors" in vectors) == (5, False)


@pytest.mark.parametrize(
    "path",
    [
        "5_training/toy/none/seed1",
        "3_views/toy/joint/window9",
        "4_chains/toy/joint/window9",
        "4_chain_words/toi/joint",
        "7_vectors/none/joint",
        "6_passages/toy/sentence/seed1/one/none",
        "7_comparisons/one/none",
        "8_report/paper/none/index",
        "8_report/paper/one/none",
    ],
)
def test_a_target_that_does_not_exist_is_refused(small, path):
    with pytest.raises(UserError):
        settings(load_grid(small.root), path)


REFUSED = [
    (STUDY, "systems/fine/extends", "documnt", "systems.fine.extends: unknown system\n  found documnt\n  did you mean"),
    (STUDY, "systems/fine/extends", ["sentence"], "systems.fine.extends: unknown system"),
    (STUDY, "systems/fine/init_from", "sentense", "did you mean 'sentence'?"),
    (STUDY, "systems/sentence/extends", "fine", "systems.sentence.extends: the system extends or starts from itself"),
    (
        STUDY,
        "systems/sentence/init_from",
        "fine",
        "systems.sentence.init_from: the system extends or starts from itself",
    ),
    (
        STUDY,
        "systems/sentence/modle",
        {},
        "systems.sentence.modle: unknown key\n  found modle\n  did you mean 'model'?",
    ),
    (STUDY, "systems/sentence/train", {"lrr": 1}, "systems.sentence.train.lrr: unknown key"),
    (STUDY, "systems/sentence/model", {"combined_layers": 1}, "systems.sentence.model.combined_layers: unknown key"),
    (STUDY, "systems/sentence/view", {"windows": 2}, "did you mean 'window'?"),
    (STUDY, "systems/sentence/view", {"window": 3}, "joined where a transformer translates windows"),
    (STUDY, "systems/document/model", {"kind": "transformer", "frame": "joined"}, "wrapped where the test view is no"),
    (
        STUDY,
        "systems/whole",
        {"extends": "sentence", "view": {"window": 3}, "model": {"frame": "unmarked"}},
        "systems.whole.model.frame: value not allowed\n  found unmarked; expected another frame where the test view is",
    ),
    (STUDY, "systems/sentence/train", {"lr_transferred": 0.1}, "init_from or pretrained beside lr_transferred"),
    (STUDY, "systems/sentence/train", {"schedule_new": "noam"}, "init_from or pretrained beside schedule_new"),
    (
        STUDY,
        "systems/sentence/train",
        {"warmup_updates_transferred": 5},
        "pretrained beside warmup_updates_transferred",
    ),
    (
        STUDY,
        "systems/sentence/train",
        {"frozen": ["encoder", "new"]},
        "init_from or pretrained beside transferred or new",
    ),
    (STUDY, "systems/sentence/train", {"frozen": "encoder"}, "systems.sentence.train.frozen: wrong type"),
    (STUDY, "systems/sentence/train", {"schedule": "polynomial", "max_updates": 9}, "more than warmup_updates 4000"),
    (STUDY, "systems/fine/pretrained", "models/mbart", "fine.pretrained: value not allowed\n  found models/mbart"),
    (
        STUDY,
        "systems/sentence/pretrained",
        "m",
        "a system that starts from a pretrained model needs a text of this model's pieces",
    ),
    (STUDY, "systems/sentence/pretrained", "", "found ''; expected a path of printable characters"),
    ("config.yaml", "texts/joint/pretrained", "", "texts.joint.pretrained: value not allowed"),
    ("config.yaml", "texts/joint", {"pretrained": "m", "case": "lower"}, "expected keep beside pretrained"),
    ("config.yaml", "texts/joint", {"pretrained": "m", "pretrained_sides": "source"}, "expected separate beside"),
    ("config.yaml", "texts/joint/pretrained_sides", "source", "expected both where none has them"),
    (
        STUDY,
        "systems/chains",
        {
            "extends": "sentence",
            "view": {"train": {"window": 3, "partial_copy": 0.5}, "test": {"window": 3}},
            "model": {"kind": "lexical_chain"},
        },
        "systems.chains.view.train.partial_copy: value not allowed\n  found 0.5; expected none for a model that reads",
    ),
    (STUDY, "systems/sentence/text", "separate", "shared embeddings need a shared vocabulary"),
    (STUDY, "systems/sentence/text", "jiont", "did you mean 'joint'?"),
    (STUDY, "systems/fine/model", {"width": 32}, "model.width differs from that of sentence"),
    (STUDY, "systems/fine/model", {"cross_combined_layers": 9}, "0 to 6, the number of layers"),
    (STUDY, "systems/bad name", {}, "systems.bad name: not a name"),
    (STUDY, "corpora", ["toi"], "corpora.0: unknown corpus\n  found toi\n  did you mean 'toy'?"),
    (STUDY, "study", "uno", "the name of a study is not that of its file"),
    (
        STUDY,
        "tables",
        {"t": {"title": "T", "metrics": ["s-BLEU"], "rows": [{"system": "fin"}]}},
        "did you mean 'fine'?",
    ),
    (
        STUDY,
        "tables",
        {"t": {"title": "T", "metrics": ["s-BLEU"], "rows": [{"published": {"tod": {}}}]}},
        "did you mean 'toy'?",
    ),
    (
        STUDY,
        "tables",
        {"t": table([], not_comparable={"d-BLEU": "another unit"})},
        "tables.t.not_comparable.d-BLEU: unknown metric of the table",
    ),
    (STUDY, "tables", {"t": {"title": "T", "metrics": ["s-BLUE"], "rows": []}}, "tables.t.metrics.0: unknown metric"),
    (
        STUDY,
        "tables",
        {"t": table([], baseline="fin")},
        "tables.t.baseline: unknown system\n  found fin\n  did",
    ),
    (STUDY, "tables", {"t": table([{"baseline": "fin"}])}, "tables.t.rows.0.baseline: unknown system\n  found fin"),
    (STUDY, "tables", {"t": table([], significance="t")}, "tables.t.significance: unknown name\n  found t\n  valid:"),
    (
        STUDY,
        "tables",
        {"t": {"title": "T", "metrics": ["s-BLEU"], "rows": [{"published": {"toy": {"d-BLEU": 1}}}]}},
        "tables.t.rows.0.published.toy.d-BLEU: unknown published metric",
    ),
    ("config.yaml", "studies", ["oen"], "studies.0: unknown study\n  found oen\n  did you mean 'one'?"),
    ("config.yaml", "studies", ["mine.yaml"], "mine.yaml: file not found"),
    ("config.yaml", "scale", "smok", "scale: unknown scale\n  found smok\n  did you mean 'smoke'?"),
    ("config.yaml", "device", "tpu", "did you mean 'cpu'"),
    ("config.yaml", "seeds", [], "found no seed; expected at least one whole number"),
    ("config.yaml", "seeds", ["a"], "found 'a' (a text); expected a whole number"),
    ("config.yaml", "mirrors", "x", "mirrors: unknown key\n  found mirrors\n  did you mean 'mirror'?"),
    (
        "config.yaml",
        "texts",
        {"joint": {"learnt_on": "tay"}},
        "texts.joint.learnt_on: unknown corpus\n  found tay\n  did you mean 'toy'?",
    ),
    ("config.yaml", "defaults", None, "defaults: wrong type"),
    ("config.yaml", "defaults/train", {"lr": -1}, "defaults.train.lr: value not allowed\n  found -1"),
    ("config.yaml", "defaults/model", {"transfomer": {}}, "did you mean 'transformer'?"),
    ("workflow/scales/paper.yaml", "train", {"max_update": 1}, "train.max_update: unknown key"),
    ("workflow/scales/paper.yaml", "view", {"sample": 1}, "view.sample: unknown key"),
    ("workflow/scales/paper.yaml", "view", {"sample_share": 0}, "found 0.0; expected above 0 and at most 1"),
    ("workflow/corpora/toy.yaml", "corpus", "tay", "named as its file"),
    ("config.yaml", "scoring", {"consistensy": {}}, "scoring.consistensy: unknown key"),
    ("config.yaml", "scoring", {"consistency": {"match": "exct"}}, "scoring.consistency.match: unknown name"),
    ("config.yaml", "scoring", {"consistency": {"similarity": 0}}, "found 0.0; expected above 0 and at most 1"),
    ("config.yaml", "scoring", {"consistency": {"source_stop_words": -1}}, "found -1; expected 0 or more, or none"),
    (
        "config.yaml",
        "scoring",
        {"consistency": {"target_stop_lists": {"English": "x"}}},
        "scoring.consistency.target_stop_lists: value not allowed\n  found English; expected a code of a language",
    ),
    ("config.yaml", "scoring", {"coherence": {"vectors": {"en": ""}}}, "scoring.coherence.vectors.en: value not"),
    ("config.yaml", "scoring", {"coherence": {"dimensions": 0}}, "scoring.coherence.dimensions: value not allowed"),
    ("config.yaml", "scoring", {"cohesion": {"batch_pairs": 0}}, "scoring.cohesion.batch_pairs: value not allowed"),
    ("config.yaml", "scoring", {"comet": {"model": ""}}, "scoring.comet.model: value not allowed"),
    ("config.yaml", "scoring", {"comet": {"command": "a 'b"}}, "scoring.comet.command: value not allowed"),
    ("config.yaml", "scoring", {"comet": {"command": []}}, "scoring.comet.command: value not allowed"),
]


@pytest.mark.parametrize(("file", "path", "value", "message"), REFUSED)
def test_refused_before_any_job(small, file, path, value, message):
    small.edit(file, path, value)
    with pytest.raises(UserError) as refused:
        load_grid(small.root)
    assert message in str(refused.value)
    assert file.split("/")[-1].split(".")[0] in str(refused.value) or "mine" in message


def test_files_of_a_clone_elsewhere_are_found_from_the_folder_of_a_run(small, tmp_path):
    small.write("my/toy2.yaml", {**CORPUS, "corpus": "toy2"})
    small.edit("config.yaml", "corpora", ["my/toy2.yaml"])
    assert load_grid(small.root).corpus_files == {"toy": "workflow/corpora/toy.yaml", "toy2": "my/toy2.yaml"}
    folder = tmp_path / "scratch"
    folder.mkdir()
    elsewhere = load_grid(folder, clone=small.root)
    assert elsewhere.corpus_files == {
        "toy": f"{small.root}/workflow/corpora/toy.yaml",
        "toy2": f"{small.root}/my/toy2.yaml",
    }
    assert dataclasses.replace(elsewhere, corpus_files={}) == dataclasses.replace(
        load_grid(small.root), corpus_files={}
    )


@pytest.mark.parametrize(
    ("stated", "place"),
    [
        ({"seeds": 1}, "--config seeds"),
        ({"scale": "smok"}, "--config scale"),
        ({"defaults": {"train": {"lr": -1}}}, "--config defaults.train.lr"),
    ],
)
def test_a_value_of_the_command_line_is_not_called_one_of_the_file(small, stated, place):
    with pytest.raises(UserError) as problem:
        load_grid(small.root, stated)
    assert str(problem.value).startswith(f"{place}: ")
