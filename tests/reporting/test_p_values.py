import pytest

from docmt.reporting.formats import mark


@pytest.mark.parametrize(("p", "sign"), [(None, ""), (1.0, ""), (0.05, ""), (0.0499, "†"), (0.01, "†"), (0.0099, "‡")])
def test_a_mark_is_for_a_p_value_below_its_level(p, sign):
    assert mark(p, 0.5) == mark(p, -0.5) == sign


@pytest.mark.parametrize(
    ("difference", "decimals", "sign"),
    [
        (None, 2, ""),
        (0.0049, 2, ""),
        (-0.0049, 2, ""),
        (0.0051, 2, "‡"),
        (0.0049, 4, "‡"),
        (0.04, 1, ""),
        (-0.06, 1, "‡"),
    ],
)
def test_a_difference_that_is_printed_as_zero_has_no_mark(difference, decimals, sign):
    assert mark(0.001, difference, decimals) == sign
