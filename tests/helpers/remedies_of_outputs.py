"""Remedies of outputs that are missing, changed or of something else, carried out: snakemake makes them again."""

import re
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
from helpers.command_line import succeed
from helpers.finished import finish_targets
from helpers.recipes import write_recipe
from helpers.remedies import Action, Situation, carried, refused
from helpers.remedies_of_plans import Room, a_run
from helpers.small_corpus import write_corpus
from helpers.stored import new_store
from helpers.support import small_demo

from docmt.base.artifacts import atomic_file
from docmt.base.columns import SEGMENT_CHAINS, SEGMENTS
from docmt.base.digests import sha256_file
from docmt.base.manifest import MANIFEST, check_file, read_manifest
from docmt.base.recipe import JOB, Recipe, StatedFile, read_recipe
from docmt.base.recipe import REMEDY as RECIPE_AGAIN
from docmt.base.sealing import open_seal, sealing
from docmt.base.tables import read_arrow, read_chains, write_arrow
from docmt.catalogue.corpus import MostShared
from docmt.chains.documents import WordsSettings, build_words
from docmt.corpus import unpack as unpacking
from docmt.corpus.inputs import Problems
from docmt.corpus.leaks import Shared, SharedCount, check_shared
from docmt.plan.plan import Job, Plan
from docmt.plan.stored import stored_for
from docmt.provenance.artifacts import finished_run
from docmt.provenance.comparing import check_first_run
from docmt.provenance.outputs import check_output_file
from docmt.provenance.remaking import prepare_folder
from docmt.settings.data import CutConfig, TextConfig, ViewConfig
from docmt.steps import get_step, read_job
from docmt.store.exchange import fetch
from docmt.text.pipeline import TokensSettings
from docmt.text.process import process_corpus
from docmt.training.task import check_pieces
from docmt.views.build import ViewsSettings, build_view

CORPUS = Job.of("corpus", corpus="toy")


def folder_in(room: Room) -> Path:
    """The folder of the corpus, relative to the project, in which the situation then is."""
    room.monkeypatch.chdir(room.project.root)
    return Plan(room.grid()).recipe(CORPUS).folder


def snakemake(room: Room) -> set[Job]:
    """Do what a run does for the corpus: plan it, write its recipe, and make its outputs; the jobs that it runs."""
    run = a_run(room, f"{folder_in(room)}/{MANIFEST}", is_dry=False)
    run.write_recipes()
    for job in run.to_run:
        recipe = run.plan.recipe(job)
        with sealing(recipe), atomic_file(recipe.folder / "card.json") as stream:
            stream.write("{}")
    return {*run.to_run}


def remade(damaged: str, change: Callable[[Path], object], read: Callable[[Path], object]) -> Situation:
    """The file of a job is changed; the remedy is to delete what it names, if so, and to run snakemake."""

    def situation(room: Room) -> tuple[Action, Action]:
        assert snakemake(room) == {CORPUS} and snakemake(room) == set()
        path = folder_in(room).absolute() / damaged
        change(path)

        def again() -> None:
            deleted = re.search(r"delete (\S+) and run snakemake", str(refused(lambda: read(path)).remedy))
            if deleted:
                Path(deleted[1]).unlink()
            assert snakemake(room) == {CORPUS}
            read(path)

        return lambda: read(path), again

    return situation


def spoil(path: Path) -> None:
    path.write_text("{")


AGAIN = "run snakemake again, which makes the files again"
carried("base/manifest.py", f"delete {{}} and {AGAIN}")(remade(MANIFEST, spoil, read_manifest))
carried("base/manifest.py", f"delete {{}} and {AGAIN} (step {{}})")(remade("card.json", spoil, check_file))
carried("base/manifest.py", AGAIN)(remade(MANIFEST, Path.unlink, read_manifest))


@carried("base/recipe.py", RECIPE_AGAIN)
def a_recipe_that_was_changed(room: Room):
    """Also that of finished outputs, which are not made again."""
    snakemake(room)
    folder = folder_in(room)
    path, read = folder / JOB, lambda: read_recipe(folder)
    path.write_text(path.read_text().replace("toy", "tOy"))

    def deleted():
        path.unlink()
        assert snakemake(room) == set()
        read()

    return read, deleted


@carried("steps/__init__.py", "run snakemake again, which writes a new one")
def the_recipe_of_another_version(room: Room):
    """As when jobs wait and somebody pulls another docmt."""
    version = get_step("corpus").version
    old = replace(Plan(room.grid()).recipe(CORPUS), version=version - 1)
    room.monkeypatch.chdir(room.project.root)
    old.write()

    def again():
        assert snakemake(room) == {CORPUS}
        read_job(folder_in(room))

    return lambda: read_job(old.folder), again


@carried("base/sealing.py", "remove the folder {}, and run snakemake again")
def an_input_of_another_identity(room: Room):
    """As after a folder was renamed by hand."""
    snakemake(room)
    folder = folder_in(room)
    other = folder.rename(folder.with_name("0" * 10))
    tokens = Recipe("tokens", 1, {}, room.folder / "tokens", {"corpus": folder})
    folder.mkdir()
    (other / MANIFEST).rename(folder / MANIFEST)
    room.edited("most_shared", {"pairs": 0.5}, "workflow/corpora/toy.yaml")
    wanted = folder_in(room)
    folder.rename(wanted)

    def read():
        with open_seal(replace(tokens, inputs={"corpus": wanted})):
            pass

    def removed():
        named = re.search(r"remove the folder (\S+), and", str(refused(read).remedy))[1]
        shutil.rmtree(named)
        assert snakemake(room) == {CORPUS}
        read()

    return read, removed


@carried("base/sealing.py", "run snakemake again, which plans with the present file")
def a_file_that_changed(room: Room):
    path = room.folder / "model.bin"
    path.write_text("new")

    def job(digest: str) -> None:
        with open_seal(Recipe("tokens", 1, {}, room.folder / "job", files={"model": StatedFile(str(path), digest)})):
            pass

    return lambda: job("0" * 64), lambda: job(sha256_file(path))


@carried("store/exchange.py", "run snakemake again")
def an_entry_that_is_gone(room: Room):
    """Somebody has removed it from the store since the run was planned; the next plan does without it."""
    store, plan = new_store(room.folder / "store"), Plan(room.grid())
    recipe = plan.recipe(CORPUS)
    room.monkeypatch.chdir(room.project.root)
    recipe.write()

    def again():
        assert stored_for(Plan(room.grid(store=str(room.folder / "store"))), [CORPUS]).entries == {}
        assert snakemake(room) == {CORPUS}

    return lambda: fetch(recipe, lambda name: True, store), again


@carried("provenance/outputs.py", "delete the manifest.json of its job and run snakemake again, which makes it again")
def an_output_that_is_missing(room: Room):
    snakemake(room)
    path = folder_in(room) / "card.json"
    path.unlink()

    def again():
        path.with_name(MANIFEST).unlink()
        assert snakemake(room) == {CORPUS}
        check_output_file(path)

    return lambda: check_output_file(path), again


@carried("provenance/artifacts.py", "run `snakemake --cores all {}{}` first")
def a_target_that_is_not_finished(room: Room):
    place = folder_in(room).parent
    finished = lambda: finished_run(Plan(room.grid()), str(place), "")  # noqa: E731

    def run_of_it():
        command = str(refused(finished).remedy).split("`")[1]
        assert command == f"snakemake --cores all {folder_in(room)}/{MANIFEST}" and snakemake(room) == {CORPUS}
        finished()

    return finished, run_of_it


@carried("provenance/comparing.py", "make the target with snakemake first, or name a crate of it with --crate")
def a_first_run_without_the_target(room: Room):
    folder = folder_in(room)
    check = lambda first: check_first_run([str(folder)], first)  # noqa: E731

    def run_of_it():
        snakemake(room)
        check(Path())

    def crate():
        check(room.project.root)  # a crate has the files of a run under their paths

    return lambda: check(Path()), run_of_it, crate


@carried("provenance/remaking.py", "name a new --folder, or remove this one")
def a_folder_with_other_files(room: Room):
    (room.folder / "old").mkdir()
    (room.folder / "old/notes").touch()
    prepare = lambda name: prepare_folder(room.folder / name, {}, {"target": "t"})  # noqa: E731

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


@carried("cli/export.py", "`snakemake {}/manifest.json` makes it, with the --config of your run")
def a_corpus_that_was_not_read(room: Room):
    project = small_demo(room.folder / "demo")
    export = lambda: succeed("export-corpus", "toy_zh-en", "--output", room.folder / "out", "--root", project.root)  # noqa: E731

    def run_of_it():
        target = re.search(r"`snakemake (\S+)`", str(refused(export).remedy))[1]
        project.snakemake("--cores", "1", target, check=True)
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
        inputs = {name: path for name, path in folders.items() if name != "output"}
        words = write_recipe(folders["output"], "chain_segments", {"view": {"max_sentences": 9}}, inputs)
        chains, segments = Path(words[-1], "train.arrow"), read_arrow(folders["view"] / "train.arrow", SEGMENTS)
        rows = [{"members": members, "lengths": [len(members)]}] * (len(segments) - too_few)
        write_arrow(chains, pa.Table.from_pylist(rows, SEGMENT_CHAINS))

        def again():
            room.monkeypatch.chdir(room.folder)
            succeed(*words)
            read_chains(chains, segments)

        return lambda: read_chains(chains, segments), again

    return situation


CHAINS = "make the chains of this view again with `docmt job`"
carried("base/columns.py", CHAINS)(of_chains([0, 10**6], 0))
carried("base/tables.py", CHAINS)(of_chains([0, 1], 1))


@carried("cli/findings.py", "snakemake {}")
def a_page_that_is_not_finished(room: Room):
    """The run of the study ends with its page."""
    check = lambda: succeed("check-findings", "one", "--root", room.project.root)  # noqa: E731

    def run_of_it():
        target = str(refused(check).remedy).removeprefix("snakemake ")
        finish_targets(room.project.root, target)
        check()

    return check, run_of_it
