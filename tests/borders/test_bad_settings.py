"""Settings, studies and corpora that cannot work: each is refused by planning, in one message with place and remedy."""

import copy
from collections.abc import Callable

import pytest
from helpers.small_grid import CONFIG, CORPUS, SYSTEMS, small_project
from helpers.support import Project, run

from docmt.base.errors import UserError
from docmt.grid.grid import load_grid

CONFIG_FILE, STUDY_FILE, CORPUS_FILE = "config.yaml", "workflow/studies/one.yaml", "own.yaml"
STUDY = {"study": "one", "title": "One", "corpora": ["toy"], "systems": SYSTEMS}
TABLE = {"title": "T", "metrics": ["s-BLEU"], "rows": [{"system": "sentence"}]}
LINES = {"kind": "lines", "splits": {"train": {"source": "a", "target": "b"}}}
FILES = [{"name": "a"}, {"name": "b"}]
BOMB = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(12)
)
Change = Callable[[Project], str]
"""Breaks a project; gives the name of the file that a message must name."""


def text(file: str, content: str | bytes) -> Change:
    def change(project: Project) -> str:
        (project.root / file).write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return change


def config(path: str, value: object) -> Change:
    return lambda project: changed(project, CONFIG_FILE, CONFIG, path, value)


def study(path: str, value: object) -> Change:
    return lambda project: changed(project, STUDY_FILE, STUDY, path, value)


def corpus(path: str, value: object, **also: object) -> Change:
    def change(project: Project) -> str:
        project.write(CONFIG_FILE, {**CONFIG, "corpora": [CORPUS_FILE]})
        content = {"corpus": "own", **CORPUS, "reader": LINES, "files": FILES, **also}
        return changed(project, CORPUS_FILE, content, path, value)

    return change


def changed(project: Project, file: str, content: dict, path: str, value: object) -> str:
    """A file with the key at a path (parts separated by /) set; without a value, removed."""
    content = copy.deepcopy(content)
    *parents, last = path.split("/")
    place = content
    for part in parents:
        place = place[int(part)] if isinstance(place, list) else place.setdefault(part, {})
    if value is REMOVED:
        del place[last]
    else:
        place[last] = value
    project.write(file, content)
    return file


REMOVED = object()


def named_as_a_built_in(project: Project) -> str:
    project.write("more/toy.yaml", {"corpus": "toy", **CORPUS})
    project.write(CONFIG_FILE, {**CONFIG, "corpora": ["more/toy.yaml"]})
    return "more/toy.yaml"


def study_of_a_built_ins_name(project: Project) -> str:
    project.write("more/one.yaml", STUDY)
    project.write(CONFIG_FILE, {**CONFIG, "studies": ["more/one.yaml"]})
    return "more/one.yaml"


def folder_for_a_file(project: Project) -> str:
    (project.root / "own.yaml").mkdir()
    project.write(CONFIG_FILE, {**CONFIG, "corpora": ["own.yaml"]})
    return "own.yaml"


def a_missing_file(project: Project) -> str:
    project.write(CONFIG_FILE, {**CONFIG, "corpora": ["none.yaml"]})
    return "none.yaml"


def chain(length: int) -> dict:
    return {"s0": {}} | {f"s{n}": {"extends": f"s{n - 1}"} for n in range(1, length)}


TRAIN, DECODE, MODEL = "systems/sentence/train", "systems/sentence/decode", "systems/sentence/model"
CASES: dict[str, Change] = {
    # YAML
    "value in itself": text(CONFIG_FILE, "studies: &a [*a]\n"),
    "20,000 levels": text(CONFIG_FILE, "studies: " + "[" * 20_000 + "]" * 20_000),
    "aliases of aliases": text(CONFIG_FILE, BOMB),
    "tag of Python": text(CONFIG_FILE, "studies: !!python/object/apply:os.system [touch pwned]\n"),
    "tag of a number": text(CONFIG_FILE, "shards: !!int one\n"),
    "number to the base of 60": text(CONFIG_FILE, "shards: 1:30\n"),
    "day that is none": text(STUDY_FILE, "title: 2026-99-99\n"),
    "5,000 digits": text(CONFIG_FILE, f"shards: {'9' * 5000}\n"),
    "key given twice": text(CONFIG_FILE, "shards: 1\nshards: 2\n"),
    "undefined alias": text(CONFIG_FILE, "studies: *none\n"),
    "two documents": text(CONFIG_FILE, "a: 1\n---\nb: 2\n"),
    "NUL": text(CONFIG_FILE, b"studies: [o\0e]\n"),
    "not UTF-8": text(CONFIG_FILE, b"studies: [\xff\xfe]\n"),
    "a text at the top": text(STUDY_FILE, "nothing\n"),
    "an empty file": text(STUDY_FILE, ""),
    "a list for a key": text(CONFIG_FILE, "? [a]\n: 1\n"),
    "a folder for a file": folder_for_a_file,
    "a file that is not there": a_missing_file,
    # config.yaml
    "unknown key": config("scael", "smoke"),
    "unknown study": config("studies", ["onne"]),
    "unknown scale": config("scale", "smok"),
    "unknown device": config("device", "tpu"),
    "missing: what": config("missing", "ignore"),
    "corpus of a built-in's name": named_as_a_built_in,
    "study of a built-in's name": study_of_a_built_ins_name,
    "local of no corpus": config("local", {"toyy": "/data"}),
    "human of no study": config("human", {"two": "x.json"}),
    "negative seed": config("seeds", [-1]),
    "seed of 63 bits and one": config("seeds", [2**63]),
    "no seed": config("seeds", []),
    "a seed twice": config("seeds", [1, 1]),
    "a billion shards": config("shards", 10**9),
    "a budget below 0": config("device_hours", -1),
    "shards as text": config("shards", "8"),
    "downloads by nobody": config("downloads", "cloud"),
    "mirror of two lines": config("mirror", "a\nb"),
    "text with a command for a name": config("texts/a;touch pwned;b", {"bpe": "joint"}),
    "text of 300 characters": config(f"texts/{'x' * 300}", {"bpe": "joint"}),
    "one vocabulary of two BPEs": config("texts/joint/bpe", "separate"),
    "merges below 0": config("texts/joint/merges", -1),
    "a trillion merges": config("texts/joint/merges", 10**12),
    "learnt on no corpus": config("texts/joint/learnt_on", "toyy"),
    "pretrained path of a tab": config("texts/joint/pretrained", "a\tb"),
    "default of no architecture": config("defaults/model/rnn", {}),
    "default of a wrong type": config("defaults/train/lr", "fast"),
    "no defaults": config("defaults", REMOVED),
    "kind in defaults of an architecture": config("defaults/model/transformer/kind", "han"),
    "default view of no sentence": config("defaults/view", {"window": 0}),
    "stop words below 0": config("scoring/consistency/source_stop_words", -1),
    "similarity of nan": config("scoring/consistency/similarity", float("nan")),
    "language of no code": config("scoring/cohesion/models/english", "x"),
    "aligner without a model": config("scoring/aligner/kind", "awesome-align"),
    "comet with an empty command": config("scoring/comet/command", ""),
    "vectors of no dimensions": config("scoring/coherence/dimensions", 0),
    # Studies
    "extends 1,500 times": study("systems", chain(1500)),
    "extends in a circle": study("systems/sentence/extends", "fine.narrow"),
    "starts from itself": study("systems/sentence/init_from", "sentence"),
    "unknown ancestor": study("systems/document/extends", "sentense"),
    "system of two words": study("systems/my system", {}),
    "system of a number": text(STUDY_FILE, "study: one\ntitle: t\ncorpora: [toy]\nsystems: {1: {}}\n"),
    "study not like its file": study("study", "two"),
    "study of no corpus": study("corpora", ["toyy"]),
    "seeds of a system": study("systems/sentence/seeds", [-5]),
    "endless rate": study(f"{TRAIN}/lr", float("inf")),
    "rate beyond single precision": study(f"{TRAIN}/lr", 1e40),
    "rate of 0": study(f"{TRAIN}/lr", 0),
    "smoothing of 1": study(f"{TRAIN}/label_smoothing", 1.0),
    "updates beyond sense": study(f"{TRAIN}/max_updates", 10**15),
    "tokens beyond 64 bits": study(f"{TRAIN}/batch_tokens", 2**70),
    "no stop rule": study(TRAIN, {"max_updates": None, "patience": None}),
    "beam of 0": study(f"{DECODE}/beam", 0),
    "beam of a billion": study(f"{DECODE}/beam", 10**9),
    "more best than the beam": study(f"{DECODE}/n_best", 100),
    "engine of other models": study(f"{DECODE}/engine", "ctranslate2"),
    "endless length": study(f"{DECODE}/max_length_a", float("inf")),
    "width of a trillion": study(f"{MODEL}/width", 10**12),
    "heads that do not divide": study(f"{MODEL}/heads", 7),
    "a million layers": study(f"{MODEL}/encoder_layers", 10**6),
    "architecture of a list": study(f"{MODEL}/kind", ["han"]),
    "window of a billion": study("systems/sentence/view", {"window": 10**9}),
    "two cuts": study("systems/sentence/view", {"window": 1, "max_tokens": 5}),
    "unknown text": study("systems/sentence/text", "jont"),
    "shared embeddings of separate pieces": study("systems/sentence/text", "separate"),
    "another width than what it starts from": study("systems/fine/model", {"width": 128}),
    "table of no system": study("tables/t", {**TABLE, "rows": [{"system": "sentense"}]}),
    "table of no metric": study("tables/t", {**TABLE, "metrics": ["BLUE"]}),
    "table called index": study("tables/index", TABLE),
    "published value of nan": study(
        "tables/t", {**TABLE, "rows": [{"system": "sentence", "published": {"toy": {"s-BLEU": float("nan")}}}]}
    ),
    "unknown kind of figure": study("figures/f", {"kind": "pie", "corpus": "toy", "title": "F"}),
    # Corpora
    "corpus with a command for a name": corpus("corpus", "a;touch pwned;b"),
    "corpus not like its file": corpus("corpus", "another"),
    "corpus of a fixture's name": corpus("corpus", "own@smoke"),
    "language of four letters": corpus("source_language", "chin"),
    "no licence": corpus("licence", REMOVED),
    "unknown reader": corpus("reader/kind", "docx"),
    "path that leads up": corpus("reader/splits/train/source", "../../etc/passwd"),
    "archive that is no file of it": corpus("reader/archive", "c.tgz"),
    "unknown split": corpus("reader/splits/valid", {"source": "a", "target": "b"}),
    "path with a strange brace": corpus(
        "reader", {"kind": "iwslt_tags", "splits": {"train": "{language}{0.__class__}"}}
    ),
    "file in a folder": corpus("files/0/name", "a/b"),
    "file like an option": corpus("files/0/name", "-rf"),
    "file of a line's end": corpus("files/0/name", "a\nb"),
    "file twice": corpus("files/1/name", "a"),
    "short checksum": corpus("files/0/sha256", "abc"),
    "negative size": corpus("files/0/size", -1),
    "expected of no split": corpus("expected", {"tests": {"documents": 1, "sentences": 1}}),
    "toy of no documents": corpus("reader", {"kind": "toy", "train_documents": 0}, files=[]),
}
SOME = ("aliases of aliases", "extends 1,500 times", "corpus with a command for a name")


def broken(tmp_path, case: str) -> tuple[Project, str]:
    project = small_project(tmp_path / "project")
    return project, CASES[case](project)


@pytest.mark.parametrize("case", CASES)
def test_refused(tmp_path, case):
    project, file = broken(tmp_path, case)
    with pytest.raises(UserError) as raised:
        load_grid(project.root)
    problem = raised.value
    assert problem.where and file in problem.where, "no place"
    assert problem.expected or problem.remedy, f"nothing says what to do: {problem}"
    assert str(problem).isprintable() or len(str(problem).splitlines()) <= 3
    assert len(str(problem)) < 1500


@pytest.mark.parametrize("case", SOME)
def test_a_command_says_so(tmp_path, case):
    """By a real command: status 2, one message, no trace, nothing run."""
    project, file = broken(tmp_path, case)
    done = run(["docmt", "list-systems"], cwd=project.root)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("docmt: ") and done.stderr.count("docmt: ") == 1 and file in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project.root / "pwned").exists() and not (project.root / "results").exists()
