"""What may be stated as published, and what number it is."""

import pytest

from docmt.reporting.item import is_published, published_number


@pytest.mark.parametrize(
    ("value", "number"),
    [(23.1, 23.1), ("23.10", 23.1), (41, 41.0), ("-0.14", -0.14), ("not digitised", None), (None, None)],
)
def test_what_was_published_is_a_number_or_not_digitised(value, number):
    assert published_number(value) == number
    assert is_published(value) == (value is not None)


@pytest.mark.parametrize("value", ["23,1", "about 23", "", True, [23.1], {}])
def test_what_is_not_published_so(value):
    assert not is_published(value)
