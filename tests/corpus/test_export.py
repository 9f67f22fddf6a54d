"""Exports say what the corpus says: read back they are the corpus, line by line they fit the translations."""

import json
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from helpers.command_line import output as printed
from helpers.plans import plan_of
from helpers.planted import at
from helpers.score_files import printed_scores, scores_in
from helpers.sealed import rewrite, write_manifest
from helpers.small_grid import CONFIG, small_project
from helpers.support import Project

from docmt.base.columns import CONTRASTIVE, DOCUMENTS
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST
from docmt.base.parse import parse
from docmt.base.recipe import JOB
from docmt.base.tables import read_parquet, write_parquet
from docmt.catalogue.corpus import CorpusSettings
from docmt.corpus.export.forms import export
from docmt.corpus.export.reading import ExportedCorpus
from docmt.corpus.opening import read_sets
from docmt.corpus.read import read_corpus
from docmt.plan.plan import Job
from docmt.text.pipeline import TokensSettings
from docmt.text.process import process_corpus

PAIRS = {
    "train": [("a b", "你好。", "Hello."), ("a b", "再见。", 'He said "bye".'), ("c|d", "好。", "Fine | good.")],
    "dev": [("a b", "你好。", "Hello.")],
    "test": [("x", "你好。", "Hello."), ("x", "好。", "Fine."), ("y", "再见。", "Bye.")],
}
FURTHER = {1: ["Good.", "Great."], 2: ["Farewell."]}
"""The further references of the sentences of test, by their numbers."""
LICENCE = 'Mine: "all\'s" #1\n  ```rights``` reserved'
ITEM = {"distance": 1, "source": ["小明在家。", "他笑了。"], "target_context": ["Ming is at home."], "correct": 1}
ITEMS = [
    {**ITEM, "set": name, "item": number, "variants": ["She laughed.", f"He laughed at {number}."]}
    for number, name in enumerate(("gender/he", "gender/she", "word"))
]
SETTINGS = {
    "version": 1,
    "corpus": "toy",
    "source_language": "zh",
    "target_language": "en",
    "licence": LICENCE,
    "citation": "@misc{me,\n  title = {Text}}",
    "files": [],
    "expected": {},
    "most_shared": {"pairs": 1, "documents": 1},
}


def settings(files: list[str], reader: dict) -> CorpusSettings:
    value = {**SETTINGS, "files": [{"name": name} for name in files], "reader": {"kind": "table"} | reader}
    return parse(CorpusSettings, value, "settings.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder of stage 1 with three splits, several references and contrastive items."""
    root = tmp_path_factory.mktemp("stages")
    for split, pairs in PAIRS.items():
        rows = [dict(zip(("document", "source", "target"), pair, strict=True)) for pair in pairs]
        for number, further in FURTHER.items() if split == "test" else ():
            rows[number] |= {f"r{place}": text for place, text in enumerate(further)}
        (root / f"{split}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    files = {split: f"{split}.jsonl" for split in PAIRS}
    reader = {"splits": files, "references": ["r0", "r1"]}
    read_corpus(settings([*files.values()], reader), root, root / "corpus")
    write_parquet(root / "corpus/contrastive.parquet", pa.Table.from_pylist(ITEMS, CONTRASTIVE))
    card = json.loads((root / "corpus/card.json").read_text(encoding="utf-8"))
    (root / "corpus/card.json").write_text(json.dumps({**card, "contrastive": {"gender/he": {"1": 1}}}))
    return root / "corpus"


@pytest.fixture(scope="module")
def tokens(folder) -> Path:
    value = {"version": 1, "corpus": "toy", "source_language": "zh", "target_language": "en"}
    text = {"bpe": "separate", "vocabulary": "separate", "merges": 5, "case": "lower"}
    output = folder.parent / "lower"
    process_corpus(parse(TokensSettings, {**value, "text": text}, "settings.json"), folder, output)
    return output


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def files_of(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def documents_again(place: Path, reader: dict) -> pa.Table:
    """The documents that stage 1 makes of the tables of an export."""
    read_corpus(settings([*reader["splits"].values()], reader), place, place / "again")
    return read_parquet(place / "again/documents.parquet", DOCUMENTS)


def test_tables_read_back_are_the_corpus(folder, tokens, tmp_path):
    before = read_parquet(folder / "documents.parquet", DOCUMENTS)
    export(ExportedCorpus(folder, tokens), "parquet", "about", tmp_path / "out")
    reader = {"splits": {split: f"{split}.parquet" for split in PAIRS}, "references": ["reference_2", "reference_3"]}
    assert documents_again(tmp_path / "out", reader).equals(before)


def test_a_data_set_of_the_hub_read_back_by_its_card_is_the_corpus(folder, tmp_path):
    before = read_parquet(folder / "documents.parquet", DOCUMENTS)
    export(ExportedCorpus(folder), "hub", "about", tmp_path / "out")
    stated = (tmp_path / "out/README.md").read_text(encoding="utf-8").split("```yaml\n")[1].split("```")[0]
    assert documents_again(tmp_path / "out/data", yaml.safe_load(stated)["reader"]).equals(before)


TWO, OTHERS = ("source{}.zh", "reference{}.en"), ("reference.2{}.en", "reference.3{}.en")
"""The names of files with the text and, in the place of the braces, the mark of tokens."""


def test_a_line_is_a_sentence(folder, tokens, tmp_path):
    export(ExportedCorpus(folder, tokens), "files", "about", tmp_path / "out")
    for split, pairs in PAIRS.items():
        place, sides = tmp_path / "out" / split, (*TWO, *OTHERS) if split == "test" else TWO
        assert files_of(place) == {"documents.txt", *(name.format(kind) for name in sides for kind in ("", ".tok"))}
        columns = [lines(place / name) for name in ("documents.txt", "source.zh", "reference.en")]
        assert list(zip(*columns, strict=True)) == pairs
        assert {len(lines(place / name)) for name in files_of(place)} == {len(pairs)}
    test = tmp_path / "out/test"
    assert lines(test / "reference.2.en") == ["", "Good.", "Farewell."]
    assert lines(test / "reference.3.en") == ["", "Great.", ""]
    assert lines(test / "reference.2.tok.en") == ["", "good .", "farewell ."]
    assert lines(test / "source.tok.zh")[0] == "你好 。" and lines(test / "reference.tok.en")[2] == "bye ."


def test_contrastive_items_read_back_are_the_items(folder, tmp_path):
    corpus = ExportedCorpus(folder)
    for form in ("files", "parquet"):
        export(corpus, form, "about", tmp_path / form)
        items = read_sets([tmp_path / form / "contrastive.tsv"], "contrastive_table", {}, ("zh", "en"), lambda *_: None)
        names = ("distance", "source", "target_context", "variants", "correct")
        assert [[getattr(item, name) for name in names] for item in items] == [
            [getattr(item, name) for name in names] for item in corpus.items
        ]
        assert [item.set for item in items] == [f"contrastive/{item.set}" for item in corpus.items]
    export(corpus, "hub", "about", tmp_path / "hub")
    written = pq.read_table(tmp_path / "hub/data/contrastive-00000-of-00001.parquet")
    assert written.equals(read_parquet(folder / "contrastive.parquet", CONTRASTIVE))


def test_the_card_of_the_hub_says_what_the_corpus_says(folder, tokens, tmp_path):
    export(ExportedCorpus(folder, tokens), "hub", 'Text "of\nmine".', tmp_path / "out")
    head, text = (tmp_path / "out/README.md").read_text(encoding="utf-8").removeprefix("---\n").split("---\n", 1)
    fields = yaml.safe_load(head)
    assert (fields["license"], fields["license_details"]) == ("other", LICENCE)
    assert (fields["language"], fields["task_categories"]) == (["zh", "en"], ["translation"])
    for config, info in zip(fields["configs"], fields["dataset_info"], strict=True):
        assert config["config_name"] == info["config_name"]
        for files, split in zip(config["data_files"], info["splits"], strict=True):
            table = pq.read_table(tmp_path / "out" / files["path"])
            assert (files["split"], len(table)) == (split["name"], split["num_examples"])
            assert table.schema.names == [feature["name"] for feature in info["features"]]
            assert [str(kind) for kind in table.schema.types] == [
                feature.get("dtype") or f"list<element: {feature['sequence']}>" for feature in info["features"]
            ]
    assert [split["name"] for split in fields["dataset_info"][0]["splits"]] == ["train", "validation", "test"]
    assert f"````text\n{LICENCE}\n````" in text and f"```text\n{SETTINGS['citation']}\n```" in text
    assert 'Text "of mine".' in text and "read the licence before" in text and "| validation | 1 | 1 | 3 | 6 |" in text
    assert files_of(tmp_path / "out") == {
        "README.md",
        *chain(f["path"] for config in fields["configs"] for f in config["data_files"]),
    }


def refusal(corpus: ExportedCorpus, output: Path, form: str = "files") -> str:
    before = set(output.parent.iterdir())
    with pytest.raises(UserError) as problem:
        export(corpus, form, "about", output)
    assert set(output.parent.iterdir()) == before, "nothing is left behind"
    return str(problem.value)


def test_an_output_with_files_is_refused(folder, tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path / "out")
    assert "out: the output is there already" in refusal(ExportedCorpus(folder), tmp_path / "out")
    monkeypatch.chdir(tmp_path)
    export(ExportedCorpus(folder), "files", "about", tmp_path / "out")
    message = refusal(ExportedCorpus(folder), tmp_path / "out")
    assert message == f"{tmp_path}/out: the output is there already\n  name a new folder, or remove this one"


def copy_with(folder: Path, output: Path, **columns: list) -> Path:
    """A copy of a folder of stage 1 with other values in some columns."""
    table = read_parquet(folder / "documents.parquet", DOCUMENTS)
    rows = [{**row, **{name: texts[n] for name, texts in columns.items()}} for n, row in enumerate(table.to_pylist())]
    write_parquet(output / "documents.parquet", pa.Table.from_pylist(rows, DOCUMENTS))
    for name in ("card.json", "contrastive.parquet"):
        (output / name).write_bytes((folder / name).read_bytes())
    return output


def test_a_changed_file_is_refused(folder, tmp_path):
    other = copy_with(folder, tmp_path / "other")
    write_manifest(other, "documents.parquet", "card.json", "contrastive.parquet")
    rewrite(other / "card.json", (other / "card.json").read_bytes() + b" ")
    assert "card.json: the file differs from its manifest" in refusal(ExportedCorpus(other), tmp_path / "out")


@pytest.fixture
def run(folder, tokens, tmp_path) -> Project:
    """A small project whose results have the corpus and two texts."""
    project = small_project(tmp_path / "project")
    target = copy_with(folder, folder_of_job(project, "corpus"))
    write_manifest(target, "documents.parquet", "card.json", "contrastive.parquet")
    for name in CONFIG["texts"]:
        place = folder_of_job(project, "tokens", text=name)
        place.mkdir(parents=True)
        (place / JOB).touch()
        for file in ("tokens.arrow", "references.arrow"):
            (place / file).write_bytes((tokens / file).read_bytes())
        write_manifest(place, "tokens.arrow", "references.arrow")
    return project


def folder_of_job(project: Project, step: str, **names: str) -> Path:
    """The folder of a job of the corpus."""
    return project.root / plan_of(project.root).recipe(Job.of(step, corpus="toy", **names)).folder


def call(project: Project, *options: str) -> dict:
    out = ("--output", project.root / "out", "--root", project.root)
    return json.loads(printed("export-corpus", "toy", *out, *options, "--json"))


def unfinished(project: Project, step: str, **names: str) -> None:
    (folder_of_job(project, step, **names) / MANIFEST).unlink()


def test_the_tokens_are_those_of_the_text_that_is_named_or_of_the_only_one(run, tmp_path):
    with pytest.raises(UserError) as problem:
        call(run)
    assert str(problem.value) == (
        "toy: the corpus has tokens of several texts\n  found joint, separate\n  name one of them with --text"
    )
    assert call(run, "--output", str(tmp_path / "named"), "--text", "joint")["text"] == "joint"
    unfinished(run, "tokens", text="joint")
    assert call(run)["text"] == "separate"
    unfinished(run, "tokens", text="separate")
    without = call(run, "--output", str(tmp_path / "none"))
    assert without["text"] is None and not [name for name in without["files"] if ".tok" in name]


@pytest.mark.parametrize(
    ("lost", "options", "message"),
    [
        ({"step": "corpus"}, (), "/manifest.json` makes it, with the --config of your run"),
        ({"step": "tokens", "text": "joint"}, ("--text", "joint"), "snakemake has not made this folder yet"),
        ({"step": "tokens", "text": "joint"}, ("--text", "join"), "--text: unknown text\n  found join\n  did you mean"),
    ],
    ids=["no corpus", "no tokens", "no text"],
)
def test_what_no_stage_has_made_is_refused(run, lost, options, message):
    unfinished(run, **lost)
    with pytest.raises(UserError) as problem:
        call(run, *options)
    assert message in str(problem.value) and not (run.root / "out").exists()


def test_files_of_an_export_score_as_the_workflow_scores(finished_demo, tmp_path):
    """BLEU, LTCR and accuracies of the demo are those of the files and commands of the pages on files and scores."""
    root, out = finished_demo.root, tmp_path / "exported"
    record = json.loads(printed("export-corpus", "toy_zh-en", "--root", root, "--output", out, "--json"))
    assert record["is_open"] and record["text"] == "truecase_separate4k"
    system = root / at(finished_demo, "6_translations/toy_zh-en/han/seed1")
    scores = scores_in(root / at(finished_demo, "7_scores/toy_zh-en/han/seed1"))
    documents = ("--documents", out / "test/documents.txt", "--json")
    files = ("--hypotheses", system / "test.txt", "--reference", out / "test/reference.en")
    found = printed_scores(printed("score", *files, *documents))
    training = ("--train-source", out / "train/source.tok.zh", "--train-target", out / "train/reference.tok.en")
    rules = [part for side in ("source", "target") for part in ("--rule", f"{side}_stop_words=30")]
    files = ("--source", out / "test/source.tok.zh", "--hypotheses", system / "test.tok.txt")
    found += printed_scores(printed("score-consistency", *files, *training, *rules, *documents))
    model = root / "results/5_training/toy_zh-en/han/seed1"
    found += printed_scores(printed("score-contrastive", "--model", model, out / "contrastive.tsv", "--json"))
    # The file is one set, whose parts are the sets of the corpus.
    found = {score.name.replace("contrastive/", "").replace(":contrastive", ""): score for score in found}
    assert {"s-BLEU", "d-BLEU", "LTCR", "HHI", "accuracy", "accuracy@2", "accuracy:word@2"} <= found.keys()
    for name, score in found.items():
        assert (score.value, score.n, score.facts) == (scores[name].value, scores[name].n, scores[name].facts), name
