"""Views on disk, as stage 6 finds them."""

from pathlib import Path

import pyarrow as pa
import pytest

from docmt.base.columns import SEGMENTS
from docmt.base.tables import write_arrow


@pytest.fixture
def view(tmp_path):
    """Writes segments as `view/test.arrow` and gives the folder."""

    def write(segments: list[dict]) -> Path:
        write_arrow(tmp_path / "view" / "test.arrow", pa.Table.from_pylist(segments, SEGMENTS))
        return tmp_path / "view"

    return write
