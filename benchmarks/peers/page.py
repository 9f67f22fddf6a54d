"""The page `benchmarks/README.md`, written from the records."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files

from peers.lines import GROUPS, Line, lines
from peers.records import Record, Records
from peers.summary import Interval, median_interval, median_of, ratios, undisturbed

HEAD = (
    "| docmt | beside | threads | by processor time | by the clock | aim | share | memory, MiB | pairs | others |",
    "|---|---|---|---|---|---|---|---|---|---|",
)


def page(records: Records, limit: float, needed: int) -> str:
    """Return the page; pairs during which others used more than `limit` cores count only if `needed` are not left."""
    frame = files("peers").joinpath("page.md").read_text(encoding="utf-8")
    return (
        frame.replace("{tables}", "\n\n".join(tables(records, limit, needed)))
        .replace("{skipped}", skipped(records))
        .replace("{sittings}", sittings(records.records.values()))
        .replace("{limit}", f"{limit:g}")
    )


def tables(records: Records, limit: float, needed: int) -> Iterator[str]:
    """Yield a title for each machine and its tables; the machine with the most records is the first."""
    machines = Counter(record.hardware for record in records.records.values())
    for machine, _ in machines.most_common():
        yield f"## {machine}"
        there = {
            (name, threads): record for (name, threads, place), record in records.records.items() if place == machine
        }
        yield from filter(None, (table(group, there, limit, needed) for group in GROUPS))


def table(group: str, records: Mapping[tuple[str, int], Record], limit: float, needed: int) -> str:
    """Return the table of a group with its title, or nothing where no line of it was measured.

    `records` are those of one machine, by the name of the line and the number of threads.
    """
    measured = [
        (line, records[line.name, threads])
        for line in lines()
        if line.group == group
        for threads in sorted(threads for name, threads in records if name == line.name)
    ]
    rows = [row(line, record, limit, needed) for line, record in measured]
    notes = [*equal_notes(measured), *(memory_notes(measured) if group == "lengths" else [])]
    after = ["", *notes] if notes else []
    return "\n".join([f"### {GROUPS[group]}", "", *HEAD, *rows, *after]) if rows else ""


def row(line: Line, record: Record, limit: float, needed: int) -> str:
    pairs = undisturbed(record.pairs, limit, needed)
    by_processor, by_clock = (median_interval(ratios(pairs, time_of)) for time_of in ("processor", "clock"))
    text = interval_text(by_processor)
    share = record.floor and median_of(pairs, lambda pair: pair.ours.rate("processor")) * record.threads / record.floor
    memory = (median_of(pairs, lambda pair, side=side: getattr(pair, side).memory_mib) for side in ("ours", "peer"))
    foreign = median_of(pairs, lambda pair: pair.foreign)
    disturbed = sum(pair.foreign > limit for pair in pairs)
    cells = [
        line.ours.label,
        f"{line.peer.label} (`{line.name}`)",
        record.threads,
        f"**{text}**" if line.aim and by_processor.median >= line.aim else text,
        interval_text(by_clock),
        f"{line.aim:.2f}" if line.aim else "",
        f"{share:.2f}" if share else "",
        " / ".join(f"{value:,.0f}" for value in memory),
        f"{len(pairs)}, {disturbed} disturbed" if disturbed else len(pairs),
        f"{foreign:.2f}",
    ]
    return f"| {' | '.join(map(str, cells))} |"


def interval_text(interval: Interval) -> str:
    """Return a median and its interval; a range of few values is marked as one."""
    ends = f"{interval.low:.2f} to {interval.high:.2f}"
    return f"{interval.median:.2f} ({ends})" if interval.covers else f"{interval.median:.2f} (range {ends})"


def count_text(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


def equal_notes(measured: Iterable[tuple[Line, Record]]) -> list[str]:
    return [
        f"- `{line.name}`, {count_text(record.threads)}: {record.equal[0]} of {record.equal[1]} translations are equal."
        for line, record in measured
        if record.equal
    ]


def memory_notes(measured: Iterable[tuple[Line, Record]]) -> list[str]:
    """Return how the memory of the longest documents compares with that of documents of a quarter of their length."""
    records = {(line.name, record.threads): record for line, record in measured}
    notes = []
    for (name, threads), record in records.items():
        quarter = records.get(("length-4096", threads))
        if name != "length-16384" or quarter is None:
            continue
        ours, peer = (
            median_of(record.pairs, lambda pair, side=side: getattr(pair, side).memory_mib)
            / median_of(quarter.pairs, lambda pair, side=side: getattr(pair, side).memory_mib)
            for side in ("ours", "peer")
        )
        notes.append(
            f"- Memory of 16,384 tokens over that of 4,096, {count_text(threads)}: {ours:.2f} for G-Transformer, "
            f"{peer:.2f} for the Transformer over the whole document (aim: at most 4)."
        )
    return notes


def skipped(records: Records) -> str:
    peers = [f"- {title} could not be installed: {reason}\n" for title, reason in records.skipped.items()]
    return "".join(peers + [f"- `{line}` failed: {reason}\n" for line, reason in records.failed.items()])


def sittings(records: Iterable[Record]) -> str:
    """Return a line for each day, commit and machine, with the lines that were measured there."""
    places: dict[str, list[str]] = {}
    for record in records:
        versions = ", ".join(f"{name} {number}" for name, number in record.versions.items())
        place = f"{record.date}, commit {record.commit}, {record.hardware}; {versions}"
        places.setdefault(place, []).append(f"{record.name} ({record.threads})")
    return "\n".join(f"- {place}: {', '.join(sorted(names))}" for place, names in sorted(places.items()))
