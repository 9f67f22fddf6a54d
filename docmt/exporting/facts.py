"""What is known of a trained model beside its own files: its training, the corpus, and its scores."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from docmt.base.artifacts import as_object, read_object, read_object_if_there
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST, RECORD, manifest_or_none, read_record
from docmt.base.recipe import JOB, read_recipe, root_of
from docmt.settings.models import MODELS

ELSEWHERE = ("by_document", "positions")
"""The parts of scores.json with scores of parts of the test set, or of other translations of it."""


@dataclass(frozen=True)
class Score:
    """A score of the test set: its name, such as `bleu 13a s`, its value, and its signature if it has one."""

    name: str
    value: float
    signature: str


@dataclass(frozen=True)
class ModelFacts:
    """The facts about a model that its card states; a fact that is not known is None or empty.

    `record` is the record.json of the training, `corpus` the card.json of stage 1, and `identity` the digest of what
    was asked of the training. `scores` are those of `scored`, the name of a system.
    """

    record: Mapping[str, Any] | None = None
    corpus: Mapping[str, Any] | None = None
    identity: str | None = None
    scores: tuple[Score, ...] = ()
    scored: str | None = None


def gather_facts(folder: Path, card: Mapping[str, Any], scores: Path | None) -> ModelFacts:
    """Return the facts about the model in `folder`, the folder `model` of a training or any other.

    `card` is its model.json, and `scores` a scores.json of stage 7. Raises UserError for scores of another model, and
    where a file was changed after docmt wrote it.
    """
    training = folder.resolve().parent
    is_training = (training / RECORD).is_file()
    manifest = manifest_or_none(training / MANIFEST) if is_training else None
    scored, values = (None, ()) if scores is None else read_scores(scores, card)
    return ModelFacts(
        record=read_record(training / RECORD) if is_training else None,
        corpus=_corpus_card(training),
        identity=manifest.identity if manifest else None,
        scores=values,
        scored=scored,
    )


def read_scores(path: Path, card: Mapping[str, Any]) -> tuple[str, tuple[Score, ...]]:
    """Return the name of the system of a scores.json, and its scores of the whole test set.

    Raises UserError where the file is missing or damaged, or is of another model than the one of `card`, by its corpus,
    scale, seed, view or settings.
    """
    scores = read_object(path, "system", "corpus", "seed", "scale", "settings")
    settings = as_object(scores["settings"], f"{path} settings", ["resolved"])
    resolved = as_object(settings["resolved"], f"{path} settings.resolved", ["model", "view"])
    model = as_object(resolved["model"], f"{path} settings.resolved.model")
    provenance = card.get("provenance", {})
    expected = _settings_of(provenance, provenance.get("view"), card["config"])
    actual = _settings_of(scores, resolved["view"], model)
    for name, value in expected.items():
        if actual.get(name) != value:
            raise UserError(
                "scores of another model",
                where=str(path),
                found=f"{name} {actual.get(name)}",
                expected=str(value),
                remedy="name the scores.json of a system that uses this model",
            )
    return str(scores["system"]), tuple(_scores_in(scores))


def _settings_of(run: Mapping[str, Any], view: Any, model: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the scores and the card of a model must have in common, by name.

    The pieces that a model does not know (`absent_pieces`) are left out, since an import finds them, no setting.
    """
    names = {name: run.get(name) for name in ("corpus", "scale", "seed")}
    settings = {f"model.{name}": value for name, value in model.items() if name != "absent_pieces"}
    return {**names, **settings, "view": view}


def _scores_in(values: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[Score]:
    """Yield the scores in an object of scores.json; `path` are the keys above it."""
    for name, value in values.items():
        if not isinstance(value, dict) or name in (*ELSEWHERE, "settings", "decoding", "by_distance"):
            continue
        number = value.get("score", value.get("accuracy"))
        if isinstance(number, int | float):
            yield Score(" ".join((*path, name)), float(number), str(value.get("signature", "")))
        else:
            yield from _scores_in(value, (*path, name))


def _corpus_card(training: Path) -> dict[str, Any] | None:
    """Return the card of the corpus of a training, whose recipe leads to it; None where it is not there."""
    folder = training
    for role in ("tokens", "corpus"):
        if not (folder / JOB).is_file() or role not in (inputs := read_recipe(folder).inputs):
            return None
        folder = root_of(folder) / inputs[role]
    return read_object_if_there(folder / "card.json", "licence", "citation")


def architecture_text(kind: str) -> tuple[str, str]:
    """Return what an architecture is, and its paper, as the docstring of its module says them."""
    module = import_module(MODELS[kind].model.partition(":")[0])
    paragraphs = (module.__doc__ or "").strip().split("\n\n")
    paper = next(text for text in paragraphs if text.startswith("Paper: "))
    return " ".join(paragraphs[0].split()), " ".join(paper.removeprefix("Paper: ").split())
