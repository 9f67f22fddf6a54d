"""A process that has imported docmt and its libraries, and forks a child for each command: a command then costs
milliseconds, and one that crashes ends nothing but its child.

It is a fork itself (`helpers/forks.py`), reads a request, a JSON object, from each line of standard input, and answers
with a line.

A request has `call` (a name of CALLS), `arguments`, `folder` (where it runs), `output` (a path: standard output and
error go to `<output>.out` and `<output>.err`), and `seconds`, after which the child is killed. With `trace`, the paths
of the files that the child has opened to read are in `<output>.opened`, one on each line. The answer has `status`: the
exit status, or the negative number of the signal that ended the child.
"""

import gc
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from helpers.exit_status import status_of

SECONDS = 120
"""After these, a command counts as one that does not end; the slowest takes five."""
IMPORTED = (
    "jieba",
    "pandas",
    "pydantic.root_model",
    "pydantic.type_adapter",
    "typer.rich_utils",
    "dateutil.parser",
    "matplotlib.backends.backend_svg",
    "pyarrow.dataset",
    "pyarrow.pandas_compat",
    "pyarrow.parquet",
    "sacrebleu",
    "sacremoses",
    "scipy.stats",
    "torch._dynamo",
    "torch.utils.tensorboard",
    "docmt.cli.inspect",
    "docmt.training.live",
    "docmt.cli.main",
    "docmt.cli.job",
    "docmt.cli.score",
    "docmt.cli.trainings",
    "docmt.cli.translate",
    "docmt.api.scores",
    "docmt.api.trainings",
    "docmt.trained.translate",
    "docmt.corpus.read",
    "docmt.decoding.files",
    "docmt.models.transformer",
    "docmt.plan.driver",
    "docmt.reporting.page",
    "docmt.scoring.comparisons",
    "docmt.scoring.corpus_aligner",
    "docmt.scoring.score",
    "docmt.text.process",
    "docmt.training.job",
    "docmt.trained.dev_bleu",
    "docmt.base.parent",
    "docmt.chains.segments",
    "docmt.views.build",
)
"""What the commands import, most of them inside a function; the libraries are there where docmt is installed whole."""


def command(arguments: list[str]) -> None:
    """Run `docmt` with arguments."""
    from docmt.cli.main import main

    sys.argv = ["docmt", *arguments]
    main()


def stopped(arguments: list[str]) -> None:
    """Run `docmt` with arguments; SIGTERM comes at the beginning of the update of the first argument."""
    from helpers.stopped_training import plant_in_updates

    update, *rest = arguments
    plant_in_updates(Path(os.devnull), int(update), "SIGTERM")
    command(rest)


def prepare(targets: list[str]) -> None:
    """Write the recipes of the jobs that run for targets, as the workflow does before the first of them."""
    from docmt.grid.grid import load_grid
    from docmt.plan.links import jobs_of_target
    from docmt.plan.plan import Plan

    plan = Plan(load_grid(Path.cwd(), {}))
    for job in plan.to_run(job for target in targets for job in jobs_of_target(plan, target)):
        plan.recipe(job).write()


CALLS: dict[str, Callable[[list[str]], None]] = {
    "command": command,
    "stopped": stopped,
    "prepare": prepare,
}


def open_log(path: str, target: int) -> None:
    """Send a file descriptor of this process to a file."""
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.dup2(handle, target)
    os.close(handle)


def trace(opened: set[str]) -> None:
    """Remember the paths of all files that Python opens to read, from now on."""

    def hook(event: str, values: tuple) -> None:
        if event == "open" and isinstance(values[0], str | bytes) and values[2] & os.O_ACCMODE == os.O_RDONLY:
            opened.add(str(Path(os.fsdecode(values[0])).absolute()))

    sys.addaudithook(hook)


def child(request: dict) -> int:
    """Do what a request asks, and return the exit status."""
    os.chdir(request["folder"])
    open_log(f"{request['output']}.out", 1)
    open_log(f"{request['output']}.err", 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    # Commands wait for the disk after each file, against power cuts, which do not come here.
    os.fsync = lambda handle: None
    opened: set[str] = set()
    if request.get("trace"):
        trace(opened)
    status = status_of(lambda: CALLS[request["call"]](request["arguments"]))
    sys.stdout.flush()
    sys.stderr.flush()
    if request.get("trace"):
        Path(f"{request['output']}.opened").write_text("\n".join(sorted(opened)))
    return status


def answer(request: dict) -> dict:
    """Fork a child for a request, and wait for its end."""
    process = os.fork()
    if process == 0:
        # No code of the parent may run in the child, whatever happens.
        status = 1
        try:
            status = child(request)
        finally:
            os._exit(status)
    handle = os.pidfd_open(process)
    if not select.select([handle], [], [], request["seconds"])[0]:
        os.kill(process, signal.SIGKILL)
    os.close(handle)
    return {"status": os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])}


def import_all() -> None:
    """Import what commands need, with one thread, and read the dictionary of Chinese words."""
    import torch

    from docmt.text.chinese import Chinese

    for name in IMPORTED:
        with suppress(ModuleNotFoundError):
            import_module(name)
    torch.set_num_threads(1)
    Chinese("jieba").tokenize("猫")
    # A fork then looks through none of these objects when it collects garbage, and copies no page of them.
    gc.collect()
    gc.freeze()


def answer_all() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=answers, flush=True)


@dataclass(frozen=True)
class Ended:
    """How a command has ended: its exit status, or the negative number of a signal, and what it has printed."""

    status: int
    out: str
    err: str


class Zygote:
    """The process, seen from the test."""

    def __init__(self, program: Path, folder: Path, environment: dict[str, str]) -> None:
        """Start its program; outputs of commands are files of `folder`."""
        self.output = folder / "last"
        variables = {"CUDA_VISIBLE_DEVICES": "", "COLUMNS": "200", "MKL_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**environment, **variables},
            cwd=folder,
            text=True,
        )

    def run(self, call: str, arguments: list[str], folder: Path, is_traced: bool = False) -> Ended:
        """Run a command in a folder."""
        request = {"call": call, "arguments": arguments, "folder": str(folder), "output": str(self.output)}
        self._process.stdin.write(json.dumps({**request, "trace": is_traced, "seconds": SECONDS}) + "\n")
        self._process.stdin.flush()
        status = json.loads(self._process.stdout.readline())["status"]
        texts = (Path(f"{self.output}.{ending}").read_bytes().decode(errors="replace") for ending in ("out", "err"))
        return Ended(status, *texts)

    def opened(self) -> list[Path]:
        """The files that the last command has opened to read, where it was traced."""
        return [Path(line) for line in Path(f"{self.output}.opened").read_text().splitlines()]

    def close(self) -> None:
        """End the process."""
        self._process.stdin.close()
        self._process.wait(60)
