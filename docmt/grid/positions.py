"""The learned tables of positions of the models that read a view, against which stage 3 checks its segments.

They are no settings of the view: a further model that reads a view makes no view, and thus no training, stale.
"""

from docmt.base.paths import VIEW
from docmt.grid.grid import Grid
from docmt.settings.models import PositionTable


def position_tables(grid: Grid, corpus: str, text: str, view: str) -> list[PositionTable]:
    """Return the tables of positions of the models that read a view; empty where a model has no limit.

    `corpus` is the name of the folder of the corpus. Raises UserError where the scale has no such folder.
    """
    name = grid.corpus_in(corpus, VIEW.at(corpus=corpus, text=text, view=view))
    trained = (entry for entry in grid.entries if entry.has_model)
    readers = (entry.system for entry in trained if (entry.corpus, entry.system.text) == (name, text))
    tables = {system.model.learned_positions for system in readers if system.view.name == view}
    return [] if None in tables else sorted(tables)
