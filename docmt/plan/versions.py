"""What each stage makes has a version; a higher one re-runs the stage and what follows.

The workflow engine does not see changes inside an imported package, so an edit alone re-runs nothing. Raise a
number here when a stage's output changes. `tests/workflow/test_code_digests.py` fails when a stage's code changed
and neither its number nor its recorded digest did.
"""

VERSIONS = {
    "checkpoints": 1,
    "corpus": 3,
    "tokens": 3,
    "views": 2,
    "chains": 1,
    "training": 3,
    "translations": 3,
    "scores": 3,
    "report": 5,
}
