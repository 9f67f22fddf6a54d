"""A digest of each stage's code, for the test that a changed stage has a changed version.

    python tests/workflow/code_digests.py      records today's digests (after raising a version in
                                               docmt/plan/versions.py, or for a change that alters no output)

The digest is over the syntax trees of the stage's modules and of all that they import from docmt, so comments,
docstrings and formatting do not count. The settings' schema is left out: what a job gets of it is in its settings.
"""

import ast
import hashlib
import json
from functools import cache
from pathlib import Path

from docmt.plan.versions import VERSIONS

ROOT = Path(__file__).parent.parent.parent
RECORD = Path(__file__).parent / "code_digests.json"

JOBS = "docmt/cli/jobs"
MODELS = "docmt/models"
"""No import leads to an architecture: a row of settings/models.py names its class as text."""
STAGES = {
    "checkpoints": (f"{JOBS}/corpora.py:make_checkpoint",),
    "corpus": ("docmt/corpus", f"{JOBS}/corpora.py:fetch_file,make_fixture,read_corpus"),
    "tokens": ("docmt/text", f"{JOBS}/data.py:tokenise_corpus,tokenise_shard,learn_shards,encode_shard,join_shards"),
    "views": ("docmt/views", f"{JOBS}/data.py:cut_view"),
    "chains": ("docmt/chains", f"{JOBS}/data.py:find_document_chains,find_segment_chains"),
    "training": ("docmt/training", MODELS, f"{JOBS}/train.py"),
    "translations": (
        "docmt/decoding",
        MODELS,
        "docmt/external",
        f"{JOBS}/models.py",
        f"{JOBS}/external.py",
        "docmt/cli/inspect.py",
    ),
    "scores": ("docmt/scoring", f"{JOBS}/scores.py:train_vectors,train_aligner,score_system,compare_systems"),
    "report": ("docmt/reporting", "docmt/scoring/human", f"{JOBS}/scores.py:write_report,write_sheet"),
}
"""Folders and files; of a file with the commands of several stages, which of its public functions are the stage's."""

NOT_FOLLOWED = {
    *("settings/data", "settings/train", "settings/decode", "settings/system"),
    *("base/parse", "base/errors", "catalogue/corpus", "kinds/study", "grid", "plan"),
}
"""Parts of docmt that say what a job is told and how it complains, not what it makes."""


def is_followed(path: Path) -> bool:
    name = path.relative_to(ROOT / "docmt").with_suffix("").as_posix()
    return not any(name == part or name.startswith(f"{part}/") for part in NOT_FOLLOWED)


def module_files(name: str) -> list[Path]:
    """The file of a module, or the `__init__` of a package."""
    path = ROOT / name.replace(".", "/")
    return [p for p in (path.with_suffix(".py"), path / "__init__.py") if p.exists()]


def imported(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.startswith("docmt.")}


def without_docstrings(tree: ast.AST) -> str:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            strings = [n for n in body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)]
            node.body = [n for n in body if n not in strings]
    return ast.dump(tree)


def only(functions: str, tree: ast.Module) -> ast.Module:
    """The tree without other public functions; with all of them where none is named."""
    others = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"}
    if functions:
        others -= set(functions.split(","))
        tree.body = [node for node in tree.body if getattr(node, "name", None) not in others]
    return tree


@cache
def code_of(path: Path, functions: str) -> tuple[str, list[Path]]:
    """The code of a file or of some of its functions, once for all stages, and the files of docmt that it imports."""
    tree = only(functions, ast.parse(path.read_text(encoding="utf-8")))
    files = [file for name in imported(tree) for file in module_files(name)]
    return without_docstrings(tree), files


def stage_digest(stage: str) -> str:
    queue: list[tuple[Path, str]] = []
    for part in STAGES[stage]:
        name, _, functions = part.partition(":")
        path = ROOT / name
        queue += [(file, functions) for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
    seen: dict[Path, str] = {}
    while queue:
        path, functions = queue.pop()
        if path in seen or not is_followed(path):
            continue
        seen[path], files = code_of(path, functions)
        queue += [(file, "") for file in files]
    text = "\n".join(f"{path.relative_to(ROOT)} {seen[path]}" for path in sorted(seen))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def today(stage: str) -> dict:
    return {"version": VERSIONS[stage], "digest": stage_digest(stage)}


if __name__ == "__main__":
    RECORD.write_text(json.dumps({stage: today(stage) for stage in STAGES}, indent=2) + "\n")
