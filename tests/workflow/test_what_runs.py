"""The table of what runs: a change, and the jobs that Snakemake itself then plans, over a demo that looks finished."""

import pytest
from helpers.demo_changes import (
    CONFIG,
    SCALE,
    STUDY,
    Change,
    backwards,
    both,
    committed,
    copied,
    counts,
    damaged,
    has_a_recipe_of_an_older_docmt,
    linked_results,
    loses,
    loses_stages,
    manifest,
    nothing,
    replaces,
    sets,
    study,
    summary,
    touched,
    with_windows_line_ends,
    without,
    without_snakemakes_memory,
)
from helpers.finished import finish
from helpers.plans import closure, jobs_to_run, plan_of, steps, to_make
from helpers.support import Project

QUALITY, LEARNING = (f"results/8_report/smoke/demo/{item}.html" for item in ("quality", "learning"))
PAGES, QUALITY_PAGES = "page 7, front 1, links 8", "page 2, front 1, links 3"
"""All pages; and one item with the two pages that show it."""
SCORED = "scores 7, compare 2, page 4, front 1, links 5"
DECODED = f"contrastive 7, translate 7, inspect 1, scores 7, compare 2, {PAGES}"
TRAINED = f"train 7, {DECODED}"
TEXT = f"tokens 1, views 4, chain_words 1, chain_segments 1, aligner 1, {TRAINED}"
ALL = f"corpus 1, {TEXT}"
OF_SYSTEM = "train 1, contrastive 1, translate 1, scores 1, compare 2, page 3, front 1, links 4"
"""A system that is in no figure."""

SETTINGS: dict[str, tuple[Change, str]] = {
    "size of a fixture": (sets("fixtures/documents/test", 9, SCALE), ALL),
    "merges of BPE": (sets("texts/truecase_separate4k/merges", 3000, CONFIG), TEXT),
    "words that form no chain": (
        sets("fixtures/stop_words", 20, SCALE),
        "chain_words 1, chain_segments 1, train 2, contrastive 2, translate 2, inspect 1, scores 7, compare 2, page 6, "
        "front 1, links 7",
    ),
    "view of one system": (
        sets("systems/g_transformer/view", {"max_tokens": 256}),
        "views 1, train 1, contrastive 1, translate 1, scores 1, compare 2, page 4, front 1, links 5",
    ),
    "view of two systems in their tests": (
        sets("systems/concat_3/view/test", {"window": 2}),
        "views 1, train 2, contrastive 2, translate 2, scores 2, compare 2, page 5, front 1, links 6",
    ),
    "width of all models": (sets("model/width", 48, SCALE), TRAINED),
    "norm of the model that others start from": (sets("systems/sentence/model/norm", "post"), TRAINED),
    "training of one system": (sets("systems/han/train/word_dropout", 0.3), OF_SYSTEM),
    "learning rate that the scale replaces": (sets("systems/sentence/train/lr", 1e-3), ""),
    "precision": (sets("precision", "bf16", CONFIG), TRAINED),
    "another seed": (
        sets("seeds", [1, 2], CONFIG),
        f"train 7, contrastive 7, translate 7, scores 7, compare 2, {PAGES}",
    ),
    "beam": (sets("decode/beam", 3, SCALE), DECODED),
    "length penalty of a system and those that extend it": (
        sets("systems/lexical_chain/decode", {"length_penalty": "gnmt", "length_alpha": 0.7}),
        "contrastive 3, translate 3, inspect 1, scores 3, compare 2, page 5, front 1, links 6",
    ),
    "engine, for the system that it can translate": (
        sets("engine", "ctranslate2", CONFIG),
        "contrastive 1, translate 1, scores 1, compare 2, page 4, front 1, links 5",
    ),
    "when translations agree": (sets("scoring/consistency/match", "overlap", CONFIG), SCORED),
    "word vectors": (sets("scoring/coherence/vectors", {"en": "trained"}, CONFIG), f"word_vectors 1, {SCORED}"),
    "word vectors of another language": (sets("scoring/coherence/vectors", {"de": "trained"}, CONFIG), ""),
    "what contrastive sets score": (
        sets("scoring/contrastive/unit", "target", CONFIG),
        f"contrastive_whole 7, {SCORED}",
    ),
    "metrics": (sets("tables/quality/metrics", ["s-BLEU", "accuracy", "LTCR", "HHI", "d-BLEU"]), SCORED),
    "test of significance": (
        sets("tables/what_context_decides/significance", "bootstrap"),
        f"compare 1, {QUALITY_PAGES}",
    ),
    "findings": (sets("findings", []), "page 3, front 1, links 4"),
    "caption of a table": (sets("tables/quality/caption", "Other words."), QUALITY_PAGES),
    "title of a table, which all pages list": (sets("tables/quality/title", "Other words"), PAGES),
    "label of a system": (replaces("HAN encoder", "HAN"), PAGES),
    "system of a figure": (sets("figures/attention/system", "w_link"), f"inspect 1, {QUALITY_PAGES}"),
    "a system that differs in decoding": (
        sets("systems/han.greedy", {"extends": "han", "decode": {"beam": 1}}),
        f"contrastive 1, translate 1, scores 1, {PAGES}",
    ),
    "name of a system": (
        replaces("concat_3", "windows"),
        f"train 1, contrastive 1, translate 1, scores 1, compare 2, {PAGES}",
    ),
    "what a corpus is about": (sets("about", "Other words.", "workflow/corpora/toy_zh-en.yaml"), ""),
    "what a device computes at once, of which pages tell": (sets("train/batch_tokens", 512, SCALE), PAGES),
    "the same, where lengths depend on it": (
        sets("decode", {"beam": 2, "max_length_of": "batch", "batch_tokens": 512}, SCALE),
        DECODED,
    ),
    "how a run is done": (
        both(
            sets("device", "cpu", CONFIG),
            sets("shards", 2, CONFIG),
            sets("downloads", "job", CONFIG),
            sets("mirror", "/some/where", CONFIG),
            sets("missing", "stop", CONFIG),
            sets("store_mode", "off", CONFIG),
        ),
        "",
    ),
}
"""A setting, from the corpus to the page and the machine, and what is made of its change."""


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_changed_and_changed_back(looks_finished: Project, name: str):
    """By the plan in this process; that Snakemake plans the same, and the links, is in the rows below."""
    change, expected = SETTINGS[name]
    before = {file: (looks_finished.root / file).read_bytes() for file in (STUDY, CONFIG, SCALE)}
    change(looks_finished)
    plan = plan_of(looks_finished.root)
    assert steps(jobs_to_run(plan)) == {step: n for step, n in counts(expected).items() if step != "links"}
    finish(plan, closure(plan))
    for file, content in before.items():
        (looks_finished.root / file).write_bytes(content)
    assert to_make(looks_finished.root) == set(), "the outputs of before are still there"


OF_SENTENCE, OF_HAN = SETTINGS["norm of the model that others start from"][0], SETTINGS["training of one system"][0]
HAN = (*("corpus 1, tokens 1, views 2, train 2",), "translate 1")
ROWS: dict[str, tuple] = {
    "nothing": (nothing, "", "demo"),
    "nothing, by its default": (nothing, ""),
    "touched files": (touched, "", "demo"),
    "another place, commit, docmt, order of keys, ends of lines, threads": (
        both(copied, linked_results, committed, has_a_recipe_of_an_older_docmt, backwards, with_windows_line_ends),
        "",
        "demo",
        "--set-threads",
        "train=4",
        "--set-resources",
        "train:mem_mb=100",
    ),
    "no .snakemake": (without_snakemakes_memory, "", "demo"),
    "no data": (loses_stages("1234"), "", "demo"),
    "no view of a finished training, another one": (
        both(loses("views window1"), OF_HAN),
        OF_SYSTEM,
        "demo",
    ),
    "no training": (loses("train sentence"), "", "demo"),
    "no training, and one that starts from it": (
        both(OF_HAN, loses("train sentence")),
        f"train 2{OF_SYSTEM[7:]}",
        "demo",
    ),
    "no scores": (loses("scores han"), "", "demo"),
    "no scores, and no page of them": (loses("scores han", "page quality"), "scores 1, page 1, links 1", "demo"),
    "no page": (loses("page learning"), "page 1, links 1", "demo"),
    "no front page": (loses("front"), "front 1, links 1", "demo"),
    "no pages": (loses_stages("8"), PAGES, "demo"),
    "trainings alone": (loses_stages("1234678"), ALL.replace("train 7, ", ""), "demo"),
    "trainings alone, a manifest": (loses_stages("1234678"), "", "demo.trainings"),
    "a lost link": (lambda project: (project.root / QUALITY).unlink(), "links 1", "demo"),
    "a job ended in the middle that nobody needs": (without("translate han"), "", "demo"),
    "a job ended in the middle, by name": (without("translate han"), "translate 1", manifest("translate han")),
    "a damaged manifest": (damaged("translate han"), "", "demo"),
    "a manifest of before": (OF_HAN, "", manifest("train han")),
    "trainings of a change": (OF_SENTENCE, "train 7", "demo.trainings"),
    "a page": (OF_HAN, OF_SYSTEM.replace("compare 2, page 3, front 1, links 4", "compare 1, page 1, links 1"), QUALITY),
    "a page without what changed": (OF_HAN, "", LEARNING),
    "another study before it": (study("before"), "", "demo"),
    "another study of the same systems": (study("other"), "compare 2, page 3, links 3", "other"),
    "another study, which scores otherwise": (
        study("other", scoring={"consistency": {"match": "subset"}}),
        "scores 7, compare 2, page 3, links 3",
        "other",
    ),
    "-R of a rule": (nothing, TRAINED, "demo", "-R", "train"),
    "-R of a rule, without a target": (nothing, TRAINED, "-R", "train"),
    "-R of the first rule": (nothing, ALL, "demo", "-R", "corpus"),
    "-R of pages": (nothing, "page 7, links 7", "demo", "-R", "page"),
    "-R of a rule of another page": (nothing, "inspect 1, page 3, front 1, links 4", "demo", "-R", "inspect"),
    "-R of a file": (nothing, OF_SYSTEM, "demo", "-R", manifest("train han")),
    "-F": (nothing, ALL, "demo", "-F"),
    "-F of a page": (
        nothing,
        ALL.replace("inspect 1, ", "").replace("compare 2, page 7, front 1, links 8", "compare 1, page 1, links 1"),
        "-F",
        QUALITY,
    ),
    "-F of a file": (nothing, ", ".join(HAN), "-F", manifest("translate han")),
    "-f of a file": (nothing, "translate 1", "-f", manifest("translate han")),
    "-f of a page sets its link": (nothing, "links 1", "-f", QUALITY),
    "--until": (OF_SENTENCE, "train 7, contrastive 7, translate 7, scores 7", "demo", "--until", "scores"),
    "--until of a training": (OF_HAN, "train 1", "demo", "--until", "train"),
    "--omit-from": (
        OF_SENTENCE,
        "train 7, contrastive 7, translate 7, inspect 1, page 3, links 3",
        "demo",
        "--omit-from",
        "scores",
    ),
    "--batch": (OF_SENTENCE, TRAINED.replace(PAGES, "page 4, links 4"), "demo", "--batch", "demo=1/2"),
    "--rerun-triggers mtime": (nothing, "", "demo", "--rerun-triggers", "mtime"),
}
"""What happens to a finished demo, what then runs, and the words of `snakemake -n`; functions return a word."""


@pytest.mark.parametrize("name", ROWS)
def test_what_runs(looks_finished: Project, name: str):
    change, expected, *words = ROWS[name]
    arguments = [word if isinstance(word, str) else word(looks_finished) for word in words]
    change(looks_finished)
    assert summary(looks_finished, *arguments) == counts(expected)
