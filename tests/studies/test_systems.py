"""The systems of the papers' studies: they resolve, are trained once, are shown, and differ in what they say."""

import dataclasses
from collections.abc import Iterator

import pytest
from helpers.papers import CONTRASTIVE, FILES, OPEN
from helpers.whole_grid import whole_grid

from docmt.base.digests import canonical_json
from docmt.kinds.points import PointsFigure
from docmt.settings.system import Entry

STUDIES = (*FILES, OPEN, CONTRASTIVE)
EACH_STUDY = pytest.mark.parametrize("study", STUDIES)

DIFFERENCES = {
    # What a row of the papers takes away or adds, against the system that it is compared with.
    ("long-short", "concat_3", "long_short_3"): {"model.kind"},
    ("long-short", "concat_4.en-ru", "long_short_4.en-ru"): {"model.kind"},
    ("long-short", "long_short_4.en-ru", "long_short_4.en-ru.beam8"): {"decode.beam"},
    ("long-short", "long_short_4.en-ru", "long_short_4.en-ru.partial_copy"): {"view.train"},
    ("long-short", "long_short_4.en-ru.partial_copy", "long_short_4.en-ru.partial_copy.each"): {"view.train"},
    ("long-short", "long_short_4.en-ru.partial_copy", "long_short_4.en-ru.partial_copy.test"): {"view.test"},
    ("long-short", "long_short_4", "long_short_4.en-ru"): {"train.tokens_per_update", "text", "view.train"},
    ("long-short", "long_short_3", "long_short_3.sum"): {"model.aggregation"},
    ("long-short", "long_short_3", "long_short_3.cross-long"): {"model.cross_reads"},
    ("long-short", "long_short_4.en-ru", "long_short_4.en-ru.openings"): {"view.train"},
    ("lexical-chains", "lexical_chain", "lc_convar"): {"model.general_attention"},
    ("lexical-chains", "lc_convar", "lc"): {"model.latent"},
    ("lexical-chains", "lexical_chain", "lexical_chain.no-lc"): {"model.lexical_attention"},
    ("lexical-chains", "lexical_chain", "lexical_chain.no-convar"): {"model.latent"},
    ("lexical-chains", "lexical_chain", "lexical_chain.dz144"): {"model.latent_width"},
    ("lexical-chains", "lexical_chain", "lexical_chain.2m"): {"init_from", "view.train", "model.dropout"},
    ("lexical-chains", "lexical_chain", "lexical_chain.ted"): {"init_from", "text"},
    ("lexical-chains", "lexical_chain.ted", "lexical_chain.fr"): {
        "init_from",
        "model.encoder_layers",
        "model.decoder_layers",
    },
    ("lexical-chains", "lexical_chain.ted", "lexical_chain.ted.plain"): {"model.latent_variance"},
    ("lexical-chains", "lexical_chain.ted", "lexical_chain.ted.sample"): {"model.latent_in_inference"},
    ("lexical-chains", "han.ted", "han.ted.joint"): {"init_from", "model.context"},
    ("g-transformer", "sentence", "document"): {"view.train", "view.test", "model.frame"},
    ("g-transformer", "sentence", "han"): {"view.train", "view.test", "model.kind", "model.positions", "init_from"},
    ("g-transformer", "sentence.en-ru", "concat_4.en-ru"): {"view.train", "view.test", "model.frame"},
    ("g-transformer", "concat_4.en-ru", "long_short_4.en-ru"): {"model.kind"},
    ("g-transformer", "g_transformer", "g_transformer.no-target-context"): {"model.decoder_self_combined_layers"},
    ("g-transformer", "g_transformer.no-target-context", "g_transformer.no-context"): {
        "model.encoder_self_combined_layers",
        "model.cross_combined_layers",
    },
    ("g-transformer", "g_transformer.random", "g_transformer.random.no-word-dropout"): {
        "train.word_dropout",
        "train.word_dropout_epochs",
    },
    ("g-transformer", "g_transformer.random.no-word-dropout", "g_transformer.random.no-language-locality"): {
        "model.language_locality"
    },
    ("g-transformer", "g_transformer.random", "g_transformer.random.group"): {"model.top_attention"},
    ("g-transformer", "g_transformer.random", "g_transformer.random.global"): {"model.top_attention"},
    ("g-transformer", "g_transformer.random", "g_transformer.random.k3"): {"model.combined_layers"},
    ("g-transformer", "document.five", "document.length64"): {"view.train", "view.test"},
    ("g-transformer", "document.length512", "document.scale20000"): {"view.train"},
    ("g-transformer", "document.five", "document.big"): {"model.width", "model.inner", "model.heads"},
    ("g-transformer", "document.big", "document.large"): {"model.encoder_layers", "model.decoder_layers"},
    ("g-transformer", "sentence.mbart", "g_transformer.mbart"): {"view.train", "view.test", "model.kind"},
}


def entries(study: str) -> dict[tuple[str, str], Entry]:
    """By corpus and name of the system."""
    return {(entry.corpus, entry.system.name): entry for entry in whole_grid().of_study(study)}


def system(study: str, name: str) -> dict:
    return next(
        flat(dataclasses.asdict(entry.system)) for entry in whole_grid().of_study(study) if entry.system.name == name
    )


def flat(system: dict) -> dict:
    """Settings by section and name, but for the name; a cut is one setting."""
    sections = {name: value for name, value in system.items() if isinstance(value, dict)}
    inside = {f"{section}.{name}": value for section, values in sections.items() for name, value in values.items()}
    return inside | {name: value for name, value in system.items() if name not in sections and name != "name"}


@pytest.mark.parametrize("scale", ["paper", "small", "smoke"])
def test_the_papers_resolve_at_every_scale(scale):
    assert {entry.study for entry in whole_grid(scale).entries} >= {*STUDIES}


@EACH_STUDY
def test_nothing_is_trained_twice(study):
    """Systems with the same training share it: one states that it extends the other."""
    systems = entries(study)
    trainings: dict[str, set[str]] = {}
    for (corpus, _), entry in systems.items():
        values = {name: value for name, value in flat(dataclasses.asdict(entry.system)).items() if name[:6] != "decode"}
        start = values["init_from"] and systems[corpus, values["init_from"]].trained
        trainings.setdefault(canonical_json([corpus, {**values, "init_from": start}]), set()).add(entry.trained)
    assert [sorted(folders) for folders in trainings.values() if len(folders) > 1] == []


@EACH_STUDY
def test_every_system_is_shown_or_what_one_that_is_shown_comes_from(study):
    systems = entries(study)
    needed = set(systems_on_pages(study))
    for corpus, name in [*needed]:
        needed |= set(ancestors(systems, corpus, name))
    assert needed == systems.keys()


def ancestors(systems: dict[tuple[str, str], Entry], corpus: str, name: str) -> Iterator[tuple[str, str]]:
    """The systems whose models this one uses, or starts from."""
    for other in {systems[corpus, name].trained, systems[corpus, name].system.init_from} - {name, None}:
        yield corpus, other
        yield from ancestors(systems, corpus, other)


def systems_on_pages(study: str) -> Iterator[tuple[str, str]]:
    """Corpus and system of everything on a study's pages."""
    config = whole_grid().studies[study]
    for item in config.items.values():
        yield from item.systems_of(config.corpora)


@pytest.mark.parametrize(("study", "row", "other"), DIFFERENCES)
def test_systems_differ_in_what_their_rows_say(study, row, other):
    first, second = system(study, row), system(study, other)
    unshared = {name for name in {**first, **second} if name not in first or name not in second}
    differing = {name for name in first.keys() & second.keys() if first[name] != second[name]}
    assert differing == DIFFERENCES[study, row, other]
    assert not unshared or "model.kind" in differing


def test_the_failure_study_has_five_seeds_and_nothing_else_has():
    """Section 3 of G-Transformer: each experiment five times."""
    study = whole_grid().studies["g-transformer"]
    points = [
        line.points for figure in study.figures.values() if isinstance(figure, PointsFigure) for line in figure.series
    ]
    sizes = {"document.five", "document.big", "document.large", "g_transformer.random.five"}
    five = sizes.union(*(line.values() for line in points))
    assert {name for (_, name), entry in entries("g-transformer").items() if len(entry.seeds) == 5} == five
    assert {entry.seeds for entry in entries("g-transformer").values()} == {(1,), (1, 2, 3, 4, 5)}


def test_the_last_removal_of_table_5_is_the_transformer_on_documents():
    table = whole_grid().studies["g-transformer"].tables["table5"]
    assert table.rows[-1].system == "document"
    assert system("g-transformer", "document")["model.kind"] == "transformer"
