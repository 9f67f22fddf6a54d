"""A run that would go beyond the budget of device-hours, by the real command."""

import shutil

TRAINING = "results/5_training/smoke/toy_zh-en/sentence/seed1"


def test_a_run_beyond_the_budget_starts_no_job(demo):
    shutil.rmtree(demo.root / TRAINING)
    target = ("--cores", "1", f"{TRAINING}/record.json", "--config")
    dry = demo.snakemake("-n", *target, "device_hours=1e-4", check=True)
    assert "docmt: of device_hours 0.0001: " in dry.stderr and "no job would start" in dry.stderr
    done = demo.snakemake(*target, "device_hours=1e-4")
    assert done.returncode == 2 and "would go beyond the budget of device-hours" in done.stderr
    assert "1 trainings of this run" in done.stderr and "Traceback" not in done.stderr
    assert not (demo.root / TRAINING).exists()
    within = demo.snakemake("-n", *target, "device_hours=100", check=True)
    assert "of device_hours 100: " in within.stderr and "no job would start" not in within.stderr
