"""The made-up study of tests/reporting; `filled` is its `full`, since the project of that name is used here too."""

from reporting.conftest import entry_of, world
from reporting.conftest import full as filled

__all__ = ["entry_of", "filled", "world"]
