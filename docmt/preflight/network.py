"""Questions to the sources of the files that a run would download; nothing is downloaded.

One address of each host is asked first, with a short limit: without a network the answer comes fast, and a host that
does not answer is named once and not for each of its files.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import quote, urlsplit

from docmt.catalogue.files import FileConfig, SourceConfig
from docmt.catalogue.missing import is_remote
from docmt.fetching.asking import AT_ONCE, Source, ask, ask_sources
from docmt.fetching.transfer import Network
from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.planned import PlannedRun
from docmt.preflight.sources import downloads

AREA = Area("network")
TIMEOUT_S = 5.0
"""Seconds that the first question to a host waits for an answer."""
Owned = tuple[str, FileConfig]


def check_network(run: PlannedRun, timeout: float = TIMEOUT_S) -> Iterator[RunFinding]:
    """Yield the hosts that do not answer, and the files that no source has."""
    files = [*_files(run)]
    network = Network(run.grid.hosts, timeout)
    hosts = _hosts(files)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = dict(zip(hosts, pool.map(lambda host: ask(hosts[host], network), hosts), strict=True))
    silent = {host: str(answer.problem) for host, answer in answers.items() if answer.status is None}
    if hosts and len(silent) == len(hosts):
        yield AREA.error(
            "no source can be reached: there seems to be no network",
            where=", ".join(sorted(silent)),
            found=next(iter(silent.values())),
            remedy="download on a machine with a network (`snakemake --until download`, `docmt fetch-files`), "
            "or name a folder with the files (`mirror`)",
        )
        return
    yield from _of_hosts(silent, files)
    answering = [(owner, _answering(file, silent)) for owner, file in files]
    yield from _of_files(files, ask_sources(answering, network), silent)
    if hosts:
        yield AREA.fact(f"asked {len(hosts)} hosts for {len(files)} files")


def _files(run: PlannedRun) -> Iterator[Owned]:
    """Yield the files that a run would download, each with the mirror among its sources where that is an address."""
    if run.grid.fixtures is not None:
        return
    places = run.grid.places()
    for name in run.corpora:
        for file in downloads(run.grid.corpora[name], places):
            yield name, _with_mirror(file, run.grid.mirror) if places.has_remote_mirror else file


def _with_mirror(file: FileConfig, mirror: str | None) -> FileConfig:
    """Return a file whose first source is the mirror."""
    source = SourceConfig(url=f"{str(mirror).rstrip('/')}/{quote(file.name)}")
    return _with_sources(file, (source, *file.sources))


def _answering(file: FileConfig, silent: Mapping[str, str]) -> FileConfig:
    """Return a file without the sources at hosts that do not answer."""
    return _with_sources(file, tuple(source for source in file.sources if urlsplit(source.url).netloc not in silent))


def _with_sources(file: FileConfig, sources: tuple[SourceConfig, ...]) -> FileConfig:
    """Return a file with other sources."""
    return replace(file, sources=sources)


def _hosts(files: list[Owned]) -> dict[str, str]:
    """Return an address of each host among the sources of files."""
    urls = [source.url for _, file in files for source in file.sources if is_remote(source.url)]
    return {urlsplit(url).netloc: url for url in reversed(urls)}


def _of_hosts(silent: Mapping[str, str], files: list[Owned]) -> Iterator[RunFinding]:
    """Yield a warning for each host that does not answer, with the number of its files."""
    for host, problem in sorted(silent.items()):
        count = sum(any(urlsplit(source.url).netloc == host for source in file.sources) for _, file in files)
        remedy = "try again later, or name a stand-in (`hosts` in config.yaml) or a `mirror`"
        yield AREA.warning(f"a host of {count} files does not answer", where=host, found=problem, remedy=remedy)


def _of_files(files: list[Owned], sources: list[Source], silent: Mapping[str, str]) -> Iterator[RunFinding]:
    """Yield an error for each file that no source has, and a warning where only some sources have it."""
    for owner, file in files:
        asked = [source for source in sources if (source.owner, source.file) == (owner, file.name)]
        wrong = [source for source in asked if source.answer.problem]
        problems = [f"{source.url}: {source.answer.problem}" for source in wrong]
        problems += [f"{source.url}: no answer" for source in file.sources if urlsplit(source.url).netloc in silent]
        if len(wrong) == len(asked):
            yield AREA.error(
                "no source has the file",
                where=f"{owner} {file.name}",
                found="; ".join(problems) or "no source",
                remedy=file.obtain or "add a source to the catalogue, or put the file into a folder of `local`",
            )
        elif wrong:
            yield AREA.warning(
                "a source does not have the file; another one does",
                where=f"{owner} {file.name}",
                found="; ".join(problems),
                remedy="`docmt check-sources` asks all sources of the catalogue",
            )
