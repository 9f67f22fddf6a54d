"""The version of each stage's output: a higher number re-runs the stage and all later stages.

The workflow engine does not see changes inside an imported package, so an edit alone re-runs nothing. Raise a
number here when the output of a stage changes. `tests/workflow/test_code_digests.py` fails when the code of a stage
has changed, but neither its number nor its recorded digest has.
"""

VERSIONS = {
    "checkpoints": 1,
    "corpus": 3,
    "tokens": 4,
    "views": 2,
    "chains": 1,
    "training": 4,
    "translations": 4,
    "scores": 3,
    "report": 5,
}
"""Numbers by stage; each job's settings have the number of its stage, so that a change of it re-runs the job."""
