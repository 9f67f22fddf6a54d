"""The devices of trainings: what torch says of the cards of this machine, and whether jobs ask a cluster in vain."""

from collections.abc import Iterator

from docmt.base.gpus import count_device_files, torch_is_for_gpus
from docmt.base.machine import installed_version
from docmt.base.names import DeviceName
from docmt.base.screen import say
from docmt.preflight.finding import Level, RunFinding, told
from docmt.preflight.planned import PlannedRun
from docmt.preflight.slurm import Requests


def check_devices(run: PlannedRun, requests: Requests) -> Iterator[RunFinding]:
    """Yield what is wrong with the devices of trainings; on a cluster, with the build of torch alone."""
    device = run.grid.device
    level: Level = "error" if device == "cuda" else "warning"
    if device == "cpu":
        yield told("fact", "device: cpu; cards are not used")
    elif requests.executor is not None:
        if requests.gpus and not torch_is_for_gpus():
            what, version = "jobs ask for GPUs, and this torch is built without CUDA", installed_version("torch")
            remedy = "in docmt's clone: pip install -c pins.txt torch, from an index for CUDA, or set device: cpu"
            yield told(level, what, where="this Python's environment", found=f"torch {version}", remedy=remedy)
        yield told("fact", f"device: {device}; cards are those of the nodes")
    else:
        cards = count_device_files()
        if cards or device == "cuda":
            yield from _of_torch(level)
        yield told("fact", f"device: {device}; {cards} cards")


def _of_torch(level: Level) -> Iterator[RunFinding]:
    """Yield why torch can use no card of this machine; its import takes seconds."""
    import torch

    from docmt.nn.device import reason_without_cuda

    if not torch.cuda.is_available():
        reason, remedy = reason_without_cuda()
        remedy = f"{remedy}, or set device: cpu"
        yield told(level, "torch can use no GPU here", where="config.yaml device", found=reason, remedy=remedy)


def check_computing(device: DeviceName) -> Iterator[RunFinding]:
    """Yield whether a device computes what it should. Raises UserError where there is no such device."""
    from docmt.devicecheck.run import run_checks
    from docmt.devicecheck.sizes import size_for
    from docmt.nn.device import choose_device

    where = choose_device(device)
    for finding in run_checks(where, size_for(where)):
        part = f"{finding.check}, {finding.subject}"
        said = f"{part}: {finding.measured}, {'right' if finding.is_right else 'WRONG'}"
        # Each check is told when it has ended.
        say(said)
        if finding.is_right:
            yield told("fact", said)
        else:
            yield told("error", "the device computes wrong numbers", where=part, found=finding.measured)
