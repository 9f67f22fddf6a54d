"""Write all that is generated: pages of the documentation, schemas, and the digests of the steps' code.

python docs/generate.py              write every file of GENERATORS
python docs/generate.py --check      write nothing; name the files that are out of date, with status 1
python docs/generate.py --messages   write nothing; print every message of docmt, to read them all
python docs/generate.py --titles     write nothing; print every title of pages, reports and commands
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from generators import attention, digests, messages, reference, schemas, titles, tooltips

ROOT = Path(__file__).parents[1]
DIGESTS = digests.RECORD.relative_to(ROOT).as_posix()
GENERATORS: dict[str, Callable[[], str]] = {
    "docs/tooltips.txt": tooltips.text,
    **{f"docs/images/attention/{name}.svg": draw for name, draw in attention.DRAWINGS.items()},
    **{f"docs/reference/{path}": page for path, page in reference.paths().items()},
    **{f"workflow/schemas/{name}": partial(schemas.text, name) for name in schemas.FILES},
    DIGESTS: digests.text,
}
"""For each generated file, by its path from the root, the function that returns its whole text."""


def outdated() -> list[str]:
    """Return the paths of the files that differ from what their generators return."""
    return [path for path, generate in GENERATORS.items() if text_of(ROOT / path) != generate()]


def text_of(path: Path) -> str | None:
    """Return the text of a file; None where it is missing."""
    return path.read_text(encoding="utf-8") if path.is_file() else None


def write() -> list[str]:
    """Write the files that are out of date, and return their paths."""
    changed = outdated()
    if DIGESTS in changed:
        print(digests.reminder())
    for path in changed:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(GENERATORS[path](), encoding="utf-8")
    return changed


def main(arguments: list[str]) -> int:
    """Write or check the files, or print the messages or titles, as the arguments say; return the exit status."""
    if arguments in (["--messages"], ["--titles"]):
        print((messages if arguments == ["--messages"] else titles).text())
        return 0
    if arguments not in ([], ["--check"]):
        print(__doc__)
        return 2
    if not arguments:
        print("\n".join(f"wrote {path}" for path in write()) or "every generated file is up to date")
        return 0
    stale = outdated()
    print("\n".join(f"{path} is out of date: run python docs/generate.py" for path in stale) or "all are up to date")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
