"""Questions to the sources of the files that a run would download; nothing is downloaded."""

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import quote, urlsplit

from docmt.catalogue.files import FileConfig, SourceConfig
from docmt.catalogue.missing import is_remote
from docmt.fetching.asking import Source, ask_sources
from docmt.fetching.transfer import Network
from docmt.preflight.files import downloads
from docmt.preflight.finding import RunFinding, told
from docmt.preflight.planned import PlannedRun


def check_network(run: PlannedRun, timeout: float = 5.0) -> Iterator[RunFinding]:
    """Yield the hosts that do not answer, and the files that no source has."""
    files = [*_files(run)]
    sources, hosts = ask_sources(files, Network(run.grid.hosts, timeout)), dict[str, list[Source]]()
    for source in sources:
        if is_remote(source.url):
            hosts.setdefault(urlsplit(source.url).netloc, []).append(source)
    silent = {host: asked[0].answer.problem for host, asked in hosts.items() if not any(s.answer.status for s in asked)}
    if hosts and len(silent) == len(hosts):
        what, problem = "no source can be reached: there seems to be no network", next(iter(silent.values()))
        remedy = (
            "download where there is one (`snakemake --until download`), or name a folder with the files (`mirror`)"
        )
        yield told("error", what, where=", ".join(sorted(silent)), found=problem, remedy=remedy)
        return
    for host, problem in sorted(silent.items()):
        remedy = "try again later, or name a stand-in (`hosts` in config.yaml) or a `mirror`"
        yield told("warning", "the host does not answer", where=host, found=problem, remedy=remedy)
    for owner, file in files:
        problems = {each.url: each.answer.problem for each in sources if (each.owner, each.file) == (owner, file.name)}
        if all(problems.values()):
            value = "; ".join(f"{url}: {problem}" for url, problem in problems.items()) or "no source"
            remedy = file.obtain or "add a source to the catalogue, or put the file into a folder of `local`"
            yield told("error", "no source has the file", where=f"{owner} {file.name}", found=value, remedy=remedy)
    yield told("fact", f"asked {len(hosts)} hosts for {len(files)} files")


def _files(run: PlannedRun) -> Iterator[tuple[str, FileConfig]]:
    """Yield the files that a run would download, each with the mirror among its sources where that is an address."""
    places, address = run.grid.places(), str(run.grid.mirror).rstrip("/")
    for name in run.corpora if run.grid.fixtures is None else ():
        for file in downloads(run.grid.corpora[name], places):
            of_mirror = (SourceConfig(url=f"{address}/{quote(file.name)}"),) if places.has_remote_mirror else ()
            yield name, replace(file, sources=(*of_mirror, *file.sources))
