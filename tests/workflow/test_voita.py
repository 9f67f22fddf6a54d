"""The study `voita`: the contrastive sets of Voita et al., from their files to accuracies, by the real commands."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.places import target
from helpers.planted import at
from helpers.real_files import real_files, write_contents
from helpers.score_files import printed_scores
from helpers.support import Project, copy_project, run

from docmt.base.scores import Score
from docmt.scoring.contrastive import accuracy_scores, accuracy_tallies, read_judgements
from docmt.settings.scoring import ContrastiveConfig

DOCMT = Path(sys.executable).parent / "docmt"
CORPUS = "workflow/corpora/voita_en-ru.yaml"
FILES = {
    "deixis": "voita.deixis_test",
    "lexical_cohesion": "voita.lex_cohesion_test",
    "ellipsis_inflection": "voita.ellipsis_infl",
    "ellipsis_vp": "voita.ellipsis_vp",
}


@pytest.fixture
def sets(shared, tmp_path) -> Path:
    """The files of the sets as their authors have them, under the catalogue's names."""
    files = real_files(shared / "mirror")
    return write_contents(tmp_path / "sets", {name: files[name] for name in files if name.startswith("voita.")})


def shorten(folder: Path, instances: int) -> None:
    """So many of each set, and their rows."""
    for file in folder.glob("*.json"):
        selected = json.loads(file.read_text(encoding="utf-8"))[:instances]
        file.write_text(json.dumps(selected, ensure_ascii=False), encoding="utf-8")
        rows = sum(len(instance["dst"]) for instance in selected)
        for texts in (folder / f"{file.stem}.src", folder / f"{file.stem}.dst"):
            lines = texts.read_text(encoding="utf-8").split("\n")[:rows]
            texts.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def finished(root: Path, mirror: Path, scale: str, *places: str) -> Project:
    project = copy_project(root)
    settings = {"studies": ["voita"], "mirror": str(mirror), "scale": scale, "device": "cpu"}
    for name, value in settings.items():
        project.edit("config.yaml", name, value)
    if scale == "quick":  # of shortened files, which have other bytes, and are no fixture
        small = project.read("workflow/scales/smoke.yaml")
        project.write("workflow/scales/quick.yaml", {key: small[key] for key in ("about", "model", "train", "decode")})
        catalogue = project.read(CORPUS)
        catalogue["expected"] = {}
        catalogue["files"] = [{"name": file["name"]} for file in catalogue["files"]]
        project.write(CORPUS, catalogue)
    targets = [target(project, place) for place in places]
    project.snakemake("--cores", "2", *targets, check=True, timeout=3000)
    return project


def from_plain_files(model: Path, folder: Path, *options: str) -> dict[str, Score]:
    """What `docmt score-contrastive` says of the four files, by the names that the corpus has for them."""
    command = [DOCMT, "score-contrastive", *(folder / f"{file}.json" for file in FILES.values()), "--form", "voita"]
    done = run([*command, "--model", model, "--device", "cpu", "--json", *options], model, check=True, timeout=1500)
    names = {file: name for name, file in FILES.items()}
    groups = ((re.sub("(?<=:)[^@]+", lambda file: names[file[0]], s.group), s) for s in printed_scores(done.stdout))
    return {score.metric + group: replace(score, group=group) for group, score in groups}


def folders(project: Project, system: str) -> tuple[Path, Path]:
    """Of the model, and of its forced scores."""
    training, forced = (at(project, f"{stage}/voita_en-ru/{system}/seed1") for stage in ("5_training", "6_contrastive"))
    return project.root / training / "model", project.root / forced


@pytest.mark.slow
def test_a_few_instances_by_the_workflow_and_from_plain_files(sets, tmp_path):
    shorten(sets, instances=4)
    project = finished(tmp_path / "project", sets, "quick", "6_contrastive/voita_en-ru/concat_4/seed1")
    model, forced = folders(project, "concat_4")
    judgements = read_judgements(forced / "contrastive.arrow", ContrastiveConfig())
    tallies, found = accuracy_tallies(judgements, ContrastiveConfig()), from_plain_files(model, sets)
    scores = {score.name: score for score in accuracy_scores(judgements, tallies)}
    assert [found[f"accuracy:{name}"].n for name in FILES] == [4] * len(FILES)
    assert found == {name: scores[name] for name in found}
