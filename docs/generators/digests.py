"""A digest of each step's code, for the test that a changed step has a changed version.

`python docs/generate.py` records today's digests: after raising the version in the file of the step, or for a change
that alters no output.

The digest is over the syntax trees of the modules that the version speaks for (`Step.code`), of what the step's own
file has beside the functions that say what is asked of a job, and of all that these import from docmt. Comments,
docstrings and formatting do not count. The settings' schema is left out: what a job gets of it is in its settings.
"""

import ast
import hashlib
import json
from functools import cache
from pathlib import Path

from docmt.steps import HELPERS, NAMES, get_step

ROOT = Path(__file__).parent.parent.parent
RECORD = ROOT / "tests/workflow/code_digests.json"

STEPS = ROOT / "docmt/steps"
ASKING = ("settings", "inputs", "files", "libraries", "hints")
"""The functions of a step that say what is asked of a job: their results are in its settings, not in its outputs."""

NOT_FOLLOWED = {
    *("settings/data", "settings/train", "settings/decode", "settings/system"),
    *("base/parse", "base/recipe", "base/errors", "catalogue/corpus", "reporting/study", "grid", "plan"),
    *(f"steps/{name}" for name in (*HELPERS, "__init__")),
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


def is_asking(node: ast.stmt) -> bool:
    """Whether a statement of a step's file is `STEP = ...`, for the checks of types, or a function of ASKING."""
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) == "STEP"
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    return isinstance(node, ast.FunctionDef) and node.name in ASKING


def work_of(tree: ast.Module) -> ast.Module:
    """The tree of a step's file without what says what is asked of a job, and without imports for that alone."""
    body = [node for node in tree.body if not is_asking(node)]
    work = [node for node in body if not isinstance(node, ast.Import | ast.ImportFrom)]
    used = {name.id for node in work for name in ast.walk(node) if isinstance(name, ast.Name)} | {"run"}
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [alias for alias in node.names if (alias.asname or alias.name.split(".")[0]) in used]
    tree.body = [node for node in body if getattr(node, "names", True)]
    return tree


@cache
def code_of(path: Path) -> tuple[str, list[Path]]:
    """The code of a file, once for all steps, and the files of docmt that it imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if path.parent == STEPS:
        tree = work_of(tree)
    files = [file for name in imported(tree) for file in module_files(name)]
    return without_docstrings(tree), files


def step_digest(name: str) -> str:
    queue = [STEPS / f"{name}.py"]
    for part in get_step(name).code:
        path = ROOT / part
        queue += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    seen: dict[Path, str] = {}
    while queue:
        path = queue.pop()
        if path in seen or not is_followed(path):
            continue
        seen[path], files = code_of(path)
        queue += files
    text = "\n".join(f"{path.relative_to(ROOT)} {seen[path]}" for path in sorted(seen))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def today(name: str) -> dict:
    return {"version": get_step(name).version, "digest": step_digest(name)}


def text() -> str:
    """Return the text of RECORD as it is today."""
    return json.dumps({name: today(name) for name in NAMES}, indent=2) + "\n"


def reminder() -> str:
    """Return a line that names the steps whose code changed since it was recorded."""
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))
    changed = [name for name in NAMES if recorded.get(name) != today(name)]
    return f"the code of these steps changed; raise `version` in docmt/steps where outputs change: {', '.join(changed)}"
