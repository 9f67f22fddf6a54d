"""The checks of the contract that call all of a model, where tests/conftest.py has the shapes in signatures checked."""

import pytest
from helpers.contract import COMPUTE_ALL
from helpers.model_cases import CASES


@pytest.mark.some(14)
@pytest.mark.parametrize("check", COMPUTE_ALL, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", CASES)
def test_every_case_computes_with_the_shapes_of_its_signatures(case, check):
    check(case)
