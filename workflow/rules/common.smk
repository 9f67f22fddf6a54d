# Common code of all rules: the grid of systems, and functions from wildcards to paths.
#
# All functions are here and in the package (docmt.plan, docmt.training.exit); every rule runs one command of `docmt`
# with named paths. On a cluster each job parses this file again. It then reads the grid that the driver has written, so
# that an edit of config.yaml, valid or not, cannot reach a job that waits in a queue.

import json
import os
import re
import shlex
import signal
import sys
from pathlib import Path

# In a workflow that takes docmt as a module, a folder of the prefix `docmt` would be found in place of the package.
CLONE = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
if (CLONE / "docmt" / "__init__.py").is_file():
    sys.path.insert(0, str(CLONE))

import psutil

from snakemake.iocontainers import InputFiles, Wildcards
from snakemake.logging import logger
from snakemake.settings.types import DeploymentMethod
from snakemake.target_jobs import TargetSpec
from snakemake_interface_executor_plugins.registry import ExecutorPluginRegistry

from docmt.base.foreign import explained
from docmt.base.gpus import visible_gpus
from docmt.base.machine import now
from docmt.base.parent import VARIABLE as END_WITH_PARENT
from docmt.base.paths import (
    ALIGNER,
    AT_SCALE,
    CHAIN_WORDS,
    CHAINS,
    CHECKPOINT,
    COMPARISON,
    CORPUS,
    DEMO_REPORT,
    DEMO_REPORT_LOG,
    FROZEN_GRID,
    FROZEN_TIMES,
    PASSAGE,
    REPORT,
    RESULTS,
    SCORES,
    STATE,
    TOKENS,
    TRAINING,
    TRANSLATIONS,
    VECTORS,
    VIEW,
)
from docmt.catalogue.lock import LOCK
from docmt.fetching.sets import fetch_set
from docmt.fetching.transfer import Network
from docmt.plan.equal_files import lines_about_equal_files
from docmt.plan.budget import Used, budget_lines, check_budget
from docmt.plan.collected import collect_after_run
from docmt.plan.driver import (
    check_price,
    freeze_grid,
    is_of,
    lines_of,
    plan_run,
    prepare,
    read_frozen_grid,
    study_page,
    targets_of,
)
from docmt.plan.ending import ending
from docmt.plan.growth import let_resources_grow
from docmt.plan.host import Host
from docmt.plan.job_log import JobLog
from docmt.plan.job_times import SiteLimits, estimated_times, freeze_times, read_frozen_times, time_without_estimate
from docmt.plan.jobs import GridJobs, Job
from docmt.plan.nodes import check_nodes
from docmt.plan.obtain import check_supplies, checkpoints_to_fetch
from docmt.plan.other_clusters import ask_lsf_for_gpus, share_folder_with_pods
from docmt.plan.planning import Planner
from docmt.plan.preflight import check_packages, check_precision, check_study_names, refuse_cache
from docmt.plan.push_process import PushProcess
from docmt.plan.report_labels import WHOLE_STUDY, group_of, item_labels, study_labels
from docmt.plan.run import grid_for_targets, grid_of_run
from docmt.steps import NAMES, get_step
from docmt.plan.stored import stored_for
from docmt.plan.supplies import left_out_lines
from docmt.plan.time_limits import AttemptTimes, time_lines
from docmt.plan.unscored import not_scored_lines
from docmt.settings.pretrained import ALIGNER_FILES, random_checkpoint_files
from docmt.training.exit import endings, memory_ran_out
from docmt.training.survey import hours_used

BEGAN = now()
HOST = Host.of(workflow.modifier)


def plan():
    """Return the grid of config.yaml; in a job on a cluster the one that the driver has written."""
    if workflow.remote_exec:
        return read_frozen_grid(Path(HOST.path(FROZEN_GRID)))
    with HOST.inside():
        return grid_of_run(Path.cwd(), config, CLONE)


def refuse(problem):
    """Print the message of a UserError, without a trace, and exit with its status."""
    print(f"docmt: {problem}", file=sys.stderr)
    sys.exit(problem.status)


def or_refuse(function, *arguments):
    """Call a function of the package; a UserError, or an error of a file, is printed without a trace."""
    try:
        return function(*arguments)
    except Exception as problem:
        error = explained(problem)
        if error is None:
            raise
        refuse(error)


def check_driver():
    """Refuse options that are not supported, and a Python without the packages of jobs, unless jobs run in conda."""
    if workflow.remote_exec:
        return
    or_refuse(refuse_cache, workflow.workflow_settings.cache)
    if DeploymentMethod.CONDA not in workflow.deployment_settings.deployment_method:
        aligners = [scoring.aligner.kind for scoring in GRID.scoring.values()]
        languages = [GRID.corpora[entry.corpus].target_language for entry in GRID.entries]
        engines = [entry.engine for entry in GRID.entries if entry.has_model]
        or_refuse(check_packages, [*aligners, *languages, *engines])


GRID = or_refuse(plan)
TARGET_STUDIES = sorted(GRID.studies, key=lambda study: (study != "demo", study))
check_driver()


def environment():
    """Return the start of every job's shell script: the driver's Python first in PATH, and DOCMT_* variables.

    In a container the image's own Python stays first. The variables have facts of this run that are not settings of a job: a change of them runs no job again.
    """
    values = {"DOCMT_MIRROR": GRID.mirror or "", "DOCMT_DEVICE": GRID.device, "DOCMT_LOCAL": json.dumps(GRID.local)}
    values |= {"DOCMT_HOSTS": json.dumps(GRID.hosts)} if GRID.hosts else {}
    values |= {END_WITH_PARENT: "1"}
    values |= {"DOCMT_ON_CLUSTER": "1"} if workflow.remote_exec else {}
    values |= HOST.environment
    exports = " ".join(f"{name}={shlex.quote(value)}" for name, value in values.items())
    if DeploymentMethod.APPTAINER not in workflow.deployment_settings.deployment_method:
        exports = f'PATH={shlex.quote(str(Path(sys.executable).parent))}:"$PATH" {exports}'
    return f"set -euo pipefail; export {exports}; ".replace("{", "{{").replace("}", "}}")


# The rules of another workflow have a shell of their own, for which this prefix is not meant.
if HOST.is_module:
    shell = type("shell", (shell,), {})
shell.prefix(environment())


# The image of `--software-deployment-method apptainer`. Snakemake refuses a path with blanks even without that option.
if DeploymentMethod.APPTAINER in workflow.deployment_settings.deployment_method:

    container: f"{CLONE}/envs/docmt.sif"


def rest_while_jobs_run():
    """Switch off snakemake's limit on jobs per second, where it is the default and not a choice of the user.

    With the limit, snakemake 9 examines all ready jobs again one second after each examination. These repetitions add
    up: each job that ends adds one more per second, and after a thousand jobs the driver needs a core for itself.
    """
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


def stop_jobs_too(number, frame):
    """Handle Ctrl-C: end the jobs as well, which the terminal may not have signalled; snakemake waits until they end.

    Otherwise a training would run to its end, and the next run would repeat it, since snakemake treats the output of
    a job that ends after an interruption as incomplete.
    """
    for job in psutil.Process().children():
        job.terminate()
    signal.default_int_handler(number, frame)


def running():
    """Return the jobs of the plan that Snakemake runs, with the paths of their logs."""
    jobs = [(HOST.original_rule(job.rule.name), job) for job in workflow.dag.needrun_jobs()]
    named = [(Job.of(name, **job.wildcards_dict), job) for name, job in jobs if name in NAMES]
    return {ours: HOST.inner_path(job.log[0]) for ours, job in named}


def before_jobs():
    """Prepare the jobs of the plan, before the first of them."""
    rest_while_jobs_run()
    mend_groups()
    if workflow.local_exec:
        signal.signal(signal.SIGINT, stop_jobs_too)
    # Without jobs that have inputs, such as in a run of downloads alone, the plan is made here.
    planned()
    with HOST.inside():
        or_refuse(freeze_grid, GRID, Path(FROZEN_GRID))
        or_refuse(freeze_times, job_times(), Path(FROZEN_TIMES))
        or_refuse(prepare, RUN["planner"], RUN["plan"], running())
        start_pushing()


onstart:
    before_jobs()


def say(line):
    """Print a line about the run."""
    print(f"docmt: {line}", file=sys.stderr)


def start_pushing():
    """Start the process that pushes what this run makes to the store; once, and in the driver alone."""
    if workflow.is_main_process and "pushing" not in RUN:
        RUN["pushing"] = or_refuse(PushProcess.start, RUN["planner"], RUN["plan"])


def end_pushing():
    """Wait until the store has what this run has made, and print what it did not get."""
    pushing, RUN["pushing"] = RUN.get("pushing"), None
    if pushing is not None:
        pushing.end(say)


def print_ending():
    """Print what this run has made, what failed, and what it left out."""
    for line in or_refuse(list, ending(RUN["planner"], RUN["plan"], requested(), running(), requested_studies())):
        say(line)


def collect_scores():
    """Write the table of all scores again. A problem of it is told, and does not end a run whose jobs are done."""
    for line in collect_after_run(RUN["planner"], Path(), config):
        say(line)


def after_success():
    """End a run whose jobs have all succeeded."""
    with HOST.inside():
        if workflow.is_main_process:
            print_ending()
            collect_scores()
            end_pushing()


def after_failure():
    """End a run of which a job has failed."""
    with HOST.inside():
        if workflow.is_main_process:
            print_ending()
            collect_scores()
        for line in or_refuse(endings, STATE, BEGAN):
            say(line)
        end_pushing()


onsuccess:
    after_success()


onerror:
    after_failure()


wildcard_constraints:
    checkpoint="[^/]+",
    corpus="[^/]+",
    text="[^/]+",
    view="[^/]+",
    scale="[^/]+",
    system="[^/]+",
    seed=r"\d+",
    study="[^/]+",
    table="[^/]+",
    passage="[^/]+",
    item=r"(?!(?:index|settings|job|manifest|record)\.(?:html|json|csv)$)[^/]+(?<!\.manifest)(?<!\.sheet)(?<!\.sheet\.key)",
    part=r"\d+",
    parts=r"\d+",


JOBS = GridJobs(GRID)
SITE_LIMITS = {"minutes": "max_runtime", "gpus": "max_gpus"}
"""The resources by which a profile states what its site allows."""
RUN = {}
"""The planner and the plan of this run, once Snakemake has asked for the inputs of the first job."""
ASKED = []
"""The jobs of docmt whose outputs the rules of another workflow read; Snakemake finds them one after the other."""


def is_planning():
    """Return whether this process plans a run: not a job of a run, and not a report or a graph of all jobs."""
    return workflow.is_main_process and getattr(workflow, "_executor_plugin", None) is not None


def planned(job=None):
    """Return the plan of this run; the first call makes it, prints it, and tells Snakemake which jobs to run.

    Snakemake's own rules for what is up to date are switched off: `docmt.plan.planning` decides. In another workflow,
    a `job` that is not in the plan yet is what a rule of that workflow reads; the plan is made again with it.
    """
    if HOST.is_module and job is not None and not is_foreseen(job):
        ASKED.append(job)
        RUN.pop("plan", None)
    if "plan" not in RUN:
        with HOST.inside():
            make_plan()
    return RUN["plan"]


def is_foreseen(job):
    """Return whether the plan has a job: it is to run, its outputs come from elsewhere, or they are right."""
    if "plan" not in RUN:
        return False
    plan = RUN["plan"]
    if job in ASKED or job in plan.reasons or job in (*plan.back, *plan.pull):
        return True
    with HOST.inside():
        return job in plan.order and RUN["planner"].states.of(job).name == "right"


def make_plan():
    """Make the plan of the targets, and print it."""
    use_grid_of_targets()
    RUN["planner"] = Planner(GRID, stored=or_refuse(stored_for, GRID))
    or_refuse(check_supplies, GRID, requested())
    if not workflow.dryrun:
        or_refuse(fetch_checkpoints, RUN["planner"], requested())
    RUN["plan"] = or_refuse(plan_run, RUN["planner"], requested(), forced(), workflow.dryrun, say_once)
    or_refuse(check_nodes, nodes_of(RUN["plan"]), runs_on_cluster())
    if not runs_on_cluster():
        or_refuse(check_precision, GRID, RUN["plan"].reasons)
    left_out = [*left_out_lines(GRID, requested_studies()), *not_scored_lines(GRID, RUN["plan"].order)]
    left_out += or_refuse(list, lines_about_equal_files(GRID, RUN["planner"].digests, requested_studies()))
    lines = [*lines_of(RUN["plan"], GRID.retrain_hours), *lines_of_time(RUN["plan"]), *lines_of_budget()]
    for line in [*lines, *left_out]:
        say_once(line)
    if not workflow.dryrun:
        or_refuse(check_price, RUN["plan"], GRID.retrain_hours)
        check_device_hours()
        if not RUN["plan"].reasons and not HOST.is_module:
            # Snakemake may have nothing to do, and then calls no hook.
            start_pushing()
            end_pushing()
    limit_gpus()
    tell_snakemake(RUN["plan"])


def say_once(line):
    """Print a line about the plan, which another workflow makes several times."""
    if line not in RUN.setdefault("said", set()):
        RUN["said"].add(line)
        say(line)


def use_grid_of_targets():
    """Use the grid that leaves out no system of which others have made what the targets need.

    Snakemake knows the targets only after it has read the rules.
    """
    global GRID, JOBS
    GRID = or_refuse(grid_for_targets, GRID, requested())
    JOBS = GridJobs(GRID)


def lines_of_time(plan):
    """Return the lines about trainings that take longer than their jobs may run; none where no limit is known."""
    trainings = [job for job in plan.reasons if job.is_training] if runs_on_cluster() else []
    return or_refuse(time_lines, GRID, trainings, attempts_of)


def lines_of_budget():
    """Return the lines about the budget of device-hours; none where config.yaml has no budget."""
    if GRID.device_hours is None:
        return []
    return or_refuse(budget_lines, GRID, RUN["plan"].reasons, Used(*or_refuse(hours_used, Path(RESULTS))))


def check_device_hours():
    """Refuse a run that would go beyond the budget of device-hours."""
    if GRID.device_hours is not None:
        or_refuse(check_budget, GRID, RUN["plan"].reasons, Used(*or_refuse(hours_used, Path(RESULTS))))


def runs_on_cluster():
    """Return whether jobs run on a cluster, and so have time limits.

    A dry run does not know where jobs would run. A cluster's profile says how many jobs may run at once (`jobs`), and a
    run on this machine has only `cores`.
    """
    return workflow.resource_settings.nodes is not None if workflow.dryrun else workflow.non_local_exec


def attempts_of(job):
    """Return the time that the attempts of a training have, as rule, profile and command line state it together.

    None is returned where `runtime` depends on files that are not there yet.
    """
    wildcards, training = Wildcards(fromdict=job.names), workflow.get_rule(HOST.rule(job.rule))
    tries = range(1, training.restart_times + 2)
    attempts = [training.expand_resources(wildcards, InputFiles(), attempt) for attempt in tries]
    minutes = [resources.get("runtime") for resources in attempts]
    if not all(isinstance(value, int | float) for value in minutes):
        return None
    return AttemptTimes.after_timeouts(minutes, site_limits().minutes, int(attempts[0].get("gpu") or 0))


def job_times():
    """Return the time limits and GPUs that the jobs of this run ask for by their estimates, as its driver knew them."""
    if "times" not in RUN:
        if workflow.remote_exec:
            RUN["times"] = or_refuse(read_frozen_times, Path(FROZEN_TIMES))
        elif not (is_planning() and runs_on_cluster()):
            return {}
        else:
            attempts = workflow.get_rule(HOST.rule("train")).restart_times + 1
            RUN["times"] = estimated_times(GRID, planned().reasons, site_limits(), attempts)
    return RUN["times"]


def site_limits():
    """Return what the site allows, as the profile of the cluster states it among the resources of every job."""
    resources = workflow.get_rule(HOST.rule("train")).resources
    stated = {limit: resources[name].value for limit, name in SITE_LIMITS.items() if name in resources}
    return SiteLimits(**{limit: value for limit, value in stated.items() if isinstance(value, int)})


def estimated(rule, what):
    """Return the function of a resource of a rule, `minutes` or `gpus`, which follows the estimate of the job."""

    def value(wildcards):
        time = job_times().get(Job.of(rule, **wildcards).manifest)
        return getattr(time or time_without_estimate(GRID, rule, site_limits()), what)

    return value


def resource_of(name, wildcards, rulename, **facts):
    """Return the value of a resource of a rule as rule, profile and command line state it together."""
    stated = workflow.get_rule(rulename).resources
    return stated[name].evaluate(wildcards, rulename=rulename, **facts).value if name in stated else None


def on_several_nodes(value):
    """Return the function of a resource that jobs on several nodes have alone; `value` makes it from their number.

    The Slurm plugin asks for one task on each node only where it is told so by several resources. So users state
    `nodes` alone.
    """

    def resource(wildcards, input, attempt, threads, rulename, async_run):
        facts = {"input": input, "attempt": attempt, "threads": threads, "async_run": async_run}
        nodes = resource_of("nodes", wildcards, rulename, **facts)
        return value(nodes) if nodes > 1 else None

    return resource


def cpus_of_ranks(wildcards, input, attempt, threads, rulename, async_run):
    """Return the cores of a node for a training with several ranks, as each rank has `threads` threads; None for one.

    None is also returned where a user states `cpus_per_gpu`.
    """
    facts = {"input": input, "attempt": attempt, "threads": threads, "async_run": async_run}
    asked = {name: resource_of(name, wildcards, rulename, **facts) for name in ("nodes", "gpu", "cpus_per_gpu")}
    ranks_of_node = -(-(asked["gpu"] or 0) // asked["nodes"])
    return None if asked["cpus_per_gpu"] or ranks_of_node < 2 else threads * ranks_of_node


def on_each_node(wildcards, resources):
    """Return the words that start a command once on each node of a job; the text is empty for a job on one node.

    Each task may use all cores and GPUs that the job has on the task's node. Launchers end with the status of the rank
    that failed, and srun with the largest status of its tasks.
    """
    nodes = resources.nodes
    if nodes == 1:
        return ""
    return f"{resources.mpi} --mpi=none --cpu-bind=none --kill-on-bad-exit=0 -N {nodes} -n {nodes} --ntasks-per-node=1"


def nodes_of(plan):
    """Return the number of nodes that rule, profile and command line state for trainings; 1 for a plan without any."""
    job = next((job for job in plan.reasons if job.is_training), None)
    facts = {"input": InputFiles(), "attempt": 1, "threads": 1, "async_run": workflow.async_run}
    return resource_of("nodes", Wildcards(fromdict=job.names), HOST.rule(job.rule), **facts) if job else 1


def limit_gpus():
    """Let jobs of this run ask for no more GPUs at once than this machine has, unless the user has set a limit.

    Each job takes its GPUs itself (docmt.steps.gpus); without the limit, jobs would wait for them on cores.
    """
    if runs_on_cluster() or GRID.device == "cpu" or "gpu" in workflow.global_resources:
        return
    if here := len(visible_gpus()):
        workflow.register_resource("gpu", here)
        asked = workflow.get_rule(HOST.rule("train")).resources["gpu"].raw
        if isinstance(asked, int) and asked > here:
            say(f"trainings ask for {asked} GPUs (profiles/default/profile.yaml), and take the {here} of this machine")


def tell_snakemake(plan):
    """Switch off Snakemake's triggers, and make it run exactly the jobs of the plan."""
    files = [job.manifest for job in plan.reasons] + [*changed_parts(plan), *changed_files(plan)]
    # Targets of Snakemake are also jobs that make outputs whole again which no other job needs now.
    needed = {read for job in plan.reasons for read in JOBS.inputs(job).values()}
    needed |= {*targets_of(RUN["planner"], requested())}
    others = [TargetSpec(HOST.rule(job.rule), job.names) for job in plan.reasons if job not in needed]
    if HOST.is_module:
        tell_other_workflow({HOST.path(path) for path in files}, others)
        return
    workflow.dag_settings.rerun_triggers = frozenset()
    workflow.dag.ignore_incomplete = True
    workflow.dag.forcefiles = {*files}
    workflow.dag_settings.target_jobs = others


def tell_other_workflow(files, jobs):
    """Add jobs of docmt to those of another workflow, whose own jobs run as Snakemake decides.

    `files`: outputs of the jobs that run. `jobs`: those of them that no job reads.
    """
    if "theirs" not in RUN:
        settings, dag = workflow.dag_settings, workflow.dag
        RUN["theirs"] = ({*dag.forcefiles}, [*settings.target_jobs])
        HOST.forget_records(workflow.persistence)
        HOST.add_hooks(workflow, before_jobs, after_success, after_failure)
    forced_files, target_jobs = RUN["theirs"]
    workflow.dag.forcefiles = forced_files | files
    workflow.dag_settings.target_jobs = [*target_jobs, *jobs]


def training_ran_out_of_memory(job):
    """Return whether a failed job of this process is a training whose own record says that memory ran out."""
    if HOST.original_rule(job.rule.name) != "train":
        return False
    return memory_ran_out(HOST.path(f"{STATE}/{TRAINING.part(**job.wildcards_dict)}"), BEGAN)


def requested():
    """Return the targets of this run: names of studies, `all`, and files relative to the present folder of docmt."""
    if HOST.is_module:
        return [f"{job.folder}/{get_step(job.rule).outputs[0].format(**job.names)}" for job in ASKED]
    targets = workflow.dag_settings.targets or [TARGET_STUDIES[0]]
    return [target if target in (*GRID.studies, "all") else os.path.relpath(target) for target in targets]


def requested_studies():
    """Return the names of the studies of which a target of this run is all."""
    pages = {study_page(GRID.scale, study): study for study in GRID.studies}
    studies = [GRID.active if target == "all" else [pages.get(target, target)] for target in requested()]
    return [study for names in studies for study in names if study in GRID.studies]


def fetch_checkpoints(planner, targets):
    """Download the checkpoints that targets need and that the user has agreed to download."""
    for files in checkpoints_to_fetch(planner, targets):
        print(f"docmt: downloading the checkpoint {files.set} ({files.gigabytes:g} GB)", file=sys.stderr)
        fetch_set(files, Path(), Network(GRID.hosts), GRID.mirror)


def forced():
    """Return a function that says whether the user forces a job to run (-F, -f, -R)."""
    targets = workflow.dag_settings.targets if HOST.is_module else requested()
    names = [*workflow.dag_settings.forcerun, *(targets if workflow.dag_settings.forcetargets else [])]
    files = {JOBS.of_file(HOST.inner_path(name)) for name in names}
    # The outputs of the parts of stage 2 are temporary: all of them are made again with the job that joins them.
    rules = {"tokens" if name.startswith("tokens_") else name for name in map(HOST.original_rule, names) if name}
    return lambda job: workflow.dag_settings.forceall or job.rule in rules or job in files


def is_planned(job):
    """Return whether a job runs; in a job of a run, and where no run is planned, every job that is asked for."""
    return not is_planning() or job in planned(job).reasons


def reads(job):
    """Return the manifests of what a job reads, by role.

    The values are empty where the job does not run, and for outputs that are elsewhere in a dry run: Snakemake would
    list the jobs that make them.
    """
    runs, inputs = is_planned(job), or_refuse(JOBS.inputs, job).items()
    return {role: read.manifest if runs and not is_elsewhere(read) else [] for role, read in inputs}


def is_elsewhere(job):
    """Return whether this is a dry run, and a run would move or pull the outputs of a job to their place."""
    return is_planning() and workflow.dryrun and job in (*planned().back, *planned().pull)


def inputs_of(rule):
    """Return the input function of a rule: the manifests of what a job reads, by role."""
    return lambda wildcards: reads(Job.of(rule, **wildcards))


def manifests_of(rule):
    """Return the input function of a rule without roles, which has the manifests of what a job reads."""
    return lambda wildcards: [path for path in inputs_of(rule)(wildcards).values() if path]


def recipe_of(rule):
    """Return the function that returns the path of the recipe of a rule's job."""
    return lambda wildcards: HOST.path(Job.of(rule, **wildcards).recipe_path)


def corpus_inputs(wildcards):
    """Return the files of a corpus that are to be downloaded, or the manifest of those of its fixture.

    Files that are there and right are not inputs: Snakemake would delete them before it runs a forced download again,
    and a person may have put them there.
    """
    job = Job.of("corpus", **wildcards)
    if not is_planned(job):
        return []
    generated = [read.manifest for read in or_refuse(JOBS.inputs, job).values()]
    if generated or GRID.fixtures:
        return generated
    if not is_planning():
        return [str(path) for path in or_refuse(JOBS.files, job).values()]
    return downloads_of(wildcards.corpus)


def catalogue(wildcards):
    """Return the catalogue's file on a corpus."""
    return HOST.path(GRID.corpus_files[wildcards.corpus])


def checkpoints_of_kind(*kinds):
    """Return a pattern of the names of this scale's random checkpoints of some kinds; it never matches without any."""
    return "|".join(re.escape(name) for name, random in GRID.checkpoints.items() if random.kind in kinds) or "(?!)"


def systems_of(origin):
    """Return a pattern of the folders of systems with translations of this origin; it never matches without any."""
    return "|".join(re.escape(folder) for folder, of in GRID.origins.items() if of == origin) or "(?!)"


def tokens_job(wildcards):
    """Return the job of stage 2 that a job of one of its parts belongs to."""
    return Job.of("tokens", corpus=wildcards.corpus, text=wildcards.text)


def parts(path):
    """Return the function that returns the outputs of the shards of a pass of stage 2, in order."""

    def shards(wildcards):
        if not is_planned(tokens_job(wildcards)):
            return []
        return [f"{path}.{number}of{GRID.shards}" for number in range(1, GRID.shards + 1)]

    return shards


def learnt_text(wildcards):
    """Return the folder of what the shards of stage 2 have learnt together."""
    job = tokens_job(wildcards)
    return f"{job.folder}/shards/learnt" if is_planned(job) else []


def recipe_of_parts(wildcards):
    """Return the path of the recipe of stage 2 for a job of one of its parts."""
    return HOST.path(tokens_job(wildcards).recipe_path)


def inputs_of_parts(wildcards):
    """Return the inputs of stage 2 for a job of one of its parts."""
    return reads(tokens_job(wildcards))


def changed_parts(plan):
    """Return the outputs of parts of stage 2 that an earlier run with other settings has left."""
    if GRID.shards == 1:
        return []
    planner = RUN["planner"]
    folders = [
        (job, folder) for job in plan.reasons if job.rule == "tokens" for folder in Path(job.folder).glob("shards/*")
    ]
    return [str(folder) for job, folder in folders if not is_of(folder, planner.identities.identity(job))]


def changed_files(plan):
    """Return the downloads that the jobs of a plan miss, or that a changed file of the user's replaces."""
    corpora = [job.names["corpus"] for job in plan.reasons if job.rule == "corpus" and not GRID.fixtures]
    return [path for corpus in corpora for path in downloads_of(corpus)]


def downloads_of(corpus):
    """Return the downloads of a corpus that are missing, or that a changed file of the user's replaces."""
    names = or_refuse(RUN["planner"].changed_downloads, corpus)
    return [f"{CORPUS.at(corpus=corpus)}/downloads/{name}" for name in names]


def report_group(wildcards):
    """Return the group of an item in the report of Snakemake."""
    return or_refuse(group_of, GRID, wildcards.study, wildcards.item)


def report_labels(file):
    """Return the function that returns the labels of a file of an item in the report of Snakemake."""
    return lambda wildcards: or_refuse(item_labels, GRID, wildcards.study, wildcards.item, file)


def report_labels_of_study(wildcards):
    """Return the labels of the page of a study in the report of Snakemake."""
    return or_refuse(study_labels, GRID, wildcards.study)


def study_pages(*studies):
    """Return the function that returns the pages of studies, which are their targets; it makes the plan first."""

    def pages(wildcards):
        paths = [study_page(GRID.scale, study) for study in studies]
        for path in paths if is_planning() else ():
            planned(JOBS.of_file(path))
        return [path for path in paths if not is_elsewhere(JOBS.of_file(path))]

    return pages
