"""The workflow engine does not see changes inside the package: a stage's version must tell it."""

import ast
import json

import code_digests
import pytest

from docmt.plan.versions import VERSIONS


def test_every_stage_has_a_version():
    assert set(code_digests.STAGES) == set(VERSIONS)


@pytest.mark.parametrize("stage", code_digests.STAGES)
def test_a_changed_stage_has_a_changed_version(stage):
    recorded, now = json.loads(code_digests.RECORD.read_text())[stage], code_digests.today(stage)
    assert recorded == now, (
        f"the code of stage {stage!r} changed. If what it makes changes, raise its number in docmt/plan/versions.py; "
        "then record the digest: python tests/workflow/code_digests.py"
    )


def test_comments_and_docstrings_do_not_count():
    plain, talkative = "def f():\n    return 1\n", 'def f():\n    "Says one."\n    # why\n    return 1\n'
    assert code_digests.without_docstrings(ast.parse(plain)) == code_digests.without_docstrings(ast.parse(talkative))
    assert code_digests.without_docstrings(ast.parse("x = 1")) != code_digests.without_docstrings(ast.parse("x = 2"))


@pytest.mark.parametrize("stage", ["training", "translations"])
def test_architectures_count_though_no_import_leads_to_them(stage, monkeypatch):
    before, original = code_digests.stage_digest(stage), code_digests.code_of

    def changed(path, functions):
        code, files = original(path, functions)
        return (f"{code} changed" if path.name == "long_short.py" else code), files

    monkeypatch.setattr(code_digests, "code_of", changed)
    assert code_digests.stage_digest(stage) != before
