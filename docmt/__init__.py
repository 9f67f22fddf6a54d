"""docmt: document-level machine translation experiments, from raw text to the papers' tables.

The names below are the Python API, each a function of `docmt.api`. A document is a list of sentences, a text is a list
of documents. `import docmt` imports none of the libraries behind it: each name imports its module when it is first
used, so that scoring files never waits for torch.

    import docmt
    model = docmt.open_model("results/5_training/paper/toy_zh-en/g_transformer/seed1")
    for translation in model.translate(docmt.read_documents("talk.txt")):
        print(*translation.lines, sep="\\n")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from docmt.base.version import VERSION

if TYPE_CHECKING:
    from docmt.api.adjacent import score_coherence, score_cohesion
    from docmt.api.alignment import align
    from docmt.api.consistency import score_consistency
    from docmt.api.contrastive import read_contrastive
    from docmt.api.corpora import read_corpus
    from docmt.api.documents import read_documents
    from docmt.api.export_model import export_model
    from docmt.api.open_model import open_model
    from docmt.api.scores import compare, score
    from docmt.api.studies import list_systems, list_targets
    from docmt.api.trainings import list_trainings, read_curve

__version__ = VERSION

_MODULES = {
    "align": "alignment",
    "compare": "scores",
    "export_model": "export_model",
    "list_systems": "studies",
    "list_targets": "studies",
    "list_trainings": "trainings",
    "open_model": "open_model",
    "read_contrastive": "contrastive",
    "read_corpus": "corpora",
    "read_curve": "trainings",
    "read_documents": "documents",
    "score": "scores",
    "score_coherence": "adjacent",
    "score_cohesion": "adjacent",
    "score_consistency": "consistency",
}
"""The module of `docmt.api` that has each public function."""

__all__ = [
    "align",
    "compare",
    "export_model",
    "list_systems",
    "list_targets",
    "list_trainings",
    "open_model",
    "read_contrastive",
    "read_corpus",
    "read_curve",
    "read_documents",
    "score",
    "score_coherence",
    "score_cohesion",
    "score_consistency",
]


def __getattr__(name: str) -> Any:
    """Import a public function when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module 'docmt' has no attribute {name!r}; public names: {', '.join(__all__)}")
    value = getattr(import_module(f"docmt.api.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public functions for completion in notebooks."""
    return sorted([*globals(), *__all__])
