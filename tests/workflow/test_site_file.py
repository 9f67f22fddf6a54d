"""The settings of a site in slurm/profile.v9+.yaml: each that is switched off is one that Snakemake knows."""

import re

from helpers.support import Project
from test_growth import FILE

PROFILE = "slurm/profile.v9+.yaml"
OFF = re.compile(r"^( *)# ([a-z_-]+: .*)$", re.MULTILINE)
ELSEWHERE = {"software-deployment-method"}
"""Settings that need a program which may not be here: the test of images has them (`test_growth.py`)."""


def test_each_setting_may_be_switched_on(project: Project):
    text = (project.root / PROFILE).read_text()
    names = [match[2].partition(":")[0] for match in OFF.finditer(text)]
    assert {"slurm_account", "docmt-slurm-gpu-model", "docmt-slurm-download-partition", "precommand"} <= set(names)
    switched_on = OFF.sub(
        lambda match: match[0] if match[2].partition(":")[0] in ELSEWHERE else match[1] + match[2], text
    )
    project.write(PROFILE, switched_on)
    done = project.snakemake("--profile", "slurm", "-n", FILE, check=True)
    printed = done.stdout + done.stderr
    for resource in ("slurm_account=my_project", "slurm_partition=cpu", "qos=normal", "constraint=avx512"):
        assert resource in printed
    assert "slurm_extra=--licenses=matlab:1 --exclude=node17" in printed
