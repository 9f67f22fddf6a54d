"""A project and a Slurm for the tests of what `docmt preflight` finds."""

import pytest
from helpers.recorded_slurm import FakeSlurm


@pytest.fixture
def slurm(tmp_path, monkeypatch) -> FakeSlurm:
    """Programs of Slurm, first in PATH."""
    fake = FakeSlurm(tmp_path / "slurm")
    monkeypatch.setenv("PATH", fake.path)
    for name in ("SBATCH_PARTITION", "SBATCH_ACCOUNT", "SNAKEMAKE_SLURM_PARTITIONS", "CUDA_VISIBLE_DEVICES"):
        monkeypatch.delenv(name, raising=False)
    return fake
