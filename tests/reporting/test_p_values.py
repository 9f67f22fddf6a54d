import pytest

from docmt.reporting.formats import mark


@pytest.mark.parametrize(("p", "sign"), [(None, ""), (1.0, ""), (0.05, ""), (0.0499, "†"), (0.01, "†"), (0.0099, "‡")])
def test_a_mark_is_for_a_p_value_below_its_level(p, sign):
    assert mark(p) == sign
