"""What can be asked for: `docmt systems`, `docmt targets`."""

from pathlib import Path
from typing import Annotated

import typer

from docmt.core.grid import Entry, Grid, load_grid
from docmt.core.missing import Places, left_out

Root = Annotated[Path, typer.Option(help="folder with config.yaml and workflow/")]
Study = Annotated[str | None, typer.Option(help="only this study")]


def systems(root: Root = Path(), study: Study = None) -> None:
    """List every system, a line each: what it extends, what it starts from, what it is."""
    grid = load_grid(root)
    for name in _studies(grid, study):
        config = grid.studies[name]
        typer.echo(f"{name}: {config.title} (corpora: {', '.join(config.corpora)})")
        for entry in grid.of_study(name):
            if entry.corpus == config.corpora[0]:
                typer.echo(f"  {entry.system.name:<40} {_described(entry)}")


def targets(root: Root = Path(), study: Study = None) -> None:
    """List every target that `snakemake TARGET` makes, a line each, with whether it is there.

    `missing`: the corpus needs files that only a person can bring.
    """
    grid = load_grid(root)
    results = root / "results"
    without = left_out(grid.corpora.values(), Places(results, grid.mirror, grid.local))
    _line("all", None, "every study of config.yaml: " + ", ".join(grid.active))
    for name in _studies(grid, study):
        _line(name, results / "8_report" / name / "index.html", grid.studies[name].title)
        for entry in grid.of_study(name):
            for seed in grid.seeds[name]:
                path = f"7_scores/{grid.scale}/{entry.corpus}/{entry.folder}/seed{seed}/scores.json"
                _line(
                    f"results/{path}",
                    results / path,
                    f"scores of {entry.system.name} on {entry.corpus}",
                    entry.corpus in without,
                )
    for corpus in grid.corpora.values():
        path = f"1_corpus/{corpus.corpus}/card.json"
        _line(f"results/{path}", results / path, f"the corpus {corpus.corpus}", corpus.corpus in without)


def _studies(grid: Grid, study: str | None) -> list[str]:
    if study is None:
        return list(grid.studies)
    if study not in grid.studies:
        raise typer.BadParameter(f"no study {study!r}; there are: {', '.join(grid.studies)}")
    return [study]


def _line(target: str, path: Path | None, about: str, missing: bool = False) -> None:
    made = "made" if path is not None and path.exists() else "missing" if missing else "-"
    typer.echo(f"{target:<84} {made:<7} {about}")


def _described(entry: Entry) -> str:
    system = entry.system
    parts = [system.model.kind, f"view {system.view.name}", f"text {system.text}"]
    if entry.extends:
        parts.append(f"extends {entry.extends}")
    if system.init_from:
        parts.append(f"starts from {system.init_from}")
    if system.pretrained:
        parts.append(f"starts from {system.pretrained}")
    if entry.trained != entry.folder:
        parts.append(f"model of {entry.trained}")
    return ", ".join(parts)
