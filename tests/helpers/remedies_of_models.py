"""Remedies of models, trainings, exports and stores in buckets, carried out."""

from pathlib import Path

import torch
from helpers.command_line import succeed
from helpers.exported import write_model
from helpers.model_cases import CASES
from helpers.pieces import write_tokenizer
from helpers.remedies import carried, pip_installs, refused
from helpers.remedies_of_jobs import INSTALL, installed_by
from helpers.remedies_of_plans import Room
from helpers.toy_task import make_folder
from safetensors.torch import save_file

import docmt
from docmt.base import foreign
from docmt.base.artifacts import read_json, write_json
from docmt.base.errors import UserError
from docmt.drafts.address import parse_address
from docmt.drafts.corpus_file import CorpusDraft, write_corpus_file
from docmt.drafts.sacrebleu import draft
from docmt.models.store import read_checkpoint
from docmt.scoring.alignment.programs import AwesomeAlign
from docmt.scoring.human.items import DIGEST, Key
from docmt.settings.data import CutConfig
from docmt.store import bucket
from docmt.text.pretrained import PretrainedTokenizer


@carried("exporting/ct2_checks.py", "--to huggingface exports every model")
def a_model_that_ctranslate2_cannot_run(room: Room):
    model = write_model(room.folder / "model", CASES["g_transformer"], CutConfig(max_tokens=9))
    export = lambda to: docmt.export_model(model, room.folder / to, to)  # noqa: E731
    return lambda: export("ctranslate2"), lambda: export("huggingface")


@carried("training/failures.py", "lower train.lr or set train.clip_norm; {}")
def a_training_that_diverges(room: Room):
    folder = make_folder(room.folder / "task")
    settings = {"schedule": "constant", "max_updates": 8, "save_every_updates": 1}

    def train(**more) -> None:
        assert folder.changed({"norm": "pre"}, **settings, **more).train()

    return lambda: train(lr=1e25), lambda: train(lr=1e-3)


@carried("scoring/alignment/programs.py", f"{INSTALL}, or take another aligner")
def no_awesome_align(room: Room):
    (room.folder / "config.json").write_text('{"max_position_embeddings": 9}')
    aligner = object.__new__(AwesomeAlign)
    object.__setattr__(aligner, "folder", room.folder)

    def load() -> None:
        try:
            next(iter(aligner._fitting(["a"], ["b"])), None)
        except UserError as problem:
            if "not a BERT" not in problem.what:  # the library that a test installs is empty
                raise

    return installed_by(room, "awesome_align.tokenization_bert", "awesome-align", load)


@carried("store/bucket.py", INSTALL)
def no_library_of_a_bucket(room: Room):
    present: set[str] = set()

    def imported(name: str):
        if not present:
            raise ImportError(name)
        return name

    room.monkeypatch.setattr(foreign, "import_module", imported)
    check = lambda: bucket.library_of("gs")  # noqa: E731

    def installed():
        present.update(pip_installs(refused(check).remedy) & {"gcsfs"})
        check()

    return check, installed


@carried("drafts/corpus_file.py", "give the corpus another name (--name), or remove the file")
def a_corpus_file_that_exists(room: Room):
    main = CorpusDraft(draft(parse_address("sacrebleu:wmt22/en-de")), {}, "docmt add-corpus ...")
    write = lambda name=None: write_corpus_file(main, room.folder, name)  # noqa: E731
    path = write()

    def removed():
        path.unlink()
        write()

    return write, lambda: write("another"), removed


@carried("models/store.py", "take the checkpoint's model.safetensors instead, or download it again")
def a_damaged_pickle(room: Room):
    pickle, weights = room.folder / "pytorch_model.bin", {"a": torch.ones(2)}
    pickle.write_text("no pickle")

    def other_file():
        save_file(weights, room.folder / "model.safetensors")
        assert set(read_checkpoint(room.folder)) == {"a"}
        (room.folder / "model.safetensors").unlink()

    def again():
        torch.save(weights, pickle)
        assert set(read_checkpoint(room.folder)) == {"a"}

    return lambda: read_checkpoint(room.folder), other_file, again


@carried("text/pretrained.py", "see texts in config.yaml: pretrained")
def a_folder_without_a_tokenizer(room: Room):
    write_tokenizer("bert", room.folder / "bert")

    def load(folder: str) -> None:
        room.edited("texts/pieces", {"pretrained": str(room.folder / folder)}, "config.yaml")
        text = room.grid().texts["pieces"]
        PretrainedTokenizer.load(Path(str(text.pretrained)) / "tokenizer.json")

    return lambda: load("brt"), lambda: load("bert")


@carried(
    "scoring/human/items.py",
    "write it again: docmt draw-sheet with the same files and options draws the same sheet",
)
def a_key_without_its_digest(room: Room):
    sheet, key = room.folder / "sheet.csv", room.folder / "key.json"
    files = {name: room.folder / name for name in ("source", "reference", "baseline", "hypotheses")}
    for name, path in files.items():
        path.write_text("".join(f"{name} {number}\n" if number else "same\n" for number in range(9)))
    (room.folder / "documents").write_text("a\n" * 9)
    options = [part for name, path in files.items() for part in (f"--{name}", path)]
    options += ["--documents", room.folder / "documents", "--sentences", 5, "--seed", 3, "--identical", "left_out"]
    draw = lambda: succeed("draw-sheet", *options, "--output", sheet, "--key", key)  # noqa: E731
    draw()
    before, stated = sheet.read_bytes(), read_json(key)
    write_json(key, {name: value for name, value in stated.items() if name != DIGEST})

    def again():
        draw()
        Key.load(key)
        assert (sheet.read_bytes(), read_json(key)) == (before, stated)

    return lambda: Key.load(key), again
