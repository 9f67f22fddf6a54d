"""Crates from elsewhere: what could harm is refused by one message, and no code of a crate runs unasked."""

import hashlib
import os
import shutil
import tarfile
from pathlib import Path
from urllib.parse import quote

import pytest
from helpers import hostile_crates as hostile
from helpers.command_line import invoke, succeed
from helpers.damage import check_message, told
from helpers.hostile_crates import CARD, METADATA, Attack, Crate
from helpers.support import ROOT, Project
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.provenance.opening import open_crate

CONFIG, STUDY, TOY = "config.yaml", "workflow/studies/demo.yaml", "workflow/corpora/toy_zh-en.yaml"
TEXT = "texts/truecase_separate4k"
OUT = "leads out"
TRAP = "touch canary"
PLACES = {"sources": [{"url": "file:///etc/passwd"}], "name": "a.txt"}
ZERO = "0" * 64

DESCRIPTIONS: dict[str, tuple[Attack, str]] = {
    "a graph that is a number": (hostile.graph(3), METADATA),
    "a graph that is an object": (hostile.graph({"@id": "a"}), METADATA),
    "an entity that is a number": (hostile.entity(3), METADATA),
    "an entity that is a list": (hostile.entity([{"@id": "a"}]), METADATA),
    "an entity without @id": (hostile.entity({"@type": "File"}), METADATA),
    "an @id that is a number": (hostile.entity({"@id": 3, "@type": "File"}), METADATA),
    "an @id that is a list": (hostile.entity({"@id": ["config.yaml"]}), METADATA),
    "a file of the system": (hostile.entity({"@id": "/etc/passwd", "@type": "File"}), OUT),
    "a file above": (hostile.entity({"@id": "../../../etc/passwd", "@type": "File", "sha256": ZERO}), OUT),
    "a file above, in %": (hostile.entity({"@id": "%2e%2e/secret", "@type": ["File"]}), OUT),
    "a file by an address": (hostile.entity({"@id": "file:///etc/passwd", "@type": "File"}), OUT),
    "a file without a name": (hostile.entity({"@id": "", "@type": "File"}), OUT),
    "a folder as a file": (hostile.entity({"@id": "results", "@type": "File", "sha256": ZERO}), "other bytes"),
    "a name of 5,000 letters": (hostile.entity({"@id": "a" * 5000, "@type": "File"}), OUT),
    "a name that moves the cursor": (hostile.entity({"@id": "a%1B[2Jb", "@type": "File"}), OUT),
    "a digest that is a number": (hostile.stated(sha256=3), "other bytes"),
    "no digest": (hostile.stated(sha256=None), "other bytes"),
    "another size": (hostile.stated(contentSize="1"), "other bytes"),
    "a size that is a list": (hostile.stated(contentSize=[1]), "other bytes"),
    "a file twice": (hostile.entity({"@id": quote(CARD), "@type": "File"}), "states twice"),
    "brackets within brackets": (hostile.metadata(lambda path: path.write_text('{"@graph": ' + "[" * 10**5)), METADATA),
    "a description of a gigabyte": (hostile.metadata(lambda path: os.truncate(path, 10**9)), "1,000,000,000 bytes"),
    "settings of a gigabyte": (lambda crate: os.truncate(crate.root / CONFIG, 10**9), "1,000,000,000 bytes"),
    "a description that is a pipe": (hostile.replaced(METADATA, os.mkfifo), "a pipe or a device"),
    "a description that is a folder": (hostile.replaced(METADATA, Path.mkdir), METADATA),
}
SETTINGS: dict[str, tuple[Attack, str]] = {
    "no settings": (hostile.setting(CONFIG, "defaults", 3), "wrong type"),
    "a study elsewhere": (hostile.setting(CONFIG, "studies", ["../mine.yaml"]), OUT),
    "a corpus elsewhere": (hostile.setting(CONFIG, "corpora", ["/etc/corpus.yaml"]), OUT),
    "judgements elsewhere": (hostile.setting(CONFIG, "human", {"demo": "a/../../secret"}), OUT),
    "a tokenizer elsewhere": (hostile.setting(CONFIG, f"{TEXT}/pretrained", "/models/mbart"), OUT),
    "word vectors elsewhere": (hostile.setting(CONFIG, "scoring/coherence", {"vectors": {"en": "../v"}}), OUT),
    "COMET elsewhere": (hostile.setting(CONFIG, "scoring/comet", {"command": TRAP, "model": "/comet"}), OUT),
    "translations elsewhere": (hostile.study("a", systems={"a": {"translations": {"path": "/etc/passwd"}}}), OUT),
    "files of a program elsewhere": (
        hostile.study("a", systems={"a": {"command": {"run": TRAP, "depends_on": ["/etc/shadow"]}}}),
        OUT,
    ),
    "a start elsewhere": (hostile.setting(STUDY, "systems/sentence/pretrained", "../models"), OUT),
    "a download from a disk": (hostile.setting(TOY, "files", [PLACES]), OUT),
    "a checkpoint of a scale elsewhere": (hostile.setting("workflow/scales/smoke.yaml", "about", "/etc"), OUT),
    "a download from the user's folder": (hostile.setting(TOY, "files", [{**PLACES, "sources": ["~/.netrc"]}]), OUT),
    "a study in the place of a profile": (
        hostile.setting(CONFIG, "studies", ["profiles/default/config.v9+.yaml"]),
        "file not found",
    ),
}
FILES: dict[str, tuple[Attack, str]] = {
    "a link out": (hostile.link_to("/etc/passwd"), OUT),
    "a link to a folder above": (hostile.link_to(".."), OUT),
    "a link to nothing": (hostile.link_to("nothing"), "link: file not found"),
    "settings that are a link": (hostile.replaced(CONFIG, lambda path: path.symlink_to("/etc/passwd")), OUT),
    "a pipe": (hostile.replaced(CARD, os.mkfifo), "a pipe or a device"),
    "a socket": (hostile.replaced(CARD, hostile.listening), "a pipe or a device"),
    "a pipe in place of a crate": (hostile.pipe, "a pipe or a device"),
    "a path out of a zip": (hostile.zipped(("../evil", b"x")), "a path that leads out of it"),
    "a path of the system in a zip": (hostile.zipped(("/tmp/evil", b"x")), "a path that leads out of it"),
    "a link in a zip": (hostile.zipped((hostile.zipped_link(), b"/etc/passwd")), "holds a link"),
    "half of a zip": (hostile.cut_zip, "damaged or truncated"),
    "an encrypted zip": (lambda crate: hostile.changed_zip(crate, b"PK\1\2", 8, b"\1"), "encrypted"),
    "a zip that states 3 GB": (
        lambda crate: hostile.changed_zip(crate, b"PK\1\2", 24, (3 * 10**9).to_bytes(4, "little")),
        "would unpack to more than is allowed",
    ),
    "a zip of a folder with an attack": (
        hostile.archived(hostile.entity({"@id": "../a", "@type": "File"}), hostile.zipped()),
        OUT,
    ),
    "a device in a tar": (hostile.tarred("a", tarfile.CHRTYPE), "holds a device"),
    "a pipe in a tar": (hostile.tarred("a", tarfile.FIFOTYPE), "holds a device"),
    "a link out of a tar": (hostile.tarred("a", tarfile.SYMTYPE, "../../a"), "a link that leads out of it"),
}
FIRST_RUNS: dict[str, tuple[Attack, str]] = {
    "a manifest that lists a file elsewhere": (
        hostile.of_manifest(files={"../../../secret": {"sha256": ZERO, "bytes": 1}}),
        OUT,
    ),
    "a manifest whose files are a list": (hostile.of_manifest(files=[1]), OUT),
    "a record whose versions are a list": (hostile.of_record(versions=["numpy"]), "record"),
    "a record whose hardware is a text": (hostile.of_record(hardware="cpu"), "record"),
    "a recipe whose libraries are a number": (hostile.of_recipe(libraries=3), "job.json"),
    "a recipe whose files are a text": (hostile.of_recipe(files="abc"), "job.json"),
    "a recipe whose inputs are a list": (hostile.of_recipe(inputs=[3]), "job.json"),
    "a recipe with other settings": (hostile.of_recipe(settings={"a": 1}), "the file was changed by hand"),
}
HOSTILE = {**DESCRIPTIONS, **SETTINGS, **FILES, **FIRST_RUNS}


@pytest.fixture(scope="module")
def original(with_corpus, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("original") / "crate"
    succeed("write-crate", CARD, "--root", with_corpus.root, "--output", folder, "--date", "2026-11-23")
    return folder


@pytest.fixture
def crate(original, tmp_path, monkeypatch) -> Crate:
    """A crate that a test may change, an empty present folder, and temporary files in a folder that is watched."""
    shutil.copytree(original, tmp_path / "in/crate")
    for name in ("here", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    return Crate(tmp_path / "in/crate")


def tree(*folders: Path, without: Path) -> dict[str, object]:
    """What is below folders: files by their bytes, and anything else by its kind or target."""
    paths = (path for folder in folders for path in folder.rglob("*") if not path.is_relative_to(without))
    return {str(path): _content(path) for path in paths}


def _content(path: Path) -> object:
    if path.is_symlink():
        return path.readlink()
    is_small = path.is_file() and path.stat().st_size < 10**8
    return hashlib.sha256(path.read_bytes()).digest() if is_small else path.stat().st_mode


@pytest.mark.some(20)
@pytest.mark.timeout(10, func_only=True)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_crate_is_one_message_and_touches_nothing(
    name, crate, original, instant, tmp_path, capsys, monkeypatch
):
    attack, message = HOSTILE[name]
    path, folder = attack(crate) or crate.root, tmp_path / "again"
    before = tree(tmp_path, original, without=folder)
    said = told(capsys, monkeypatch, ["reproduce", CARD, "--crate", path, "--folder", folder])
    assert message in said, said
    check_message(said, "")
    assert tree(tmp_path, original, without=folder) == before
    assert name in FIRST_RUNS or (not folder.exists() and not instant)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=9)
    | st.sampled_from(["config.yaml", ".."]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)
KEYS = st.sampled_from(["@id", "@type", "sha256", "contentSize", "value", "name"])
ENTITIES = VALUES | st.dictionaries(KEYS, VALUES | st.sampled_from(["File", ["File"]]))


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Crate:
    """The smallest crate: its description is all that the reader sees."""
    return Crate(tmp_path_factory.mktemp("small"))


@settings(max_examples=100)
@given(graph=st.lists(ENTITIES, max_size=3) | VALUES)
def test_any_description_is_read_or_refused(small, graph):
    small.write_graph(graph)
    try:
        open_crate(small.root, small.root / "unused")
        assert all(isinstance(entity["@id"], str) for entity in graph)
    except UserError as problem:
        assert len(str(problem)) < 2000


CODE = "from pathlib import Path\nPath({!r}).touch()\n"
SCRIPT = "#!/bin/sh\ntouch {}\n"
PROFILE = "executor: cluster-generic\njobs: 1\ncluster-generic-submit-cmd: touch {}\n"
RULES = tuple(f"workflow/{name}" for name in ("Snakefile", "rules/common.smk", "rules/evil.smk"))
PROFILES = tuple(f"profiles/default/{name}" for name in ("config.yaml", "config.v9+.yaml"))
MODULES = ("docmt/__init__.py", "snakemake/__init__.py", "snakemake/__main__.py", "yaml.py")
SCRIPTS = ("envs/docmt.post-deploy.sh", "slurm/submit")
PLANTED = {
    **dict.fromkeys(("Snakefile", *RULES, *MODULES), CODE),
    **dict.fromkeys(PROFILES, PROFILE),
    **dict.fromkeys(SCRIPTS, SCRIPT),
    "envs/docmt.yaml": "dependencies: [{}]\n",
}
"""Code by the places from which it could run; it makes a file."""


def planted(crate: Crate, canary: Path) -> None:
    for name, code in PLANTED.items():
        crate.plant(name, code.format(str(canary)))
    # A folder of the user's would be linked into the new folder, where Python looks for modules.
    crate.edit_stated(CONFIG, "human", {"demo": "snakemake"})
    crate.edit_stated(CONFIG, "local", {"toy_zh-en": "docmt"})


def test_no_code_of_a_crate_runs_and_it_reproduces(crate, original, tmp_path):
    canary, folder = tmp_path / "canary", tmp_path / "again"
    planted(crate, canary)
    before = tree(tmp_path, original, without=folder)
    done = succeed("reproduce", CARD, "--crate", crate.root, "--folder", folder)
    assert done.stdout.endswith("reproduced: equal contents\n") and tree(tmp_path, original, without=folder) == before


def test_no_code_of_a_crate_is_in_the_new_folder(crate, instant, tmp_path):
    planted(crate, tmp_path / "canary")
    folder = tmp_path / "again"
    succeed("reproduce", CARD, "--crate", crate.root, "--folder", folder)
    for name in PLANTED:
        ours = ROOT / name
        if name not in MODULES and ours.is_file():
            assert (folder / name).read_bytes() == ours.read_bytes()
        else:
            assert not (folder / name).exists()
    with pytest.raises(UserError, match="the folder has other files"):
        invoke("reproduce", CARD, "--root", crate.root, "--folder", folder)


def test_a_program_of_a_study_runs_only_where_the_user_says_so(crate, instant, tmp_path):
    crate.edit_stated(STUDY, "systems/service", {"text": TEXT.split("/")[1], "command": {"run": "touch 'a b'"}})
    arguments = ("reproduce", "demo", "--folder", tmp_path / "again")
    with pytest.raises(UserError, match="the settings of the crate name a program\n  found touch 'a b'\n"):
        invoke(*arguments, "--crate", crate.root)
    with pytest.raises(UserError, match="the first run does not have this target"):
        invoke(*arguments, "--root", crate.root)
    assert not instant and not (tmp_path / "again").exists()


def test_comet_runs_by_a_program_of_the_user_and_by_none_of_a_crate(crate, instant, tmp_path):
    model = tmp_path / "model"
    for name in ("hparams.yaml", "checkpoints/model.ckpt"):
        Project(model).write(name, "a")
    crate.edit_stated(CONFIG, "scoring/comet", {"command": TRAP})
    arguments = ("reproduce", "demo", "--crate", crate.root, "--folder", tmp_path / "again", "--config")
    with pytest.raises(UserError, match=f"the settings of the crate name a program\n  found {TRAP}\n"):
        invoke(*arguments, f"scoring={{comet: {{model: {model}}}}}")
    with pytest.raises(UserError, match="the first run does not have this target"):
        invoke(*arguments, f"scoring={{comet: {{model: {model}, command: sh}}}}")
    assert not instant and not (tmp_path / "again").exists()


def test_places_of_the_author_are_left_out_and_those_of_the_user_count(crate, instant, tmp_path):
    places = {"mirror": "/data/mirror", "hosts": {"huggingface.co": "https://evil.example"}, "store": "s3://evil/x"}
    for key, value in places.items():
        crate.edit_stated(CONFIG, key, value)
    crate.edit_stated(CONFIG, "human", {"demo": "/etc/passwd"})
    arguments = ("reproduce", CARD, "--crate", crate.root, "--folder", tmp_path / "again")
    with pytest.raises(UserError, match="a path that leads out of the crate"):
        invoke(*arguments)
    mine = ("--config", "human={demo: /my/judged.json}", "--config", "mirror=/my/mirror")
    succeed(*arguments, *mine)
    written = Project(tmp_path / "again").read(CONFIG)
    assert not written.keys() & places.keys() and written["texts"] == crate.read(CONFIG)["texts"]
    assert "mirror=/my/mirror" in instant[0] and 'human={"demo": "/my/judged.json"}' in instant[0]


def test_a_crate_of_a_study_folder_reproduces(with_corpus, instant, tmp_path):
    folder = Project(tmp_path / "mine")
    folder.write(CONFIG, {**with_corpus.read(CONFIG), "studies": ["studies/mine.yaml"]})
    folder.write("studies/mine.yaml", {**with_corpus.read(STUDY), "study": "mine"})
    for name in ("workflow", "results"):
        (folder.root / name).symlink_to(with_corpus.root / name)
    shutil.copy(with_corpus.root / "Snakefile", folder.root)
    succeed("write-crate", CARD, "--root", folder.root, "--output", tmp_path / "crate.zip")
    done = succeed("reproduce", CARD, "--crate", tmp_path / "crate.zip", "--folder", tmp_path / "again")
    assert done.stdout.endswith("reproduced: equal contents\n")
    for name in (CONFIG, "studies/mine.yaml"):
        assert (tmp_path / "again" / name).read_bytes() == (folder.root / name).read_bytes()
