"""The check of the number of nodes of trainings before the workflow runs."""

from docmt.base.errors import UserError


def check_nodes(nodes: object, has_cluster: bool) -> None:
    """Raise UserError where the trainings of a run shall use several nodes and no cluster runs the jobs.

    `nodes` is the resource `nodes` of a training. It is also refused where it is no number from 1 on.
    """
    where = "nodes of train (profiles/default/profile.yaml, --set-resources)"
    if not isinstance(nodes, int) or nodes < 1:
        raise UserError("no number of nodes", where=where, found=repr(nodes), expected="1, 2, ...")
    if nodes > 1 and not has_cluster:
        raise UserError(
            "a training on several nodes needs a Slurm cluster",
            where=where,
            found=nodes,
            expected="1 on this machine",
            remedy="add --profile slurm, or --set-resources train:nodes=1",
        )
