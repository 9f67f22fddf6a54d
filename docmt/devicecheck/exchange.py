"""The exchange of gradients between the cards of a machine, by NCCL; on a CPU by gloo, between two processes."""

import os
import time
from collections.abc import Iterator

import torch
from torch import multiprocessing, nn

from docmt.base.machine import MIB
from docmt.devicecheck.findings import DeviceFinding, guarded
from docmt.training.launch import free_port
from docmt.training.ranks import joined

RANKS = 2
NUMBERS = {"cpu": 1 << 12, "cuda": 60_000_000}
"""The number of parameters whose gradients are exchanged, by type of device: on a GPU those of a base model."""
LIMIT_S = 120.0
"""The time that the ranks have, in seconds. Cards that cannot reach each other wait without end."""


def rank_variables(number: int, count: int, port: int) -> dict[str, str]:
    """Return the environment variables by which a rank knows the others."""
    values = {"RANK": number, "LOCAL_RANK": number, "WORLD_SIZE": count, "LOCAL_WORLD_SIZE": count}
    return {name: str(value) for name, value in {**values, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}.items()}


def exchange(number: int, count: int, port: int, device_name: str, results) -> None:
    """Sum gradients with the other ranks twice, and put MiB a second and whether the sums are right into `results`."""
    os.environ |= rank_variables(number, count, port)
    device = torch.device(device_name)
    with joined(device) as ranks:
        parameter = nn.Parameter(torch.zeros(NUMBERS[device_name], device=device))
        # The first exchange opens connections.
        for _ in range(2):
            parameter.grad = torch.full_like(parameter, float(number + 1))
            began = time.perf_counter()
            ranks.sum_gradients([parameter])
            is_right = bool((parameter.grad == count * (count + 1) / 2).all())
            seconds = time.perf_counter() - began
        if ranks.is_first:
            results.put((parameter.nbytes / MIB / seconds, is_right))


def check_exchange(device: torch.device) -> Iterator[DeviceFinding]:
    """Yield whether ranks on several cards sum up gradients, and how fast; one card has nothing to exchange."""
    cards = torch.cuda.device_count() if device.type == "cuda" else RANKS
    if cards < RANKS:
        yield DeviceFinding("exchange of gradients", "1 card", "nothing to exchange")
        return
    yield from guarded("exchange of gradients", [f"{RANKS} ranks"], lambda subject: _between(subject, device.type))


def _between(subject: str, device_name: str) -> DeviceFinding:
    context = multiprocessing.get_context("spawn")
    results, port = context.SimpleQueue(), free_port()
    ranks = multiprocessing.spawn(exchange, (RANKS, port, device_name, results), RANKS, join=False)
    deadline = time.monotonic() + LIMIT_S
    try:
        while not ranks.join(timeout=1.0):
            if time.monotonic() > deadline:
                raise TimeoutError(f"no result after {LIMIT_S:.0f} s; try NCCL_P2P_DISABLE=1, or train with one rank")
    finally:
        for process in ranks.processes:
            process.kill()
    rate, is_right = results.get()
    return DeviceFinding("exchange of gradients", subject, f"{rate:,.0f} MiB/s", is_right)
