"""What a training tells of itself."""

import pytest
from helpers.toy_task import step

from docmt.models.pretrained import Start
from docmt.training.progress import Meter
from docmt.training.start import by_part, first_of, transfer_summary


def test_a_meter_weighs_losses_by_tokens_and_starts_again_after_a_reading():
    meter = Meter()
    meter.add(step(1, loss=10.0, target_tokens=10, counted=20))
    meter.add(step(2, loss=90.0, target_tokens=30, counted=60, seconds=1.5))
    place, means = meter.read()
    assert place == {"update": 2, "epoch": 1}
    assert means["loss"] == pytest.approx(100 / 80)
    assert means["target_tokens_per_s"] == pytest.approx(40 / 2.0)
    assert means["padding_share"] == pytest.approx(10 / 100)
    assert means["memory_mib"] == 102.0
    assert meter == Meter()


def test_a_log_counts_parameters_by_part_and_names_the_first_of_many():
    names = [f"{part}.{number}.weight" for part in ("encoder", "decoder") for number in range(40)]
    assert by_part(names) == "80 parameters (encoder 40, decoder 40)"
    assert by_part([]) == "none"
    assert first_of(["<sep>", "<cls>"], " ") == "<sep> <cls>"
    assert first_of("abcdefgh", " ") == "a b c d e ... (8 in all)"
    start = Start(names, ["gate.weight"], dict.fromkeys(names, "left out"), {"table": names}, {"table": 3})
    assert max(map(len, transfer_summary(start))) < 250
