# Groups of small steps on a cluster: each group is one allocation (docmt/plan/groups.py says which jobs share one).
#
# Only functions are here. Snakemake puts jobs together that have the same group; three things are added to it. The
# members of a group run one after another, so that a group needs the devices and the memory of one of them and the time
# of all. A member that fails stops no other member, and a group that is started again leaves out what has finished. A
# group whose member has failed for good lets the jobs go on that need other members.

from docmt.plan.groups import GROUPED, KINDS, LONGEST, Bounds, groups_of, is_finished

ONE_AT_A_TIME = "one_at_a_time"
"""The resource of which a group has one, and each of its members needs it."""
IN_ALLOCATION = "allocation"
"""The group of all jobs of an allocation, for Snakemake inside it."""


def group_small_steps():
    """Make Snakemake put small steps into groups, before it looks for jobs: only then it knows the settings of the run."""
    execute = workflow.execute

    def execute_in_groups(*arguments, **options):
        if workflow.remote_exec:
            go_on_in_allocation(workflow.dag_settings.target_jobs or ())
        elif workflow.is_main_process and group_sizes():
            put_into_groups()
        return execute(*arguments, **options)

    workflow.execute = execute_in_groups


def put_into_groups():
    """Give the rules of small steps their groups, where a profile states how many members a group has at most."""
    # Snakemake deletes the outputs of all members of a group that has failed. Outputs without a manifest are made again,
    # so that nothing is wrong where it does not.
    workflow.execution_settings.keep_incomplete = True
    for name in group_rules(group_sizes()):
        share_allocation(name, group_of_rule(name))


def share_allocation(name, group):
    """Set the group of a rule, and let its jobs run one at a time in an allocation."""
    workflow.get_rule(name).group = group
    workflow.get_rule(name).resources[ONE_AT_A_TIME] = 1
    workflow.resourcescope(**{ONE_AT_A_TIME: "local"})
    workflow.register_resource(ONE_AT_A_TIME, 1)


def group_rules(kinds):
    """Return the names of the rules whose jobs have groups of some kinds."""
    return [rule.name for rule in workflow.rules if GROUPED.get(rule.name) in kinds]


def group_sizes():
    """Return the largest number of members of the groups of each kind that the profile or the command line states."""
    stated = workflow.group_settings.group_components
    return {kind: size for kind, size in stated.items() if kind in KINDS and size > 1}


def group_of_rule(rule):
    """Return the function that returns the group of a job of a rule, or None."""
    return lambda wildcards: planned_groups().get(Job.of(rule, **wildcards))


def planned_groups():
    """Return the groups of the jobs of this run; the first call makes them."""
    if not is_planning():
        return {}
    if "groups" not in RUN:
        bounds = Bounds(group_sizes(), minutes_of, min(LONGEST, site_limits().minutes))
        RUN["groups"] = groups_of(JOBS, planned().reasons, bounds)
        # Snakemake puts as many members together as the profile states for the kind of their group.
        workflow.parent_groupids.update({group: group.partition(".")[0] for group in RUN["groups"].values()})
    return RUN["groups"]


def minutes_of(job):
    """Return the `runtime` of the first attempt of a job; 0 where it depends on files that are not there yet."""
    resources = workflow.get_rule(job.rule).expand_resources(Wildcards(fromdict=job.names), InputFiles(), 1)
    minutes = resources.get("runtime")
    return minutes if isinstance(minutes, int | float) else 0


def go_on_in_allocation(targets):
    """Make Snakemake run, inside an allocation, the members of the group that have not finished in this run.

    A member that another one needs may be among those that have finished: the times of files do not matter.
    """
    workflow.dag_settings.rerun_triggers = frozenset()
    if len(targets) < 2:
        return
    left = [target for target in targets if not has_finished(target)]
    if not left:
        sys.exit(0)
    workflow.dag_settings.target_jobs = left
    workflow.execution_settings.keep_going = True
    workflow.execution_settings.keep_incomplete = True
    workflow.group_settings.group_components = {IN_ALLOCATION: len(targets)}
    for name in group_rules(KINDS):
        share_allocation(name, lambda wildcards: IN_ALLOCATION)


def has_finished(target):
    """Return whether a job that this allocation was asked for has finished in this run."""
    return target.rulename in NAMES and is_finished(Job.of(target.rulename, **target.wildcards_dict), Path(FROZEN_GRID))


def mend_groups():
    """Let the jobs go on that need nothing of a failed job but are in a group with it, or need finished members."""
    scheduler = workflow.scheduler
    handle = scheduler._handle_error

    def handle_error(job, **options):
        handle(job, **options)
        if job in scheduler.failed:
            finish_members(job)
            release_members()

    scheduler._handle_error = handle_error


def finish_members(failed):
    """Tell Snakemake of the members of a failed group that have finished."""
    dag = workflow.dag
    for job in failed if failed.is_group() else ():
        if is_finished(Job.of(job.rule.name, **job.wildcards_dict), Path(FROZEN_GRID)):
            dag._running.add(job)
            workflow.async_run(dag.finish(job))
            workflow.scheduler.finished_jobs += 1


def release_members():
    """Take the jobs out of their groups that wait for jobs that have failed for good."""
    dag = workflow.dag
    failed = {job for one in workflow.scheduler.failed for job in (one if one.is_group() else [one])}
    failed = {job for job in failed if not dag.finished(job)}
    lost = {job for job in dag.bfs(dag.depending, *failed) if not dag.finished(job)} - failed
    for group in {dag._group[job] for job in lost if job in dag._group}:
        able = [job for job in group if job not in lost]
        for members in (able, [job for job in group if job in lost]) if able else ():
            part = dag.group_job_factory.new(group.groupid, members, workflow.global_resources)
            part.finalize()
            dag._group.update(dict.fromkeys(members, part))
        dag.update_ready(able)
