"""The contract suite: every check of `helpers/contract.py` over every case of the table of architectures.

Those of COMPUTE_ALL are in test_shapes.py.
"""

import pytest
from helpers.contract import CHECKS, COMPUTE_ALL
from helpers.model_cases import CASES

from docmt.base.errors import UserError
from docmt.models import build
from docmt.settings.models import MODELS


@pytest.mark.some(128)
@pytest.mark.parametrize(
    "check", [check for check in CHECKS if check not in COMPUTE_ALL], ids=lambda check: check.__name__
)
@pytest.mark.parametrize("case", CASES)
def test_contract(case, check):
    check(case)


def test_every_architecture_has_its_cases():
    assert {config.kind for config in CASES.values()} == set(MODELS)


def test_shared_embeddings_need_one_vocabulary():
    with pytest.raises(UserError, match="one table of embeddings needs one vocabulary") as caught:
        build(CASES["transformer"], 30, 31)
    assert "vocabularies of 30 and 31 pieces" in str(caught.value)


def test_embeddings_are_tied_as_asked():
    tables = {}
    for case, sizes in (
        ("transformer", (30, 30)),
        ("transformer joined", (30, 31)),
        ("transformer pre-norm", (30, 31)),
    ):
        model = build(CASES[case], *sizes)
        shared = (model.source_embedding.weight, model.target_embedding.weight, model.output.weight)
        tables[CASES[case].embeddings] = len({id(weight) for weight in shared})
    assert tables == {"shared": 1, "target": 2, "separate": 3}
