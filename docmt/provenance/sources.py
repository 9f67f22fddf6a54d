"""The corpora and the files from outside of a run, as entities of a crate: what they are, and under which licence."""

from urllib.parse import quote

from docmt.base.digests import kind_of, value_of
from docmt.catalogue.files import FileConfig
from docmt.catalogue.missing import is_remote
from docmt.grid.grid import Grid
from docmt.provenance.artifacts import RunArtifact
from docmt.provenance.entities import Graph, Reference


def add_corpus(graph: Graph, grid: Grid, name: str) -> Reference:
    """Add a corpus of the catalogue, and return a reference to it."""
    corpus = grid.corpus_at_scale(name)
    closed = (
        None
        if corpus.may_pass_on == "everything"
        else "the text may not be passed on; the licence says how it can be had"
    )
    reference = graph.add(
        f"#corpus/{name}",
        "CreativeWork",
        name=name,
        description=corpus.about,
        citation=corpus.citation,
        license=licence(graph, corpus.licence),
        inLanguage=[*corpus.languages],
        conditionsOfAccess=closed,
        hasPart=[_file(graph, name, file) for file in corpus.files],
    )
    graph.mention(reference)
    return reference


def licence(graph: Graph, name: str, about: str = "The licence as the catalogue of docmt states it.") -> Reference:
    """Add a licence by its name or address, and return a reference to it."""
    identifier = name if is_remote(name) else f"#licence/{quote(name, safe='')}"
    return graph.add(identifier, "CreativeWork", name=name, description=about, url=name if is_remote(name) else None)


def add_outside_files(graph: Graph, artifact: RunArtifact) -> list[Reference]:
    """Add the files that a job read and that no job writes, such as downloads and checkpoints."""
    return [_outside(graph, role, file.digest) for role, file in sorted(artifact.recipe.files.items())]


def _outside(graph: Graph, role: str, digest: str) -> Reference:
    """Add a file that a job read, by its role and its digest."""
    return graph.add(f"#outside/{quote(role)}/{digest}", "CreativeWork", name=role, **_digest(digest))


def _file(graph: Graph, corpus: str, file: FileConfig) -> Reference:
    """Add a file of the catalogue: its addresses, its digest as far as it is known, and its licence."""
    return graph.add(
        f"#catalogue/{corpus}/{quote(file.name)}",
        "CreativeWork",
        name=file.name,
        url=[source.url for source in file.sources if is_remote(source.url)],
        contentSize=str(file.size) if file.size else None,
        conditionsOfAccess=file.licence,
        **_digest(file.digest),
    )


def _digest(digest: str | None) -> dict[str, str]:
    """Return the property for a digest of any kind."""
    if digest is None:
        return {}
    return {"sha256": value_of(digest)} if kind_of(digest) == "sha256" else {"identifier": digest}
