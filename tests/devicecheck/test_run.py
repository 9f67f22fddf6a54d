"""Every check of a device runs on the CPU, so that no line is first executed on a user's card."""

import json
from dataclasses import replace

import pytest
import torch
from helpers.support import docmt, small_demo

from docmt.cli import device_check
from docmt.devicecheck import exchange, kernels, run, speed, updates
from docmt.devicecheck.findings import DeviceFinding, guarded, relative_difference
from docmt.devicecheck.sizes import SMALL, size_for
from docmt.devicecheck.speed import Speed, fitting_tokens
from docmt.settings.models import MODELS
from docmt.training.launch import free_port

CPU = torch.device("cpu")
TINY = replace(SMALL, width=16, inner=16, vocabulary=30, segments=2, words=4)
EACH = {*MODELS}


def test_each_check_of_a_right_device_finds_each_model_right():
    results = [*run.run_checks(CPU, TINY, several=False)]
    findings = [result for result in results if isinstance(result, DeviceFinding)]
    assert all(finding.is_right for finding in findings), [finding for finding in findings if not finding.is_right]
    for check in ("fp32 against CPU", "bf16 against fp32", "compiled against plain", "decoding"):
        assert {finding.subject for finding in findings if finding.check == check} == EACH
    speeds = [result for result in results if isinstance(result, Speed)]
    assert {(result.kind, result.precision) for result in speeds} == {
        (kind, kind_) for kind in EACH for kind_ in speed.TYPES
    }
    assert all(result.tokens_per_s > 0 and result.matrix_share > 0 and result.memory_mib > 0 for result in speeds)
    assert [item.setting for item in run.advice(results, 0)] == [
        "precision",
        "DOCMT_COMPILE",
        "ranks of a training",
    ]


def test_a_wrong_kernel_is_found(monkeypatch):
    monkeypatch.setattr(kernels.bucketed, "attend", lambda *arguments: 1.01 * kernels.defined_attention(*arguments[:6]))
    assert [finding.is_right for finding in kernels.check_kernels(CPU)] == [False, False, True, True, False, True]


def test_gradients_that_are_no_numbers_are_wrong(monkeypatch):
    monkeypatch.setattr(updates, "relative_difference", lambda computed, expected: float("nan"))
    assert not any(finding.is_right for finding in updates.check_bf16(CPU, TINY))


def test_a_check_that_fails_hides_no_other(monkeypatch):
    def look(subject: str) -> DeviceFinding:
        if subject == "a":
            raise RuntimeError("CUDA error: no kernel image\nmore lines")
        return DeviceFinding("check", subject, "fine")

    assert [*guarded("check", ("a", "b"), look)] == [
        DeviceFinding("check", "a", "RuntimeError: CUDA error: no kernel image", is_right=False),
        DeviceFinding("check", "b", "fine"),
    ]

    def fails(*_: object):
        raise torch.OutOfMemoryError("out of memory")

    monkeypatch.setattr(speed, "measure", fails)
    results = [*speed.speeds(CPU, TINY)]
    assert sum(not result.is_right for result in results) == 2 * len(EACH)
    monkeypatch.setattr(speed, "matrix_rate", fails)
    assert not any(result.is_right for result in speed.speeds(CPU, TINY))


def test_a_rank_exchanges_gradients(monkeypatch):
    class Results(list):
        put = list.append

    results = Results()
    monkeypatch.setattr(exchange.os, "environ", {**exchange.os.environ})
    exchange.exchange(0, 1, free_port(), "cpu", results)
    assert results[0][1] is True


@pytest.mark.slow
def test_two_ranks_exchange_gradients():
    (finding,) = exchange.check_exchange(CPU)
    assert finding.is_right and finding.measured.endswith("MiB/s")


def test_ranks_that_never_meet_are_given_up(monkeypatch):
    class Waiting:
        processes = ()

        def join(self, timeout: float) -> bool:
            return False

    monkeypatch.setattr(exchange, "LIMIT_S", -1.0)
    monkeypatch.setattr(exchange.multiprocessing, "spawn", lambda *_, **__: Waiting())
    (finding,) = exchange.check_exchange(CPU)
    assert not finding.is_right and "NCCL_P2P_DISABLE=1" in finding.measured


def test_a_single_card_has_nothing_to_exchange(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    (finding,) = exchange.check_exchange(torch.device("cuda"))
    assert finding.measured == "nothing to exchange"


def test_the_largest_batch_fills_nine_tenths_of_the_memory():
    assert fitting_tokens((1000, 2000), (600.0, 1000.0), 10_000.0) == 2000 + (9000 - 1000) / 0.4
    assert fitting_tokens((1000, 2000), (600.0, 600.0), 10_000.0) is None
    assert fitting_tokens((1000, 2000), (6000.0, 10_000.0), 1_000.0) == 0


def test_a_card_is_measured_by_its_own_memory(monkeypatch):
    """The functions of CUDA stand for a card here, on which the CPU computes."""
    said, peaks = [], iter((1 << 20, 3 << 20))
    for name in ("empty_cache", "reset_peak_memory_stats", "synchronize"):
        monkeypatch.setattr(torch.cuda, name, lambda *_, name=name: said.append(name))
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda device: next(peaks))
    card = torch.device("cuda")
    assert [speed.peak_of(lambda: None, card) for _ in range(2)] == [1.0, 3.0]
    speed.wait_for(card)
    assert said == ["empty_cache", "reset_peak_memory_stats"] * 2 + ["synchronize"]
    assert size_for(card) is not SMALL and run.backend_for(card) == "inductor"


def measured(kind: str, precision: str, tokens: float, fitting: int | None = None) -> Speed:
    return Speed(kind, precision, tokens, 0.5, 100.0, fitting)


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (None, ["bf16", "1", "at most 5120", "4"]),
        ("bf16 against fp32", ["fp32", "0", "at most 2560", "4"]),
        ("compiled against plain", ["bf16", "0", "at most 5120", "4"]),
        ("exchange of gradients", ["bf16", "1", "at most 5120", "1"]),
    ],
)
def test_advice_follows_from_findings(wrong, expected):
    results = [
        measured("transformer", "fp32", 100.0, 3000),
        measured("transformer", "bf16", 300.0, 5500),
        DeviceFinding("gain of compiling", "fp32", "1.00 times as fast"),
        DeviceFinding("gain of compiling", "bf16", "1.40 times as fast"),
        *([DeviceFinding(wrong, "transformer", "differs", is_right=False)] if wrong else []),
    ]
    assert [item.value for item in run.advice(results, 4)] == expected


def test_relative_differences_are_of_norms():
    assert relative_difference([torch.tensor([3.0, 4.0])], [torch.tensor([0.0, 5.0])]) == pytest.approx(10**0.5 / 5)


RESULTS = [DeviceFinding("attention", "padded", "differs"), measured("han", "fp32", 1234.0, 2048)]
GAINS = [DeviceFinding("gain of compiling", "fp32", "1.00 times as fast")]


@pytest.mark.parametrize("is_right", [True, False])
def test_the_report_says_what_was_found_and_what_to_set(is_right, monkeypatch, capsys):
    results = [replace(RESULTS[0], is_right=is_right), *RESULTS[1:], *GAINS]
    monkeypatch.setattr(run, "run_checks", lambda *_: iter(results))
    report = device_check.checked_device("cpu")
    report.show()
    said = capsys.readouterr()
    assert report.is_right is is_right
    assert "1,234" in said.out and "\nprecision " in said.out and ("WRONG" in said.out) is not is_right
    assert "speed, han, fp32: 1,234 target tokens/s" in said.err
    assert report.speeds[0].kind == "han" and report.findings[0].is_right is is_right


@pytest.mark.slow
def test_the_command_runs_on_a_cpu(tmp_path):
    project = small_demo(tmp_path / "project")
    done = docmt("preflight", "--gpu", "--device", "cpu", "--json", cwd=project.root)
    assert done.returncode == 0, done.stderr
    findings = json.loads(done.stdout)["device"]["findings"]
    assert {finding["check"] for finding in findings} >= {"exchange of gradients", "decoding"}


def test_a_card_that_is_not_there_is_a_finding_beside_the_others(tmp_path):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    project = small_demo(tmp_path / "project")
    done = docmt("preflight", "--gpu", "--device", "cuda", "--json", cwd=project.root)
    said = json.loads(done.stdout)
    assert done.returncode == 2 and said["device"] is None
    assert "no CUDA device" in [finding["what"] for finding in said["findings"] if finding["level"] == "error"]


@pytest.mark.gpu
def test_a_card_is_right():
    """All checks at full size, on the card of this machine."""
    if not torch.cuda.is_available():
        from docmt.nn.device import reason_without_cuda

        pytest.skip(f"needs a GPU: {reason_without_cuda()[0]}")
    assert device_check.checked_device("cuda").is_right
