"""`docmt store ls`, `show`, `du`, `verify`, `sign` and `gc`: what a store has, who says so, and what goes."""

import os
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Annotated

import typer
import yaml

from docmt.base.errors import UserError, printable
from docmt.base.manifest import DIGITS
from docmt.base.paths import TRAINING
from docmt.base.screen import answer, count_of, say, show_table
from docmt.cli.options import AsJson, Config, Root, input_file, overrides
from docmt.cli.results import DAMAGED, answer_damage
from docmt.plan.run import grid_of_run
from docmt.plan.stored import named_store
from docmt.store import contents, signatures
from docmt.store.contents import StoreRow, rows_of_store
from docmt.store.folder import user_of
from docmt.store.store import Store

COLUMNS = ("identity", "place", "MB", "maker", "days", "signed by")
NUMBERS = ("MB", "days")
MOST_DAYS = 100_000
ONLY = f"only artifacts with this in their place, such as {TRAINING.stage}/toy_zh-en"
Identities = Annotated[
    list[str] | None, typer.Argument(metavar="IDENTITY...", help="identities, or their first digits")
]


@contextmanager
def store_of(root: Path, config: list[str] | None) -> Iterator[Store]:
    """Let the block use the store of config.yaml, in the folder `root`. Raises UserError where none is named."""
    with chdir(root):
        yield named_store(grid_of_run(Path(), overrides(config)))


def ls(
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help=ONLY)] = None,
    maker: Annotated[str | None, typer.Option(help="only artifacts of this maker")] = None,
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List the artifacts of the store, the newest first.

    place: the folder below results/ without the id. days: since the artifact was pushed.
    """
    with store_of(root, config) as store:
        rows = [row for row in rows_of_store(store) if (text or "") in row.place and maker in (None, row.maker)]
    answer(as_json, [row.to_json() for row in rows], lambda: show_rows(rows))


def show_rows(rows: list[StoreRow]) -> None:
    """Print artifacts as a table; `-` stands for nobody."""
    cells = [
        (
            row.identity[:DIGITS],
            row.place,
            megabytes(row.entry.bytes if row.entry else row.file.bytes),
            row.maker,
            f"{row.days:,.1f}",
            ", ".join(row.signers) or "-",
        )
        for row in rows
    ]
    if cells:
        show_table(COLUMNS, cells, NUMBERS)
    else:
        typer.echo("no artifact")


def show(
    identity: Annotated[str, typer.Argument(help="the identity of an artifact, or its first digits")],
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show an artifact of the store.

    It shows how and from what it was made, its files, and who signed it.
    """
    with store_of(root, config) as store:
        facts = contents.facts_of(store, rows_of_store(store, [identity])[0])
    answer(as_json, facts, printable(yaml.safe_dump(facts, allow_unicode=True, sort_keys=False, width=1000)))


def du(root: Root = Path(), config: Config = None, as_json: AsJson = False) -> None:
    """Print how many bytes the store has.

    It prints those of the artifacts of each step too.
    """
    with store_of(root, config) as store:
        usage = contents.usage_of(store)

    def show() -> None:
        typer.echo(f"{usage['artifacts']} artifacts, {megabytes(usage['bytes'])} MB of files")
        typer.echo(f"{megabytes(usage['shared'])} MB saved, since files that several artifacts have are there once")
        typer.echo(f"{megabytes(usage['unlisted'])} MB of files that no artifact has (docmt store gc)")
        show_table(("step", "MB"), [(step, megabytes(size)) for step, size in usage["by_step"].items()], ("MB",))

    answer(as_json, usage, show)


def verify(identities: Identities = None, root: Root = Path(), config: Config = None, as_json: AsJson = False) -> None:
    """Read artifacts of the store, and list what is damaged.

    It also lists what is missing or of another identity. All bytes are read, without IDENTITY those of all artifacts.
    The exit status is 1 where there is any.
    """
    with store_of(root, config) as store:
        rows = rows_of_store(store, identities or None)
        damaged = [*contents.damages(store, rows, say)]
    items = [dict(zip(("identity", "file", "problem"), damage, strict=True)) for damage in damaged]
    lines = [f"{identity} {name}: {problem}" for identity, name, problem in damaged]
    answer_damage(len(rows), items, lines, as_json)
    if damaged:
        raise typer.Exit(DAMAGED)


def sign(
    key: Annotated[Path, input_file("a private key of OpenSSH, such as ~/.ssh/id_ed25519")],
    identities: Identities = None,
    every: Annotated[bool, typer.Option("--all", help="sign all artifacts of the store")] = False,
    mine: Annotated[
        bool, typer.Option("--mine", help="sign the artifacts whose files belong to this user, in a folder")
    ] = False,
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Sign artifacts of the store with your key.

    You state which bytes they have. With `store_keys` in config.yaml, a run uses of the store only what one of these
    keys has signed. Sign what you have made, or have checked. The list that is signed is kept in the store. ssh-keygen
    signs, and asks for a passphrase.
    """
    if sum((bool(identities), every, mine)) != 1:
        raise UserError(
            "it is not clear which artifacts are meant", where="docmt store sign", expected="IDENTITY, --all or --mine"
        )
    key = key.absolute()
    with store_of(root, config) as store:
        rows = rows_of_store(store, identities or None)
        chosen = [row.entry for row in rows if row.entry and (not mine or row.file.owner == user_of(os.geteuid()))]
        signed = signatures.sign(store.backend, chosen, key)
    signer = signed.signer
    assert signer is not None
    record = {"signer": signer.sha256_str(), "identities": sorted(signed.contents)}
    text = f"{count_of(len(signed.contents), 'artifact')} signed with {signer.sha256_str()}"
    answer(as_json, record, f"{text}\nfor store_keys: NAME {signer.openssh_str()}")


def gc(
    older_than: Annotated[
        float | None,
        typer.Option(min=0, max=MOST_DAYS, metavar="DAYS", help="also artifacts that were pushed longer ago"),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="remove what is listed; without it, nothing is removed")] = False,
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List what nobody needs in the store, and remove it with --yes.

    These are files that no artifact has, unfinished files and damaged artifacts, all of them older than a day, so that
    others may push meanwhile. What only other users may remove stays.
    """
    with store_of(root, config) as store:
        rows, files = contents.garbage_of(store, older_than)
        gone = [*(row.file for row in rows), *files]
        contents.remove_garbage(store, gone if yes else ())
    size = sum(file.bytes for file in gone)
    if rows and not as_json:
        show_rows(rows)
    lines = [
        f"{'removed' if yes else 'to remove'}: {len(rows)} artifacts and {len(files)} files, {megabytes(size)} MB",
        *([] if yes else ["nothing was removed; to remove this, add --yes"]),
    ]
    facts = {"artifacts": [row.identity for row in rows], "files": len(files), "bytes": size}
    answer(as_json, {"removed": yes, **facts}, "\n".join(lines))


def megabytes(size: int) -> str:
    """Return a number of bytes in MB."""
    return f"{size / 1e6:,.1f}"
