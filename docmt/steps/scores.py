"""Stage 7: every metric of a system, each with its signature."""

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object
from docmt.base.paths import SCORES
from docmt.base.plugins import plugin_file
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import tell
from docmt.base.sealing import sealing
from docmt.grid.external import TRANSLATING
from docmt.grid.grid import Grid
from docmt.grid.markers import given, name_of, source_of
from docmt.grid.scored import scoring_of_entry
from docmt.settings.comet import CometConfig, files_of_comet
from docmt.settings.metrics import TOKENISER_LIBRARIES, base_of, parse_metric
from docmt.settings.pretrained import aligner_files, checkpoint_files, files_by_role, tokenizer_file
from docmt.settings.programs import need_program
from docmt.settings.scoring import TRAINED
from docmt.settings.system import Entry, ExternalSystem, TrainedSystem
from docmt.settings.train import CHANGEABLE
from docmt.steps.of_grid import data_of, is_of_user, languages, random_input, run_names, view_inputs
from docmt.steps.step import Inputs, Names, step_of
from docmt.steps.translate import knobs as knobs_of_decoding


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the settings of scoring, and all settings of the system, which `scoring.json` contains too."""
    entry = grid.find_scored(names["corpus"], names["system"])
    resolved = {key: value for key, value in dataclasses.asdict(entry.system).items() if key != "name"}
    if isinstance(entry.system, ExternalSystem):
        resolved["source"] = source_of(entry.system)
    else:
        resolved["pretrained"] = given(entry.system.pretrained)
    return {
        **run_names(grid, entry, names),
        **languages(grid, names["corpus"]),
        **_scoring(grid, entry),
        "requested": grid.requested_metrics(entry),
        "resolved": resolved,
    }


def knobs(settings: Mapping[str, Any]) -> list[str]:
    """Return the sizes of batches of the system and of cohesion."""
    resolved = settings["resolved"]
    names = [f"resolved.train.{name}" for name in CHANGEABLE if "train" in resolved]
    names += [f"resolved.{name}" for name in knobs_of_decoding(resolved)] if "decode" in resolved else []
    return [*names, *(["cohesion.batch_pairs"] if settings["cohesion"] else [])]


def _scoring(grid: Grid, entry: Entry) -> dict[str, Any]:
    """Return the settings by which a system is scored; those of a metric that is not computed are None."""
    scoring = scoring_of_entry(grid, entry)
    chosen, vectors, model = scoring.config, name_of(scoring.vectors), given(scoring.model)
    # Nobody else scores the variants of contrastive sets.
    has_sets = grid.corpus_at_scale(entry.corpus).contrastive and entry.has_model
    stop_lists = {
        name: {language: name_of(path) for language, path in getattr(scoring.consistency, name).items()}
        for name in ("source_stop_lists", "target_stop_lists")
    }
    aligner = scoring.aligner and dataclasses.asdict(scoring.aligner) | {"model": given(scoring.aligner_model)}
    return {
        "consistency": dataclasses.asdict(scoring.consistency) | stop_lists,
        "aligner": aligner,
        "coherence": vectors and {"vectors": vectors, "case": chosen.coherence.case},
        "cohesion": model and {"model": model, "batch_pairs": chosen.cohesion.batch_pairs},
        "comet": scoring.comet and _comet(scoring.comet),
        "conventions": {name: dataclasses.asdict(stated) for name, stated in chosen.conventions.items()},
        "contrastive": dataclasses.asdict(chosen.contrastive) if has_sets else None,
        # The key is left out elsewhere, so that scores from before this metric keep their identities.
        **({"cxmi": {"context": context}} if (context := context_of(grid, entry)) else {}),
    }


def context_of(grid: Grid, entry: Entry) -> int:
    """Return the most sentences of context by which CXMI is measured; 0 where it is not.

    A model gets no more context than its training segments have: more would measure how it bears unknown lengths.
    """
    stated = scoring_of_entry(grid, entry).config.cxmi.context
    return entry.system.view.train.context_of(stated) if stated and isinstance(entry.system, TrainedSystem) else 0


def _comet(chosen: CometConfig) -> dict[str, Any]:
    """Return the settings of COMET, without the command, which differs between users."""
    paths_of_user = {"model": given(chosen.model), "encoder": given(chosen.encoder)}
    return {**paths_of_user, "context": chosen.context, "batch": chosen.batch}


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the outputs of all stages from which the scores of a run are computed."""
    entry = grid.find_scored(names["corpus"], names["system"])
    corpus, data, scoring = grid.corpora[entry.corpus], data_of(grid, entry), scoring_of_entry(grid, entry)
    translated = {**names, "system": entry.folder}
    # An external system has no view and no forced scores of contrastive sets.
    roles = {
        "corpus": ("corpus", {"corpus": data["corpus"]}),
        "tokens": ("tokens", data),
        **({"view": view_inputs(grid, entry)["view"]} if entry.has_model else {}),
        "translations": (TRANSLATING[entry.system.origin], translated),
    }
    if corpus.contrastive and entry.has_model:
        whole = scoring.config.contrastive.unit == "target"
        role = "contrastive_whole" if whole else "contrastive"
        roles[role] = ("contrastive_whole" if whole else "contrastive", translated)
    if context := context_of(grid, entry):
        # Systems that differ in decoding alone have one model, and one job.
        roles["context"] = ("context", {**names, "system": entry.trained, "context": context})
    if scoring.aligner is not None and scoring.aligner.kind == "default":
        roles["aligner"] = ("aligner", data)
    if scoring.vectors == TRAINED:
        roles["word_vectors"] = ("word_vectors", data)
    roles |= random_input("next_sentence_model", "checkpoint", scoring.model)
    return Inputs(roles | random_input("aligner_model", "checkpoint", scoring.aligner_model))


def files(grid: Grid, names: Names) -> dict[str, Path]:
    """Return the stop lists, the word vectors, the models and the plugins by which a system is scored.

    Raises UserError where a file is missing, or where the Python of COMET is no program that can be run.
    """
    entry = grid.find_scored(names["corpus"], names["system"])
    scoring = scoring_of_entry(grid, entry)
    vectors = {} if scoring.vectors in (TRAINED, None) else {"word_vectors": scoring.vectors}
    named = {role: Path(path) for role, path in {**scoring.stop_lists, **vectors}.items()}
    if is_of_user(grid, scoring.model):
        of_model = [*checkpoint_files(scoring.model), Path(tokenizer_file(scoring.model))]
        named |= files_by_role("next_sentence_model", of_model)
    if is_of_user(grid, scoring.aligner_model):
        named |= files_by_role("aligner_model", aligner_files(scoring.aligner_model))
    if scoring.comet:
        need_program(scoring.comet.words, "scoring.comet.command")
        named |= files_of_comet(scoring.comet.model, scoring.comet.encoder)
    sources = {name: plugin_file(parse_metric(name).metric.module) for name in grid.requested_metrics(entry)}
    return named | {f"plugin/{base_of(name)}": path for name, path in sources.items() if path is not None}


def hints(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the words of the command that runs COMET's Python, where COMET is computed."""
    comet = scoring_of_entry(grid, grid.find_scored(names["corpus"], names["system"])).comet
    return {"comet_command": list(comet.words)} if comet else {}


def libraries(grid: Grid, names: Names) -> Iterable[str]:
    """Return the libraries that compute scores."""
    scoring = scoring_of_entry(grid, grid.find_scored(names["corpus"], names["system"]))
    yield "sacrebleu"
    yield from TOKENISER_LIBRARIES.get(grid.corpora[names["corpus"]].target_language, ())
    if scoring.aligner is not None and scoring.aligner.kind != "default":
        yield scoring.aligner.kind
    if scoring.model is not None:
        yield "transformers"


def run(recipe: Recipe, resources: Resources) -> None:
    """Score a system of the workflow, by every metric, each with its signature."""
    from docmt.scoring.chain_scores import StopFiles
    from docmt.scoring.measured import ScoringInputs
    from docmt.scoring.score import write_scores
    from docmt.supervision.gpus import take_gpus
    from docmt.text.round_trip import round_trip_warnings
    from docmt.text.signs import text_warnings

    vectors = recipe.folder_of("word_vectors")
    given_files = ScoringInputs(
        corpus=recipe.input("corpus"),
        tokens=recipe.input("tokens"),
        view=recipe.folder_of("view"),
        translations=recipe.input("translations"),
        contrastive=recipe.folder_of("contrastive") or recipe.folder_of("contrastive_whole"),
        context=recipe.folder_of("context"),
        aligner=recipe.folder_of("aligner"),
        word_vectors=recipe.file("word_vectors") or (vectors and vectors / "vectors.txt"),
        next_sentence_model=recipe.folder_of("next_sentence_model"),
        aligner_model=recipe.folder_of("aligner_model"),
        stop_files=StopFiles(recipe.file("source_stop_list"), recipe.file("target_stop_list")),
        comet_command=recipe.hint("comet_command", tuple[str, ...], ()),
        comet_model=recipe.folder_of("comet_model"),
        comet_encoder=recipe.folder_of("comet_encoder"),
    )
    if given_files.next_sentence_model or given_files.comet_command:
        take_gpus(resources.device)

    def warnings(*texts: Any) -> list[str]:
        # The text of another program takes no round trip.
        trips = read_object(given_files.tokens / "card.json", "round_trip")["round_trip"] if given_files.view else {}
        of_test = {split: trip for split, trip in trips.items() if split == "test"}
        return [*text_warnings(*texts), *round_trip_warnings(of_test)]

    with sealing(recipe):
        tell(write_scores(recipe.path, given_files, recipe.folder, warnings, resources.device))


STEP = step_of(
    __name__,
    folder=SCORES,
    version=10,
    code=("docmt/scoring",),
    writes=("scores.parquet", "scoring.json", "details.arrow", "occurrences.arrow"),
)
