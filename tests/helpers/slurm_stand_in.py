"""What a stand-in for a command of Slurm does; it imports little, since tests call it often.

python -IS slurm_stand_in.py FILE COMMAND [ARGUMENT...], where FILE has the cluster (`helpers/slurm_commands.py`).
"""

import json
import sys
from pathlib import Path


def option(arguments: list[str], name: str) -> str | None:
    """The value of an option, joined by `=` or behind it."""
    for index, argument in enumerate(arguments):
        if argument == name:
            return arguments[index + 1]
        if argument.startswith(f"{name}="):
            return argument.partition("=")[2]
    return None


def answer(value: dict, name: str, arguments: list[str]) -> str:
    """What a command prints; it may change the cluster."""
    jobs = value["jobs"]
    if name == "sbatch":
        number = str(100 + len(jobs) + 1)
        comment = option(arguments, "--comment")
        jobs[number] = {"state": "PENDING", "comment": comment, "in_squeue": True, "in_sacct": True}
        return number
    if name == "squeue":
        states = option(arguments, "--states")
        listed = {n: job for n, job in jobs.items() if job["in_squeue"]}
        listed = {n: job for n, job in listed.items() if states == "all" or job["state"] in states.split(",")}
        form = option(arguments, "--format")
        return "\n".join(
            form.replace("%i", n).replace("%T", j["state"]).replace("%k", j["comment"]) for n, j in listed.items()
        )
    if name == "sacct":
        numbers = option(arguments, "--jobs").split(",")
        word = {"CANCELLED": "CANCELLED by 0"}
        states = {n: word.get(jobs[n]["state"], jobs[n]["state"]) for n in numbers if n in jobs and jobs[n]["in_sacct"]}
        return "\n".join(f"{number}|{state}" for number, state in states.items())
    if name == "scancel":
        for number in arguments:
            jobs[number]["state"] = "CANCELLED"
    return ""


def main(file: Path, name: str, *arguments: str) -> int:
    value = json.loads(file.read_text())
    value["calls"].append([name, *arguments])
    text = "" if name in value["without"] else answer(value, name, list(arguments))
    file.write_text(json.dumps(value))
    print(text)
    return 1 if name in value["without"] else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
