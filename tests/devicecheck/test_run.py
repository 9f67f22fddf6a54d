"""Every check of a device runs on the CPU, so that no line is first executed on a user's card."""

import json
from dataclasses import replace

import pytest
import torch
from helpers.support import docmt, small_demo

from docmt.devicecheck import run
from docmt.devicecheck.findings import DeviceFinding, guarded, relative_difference
from docmt.devicecheck.sizes import SMALL
from docmt.preflight.checks import check_gpu
from docmt.settings.models import MODELS

CPU = torch.device("cpu")
TINY = replace(SMALL, width=16, inner=16, vocabulary=30, segments=2, words=4)
EACH = {*MODELS}


def test_each_check_of_a_right_device_finds_each_model_right():
    findings = [*run.run_checks(CPU, TINY)]
    assert all(finding.is_right for finding in findings), [finding for finding in findings if not finding.is_right]
    for check in ("fp32 against CPU", "bf16 against fp32", "compiled against plain", "decoding"):
        assert {finding.subject for finding in findings if finding.check == check} == EACH


def test_a_wrong_kernel_is_found(monkeypatch):
    monkeypatch.setattr(run, "attend_in_buckets", lambda *arguments: 1.01 * run.defined_attention(*arguments[:6]))
    assert [finding.is_right for finding in run.check_kernels(CPU)] == [False, False, True, True]


def test_gradients_that_are_no_numbers_are_wrong(monkeypatch):
    monkeypatch.setattr(run, "relative_difference", lambda computed, expected: float("nan"))
    assert not any(finding.is_right for finding in run.check_gradients(CPU, TINY, "aot_eager"))


def test_a_check_that_fails_hides_no_other(monkeypatch):
    def look(subject: str) -> DeviceFinding:
        if subject == "a":
            raise RuntimeError("CUDA error: no kernel image\nmore lines")
        return DeviceFinding("check", subject, "fine")

    assert [*guarded("check", ("a", "b"), look)] == [
        DeviceFinding("check", "a", "RuntimeError: CUDA error: no kernel image", is_right=False),
        DeviceFinding("check", "b", "fine"),
    ]


def test_relative_differences_are_of_norms():
    assert relative_difference([torch.tensor([3.0, 4.0])], [torch.tensor([0.0, 5.0])]) == pytest.approx(10**0.5 / 5)


@pytest.mark.parametrize(("is_right", "level", "verdict"), [(True, "fact", "right"), (False, "error", "WRONG")])
def test_each_check_is_a_finding_of_preflight_and_told_at_once(is_right, level, verdict, monkeypatch, capsys):
    monkeypatch.setattr(run, "run_checks", lambda *_: iter([DeviceFinding("attention", "padded", "differs", is_right)]))
    (finding,) = check_gpu("cpu")
    assert (finding.area, finding.level) == ("GPU", level)
    assert f"attention, padded: differs, {verdict}" in capsys.readouterr().err


@pytest.mark.slow
def test_the_command_runs_on_a_cpu(tmp_path):
    project = small_demo(tmp_path / "project")
    done = docmt("preflight", "--gpu", "--device", "cpu", "--json", cwd=project.root)
    assert done.returncode == 0, done.stderr
    checks = {each["what"].partition(",")[0] for each in json.loads(done.stdout)["findings"] if each["area"] == "GPU"}
    assert checks >= {"attention", "decoding"}


def test_a_card_that_is_not_there_is_a_finding_beside_the_others(tmp_path):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    project = small_demo(tmp_path / "project")
    done = docmt("preflight", "--gpu", "--device", "cuda", "--json", cwd=project.root)
    said = json.loads(done.stdout)
    assert done.returncode == 2
    assert "torch can use no GPU here" in [
        finding["what"] for finding in said["findings"] if finding["level"] == "error"
    ]


@pytest.mark.gpu
def test_a_card_is_right():
    """All checks at full size, on the card of this machine."""
    if not torch.cuda.is_available():
        from docmt.nn.device import reason_without_cuda

        pytest.skip(f"needs a GPU: {reason_without_cuda()[0]}")
    assert all(finding.level == "fact" for finding in check_gpu("cuda"))
