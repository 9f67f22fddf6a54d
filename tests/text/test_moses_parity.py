"""docmt beside Moses' own scripts, on what these print."""

import pytest
from helpers.moses_parity import LANGUAGES, STEPS, parity


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("step", STEPS)
def test_lines_are_those_of_moses_and_what_differs_has_a_reason(shared, step, language):
    comparison = parity(shared, step, language)
    assert comparison.share >= 0.99
    assert comparison.unexplained == []
