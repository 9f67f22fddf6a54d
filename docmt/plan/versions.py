"""The version of each stage's output: where it is raised, Snakemake runs the stage and all later stages again.

Snakemake does not see changes inside an imported package, so that an edit alone runs no job again. Raise a number here
when the output of a stage changes. `tests/workflow/test_code_digests.py` fails while the number of a stage or the
digest of its code differs from the recorded one.
"""

VERSIONS = {
    "checkpoints": 1,
    "corpus": 5,
    "tokens": 7,
    "views": 3,
    "chains": 1,
    "training": 10,
    "translations": 6,
    "scores": 8,
    "report": 13,
}
"""The version of each stage; the settings of a job contain it, so that a new version runs the job again."""
