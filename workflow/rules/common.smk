# All contact with Snakemake: what the rules and docmt read of it. docmt.plan.driver answers the rest.
#
# Nothing is written into Snakemake's objects, but one setting of the plugin of Kubernetes.

import os
import shlex
import sys
from pathlib import Path

CLONE = Path(workflow.current_basedir).parents[1]
sys.path.insert(0, str(CLONE))

from snakemake.logging import logger
from snakemake.settings.types import DeploymentMethod
from snakemake_interface_executor_plugins.registry import ExecutorPluginRegistry

from docmt.base import paths
from docmt.base.errors import messages
from docmt.base.foreign import explained
from docmt.plan.driver import Driver, RunSettings, Submitted
from docmt.plan.links import LINK
from docmt.plan.run import grid_of_run

# Pods of docmt share the folder of the project: jobs read more than declared files. `--shared-fs-usage` may say otherwise.
if "kubernetes" in ExecutorPluginRegistry().plugins:
    ExecutorPluginRegistry().plugins["kubernetes"].common_settings.implies_no_shared_fs = False

if "DOCMT_REQUESTS" in os.environ:  # `docmt preflight` asks what jobs ask a cluster for
    from docmt.preflight.slurm import RequestNotes

    logger.addHandler(RequestNotes())

IN_CONTAINER = DeploymentMethod.APPTAINER in workflow.deployment_settings.deployment_method


def or_refuse(function, *arguments):
    """Call a function of the package; a UserError, or an error of a file, is printed without a trace."""
    try:
        return function(*arguments)
    except Exception as problem:
        error = explained(problem)
        if error is None:
            raise
        for message in messages(error):
            print(f"docmt: {message}", file=sys.stderr)
        sys.exit(error.status)


def tell(line):
    """Print a line about the run; one of a real run is also in Snakemake's log."""
    if workflow.dryrun:
        print(f"docmt: {line}", file=sys.stderr)
    else:
        logger.info(f"docmt: {line}")


def run_settings():
    """Return what the command line and the profile say of this run."""
    settings = workflow.dag_settings  # with `workflow.dryrun`, there inside input functions alone
    named = (frozenset(settings.targets), frozenset(settings.forcerun), settings.forceall, settings.forcetargets)
    until = frozenset(settings.until)
    triggers = frozenset(str(trigger) for trigger in settings.rerun_triggers)
    return RunSettings(*named, until, triggers, workflow.dryrun)


def needs(step, part=""):
    """Return the input function of the rule of a step, or of a part of a divided job."""
    return lambda wildcards: or_refuse(DRIVER.needs, step, dict(wildcards), part)


def path_of(wildcards):
    """Return the path at which people open a page."""
    return f"{paths.RESULTS}/{wildcards.link}"


def gpus(step):
    """Return the function of the number of GPUs of a job."""
    return lambda wildcards: or_refuse(DRIVER.gpus, step, dict(wildcards))


def minutes(step):
    """Return the function of the time limit of a job with an estimate, which grows with its attempts to a day."""
    return lambda wildcards, attempt: min(or_refuse(DRIVER.minutes, step, dict(wildcards)) * attempt, 1440)


def grows(amount):
    """Return the function of an amount of memory or time that grows with the attempts of a job."""
    return lambda wildcards, attempt: amount * attempt


if workflow.remote_exec:
    DRIVER = Submitted()
else:
    # Snakemake calls the hooks of the main workflow alone: a module writes its recipes when it plans.
    is_module = (Path(workflow.basedir) / "workflow").resolve() != (CLONE / "workflow").resolve()
    DRIVER = or_refuse(lambda: Driver(grid_of_run(Path.cwd(), config, CLONE), run_settings, tell, is_module))
    for hint in DRIVER.hints(sys.argv[1:]):
        print(f"docmt: {hint}", file=sys.stderr)

# The driver's Python comes first, so that jobs have the docmt that planned them; a container has its own.
PYTHON = "" if IN_CONTAINER else f'PATH={shlex.quote(str(Path(sys.executable).parent))}:"$PATH" '
shell.prefix(
    f"set -euo pipefail; export {PYTHON}DOCMT_END_WITH_PARENT=1{' DOCMT_ON_CLUSTER=1' * workflow.remote_exec}; "
)

if IN_CONTAINER:

    container: f"{CLONE}/envs/docmt.sif"


onstart:
    or_refuse(DRIVER.write_recipes)


onsuccess:
    or_refuse(DRIVER.end)


onerror:
    or_refuse(DRIVER.end)


wildcard_constraints:
    id="[0-9a-f]{10}",
    checkpoint="[^/]+",
    corpus="[^/]+",
    text="[^/]+",
    view="[^/]+",
    scale="[^/]+",
    system="[^/]+",
    seed=r"\d+",
    context=r"\d+",
    study="[^/]+",
    part=r"\d+of\d+",
    table="[^/]+",
    passage="[^/]+",
    item="[^/.]+(?:[.][^/.]+)*",
