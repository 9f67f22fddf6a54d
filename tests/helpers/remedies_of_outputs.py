"""Remedies of outputs that are missing, changed or of something else, carried out: snakemake makes them again."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from helpers.command_line import succeed
from helpers.plans import planner_of
from helpers.recipes import write_recipe
from helpers.remedies import Action, Situation, carried, refused
from helpers.remedies_of_plans import Room
from helpers.small_corpus import write_corpus
from helpers.support import small_demo

from docmt.base.artifacts import atomic_file
from docmt.base.asked import Asked, read_asked
from docmt.base.columns import SEGMENT_CHAINS, SEGMENTS
from docmt.base.digests import sha256_file
from docmt.base.manifest import MANIFEST, SETTINGS, check_file, read_manifest
from docmt.base.sealing import open_seal, sealing
from docmt.base.tables import read_arrow, read_chains, write_arrow
from docmt.catalogue.corpus import MostShared
from docmt.chains.documents import WordsSettings, build_words
from docmt.corpus import unpack as unpacking
from docmt.corpus.inputs import Problems
from docmt.corpus.leaks import Shared, SharedCount, check_shared
from docmt.grid.main_config import load_main_config
from docmt.plan.driver import freeze_grid, plan_run, prepare, read_frozen_grid
from docmt.plan.jobs import Job
from docmt.provenance.artifacts import finished_run
from docmt.provenance.comparing import check_first_run
from docmt.provenance.outputs import Outputs
from docmt.provenance.remaking import prepare_folder
from docmt.settings.data import CutConfig, TextConfig, ViewConfig
from docmt.text.pipeline import TokensSettings
from docmt.text.process import process_corpus
from docmt.training.task import check_pieces
from docmt.views.build import ViewsSettings, build_view

CORPUS = Job.of("corpus", corpus="toy")
FOLDER = Path("results/1_corpus/toy")
AGAIN = "run snakemake again, which makes it again"


def snakemake(room: Room) -> set[Job]:
    """Do what a run does for the corpus: plan it, write its settings, and make its outputs; the jobs that it runs."""
    room.monkeypatch.chdir(room.project.root)
    planner = planner_of(Path())
    plan = plan_run(planner, [f"{FOLDER}/card.json"], lambda job: False, is_dry=False)
    prepare(planner, plan, [*plan.reasons])
    if CORPUS in plan.reasons:
        with sealing(FOLDER / SETTINGS, "corpus", FOLDER) as seal:
            with atomic_file(FOLDER / "card.json") as stream:
                stream.write("{}")
            seal.close()
    return {*plan.reasons}


def remade(damaged: str, change: Callable[[Path], object], read: Action, is_deleted: bool = True) -> Situation:
    """The file of a job is changed; the remedy is to delete it, if so, and to run snakemake."""

    def situation(room: Room) -> tuple[Action, Action]:
        assert snakemake(room) == {CORPUS} and snakemake(room) == set()
        change(FOLDER / damaged)

        def again() -> None:
            if is_deleted:
                (FOLDER / damaged).unlink()
            assert snakemake(room) == {CORPUS}
            read()

        return read, again

    return situation


def spoil(path: Path) -> None:
    path.write_text("{")


DELETE = "delete the file and run snakemake again, which makes it again"
carried("base/manifest.py", DELETE)(remade(MANIFEST, spoil, lambda: read_manifest(FOLDER / MANIFEST)))
carried("base/manifest.py", f"{DELETE} (docmt job {{}})")(
    remade("card.json", spoil, lambda: check_file(FOLDER / "card.json"))
)
carried("base/manifest.py", "run snakemake again, which makes the files again")(
    remade(MANIFEST, Path.unlink, lambda: read_manifest(FOLDER / MANIFEST), is_deleted=False)
)


@carried("provenance/outputs.py", AGAIN)
def an_output_that_is_missing(room: Room):
    check = lambda: Outputs._check(FOLDER / "card.json")  # noqa: E731
    return remade("card.json", Path.unlink, check, is_deleted=False)(room)


@carried(
    "base/asked.py",
    "settings come from config.yaml and the studies: change them there, delete this file, and run snakemake, which "
    "writes it again",
)
def settings_that_were_changed(room: Room):
    snakemake(room)
    path = FOLDER / SETTINGS
    path.write_text(path.read_text().replace("toy", "tOy"))

    def deleted():
        path.unlink()
        snakemake(room)
        read_asked(path)

    return lambda: read_asked(path), deleted


@carried("base/sealing.py", f"{AGAIN} (docmt job {{}})")
def an_input_of_other_settings(room: Room):
    snakemake(room)
    room.edited("most_shared", {"pairs": 0.5}, "workflow/corpora/toy.yaml")
    wanted = planner_of(Path()).identities.identity(CORPUS)

    def again():
        assert snakemake(room) == {CORPUS}
        check_job(room, inputs={"corpus": wanted})

    return lambda: check_job(room, inputs={"corpus": wanted}), again


def check_job(room: Room, inputs: dict | None = None, files: dict | None = None) -> None:
    """What a job does that reads the corpus and a file, before its work."""
    path = room.folder / "job" / SETTINGS
    path.parent.mkdir(exist_ok=True)
    path.write_text(Asked("tokens", {}, inputs=inputs or {}, files=files or {}).text())
    with open_seal(path, "encode-text", path.parent) as seal:
        seal.check_inputs({"corpus": FOLDER} if inputs else {})
        seal.check_files({"model": room.folder / "model.bin"} if files else {})


@carried("base/sealing.py", "run snakemake again, which plans with the present file")
def a_file_that_changed(room: Room):
    path = room.folder / "model.bin"
    path.write_text("new")

    def planned_again():
        check_job(room, files={"model": sha256_file(path)})

    return lambda: check_job(room, files={"model": "0" * 64}), planned_again


def end_and_start(read: Callable[[Path], object], write: Callable[[Room, Path], object]) -> Situation:
    def situation(room: Room):
        path = room.folder / "frozen.json"
        write(room, path)
        path.write_text(path.read_text().replace("toy", "tOy", 1))

        def started_again():
            write(room, path)
            read(path)

        return lambda: read(path), started_again

    return situation


carried("plan/driver.py", "end this run of snakemake and start it again; it writes the file at its start")(
    end_and_start(read_frozen_grid, lambda room, path: freeze_grid(room.grid(), path))
)


@carried("provenance/artifacts.py", "run `{}` first")
def a_target_that_is_not_finished(room: Room):
    room.monkeypatch.chdir(room.project.root)
    finished = lambda: finished_run(planner_of(Path()), f"{FOLDER}/card.json", "snakemake")  # noqa: E731

    def run_of_it():
        assert f"{FOLDER}" in str(refused(finished)) and snakemake(room) == {CORPUS}
        finished()

    return finished, run_of_it


@carried("provenance/comparing.py", "make the target with snakemake first, or name a crate of it with --crate")
def a_first_run_without_the_target(room: Room):
    room.monkeypatch.chdir(room.project.root)
    check = lambda first: check_first_run([CORPUS], first)  # noqa: E731

    def run_of_it():
        snakemake(room)
        check(Path())

    def crate():
        check(room.project.root)  # a crate has the files of a run under their paths

    return lambda: check(Path()), run_of_it, crate


@carried("provenance/remaking.py", "name a new --folder, or remove this one")
def a_folder_with_other_files(room: Room):
    config, _ = load_main_config(room.project.root, {})
    (room.folder / "old").mkdir()
    (room.folder / "old/notes").touch()
    (room.project.root / "Snakefile").touch()
    prepare = lambda name: prepare_folder(room.project.root, room.folder / name, config, {"target": "t"})  # noqa: E731

    def removed():
        (room.folder / "old/notes").unlink()
        (room.folder / "old").rmdir()
        prepare("old")

    return lambda: prepare("old"), lambda: prepare("new"), removed


@carried(
    "corpus/leaks.py", "take them out of {} or {}, or raise most_shared.{} in the corpus' file (1 = all may be shared)"
)
def splits_that_share_documents(room: Room):
    def check(most: float = 0.0, count: int = 1):
        none, some = SharedCount(0, 9, 0.0), SharedCount(count, 9, count / 9)
        shared = Shared("dev", "train", documents=some, pairs=none, sources=none, example=("a", "b"))
        check_shared([shared], MostShared(documents=most), "mine", Problems())

    return check, lambda: check(count=0), lambda: check(most=1.0)


@carried("corpus/unpack.py", "if this is the right archive, allow more: set DOCMT_UNPACK_LIMIT_GB")
def a_large_archive(room: Room):
    room.monkeypatch.setattr(unpacking, "SMALL_GB", 1e-6)
    with zipfile.ZipFile(room.folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("text", "x" * 300_000)

    def allowed():
        room.monkeypatch.setenv(unpacking.LIMIT, "0.001")
        unpacking.unpack(room.folder / "a.zip", room.folder / "out")

    return lambda: unpacking.unpack(room.folder / "a.zip", room.folder / "out"), allowed


@carried("training/task.py", "give the system a text with pretrained: {}")
def pieces_of_another_text(room: Room):
    for name in ("text", "bert"):
        (room.folder / name).mkdir()
    (room.folder / "bert/tokenizer.json").write_text("{}")
    check = lambda: check_pieces(room.folder / "text", room.folder / "bert")  # noqa: E731

    def of_checkpoint():
        (room.folder / "text/tokenizer.json").write_text("{}")
        check()

    return check, of_checkpoint


@carried("cli/export.py", "`snakemake {}/card.json` makes it, with the --config of your run")
def a_corpus_that_was_not_read(room: Room):
    project = small_demo(room.folder / "demo")
    export = lambda: succeed("export-corpus", "toy_zh-en", "--output", room.folder / "out", "--root", project.root)  # noqa: E731

    def run_of_it():
        program, *words = str(refused(export).remedy).split("`")[1].split()
        assert program == "snakemake"
        project.snakemake("--cores", "1", *words, check=True)
        export()

    return export, run_of_it


def of_chains(members: list[int], too_few: int) -> Situation:
    """Chains do not fit the segments of a view; the remedy is the job that makes them."""

    def situation(room: Room):
        cut, folders = CutConfig(max_sentences=9), {n: room.folder / n for n in ("tokens", "words", "view", "output")}
        corpus, text = write_corpus(room.folder / "corpus"), TextConfig(bpe="joint", merges=3)
        process_corpus(TokensSettings(1, "small", "zh", "en", text), corpus, folders["tokens"])
        build_words(WordsSettings(1, 2), folders["tokens"], folders["words"])
        build_view(ViewsSettings(1, ViewConfig(cut, cut)), folders["tokens"], folders["view"])
        chains, segments = folders["output"] / "train.arrow", read_arrow(folders["view"] / "train.arrow", SEGMENTS)
        rows = [{"members": members, "lengths": [len(members)]}] * (len(segments) - too_few)
        write_arrow(chains, pa.Table.from_pylist(rows, SEGMENT_CHAINS))

        def again():
            room.monkeypatch.chdir(room.folder)
            output, inputs = folders["output"], {name: path for name, path in folders.items() if name != "output"}
            settings = {"version": 1, "view": {"max_sentences": 9}}
            succeed(*write_recipe(output, "chain_segments", settings, inputs))
            read_chains(chains, segments)

        return lambda: read_chains(chains, segments), again

    return situation


CHAINS = "make the chains of this view again (docmt job chain_segments)"
carried("base/columns.py", CHAINS)(of_chains([0, 10**6], 0))
carried("base/tables.py", CHAINS)(of_chains([0, 1], 1))
