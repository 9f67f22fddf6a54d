"""The files by which the catalogue of Snakemake workflows lists docmt."""

import re

import yaml
from helpers.support import ROOT

CATALOGUE = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))


def test_the_files_of_standardised_usage_are_there():
    assert (ROOT / "workflow/Snakefile").is_file() and (ROOT / "config/README.md").is_file()
    usage = CATALOGUE["usage"]
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert set(usage["mandatory-flags"]) == {"desc", "flags"}
    assert set(usage["software-stack-deployment"]) == {"conda", "apptainer"}


def test_what_they_state_is_so():
    rules = [path.read_text(encoding="utf-8") for path in (ROOT / "workflow/rules").glob("[0-9]*.smk")]
    of_rules = [text for file in rules for text in re.split(r"^rule ", file, flags=re.M)[1:]]
    without_conda = {
        text.partition(":")[0] for text in of_rules if "    shell:\n" in text and "    conda:\n" not in text
    }
    usage = CATALOGUE["usage"]
    assert usage["software-stack-deployment"]["conda"] is (without_conda == {"show"}), "`show` calls no docmt"
    assert usage["report"] is any("report(" in text for text in rules)
    profile = re.search(r"--profile (\w+)", usage["mandatory-flags"]["desc"])[1]
    assert (ROOT / profile).is_dir()


def test_both_entries_have_the_same_rules():
    entry = (ROOT / "Snakefile").read_text(encoding="utf-8")
    assert re.findall(r'^include: "(.*)"$', entry, re.M) == ["workflow/Snakefile"]
    included = re.findall(r'^include: "(.*)"$', (ROOT / "workflow/Snakefile").read_text(encoding="utf-8"), re.M)
    assert sorted(included) == sorted(f"rules/{path.name}" for path in (ROOT / "workflow/rules").glob("*.smk"))
    assert not (ROOT / "config/config.yaml").exists(), "the settings are in config.yaml alone"
