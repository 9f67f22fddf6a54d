"""Names and paths that a user states are refused, or used as they are written; nothing else is touched or run."""

import shutil
import string
from contextlib import chdir
from pathlib import Path

import pytest
from helpers.plans import plan_of
from helpers.recipes import settings as settings_of
from helpers.small_grid import CONFIG, CORPUS, SYSTEMS, small_project
from helpers.support import small_demo
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.base.names import LONGEST_NAME, is_file_name, is_path
from docmt.base.recipe import JOB
from docmt.grid.grid import Grid, load_grid
from docmt.plan.plan import Job

HOSTILE = (
    *("a b", " a", "a ", "a;touch pwned;b", "$(touch pwned)", "`touch pwned`", "a'b", 'a"b', "a\\b", "a|b", "a&b"),
    *("a>b", "a*", "a?b", "[a]", "{a}", "{{a}}", "~", "~root", "a@b", "a@smoke", "a#b", "a%b", "a:b", "a=b", "a,b"),
    *("!a", "..", "../a", "../../../evil", "a/../../b", "/etc/passwd", "/", "", ".", "-", "-rf", "--output", ".hidden"),
    *("null", "a\nb", "a\tb", "a\rb", "a\0b", "\x1b[31m", "\u202egpj.a", "\u200b", "\ufeffa", "名", "é"),
    *("con fig\u2028", "x" * 101, "x" * 300, "é" * 200, "a" + "\u0301" * 50),
)
CHARACTERS = st.characters(exclude_characters="\x85\u2028\u2029", exclude_categories=["Cs"])
"""Without line ends that the tests' own writing of YAML would change."""
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(CHARACTERS, max_size=20), st.text(string.printable, max_size=20))
few = settings(max_examples=20)
"""Of a test in the suite; `pytest -m slow` has every hostile name at every place."""
SAFE = set(string.ascii_letters + string.digits + "_.+-@/")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Projects are written here one over the other."""
    return tmp_path_factory.mktemp("hostile")


def grid_with(folder: Path, config: dict | None = None, study: dict | None = None, corpus: dict | None = None) -> Grid:
    """Return the grid of the small project with these settings; `corpus` has corpora by the names of their files.

    Raises UserError as planning does.
    """
    shutil.rmtree(folder, ignore_errors=True)
    project = small_project(folder)
    for name, content in (corpus or {}).items():
        project.write(name, content)
    corpora = {"corpora": list(corpus)} if corpus else {}
    project.write("config.yaml", {**CONFIG, **corpora, **(config or {})})
    content_of_study = {"study": "one", "title": "One", "corpora": ["toy"], "systems": SYSTEMS, **(study or {})}
    project.write("workflow/studies/one.yaml", content_of_study)
    return load_grid(folder)


def of_texts(name: str) -> tuple[dict, dict]:
    return {"texts": {**CONFIG["texts"], name: {"bpe": "joint"}}}, {"systems": {"sentence": {"text": name}}}


def of_systems(name: str) -> tuple[dict, dict]:
    return {}, {"systems": {name: {}}}


def of_tables(name: str) -> tuple[dict, dict]:
    return {}, {"tables": {name: {"title": "T", "metrics": ["s-BLEU"], "rows": [{"system": "sentence"}]}}}


def of_studies(name: str) -> tuple[dict, dict]:
    return {}, {"study": name}


NAMED = {"texts": of_texts, "systems": of_systems, "tables": of_tables, "studies": of_studies}


@pytest.mark.parametrize("place", NAMED)
@given(name=TEXTS)
@few
def test_a_name_is_refused_or_stands_in_paths_as_it_is(folder, place, name):
    check_name(folder, place, name)


def check_name(folder: Path, place: str, name: str) -> None:
    config, study = NAMED[place](name)
    try:
        grid = grid_with(folder, config, study)
    except UserError as problem:
        assert_single_message(problem, "one.yaml" if study and not config else "config.yaml")
        return
    paths = [f"{e.corpus}/{e.folder}/{e.system.text}/{e.system.view.name}" for e in grid.entries]
    paths += [f"{study}/{item}" for study, config in grid.studies.items() for item in config.items]
    assert all(set(path) <= SAFE and ".." not in path.split("/") for path in paths)
    assert all(len(part) <= 2 * LONGEST_NAME + 1 for path in paths for part in path.split("/"))


@given(name=TEXTS)
@few
def test_a_corpus_is_refused_or_stands_in_paths_as_it_is(folder, name):
    check_corpus(folder, name)


def check_corpus(folder: Path, name: str) -> None:
    stem = name if is_file_name(name) else "own"
    try:
        grid = grid_with(folder, corpus={f"{stem}.yaml": {"corpus": name, **CORPUS}})
    except UserError as problem:
        assert_single_message(problem, ".yaml")
        return
    assert set(name) <= SAFE - {"/", "@"} and settings_of(grid, f"1_corpus/{name}")["corpus"] == name


PATHS = {
    "mirror": (lambda path: {"mirror": path}, lambda grid: grid.mirror),
    "local": (lambda path: {"local": {"toy": path}}, lambda grid: grid.local["toy"]),
    "human": (lambda path: {"human": {"one": path}}, lambda grid: grid.human["one"]),
    "pretrained": (
        lambda path: {"texts": {**CONFIG["texts"], "own": {"pretrained": path}}},
        lambda grid: grid.texts["own"].pretrained,
    ),
    "vectors": (
        lambda path: {"scoring": {"coherence": {"vectors": {"en": path}}}},
        lambda grid: grid.scoring["one"].coherence.vectors["en"],
    ),
    "cohesion": (
        lambda path: {"scoring": {"cohesion": {"models": {"en": path}}}},
        lambda grid: grid.scoring["one"].cohesion.models["en"],
    ),
    "aligner": (
        lambda path: {"scoring": {"aligner": {"kind": "awesome-align", "model": path}}},
        lambda grid: grid.scoring["one"].aligner.model,
    ),
    "comet": (
        lambda path: {"scoring": {"comet": {"command": "python", "model": path}}},
        lambda grid: grid.scoring["one"].comet.model,
    ),
    "stop list": (
        lambda path: {"scoring": {"consistency": {"target_stop_lists": {"en": path}}}},
        lambda grid: grid.scoring["one"].consistency.target_stop_lists["en"],
    ),
}


@pytest.mark.parametrize("place", PATHS)
@given(path=TEXTS)
@few
def test_a_path_is_refused_or_kept_as_it_is(folder, place, path):
    check_path(folder, place, path)


def check_path(folder: Path, place: str, path: str) -> None:
    stated, value_of = PATHS[place]
    try:
        grid = grid_with(folder, stated(path))
    except UserError as problem:
        assert_single_message(problem, "config.yaml")
        assert not is_path(path), "a path that could be used"
        return
    assert value_of(grid) == path and is_path(path)


@given(path=TEXTS)
@few
def test_a_file_of_a_corpus_stays_in_its_folder(folder, path):
    check_file(folder, path)


def check_file(folder: Path, path: str) -> None:
    """By its own name, and by the paths that the reader has for it."""
    reader = {"kind": "lines", "splits": {"train": {"source": path, "target": "b"}}}
    content = {"corpus": "own", **CORPUS, "reader": reader, "files": [{"name": path}, {"name": "b"}]}
    try:
        grid = grid_with(folder, corpus={"own.yaml": content})
    except UserError as problem:
        assert_single_message(problem, "own.yaml")
        return
    place = folder / "downloads" / grid.corpora["own"].files[0].name
    assert place.parent == folder / "downloads" and place.name == path


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_every_hostile_name_at_every_place(folder, name):
    for place in NAMED:
        check_name(folder, place, name)
    for place in PATHS:
        check_path(folder, place, name)
    check_corpus(folder, name)
    check_file(folder, name)


def assert_single_message(problem: UserError, file: str) -> None:
    """Place, what was found and what to do, in lines that no character breaks."""
    lines = str(problem).splitlines()
    assert file in lines[0] and 2 <= len(lines) <= 3, str(problem)
    assert all(line.isprintable() for line in lines), repr(str(problem))


@pytest.mark.slow
def test_hostile_folders_and_files_are_used_as_they_are(tmp_path):
    """A project, folders and files with names that a shell would run: stages 1 and 2 read and write what they say."""
    around = tmp_path / "around"
    around.mkdir()
    project = small_demo(around / "pro ject; touch pwned; $(touch pwned2) 'x' \"y\"")
    data = around / "my data's $(touch pwned3) \u05d0\u05d1 {x}"
    data.mkdir()
    names = ["so urce; touch pwned4.zh", "target'$(touch pwned5)\".en"]
    for name, word in zip(names, ("我们 来 了", "we came"), strict=True):
        (data / name).write_text("".join(f"{word} {n}\n{word}\n\n" for n in range(20)), encoding="utf-8")
    sides = {"source": names[0], "target": names[1]}
    reader = {"kind": "lines", "splits": dict.fromkeys(("train", "dev", "test"), sides)}
    project.edit("config.yaml", "scale", "paper")
    content = {
        "corpus": "mine",
        **CORPUS,
        "reader": reader,
        "files": [{"name": name, "obtain": "mine"} for name in names],
        "most_shared": {"documents": 1, "pairs": 1},
    }
    project.write("cor pora; $(touch pwned6)/mine.yaml", content)
    project.edit("config.yaml", "corpora", ["cor pora; $(touch pwned6)/mine.yaml"])
    project.edit("config.yaml", "local", {"mine": str(data)})
    project.edit("config.yaml", "mirror", str(around / "mir ror $(touch pwned7)"))
    with chdir(project.root):
        tokens = plan_of(project.root).recipe(Job.of("tokens", corpus="mine", text="lower_separate8k"))
    done = project.snakemake("--cores", "1", f"{tokens.folder}/manifest.json")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    downloads = project.root / "results/1_corpus/mine/downloads"
    notes = {f".{name}.source.json" for name in names}
    assert {path.name for path in downloads.iterdir()} == {*names, *notes, JOB}
    assert sorted(path.name for path in around.iterdir()) == sorted([project.root.name, data.name])
    assert not [path for path in around.rglob("*") if path.name.startswith("pwned")]
    assert {path.name for path in data.iterdir()} == set(names)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["a;touch pwned;b", *(pytest.param(n, marks=pytest.mark.slow) for n in ("my corpus", "../../../evil", "x" * 300))],
)
def test_a_target_with_a_hostile_name_runs_nothing(tmp_path, name):
    project = small_demo(tmp_path / "project")
    done = project.snakemake("--cores", "1", f"results/1_corpus/{name}/card.json")
    assert done.returncode != 0 and "Traceback" not in done.stderr
    assert not (project.root / "results").exists() and sorted(path.name for path in tmp_path.iterdir()) == ["project"]
