# All contact with Snakemake: what the rules and docmt read of it. docmt.plan.driver answers the rest.
#
# Read are `workflow.dag_settings` and `workflow.dryrun` (inside input functions alone, since they are not there before),
# `workflow.remote_exec`, `workflow.current_basedir`, and how software is deployed. Nothing is written into Snakemake's objects.

import os
import shlex
import sys
from pathlib import Path

CLONE = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
sys.path.insert(0, str(CLONE))

from snakemake.settings.types import DeploymentMethod

from docmt.base import paths
from docmt.base.foreign import explained
from docmt.plan.driver import Driver, RunSettings, Submitted
from docmt.plan.run import grid_of_run

IN_CONTAINER = DeploymentMethod.APPTAINER in workflow.deployment_settings.deployment_method


def or_refuse(function, *arguments):
    """Call a function of the package; a UserError, or an error of a file, is printed without a trace."""
    try:
        return function(*arguments)
    except Exception as problem:
        error = explained(problem)
        if error is None:
            raise
        print(f"docmt: {error}", file=sys.stderr)
        sys.exit(error.status)


def run_settings():
    """Return what the command line and the profile say of this run."""
    settings = workflow.dag_settings
    named = (frozenset(settings.targets), frozenset(settings.forcerun), settings.forceall, settings.forcetargets)
    until = frozenset(settings.until)
    triggers = frozenset(str(trigger) for trigger in settings.rerun_triggers)
    return RunSettings(*named, until, triggers, workflow.dryrun)


def answering(function):
    """Return an input function of a rule, whose errors are printed without a trace."""
    return lambda wildcards: or_refuse(function, dict(wildcards))


def needs(step):
    """Return the input function of the rule of a step."""
    return answering(DRIVER.needs(step))


def needs_parts(part):
    """Return the input function of the parts of stage 2 that are made before another part of a job."""
    return answering(lambda names: DRIVER.parts(names, part))


def needs_or_parts(part):
    """Return the input function of stage 2: the last parts of the job where it is divided, else what it reads."""
    return answering(lambda names: DRIVER.parts(names, part) or DRIVER.needs("tokens")(names))


def page(step):
    """Return the function of the manifest of a page, whose path has its identity."""
    return answering(lambda names: DRIVER.page(step, names))


def gpus(step):
    """Return the function of the number of GPUs of a job."""
    return lambda wildcards: or_refuse(DRIVER.gpus, step, dict(wildcards))


def minutes(step):
    """Return the function of the time limit of a job with an estimate, which grows with its attempts to a day."""
    return lambda wildcards, attempt: min(or_refuse(DRIVER.minutes, step, dict(wildcards)) * attempt, 1440)


def grows(amount):
    """Return the function of an amount of memory or time that grows with the attempts of a job."""
    return lambda wildcards, attempt: amount * attempt


def before_jobs():
    """Write the recipes of the jobs of this run."""
    if not workflow.remote_exec:
        or_refuse(DRIVER.write_recipes)


def after_jobs():
    """Print what this run has made."""
    if not workflow.remote_exec:
        or_refuse(DRIVER.end)


if workflow.remote_exec:
    DRIVER = Submitted()
else:
    DRIVER = or_refuse(lambda: Driver(grid_of_run(Path.cwd(), config, CLONE), run_settings))

# The driver's Python comes first, so that jobs have the docmt that planned them; a container has its own.
PYTHON = "" if IN_CONTAINER else f'PATH={shlex.quote(str(Path(sys.executable).parent))}:"$PATH" '
shell.prefix(
    f"set -euo pipefail; export {PYTHON}DOCMT_END_WITH_PARENT=1{' DOCMT_ON_CLUSTER=1' * workflow.remote_exec}; "
)

if IN_CONTAINER:

    container: f"{CLONE}/envs/docmt.sif"


onstart:
    before_jobs()


onsuccess:
    after_jobs()


onerror:
    after_jobs()


# The files of a page become links beside the one that people open. Where links are impossible, copies stand there.
LINK = (
    'from="$(dirname {input:q})"; to="$(dirname {output:q})"; shopt -s nullglob;'
    ' for file in "$from"/*.* "$from"/documents; do [ -e "$file" ] || continue; name="$(basename "$file")";'
    ' case "$name" in manifest.json|record.json|job.json|log.*) continue;; esac;'
    ' rm -rf "$to/$name"; ln -srfn "$file" "$to/$name" 2> /dev/null || cp -r "$file" "$to/$name"; done'
)


wildcard_constraints:
    id="[0-9a-f]{10}",
    checkpoint="[^/]+",
    corpus="[^/]+",
    text="[^/]+",
    view="[^/]+",
    scale="[^/]+",
    system="[^/]+",
    seed=r"\d+",
    study="[^/]+",
    part=r"\d+of\d+",
    table="[^/]+",
    passage="[^/]+",
    item="[^/.]+(?:[.][^/.]+)*",
