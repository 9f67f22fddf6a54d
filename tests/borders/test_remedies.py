"""What a message tells a person to do mends what it is about: each command and each setting is carried out.

`helpers/remedies_of_*.py` has the situations. A new remedy with a command or a setting fails here until it has one, or
a row of `ELSEWHERE`.
"""

import re
from importlib import import_module

import pytest
from helpers.remedies import CARRIED, COMMANDS, Module, Remedy, options_of_docmt, refused, remedies, texts_of
from helpers.remedies_of_plans import Room
from helpers.support import ROOT

for path in sorted((ROOT / "tests/helpers").glob("remedies_of_*.py")):
    import_module(f"helpers.{path.stem}")  # registers its situations in CARRIED

OF_OTHERS = {"--profile", "--rerun-triggers", "--set-resources", "--unlock", "--until", "--nproc-per-node"}
"""Options of snakemake and torchrun."""
MIRROR = "tests/fetching/test_download.py::test_mirror_is_tried_first"
CONSENT = "tests/preflight/test_files.py::test_a_checkpoint_needs_consent"
OWNER = "tests/store/test_users.py::test_a_file_of_another_user_is_mended_by_its_owner_or_the_keeper"
ELSEWHERE = {
    ("cli/export.py", "name one of them with --text"): "tests/corpus/test_export.py"
    "::test_the_tokens_are_those_of_the_text_that_is_named_or_of_the_only_one",
    (
        "corpus/read.py",
        "`snakemake` downloads",
    ): "tests/corpus/test_read.py::test_commands_from_the_catalogue_to_documents",
    ("drafts/hub.py", "state them"): "tests/drafts/test_drafts.py::test_columns_and_languages_that_a_person_states",
    ("fetching/download.py", "By hand: put the file ("): MIRROR,
    ("fetching/download.py", "By hand: put the file at"): MIRROR,
    ("fetching/download.py", "{} Then put the file ("): MIRROR,
    ("fetching/download.py", "{} Then put the file at"): MIRROR,
    ("fetching/hub.py", "check the name"): "tests/drafts/test_drafts.py::test_a_data_set_of_the_hub",
    ("nn/positions.py", "cut documents"): "tests/views/test_build.py"
    "::test_a_segment_too_long_for_every_model_is_refused_by_its_place",
    ("plan/supplies.py", "`fetch"): CONSENT,
    ("provenance/opening.py", "state the whole"): "tests/provenance/test_hostile_crates.py"
    "::test_places_of_the_author_are_left_out_and_those_of_the_user_count",
    ("provenance/reproducing.py", "read what"): "tests/provenance/test_hostile_crates.py"
    "::test_a_program_of_a_study_runs_only_where_the_user_says_so",
    ("scoring/comet.py", "scoring.comet"): "tests/scoring/test_comet.py::test_plain_files_are_scored",
    ("scoring/human/drawn.py", "`identical"): "tests/scoring/test_human.py"
    "::test_identical_pairs_are_filled_beforehand_and_no_judgements_of_a_person",
    ("settings/pretrained.py", "give the system"): "tests/training/test_pretrained.py"
    "::test_the_fields_that_have_to_differ_can_be_pasted",
    ("store/folder.py", "ask {} or the keeper"): OWNER,
    ("store/folder.py", "its owner"): "tests/store/test_users.py"
    "::test_a_shared_folder_that_is_not_sticky_is_refused_to_all_but_its_owner",
    ("store/signatures.py", "docmt uses"): "tests/store/test_signatures.py"
    "::test_what_a_person_chooses_is_signed_and_used",
    ("training/computing.py", "train with"): "tests/training/test_compiling.py"
    "::test_a_compiler_that_fails_ends_the_training_with_its_remedy",
    ("training/failures.py", "lower train.batch"): "tests/training/test_failures.py"
    "::test_with_a_lower_batch_it_goes_on_from_the_checkpoint",
    ("training/lease.py", "wait until"): "tests/training/test_two_trainings.py"
    "::test_after_a_kill_the_next_job_goes_on_at_once",
}
"""The tests that carry out a remedy where its situation is made, by module and beginning of the remedy."""


@pytest.mark.parametrize("remedy", CARRIED, ids=lambda remedy: f"{remedy.module}: {remedy.text[:60]}")
def test_what_a_remedy_says_mends_the_error(remedy, tmp_path, monkeypatch):
    broken, *mended = CARRIED[remedy](Room(tmp_path, monkeypatch))
    assert remedy.is_in(refused(broken).remedy), refused(broken)
    assert mended
    for action in mended:
        action()


def row_of(remedy: Remedy) -> list[tuple[str, str]]:
    return [row for row in ELSEWHERE if row[0] == remedy.module and remedy.text.startswith(row[1])]


def test_each_command_and_each_setting_is_carried_out_here_or_in_a_test_that_is_named():
    acting = [remedy for remedy in remedies() if remedy.acts]
    assert len(acting) > 100 and [remedy for remedy in CARRIED if remedy not in acting] == []
    places = {remedy: [remedy] * (remedy in CARRIED) + row_of(remedy) for remedy in acting}
    assert {remedy: rows for remedy, rows in places.items() if len(rows) != 1} == {}
    used = {row for rows in places.values() for row in rows}
    assert {row for row in ELSEWHERE if row not in used} == set(), "rows of no remedy"


@pytest.mark.parametrize("test", sorted({*ELSEWHERE.values()}))
def test_the_test_that_carries_it_out_is_there(test):
    file, _, name = test.partition("::")
    assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")


def test_commands_and_options_that_remedies_name_are_there():
    texts = [remedy.text for remedy in remedies()]
    named = [name for text in texts for name in re.findall(r"docmt ((?:store |job )[a-z_-]+|[a-z]+-[a-z-]+)", text)]
    assert named and {*named} <= COMMANDS
    options = {option for text in texts for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)}
    assert options <= options_of_docmt() | OF_OTHERS


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("'set train.lr'", {"set train.lr"}),
        ("f'run docmt {command}'", {"run docmt {}"}),
        ("'one' if given else f'{other}, two'", {"one", "{}, two"}),
        ("FIRST + '; then ' + second()", {"run snakemake; then {}"}),
        ("install('eflomal')", {"in docmt's clone: pip install -c pins.txt -e {}"}),
    ],
)
def test_the_collector_reads_every_form_of_a_text(code, texts, tmp_path, monkeypatch):
    monkeypatch.setattr("helpers.remedies.PACKAGE", tmp_path)
    (tmp_path / "module.py").write_text(f"FIRST = 'run snakemake'\nremedy = {code}\n")
    module = Module(tmp_path / "module.py")
    (value,) = module.values["remedy"]
    assert texts_of(value, module) == texts
