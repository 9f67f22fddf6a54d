import pytest

from docmt.base.screen import duration
from docmt.reporting.formats import matrix, number, p_value, plain, signed, whole


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (number(None), "–"),
        (signed(0.5), "+0.50"),
        (signed(-0.5), "−0.50"),
        (signed(-0.001), "0.00"),
        (whole(1234567.4), "1\u202f234\u202f567"),
        (duration(4.24), "4.2 s"),
        (duration(725), "12 min 05 s"),
        (duration(12_000), "3 h 20 min"),
        (plain(None), "none"),
        (plain(2.0e-3), "0.002"),
        (plain(30000), "30\u202f000"),
        (p_value(0.00949), "0.0095"),
        (p_value(3e-12), "< 0.0001"),
    ],
)
def test_values_as_they_are_written(text, expected):
    assert text == expected


def test_mappings_of_the_same_keys_are_a_table():
    value = {"train": {"n": 1, "source": {"pieces": 2}}, "dev": {"n": 3, "source": {"pieces": 4}}}
    assert matrix(value) == (["n", "source pieces"], [("train", [1, 2]), ("dev", [3, 4])])
    backwards = dict(reversed(value.items()))
    assert [row for row, _ in matrix(backwards)[1]] == ["train", "dev"]


@pytest.mark.parametrize(
    "value", [{}, {"a": {"n": 1}}, {"a": {"n": 1}, "b": {"m": 1}}, {"a": 1, "b": 2}, [1], {"a": {}, "b": {}}]
)
def test_anything_else_is_no_table(value):
    assert matrix(value) is None
