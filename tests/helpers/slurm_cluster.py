"""A Slurm cluster on loopback, for tests: one controller and two nodes, without accounting.

    python tests/helpers/slurm_cluster.py up FOLDER
    python tests/helpers/slurm_cluster.py down FOLDER

It needs root, and Debian's packages slurmctld, slurmd and slurm-client. It writes /etc/slurm, since the jobs of the
Slurm plugin look for their cluster nowhere else, and it refuses a machine whose /etc/slurm has a cluster that it did
not make itself.

Each node has two GPUs that are clones of /dev/null. Memory limits are not enforced.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

SETTINGS = Path("/etc/slurm")
MARK = "# Made by tests/helpers/slurm_cluster.py\n"
NODES = ("n1", "n2")
PROGRAMS = ("slurmctld", "slurmd", "sbatch")
WAIT_S = 60.0
NODE = (
    "NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=8 Boards=1 SocketsPerBoard=1"
    " CoresPerSocket=8 ThreadsPerCore=1 RealMemory=32000 Gres=gpu:h100:2 State=UNKNOWN"
)
SLURM = """
ClusterName=docmt
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
SlurmctldPort=16817
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
ReturnToService=2
SlurmdParameters=config_overrides
JobRequeue=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=5
MessageTimeout=5
MinJobAge=300
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0
{nodes}
PartitionName=low Nodes=ALL MaxTime=INFINITE State=UP Default=YES PriorityTier=1
PartitionName=high Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10
"""


def answers() -> bool:
    """Return whether a Slurm answers on this machine."""
    return shutil.which("sinfo") is not None and subprocess.run(["sinfo"], capture_output=True).returncode == 0


def missing() -> str:
    """Return why a cluster cannot be started here; empty where it can."""
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    if absent:
        return f"no {', '.join(absent)}"
    if os.geteuid() != 0:
        return "only root can start one"
    settings = SETTINGS / "slurm.conf"
    if settings.exists() and not settings.read_text().startswith(MARK):
        return f"{settings} has another cluster"
    return ""


def start(folder: Path) -> None:
    """Start the cluster, and wait until its nodes are idle."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    for name in ("state", *(f"spool-{node}" for node in NODES)):
        (folder / name).mkdir(exist_ok=True)
    SETTINGS.mkdir(exist_ok=True)
    write_settings(folder)
    run("slurmctld", "-c")
    for node in NODES:
        run("slurmd", "-c", "-N", node)
    until(nodes_are_idle, f"the nodes are not idle: see {folder}/*.log")


def write_settings(folder: Path) -> None:
    """Write the settings of the controller, of the nodes and of their GPUs."""
    host = socket.gethostname()
    nodes = [NODE.format(node=node, host=host, port=16818 + 10 * number) for number, node in enumerate(NODES)]
    (SETTINGS / "slurm.conf").write_text(MARK + SLURM.format(folder=folder, nodes="\n".join(nodes)))
    lines = []
    for node in NODES:
        for number in range(2):
            with suppress(FileExistsError):
                os.mknod(folder / f"gpu-{node}-{number}", 0o20666, os.makedev(1, 3))
        lines.append(f"NodeName={node} Name=gpu Type=h100 File={folder}/gpu-{node}-[0-1]\n")
    (SETTINGS / "gres.conf").write_text(MARK + "".join(lines))


def stop(folder: Path) -> None:
    """Cancel all jobs, stop the cluster, and remove its settings."""
    if answers():
        subprocess.run(["scancel", "-u", "root"])
        time.sleep(1)
    names = [*(f"slurmd-{node}.pid" for node in NODES), "slurmctld.pid"]
    processes = [int(path.read_text()) for name in names if (path := folder / name).exists()]
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
    until(lambda: not any(Path(f"/proc/{process}").exists() for process in processes), "a daemon does not end")
    for name in ("slurm.conf", "gres.conf"):
        (SETTINGS / name).unlink(missing_ok=True)


def nodes_are_idle() -> bool:
    """Return whether all nodes wait for jobs."""
    states = subprocess.run(["sinfo", "-h", "-N", "-p", "low", "-o", "%T"], capture_output=True, text=True).stdout
    return states.split() == ["idle"] * len(NODES)


def run(*command: str) -> None:
    """Run a command to its end; what it prints is shown where it fails. A daemon leaves its files open."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} gave {done.returncode}")


def until(holds: Callable[[], bool], problem: str) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + WAIT_S
    while not holds():
        if time.monotonic() > deadline:
            sys.exit(problem)
        time.sleep(0.1)


if __name__ == "__main__":
    where = Path(sys.argv[2]).absolute()
    if sys.argv[1] == "down":
        stop(where)
    elif problem := missing():
        sys.exit(f"no cluster can be started: {problem}")
    else:
        start(where)
