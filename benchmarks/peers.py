"""docmt beside other toolkits, measured: installs the peers, measures all pairs by turns, writes README.md.

    python benchmarks/peers.py [--only NAME ...] [--threads 1 2] [--pairs 7]

`--list` names the lines. Raw measurements are in peers.json, from which the page is written, so that lines may be
measured in several sittings; `--page` writes the page alone. The first run installs the peers (some minutes) and trains
the models that decode (some minutes more). README.md says what is measured and how.
"""

import argparse
from dataclasses import replace
from pathlib import Path

from peers.environments import install, last_line
from peers.job import Job
from peers.lines import GROUPS, Line, lines
from peers.measuring import JobFailed, interleaved, measure, run_job
from peers.page import page
from peers.prepared import Prepared
from peers.records import Record, Records, circumstances
from peers.summary import median_interval, ratios

HERE = Path(__file__).parent
CACHE = Path.home() / ".cache/docmt-peers"


def main() -> None:
    arguments = parse_arguments()
    if arguments.list:
        print("\n".join(f"{line.name}: {line.ours.label} beside {line.peer.label}" for line in lines()))
        return
    records = Records.read(arguments.json)
    if not arguments.page:
        environments = install(arguments.environments, say)
        records.skipped.clear()
        records.skipped.update(environments.skipped)
        prepared = Prepared(arguments.work, environments, say)
        for line in chosen_lines(arguments.only):
            for threads in arguments.threads:
                if line.peer.toolkit in environments.pythons:
                    measure_into(records, line, threads, arguments, prepared)
                    records.write(arguments.json)
    arguments.readme.write_text(page(records, arguments.limit, arguments.pairs), encoding="utf-8")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="lines, or groups of lines: " + ", ".join(GROUPS))
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--pairs", type=int, default=7, help="pairs of each line")
    parser.add_argument("--limit", type=float, default=0.25, help="cores of others above which a pair is disturbed")
    parser.add_argument(
        "--priority", type=int, default=0, help="nice value of the processes' autogroups; below 0: root"
    )
    parser.add_argument("--environments", type=Path, default=CACHE / "environments", help="folder of the peers")
    parser.add_argument("--work", type=Path, default=CACHE / "work", help="folder of corpora and trained models")
    parser.add_argument("--json", type=Path, default=HERE / "peers.json", help="file of the raw measurements")
    parser.add_argument("--readme", type=Path, default=HERE / "README.md", help="file of the page")
    parser.add_argument("--page", action="store_true", help="measure nothing, write the page")
    parser.add_argument("--list", action="store_true", help="name the lines, and do nothing else")
    return parser.parse_args()


def chosen_lines(only: list[str] | None) -> list[Line]:
    """Return the lines of these names and groups, or all. Exits where a name is of no line."""
    everything = lines()
    unknown = set(only or ()) - {line.name for line in everything} - set(GROUPS)
    if unknown:
        raise SystemExit(f"no line or group is called {', '.join(sorted(unknown))}: see --list")
    return [line for line in everything if not only or {line.name, line.group} & set(only)]


def measure_into(records: Records, line: Line, threads: int, arguments: argparse.Namespace, prepared: Prepared) -> None:
    """Measure a line; what fails is told and recorded, and the other lines are measured all the same."""
    try:
        records.add(measure_line(line, threads, arguments, prepared))
    except JobFailed as problem:
        say(f"{line.name} failed: {problem}")
        records.failed[f"{line.name} ({threads})"] = last_line(str(problem))


def measure_line(line: Line, threads: int, arguments: argparse.Namespace, prepared: Prepared) -> Record:
    """Measure the pairs of a line, then its floor, and compare translations that have the same weights."""
    ours, peer = (prepared.job(line, side, threads) for side in (line.ours, line.peer))
    ours_python, peer_python = map(prepared.environments.python, (ours, peer))
    pairs = interleaved(
        lambda: measure(ours, ours_python, arguments.priority),
        lambda: measure(peer, peer_python, arguments.priority),
        arguments.pairs,
    )
    counted = replace(ours, task="floor", options={**ours.options, "of": line.task})
    floor = run_job(counted, ours_python)["floor"] if line.has_floor else None
    shown = median_interval(ratios(pairs, "processor"))
    say(f"{line.name}, {threads} threads: {shown.median:.2f} ({shown.low:.2f} to {shown.high:.2f})")
    return Record(line.name, threads, pairs, floor, equal_lines(ours, peer), **circumstances())


def equal_lines(ours: Job, peer: Job) -> tuple[int, int] | None:
    """Return how many translations of the two sides are equal, and of how many; None unless weights are the same."""
    if ours.output is None or ours.toolkit == peer.toolkit:
        return None
    both = [job.output.read_text(encoding="utf-8").splitlines() for job in (ours, peer)]
    return sum(a == b for a, b in zip(*both, strict=True)), len(both[0])


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
